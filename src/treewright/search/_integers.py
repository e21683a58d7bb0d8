"""Weights and costs as integers, so that the search compares exactly.

Whole numbers, decimals of a few places and multiples of one number stay exact. Others are scaled so that
their sums nearly fill the 57 bits that the engines have, and rounded; the largest change that the rounding
can make to the objective of any tree is returned as `slack` and taken off the lower bound.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.problem import Problem

__all__ = ["IntegerCosts", "integer_costs"]

LARGEST_TOTAL = 2**57  # the engines add the prices of all classes of all rows
LARGEST_EXACT = 2**53  # float64 holds every whole number up to here
DECIMALS = 6


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


def integer_costs(problem: Problem, room: int | None = None) -> IntegerCosts:
    """Return the problem's weights and costs as integers.

    Parameters
    ----------
    problem : Problem
    room : int or None, default=None
        Bounds the sum of the weights times the largest cost; None is what the search over cuts can hold.

    Notes
    -----
    With ``w``, ``c`` the numbers and ``w'``, ``c'`` what the integers stand for, every tree's loss changes by
    at most ``sum |w' c' - w c| <= sum |w' - w| max c + sum w' max |c' - c|``, over the total weight.
    """
    # A power of two loses nothing; it keeps the arithmetic below clear of overflow and of subnormal numbers.
    weights, _ = _normalized(problem.sample_weight)
    prices, price_exponent = _normalized(problem.costs)
    total = float(weights.sum())
    room = room or LARGEST_TOTAL // problem.n_classes  # for sum(weight) * max(cost)
    exact_weight, exact_costs = _exact(weights), _exact(prices)
    weight_sum = 1 if exact_weight is None else int(exact_weight[0].sum())
    largest_cost = 1 if exact_costs is None else int(exact_costs[0].max())
    if exact_weight is None or weight_sum * largest_cost > room:
        if exact_costs is not None and largest_cost > 2**20:
            exact_costs, largest_cost = None, 1
        if exact_weight is not None and weight_sum * 2**20 > room:
            exact_weight = None
    costs, cost_scale = exact_costs or _rounded(
        prices,
        # Both rounded: the two errors are about equal at this share.
        (math.sqrt(room / len(weights)) if exact_weight is None else min(LARGEST_EXACT, room // weight_sum))
        / float(prices.max()),
    )
    weight, weight_scale = exact_weight or _rounded(
        weights, min(LARGEST_EXACT, room // max(1, int(costs.max()))) / total
    )
    weight_error = float(np.abs(weight / weight_scale - weights).sum()) * float(prices.max())
    cost_error = float(np.abs(costs / cost_scale - prices).max()) * float(weight.sum() / weight_scale)
    return IntegerCosts(
        weight,
        costs,
        unit=math.ldexp(1.0 / (weight_scale * cost_scale * total), price_exponent),
        slack=math.ldexp((weight_error + cost_error) / total, price_exponent),
    )


def _normalized(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], int]:
    """Return the values over a power of two, and its exponent; 0 unless the numbers are extreme."""
    largest = float(values.max())
    if largest == 0 or (float(values[values > 0].min()) > 2.0**-200 and largest < 2.0**200):
        return values, 0
    exponent = math.frexp(largest)[1]
    return np.ldexp(values, -exponent), exponent


def _exact(values: NDArray[np.float64]) -> tuple[NDArray[np.int64], float] | None:
    """Return integers and the factor that made them if some factor makes all values whole."""
    if not values.any():  # the costs of a single class
        return values.astype(np.int64), 1.0
    smallest = float(values[values > 0].min())
    for factor in (1.0, 1.0 / smallest, *(10.0**places for places in range(1, DECIMALS + 1))):
        whole = np.rint(values * factor)
        if whole.sum() < LARGEST_EXACT and np.array_equal(whole / factor, values):
            integers = whole.astype(np.int64)
            divisor = int(np.gcd.reduce(integers, axis=None))
            return integers // divisor, factor / divisor
    return None


def _rounded(values: NDArray[np.float64], factor: float) -> tuple[NDArray[np.int64], float]:
    return np.rint(values * factor).astype(np.int64), float(factor)
