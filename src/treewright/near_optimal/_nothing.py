"""The set of a run that was stopped before it had any tree: complete as far as the lower bound of the search.

Its graph is a single leaf, made of the totals alone. No search is begun for it: over many columns that would be a
matrix of all pairs, which takes longer than the limit that ended the run.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from treewright.binarize import SplitMatrix
from treewright.near_optimal._counts import Counts
from treewright.near_optimal._derived import native_of
from treewright.near_optimal._graph import Membership, SetGraph
from treewright.near_optimal._units import Units
from treewright.problem import Problem
from treewright.result import SolveResult
from treewright.search import Limits

__all__ = ["LeafRules", "nothing_known"]

BELOW = Fraction(1, 2**40)  # by which the bound of a set without trees stays below what is proven


class LeafRules(NamedTuple):
    """Which leaves count.

    Parameters
    ----------
    any_label : bool
        Whether a leaf may have any label, not the cheapest alone.
    redundant : bool
        Whether a split counts whose sides are leaves of one label.
    """

    any_label: bool
    redundant: bool


def nothing_known(
    problem: Problem, split_matrix: SplitMatrix, units: Units, rules: LeafRules, best: SolveResult
) -> Counts:
    """Return a set without trees, complete as far as the lower bound of `best`.

    The bound is a little below the proven one, for a tree may lie exactly on that.
    """
    below = Fraction(best.lower_bound) * (1 - BELOW) / units.unit
    if below <= units.rounding:
        below = -BELOW
    integers = units.integers
    by_class = np.zeros(problem.n_classes, dtype=np.int64)
    np.add.at(by_class, problem.y, integers.weight)
    totals = by_class @ integers.costs
    base = int(totals.min())
    none = np.zeros(0, dtype=np.int64)
    native = native_of(
        {
            "depth": [0],
            "budget": [0],
            "first_edge": [0],
            "last_edge": [0],
            "leaf_cost": totals - base,
            "leaf_rows": [problem.table.n_rows],
            **dict.fromkeys(("column", "left", "right", "source"), none),
            "leaf_penalty": 0,
            "unit_shift": 0,
            "min_count": problem.min_samples_leaf,
        }
    )
    graph = SetGraph(
        problem, split_matrix, native, native.arrays(), units.unit, units.leaf_penalty, base,
        rules.any_label, rules.redundant, Limits().native()["memory_limit"], True, rounding=units.rounding,
    )  # fmt: skip
    return Counts(graph, Membership(below, problem.max_leaf_nodes))
