"""What the rounding of the leaf penalty leaves open.

The losses of trees are whole numbers of units in an engine, but a leaf penalty is p units with a fraction, and a leaf
is charged p + e with |e| <= E. If one of two trees has d leaves more and k units of loss less, their costs differ by
d p - k, and in the engine by d p - k + d e: they are compared wrongly only if |d p - k| <= d E, for which d p must be
that close to a whole number. With the penalties that people choose it is not, unless the two trees are equally good.
"""

from __future__ import annotations

import numpy as np

from treewright.problem import Problem
from treewright.search._integers import RowCosts

__all__ = ["charged_per_leaf", "left_open_by_leaves"]

SHOWN = 1e-12  # relative: smaller differences are none in a float64 sum (`SolveResult.rounding`)
MOST_LEAVES = 1 << 20  # no tree of more leaves is proven optimal


def charged_per_leaf(costs: RowCosts) -> float:
    """Return the largest error of a leaf over binary columns, in units; see `core/cost_units.hpp`.

    Parameters
    ----------
    costs : RowCosts
    """
    each = costs.costs.sum(axis=1)[costs.kind]
    total = 2 * int((costs.weight * each).sum()) + len(costs.kind) + 1  # guesses and counts of rows included
    shift = min(max(58 - total.bit_length(), 0), 32)
    return 1.5 * 2.0**-shift


def left_open_by_leaves(problem: Problem, unit: float, per_leaf: float, objective: float) -> float:
    """Return by how much a tree may be better than one that an engine calls optimal; nearly always 0.

    Parameters
    ----------
    problem : Problem
    unit : float
        One unit of loss, as a share of the weight.
    per_leaf : float
        Largest error of a leaf, in units.
    objective : float
        Of the tree.
    """
    penalty = problem.cost_complexity
    if penalty <= 0 or unit <= 0:
        return 0.0
    limits = [problem.table.n_rows, objective / penalty + 1, MOST_LEAVES]
    limits += [] if problem.max_leaf_nodes is None else [problem.max_leaf_nodes]
    limits += [] if problem.max_depth is None else [2.0 ** min(problem.max_depth, 60)]
    more = np.arange(1.0, min(limits))
    apart = more * (penalty / unit)
    apart = np.abs(apart - np.rint(apart))
    open_ = apart[(apart <= more * per_leaf) & (apart * unit > SHOWN * objective)]
    return float(open_.max(initial=0.0)) * unit
