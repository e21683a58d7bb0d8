"""What the compiled core is told of a problem: binary columns, or ranked columns and the numbers of their splits."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from treewright._native import core
from treewright.binarize import SplitMatrix
from treewright.near_optimal._units import Units
from treewright.problem import Problem
from treewright.search import IntegerCosts, RankedRows, cut_numbers
from treewright.table import Table

__all__ = ["NativeProblem", "binary_problem", "fits_ranked", "ranked_problem"]

MOST_TOTAL = 2**30  # of all costs, over ranked columns: the kernel's sums have 32 bits
MOST_CLASSES = 2**16


class NativeProblem(NamedTuple):
    """A problem of the compiled core, and what its graphs are asked with.

    Parameters
    ----------
    native : BinaryProblem or RankedProblem
    numbers : dict
        Of the splits of ranked columns.
    """

    native: core.BinaryProblem | core.RankedProblem
    numbers: dict[str, Any]


def binary_problem(problem: Problem, split_matrix: SplitMatrix, units: Units) -> NativeProblem:
    """Return the problem over binary columns."""
    native = core.BinaryProblem(
        split_matrix.packed,
        problem.y,
        units.integers.weight,
        units.integers.costs,
        leaf_penalty=problem.cost_complexity / units.integers.unit,
        min_count=problem.min_samples_leaf,
        equivalent_points=True,
        packed=True,
        near_optimal=True,
    )
    return NativeProblem(native, {})


def fits_ranked(problem: Problem, integers: IntegerCosts) -> bool:
    """Return whether the integer costs fit the search over ranked columns."""
    span = integers.costs.max(axis=1) - integers.costs.min(axis=1)
    total = int((integers.weight.astype(object) * span[problem.y].astype(object)).sum())
    largest = max(total, int(integers.weight.max()), int(integers.costs.max()))
    return largest < MOST_TOTAL and problem.n_classes < MOST_CLASSES


def ranked_problem(rows: RankedRows, split_matrix: SplitMatrix, table: Table) -> NativeProblem:
    """Return the problem over ranked columns; the numbers of their splits are those in `split_matrix`."""
    numbers = cut_numbers(rows.ranked, split_matrix, table)
    first = np.cumsum([0, *map(len, numbers)], dtype=np.int64)
    flat = np.concatenate([np.zeros(0, dtype=np.int32), *numbers])
    return NativeProblem(rows.native, {"split": flat, "first_split": first})
