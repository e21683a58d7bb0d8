"""Objectives as whole numbers: what one error is worth, and what rounding may have moved of real weights.

With ``f`` the objective of a tree and ``g`` that of the whole numbers, ``|f - g| <= rounding``. A set holds all trees
with ``g <= bound + rounding``. So it holds each tree with ``f <= bound``, and none with ``f > bound + 2 rounding``:
where a set is empty, that is a proof for real weights as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from treewright._numbers import as_written
from treewright.errors import InputError
from treewright.near_optimal._bounds import LARGEST_BUDGET, in_errors
from treewright.problem import Problem
from treewright.search import IntegerCosts, common_unit, integer_costs
from treewright.tree import Tree

__all__ = ["Units", "most_leaves", "units_of"]

MOST_COSTS = 10_000  # different ones, of which a common unit is looked for
FLOATS = Fraction(1, 2**48)  # relative: of a unit, an objective and the measured rounding, as float64


@dataclass(frozen=True, eq=False)
class Units:
    """The whole numbers of a problem.

    Parameters
    ----------
    integers : IntegerCosts
    unit : Fraction
        Objective of one error.
    leaf_penalty : Fraction
        Errors that one leaf costs.
    rounding : Fraction
        Errors by which an objective and its whole numbers differ at most; 0 where nothing was rounded.
    """

    integers: IntegerCosts
    unit: Fraction
    leaf_penalty: Fraction
    rounding: Fraction

    def objective(self, problem: Problem, tree: Tree) -> Fraction:
        """Return the objective of a tree in errors."""
        label = tree.prediction[tree.apply(problem.table.X)]
        paid = self.integers.weight * self.integers.costs[problem.y, label]
        return int(paid.sum()) + self.leaf_penalty * tree.n_leaves

    def holding(self, problem: Problem, budget: Fraction) -> Fraction:
        """Return a budget for the search that holds every tree of a budget, both in errors.

        Raises
        ------
        InputError
            Whole numbers of the search do not reach so far.
        """
        paid = self.integers.weight * self.integers.costs.max(axis=1)[problem.y]
        dearest = int(paid.sum()) + self.leaf_penalty * most_leaves(problem)
        largest = min(budget, dearest) + self.rounding
        if largest > LARGEST_BUDGET:
            raise InputError(
                f"The bound allows objectives of up to {float(min(budget, dearest) * self.unit):.3g}, but weights and "
                f"costs have so many digits that objectives above {float(LARGEST_BUDGET * self.unit):.3g} cannot be "
                "stored exactly. Give a smaller bound, larger costs, or weights and costs with fewer digits."
            )
        return largest


def most_leaves(problem: Problem) -> int:
    """Return how many leaves a tree can have: no more than rows, and no more than its limits let it."""
    most = problem.table.n_rows
    if problem.max_leaf_nodes is not None:
        most = min(most, problem.max_leaf_nodes)
    if problem.max_depth is not None and problem.max_depth < most.bit_length():
        most = min(most, 2**problem.max_depth)
    return most


def units_of(problem: Problem) -> Units:
    """Return the whole numbers in which the trees of a problem are compared."""
    integers = integer_costs(problem)
    unit, rounding = _exact_unit(problem, integers), Fraction(0)
    if unit is None:
        unit = Fraction(integers.unit)
        largest = Fraction(float(problem.costs.max())) + as_written(problem.cost_complexity)
        rounding = (Fraction(integers.slack) * (1 + FLOATS) + FLOATS * largest) / unit
    return Units(integers, unit, in_errors(problem.cost_complexity, unit), rounding)


def _exact_unit(problem: Problem, integers: IntegerCosts) -> Fraction | None:
    """Return what one unit of weight times cost is, if it is a fraction that gives all costs."""
    if not integers.exact:
        return None
    costs, first = np.unique(problem.costs, return_index=True)
    whole = [int(k) for k in integers.costs.reshape(-1)[first]]
    if len(costs) > MOST_COSTS:
        return None
    total = int(integers.weight.sum())
    if whole[-1] == 0:  # a single class
        return Fraction(1, total)
    unit = common_unit([float(cost) for cost in costs], whole)
    return None if unit is None else unit / total
