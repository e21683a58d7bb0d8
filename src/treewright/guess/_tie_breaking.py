"""How scikit-learn breaks ties between columns, repeated without fitting the whole ensemble anew.

Where two columns divide the rows of a node alike, scikit-learn credits whichever its random order and its
rounding errors prefer. This file repeats its stages on all rows in its own arithmetic (its loss, its averages,
in its order, so that every float is the same), each tree with its own number of the random stream:

* `credits` grows only the tied trees in which a column that may be the least important one takes part. The
  others are known to `BinaryBoosting`, since ties that divide alike change no prediction.
* `refit` grows all of them, for ensembles that `BinaryBoosting` is not certain of. It still saves what
  scikit-learn's own fit spends around the growing of a tree, and the arithmetic between trees that divide the
  rows as they did at the last re-fit: on small tables that is nearly everything.

Trees are grown by scikit-learn's own compiled builder. This uses private names of scikit-learn; where they are
absent, or the builder's first tree is not that of `DecisionTreeRegressor`, nothing is drawn, and the caller fits
the whole ensemble instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._numbers import is_whole
from treewright.guess._boosting import BinaryBoosting

__all__ = ["Refit", "TieBreaking"]

LARGEST_SEED = 2**31 - 1  # scikit-learn draws one integer below it for each tree
NEAR_ZERO = 1e-12  # of a raw prediction; its last bits may differ between machines' compilers


@dataclass(frozen=True, eq=False)
class Refit:
    """The ensemble on the columns left.

    Parameters
    ----------
    importances : ndarray of shape (n_left,)
        Gini importances, as scikit-learn rounds them.
    raw : ndarray of shape (n_rows,)
        Raw predictions.
    """

    importances: NDArray[np.float64]
    raw: NDArray[np.float64]

    @property
    def predictions(self) -> NDArray[np.bool_] | None:
        """Whether the second class is predicted for each row; None where a sign is not certain."""
        return None if (np.abs(self.raw) < NEAR_ZERO).any() else self.raw >= 0


@dataclass(frozen=True, eq=False)
class _Step:
    """What a stage did when it was last repeated."""

    residual: NDArray[np.float64]
    leaf: NDArray[np.int64]
    n_leaves: int
    raw_after: NDArray[np.float64]  # (n_rows, 1)


class TieBreaking:
    """Tied trees of one elimination.

    Parameters
    ----------
    model : GradientBoostingClassifier
        With the options of `can_boost`. Not changed.
    columns : ndarray of shape (n_columns, n_rows), uint8
    positive : ndarray of shape (n_rows,), bool

    Attributes
    ----------
    is_known : bool
        Whether the tie breaking of this model can be repeated.
    """

    def __init__(self, model: Any, columns: NDArray[np.uint8], positive: NDArray[np.bool_]) -> None:
        from sklearn.base import clone

        self.model, self.y = model, positive.astype(np.float64)
        self.rows = np.ascontiguousarray(columns.T, dtype=np.float32)
        self.steps: list[_Step] = []
        self.is_known = False
        seed = model.random_state
        if not is_whole(seed):
            return  # a generator or none: its stream cannot be repeated
        one = clone(model).set_params(n_estimators=1).fit(self.rows, positive.astype(np.int32))
        if not hasattr(one, "_loss") or not hasattr(one, "_raw_predict_init"):
            return
        self.loss = one._loss
        self.start: NDArray[np.float64] = one._raw_predict_init(self.rows)
        self.is_known = self._grows_alike(one.estimators_[0, 0].tree_)

    def credits(self, boosting: BinaryBoosting) -> dict[int, NDArray[np.float64]] | None:
        """Return the importances of the columns left in the tied trees that can decide which is least.

        None if tie breaking cannot be repeated.
        """
        if not self.is_known:
            return None
        tied = boosting.undecided_stages()
        X = np.ascontiguousarray(self.rows[:, boosting.columns_left])
        stream = np.random.RandomState(self.model.random_state)
        grow = self._builder(X, stream)
        raw = self.start
        out: dict[int, NDArray[np.float64]] = {}
        for i, stage in enumerate(boosting.stages[: max(tied, default=-1) + 1]):
            residual = self._residual(i, raw)
            if i in tied:
                tree = grow(residual)
                out[i] = tree.compute_feature_importances(normalize=False)
                raw = self._next(i, raw, residual, tree.apply(X), tree.n_leaves)  # may split our pure nodes
            else:
                stream.randint(0, LARGEST_SEED)
                raw = self._next(i, raw, residual, stage.leaf[boosting.group], stage.n_leaves)
        return out

    def refit(self, left: NDArray[np.int64]) -> Refit | None:
        """Return the ensemble on the columns `left`; None if tie breaking cannot be repeated."""
        if not self.is_known:
            return None
        X = np.ascontiguousarray(self.rows[:, left])
        grow = self._builder(X, np.random.RandomState(self.model.random_state))
        raw = self.start
        importances: list[NDArray[np.float64]] = []
        for i in range(self.model.n_estimators):
            residual = self._residual(i, raw)
            tree = grow(residual)
            if tree.node_count > 1:
                importances.append(tree.compute_feature_importances(normalize=False))
            raw = self._next(i, raw, residual, tree.apply(X), tree.n_leaves)
        if not importances:
            return Refit(np.zeros(len(left)), raw[:, 0])
        mean: NDArray[np.float64] = np.mean(importances, axis=0, dtype=np.float64)
        return Refit(mean / np.sum(mean), raw[:, 0])

    def _builder(self, X: NDArray[np.float32], stream: np.random.RandomState) -> Any:
        """Return a function from residuals to scikit-learn's tree, which draws once from `stream`."""
        from sklearn.tree._classes import CRITERIA_REG, DENSE_SPLITTERS
        from sklearn.tree._tree import DepthFirstTreeBuilder, Tree

        n_rows, n_columns = X.shape
        outputs = np.ones(1, dtype=np.intp)
        criterion = CRITERIA_REG["squared_error"](1, n_rows)
        splitter = DENSE_SPLITTERS["best"](criterion, n_columns, 1, 0.0, stream, None)
        builder = DepthFirstTreeBuilder(splitter, 2, 1, 0.0, self.model.max_depth, 0.0)

        def grow(residual: NDArray[np.float64]) -> Any:
            tree = Tree(n_columns, outputs, 1)
            builder.build(tree, X, residual[:, None], None, None)
            return tree

        return grow

    def _grows_alike(self, first: Any) -> bool:
        """Whether the builder grows the first tree of the model, to the last bit."""
        stream = np.random.RandomState(self.model.random_state)
        try:
            tree = self._builder(self.rows, stream)(self._residual(0, self.start))
        except (ImportError, AttributeError, KeyError, TypeError, ValueError):
            return False  # another version of scikit-learn
        return bool(
            np.array_equal(tree.feature, first.feature)
            and np.array_equal(tree.impurity, first.impurity)
            and np.array_equal(tree.children_left, first.children_left)
        )

    def _residual(self, stage: int, raw: NDArray[np.float64]) -> NDArray[np.float64]:
        if self.steps[stage:] and (self.steps[stage - 1].raw_after if stage else self.start) is raw:
            return self.steps[stage].residual
        del self.steps[stage:]
        residual: NDArray[np.float64] = -self.loss.gradient(
            y_true=self.y, raw_prediction=raw, sample_weight=None
        )
        return residual

    def _next(
        self,
        stage: int,
        raw: NDArray[np.float64],
        residual: NDArray[np.float64],
        leaf: NDArray[np.int64],
        n_leaves: int,
    ) -> NDArray[np.float64]:
        """Add one tree as scikit-learn does: a Newton step in each leaf, averaged over its rows in order."""
        if stage < len(self.steps) and self.steps[stage].n_leaves == n_leaves:
            before = self.steps[stage].leaf
            name = np.zeros(int(leaf.max()) + 1, dtype=np.int64)
            name[leaf] = before
            if np.array_equal(name[leaf], before):  # the same division of the rows
                return self.steps[stage].raw_after
        order = leaf.argsort(kind="stable")
        prob = self.y - residual
        slope, curve = residual.take(order), (prob * (1 - prob)).take(order)
        counts = np.bincount(leaf).tolist()
        value = np.zeros(len(counts))
        total, begin = np.add.reduce, 0  # the sum of `numpy.average`: the same pairs, the same rounding
        for k, n in enumerate(counts):
            if n == 0:  # an inner node
                continue
            end = begin + n
            curvature = total(curve[begin:end]) / n
            if abs(curvature) >= 1e-150:
                value[k] = total(slope[begin:end]) / n / curvature
            begin = end
        out: NDArray[np.float64] = raw + (self.model.learning_rate * value).take(leaf)[:, None]
        del self.steps[stage:]
        self.steps.append(_Step(residual, leaf, n_leaves, out))
        return out
