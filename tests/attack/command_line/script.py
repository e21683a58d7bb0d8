"""A mismatch made small, as a script with its file, its command, and the same question in Python."""

from __future__ import annotations

from attack.command_line.checks import attacked
from attack.command_line.command import Command, smaller_commands
from attack.shrink import shown_small

__all__ = ["shown"]


def shown(command: Command, law: str, seconds: float = 60.0) -> str:
    """A mismatch as a script, made small first."""
    return shown_small(command, law, seconds, lambda command: attacked(command).mismatches, smaller_commands)
