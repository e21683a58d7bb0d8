"""What must hold for `audit`: its counts are those of the predictions, group by group, counted here again."""

from __future__ import annotations

import bisect
import csv
import io
import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from attack.case import Value
from attack.checks import Mismatch
from attack.command_line.probe_file import Model
from attack.command_line.program import run
from attack.command_line.table import columns_of
from attack.command_line.table_files import Files
from attack.command_line.titles import titled_words

__all__ = ["audit_breaks"]

NEAR = 1e-9
MOST_GROUPS = 40


def audit_breaks(model: Model, files: Files, asked: dict[str, Any]) -> Iterator[Mismatch]:
    """Audit the table of a model, and count the groups again from what `predict` says."""
    command = model.command
    columns = columns_of(command)
    groups = [name for name in asked["groups"] if name in columns]
    if not groups:
        return
    cuts = {name: numbers for name, numbers in asked.get("cuts", {}).items() if name in groups}
    out = files / "audit.json"
    words = titled_words(model, files, "audit", out)
    words += [f"--group={name}" for name in groups]
    words += [f"--cut={name}={','.join(map(repr, numbers))}" for name, numbers in cuts.items()]
    words += [f"--{name.replace('_', '-')}={value}" for name, value in asked.get("more", {}).items()]
    said = run(words)
    if said.crash or said.code not in (0, 2):
        yield Mismatch("audit fails", f"{said.code} {said.last} {said.crash[-600:]}")
        return
    labels = model.labels
    if labels is None or model.kind == "policy" or files.data.is_dir():
        if said.code != 2 or out.exists():
            yield Mismatch("audit counts errors where there are no labels", said.output[-300:])
        return
    notes = (command.asked.get("titles") or {}).get("columns", {})
    codes = {name: notes.get(name, {}).get("codes", {}) for name in groups}
    keys = {name: _keys(columns[name], cuts.get(name), codes[name]) for name in groups}
    refused = any(len(set(own)) > MOST_GROUPS for own in keys.values()) or any(
        any(isinstance(value, str) for value in columns[name]) for name in cuts
    )
    if refused or said.code == 2:
        if not refused or said.code != 2 or out.exists():
            yield Mismatch("audit is refused" if said.code == 2 else "audit has too many groups", said.last)
        return
    predicted = run(["predict", str(model.path), str(files.data), *files.how])
    decided = [row[0] for row in list(csv.reader(io.StringIO(predicted.output)))[1:]]
    truth = list(map(str, columns[command.form.target]))
    positive = asked.get("more", {}).get("positive") or (str(labels[1]) if len(labels) == 2 else None)
    found = json.loads(out.read_text("utf-8"))
    fewest = asked.get("more", {}).get("fewest_rows", 30)
    everyone = _counted(range(len(truth)), decided, truth, positive)
    yield from _alike("all rows", found["all"], everyone, fewest)
    if len(found["groups"]) != len(set(groups)):
        yield Mismatch("audit has other columns of groups", f"{list(found['groups'])} of {groups}")
        return
    for name, parts in zip(dict.fromkeys(groups), found["groups"].values(), strict=True):
        own = keys[name]
        order = sorted(set(own) | set(_stretches(cuts.get(name))))
        rows = [[i for i, key in enumerate(own) if key == one] for one in order]
        if len(parts) != len(rows):
            yield Mismatch("audit has other groups", f"{[part['group'] for part in parts]}, {order}")
            return
        for part, key, here in zip(parts, order, rows, strict=True):
            yield from _alike(f"{name!r}, {key}", part, _counted(here, decided, truth, positive), fewest)
            if key[0] == 1 and part["group"] != key[1]:
                yield Mismatch("audit names another group", f"{part['group']!r}, {key}")
        if sum(part["rows"] for part in parts) != len(truth):
            yield Mismatch("audit loses rows", str([part["rows"] for part in parts]))
    if " nan" in said.output or "None" in said.output:
        yield Mismatch("audit says what is no number", said.output[:600])


def _keys(
    values: Sequence[Value], cuts: Sequence[float] | None, codes: dict[str, str]
) -> list[tuple[int, Any]]:
    """The group of each row: numbers or stretches of them, then words, then what is not known."""
    named = {float(code): word for code, word in codes.items()}
    bounds = sorted(cuts or ())
    keys: list[tuple[int, Any]] = []
    for value in values:
        if value is None:
            keys.append((2, ""))
        elif isinstance(value, str):
            keys.append((1, value) if value else (2, ""))
        elif float(value) in named:
            keys.append((1, named[float(value)]))
        else:
            keys.append((0, bisect.bisect_left(bounds, value) if bounds else float(value)))
    return keys


def _stretches(cuts: Sequence[float] | None) -> list[tuple[int, Any]]:
    return [(0, k) for k in range(len(cuts) + 1)] if cuts else []


def _counted(
    rows: Any, decided: Sequence[str], truth: Sequence[str], positive: str | None
) -> dict[str, tuple[int, int]]:
    here = list(rows)
    counts = {"error": (sum(decided[i] != truth[i] for i in here), len(here))}
    if positive is not None:
        others, own = [i for i in here if truth[i] != positive], [i for i in here if truth[i] == positive]
        counts |= {
            "positive": (sum(decided[i] == positive for i in here), len(here)),
            "false_positive": (sum(decided[i] == positive for i in others), len(others)),
            "false_negative": (sum(decided[i] != positive for i in own), len(own)),
        }
    return counts


def _alike(
    where: str, part: dict[str, Any], counts: dict[str, tuple[int, int]], fewest: int
) -> Iterator[Mismatch]:
    rates = {name: rate for name, rate in part.items() if isinstance(rate, dict)}
    if {name: (rate["count"], rate["rows"]) for name, rate in rates.items()} != counts:
        yield Mismatch("audit counts something else", f"{where}: {rates} instead of {counts}")
        return
    for name, rate in rates.items():
        share = rate["count"] / rate["rows"] if rate["rows"] else None
        inside = share is None or rate["low"] - NEAR <= share <= rate["high"] + NEAR
        if rate["share"] != share or not inside or rate["small"] is not (rate["rows"] < fewest):
            yield Mismatch("audit has another share or interval", f"{where}, {name}: {rate}")
        if any(not np.isfinite(rate[end]) for end in ("low", "high")):
            yield Mismatch("audit has an interval without an end", f"{where}, {name}: {rate}")
