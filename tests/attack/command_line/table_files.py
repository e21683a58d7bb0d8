"""The files that a command reads: its table, and the settings that this needs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from attack.command_line.command import Command
from attack.command_line.table import settings_of, write_table
from attack.command_line.words import file_words

__all__ = ["Files", "files_of"]


@dataclass(frozen=True)
class Files:
    """A folder with the table of a command, and how it is read."""

    folder: Path
    data: Path
    how: list[str]
    settings: Path | None = None

    def __truediv__(self, name: str) -> Path:
        return self.folder / name


def files_of(command: Command, folder: Path) -> Files:
    """Write the files of a command to a folder."""
    settings, path = settings_of(command.case), None
    if settings is not None:
        path = folder / "columns.yaml"
        path.write_text(settings)
    return Files(folder, write_table(command, folder), file_words(command.form, path), path)
