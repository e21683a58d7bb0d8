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
    """One fold of a problem, as the numbers of its rows: the table itself is shared by all folds.

    A worker process gets a table of more than a megabyte as a memory map that joblib writes once, and cuts its own
    rows out of it.

    Parameters
    ----------
    problem : Problem
        Of all rows.
    train, test : ndarray of int64
        Rows to learn from, and rows held out.
    min_samples_leaf : int
        Of the training rows.
    """

    problem: Problem
    train: NDArray[np.int64]
    test: NDArray[np.int64]
    min_samples_leaf: int

    def training_problem(self) -> Problem:
        """Return the problem of the training rows; classes, costs and the encoding stay those of the whole."""
        whole = self.problem
        return replace(
            whole,
            table=whole.table.take(self.train),
            y=whole.y[self.train],
            sample_weight=whole.sample_weight[self.train],
            min_samples_leaf=self.min_samples_leaf,
            rows=None,
            notes=(),
        )


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
    """Cut a problem's rows in two; a fraction of rows in a leaf is one of the training rows."""
    least = problem.min_samples_leaf
    if isinstance(min_samples_leaf, float):
        least = max(1, math.ceil(min_samples_leaf * len(train)))
    if least > len(train):
        raise InputError(
            f"min_samples_leaf={min_samples_leaf!r} is above the {len(train)} training rows of a fold: not even a "
            "single leaf is allowed. Lower it, or give more folds."
        )
    return Fold(problem, train, test, least)


def search_fold(
    fold: Fold, thresholds: Thresholds, limits: Limits, options: SearchOptions | None
) -> FoldFront:
    """Find the front of the training rows and its losses on the rows held out.

    Runs in worker processes, on whatever machine joblib's backend chooses: everything it needs is in its arguments.
    """
    whole, test = fold.problem, fold.test
    frontier = solve_frontier(fold.training_problem(), thresholds, limits=limits, options=options)
    X, y, weight = whole.table.X[test], whole.y[test], whole.sample_weight[test]
    total = weight.sum()
    test_loss = []
    for result in frontier.limits:
        answer = result.tree.prediction[result.tree.apply(X)]
        test_loss.append(float((weight * whole.costs[y, answer]).sum() / total))
    return FoldFront(
        n_leaves=np.array([result.tree.n_leaves for result in frontier.limits]),
        train_loss=np.array([result.loss for result in frontier.limits]),
        test_loss=np.array(test_loss),
        proven_leaves=frontier.proven_leaves,
        seconds=float(frontier.stats["seconds"]),
        interrupted=frontier.stop_reason is StopReason.INTERRUPT,
    )
