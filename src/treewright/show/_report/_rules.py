"""The rule of a leaf in words: what the splits on the way to it say about each column, taken together.

A path may ask about one column several times: ``age > 20`` and later ``age <= 42`` is said as ``20 < age <= 42``, and
sets of categories are intersected. A missing value passes if every split on the column sends it along. Linear splits
are said one by one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from treewright.show._words import printable, typeset
from treewright.tree import (
    CategorySplit,
    Column,
    ColumnKind,
    LinearSplit,
    Split,
    ThresholdSplit,
    Tree,
    leaf_path,
    relation,
    subject,
)

__all__ = ["Condition", "leaf_rule"]

NUMBERS = Column("", ColumnKind.CONTINUOUS)


@dataclass(frozen=True, slots=True)
class Condition:
    """What a leaf asks of one column (or of one sum): ``before`` + ``subject`` + ``after``."""

    before: str
    subject: str
    after: str


@dataclass(slots=True)
class _Allowed:
    """Values of one column that pass all splits so far."""

    low: float = -math.inf  # excluded
    high: float = math.inf  # included
    codes: frozenset[int] | None = None
    missing: bool = True
    splits: list[tuple[Split, bool]] = field(default_factory=list)


def leaf_rule(tree: Tree, leaf: int, digits: int | None) -> tuple[Condition, ...]:
    """Return the conditions of a leaf in the order in which its path meets their columns; () for a root leaf."""
    columns: dict[int | LinearSplit, _Allowed] = {}
    for split, goes_left in leaf_path(tree, leaf):
        allowed = columns.setdefault(split if isinstance(split, LinearSplit) else split.column, _Allowed())
        allowed.splits.append((split, goes_left))
        allowed.missing &= split.missing_left == goes_left
        if isinstance(split, CategorySplit):
            every = frozenset(range(len(tree.columns[split.column].categories)))
            here = frozenset(split.left) if goes_left else every - frozenset(split.left)
            allowed.codes = here if allowed.codes is None else allowed.codes & here
        elif isinstance(split, ThresholdSplit):
            if goes_left:
                allowed.high = min(allowed.high, split.threshold)
            else:
                allowed.low = max(allowed.low, split.threshold)
    return tuple(_condition(tree, key, allowed, digits) for key, allowed in columns.items())


def _condition(tree: Tree, key: int | LinearSplit, allowed: _Allowed, digits: int | None) -> Condition:
    first, goes_left = allowed.splits[0]
    name = printable(subject(first, tree.columns, digits))
    if isinstance(key, LinearSplit) or len(allowed.splits) == 1:
        return Condition("", name, typeset(printable(relation(first, tree.columns, goes_left, digits))))
    column = tree.columns[key]
    if allowed.low >= allowed.high:
        return Condition("", name, "is missing" if allowed.missing else "cannot occur")
    if allowed.codes is not None:
        codes = tuple(sorted(code for code in allowed.codes if allowed.low < code <= allowed.high))
        if not codes and not allowed.missing:
            return Condition("", name, "cannot occur")
        merged = CategorySplit(key, codes, allowed.missing)
        return Condition("", name, typeset(printable(relation(merged, tree.columns, True, digits))))
    if math.isfinite(allowed.low) and math.isfinite(allowed.high):
        missing = " or missing" if allowed.missing and column.has_missing else ""
        return Condition(
            f"{_number(allowed.low, digits)} < ", name, f"≤ {_number(allowed.high, digits)}{missing}"
        )
    left = math.isfinite(allowed.high) or math.isinf(allowed.low)
    one_sided = ThresholdSplit(key, allowed.high if left else allowed.low, allowed.missing == left)
    return Condition("", name, typeset(printable(relation(one_sided, tree.columns, left, digits))))


def _number(x: float, digits: int | None) -> str:
    """A threshold as it is written in conditions."""
    return relation(ThresholdSplit(0, x), (NUMBERS,), True, digits).removeprefix("<= ")
