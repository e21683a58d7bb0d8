"""What every test run needs: without this scikit-learn skips its own check of the array API."""

import os
from collections.abc import Iterator

import pytest

os.environ.setdefault("SCIPY_ARRAY_API", "1")  # read when scipy is first imported


@pytest.fixture
def any_simd() -> Iterator[None]:
    """Let a test limit the instruction set; afterwards the machine's best is back."""
    from treewright._native import core

    yield
    core.set_simd_limit(core.Simd.AVX512)
