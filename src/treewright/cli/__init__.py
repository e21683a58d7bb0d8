"""The command line: one file a verb."""

from treewright.cli._app import app, main

__all__ = ["app", "main"]
