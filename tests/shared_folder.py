"""The folder of reference data beside the checkout; tests that need it are skipped where it is absent."""

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"


def shared(path: str) -> Path:
    """Return a path inside the folder, or skip the test and say what is absent."""
    found = SHARED / path
    if not found.exists():
        pytest.skip(f"needs the reference file shared/{path} beside the checkout")
    return found
