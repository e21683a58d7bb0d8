"""The commands of the program are made once for all tests of a process, as in the program itself.

`typer.testing.CliRunner` makes all of them anew for each call, with their options and help: .03 to .07 s of the
processor, where most calls take a few thousandths.
"""

from __future__ import annotations

from functools import cache

import typer.testing

__all__ = ["make_commands_once"]


def make_commands_once() -> None:
    """Let every `CliRunner` keep the commands that it made of an app; no effect where typer is arranged otherwise."""
    make = getattr(typer.testing, "_get_command", None)
    if make is not None and not hasattr(make, "cache_info"):
        typer.testing._get_command = cache(make)
