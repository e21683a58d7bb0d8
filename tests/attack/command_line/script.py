"""A mismatch made small, as a script with its file, its command, and the same question in Python."""

from __future__ import annotations

from attack.command_line.checks import attacked
from attack.command_line.command import Command, smaller_commands
from attack.shrink import shrink

__all__ = ["shown"]


def shown(command: Command, law: str, seconds: float = 60.0) -> str:
    """A mismatch as a script, made small first."""

    def still(smaller: Command) -> bool:
        try:
            return any(m.law == law for m in attacked(smaller).mismatches)
        except Exception:
            return False  # no command that makes sense

    command = shrink(command, still, seconds, smaller_commands)
    words = next((m.words for m in attacked(command).mismatches if m.law == law), "not seen again")
    return command.script(f"{law}: {' '.join(words.split())}")
