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


METHODS = {  # what is compared, and how the names of its files begin
    "Sparse trees, beside gosdt, STreeD, DL8.5 and ConTree": ("sparse", "continuous", "frontier", "harder"),
    "Guessed thresholds, depths and bounds": ("guessing",),
    "Near-optimal sets, beside TreeFARMS, PRAXIS and arborenum": ("near_optimal",),
    "The worst leaf, and hybrid trees": ("leaf_accuracy", "hybrid"),
    "Regression, survival and policy trees": ("regression", "held_out", "linear", "simple", "made", "streed"),
    "Born-again trees": ("born_again",),
    "Latent trees": ("latent",),
    "Mixed-integer programs beside the search": ("mip",),
    "Large tables, and threads": ("shards", "threads"),
    "Limits, forecasts, builds": ("limits", "forecast", "builds"),
}


def method_of(name: str) -> str:
    """Return the row of the list that a file of results stands in."""
    found = [method for method, beginnings in METHODS.items() if name.startswith(beginnings)]
    if len(found) != 1:
        raise ValueError(f"{name!r} stands in {len(found)} rows of METHODS; give it one.")
    return found[0]


class BenchmarkList(SphinxDirective):
    """What the benchmarks compare, a row for each method, with links to the pages of their results (in Markdown)."""

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        names: dict[str, list[str]] = {method: [] for method in METHODS}
        for path in stored():
            names[method_of(path.stem)].append(path.stem)
        found = nodes.container()
        text = ["| benchmark | results |", "|---|---|"]
        for method, own in names.items():
            text.append(f"| {method} | {', '.join(f'[{name}](results/{name}.md)' for name in own)} |")
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
