"""Links from one file of this project to another lead somewhere, headings included."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^(```|~~~).*?^\1", flags=re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!`)\[[^\]\n]*\]\(([^)\s]+)\)")
BUILT = ("gallery/", "api/")  # written when the site is built; Sphinx checks these


def pages() -> list[Path]:
    try:
        listed = subprocess.run(
            ["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout.split()
    except (OSError, subprocess.CalledProcessError):  # a source archive
        listed = []
    found = [ROOT / name for name in listed] or [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    return sorted(page for page in found if page.exists())


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub and MyST make them."""
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", page.read_text(encoding="utf-8")), flags=re.MULTILINE)
    words = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings)
    return {word.strip().replace(" ", "-") for word in words}


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_links_resolve(page: Path) -> None:
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    broken = []
    for link in LINK.findall(text):
        path, _, anchor = link.partition("#")
        if "://" in link or link.startswith("mailto:") or path.startswith(BUILT):
            continue
        target = page if not path else (page.parent / path).resolve()
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors(target)):
            broken.append(link)
    assert not broken


NAMED = re.compile(r"`([\w./-]+\.(?:py|hpp|cpp|def|css|js))(?:: ([\w, ]+))?`")


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_named_files_are_there(page: Path) -> None:
    """A file of the sources that a page names, such as `search/a.cpp: run`, exists and holds what is named in it."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    folders = ("src", "cpp", "tests", "benchmarks", "docs", "examples", "tools")
    files = [path.as_posix() for folder in folders for path in (ROOT / folder).rglob("*.*")]
    missing = []
    for name, inside in set(NAMED.findall(text)):
        found = [path for path in files if path.endswith("/" + name)]
        words = [word.strip() for word in inside.split(",") if word.strip()]
        held = any(all(word in Path(path).read_text(encoding="utf-8") for word in words) for path in found)
        if not held:
            missing.append(f"{name}: {inside}" if inside else name)
    assert not missing
