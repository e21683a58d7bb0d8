"""Leaf accuracy of candidates on held-back rows, for `LeafAccuracyTreeClassifierCV`."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from treewright.estimators._interrupt import InnerFits
from treewright.estimators._leaf_accuracy import LeafAccuracyTreeClassifier
from treewright.result import StopReason
from treewright.search import Limits
from treewright.table import Table

__all__ = ["HeldBackScores", "score_candidates"]


@dataclass
class HeldBackScores:
    """What the fits on the training parts gave, split by split, candidate by candidate."""

    scores: list[float] = field(default_factory=list)  # worst leaf on held-back rows
    right: list[float] = field(default_factory=list)
    unproven: int = 0
    interrupted: bool = False
    late: bool = False  # whether the time was over before the last fit


def score_candidates(
    model: LeafAccuracyTreeClassifier,
    candidates: Sequence[dict[str, Any]],
    splits: Sequence[tuple[NDArray[np.intp], NDArray[np.intp]]],
    table: Table,
    labels: NDArray[Any],
    weight: NDArray[np.float64],
    limits: Callable[[int], Limits | StopReason],
    inner: InnerFits,
) -> HeldBackScores:
    """Fit and score, until the time is over or Ctrl-C comes.

    Parameters
    ----------
    model : LeafAccuracyTreeClassifier
    candidates : sequence of dict
    splits : sequence of (training rows, held-back rows)
    table, labels, weight
        Of all rows. Parts of the table keep its categories: a held-back row may have one that no training row has.
    limits : callable
        Limits of a fit of which so many, itself included, are to come; the reason where nothing is left.
    inner : InnerFits
        These fits, which return when they are interrupted.
    """
    found = HeldBackScores()
    to_come = len(splits) * len(candidates)
    try:
        for train, test in splits:
            part, held = None, table.X[:0]
            for candidate in candidates:
                left = limits(to_come)
                if isinstance(left, StopReason):
                    found.late = True
                    return found
                to_come -= 1
                if part is None:
                    part, held = table.take(train), table.X[test]
                fitted = clone(model).set_params(**candidate, time_limit=left.time_limit)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", ConvergenceWarning)
                    stated = partial(fitted._problem, None, labels[train], weight[train], part)
                    fitted._find(fitted._started(), stated)
                if inner.interrupted:
                    found.interrupted = True
                    return found
                score, right = _score(fitted, held, labels[test], weight[test])
                found.scores.append(score)
                found.right.append(right)
                found.unproven += fitted.result_.stop_reason is not None
    except KeyboardInterrupt:  # between two searches
        found.interrupted = True
        del found.scores[len(found.right) :]
    return found


def _score(
    model: LeafAccuracyTreeClassifier, X: NDArray[np.float64], y: NDArray[Any], weight: NDArray[np.float64]
) -> tuple[float, float]:
    """Return the least share of a leaf's held-back weight that it predicts right, and the share of all."""
    tree = model.tree_
    leaf = tree.apply(X)
    right = np.bincount(leaf, weights=weight * (tree.predict(X) == y), minlength=tree.node_count)
    total = np.bincount(leaf, weights=weight, minlength=tree.node_count)
    reached = total > 0
    if not reached.any():
        return 0.0, 0.0
    return float((right[reached] / total[reached]).min()), float(right.sum() / total.sum())
