"""Exact search over all thresholds for additive losses: regression trees and their kin.

The engine is that of ``_solve_ranked.py`` with another objective (cpp/include/treewright/objective/); what a loss
adds is in ``_additive_losses.py``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from treewright.binarize import CandidateSplits, candidates_of_text
from treewright.errors import InputError, SolverError
from treewright.result import StopReason
from treewright.search._additive_losses import AdditiveLoss, Units
from treewright.search._kept import kept_result
from treewright.search._limits import Limits, ProgressCallback, stop_reason
from treewright.search._options import RankedOptions
from treewright.search._ranked_run import NOTHING_COUNTED, counts_of, run_arguments
from treewright.search._ranks import rank_matrix, ranked_columns, splits_of
from treewright.search._result import refute
from treewright.search._space import check_ranked_memory
from treewright.table import Table
from treewright.tree import Split

__all__ = ["AdditiveAnswer", "loss_of", "solve_additive"]

MEASURED = (
    2.0**-43
)  # of a loss: float64 adds up what is not negative in pairs, some 70 roundings of 2^-53 deep


@dataclass(frozen=True, eq=False)
class AdditiveAnswer:
    """A tree for an additive loss, and what is proven of it.

    Parameters
    ----------
    splits : tuple of (Split or None)
        The tree depth-first, None for a leaf; the left subtree comes first.
    proven : bool
        Whether no tree within the limits has a lower objective, up to `tolerance`.
    objective : float
        Of the tree: `loss` plus `leaf_penalty` for each leaf.
    lower_bound : float
        No tree within the limits has a lower objective.
    loss : float
        Of the tree, recomputed from its rows.
    leaf_loss : float
        Of a tree of one leaf.
    leaf_penalty : float
        Of a leaf: ``cost_complexity`` times `leaf_loss`, less what every tree pays.
    tolerance : float
        What rounding to integers may hide, in units of the objective.
    stop : StopReason or None
        What ended the run early.
    stats : dict
        Seconds, steps, subproblems and the rest that the engine counts.
    options : dict
        The switches of the engine.
    refuted : tuple of str, default=()
        Why nothing is proven: the tree contradicts what the engine says.
    """

    splits: tuple[Split | None, ...]
    proven: bool
    objective: float
    lower_bound: float
    loss: float
    leaf_loss: float
    leaf_penalty: float
    tolerance: float
    stop: StopReason | None
    stats: dict[str, Any]
    options: dict[str, Any]
    refuted: tuple[str, ...] = ()

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return sum(split is None for split in self.splits)


def solve_additive(
    table: Table,
    loss: AdditiveLoss,
    *,
    cost_complexity: float = 0.0,
    max_depth: int | None = 3,
    max_leaf_nodes: int | None = None,
    min_samples_leaf: int = 1,
    limits: Limits | None = None,
    options: RankedOptions | None = None,
    progress: ProgressCallback | None = None,
    candidates: Sequence[CandidateSplits] | None = None,
    share_of: float | None = None,
) -> AdditiveAnswer:
    """Find a tree of least loss over all thresholds of the table's columns.

    Parameters
    ----------
    table : Table
        Continuous and categorical columns, missing values included.
    loss : AdditiveLoss
        What a leaf costs. The Gini impurity (Brier score) of labels is the squared error of their 0/1 indicators.
    cost_complexity : float, default=0.0
        Leaf penalty as a share of the loss of one leaf over all rows, which is taken without what every tree pays;
        not negative.
    max_depth : int or None, default=3
        Most splits from the root to a leaf; None is no limit.
    max_leaf_nodes : int or None, default=None
        Most leaves; None is no limit.
    min_samples_leaf : int, default=1
        Minimum number of rows in a leaf (rows count, not their weights).
    limits : Limits, default=None
        A step is a pass of the depth-two kernel over up to 4096 rows times columns. With None the only limit is the
        machine's memory.
    options : RankedOptions, default=None
    progress : callable, default=None
        Called about 20 times a second with a `Progress`; a true return value stops the search.
    candidates : sequence of CandidateSplits, default=None
        What the columns offer, where that is known already; None is every split.
    share_of : float, default=None
        Loss that `cost_complexity` is a share of, at least that of one leaf; None is that.

    Returns
    -------
    AdditiveAnswer

    Raises
    ------
    InputError
        If the loss has another number of rows than the table, or numbers that are not finite, or no weight.
    SolverError
        If there are fewer rows than ``min_samples_leaf``.

    Warns
    -----
    RefutedProofWarning
        The tree contradicts what the engine says. It is handed out without any claim.

    Notes
    -----
    Integers are compared, so equal is equal and the answer does not depend on the machine. Among trees of equal
    integer loss one with the fewest leaves is returned. What is lost to rounding stands in ``tolerance``, about 1e-11
    of the loss of one leaf.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.search._additive import solve_additive
    >>> from treewright.search._additive_losses import SquaredErrorLoss
    >>> from treewright.table import Table
    >>> from treewright.tree import Column, ColumnKind
    >>> table = Table((Column("x", ColumnKind.CONTINUOUS, (), False),), np.array([[1.0], [2.0], [3.0], [4.0]]))
    >>> answer = solve_additive(table, SquaredErrorLoss(np.array([5.0, 5.0, 9.0, 9.0])), max_depth=1)
    >>> answer.splits[0].threshold, answer.loss, answer.proven
    (2.5, 0.0, True)
    """
    limits, options = limits or Limits(), options or RankedOptions()
    n = table.n_rows
    loss.check(n)
    if not (cost_complexity >= 0 and np.isfinite(cost_complexity)):
        raise InputError(f"cost_complexity={cost_complexity!r}; give a finite number not below 0.")
    if n < min_samples_leaf:
        raise SolverError(
            f"No tree has {min_samples_leaf} rows in every leaf: the table has {n}. Lower min_samples_leaf."
        )
    leaf_loss = loss.leaf_loss()
    unavoidable = loss.unavoidable()
    max_leaves = min(
        n,
        2 ** min(30, n if max_depth is None else max_depth),
        n if max_leaf_nodes is None else max_leaf_nodes,
    )
    if cost_complexity > 0:  # more leaves would cost more than one
        max_leaves = int(min(max_leaves, 1 + 1 / cost_complexity))
    leaf_penalty = cost_complexity * (max(leaf_loss - unavoidable, 0.0) if share_of is None else share_of)
    units = loss.units(leaf_penalty, max_leaves, min_samples_leaf > 1)
    if max_depth == 0 or max_leaf_nodes == 1:  # nothing to search, and no column to rank
        tolerance = units.tolerance(leaf_loss + leaf_penalty, 1)
        return AdditiveAnswer(
            (None,),
            True,
            leaf_loss + leaf_penalty,
            leaf_loss + leaf_penalty - tolerance,
            leaf_loss,
            leaf_loss,
            leaf_penalty,
            tolerance,
            None,
            NOTHING_COUNTED,
            options.used(),
        )
    offered = list(candidates_of_text(table).values()) if candidates is None else candidates
    check_ranked_memory(table, offered, limits)
    ranked = ranked_columns(table, offered)

    answer = loss.native(
        rank_matrix(ranked, n),
        units,
        min_leaf=min_samples_leaf,
        **run_arguments(
            n,
            max_depth=max_depth,
            max_leaves=max_leaf_nodes,
            limits=limits,
            options=options,
            progress=progress,
            objective=units.loss,
        ),
    )

    def answered() -> AdditiveAnswer:
        splits = splits_of(answer["nodes"], ranked)
        tree_loss = loss_of(splits, table, loss)
        n_leaves = sum(split is None for split in splits)
        objective = tree_loss + leaf_penalty * n_leaves
        lower, upper = answer["lower"], answer["upper"]
        tolerance = units.tolerance(objective, max_leaves)
        bound = min(objective, max(unavoidable, units.loss(lower) - tolerance))
        counted = units.loss(upper - n_leaves * units.leaf)
        found = AdditiveAnswer(
            tuple(splits),
            lower == upper,
            objective,
            bound,
            tree_loss,
            leaf_loss,
            leaf_penalty,
            tolerance,
            stop_reason(answer["stop"]),
            counts_of(answer),
            options.used(),
        )
        least = units.loss(lower) - units.tolerance(objective, max_leaves)
        return _held_to_its_tree(found, units, counted, least)

    return kept_result(answered)


def _held_to_its_tree(found: AdditiveAnswer, units: Units, counted: float, least: float) -> AdditiveAnswer:
    """Withdraw what is claimed if the tree costs more than was `counted`, or less than the `least` of any tree.

    Rounding explains the tolerance of one tree and `Units.room`, whose proofs stand beside them, and `MEASURED`. What
    is beyond that was counted wrongly, but for a run that was stopped while its tree was written.
    """
    room = units.room + MEASURED * abs(found.objective)
    if found.loss > counted + units.tolerance(found.loss, found.n_leaves) + room:
        if found.stop is not None:
            return replace(found, proven=False)
        note = refute(f"a tree with a loss of {counted:.9g} at most", f"{found.loss:.9g}", "its own tree")
    elif found.objective < least - room:
        note = refute(f"no objective below {least:.9g}", f"{found.objective:.9g}", "its own tree")
    elif units.of_one_tree:  # what rounding moved the tree that was found is known
        return replace(found, tolerance=found.tolerance + max(0.0, found.loss - counted))
    else:
        return found
    return replace(found, proven=False, lower_bound=-math.inf, refuted=(note,))


def loss_of(splits: list[Split | None], table: Table, loss: AdditiveLoss) -> float:
    """Return the loss of a tree, each leaf with its best value."""
    position, total = 0, 0.0
    stack = [np.arange(table.n_rows)]
    while stack:
        rows = stack.pop()
        split = splits[position]
        position += 1
        if split is None:
            total += loss.leaf_loss(rows)
            continue
        left = split.goes_left(table.X, rows)
        stack += [rows[~left], rows[left]]
    return total
