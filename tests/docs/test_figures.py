"""Seconds and megabytes in the documentation are those of a stored run, which the section names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results"
PAGES = sorted(
    page for page in (ROOT / "docs").rglob("*.md") if "api" not in page.parts and page.name != "messages.md"
)
MEASURED = re.compile(r"(?<![\w^])\d*\.?\d+ ?(s|ms|MB|GB|MiB|GiB|seconds)(?![\w/])")
NAMED = re.compile(r"python -m benchmarks\.(\w+)|benchmarks/results/([\w.-]+)|(benchmarks\.md)")
# Figures that somebody chose: limits, defaults, sizes of buffers.
SETTINGS = (
    "30 seconds unless", "30 seconds, unless", "below 1.5 s", "buffer of 64 MB", "at most 2 s, is kept",
    "300 s of HiGHS", "`time_limit` of 2 seconds", "`time_limit` (60 s)",
)  # fmt: skip


def sections(text: str) -> list[str]:
    """A page in parts by its headings, without blocks of code."""
    prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.split(r"^(?=#{1,3} )", prose, flags=re.MULTILINE)


def is_stored(section: str) -> bool:
    stored = {path.name for path in RESULTS.iterdir()}
    for command, file, page in NAMED.findall(section):
        if page or file in stored or any(name.startswith(command) for name in stored if command):
            return True
    return False


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT / "docs")))
def test_measured_figures_have_a_stored_run(page: Path) -> None:
    for section in sections(page.read_text(encoding="utf-8")):
        text = section
        for words in SETTINGS:
            text = text.replace(words, "")
        found = [match[0] for match in MEASURED.finditer(text)]
        assert not found or is_stored(section), f"{section.splitlines()[0]}: {found}"


def test_the_rule_notices() -> None:
    assert MEASURED.search("it took .2 s of the processor")
    assert MEASURED.search("| 12 MB |")
    assert not MEASURED.search("2^64 s, x3 ms")
    assert not is_stored("`python -m benchmarks.nothing` shows it")
    assert is_stored("`benchmarks/results/frontier.json`")
