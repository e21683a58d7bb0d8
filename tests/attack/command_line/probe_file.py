"""Rows that try a model file: those of the table, mixtures of its values, gaps, and words that no row has."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any
from zlib import crc32

from attack.case import Value
from attack.command_line.command import Command, Form
from attack.command_line.table import csv_of
from attack.probes import probe_rows
from attack.walker import Walker

__all__ = ["Model", "as_word"]

UNSEEN = "a word that no row has"
N_PROBES = 8


@dataclass(frozen=True)
class Model:
    """A model file beside the question that it answers; what it says is read with nothing of the library."""

    command: Command
    path: Path

    @cached_property
    def walker(self) -> Walker:
        return Walker(self.path.read_text("utf-8"))

    @cached_property
    def columns(self) -> list[dict[str, Any]]:
        columns: list[dict[str, Any]] = self.walker.content["columns"]
        return columns

    @cached_property
    def labels(self) -> list[Any] | None:
        classes = self.walker.content.get("classes")
        return None if classes is None else classes["labels"]

    @property
    def kind(self) -> str:
        """What the leaves hold: "classification", "regression", "policy" or "survival"."""
        plain = "regression" if self.labels is None else "classification"
        return str(self.walker.content.get("kind", plain))

    @property
    def target_words(self) -> list[str]:
        """The option that names the column of labels: where the file does not, and for some other files."""
        terms = (self.walker.content["certificate"] or {}).get("terms")
        is_told = self.kind == "classification" and crc32(repr(self.command.words()).encode()) % 3 == 0
        return [f"--target={self.command.form.target}"] if terms is None or is_told else []

    @cached_property
    def known_rows(self) -> list[tuple[Value, ...]]:
        """Rows of values that the table has, or of numbers about the thresholds."""
        return probe_rows(self.command.case, self.walker, N_PROBES)

    @cached_property
    def rows(self) -> list[tuple[Value, ...]]:
        """These, and some with a word that no row has."""
        rng = random.Random(len(self.walker.text))
        words = [j for j, column in enumerate(self.columns) if column["kind"] == "categorical"]
        made = []
        for row in rng.sample(self.known_rows, min(3, len(self.known_rows))) if words else []:
            j = rng.choice(words)
            made.append((*row[:j], UNSEEN, *row[j + 1 :]))
        return [*self.known_rows, *made]

    def answer(self, row: Sequence[Value]) -> Any:
        """The label of a row, its number, or the list of its numbers."""
        leaf = self.walker.leaf_of(row)
        if self.labels is not None:
            return self.walker.label(leaf)
        node = self.walker.content["nodes"][leaf]
        return self.walker.number(leaf, row) if len(node["value"]) == 1 else [float(v) for v in node["value"]]

    def named(self, row: Sequence[Value]) -> dict[str, Value]:
        """A row by the names of its columns, categories as words."""
        return {
            column["name"]: as_word(value) if column["kind"] == "categorical" else value
            for column, value in zip(self.columns, row, strict=True)
        }

    def write(self, rows: Sequence[tuple[Value, ...]], path: Path) -> Path:
        """Write rows as a file that is read like the table."""
        columns: Mapping[str, Sequence[Value]] = dict(
            zip(self.command.case.columns, map(list, zip(*rows, strict=True)), strict=True)
        )
        form = replace(self.command.form, kind="csv")
        if self.command.form.kind in ("parquet", "parquet folder"):  # which no option says how to read
            form = Form()
        path.write_bytes(csv_of(self.command.but(form=form), columns).encode())
        return path


def as_word(value: Value) -> str | None:
    """A category as text."""
    if value is None or isinstance(value, str):
        return value
    return str(int(value)) if float(value) % 1 == 0 else repr(value)
