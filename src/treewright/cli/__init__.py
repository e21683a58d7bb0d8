"""The command line, with one file per command. The program starts in `main`, which loads the commands."""

from typing import TYPE_CHECKING, Any

from treewright.cli._start import main

if TYPE_CHECKING:
    from treewright.cli._app import app

__all__ = ["app", "main"]


def __getattr__(name: str) -> Any:
    if name != "app":
        raise AttributeError(f"module 'treewright.cli' has no attribute {name!r}")
    from treewright.cli._app import app

    return app
