"""Reads a model file and decides rows by it, with nothing of the library: json, and the page on the format."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from attack.case import Value

__all__ = ["Walker"]


@dataclass(frozen=True)
class Walker:
    """The tree of a model file."""

    text: str

    @cached_property
    def content(self) -> dict[str, Any]:
        return json.loads(self.text)

    def leaf_of(self, row: Sequence[Value]) -> int:
        """The number of the leaf that a row falls into; None is a missing value."""
        nodes, columns = self.content["nodes"], self.content["columns"]
        node = 0
        while nodes[node]["split"] is not None:
            left = _goes_left(nodes[node]["split"], columns, row)
            node = nodes[node]["left" if left else "right"]
        return node

    def label(self, leaf: int) -> Any:
        return self.content["classes"]["labels"][self.content["nodes"][leaf]["prediction"]]

    def number(self, leaf: int, row: Sequence[Value]) -> float:
        """What a leaf of numbers says of a row: its value, and the terms of its line in their order."""
        node = self.content["nodes"][leaf]
        said, line = float(node["value"][0]), node.get("line")
        for k, column in enumerate(line["columns"] if line else ()):
            value = row[column]
            if value is not None and not (isinstance(value, float) and math.isnan(value)):
                said += line["slopes"][0][k] * (float(value) - line["centers"][k])
        return min(max(said, line["low"][0]), line["high"][0]) if line else said

    def predict(self, rows: Sequence[Sequence[Value]]) -> list[Any]:
        return [self.label(self.leaf_of(row)) for row in rows]

    def leaves(self, rows: Sequence[Sequence[Value]]) -> dict[int, list[int]]:
        """Which of the rows fall into each leaf, leaves without rows included."""
        found: dict[int, list[int]] = {
            k: [] for k, node in enumerate(self.content["nodes"]) if node["split"] is None
        }
        for i, row in enumerate(rows):
            found[self.leaf_of(row)].append(i)
        return found

    def sides(self, node: int, rows: Sequence[Sequence[Value]]) -> list[bool]:
        """Whether each row goes left at an inner node."""
        return [
            _goes_left(self.content["nodes"][node]["split"], self.content["columns"], row) for row in rows
        ]

    def thresholds(self, column: int) -> list[float]:
        """The finite thresholds that the tree asks of a column."""
        splits = [node["split"] for node in self.content["nodes"]]
        numbers = [
            float(s["threshold"]) for s in splits if s and s["kind"] == "threshold" and s["column"] == column
        ]
        return [t for t in numbers if math.isfinite(t)]

    def depth(self) -> int:
        nodes = self.content["nodes"]

        def below(node: int) -> int:
            if nodes[node]["split"] is None:
                return 0
            return 1 + max(below(nodes[node]["left"]), below(nodes[node]["right"]))

        return below(0)


def _goes_left(split: dict[str, Any], columns: list[dict[str, Any]], row: Sequence[Value]) -> bool:
    if split["kind"] == "linear":  # of latent trees, over numbers
        known = [row[j] for j in split["columns"]]
        if any(value is None or value != value for value in known):
            return bool(split["missing_left"])
        score = 0.0
        for weight, value in zip(split["weights"], known, strict=True):
            score += weight * float(value)  # type: ignore[arg-type]
        return score <= float(split["threshold"])
    column = columns[split["column"]]
    value = row[split["column"]]
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return bool(split["missing_left"])
    if split["kind"] == "threshold" and split["threshold"] == "inf":
        return True  # it is known
    if split["kind"] == "threshold":
        return float(value) <= float(split["threshold"])
    return _word(value) in [column["categories"][code] for code in split["left"]]


def _word(value: Value) -> str:
    """A category as text: whole numbers without a point."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    number = float(value)  # type: ignore[arg-type]
    return str(int(number)) if number == int(number) else repr(number)
