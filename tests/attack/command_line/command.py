"""A question with the file that holds its table, and what only the command line can be asked about the answer."""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from attack.case import Case
from attack.shrink import smaller_cases

__all__ = ["UNKNOWN", "Command", "Form", "Unit", "smaller_commands"]

UNKNOWN = "unknown"  # a missing value in words that the program must be told


@dataclass(frozen=True)
class Unit:
    """What stands before and behind the numbers of a column, all or every other one; thousands may be set apart."""

    before: str = ""
    behind: str = ""
    grouped: bool = False
    sparse: bool = False


@dataclass(frozen=True)
class Form:
    """How a table lies in files; what the program cannot find out is told it by options."""

    kind: str = "csv"  # "gz", "parquet", "folder" of CSV files, "parquet folder"
    separator: str = ","
    decimal_comma: bool = False
    gap: str = ""  # the text of a missing value
    parts: tuple[int, ...] = ()  # rows before which another file of a folder begins
    target: str = "y"
    weight: str = "w"
    others: tuple[str, ...] = ()  # columns of outputs, rewards, costs, or of events
    ignored: str | None = None  # a column more, which is to be left out
    units: Mapping[str, Unit] = field(default_factory=dict)  # what the numbers of a column carry


@dataclass(frozen=True)
class Command:
    """A question as Python asks it, the form of its file, and the options that Python has no name for."""

    case: Case
    form: Form
    asked: Mapping[str, Any] = field(default_factory=dict)

    @property
    def method(self) -> str:
        return self.case.method

    def but(self, **changes: Any) -> Command:
        return replace(self, **changes)

    def words(self) -> list[str]:
        """The verb and its options but for the files."""
        from attack.command_line.words import (
            fit_words,
            frontier_words,
            latent_words,
            near_words,
            reborn_words,
        )

        verb, words = {
            "latent": ("fit", latent_words),
            "near": ("near-optimal", near_words),
            "near values": ("reborn", reborn_words),
            "reborn": ("reborn", reborn_words),
            "reborn rows": ("reborn", reborn_words),
            "frontier": ("frontier", frontier_words),
            "regression front": ("frontier", frontier_words),
        }.get(self.method, ("fit", fit_words))
        return [verb, *words(self)]

    def script(self, says: str) -> str:
        """The command, its file, and the same question in Python."""
        from attack.command_line.table import settings_of, write_table
        from attack.command_line.words import file_words

        settings = settings_of(self.case)
        lines = [f"# {says}", f"# {self.form}, asked besides: {dict(self.asked)}"]
        with tempfile.TemporaryDirectory() as folder:
            path = write_table(self.but(form=replace(self.form, kind="csv")), Path(folder))
            lines += [f"# {line}" for line in path.read_text().splitlines()]
        if settings is not None:
            lines.append(f"# columns.yaml: {settings}")
        how = file_words(self.form, None if settings is None else Path("columns.yaml"))
        verb, *words = self.words()
        lines.append(f"# treewright {shlex.join([verb, 'data.csv', *words, *how])}")
        return "\n".join([*lines, self.case.script("In Python:")])


def smaller_commands(command: Command) -> Iterator[Command]:
    """Commands with one thing less, the largest steps first."""
    for case in smaller_cases(command.case):
        parts = tuple(row for row in command.form.parts if row < case.n_rows)
        yield command.but(case=case, form=replace(command.form, parts=parts))
    plain = Form(target=command.form.target, weight=command.form.weight, others=command.form.others)
    for name in ("separator", "decimal_comma", "gap", "ignored", "kind", "parts", "units"):
        if getattr(command.form, name) != getattr(plain, name):
            yield command.but(form=replace(command.form, **{name: getattr(plain, name)}))
    for name in command.asked:
        yield command.but(asked={k: v for k, v in command.asked.items() if k != name})
