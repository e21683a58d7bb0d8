"""Groups of columns of which exactly one, or at most one, is 1: which a table has, which cells keep to them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from attack.case import Case, Value

__all__ = ["grouped_columns", "groups_that_hold", "keep_to_groups", "least_of_cells", "with_group"]

KINDS = ("one_hot", "at_most_one")


def with_group(rng: np.random.Generator, columns: Mapping[str, list[Value]]) -> dict[str, list[Value]]:
    """Return a table whose first columns, two at least, are made from one column of categories."""
    names, n_rows = list(columns), len(next(iter(columns.values())))
    n = int(rng.integers(2, len(names) + 1))
    code = rng.integers(0, n + int(rng.random() < 0.4), n_rows)  # a category that has no column
    return dict(columns) | {name: (code == k).astype(int).tolist() for k, name in enumerate(names[:n])}


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
    stated = domain if isinstance(domain, dict) else {}
    groups = [group for kind in KINDS for group in stated.get(kind, ())]
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
            for kind in KINDS
            for group in domain.get(kind, ())
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
