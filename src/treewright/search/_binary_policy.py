"""Trees of actions over binary columns, where a table has few splits.

The search over binary columns keeps a cost for each row and prediction, so costs of actions are what it minimises
anyhow: every row is a kind of its own. On the warfarin tables of STReeD (3,367 rows, 29 binary columns) depth 4 takes
.012 s and depth 5 .09 s, where the search over ranked columns takes 2.7 and 13.
"""

from __future__ import annotations

import math
import time

import numpy as np
from numpy.typing import NDArray

from treewright._native import core
from treewright.binarize import SplitMatrix
from treewright.errors import SolverError
from treewright.problem import PolicyProblem
from treewright.result import told_to_stop
from treewright.search._additive import AdditiveAnswer, loss_of
from treewright.search._additive_losses import ActionLoss
from treewright.search._binary_run import search_bits
from treewright.search._kept import kept_result
from treewright.search._limits import Limits, ProgressCallback, stop_reason
from treewright.search._options import BinaryOptions
from treewright.search._result import refute

__all__ = ["solve_binary_policy"]

LARGEST_TOTAL = 2**57  # the engine adds the costs of all actions of all rows
FLOAT = 1e-12  # relative, of sums of float64 numbers


def solve_binary_policy(
    problem: PolicyProblem,
    split_matrix: SplitMatrix,
    cost: NDArray[np.float64],
    *,
    limits: Limits,
    options: BinaryOptions | None,
    progress: ProgressCallback | None,
) -> AdditiveAnswer:
    """Find a tree of least cost whose splits are among `split_matrix`.

    Parameters
    ----------
    problem : PolicyProblem
        Its table and limits; the leaf penalty is a share of the least cost of a single leaf.
    split_matrix : SplitMatrix
    cost : ndarray of shape (n_rows, n_actions), float64
        Not negative, the least of each row 0, weights included.
    limits, options, progress
        As in `treewright.search.solve`; the options are those of the search over binary columns.

    Raises
    ------
    SolverError
        No tree meets the constraints.

    Notes
    -----
    Costs become whole numbers; ``stats["leaves_proven"]`` says whether no tree of equal cost has fewer leaves, which is
    searched where the numbers leave room for counting.
    """
    start, limits = time.perf_counter(), limits.started()
    options = options or BinaryOptions()
    n = problem.table.n_rows
    loss = ActionLoss(cost)
    one_leaf = loss.leaf_loss()
    leaf_penalty = problem.cost_complexity * one_leaf
    whole, scale, rounding = _whole_costs(cost)
    bits = core.BinaryProblem(
        split_matrix.packed,
        np.arange(n, dtype=np.int32),
        np.ones(n, dtype=np.int64),
        whole,
        leaf_penalty=leaf_penalty * scale,
        min_count=problem.min_samples_leaf,
        equivalent_points=options.equivalent_points,
        packed=True,
    )
    making = time.perf_counter() - start
    raw = search_bits(
        bits,
        max_depth=problem.max_depth,
        max_leaves=problem.max_leaf_nodes,
        options=options,
        limits=limits,
        unit=1 / scale,
        progress=progress,
    )
    raw["seconds"] += making
    if not raw["feasible"]:
        raise SolverError(
            f"No tree has {problem.min_samples_leaf} rows in every leaf: the table has {n}. Lower min_samples_leaf."
        )

    def answered() -> AdditiveAnswer:
        splits = tuple(None if column < 0 else split_matrix.splits[column] for column in raw["shape"])
        n_leaves = splits.count(None)
        stop = stop_reason(raw["stop"])
        paid = loss_of(list(splits), problem.table, loss)
        objective = paid + leaf_penalty * n_leaves
        most_leaves = min(n, 2 ** min(30, n if problem.max_depth is None else problem.max_depth))
        if problem.cost_complexity > 0:  # more leaves would cost more than one
            most_leaves = int(min(most_leaves, 1 + 1 / problem.cost_complexity))
        # Each leaf is charged up to 1.5 cost units more than its penalty (core/cost_units.hpp).
        leaf_rounding = (
            1.5 * most_leaves * math.ldexp(1 / scale, -bits.unit_shift) if bits.leaf_penalty else 0.0
        )
        # `loss_of` adds up costs of rows, none below 0, one after the other: each sum is off by 2^-53 of itself.
        counted = raw["upper_bound"] / scale
        # A penalty above all costs together counts as that sum in the engine.
        charged = min(leaf_penalty, math.ldexp(bits.leaf_penalty / scale, -bits.unit_shift))
        is_counted = paid + charged * n_leaves <= (counted + rounding) * (1 + FLOAT + 2.0**-52 * n)
        is_refuted = not is_counted and raw["exact"] and stop is None
        refuted: tuple[str, ...] = ()
        if is_refuted:
            refuted = (
                refute(f"a tree with a regret of {counted:.9g} at most", f"{objective:.9g}", "its own tree"),
            )
        kept = ("seconds", "bytes", "cache_entries", "cache_shed", "row_price_seconds", "row_price_rounds")
        return AdditiveAnswer(
            splits=splits,
            # A run that was stopped while it wrote its tree may have left a worse one than it proved optimal.
            proven=raw["exact"] and not is_refuted and (stop is None or is_counted),
            objective=objective,
            lower_bound=0.0 if is_refuted else max(0.0, raw["lower_bound"] / scale - rounding),
            loss=paid,
            leaf_loss=one_leaf,
            leaf_penalty=leaf_penalty,
            tolerance=2 * rounding + leaf_rounding,
            stop=stop,
            stats={
                "steps": raw["steps"],
                "subproblems": raw["steps"],
                "distinct_rows": bits.n_rows,
                "distinct_columns": bits.n_columns,
                "leaves_proven": bool(raw["leaves_exact"]),
                **{name: raw[name] for name in kept},
                **told_to_stop(stop_reason(raw["ended_by"])),
            },
            options=options.used(),
            refuted=refuted,
        )

    return kept_result(answered)


def _whole_costs(cost: NDArray[np.float64]) -> tuple[NDArray[np.int64], float, float]:
    """Return whole costs, their number in a unit of cost, and what rounding moves the cost of any tree.

    Multiples of a power of two, such as differences of whole numbers, are exact where their sum is small enough, with
    room to count leaves; others fill the bits that the engine has.
    """
    n, n_actions = cost.shape
    total = float(cost.sum())  # above 0: else one leaf is right everywhere
    for room in (LARGEST_TOTAL / (2 * n + 4), LARGEST_TOTAL):
        scale = 2.0 ** math.floor(math.log2((room - n * n_actions) / total)) if room > n * n_actions else 1.0
        whole = np.rint(cost * scale)
        error = float(np.abs(whole - cost * scale).max(axis=1).sum()) / scale
        if error == 0:
            break
    return whole.astype(np.int64), scale, error
