"""What the compiled core is told of a problem: binary columns, or ranked columns and the numbers of their cuts."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright._native import core
from treewright.binarize import Cuts
from treewright.problem import Problem
from treewright.search import IntegerCosts, ranked_cuts

__all__ = ["binary_problem", "fits_ranked", "ranked_problem"]

MOST_TOTAL = 2**30  # of all costs, over ranked columns: the kernel's sums have 32 bits
MOST_CLASSES = 2**16


def binary_problem(problem: Problem, cuts: Cuts, integers: IntegerCosts) -> Any:
    """Return the problem over binary columns."""
    return core.NearOptimalProblem(
        cuts.packed, problem.y, integers.weight, integers.costs, min_count=problem.min_samples_leaf
    )


def fits_ranked(problem: Problem, integers: IntegerCosts) -> bool:
    """Return whether the integer costs fit the search over ranked columns."""
    span = integers.costs.max(axis=1) - integers.costs.min(axis=1)
    total = int((integers.weight.astype(object) * span[problem.y].astype(object)).sum())
    return total < MOST_TOTAL and integers.costs.max() < MOST_TOTAL and problem.n_classes < MOST_CLASSES


def ranked_problem(problem: Problem, cuts: Cuts, integers: IntegerCosts) -> Any:
    """Return the problem over ranked columns; the numbers of their cuts are those in `cuts`."""
    ranked = ranked_cuts(cuts, problem.table)
    numbers = [number for column in ranked for number in column.numbers]
    return core.NearOptimalRankedProblem(
        np.array([column.rank for column in ranked], dtype=np.uint32).reshape(len(ranked), cuts.n_rows),
        np.array(numbers, dtype=np.int32),
        np.cumsum([0, *(len(column.numbers) for column in ranked)], dtype=np.int64),
        problem.y,
        integers.weight,
        integers.costs,
        min_count=problem.min_samples_leaf,
    )
