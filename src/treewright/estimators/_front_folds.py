"""Fronts of the folds of a cross-validation: what is done for one fold, anywhere, and what comes back."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import InputError
from treewright.problem import Problem, RegressionProblem
from treewright.result import StopReason
from treewright.search import Frontier, Limits
from treewright.tree import Tree, mean_of, quantile_of

__all__ = [
    "Fold",
    "FoldFront",
    "FrontOf",
    "HeldOut",
    "fold_of",
    "held_out_costs",
    "held_out_losses",
    "search_fold",
]

SAME = 1e-12  # as in `Frontier.select`: objectives that differ by no more are equal but for their rounding
FrontOf = Callable[[Any, Limits], Frontier]
HeldOut = Callable[[Any, NDArray[np.int64], Tree], float]


@dataclass(frozen=True, eq=False)
class Fold:
    """One fold of a problem, as the numbers of its rows: the table itself is shared by all folds.

    A worker process gets a table of more than a megabyte as a memory map that joblib writes once, and cuts its own
    rows out of it.

    Parameters
    ----------
    problem : Problem or RegressionProblem
        Of all rows.
    train, test : ndarray of int64
        Rows to learn from, and rows held out.
    min_samples_leaf : int
        Of the training rows.
    """

    problem: Problem | RegressionProblem
    train: NDArray[np.int64]
    test: NDArray[np.int64]
    min_samples_leaf: int

    def training_problem(self) -> Any:
        """Return the problem of the training rows; classes, costs and the encoding stay those of the whole."""
        return self.problem.take(self.train, self.min_samples_leaf)


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

    def at_penalty(self, leaf_penalty: float) -> int:
        """Return the position of the tree that a leaf penalty selects; ties go to fewer leaves."""
        cost = self.train_loss + leaf_penalty * self.n_leaves
        return int(np.flatnonzero(cost <= cost.min() * (1 + SAME))[0])  # leaves ascend


def fold_of(
    problem: Problem | RegressionProblem,
    train: NDArray[np.int64],
    test: NDArray[np.int64],
    min_samples_leaf: int | float,
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


def search_fold(fold: Fold, front_of: FrontOf, held_out: HeldOut, limits: Limits) -> FoldFront:
    """Find the front of the training rows and its losses on the rows held out.

    Runs in worker processes, on whatever machine joblib's backend chooses: everything it needs is in its arguments.

    Parameters
    ----------
    fold : Fold
    front_of : callable
        ``front_of(problem, limits)``.
    held_out : callable
        ``held_out(problem, rows, tree)``.
    limits : Limits
    """
    frontier = front_of(fold.training_problem(), limits)
    return FoldFront(
        n_leaves=np.array([result.tree.n_leaves for result in frontier.limits]),
        train_loss=np.array([result.loss for result in frontier.limits]),
        test_loss=np.array([held_out(fold.problem, fold.test, result.tree) for result in frontier.limits]),
        proven_leaves=frontier.proven_leaves,
        seconds=float(frontier.stats["seconds"]),
        interrupted=frontier.asked_to_stop is StopReason.INTERRUPT,
    )


def held_out_costs(whole: Problem, rows: NDArray[np.int64], tree: Tree) -> float:
    """Return the mean cost of a classification tree on some rows of a problem."""
    y, weight = whole.y[rows], whole.sample_weight[rows]
    answer = tree.prediction[tree.apply(whole.table.X[rows])]
    return float((weight * whole.costs[y, answer]).sum() / weight.sum())


def held_out_losses(whole: RegressionProblem, rows: NDArray[np.int64], tree: Tree) -> float:
    """Return the mean loss of a regression tree on some rows, as a share of that of all rows in a single leaf.

    For squared error that is a share of the variance. A Poisson deviance is infinite where a target above 0 falls into
    a leaf that predicts 0. Targets are first divided by a power of two, so that no square overflows.
    """
    exponent = int(np.frexp(max(float(np.abs(whole.y).max()), np.finfo(np.float64).tiny))[1]) + 2
    y, weight = np.ldexp(whole.targets, -exponent), whole.sample_weight
    leaf = [
        mean_of(one, weight) if whole.share is None else quantile_of(one, weight, whole.share) for one in y.T
    ]
    single = float(np.average(_losses(whole, y, np.array(leaf)), weights=weight))
    if single == 0:
        return 0.0
    said = np.ldexp(tree.predict(whole.table.X[rows]).reshape(len(rows), -1), -exponent)
    return float(np.average(_losses(whole, y[rows], said), weights=weight[rows])) / single


def _losses(
    problem: RegressionProblem, y: NDArray[np.float64], said: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the loss of each row, summed over the outputs, where a tree says `said`."""
    apart = y - said
    if problem.share is not None:
        up, down = problem.share.numerator, problem.share.denominator - problem.share.numerator
        lost = np.where(apart > 0, up * apart, -down * apart)
    elif problem.criterion == "poisson":
        with np.errstate(divide="ignore", invalid="ignore"):
            lost = np.where(y > 0, y * (np.log(y) - np.log(said)) - apart, said)
    elif problem.criterion == "gamma":
        lost = np.log(said) - np.log(y) + apart / said
    else:
        lost = apart**2
    return np.asarray(lost.sum(axis=1), dtype=np.float64)
