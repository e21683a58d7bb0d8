"""How many rounds of boosting a leaf deserves, none included, by cross-validation.

Where labels are noisy, a boosted model with the usual hundred rounds learns the noise of a leaf's few rows by heart;
where they are not, ten rounds are too few. What a model says after each round is known once it is fitted, so one fit
a fold tells the accuracy on held-out rows after 0, 1, 2, ... rounds, where 0 is the answer of the tree. The best
number is taken, the smallest if several are: the tree keeps the leaf unless a model does better on rows that it has
not seen. A model without rounds is taken whole or not at all. Not in the paper, which tunes (`_tune.py`). Cost:
folds + 1 fits.
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
from treewright.leaf_accuracy._timed_fits import Clock, fit_in_time, most_rounds, rounds_name

__all__ = ["Rounds", "choose_rounds"]

NO_LIMIT = Clock()


@dataclass(frozen=True)
class Rounds:
    """What was chosen.

    Parameters
    ----------
    number : int
        Rounds; 0 if no model is better than the tree. 1 is all of a model without rounds.
    name : str or None
        The model's parameter for it; None if it has none.
    accuracy : float
        Weighted accuracy of that number on the held-out rows; a little too good, as the best of several.
    whole : bool
        Whether there was time for all rounds of all folds.
    """

    number: int
    name: str | None
    accuracy: float
    whole: bool = True


def choose_rounds(
    model: Any,
    X: NDArray[np.float64],
    y: NDArray[np.int64],
    sample_weight: NDArray[np.float64] | None,
    prediction: int,
    *,
    n_folds: int = 3,
    seed: int = 0,
    clock: Clock = NO_LIMIT,
) -> Rounds | None:
    """Choose the number of rounds for the rows of one leaf.

    Parameters
    ----------
    model : classifier
        Not fitted, with its own seed set; its own number of rounds is the largest that is tried.
    X : ndarray of shape (n_rows, n_inputs)
    y : ndarray of shape (n_rows,)
        Whole numbers from 0. Folds are stratified if each class has at least `n_folds` rows.
    sample_weight : ndarray of shape (n_rows,) or None
    prediction : int
        What the tree answers, as in `y`; -1 if no row has it.
    n_folds : int, default=3
        At most the number of rows.
    seed : int, default=0
        Of the folds.
    clock : Clock
        Each fold has an equal part of the time, and so has the fit that follows.

    Returns
    -------
    Rounds or None
        None if the time was over before all folds had a model.
    """
    kind, most = family(model), most_rounds(model)
    weight = np.ones(len(y)) if sample_weight is None else sample_weight
    right = np.zeros(most + 1)
    whole = True
    few = np.bincount(y)[np.unique(y)].min() < n_folds
    folds = (KFold if few else StratifiedKFold)(n_folds, shuffle=True, random_state=seed)
    for fold, (train, held_out) in enumerate(folds.split(X, y)):
        if clock.is_over:
            return None
        known, own = np.unique(y[train], return_inverse=True)
        staged: Iterator[NDArray[np.int64]] = iter((np.zeros(len(held_out), dtype=np.int64),))
        if len(known) > 1:
            made = clone(model)
            weights = None if sample_weight is None else sample_weight[train]
            whole &= fit_in_time(made, X[train], own, weights, clock.share(1 / (n_folds + 1 - fold)))
            staged = _staged(made, kind, X[held_out])
        truth, share = y[held_out], weight[held_out]
        hits = [share @ (truth == prediction), *(share @ (truth == known[answer]) for answer in staged)]
        right += hits + hits[-1:] * (len(right) - len(hits))  # a model may stop by its own rule
    best = int(np.argmax(right))
    return Rounds(best, rounds_name(model), float(right[best] / weight.sum()), whole)


def _staged(model: Any, kind: str | None, X: NDArray[np.float64]) -> Iterator[NDArray[np.int64]]:
    """Yield what a fitted model answers after 1, 2, ... rounds."""
    if kind == "boosting":
        yield from model.staged_predict(X)
    elif kind is None:
        yield np.asarray(model.predict(X)).astype(np.int64)
    else:
        for i in range(model.get_booster().num_boosted_rounds()):
            yield model.predict(X, iteration_range=(0, i + 1))
