"""The end of a test run says what did not run, and why."""

import os
import subprocess
import sys
from pathlib import Path

from skipped_tests import skipped_in_words


def test_reasons_are_counted_and_reference_files_are_one_reason() -> None:
    places = [
        ("a.py", 1, "Skipped: needs the reference file shared/data/osdt/monk1-train.csv beside the checkout"),
        ("a.py", 1, "Skipped: needs the reference file shared/reference/born_again.json beside the checkout"),
        ("b.py", 7, "Skipped: needs Gurobi"),
    ]
    first, second = skipped_in_words(list(places))
    assert first.startswith("2 tests: read reference values and published data in a folder `shared`")
    assert second == "1 test: needs Gurobi"
    assert skipped_in_words([]) == []


def test_a_run_says_it(tmp_path: Path) -> None:
    """The summary of a real run: the plug-in of this project's `conftest.py`."""
    (tmp_path / "test_it.py").write_text(
        "import pytest\ndef test_it(): pytest.skip('needs the reference file shared/x.csv beside the checkout')\n"
    )
    tests = Path(__file__).resolve().parents[1]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "conftest", "test_it.py"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tests)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "tests that did not run" in done.stdout
    assert "1 test: read reference values and published data" in done.stdout
