"""Thresholds for the search for the best worst leaf where all are too many: those that a tree ensemble needs."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.binarize import SplitMatrix, auto_splits
from treewright.guess import guess_splits, make_reference
from treewright.problem import Problem
from treewright.search._limits import Limits

__all__ = ["thresholds_from_reference"]


def thresholds_from_reference(
    problem: Problem, reference: Any = None, *, limits: Limits | None = None
) -> SplitMatrix:
    """Return the thresholds that a tree ensemble cannot do without (McTavish et al. 2022, column elimination).

    Parameters
    ----------
    problem : Problem
    reference : estimator or None, default=None
        Fitted on the same columns, or not fitted (it is then cloned); None is boosted trees of
        a size chosen on held-out rows.
    limits : Limits, default=None
        Limits of the search that follows, with the time started. When the time is over, the reference stops learning
        and no more thresholds are removed. From a large table it learns from as many rows as there is time for.

    Returns
    -------
    SplitMatrix
        For a table with one class, from which no ensemble can learn, these are all splits.

    Examples
    --------
    >>> from treewright.problem import make_problem
    >>> from treewright.search import thresholds_from_reference
    >>> from treewright.table import table_from
    >>> problem = make_problem(table_from([[20], [30], [40]]), [0, 0, 1])
    >>> [split.threshold for split in thresholds_from_reference(problem).splits]
    [35.0]
    """
    if len(np.unique(problem.y)) == 1:
        return auto_splits(problem.table)
    limits = Limits() if limits is None else limits

    def is_over() -> bool:
        return limits.left() <= 0

    table, y, weight = problem.table, problem.y, problem.sample_weight
    made = make_reference(reference, table, y, problem.classes, weight, is_over, limits.left())
    return guess_splits(made, table, y, weight, is_over=is_over).split_matrix
