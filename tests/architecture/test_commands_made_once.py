"""The commands of the program are made once for all tests of a process."""

from __future__ import annotations

import typer.testing

from treewright.cli import app


def test_a_second_call_uses_the_commands_of_the_first() -> None:
    """Without this, each call in a test makes all of them anew: typer may have been arranged otherwise."""
    make = typer.testing._get_command
    assert make(app) is make(app)
