"""The directive ``sentence``: ``{sentence} name`` shows one of the `certificate_cases`."""

from __future__ import annotations

from certificate_cases import CASES
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


class Sentence(SphinxDirective):
    """A sentence as a block quote."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the quote."""
        name = self.arguments[0]
        if name not in CASES:
            raise self.error(f"No sentence {name!r}; there are {', '.join(sorted(CASES))}.")
        return [nodes.block_quote("", nodes.paragraph("", CASES[name]()), classes=["sentence"])]


def setup(app: Sphinx) -> dict[str, bool]:
    """Sphinx's entry point."""
    app.add_directive("sentence", Sentence)
    return {"parallel_read_safe": True}
