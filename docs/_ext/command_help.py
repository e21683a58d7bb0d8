"""The directive ``command-help``: what ``treewright COMMAND --help`` prints, for every command."""

from __future__ import annotations

from typing import Any

import typer.main
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from treewright.cli import app as program


class CommandHelp(SphinxDirective):
    """A section for each command."""

    def run(self) -> list[nodes.Node]:
        """Return the sections."""
        group = typer.main.get_command(program)
        return [self._section(name, verb) for name, verb in group.commands.items()]  # type: ignore[attr-defined]

    def _section(self, name: str, verb: Any) -> nodes.section:
        context = verb.context_class(
            verb, info_name=f"treewright {name}", max_content_width=88, terminal_width=88
        )
        section = nodes.section(ids=[nodes.make_id(f"treewright-{name}")])
        section += nodes.title("", "", nodes.literal("", f"treewright {name}"))
        section += nodes.literal_block("", verb.get_help(context), language="text")
        return section


def setup(app: Sphinx) -> dict[str, bool]:
    """Sphinx's entry point."""
    app.add_directive("command-help", CommandHelp)
    return {"parallel_read_safe": True}
