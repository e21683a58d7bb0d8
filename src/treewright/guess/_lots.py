"""The lots that scikit-learn draws where columns tie, without fitting the whole ensemble again.

Where two columns divide the rows of a node alike, scikit-learn credits whichever its random order and its
rounding errors prefer. `BinaryBoosting` knows such trees; this file finds their importances as scikit-learn
would: it repeats the stages on all rows in scikit-learn's own arithmetic (its loss, its averages, in its
order, so that every float is the same), takes one number of its random stream for each tree, and fits only
the tied trees by `DecisionTreeRegressor`. The trees in between are known, since ties that divide alike
change no prediction.

Uses two private names of scikit-learn (`_loss`, `_raw_predict_init`); where they are absent nothing is
drawn, and the caller fits the whole ensemble instead.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.guess._boosting import BinaryBoosting

__all__ = ["Lots"]

LARGEST_SEED = 2**31 - 1  # scikit-learn draws one integer below it for each tree


class Lots:
    """Importances of tied trees of one elimination.

    Parameters
    ----------
    model : GradientBoostingClassifier
        Not changed.
    columns : ndarray of shape (n_columns, n_rows), uint8
    positive : ndarray of shape (n_rows,), bool
    """

    def __init__(self, model: Any, columns: NDArray[np.uint8], positive: NDArray[np.bool_]) -> None:
        from sklearn.base import clone

        self.model, self.columns, self.y = model, columns, positive.astype(np.float64)
        self.start: NDArray[np.float64] | None = None
        seed = model.random_state
        if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
            return  # a generator or none: its stream cannot be repeated
        X = np.ascontiguousarray(columns[:1].T, dtype=np.float32)
        one = clone(model).set_params(n_estimators=1).fit(X, positive.astype(np.int32))
        if hasattr(one, "_loss") and hasattr(one, "_raw_predict_init"):
            self.loss = one._loss
            self.start = one._raw_predict_init(X)
            self.parameters = one.estimators_[0, 0].get_params()

    def credits(self, boosting: BinaryBoosting) -> dict[int, NDArray[np.float64]] | None:
        """Return the importances of the columns left in each tied tree; None if lots cannot be repeated."""
        from sklearn.tree import DecisionTreeRegressor

        if self.start is None:
            return None
        tied = [i for i, s in enumerate(boosting.stages) if (s.least_credit != s.most_credit).any()]
        X = np.ascontiguousarray(self.columns[boosting.columns_left].T, dtype=np.float32)
        stream = np.random.RandomState(self.model.random_state)
        raw = self.start
        out: dict[int, NDArray[np.float64]] = {}
        for i, stage in enumerate(boosting.stages[: max(tied, default=-1) + 1]):
            residual = -self.loss.gradient(y_true=self.y, raw_prediction=raw, sample_weight=None)
            if i in tied:
                tree = DecisionTreeRegressor(**{**self.parameters, "random_state": stream})
                tree.fit(X, residual, check_input=False)
                out[i] = tree.tree_.compute_feature_importances(normalize=False)
                leaf = tree.tree_.apply(X)  # rounding may have split a pure node of ours
            else:
                stream.randint(0, LARGEST_SEED)
                leaf = stage.leaf[boosting.group]
            raw = self._next(raw, residual, leaf)
        return out

    def _next(
        self, raw: NDArray[np.float64], residual: NDArray[np.float64], leaf: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Add one tree as scikit-learn does: a Newton step in each leaf, averaged over its rows in order."""
        value = np.zeros(int(leaf.max()) + 1)
        for k in np.unique(leaf):
            rows = np.nonzero(leaf == k)[0]
            here = residual.take(rows, axis=0)
            prob = self.y.take(rows, axis=0) - here
            curvature = np.average(prob * (1 - prob))
            value[k] = 0.0 if abs(curvature) < 1e-150 else np.average(here) / curvature
        out = raw.copy()
        out[:, 0] += self.model.learning_rate * value.take(leaf, axis=0)
        return out
