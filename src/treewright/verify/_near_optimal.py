"""Count near-optimal trees by slow, independent code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from treewright.errors import InputError
from treewright.problem import Problem
from treewright.tree import Split

__all__ = ["count_near_optimal"]


def count_near_optimal(
    problem: Problem,
    splits: Sequence[Split],
    *,
    max_objective: Fraction,
    any_label: bool = False,
    redundant_splits: bool = False,
) -> dict[int, int]:
    """Count all trees over the given splits up to an objective, by their number of leaves.

    Parameters
    ----------
    problem : Problem
        Its `max_depth` must be set, and its weights and costs must be whole numbers.
    splits : sequence of Split
        Splits that the trees may use.
    max_objective : Fraction
        Largest objective: the sum of costs plus ``cost_complexity`` times the total weight for each leaf, in units of
        one row.
    any_label : bool, default=False
        Whether a leaf may predict any class, or only the class of least cost (the first one on ties).
    redundant_splits : bool, default=False
        Whether to count trees that have a split between two leaves with the same label.

    Returns
    -------
    dict of int to int
        From a number of leaves to the number of trees with as many leaves.

    Raises
    ------
    InputError
        If `max_depth` is None, or a weight or cost is not a whole number.

    Notes
    -----
    The count enumerates all sets of rows that the splits can produce, without any bound. It is therefore for small
    tables only. It shares no code with `treewright.near_optimal`.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from treewright.binarize import midpoints
    >>> from treewright.problem import make_problem
    >>> from treewright.table import table_from
    >>> from treewright.verify import count_near_optimal
    >>> problem = make_problem(table_from([[20], [30], [40]]), [0, 0, 1], cost_complexity=0.01, max_depth=1)
    >>> count_near_optimal(problem, midpoints(problem.table).splits, max_objective=Fraction(1, 2))
    {2: 1}
    """
    if problem.max_depth is None:
        raise InputError("max_depth=None: a plain count needs a depth.")
    paid = problem.sample_weight[:, None] * problem.costs[problem.y]
    if not all((numbers == np.round(numbers)).all() for numbers in (problem.sample_weight, paid)):
        raise InputError("A plain count needs weights and costs that are whole numbers.")
    leaf_penalty = Fraction(repr(float(problem.cost_complexity))) * round(problem.total_weight)
    right = [~split.goes_left(problem.table.X) for split in splits]
    known: dict[tuple[bytes, int], Counter[tuple[int, int, int]]] = {}

    def trees(rows: np.ndarray, depth: int) -> Counter[tuple[int, int, int]]:
        """Return the number of trees for each (leaves, cost, label); the label is -1 for a tree with several leaves."""
        key = (rows.tobytes(), depth)
        if key in known:
            return known[key]
        out: Counter[tuple[int, int, int]] = Counter()
        costs = paid[rows].sum(axis=0)
        if rows.sum() >= problem.min_samples_leaf:
            for label in range(len(costs)) if any_label else [int(np.argmin(costs))]:
                out[1, int(costs[label]), label] += 1
        for side in right if depth else ():
            left_rows, right_rows = rows & ~side, rows & side
            if not left_rows.any() or not right_rows.any():
                continue
            for (a, cost_a, label_a), n_a in trees(left_rows, depth - 1).items():
                for (b, cost_b, label_b), n_b in trees(right_rows, depth - 1).items():
                    if redundant_splits or label_a != label_b or label_a < 0:
                        out[a + b, cost_a + cost_b, -1] += n_a * n_b
        if problem.max_leaf_nodes is not None:
            out = Counter({cell: n for cell, n in out.items() if cell[0] <= problem.max_leaf_nodes})
        known[key] = out
        return out

    by_leaves: Counter[int] = Counter()
    for (leaves, cost, _), n in trees(
        np.ones(problem.table.n_rows, dtype=np.bool_), problem.max_depth
    ).items():
        if cost + leaf_penalty * leaves <= max_objective:
            by_leaves[leaves] += n
    return dict(sorted(by_leaves.items()))
