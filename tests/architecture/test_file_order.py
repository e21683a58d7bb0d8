"""Files of tests are begun in the order of `tests/file_order.py`."""

from pathlib import Path

from file_order import LONGEST, longest_first

ROOT = Path(__file__).resolve().parents[2]


def test_listed_files_are_there() -> None:
    assert len(set(LONGEST)) == len(LONGEST)
    assert [name for name in LONGEST if not (ROOT / name).is_file()] == []


def test_tests_of_a_file_stay_together_and_in_order() -> None:
    files = ["a.py", LONGEST[1], "a.py", LONGEST[0], "b.py", LONGEST[1]]
    assert longest_first(files) == [3, 1, 5, 0, 2, 4]


def test_make_keeps_this_order() -> None:
    # pytest-xdist begins the file with the most tests first unless it is told not to.
    assert "--dist loadfile --no-loadscope-reorder" in (ROOT / "Makefile").read_text(encoding="utf-8")
