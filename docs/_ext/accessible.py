"""What the theme leaves out for people who use a screen reader or a keyboard: `tools/check_site.py` looks for more.

Captions of the navigation get the level that a heading needs, both side columns a name of their own, and whatever
scrolls sideways can be reached with the keyboard. Options of commands get a class, so that no line ends in them.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

__all__ = ["accessible", "setup"]

CHANGES = (
    (re.compile(r'(<p class="caption" role="heading")>'), r'\1 aria-level="2">'),
    (re.compile(r'(<aside class="sidebar-drawer")>'), r'\1 aria-label="All pages">'),
    (re.compile(r'(<aside class="toc-drawer[^"]*")>'), r'\1 aria-label="This page">'),
    (re.compile(r"<pre>"), '<pre tabindex="0">'),
    (  # the text of a thumbnail's link is not shown, so it has no name
        re.compile(r'(<p><a class="reference internal" href="[^"]*")(><span class="doc">)([^<>"]+)(</span>)'),
        r'\1 aria-label="\3"\2\3\4',
    ),
    (re.compile(r'(<div class="[^"]*\btable-wrapper\b[^"]*")>'), r'\1 tabindex="0">'),
    (re.compile(r'(<span class="pre)(">--?[a-z][a-z0-9-]{0,24}</span>)'), r"\1 option\2"),
)


def accessible(page: str) -> str:
    """Return the text of a page with what the theme leaves out; a page that has it stays as it is."""
    for pattern, replacement in CHANGES:
        page = pattern.sub(replacement, page)
    return page


def _change_pages(app: Any, fault: Exception | None) -> None:
    if fault is not None or app.builder.format != "html":
        return
    for file in Path(app.outdir).rglob("*.html"):
        before = file.read_text(encoding="utf-8")
        after = accessible(before)
        if after != before:
            file.write_text(after, encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    """Change pages after they were written."""
    app.connect("build-finished", _change_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
