"""What the compiled core is told of a problem: binary columns, or ranked columns and the numbers of their splits."""

from __future__ import annotations

import numpy as np

from treewright._native import core
from treewright.binarize import SplitMatrix
from treewright.near_optimal._units import Units
from treewright.problem import Problem
from treewright.search import IntegerCosts, ranked_splits

__all__ = ["binary_problem", "fits_ranked", "ranked_problem"]

MOST_TOTAL = 2**30  # of all costs, over ranked columns: the kernel's sums have 32 bits
MOST_CLASSES = 2**16


def binary_problem(problem: Problem, split_matrix: SplitMatrix, units: Units) -> core.BinaryProblem:
    """Return the problem over binary columns."""
    return core.BinaryProblem(
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


def fits_ranked(problem: Problem, integers: IntegerCosts) -> bool:
    """Return whether the integer costs fit the search over ranked columns."""
    span = integers.costs.max(axis=1) - integers.costs.min(axis=1)
    total = int((integers.weight.astype(object) * span[problem.y].astype(object)).sum())
    largest = max(total, int(integers.weight.max()), int(integers.costs.max()))
    return largest < MOST_TOTAL and problem.n_classes < MOST_CLASSES


def ranked_problem(
    problem: Problem, split_matrix: SplitMatrix, units: Units
) -> core.NearOptimalRankedProblem:
    """Return the problem over ranked columns; the numbers of their splits are those in `split_matrix`."""
    ranked = ranked_splits(split_matrix, problem.table)
    numbers = [number for column in ranked for number in column.numbers]
    return core.NearOptimalRankedProblem(
        np.array([column.rank for column in ranked], dtype=np.uint32).reshape(
            len(ranked), split_matrix.n_rows
        ),
        np.array(numbers, dtype=np.int32),
        np.cumsum([0, *(len(column.numbers) for column in ranked)], dtype=np.int64),
        problem.y,
        units.integers.weight,
        units.integers.costs,
        min_count=problem.min_samples_leaf,
    )
