"""Stored results on the site: a page for each file, and the directives ``benchmark-list`` and ``benchmark-tables``.

The pages are written into ``docs/results`` before Sphinx looks for its sources.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.published import RESULTS, about, command_of, made_by, results, subject_of, summary, table
from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.config import Config


class BenchmarkList(SphinxDirective):
    """What each benchmark is about, with links to the pages of its results (the page must be Markdown)."""

    def run(self) -> list[nodes.Node]:
        """Return a table with a row for each subject."""
        subjects: dict[str, list[str]] = {}
        for path in stored():
            subjects.setdefault(subject_of(path.stem), []).append(f"[{path.stem}](results/{path.stem}.md)")
        rows = [f"| {subject} | {', '.join(links)} |" for subject, links in subjects.items()]
        found = nodes.container()
        text = ["| benchmark | results |", "|---|---|", *rows]
        self.state.nested_parse(StringList(text), self.content_offset, found)
        return found.children


class BenchmarkTables(SphinxDirective):
    """The table of one file of results, in Markdown; with the option "summary" what its rows come to."""

    required_arguments = 1
    option_spec = {"summary": directives.flag}  # noqa: RUF012 - docutils asks for a dictionary

    def run(self) -> list[nodes.Node]:
        """Return the table, and what was run to make it."""
        path = RESULTS / f"{self.arguments[0]}.json"
        self.env.note_dependency(str(path))
        content = json.loads(path.read_text(encoding="utf-8"))
        rows = summary(content) if "summary" in self.options else table(content)
        found = nodes.container()
        command, unknown = made_by(path.stem, content)
        text = f"{rows}\n\n{about(content)} Command: `{command}`{f' ({unknown})' if unknown else ''}."
        self.state.nested_parse(StringList(text.splitlines()), self.content_offset, found)
        return found.children


def stored() -> list[Path]:
    """Return all files of results, by name."""
    return sorted([*results(), *RESULTS.glob("*.txt")])


def page(path: Path) -> str:
    """Return the page of a file of results."""
    command, unknown = command_of(path.stem), "options not recorded"
    content = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        read = json.loads(content)
        said, rows = about(read), table(read)
        command, unknown = made_by(path.stem, read)
    else:
        said, rows = "", f"````text\n{content}\n````"
    remark = f"({unknown[0].upper()}{unknown[1:]}.)\n\n" if unknown else ""
    raw = f"[Raw results](/../benchmarks/results/{path.name})"
    return f"# {path.stem}\n\n{subject_of(path.stem)}. {said} {raw}.\n\n```text\n{command}\n```\n\n{remark}{rows}\n"


def write_pages(app: Sphinx, _: Config) -> None:
    """Write the pages that changed; remove those of files that are gone."""
    folder = Path(app.srcdir) / "results"
    folder.mkdir(exist_ok=True)
    pages = {f"{path.stem}.md": page(path) for path in stored()}
    for old in folder.iterdir():
        if old.name not in pages:
            old.unlink()
    for name, text in pages.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Sphinx's entry point."""
    app.connect("config-inited", write_pages)
    app.add_directive("benchmark-list", BenchmarkList)
    app.add_directive("benchmark-tables", BenchmarkTables)
    return {"parallel_read_safe": True}
