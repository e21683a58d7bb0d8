"""One model of all rows, for the leaves whose own rows are too few to teach a better one.

Cutting the table into leaves leaves each model a small part of the rows. What the tree does not know about a row, a
model of all rows often tells better than one of the leaf alone. So it is cross-validated once, and leaf by leaf it
stands beside the tree and the leaf's own model. Not in the paper, where every leaf has a model of its own.

The default model is tried with trees of depth three as well, which learn less of the noise; and where most of its
rounds are needed, with larger trees and steps. The least log loss on held-out rows decides, without what a model loses
by being too sure of itself (`_rounds.py`). A model that was given is taken with the parameters that it has. Cost: folds
+ 1 fits of all rows; folds more for each of the settings that are tried. Where there is a limit, settings are not tried
if the leaves would need that time.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from treewright.leaf_accuracy._inputs import Inputs
from treewright.leaf_accuracy._leaf_models import readable, seeded
from treewright.leaf_accuracy._rounds import NO_LIMIT, Rounds, choose_rounds
from treewright.leaf_accuracy._timed_fits import Clock, expected_times, fit_in_time
from treewright.tree import Tree

__all__ = ["Shared", "cross_validate_alone", "fit_shared", "shared_model"]

FEW_SPLITS: dict[str, Any] = {"max_depth": 3}
MANY_SPLITS: dict[str, Any] = {"max_leaf_nodes": 63, "learning_rate": 0.2, "max_iter": 200}
LAST = 0.5  # of its rounds: a model whose best number is beyond may not have learned all
# Time of a fit over that with the usual settings, at most: measured .3 to .8, and 1 to 3.5, on 100 to 30,000 rows.
TIMES = {"few": 1.0, "many": 4.0}
SLACK = 1.5  # of what the leaves are thought to need


@dataclass(frozen=True, eq=False)
class Shared:
    """A model of all rows.

    Parameters
    ----------
    rounds : Rounds
        How often it is right on held-out rows, and on which.
    classes : ndarray of shape (n_model_classes,), int64
        The model's class k is ``classes[k]`` of the tree's.
    model : classifier
        Fitted; it need not be where no leaf prefers it to the tree.
    settings : mapping, default={}
        Parameters that did better than the usual ones; empty if none did, or none were tried.
    """

    rounds: Rounds
    classes: NDArray[np.int64]
    model: Any
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def parameters(self) -> dict[str, Any]:
        """What cross-validation chose: settings and rounds."""
        rounds = {} if self.rounds.name is None else {self.rounds.name: self.rounds.number}
        return {**self.settings, **rounds}

    def classify(self, tree: Tree, X: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the position in ``tree.classes`` that the fitted model alone predicts for each encoded row."""
        with threadpool_limits(limits=1, user_api="openmp"):
            inputs = readable(self.model, Inputs.of(tree.columns).matrix(X))
            found = np.asarray(self.model.predict(inputs))
        return self.classes[found.astype(np.int64)]


def cross_validate_alone(
    tree: Tree,
    X: NDArray[np.float64],
    y: NDArray[np.int64],
    sample_weight: NDArray[np.float64] | None,
    model: Any,
    *,
    n_folds: int = 3,
    random_state: np.random.RandomState,
    clock: Clock = NO_LIMIT,
    try_until: Clock | None = None,
) -> Shared | None:
    """Choose the rounds of one model of all rows, and its settings if that is asked; it is not fitted yet.

    Parameters
    ----------
    tree : Tree
        Its columns are those of `X`.
    X : ndarray of shape (n_rows, n_columns), float64
        Encoded rows.
    y : ndarray of shape (n_rows,)
        Positions in ``tree.classes``.
    sample_weight : ndarray of shape (n_rows,), or None
    model : classifier
        Not fitted; cloned.
    n_folds : int, default=3
    random_state : RandomState
        Gives one seed, whatever happens.
    clock : Clock
        Of the model as it is.
    try_until : Clock or None, default=None
        Tries other settings, which need the default model. When everything must be done, fits of this model and of the
        leaves included; settings that would take their time are left out. None tries none.

    Returns
    -------
    Shared or None
        None if there are fewer rows than folds, one class, or no time for all rounds.
    """
    seed = int(random_state.randint(2**31 - 1))
    if clock.is_over:
        return None
    classes, own = np.unique(y, return_inverse=True)
    if len(y) < n_folds or len(classes) < 2:
        return None
    inputs = readable(model, Inputs.of(tree.columns).matrix(X))

    def tried(settings: dict[str, Any], clock: Clock) -> tuple[Any, Rounds | None]:
        made = seeded(clone(model), seed).set_params(**settings)
        with threadpool_limits(limits=1, user_api="openmp"):
            return made, choose_rounds(
                made, inputs, own, sample_weight, n_folds=n_folds, seed=seed, clock=clock, only_whole=True
            )

    began = time.monotonic()
    made, rounds = tried({}, clock)
    if rounds is None:
        return None
    each = (time.monotonic() - began) / n_folds
    chosen: dict[str, Any] = {}
    if try_until is not None:
        unfinished = rounds.number > LAST * model.max_iter
        for name, settings in {"few": FEW_SPLITS, **({"many": MANY_SPLITS} if unfinished else {})}.items():
            spare = try_until.less(SLACK * each * (n_folds + 1) * leaves_over_all(tree, X, y))
            if spare.left() < each * (n_folds + 1) * TIMES[name]:
                continue
            other, theirs = tried(settings, spare)
            if theirs is not None and theirs.loss < rounds.loss:
                made, rounds, chosen = other, theirs, settings
    if rounds.name is not None:
        made.set_params(**{rounds.name: rounds.number})
    return Shared(rounds, classes, made, chosen)


def leaves_over_all(tree: Tree, X: NDArray[np.float64], y: NDArray[np.int64]) -> float:
    """Return how much longer a model in each leaf takes than one of all rows; pure leaves get none."""
    leaf = tree.apply(X)
    n_rows = np.bincount(leaf)
    pure = np.zeros(len(n_rows), dtype=np.bool_)
    for of_class in np.unique(y):
        pure |= np.bincount(leaf[y == of_class], minlength=len(n_rows)) == n_rows
    return float(expected_times(n_rows[~pure]).sum() / expected_times(np.array([len(y)])).sum())


def fit_shared(
    shared: Shared,
    tree: Tree,
    X: NDArray[np.float64],
    y: NDArray[np.int64],
    sample_weight: NDArray[np.float64] | None,
    clock: Clock = NO_LIMIT,
    by_tree: NDArray[np.bool_] | None = None,
) -> bool:
    """Fit the model on all rows if it does better than the tree in some leaf; say whether there was time for it.

    `by_tree` says which rows the tree gets right; None counts its training rows.
    """
    weight = np.ones(len(y)) if sample_weight is None else sample_weight
    leaf = tree.apply(X)
    right = tree.prediction[leaf] == y if by_tree is None else by_tree
    ahead = np.bincount(leaf, weights=weight * (shared.rounds.right * 1.0 - right))
    return not (ahead > 0).any() or _fit(shared, tree, X, y, sample_weight, clock)


def _fit(
    shared: Shared,
    tree: Tree,
    X: NDArray[np.float64],
    y: NDArray[np.int64],
    sample_weight: NDArray[np.float64] | None,
    clock: Clock,
) -> bool:
    """Fit the model on all rows; say whether there was time for it."""
    inputs = readable(shared.model, Inputs.of(tree.columns).matrix(X))
    with threadpool_limits(limits=1, user_api="openmp"):
        return fit_in_time(shared.model, inputs, np.searchsorted(shared.classes, y), sample_weight, clock)


def shared_model(
    tree: Tree,
    X: NDArray[np.float64],
    y: NDArray[np.int64],
    sample_weight: NDArray[np.float64] | None,
    model: Any,
    *,
    random_state: np.random.RandomState,
    try_settings: bool = False,
) -> Shared | None:
    """Return the model of all rows, fitted in any case; `try_settings` tries others than its own, of the default model.

    The other parameters are those of `cross_validate_alone`.
    """
    try_until = NO_LIMIT if try_settings else None
    alone = cross_validate_alone(
        tree, X, y, sample_weight, model, random_state=random_state, try_until=try_until
    )
    if alone is not None:
        _fit(alone, tree, X, y, sample_weight, NO_LIMIT)
    return alone
