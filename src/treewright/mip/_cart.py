"""CART as a start: the tree that scikit-learn grows, in the terms of an instance.

The paper starts from one CART tree with default parameters. CART of a smaller depth can have a better worst leaf, or
be worth more after the penalty of its leaves, so the best of depths 0 to d is taken (a single leaf always keeps all
constraints). Ranks are what CART sees: it splits by order alone, so no threshold is lost, and none is rounded.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier

from treewright.mip._instance import Instance
from treewright.mip._plan import Plan, full_tree, plan_of

__all__ = ["cart_start"]

SECONDS_A_CELL = 2.5e-7  # that scikit-learn takes to grow a tree of one or two levels
LATE = 0.2  # seconds by which the last tree may miss the deadline


def cart_start(
    instance: Instance, depth: int, value: Callable[[Plan | None], float], deadline: float = math.inf
) -> Plan | None:
    """Return the best plan among the reduced CART trees of depth 0 to `depth`.

    Growing a tree cannot be stopped, so none is begun that would end long after the deadline.

    Parameters
    ----------
    instance : Instance
    depth : int
    value : callable
        What a plan costs; the smallest wins, and the smaller tree among equals.
    deadline : float, default=inf
        Of the clock `time.monotonic`.
    """
    plans: list[Plan | None] = [None]
    problem = instance.problem
    seconds = len(instance.group) * instance.n_columns * SECONDS_A_CELL
    if time.monotonic() + seconds > deadline + LATE:
        return None
    rank = instance.rank[instance.group].astype(np.float64)
    for levels in range(1, depth + 1):
        if time.monotonic() + seconds > deadline + LATE:
            break
        tree = DecisionTreeClassifier(
            max_depth=levels,
            min_samples_leaf=problem.min_samples_leaf,
            max_leaf_nodes=None if problem.max_leaf_nodes is None else max(2, problem.max_leaf_nodes),
            random_state=0,
        ).fit(rank, problem.y, sample_weight=problem.sample_weight)
        if tree.get_depth() < levels:
            break  # deeper ones are the same
        raw = _plan(
            tree.tree_.children_left, tree.tree_.children_right, tree.tree_.feature, tree.tree_.threshold
        )
        grown = full_tree(raw, levels, instance)
        plans.append(plan_of(grown.column, grown.cut, instance))
    if problem.max_leaf_nodes == 1:
        return None
    return min(plans, key=value)


def _plan(
    left: NDArray[np.int64],
    right: NDArray[np.int64],
    feature: NDArray[np.int64],
    threshold: NDArray[np.float64],
) -> Plan | None:
    def build(node: int) -> Plan | None:
        if left[node] < 0:
            return None
        below = build(int(left[node])), build(int(right[node]))
        return Plan(int(feature[node]), int(np.floor(threshold[node])), *below)

    return build(0)
