"""Settings of all tests."""

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

os.environ.setdefault("SCIPY_ARRAY_API", "1")  # read when scipy is imported; without it a check is skipped

# A busy machine is no failure; time is measured in benchmarks, not in tests.
settings.register_profile("treewright", deadline=None)
settings.load_profile("treewright")


@pytest.fixture
def any_simd() -> Iterator[None]:
    """Let a test limit the instruction set; afterwards the machine's best is back."""
    from treewright._native import core

    yield
    core.set_simd_limit(core.Simd.AVX512)
