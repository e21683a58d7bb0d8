"""Weights and costs as integers, so that the search compares exactly.

Whole numbers, decimals of a few places and numbers whose ratios are fractions (balanced weights) stay exact. Others
are scaled so that their sums nearly fill the bits that an engine has, and rounded; the largest change that the
rounding can make to the objective of any tree is returned as `slack`, and taken off the lower bound twice: with ``f``
the objective and ``g`` its rounded version, ``|f - g| <= slack``, a tree T* of least g has
``f(T*) <= f(T) + 2 slack`` for every tree T.

`row_costs` is for the engine over binary columns, which takes a cost of its own for each row and class and has 57 bits
for their sum: rounding a product once moves it far less than rounding both factors. `integer_costs` is for the engines
that keep weights and costs apart.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from treewright.problem import Problem

__all__ = [
    "IntegerCosts",
    "RowCosts",
    "in_whole_numbers",
    "integer_costs",
    "is_coarse",
    "row_costs",
    "whole_weights",
]

LARGEST_TOTAL = 2**57  # the engines add the costs of all classes of all rows
SMALLEST = 2.0**-200  # smaller numbers beside 1 are told apart no further: sums of them would be no numbers
LARGEST_EXACT = 2**53  # float64 holds every whole number up to here
POWERS_OF_TEN = tuple(10.0**places for places in range(1, 13))  # decimals of twelve places
MOST_DENOMINATOR = 10**6  # of a ratio of two numbers
MOST_PRODUCT = 10**13  # of its two parts: one random number in some hundreds is as near to such a fraction
LARGEST_GAP = 1e-4  # of an objective, left by rounded weights; beyond it nothing is called optimal
FEW_NUMBERS = 64  # of which ratios are looked at
FEWER_NUMBERS = 16  # for which a scale is searched that rounds them all little
MOST_SCALES = 20_000
LEAST_EXPONENT = -1000  # of a weight that is not to vanish
ROUNDING = 2.0**-52  # relative, of a product of two float64 numbers, twice


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
    exact : bool
        Whether nothing was rounded.

    Examples
    --------
    >>> from treewright.problem import make_problem
    >>> from treewright.search import integer_costs
    >>> from treewright.table import table_from
    >>> integer_costs(make_problem(table_from([[20], [30]]), [0, 1], sample_weight=[0.5, 1.5])).weight
    array([1, 3])
    """

    weight: NDArray[np.int64]
    costs: NDArray[np.int64]
    unit: float
    slack: float
    exact: bool = False


class _Numbers(NamedTuple):
    """Weights and costs in units of powers of two, and as whole numbers where some factor makes them so."""

    weights: NDArray[np.float64]
    label_costs: NDArray[np.float64]
    cost_exponent: int
    exact_weight: tuple[NDArray[np.int64], float] | None
    exact_costs: tuple[NDArray[np.int64], float] | None


_KNOWN: WeakKeyDictionary[Problem, _Numbers] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class RowCosts:
    """Integer cost of each row for each predicted class: ``weight[r] * costs[kind[r]]``.

    Parameters
    ----------
    kind : ndarray of shape (n_rows,), int32
        Row of `costs` that each row of the table has.
    weight : ndarray of shape (n_rows,), int64
    costs : ndarray of shape (n_kinds, n_classes), int64
    unit : float
        One unit of a cost, as a fraction of the problem's total weight.
    slack : float
        The objective of any tree differs from its integer version by at most this.
    """

    kind: NDArray[np.int32]
    weight: NDArray[np.int64]
    costs: NDArray[np.int64]
    unit: float
    slack: float

    def of(self, predictions: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return the cost of each row's predicted class."""
        return self.weight * self.costs[self.kind, predictions]


def row_costs(problem: Problem) -> RowCosts:
    """Return the costs of the rows as integers.

    Every cost ``p`` of a row becomes ``p' = round(p * scale) / scale``, so every tree's loss changes by at most the
    sum over the rows of the largest ``|p' - p|``, over the total weight.
    """
    whole = integer_costs(problem)
    if whole.slack > 0:
        rounded = _rounded_products(problem)
        if rounded.slack < whole.slack:
            return rounded
    return RowCosts(problem.y, whole.weight, whole.costs, whole.unit, whole.slack)


def _rounded_products(problem: Problem) -> RowCosts:
    weights, _ = _normalized(problem.sample_weight)
    label_costs, exponent = _normalized(problem.costs)
    total = float(weights.sum())
    distinct, number = np.unique(weights, return_inverse=True)
    code, kind, count = np.unique(
        number * problem.n_classes + problem.y, return_inverse=True, return_counts=True
    )
    products = distinct[code // problem.n_classes][:, None] * label_costs[code % problem.n_classes]
    largest = float((count * products.max(axis=1)).sum())
    scale = (LARGEST_TOTAL // problem.n_classes) / largest
    costs = np.rint(products * scale)
    error = float((count * np.abs(costs / scale - products).max(axis=1)).sum()) + ROUNDING * largest
    return RowCosts(
        kind.astype(np.int32),
        np.ones(len(weights), dtype=np.int64),
        costs.astype(np.int64),
        unit=math.ldexp(1.0 / (scale * total), exponent),
        slack=math.ldexp(error / total, exponent),
    )


def integer_costs(problem: Problem, room: int | None = None, most_loss: float = math.inf) -> IntegerCosts:
    """Return the problem's weights and costs as integers.

    Parameters
    ----------
    problem : Problem
    room : int or None, default=None
        Bounds the sum of the weights times the largest cost; None is what the search over splits can hold.
    most_loss : float, default=inf
        Trees with a larger loss, as a fraction of the total weight, need not be distinguished. If every error on a row
        costs more than this, the weight of the row is lowered until an error costs exactly this, which leaves more room
        for the other rows. A tree with a smaller loss makes no error on such a row, so its loss does not change; no
        tree's loss grows.

    Notes
    -----
    With ``w``, ``c`` the numbers and ``w'``, ``c'`` what the integers stand for, every tree's loss changes by
    at most ``sum |w' c' - w c| <= sum |w' - w| max c + sum w' max |c' - c|``, over the total weight.

    Rounding to the nearest whole number less than doubles it (what is below one half becomes 0), so where numbers must
    be rounded, ``sum(weight) * max(cost)`` stays below twice the room: the engines check that bound.

    Examples
    --------
    >>> from treewright.problem import make_problem
    >>> from treewright.search import integer_costs
    >>> from treewright.table import table_from
    >>> costs = integer_costs(make_problem(table_from([[20], [30]]), [0, 1]))
    >>> costs.weight.tolist(), costs.costs.tolist(), costs.exact
    ([1, 1], [[0, 1], [1, 0]], True)
    """
    weights, label_costs, cost_exponent, exact_weight, exact_costs = _numbers(problem)
    total = float(weights.sum())
    if most_loss < math.inf:
        least = _least_weights(label_costs, max(most_loss, SMALLEST) * math.ldexp(total, -cost_exponent))
        weights = np.minimum(weights, least[problem.y])
        exact_weight = in_whole_numbers(weights)
    room = room or LARGEST_TOTAL // problem.n_classes  # for sum(weight) * max(cost)
    weight_sum = 1 if exact_weight is None else int(exact_weight[0].sum())
    largest_cost = 1 if exact_costs is None else max(1, int(exact_costs[0].max()))  # 0 for a single class
    if exact_weight is None or weight_sum * largest_cost > room:
        if exact_costs is not None and largest_cost > 2**20:
            exact_costs, largest_cost = None, 1
        if exact_weight is not None and weight_sum * 2**20 > room:
            exact_weight = None
    costs, cost_scale = exact_costs or _rounded(
        label_costs,
        # Both rounded: the two errors are about equal at this share.
        (math.sqrt(room / len(weights)) if exact_weight is None else min(LARGEST_EXACT, room // weight_sum))
        / float(label_costs.max()),
    )
    weight, weight_scale = exact_weight or _rounded(
        weights, min(LARGEST_EXACT, room // max(1, int(costs.max()))) / float(weights.sum())
    )
    exact = exact_weight is not None and exact_costs is not None
    weight_error = cost_error = 0.0  # but for what float64 shows of fractions
    if not exact:
        weight_error = float(np.abs(weight / weight_scale - weights).sum()) * float(label_costs.max())
        cost_error = float(np.abs(costs / cost_scale - label_costs).max()) * float(
            weight.sum() / weight_scale
        )
    return IntegerCosts(
        weight,
        costs,
        unit=math.ldexp(1.0 / (weight_scale * cost_scale * total), cost_exponent),
        slack=math.ldexp((weight_error + cost_error) / total, cost_exponent),
        exact=exact,
    )


def whole_weights(problem: Problem) -> NDArray[np.int64] | None:
    """Return whole numbers in the ratios of the rows' weights.

    Parameters
    ----------
    problem : Problem

    Returns
    -------
    ndarray of shape (n_rows,), int64, or None
        With a sum below 2^53; None if there are no such numbers.

    Examples
    --------
    >>> from treewright.problem import make_problem
    >>> from treewright.search import whole_weights
    >>> from treewright.table import table_from
    >>> whole_weights(make_problem(table_from([[20], [30]]), [0, 1], sample_weight=[0.5, 1.5]))
    array([1, 3])
    """
    exact = _numbers(problem).exact_weight
    return None if exact is None else exact[0]


def _numbers(problem: Problem) -> _Numbers:
    """Return what does not depend on room; a fit asks twice, for its engine and for its prunings."""
    known = _KNOWN.get(problem)
    if known is None:
        # A power of two loses nothing; it keeps the arithmetic clear of overflow and of subnormal numbers.
        weights = problem.sample_weight
        exact_weight: tuple[NDArray[np.int64], float] | None
        if (weights == 1).all():  # as most are
            exact_weight = np.ones(len(weights), dtype=np.int64), 1.0
        else:
            weights, _ = _normalized(weights)
            exact_weight = in_whole_numbers(weights)
        label_costs, exponent = _normalized(problem.costs)
        known = _KNOWN[problem] = _Numbers(
            weights, label_costs, exponent, exact_weight, in_whole_numbers(label_costs)
        )
        for exact in (known.exact_weight, known.exact_costs):
            if exact is not None:
                exact[0].setflags(write=False)  # all who ask get the same
    return known


def is_coarse(slack: float, objective: float) -> bool:
    """Say whether what rounding may have moved is too much of an objective to call it optimal.

    Parameters
    ----------
    slack : float
        By how much rounding may have moved the objective of a tree.
    objective : float
    """
    return objective > 0 and 2 * slack > LARGEST_GAP * objective


def _least_weights(label_costs: NDArray[np.float64], loss: float) -> NDArray[np.float64]:
    """Return, for each class, a weight at which a row pays `loss` or more unless it pays nothing; a power of two."""
    least = np.where(label_costs > 0, label_costs, np.inf).min(axis=1)
    pays_nothing = (label_costs == 0).any(axis=1) & np.isfinite(
        least
    )  # for one class at least, but not for all
    exponent = math.frexp(loss)[1] - np.frexp(least)[1] + 1
    return np.where(pays_nothing, np.ldexp(1.0, np.maximum(exponent, LEAST_EXPONENT)), np.inf)


def _normalized(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], int]:
    """Return the values over a power of two, and its exponent; 0 unless the numbers are extreme."""
    largest = float(values.max())
    if largest == 0 or (float(values[values > 0].min()) > SMALLEST and largest < 1 / SMALLEST):
        return values, 0
    exponent = math.frexp(largest)[1]
    return np.ldexp(values, -exponent), exponent


def in_whole_numbers(values: NDArray[np.float64]) -> tuple[NDArray[np.int64], float] | None:
    """Return integers and the factor that made them if some factor makes all values whole."""
    if not values.any():  # the costs of a single class
        return values.astype(np.int64), 1.0
    smallest = float(values[values > 0].min())
    if float(values.max()) >= smallest * LARGEST_EXACT:  # no integers below that have such a ratio
        return None
    for factor in chain((1.0, 1.0 / smallest), POWERS_OF_TEN):
        whole = np.rint(values * factor)
        if whole.sum() < LARGEST_EXACT and np.array_equal(whole / factor, values):
            integers = whole.astype(np.int64)
            divisor = int(np.gcd.reduce(integers, axis=None))
            return integers // divisor, factor / divisor
    return _fractions(values)


def _fractions(values: NDArray[np.float64]) -> tuple[NDArray[np.int64], float] | None:
    """Return integers and their factor if the ratios of few values are fractions of small denominators.

    Balanced weights are: n / (k * n_class), as float64. What is within the rounding of float64 of such a fraction is
    taken for it; that moves no objective by more than its own rounding does. Of p / q with a large product p q any
    number is as near to one: that says nothing of it.
    """
    distinct, number = np.unique(values, return_inverse=True)
    if len(distinct) > FEW_NUMBERS:
        return None
    smallest = float(distinct[distinct > 0][0])
    ratios = [Fraction(float(v) / smallest).limit_denominator(MOST_DENOMINATOR) for v in distinct]
    if any(abs(float(r) * smallest - v) > 2 * ROUNDING * v for r, v in zip(ratios, distinct, strict=True)):
        return None
    if any(r.numerator * r.denominator > MOST_PRODUCT for r in ratios):
        return None
    common = math.lcm(*(r.denominator for r in ratios))
    whole = [int(r * common) for r in ratios]
    if max(whole) * values.size >= LARGEST_EXACT:
        return None
    divisor = math.gcd(*whole)
    integers = np.array([w // divisor for w in whole], dtype=np.int64)
    return integers[number].reshape(values.shape), common / (divisor * smallest)


def _rounded(values: NDArray[np.float64], factor: float) -> tuple[NDArray[np.int64], float]:
    """Return integers and their factor: `factor`, or for few different values the one below that rounds them least."""
    distinct, count = np.unique(values[values > 0], return_counts=True)
    if len(distinct) <= FEWER_NUMBERS and distinct[0] * factor >= 1:
        most = math.floor(distinct[0] * factor)
        scales = np.arange(max(1, most - MOST_SCALES, most // 2), most + 1) / distinct[0]
        products = np.outer(scales, distinct)
        errors = np.rint(products)
        errors -= products  # in place: a table of this size is new memory each time
        factor = float(scales[np.argmin(np.abs(errors, out=errors) @ count / scales)])
    return np.rint(values * factor).astype(np.int64), float(factor)
