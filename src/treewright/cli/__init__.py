"""The command line: `treewright fit`, `predict`, `show`, `report`, `verify`, `reborn`, `demo`."""

from treewright.cli._app import app, main

__all__ = ["app", "main"]
