"""Latent trees as scikit-learn estimators of classes and numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.validation import column_or_1d

from treewright.errors import InputError
from treewright.estimators._interrupt import settle_interrupt
from treewright.estimators._latent_base import LatentTreeBase
from treewright.estimators._latent_docs import documented
from treewright.problem import encode_labels
from treewright.table import Table
from treewright.tree import label_positions, merge_equal_leaves
from treewright.tree._tree import leaves_in_words

if TYPE_CHECKING:
    import torch

    from treewright.latent import HardenedTree

__all__ = ["LatentTreeClassifier", "LatentTreeRegressor"]


@documented
class LatentTreeClassifier(ClassifierMixin, LatentTreeBase):  # type: ignore[misc]
    """Classification tree with linear or other differentiable splits, trained by gradients.

    Minimises (binary) cross-entropy of a predictor over features and traversals (eq. 10).

    {parameters}
    hardening : {"linear", "axis", "signs"}, default="linear"
        How the hard tree is made: "signs" follows the signs of the soft splits; "linear" makes each of these splits
        better on the rows that reach it, in sweeps that held-out rows choose from; "axis" does so with splits of one
        column only. A training that was stopped is hardened by its signs.

    {attributes}

    {notes}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treewright import LatentTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LatentTreeClassifier(depth=2, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.9)
    True
    """

    classes_: NDArray[Any]

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Train the tree.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
            numpy, pandas or polars; numbers, truth values, text; missing values allowed.
        y : array-like of shape (n_rows,)
            Labels; one class alone gives a constant model.

        Returns
        -------
        LatentTreeClassifier

        Raises
        ------
        MissingDependencyError
            PyTorch is not installed (extra `latent`).
        InputError
            The table, the labels or a parameter cannot be used.
        ModelFileError
            The checkpoint is damaged or of a model of another shape.
        """
        table = self._table(X)
        if isinstance(y, np.ndarray) and y.ndim == 2:
            y = column_or_1d(y, warn=True)
        return self.fit_table(table, y)

    def fit_table(self, table: Table, y: ArrayLike) -> Self:
        """Train the tree on a table that has been read already; see `fit`."""
        self.columns_ = table.columns
        self.classes_, index = encode_labels(y, table.n_rows)
        n_outputs = 1 if len(self.classes_) <= 2 else len(self.classes_)
        held_out = self._train(
            table, index.astype(np.int64), n_outputs, "cross_entropy", error=_error_rate, strata=index
        )
        self._hardened = self._keep_hardened(lambda: self._first_hardened(table.X, index, held_out))
        settle_interrupt(self.result_.stop_reason)
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class, shape (n_rows, n_classes), columns in the order of
        `classes_`.
        """
        return self._proba(self._encode(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable label of each row, shape (n_rows,)."""
        rows = self._encode(X)
        labels: NDArray[Any] = self.classes_[self._proba(rows).argmax(axis=1)]
        return labels

    def harden(self, X: Any = None, y: Any = None) -> HardenedTree:
        """Return the common `Tree` with linear splits, and its agreement with this soft model.

        Parameters
        ----------
        X, y : table and labels, default=None
            Rows that fill the leaves and measure the agreement; None returns the tree of the training rows.

        Returns
        -------
        HardenedTree
            `tree`, `agreement` (share of rows with the same predicted class) and a `sentence`.

        Raises
        ------
        InputError
            Splits are a module of their own, or categories were one-hot.
        """
        if X is None:
            return self._kept_hardened()
        rows = self._encode(X)
        return self._harden_on(
            rows, label_positions(np.asarray(y), self.classes_, "y holds").astype(np.int32)
        )

    def _first_hardened(
        self, rows: NDArray[np.float64], index: NDArray[np.int32], held_out: NDArray[np.bool_]
    ) -> HardenedTree:
        from treewright.latent._harden import classification_tree
        from treewright.latent._refine import Labels

        make_tree = classification_tree(self.columns_, self.classes_, index)
        self._refine(rows, make_tree, Labels(index, np.ones(len(rows))), held_out)
        return self._harden_on(rows, index)

    def _harden_on(self, rows: NDArray[np.float64], index: NDArray[np.int32]) -> HardenedTree:
        from treewright.latent._harden import HardenedTree, classification_tree

        tree = merge_equal_leaves(
            self._harden(rows, classification_tree(self.columns_, self.classes_, index))
        )
        agreement = float((self._proba(rows).argmax(axis=1) == tree.prediction[tree.apply(rows)]).mean())
        return HardenedTree(
            tree,
            agreement,
            f"The hard tree has {leaves_in_words(tree)} and predicts the same class as the soft model for "
            f"{100 * agreement:.1f}% of {len(rows)} rows.",
        )

    def _proba(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        out = self._outputs(rows)
        if len(self.classes_) == 1:
            return np.ones((len(rows), 1))
        if out.shape[1] == 1:
            positive = 0.5 * (1 + np.tanh(0.5 * out[:, 0]))  # the logistic function, without overflow
            return np.stack([1 - positive, positive], axis=1)
        shifted = np.exp(out - out.max(axis=1, keepdims=True))
        return np.asarray(shifted / shifted.sum(axis=1, keepdims=True))


@documented
class LatentTreeRegressor(RegressorMixin, LatentTreeBase):  # type: ignore[misc]
    """Regression tree with linear or other differentiable splits, trained by gradients.

    Minimises the mean squared error of a predictor over features and traversals (eq. 10). The target is
    centred and scaled for training; a callable loss sees the scaled one.

    {parameters}
    hardening : {"linear", "axis", "signs"}, default="linear"
        How the hard tree is made: "signs" follows the signs of the soft splits; "linear" makes each of these splits
        better on the rows that reach it, in sweeps that held-out rows choose from; "axis" does so with splits of one
        column only. A training that was stopped is hardened by its signs.

    {attributes}

    {notes}

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from treewright import LatentTreeRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = LatentTreeRegressor(depth=2, pruning=10, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.4)
    True
    """

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Train the tree.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
        y : array-like of shape (n_rows,)
            Finite numbers.

        Returns
        -------
        LatentTreeRegressor

        Raises
        ------
        MissingDependencyError
            PyTorch is not installed (extra `latent`).
        InputError
            The table, the target or a parameter cannot be used.
        ModelFileError
            The checkpoint is damaged or of a model of another shape.
        """
        table = self._table(X)
        self.columns_ = table.columns
        target = _numbers(y, table.n_rows)
        self._center, self._scale = float(target.mean()), float(target.std()) or 1.0
        scaled = (target - self._center) / self._scale
        held_out = self._train(table, scaled[:, None], 1, "squared_error")
        self._hardened = self._keep_hardened(lambda: self._first_hardened(table.X, target, held_out))
        settle_interrupt(self.result_.stop_reason)
        return self

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the predicted value of each row, shape (n_rows,)."""
        return self._values(self._encode(X))

    def harden(self, X: Any = None, y: Any = None) -> HardenedTree:
        """Return the common `Tree` with linear splits, and its agreement with this soft model.

        Parameters
        ----------
        X, y : table and target, default=None
            Rows that fill the leaves and measure the agreement; None returns the tree of the training rows.

        Returns
        -------
        HardenedTree
            `tree`, `agreement` (1 - mean squared difference / variance of the soft predictions) and a
            `sentence`.

        Raises
        ------
        InputError
            Splits are a module of their own, or categories were one-hot.
        """
        if X is None:
            return self._kept_hardened()
        rows = self._encode(X)
        return self._harden_on(rows, _numbers(y, len(rows)))

    def _first_hardened(
        self, rows: NDArray[np.float64], target: NDArray[np.float64], held_out: NDArray[np.bool_]
    ) -> HardenedTree:
        from treewright.latent._harden import regression_tree
        from treewright.latent._refine import Numbers

        # In units of the target's deviation, in which squares neither overflow nor vanish.
        scaled = Numbers((target - self._center) / self._scale, np.ones(len(rows)))
        self._refine(rows, regression_tree(self.columns_, target), scaled, held_out)
        return self._harden_on(rows, target)

    def _harden_on(self, rows: NDArray[np.float64], target: NDArray[np.float64]) -> HardenedTree:
        from treewright.latent._harden import HardenedTree, regression_tree

        tree = self._harden(rows, regression_tree(self.columns_, target))
        soft, hard = self._values(rows), tree.predict(rows)
        spread, apart = float(soft.var()), float(((soft - hard) ** 2).mean())
        agreement = 1.0 - apart / spread if spread > 0 else 1.0
        return HardenedTree(
            tree,
            agreement,
            f"The hard tree has {leaves_in_words(tree)} and explains {100 * agreement:.1f}% of the variance "
            f"of the soft model's predictions on {len(rows)} rows.",
        )

    def _values(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(self._outputs(rows)[:, 0] * self._scale + self._center)


def _error_rate(out: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    guess = (out[:, 0] > 0).long() if out.shape[1] == 1 else out.argmax(1)
    return (guess != y).double().mean()


def _numbers(y: Any, n_rows: int) -> NDArray[np.float64]:
    if y is None:
        raise InputError("fit requires y to be passed, but the target y is None; give one number a row.")
    try:
        target: NDArray[np.float64] = column_or_1d(y, dtype=np.float64, warn=True)
    except (TypeError, ValueError) as error:
        raise InputError(f"y must be one finite number a row ({error}).") from None
    if len(target) != n_rows:
        raise InputError(f"y has {len(target)} values for {n_rows} rows; give one number a row.")
    if not np.isfinite(target).all():
        raise InputError("y contains NaN or infinity; drop these rows or fill them in.")
    return target
