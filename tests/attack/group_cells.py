"""Groups of columns of which exactly one, or at most one, is 1: which a table can have, which cells keep to them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from attack.case import Case, Value

__all__ = ["grouped_columns", "groups_that_hold", "keep_to_groups", "least_of_cells"]


def groups_that_hold(columns: Mapping[str, Sequence[Value]]) -> dict[str, list[list[str]]]:
    """Return one group of columns of zeros and ones that all rows of a table keep to, or nothing."""
    bits = [name for name, values in columns.items() if set(values) <= {0, 1}]
    group: list[str] = []
    for name in bits:
        sums = [sum(columns[j][i] for j in [*group, name]) for i in range(len(columns[name]))]  # type: ignore[misc]
        if max(sums, default=0) <= 1:
            group.append(name)
    if len(group) < 2:
        return {}
    ones = [sum(columns[name][i] for name in group) for i in range(len(columns[group[0]]))]  # type: ignore[misc]
    return {"one_hot" if min(ones) == 1 else "at_most_one": [group]}


def grouped_columns(case: Case) -> set[str]:
    """The columns in groups of the case's domain."""
    domain = case.options.get("domain")
    groups = [] if not isinstance(domain, dict) else [group for named in domain.values() for group in named]
    return {name for group in groups for name in group}


def keep_to_groups(case: Case, cells: Sequence[Sequence[Value]]) -> list[tuple[Value, ...]]:
    """Return the cells in which each group has as many ones as it may have."""
    domain, place = case.options.get("domain"), {name: j for j, name in enumerate(case.columns)}
    if not isinstance(domain, dict):
        return [tuple(cell) for cell in cells]
    return [
        tuple(cell)
        for cell in cells
        if all(
            sum(cell[place[name]] for name in group) in ((1,) if kind == "one_hot" else (0, 1))  # type: ignore[misc]
            for kind, groups in domain.items()
            for group in groups
        )
    ]


def least_of_cells(cells: Sequence[Sequence[Any]], labels: Sequence[Any]) -> tuple[int, int]:
    """Least depth, and least leaves, of a tree with these labels of cells, by recursion over sets of cells."""
    cuts = set()
    for column in zip(*cells, strict=True):
        for t in sorted(set(column))[:-1]:
            cuts.add(sum(1 << i for i, v in enumerate(column) if v <= t))

    @cache
    def least(here: int) -> tuple[int, int]:
        if len({labels[i] for i in range(len(cells)) if here >> i & 1}) == 1:
            return 0, 1
        depth, leaves = math.inf, math.inf
        for cut in cuts:
            if here & cut and here & ~cut:
                a, b = least(here & cut), least(here & ~cut)
                depth, leaves = min(depth, 1 + max(a[0], b[0])), min(leaves, a[1] + b[1])
        return int(depth), int(leaves)

    return least((1 << len(cells)) - 1)
