"""How many rounds of boosting a set of rows deserves, by cross-validation.

Where labels are noisy, a boosted model with the usual hundred rounds learns the noise of a leaf's few rows by heart;
where they are not, ten rounds are too few. What a model says after each round is known once it is fitted, so one fit
a fold tells the loss on held-out rows after 1, 2, ... rounds. The number of least log loss is taken, the smallest of
equals: log loss moves with every round, while the share of right rows is a count of few rows that jumps. What a model
loses only by being too sure of itself does not count (`_temperature.py`): more rounds often make it surer before they
make its answers worse. How often that number is right on held-out rows, and on which, is what the tree is compared with
(`_hybrid.py`). A model without rounds is taken as it is. Not in the paper, which tunes (`_tune.py`). Cost: folds fits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import KFold, StratifiedKFold

from treewright.leaf_accuracy._leaf_models import family
from treewright.leaf_accuracy._temperature import cooled
from treewright.leaf_accuracy._timed_fits import Clock, fit_in_time, most_rounds, rounds_name

__all__ = ["Rounds", "choose_rounds"]

NO_LIMIT = Clock()
LEAST_SHARE = 1e-6  # of a class that is there: a model that rules it out pays for this much


@dataclass(frozen=True, eq=False)
class Rounds:
    """What was chosen.

    Parameters
    ----------
    number : int
        Rounds, at least 1. 1 is all of a model without rounds.
    name : str or None
        The model's parameter for it; None if it has none.
    right : ndarray of shape (n_rows,), bool
        Whether that number of rounds, fitted without the row's fold, gives its class.
    accuracy : float
        The share of these rows, by weight.
    loss : float
        Log loss of that number of rounds on held-out rows, all together, at the best temperature of each fold.
    whole : bool
        Whether there was time for all rounds of all folds.
    temperature : float
        Of its probabilities: the geometric mean over the folds, at least 1. 1 for a model without rounds.
    """

    number: int
    name: str | None
    right: NDArray[np.bool_]
    accuracy: float
    loss: float
    whole: bool = True
    temperature: float = 1.0


def choose_rounds(
    model: Any,
    X: NDArray[np.float64],
    y: NDArray[np.int64],
    sample_weight: NDArray[np.float64] | None,
    *,
    n_folds: int = 3,
    seed: int = 0,
    clock: Clock = NO_LIMIT,
    only_whole: bool = False,
) -> Rounds | None:
    """Choose the number of rounds for some rows.

    Parameters
    ----------
    model : classifier
        Not fitted, with its own seed set; its own number of rounds is the largest that is tried.
    X : ndarray of shape (n_rows, n_inputs)
    y : ndarray of shape (n_rows,)
        Whole numbers from 0. Folds are stratified if each class has at least `n_folds` rows.
    sample_weight : ndarray of shape (n_rows,) or None
    n_folds : int, default=3
        At most the number of rows.
    seed : int, default=0
        Of the folds.
    clock : Clock
        Each fold has an equal part of the time, and so has a fit that follows.
    only_whole : bool, default=False
        Give up at the first fold without time for all rounds.

    Returns
    -------
    Rounds or None
        None if the time was over before all folds had a model, or it was given up.
    """
    if clock.is_over:  # folds of many rows take time to make
        return None
    most = most_rounds(model)
    weight = np.ones(len(y)) if sample_weight is None else sample_weight
    loss, sureness = np.zeros(most), np.zeros(most)
    whole = True
    few = np.bincount(y)[np.unique(y)].min() < n_folds
    split = (KFold if few else StratifiedKFold)(n_folds, shuffle=True, random_state=seed).split(X, y)
    folds = []
    for fold, (train, held_out) in enumerate(split):
        if clock.is_over:
            return None
        known, own = np.unique(y[train], return_inverse=True)
        made = None  # one class needs no model
        if len(known) > 1:
            made = clone(model)
            weights = None if sample_weight is None else sample_weight[train]
            whole &= fit_in_time(made, X[train], own, weights, clock.share(1 / (n_folds + 1 - fold)))
            if only_whole and not whole:
                return None
        truth = y[held_out]
        place = np.clip(np.searchsorted(known, truth), 0, len(known) - 1)
        there = known[place] == truth
        own_weight = weight[held_out]
        unknown = -np.log(LEAST_SHARE) * float(own_weight[~there].sum())
        losses, powers = [], [1.0]
        for shares in _staged(made, X[held_out]):
            logs = np.log(np.clip(shares[there], LEAST_SHARE, None))
            if most == 1:
                mine = -float(own_weight[there] @ logs[np.arange(len(logs)), place[there]])
            else:
                mine, power = cooled(logs, place[there], own_weight[there], powers[-1])
                powers.append(power)
            losses.append(mine + unknown)
        loss += losses + losses[-1:] * (most - len(losses))  # a model may stop by its own rule
        powers = powers[1:] or [1.0]
        sureness += np.log(powers + powers[-1:] * (most - len(powers))) / n_folds
        folds.append((made, known, held_out))
    number = int(np.argmin(loss)) + 1
    right = np.zeros(len(y), dtype=np.bool_)
    for made, known, held_out in folds:
        if made is not None and family(made) is None:  # some predict another class than the most probable one
            answer = known[np.asarray(made.predict(X[held_out])).astype(np.int64)]
        else:
            for stage, shares in enumerate(_staged(made, X[held_out]), start=1):
                answer = known[shares.argmax(axis=1)]
                if stage == number:
                    break
        right[held_out] = answer == y[held_out]
    accuracy = float(np.average(right, weights=weight))
    temperature = float(np.exp(-sureness[number - 1]))
    return Rounds(number, rounds_name(model), right, accuracy, float(loss[number - 1]), whole, temperature)


def _staged(model: Any, X: NDArray[np.float64]) -> Iterator[NDArray[np.float64]]:
    """Yield the probabilities that a fitted model gives after 1, 2, ... rounds; None is a model of one class."""
    kind = None if model is None else family(model)
    if model is None:
        yield np.ones((len(X), 1))
    elif kind == "boosting":
        yield from model.staged_predict_proba(X)
    elif kind is None:
        yield np.asarray(model.predict_proba(X))
    else:
        for i in range(model.get_booster().num_boosted_rounds()):
            yield model.predict_proba(X, iteration_range=(0, i + 1))
