"""The directive ``benchmark-tables``: every stored result, or the one that is named, with the command that makes it."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.published import RESULTS, about, command_of, results, summary, table
from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

LONG = 20  # rows; a longer table scrolls inside the page


class BenchmarkTables(SphinxDirective):
    """A section for each file of results, written in Markdown (so the page must be Markdown too).

    With the name of a file as its argument: that table alone, without a section of its own; with the option "summary"
    what its rows come to.
    """

    optional_arguments = 1
    option_spec = {"summary": directives.flag}  # noqa: RUF012 - docutils asks for a dictionary

    def run(self) -> list[nodes.Node]:
        """Return the sections."""
        if self.arguments:
            return self._one(RESULTS / f"{self.arguments[0]}.json")
        found: list[nodes.Node] = []
        for path in results():
            self._watch(path)
            content = json.loads(path.read_text(encoding="utf-8"))
            rows = table(content)
            section = self._section(path.stem, command_of(path.stem))
            self._parse(f"{about(content)} [Raw results](/../benchmarks/results/{path.name}).", section)
            kind = "long-table" if rows.count("\n") > LONG else "short-table"
            self._parse(f"````{{container}} {kind}\n{rows}\n````", section)
            found.append(section)
        for path in sorted(RESULTS.glob("*.txt")):
            self._watch(path)
            section = self._section(path.stem, command_of(path.stem))
            text = path.read_text(encoding="utf-8")
            section += nodes.literal_block("", text, language="text", classes=["long-table"])
            found.append(section)
        return found

    def _one(self, path: Path) -> list[nodes.Node]:
        self._watch(path)
        content = json.loads(path.read_text(encoding="utf-8"))
        found = nodes.container()
        rows = summary(content) if "summary" in self.options else table(content)
        self._parse(f"{rows}\n\n{about(content)} Command: `{command_of(path.stem)}`.", found)
        return found.children

    def _watch(self, path: Path) -> None:
        self.env.note_dependency(str(path))

    def _section(self, name: str, command: str) -> nodes.section:
        section = nodes.section(ids=[nodes.make_id(f"results-{name}")])
        section += nodes.title("", name)
        section += nodes.literal_block("", command, language="text")
        return section

    def _parse(self, markdown: str, parent: nodes.Element) -> None:
        self.state.nested_parse(StringList(markdown.splitlines()), self.content_offset, parent)


def setup(app: Sphinx) -> dict[str, bool]:
    """Sphinx's entry point."""
    app.add_directive("benchmark-tables", BenchmarkTables)
    return {"parallel_read_safe": True}
