"""The repository holds text, pictures and results that the project made: nothing that was built or downloaded."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LARGEST = 2_000_000  # bytes of a file; the largest result file has 1.3 million


def tracked_files() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    return [ROOT / name for name in listed.stdout.split("\0") if name]


def test_no_tracked_file_is_a_build_or_a_download():
    files = [path for path in tracked_files() if path.is_file()]
    if not files:
        pytest.skip("this is no checkout of git")
    assert [
        path.name for path in files if path.suffix in {".whl", ".so", ".pyc", ".gz", ".zip", ".parquet"}
    ] == []
    assert [path.name for path in files if path.stat().st_size > LARGEST] == []


def test_no_line_of_cpp_is_longer_than_120_columns():
    sources = [path for folder in ("cpp", "tests/cpp") for path in (ROOT / folder).rglob("*.[ch]pp")]
    assert sources
    too_long = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in sources
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if len(line) > 120
    ]
    assert too_long == []


def test_a_file_of_more_than_400_lines_says_why():
    sources = [path for path in tracked_files() if path.suffix in {".py", ".cpp", ".hpp"} and path.is_file()]
    texts = {
        path: path.read_text(encoding="utf-8")
        for path in sources
        if path.relative_to(ROOT).parts[0] in ("cpp", "src")
    }
    silent = [
        str(path.relative_to(ROOT))
        for path, text in texts.items()
        if text.count("\n") > 400 and "longer than 400 lines" not in "\n".join(text.split("\n")[:20]).lower()
    ]
    assert silent == []
