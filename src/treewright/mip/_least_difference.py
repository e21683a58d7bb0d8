"""How far apart two different objectives are at least: a solver's tolerance must be less to decide between them.

Losses of whole weights and costs are multiples of one fraction, so a bound that is within less than that of a tree's
objective proves the tree optimal without any tolerance. Of real numbers nothing of use can be said.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from treewright._numbers import as_written
from treewright.problem import Problem
from treewright.search import in_fractions

__all__ = ["least_difference"]


def least_difference(problem: Problem, leaf_accuracy: bool) -> float:
    """Return a number that two different values of trees differ by at least.

    Parameters
    ----------
    problem : Problem
        With a ``max_depth``.
    leaf_accuracy : bool
        Whether a tree's value is the accuracy of its worst leaf, or its objective.
    """
    weights, counts = np.unique(problem.sample_weight, return_counts=True)
    parts = in_fractions(weights)
    total, unit = sum(part * int(n) for part, n in zip(parts, counts, strict=True)), _common(parts)
    if leaf_accuracy:  # c / W and c' / W' in units differ by 1 / (W W') or more
        return float((unit / total) ** 2)
    paid = [cost for cost in in_fractions(problem.costs.ravel()) if cost > 0]
    step = unit * _common(paid) / total if paid else Fraction(0)
    penalty = as_written(problem.cost_complexity)
    if step == 0:
        return float(penalty) if penalty > 0 else math.inf
    apart = step
    for leaves in range(1, _most_leaves(problem)):  # as many leaves more in one of the two trees
        over = penalty * leaves % step
        apart = min(apart, step - over, over if over > 0 else step)
    return float(apart)


def _common(numbers: list[Fraction]) -> Fraction:
    """Return the largest number of which all are multiples."""
    denominator = math.lcm(*(number.denominator for number in numbers))
    return Fraction(math.gcd(*(int(number * denominator) for number in numbers)), denominator)


def _most_leaves(problem: Problem) -> int:
    assert problem.max_depth is not None
    most = max(1, min(1 << problem.max_depth, problem.table.n_rows // problem.min_samples_leaf))
    return most if problem.max_leaf_nodes is None else min(most, problem.max_leaf_nodes)
