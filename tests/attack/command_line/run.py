"""``make attack-command-line SECONDS=600``: fresh seeds on all cores; each mismatch is printed as a script."""

from __future__ import annotations

from attack.command_line.checks import attacked
from attack.command_line.draw import drawn
from attack.command_line.script import shown
from attack.run import Attack, main_of

__all__ = ["main"]

COMMAND_LINE = Attack(drawn, attacked, shown)


def main() -> int:
    return main_of(COMMAND_LINE, __doc__)
