"""One model of all rows, for the leaves whose own rows are too few to teach a better one.

Cutting the table into leaves leaves each model a small part of the rows. What the tree does not know about a row, a
model of all rows often tells better than one of the leaf alone. So it is cross-validated once, and leaf by leaf it
stands beside the tree and the leaf's own model. Not in the paper, where every leaf has a model of its own.

Histogram boosting whose parameters nobody has set is tried with trees of depth three as well, which learn less of the
noise; and where no number of its rounds was too many, with larger trees and steps. The least log loss on held-out rows
decides. Cost: folds + 1 fits of all rows; folds more for each of the settings that are tried.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier
from threadpoolctl import threadpool_limits

from treewright.leaf_accuracy._inputs import Inputs
from treewright.leaf_accuracy._leaf_models import seeded
from treewright.leaf_accuracy._rounds import NO_LIMIT, Rounds, choose_rounds
from treewright.leaf_accuracy._timed_fits import Clock, fit_in_time
from treewright.tree import Tree

__all__ = ["Shared", "cross_validate_alone", "fit_shared", "shared_model"]

FEW_SPLITS: dict[str, Any] = {"max_depth": 3}
MANY_SPLITS: dict[str, Any] = {"max_leaf_nodes": 63, "learning_rate": 0.2, "max_iter": 200}
LAST = 0.8  # of its rounds: a model whose best number is beyond has not learned all
NOT_SETTINGS = {
    "random_state",
    "categorical_features",
    "verbose",
}  # parameters that say nothing of how it learns


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
    cut_short : bool, default=False
        Whether there was no time for all settings.
    """

    rounds: Rounds
    classes: NDArray[np.int64]
    model: Any
    cut_short: bool = False


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
) -> Shared | None:
    """Choose the rounds of one model of all rows, and its settings if nobody has; it is not fitted yet.

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

    Returns
    -------
    Shared or None
        None if there are fewer rows than folds, one class, or no time for all rounds.
    """
    seed = int(random_state.randint(2**31 - 1))
    classes, own = np.unique(y, return_inverse=True)
    if len(y) < n_folds or len(classes) < 2:
        return None
    inputs = Inputs.of(tree.columns).matrix(X)

    def tried(settings: dict[str, Any]) -> tuple[Any, Rounds | None]:
        made = seeded(clone(model), seed).set_params(**settings)
        with threadpool_limits(limits=1, user_api="openmp"):
            rounds = choose_rounds(made, inputs, own, sample_weight, n_folds=n_folds, seed=seed, clock=clock)
        return made, rounds if rounds is not None and rounds.whole else None

    made, rounds = tried({})
    if rounds is None:
        return None
    cut_short = False
    if _is_as_it_comes(model):
        unfinished = rounds.number > LAST * model.max_iter
        for settings in (FEW_SPLITS, MANY_SPLITS) if unfinished else (FEW_SPLITS,):
            other, theirs = tried(settings)
            cut_short |= theirs is None
            if theirs is not None and theirs.loss < rounds.loss:
                made, rounds = other, theirs
    if rounds.name is not None:
        made.set_params(**{rounds.name: rounds.number})
    return Shared(rounds, classes, made, cut_short)


def _is_as_it_comes(model: Any) -> bool:
    """Whether it is histogram boosting of which no parameter is set."""
    if type(model) is not HistGradientBoostingClassifier:
        return False
    usual = HistGradientBoostingClassifier().get_params()
    return all(usual[name] == value for name, value in model.get_params().items() if name not in NOT_SETTINGS)


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
    if not (ahead > 0).any():
        return True
    inputs = Inputs.of(tree.columns).matrix(X)
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
) -> Shared | None:
    """Return the model of all rows, fitted; the parameters are those of `cross_validate_alone`."""
    alone = cross_validate_alone(tree, X, y, sample_weight, model, random_state=random_state)
    if alone is not None:
        fit_shared(alone, tree, X, y, sample_weight)
    return alone
