"""The default reference: boosted trees whose size is chosen on held-out rows.

Stumps add up single columns, so thresholds that matter only together are not among theirs, and a search over their
thresholds cannot find them. Deeper trees need more time, bring more thresholds, and are no better where nothing
interacts. Of more than two classes boosting grows a tree for each in every round, and each of the many thresholds that
are eliminated costs a fit of all of them: there the stumps are kept. The three sizes are those of section 5 of McTavish
et al. (2022), who chose among them by hand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.guess._named import named_reference

__all__ = ["SIZES", "choose_size"]

SIZES = ((40, 1), (50, 2), (20, 3))  # trees, their depth
FOLDS = 3
MOST_ROWS = 4000  # that the sizes are compared on
ROUNDS_BETWEEN_QUESTIONS = 10  # of boosting
LEAST_PROBABILITY = 1e-3  # so that no single row decides


def choose_size(
    X: NDArray[np.float64],
    y: NDArray[np.int32],
    weight: NDArray[np.float64],
    fit: Callable[..., Any],
    is_over: Callable[[], bool] | None = None,
) -> tuple[int, int]:
    """Return trees and depth of least log loss on held-out rows; the first of `SIZES` where that is not known.

    So it is for more than two classes.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_inputs), float64
    y : ndarray of shape (n_rows,), int32
    weight : ndarray of shape (n_rows,), float64
    fit : callable(model, X, y, weight, is_over) -> estimator
    is_over : callable, default=None
        Asked every ten trees; after a true answer nothing more is compared.

    Returns
    -------
    n_estimators, max_depth : int
    """
    if len(np.unique(y)) > 2:
        return SIZES[0]
    rows = np.random.default_rng(0).permutation(len(y))[:MOST_ROWS]
    rows = rows[np.argsort(y[rows], kind="stable")]  # so that each part has its share of each class
    part = np.arange(len(rows)) % FOLDS
    if any(len(np.unique(y[rows[part != k]])) < 2 or not (part == k).any() for k in range(FOLDS)):
        return SIZES[0]
    over = _SeldomAsked(is_over)
    losses = []
    for n_estimators, max_depth in SIZES:
        loss = 0.0
        for k in range(FOLDS):
            train, held = rows[part != k], rows[part == k]
            model = fit(
                named_reference("gbdt", n_estimators, max_depth), X[train], y[train], weight[train], over
            )
            if over.answer:
                return SIZES[0]
            loss += _log_loss(model, X[held], y[held], weight[held])
        losses.append(loss)
    return SIZES[int(np.argmin(losses))]


class _SeldomAsked:
    """Passes every tenth question on, and remembers that it is over."""

    def __init__(self, is_over: Callable[[], bool] | None) -> None:
        self.is_over, self.asked, self.answer = is_over, 0, False

    def __call__(self) -> bool:
        self.asked += 1
        if self.is_over is not None and not self.answer and self.asked % ROUNDS_BETWEEN_QUESTIONS == 0:
            self.answer = self.is_over()
        return self.answer


def _log_loss(model: Any, X: NDArray[np.float64], y: NDArray[np.int32], weight: NDArray[np.float64]) -> float:
    proba = np.zeros((len(y), int(max(y.max(), model.classes_.max())) + 1))
    proba[:, model.classes_] = model.predict_proba(X)
    return float(-(weight * np.log(np.maximum(proba[np.arange(len(y)), y], LEAST_PROBABILITY))).sum())
