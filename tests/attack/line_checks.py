"""What must hold for lines in leaves: tree and proof are those without them, and the file says what is predicted."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from attack.case import Case
from attack.checks import Mismatch, limited

__all__ = ["is_lined", "lined_answers"]

NEAR = 1e-7  # relative, of a sum of squares whose terms may cancel
SAME = ("status", "objective", "lower_bound", "loss", "scope", "stop_reason")


def is_lined(case: Case) -> bool:
    """Whether leaves may hold lines."""
    return case.options.get("leaf_model") == "linear"


def lined_answers(found: Any, *, beside: bool = True) -> Iterator[Mismatch]:
    """Add up what the lines leave of the loss, and compare with the same fit without lines if it is beside."""
    case, result, stated = found.case, found.result, found.stated
    words = result.sentence()
    if beside and not limited(case):
        plain = case.without("leaf_model").run().result_
        for name in SAME:
            if getattr(plain, name) != getattr(result, name):
                yield Mismatch(f"lines change the {name}", f"{words} Without: {plain.sentence()}")
        if plain.tree.splits != result.tree.splits or plain.tree.value.tolist() != result.tree.value.tolist():
            yield Mismatch("lines change the tree", f"{words} Without: {plain.sentence()}")
    nodes = found.walker.content["nodes"]
    lines = sum(node["line"] is not None for node in nodes)
    if result.stats["lines"] != lines:
        yield Mismatch("another number of lines", f"{result.stats['lines']}, the file has {lines}")
    for leaf, rows in found.groups.items():
        if nodes[leaf]["line"] is not None and len(rows) < 3:
            yield Mismatch("a line of two rows", f"leaf {leaf}: {rows}")
    if not stated.whole:
        return
    lost = Fraction(0)
    for leaf, rows in found.groups.items():
        for i in rows:
            said = found.walker.number(leaf, case.rows[stated.kept[i]])
            if not math.isfinite(said):
                yield Mismatch("a prediction of a training row is not finite", f"row {i}: {said!r}")
                return
            lost += stated.weights[i] * (Fraction(float(case.y[stated.kept[i]])) - Fraction(said)) ** 2
    left = float(lost / stated.whole)
    if left > float(found.loss) * (1 + NEAR) + NEAR**2:
        yield Mismatch("lines lose more than constants", f"{left!r} against {float(found.loss)!r}; {words}")
    if abs(left - result.stats["loss_with_lines"]) > NEAR * max(left, NEAR):
        yield Mismatch("another loss with lines", f"{result.stats['loss_with_lines']!r}, not {left!r}")
