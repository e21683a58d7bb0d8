"""The parts of the site's pages that the theme leaves without a level, a name or a place in the order of keys."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def extension() -> ModuleType:
    sys.path.insert(0, str(ROOT / "docs" / "_ext"))
    try:
        return importlib.import_module("accessible")
    finally:
        sys.path.remove(str(ROOT / "docs" / "_ext"))


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ('<p class="caption" role="heading"><span>Use</span></p>', 'role="heading" aria-level="2">'),
        ('<aside class="sidebar-drawer">', 'aria-label="All pages"'),
        ('<aside class="toc-drawer no-toc">', 'aria-label="This page"'),
        (
            '<p><a class="reference internal" href="x.html"><span class="doc">Ten</span></a></p>',
            'aria-label="Ten"><',
        ),
        ("<div><pre><span></span>x</pre></div>", '<pre tabindex="0">'),
        ('<div class="table-wrapper docutils container">', 'container" tabindex="0">'),
        ('<code><span class="pre">--day-first</span></code>', '<span class="pre option">--day-first<'),
    ],
)
def test_what_is_added_once(extension: ModuleType, written: str, said: str) -> None:
    page = extension.accessible(f"<body>{written}</body>")
    assert said in page
    assert extension.accessible(page) == page


def test_the_site_uses_it() -> None:
    assert '"accessible"' in (ROOT / "docs" / "conf.py").read_text(encoding="utf-8")


def test_the_page_for_searching_has_a_heading_and_is_looked_at() -> None:
    assert "<h1>Search</h1>" in (ROOT / "docs/_templates/search.html").read_text(encoding="utf-8")
    assert '"search"' in (ROOT / "tools/check_site.py").read_text(encoding="utf-8")


def test_the_link_for_keyboards_is_not_printed_over_the_text() -> None:
    style = (ROOT / "docs/_static/site.css").read_text(encoding="utf-8")
    on_paper = style[style.index("@media print") :]
    assert ".skip-to-content, .toc-drawer { display: none; }" in on_paper
