"""The command line: `treewright fit`, `predict`, `show`, `verify`, `reborn`, `extend`, `demo`."""

from treewright.cli._app import app, main

__all__ = ["app", "main"]
