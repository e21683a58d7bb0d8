"""Weights and costs as integers, so that the search compares exactly.

Whole numbers stay exact (divided by their common divisor). Others are scaled so that their sum nearly fills 2**51 and
rounded; the largest change that the rounding can make to the objective of any tree is returned as `slack` and
taken off the lower bound.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.problem import Problem

__all__ = ["IntegerCosts", "integer_costs"]

LARGEST_SUM = 2**51


@dataclass(frozen=True, eq=False)
class IntegerCosts:
    """Integer weights and costs of a problem.

    Parameters
    ----------
    weight : ndarray of shape (n_rows,), int64
    costs : ndarray of shape (n_classes, n_classes), int64
    unit : float
        One unit of ``weight * costs``, as a fraction of the problem's total weight.
    slack : float
        The objective of any tree differs from its integer version by at most this.
    """

    weight: NDArray[np.int64]
    costs: NDArray[np.int64]
    unit: float
    slack: float


def integer_costs(problem: Problem) -> IntegerCosts:
    """Return the problem's weights and costs as integers."""
    # Most tables have at most n rows of weight 1: the largest product must stay below LARGEST_SUM.
    costs, cost_scale = _to_integers(problem.costs, 2.0**20 / max(1.0, float(problem.costs.max())))
    budget = LARGEST_SUM / max(1, int(costs.max()))
    weight, weight_scale = _to_integers(problem.sample_weight, budget / problem.total_weight)
    total = problem.total_weight
    weight_error = float(np.abs(weight / weight_scale - problem.sample_weight).sum()) * float(problem.costs.max())
    cost_error = float(np.abs(costs / cost_scale - problem.costs).max()) * float(weight.sum() / weight_scale)
    return IntegerCosts(weight, costs, 1.0 / (weight_scale * cost_scale * total), (weight_error + cost_error) / total)


def _to_integers(values: NDArray[np.float64], scale: float) -> tuple[NDArray[np.int64], float]:
    """Return integers and the factor that made them: exact for whole numbers, else rounded after `scale`."""
    whole = values.astype(np.int64)
    if np.array_equal(whole, values):
        divisor = int(np.gcd.reduce(whole, axis=None))
        return (whole // divisor, 1.0 / divisor) if divisor > 1 else (whole, 1.0)
    smallest = float(values[values > 0].min())
    ratios = values / smallest
    rounded = np.rint(ratios)
    if np.array_equal(rounded * smallest, values) and rounded.sum() * 2 < LARGEST_SUM:
        return rounded.astype(np.int64), 1.0 / smallest  # multiples of one number, such as 0.5 and 1.5
    return np.rint(values * scale).astype(np.int64), scale
