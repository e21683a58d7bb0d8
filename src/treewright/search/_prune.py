"""Prunings of a tree: a leaf, or one of the two children, in the place of an inner node.

No optimal tree has a better pruning: depth, leaves and the sizes of leaves only become easier to keep, and the splits
are splits of the tree itself. So the check costs nothing in generality. It refutes a false proof, and it makes the
tree of a stopped run at least as good as all of its own subtrees.

The work is done in ``cpp/include/treewright/tree/pruning.hpp``, on the table and the splits alone: nothing that an
engine has counted is used. What is decided here is the arithmetic: weights and costs as integers, exact wherever the
problem's numbers are whole, decimals of a few places or fractions, else to the last places of float64; and a penalty of
a leaf in the same units.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from treewright._native import core
from treewright.problem import Problem
from treewright.search._counted import counted_tree, native_splits
from treewright.search._halves import halves_of
from treewright.search._integers import IntegerCosts, integer_costs, is_coarse
from treewright.tree import Tree

__all__ = ["Pruning", "best_pruning", "best_worst_leaf"]

ROOM = 2**96  # of the sum of weights times costs: as many digits as float64 has, in each
COST_BITS = 122  # of a whole tree
FOREVER = 1e6  # seconds


@dataclass(frozen=True, eq=False)
class Pruning:
    """What prunings make of a tree.

    Parameters
    ----------
    tree : Tree
        The tree that was given, if none is better.
    merged_leaves : int
        Leaves of the given tree, once sibling leaves of the same prediction are one.
    """

    tree: Tree
    merged_leaves: int


def best_pruning(
    problem: Problem,
    tree: Tree,
    objective: float,
    *,
    min_leaf_accuracy: float = 0.0,
    seconds: float = FOREVER,
) -> Pruning:
    """Return the cheapest tree that repeated prunings make of `tree`, or `tree` itself where none is better.

    Parameters
    ----------
    problem : Problem
    tree : Tree
        Within the constraints of `problem`; so is every pruning. No linear splits.
    objective : float
        Of the tree: where it is so small that the weights must be rounded too coarsely for it, rows that cost more
        are not told apart.
    min_leaf_accuracy : float, default=0.0
        Share of its weight on which every leaf must be right.
    seconds : float, default=1e6
        No round begins later. One round always runs.

    Returns
    -------
    Pruning
        Its tree is never more expensive. One of the same cost has fewer leaves.

    Notes
    -----
    From the leaves up, each node becomes the cheapest of: its split above its pruned children, a leaf, either child.
    A child that moved up has other rows than before, so rounds go on until nothing changes. Each makes the tree
    cheaper or smaller, so they end. A round takes about rows x depth steps.
    """
    integers = integer_costs(problem, ROOM)
    if min_leaf_accuracy <= 0 and is_coarse(integers.slack, objective):
        integers = integer_costs(problem, ROOM, 2 * objective)
    leaf_penalty = problem.cost_complexity
    return _pruned(
        problem, tree, core.cheapest_pruning, integers, leaf_penalty, least=min_leaf_accuracy, seconds=seconds
    )


def best_worst_leaf(problem: Problem, tree: Tree, *, z: float = 0.0, seconds: float = FOREVER) -> Pruning:
    """Return the tree that repeated prunings make of `tree` so that its worst leaf is best.

    Parameters
    ----------
    problem : Problem
        With plain costs; ``cost_complexity`` is not looked at.
    tree : Tree
    z : float, default=0.0
        A leaf is worth its accuracy, or, for `z` above 0, the lower end of its one-sided Wilson interval with this
        quantile of the normal distribution and as many observations as its share of the weight times the rows.
    seconds : float, default=1e6
        No round begins later. One round always runs.

    Returns
    -------
    Pruning
        Its tree has the least loss, then the fewest leaves, of those with a worst leaf as good.
    """
    integers = integer_costs(problem, ROOM)
    scale = problem.table.n_rows / int(integers.weight.sum())  # observations for each unit of weight
    return _pruned(problem, tree, core.best_worst_leaf, integers, 0.0, z=z, scale=scale, seconds=seconds)


def _pruned(
    problem: Problem,
    tree: Tree,
    prune: Any,
    integers: IntegerCosts,
    cost_complexity: float,
    **rules: float,
) -> Pruning:
    total = int(integers.weight.sum())
    unit, leaf = _whole_units(
        integers.unit, total * int(integers.costs.max()), cost_complexity, tree.n_leaves
    )
    source, merged_leaves = prune(
        native_splits(tree.splits),
        problem.table.X,
        problem.y,
        integers.weight,
        integers.costs,
        unit=halves_of(unit),
        leaf=halves_of(leaf),
        **rules,
    )
    if len(source) == tree.node_count:
        return Pruning(tree, merged_leaves)
    splits = [None if node < 0 else tree.splits[node] for node in source.tolist()]
    return Pruning(counted_tree(problem, splits), merged_leaves)


def _whole_units(unit: float, largest: int, cost_complexity: float, n_leaves: int) -> tuple[int, int]:
    """Return the cost of one unit of loss and of a leaf as integers.

    Parameters
    ----------
    unit : float
        One unit of weight times cost, as a fraction of the total weight.
    largest : int
        Loss of a tree that is wrong on every row, in these units.
    cost_complexity : float
        Read as the decimal that it is printed as, for whole units of loss exactly.
    n_leaves : int
        At most so many leaves are compared.
    """
    whole = round(1 / unit)  # units in the total weight
    # The leaf penalty is above / below: whole numbers, for Fraction costs a small fit as much as the pruning.
    above, below = Decimal(repr(float(cost_complexity))).as_integer_ratio()
    if abs(whole * unit - 1) < 1e-9:
        above *= whole
    else:
        part, whole = unit.as_integer_ratio()
        above, below = above * whole, below * part
    # A leaf penalty above all errors together orders trees by their leaves first, whatever it costs beyond that.
    if above > (largest + 1) * below:
        above, below = largest + 1, 1
    divisor = math.gcd(above, below)
    above, below = above // divisor, below // divisor
    most = largest * below + above * n_leaves
    if most < 2**COST_BITS:
        return below, above
    scale = 1 << (COST_BITS - (most // below + 1).bit_length())
    return scale, round(Fraction(above * scale, below))
