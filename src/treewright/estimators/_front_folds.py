"""Fronts of the folds of a cross-validation: what is done for one fold, anywhere, and what comes back."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from treewright.errors import InputError
from treewright.problem import Problem
from treewright.result import StopReason
from treewright.search import Limits, SearchOptions, solve_frontier
from treewright.search._space import Thresholds

__all__ = ["Fold", "FoldFront", "fold_of", "search_fold"]


@dataclass(frozen=True, eq=False)
class Fold:
    """The training rows as a problem, and the rows held out.

    Parameters
    ----------
    problem : Problem
    X : ndarray of shape (n_held_out, n_columns), float64
        Encoded as the problem's table.
    y : ndarray of shape (n_held_out,), int32
    sample_weight : ndarray of shape (n_held_out,), float64
    """

    problem: Problem
    X: NDArray[np.float64]
    y: NDArray[np.int32]
    sample_weight: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class FoldFront:
    """One fold's trees for 1, 2, ... leaves, as numbers.

    Parameters
    ----------
    n_leaves : ndarray of shape (max_leaves,), int64
        Leaves of the tree with at most 1, 2, ... leaves.
    train_loss, test_loss : ndarray of shape (max_leaves,), float64
    proven_leaves : int
    seconds : float
    interrupted : bool
        By Ctrl-C, in this process.
    """

    n_leaves: NDArray[np.int64]
    train_loss: NDArray[np.float64]
    test_loss: NDArray[np.float64]
    proven_leaves: int
    seconds: float
    interrupted: bool

    def at_price(self, price: float) -> int:
        """Return the position of the tree that a price of a leaf selects; ties go to fewer leaves."""
        cost = self.train_loss + price * self.n_leaves
        return int(np.lexsort((self.n_leaves, cost))[0])


def fold_of(
    problem: Problem, train: NDArray[np.int64], test: NDArray[np.int64], min_samples_leaf: int | float
) -> Fold:
    """Cut a problem's rows in two; classes, costs and the encoding stay those of the whole."""
    least = problem.min_samples_leaf
    if isinstance(min_samples_leaf, float):  # a fraction, here of fewer rows
        least = max(1, math.ceil(min_samples_leaf * len(train)))
    if least > len(train):
        raise InputError(
            f"min_samples_leaf={min_samples_leaf!r} is above the {len(train)} training rows of a fold: not even a "
            "single leaf is allowed. Lower it, or give more folds."
        )
    part = replace(
        problem,
        table=problem.table.take(train),
        y=problem.y[train],
        sample_weight=problem.sample_weight[train],
        min_samples_leaf=least,
        rows=None,
        notes=(),
    )
    return Fold(part, problem.table.X[test], problem.y[test], problem.sample_weight[test])


def search_fold(
    fold: Fold, thresholds: Thresholds, limits: Limits, options: SearchOptions | None
) -> FoldFront:
    """Find the front of the training rows and its losses on the rows held out.

    Runs in worker processes, on whatever machine joblib's backend chooses: everything it needs is in its arguments.
    """
    frontier = solve_frontier(fold.problem, thresholds, limits=limits, options=options)
    total = fold.sample_weight.sum()
    test_loss = []
    for result in frontier.limits:
        answer = result.tree.prediction[result.tree.apply(fold.X)]
        test_loss.append(float((fold.sample_weight * fold.problem.costs[fold.y, answer]).sum() / total))
    return FoldFront(
        n_leaves=np.array([result.tree.n_leaves for result in frontier.limits]),
        train_loss=np.array([result.loss for result in frontier.limits]),
        test_loss=np.array(test_loss),
        proven_leaves=frontier.proven_leaves,
        seconds=float(frontier.stats["seconds"]),
        interrupted=frontier.stop_reason is StopReason.INTERRUPT,
    )
