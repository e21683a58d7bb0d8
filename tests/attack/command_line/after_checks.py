"""What else is asked of a model file that a verb wrote: `export`, `extend`, `show`, `report` and `audit`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from attack.checks import Mismatch
from attack.command_line.audit_checks import audit_breaks
from attack.command_line.command import Command
from attack.command_line.export_checks import export_breaks
from attack.command_line.extend_checks import extend_breaks
from attack.command_line.probe_file import Model
from attack.command_line.report_checks import report_breaks
from attack.command_line.show_checks import show_breaks
from attack.command_line.table_files import Files

__all__ = ["after_breaks"]

CHECKS = {
    "extend": extend_breaks,
    "export": export_breaks,
    "show": show_breaks,
    "report": report_breaks,
    "audit": audit_breaks,
}


def after_breaks(command: Command, files: Files, out: Path) -> Iterator[Mismatch]:
    """Ask the drawn verbs about a model file."""
    model = Model(command, out)
    for verb, check in CHECKS.items():
        if verb in command.asked:
            yield from check(model, files, command.asked[verb])
