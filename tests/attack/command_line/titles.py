"""Settings with names that people read, beside the table of a command: titles, units, codes, names of labels."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from attack.case import Case
from attack.command_line.command import Command
from attack.command_line.probe_file import Model
from attack.command_line.table_files import Files

__all__ = ["random_titles", "title_words", "titled_words", "write_titles"]

NAMES = ("Age", "in days", "c", "=cmd", "<b>", 'a "b"', "x_1", "100", "Größe")
UNITS = ("kg", "%", "per half year", "<i>")


def random_titles(rng: np.random.Generator, case: Case) -> dict[str, Any]:
    """Draw what columns, their numbers and labels are called."""
    columns: dict[str, Any] = {}
    for name in case.columns:
        entry: dict[str, Any] = {}
        if rng.random() < 0.6:
            entry["name"] = str(rng.choice(NAMES))
        if rng.random() < 0.3:
            entry["unit"] = str(rng.choice(UNITS))
        if rng.random() < 0.3:
            entry["description"] = str(rng.choice(["what it is", "<script>alert(1)</script>", "50 % & more"]))
        if rng.random() < 0.3:
            entry["change"] = str(rng.choice(["any", "never", "only-up", "only-down"]))
        if rng.random() < 0.3 and not case.is_text(name):
            entry["codes"] = {str(int(rng.integers(-1, 4))): str(rng.choice(["none", "no record", "b"]))}
        if entry:
            columns[name] = entry
    titles: dict[str, Any] = {"columns": columns} if columns else {}
    labels = {str(label) for label in case.y if isinstance(label, (str, int))}
    if rng.random() < 0.5 and labels:
        titles["label-names"] = {label: f"{label} (named)" for label in sorted(labels) if rng.random() < 0.7}
    return titles


def write_titles(command: Command, files: Files) -> Path | None:
    """Write the settings of a command with its titles; None if it has none."""
    titles = command.asked.get("titles")
    if not titles:
        return None
    order = {} if files.settings is None else json.loads(files.settings.read_text())["columns"]
    columns = titles.get("columns", {})
    merged = {name: {**order.get(name, {}), **columns.get(name, {})} for name in {**order, **columns}}
    path = files / "titles.yaml"
    path.write_text(json.dumps({**titles, "columns": merged}, ensure_ascii=False), "utf-8")
    return path


def titled_words(model: Model, files: Files, verb: str, out: Path) -> list[str]:
    """A command on a model file and its table, with the settings that hold the titles where there are some."""
    titles = write_titles(model.command, files)
    how = [word for word in files.how if titles is None or not word.startswith("--columns=")]
    return [
        verb,
        str(model.path),
        str(files.data),
        *how,
        *title_words(titles),
        f"--out={out}",
        *model.target_words,
    ]


def title_words(path: Path | None) -> list[str]:
    """The option that names the settings."""
    return [] if path is None else [f"--columns={path}"]
