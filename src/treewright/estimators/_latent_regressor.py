"""Latent trees as a scikit-learn estimator of numbers."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import column_or_1d

from treewright._arguments import refuse_dates, refuse_lossy
from treewright._plural import count_of
from treewright.errors import InputError
from treewright.estimators._checked_score import CheckedScore
from treewright.estimators._interrupt import settle_interrupt
from treewright.estimators._latent_base import LatentTreeBase
from treewright.estimators._latent_docs import documented
from treewright.estimators._latent_rows import weighted_rows, with_validation_rows
from treewright.estimators._tree_estimator import warn_of_row_order
from treewright.tree import leaves_in_words, percent_at_least

if TYPE_CHECKING:
    from treewright.latent import HardenedTree
    from treewright.tree import Tree

__all__ = ["LatentTreeRegressor"]

LARGEST_TARGET = 1e300  # sums over rows stay finite


@documented
class LatentTreeRegressor(CheckedScore, RegressorMixin, LatentTreeBase):  # type: ignore[misc]
    """Regression tree with linear or other differentiable splits, trained by gradients.

    Minimises the mean squared error of a predictor over features and traversals (eq. 10). The target is centred and
    scaled for training; a callable loss gets the scaled one. Several outputs share one tree. Their squared errors, each
    in units of the output's standard deviation, have the same weight, and a leaf of the hard tree has a mean for each
    output.

    {parameters}
    {hardening}

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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        validation: tuple[Any, Any] | None = None,
    ) -> Self:
        """Train the tree.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
        y : array-like of shape (n_rows,) or (n_rows, n_outputs)
            Finite numbers.
        sample_weight : array-like of shape (n_rows,), default=None
            Weights >= 0, for training, the held-out rows and the hard tree; rows of weight 0 are left out.
        validation : (X, y), default=None
            Rows that select the model, instead of a share of the training rows. They are not used for training; each
            has weight 1.

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
            The checkpoint is damaged, or belongs to a model of another shape.

        Warns
        -----
        ConvergenceWarning
            The last epoch was the best one, or the validation loss was still falling at the end of the "auto" epochs:
            more epochs may give a better model.
        """
        begun = time.perf_counter()
        table = self._table(X)
        warn_of_row_order(X, {"y": y, "sample_weight": sample_weight})
        table, y, weight = weighted_rows(table, _numbers(y, table.n_rows), sample_weight)
        self.columns_ = table.columns
        target = np.asarray(y)
        self._center, self._scale = _moments(target, weight)
        table, given = self._with_validation(table, validation)
        if validation is not None:
            more = self._outputs_as_fitted(validation[1], table.n_rows - len(target))
            target, weight = with_validation_rows(target, weight, more, table.n_rows)
        scaled = (target - self._center) / self._scale
        scaled = scaled.reshape(len(scaled), -1)
        n_outputs = scaled.shape[1]
        held_out = self._train(
            table, scaled.__getitem__, n_outputs, "squared_error", weight=weight, held_out=given, begun=begun
        )
        self._hardened = self._keep_hardened(
            lambda: self._first_hardened(table.X, target, held_out, weight, validation is not None)
        )
        settle_interrupt(self.result_.stop_reason)
        return self

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the prediction of the soft model for each row.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
            The columns of the training table, in their order or by their names.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_outputs), float64
        """
        return self._values(self._encode(X))

    def harden(self, X: Any = None, y: Any = None) -> HardenedTree:
        """Return a `Tree` with linear splits, and its agreement with this soft model.

        Parameters
        ----------
        X, y : table and target, default=None
            Rows for the counts in the leaves and for measuring the agreement; None returns the tree of the training
            rows.

        Returns
        -------
        HardenedTree
            `tree`, `agreement` (1 - mean squared difference / variance of the soft predictions; for several outputs,
            both are summed in units of the outputs' standard deviations; -inf if the soft predictions are all the same
            and the tree's are others) and a `sentence`.

        Raises
        ------
        InputError
            Splits are your own module, categories were one-hot, or there are several trees.
        """
        if X is None:
            return self._kept_hardened()
        rows = self._encode(X)
        return self._harden_on(rows, self._outputs_as_fitted(y, len(rows)))

    def _first_hardened(
        self,
        rows: NDArray[np.float64],
        target: NDArray[np.float64],
        held_out: NDArray[np.bool_],
        weight: NDArray[np.float64] | None,
        own_validation: bool,
    ) -> HardenedTree:
        from treewright.latent._hard_nodes import Numbers
        from treewright.latent._harden import regression_tree

        # In units of the target's deviation, in which squares neither overflow nor vanish.
        ones = np.ones(len(rows)) if weight is None else weight
        scaled = Numbers((target - self._center) / self._scale, ones)
        make_tree = regression_tree(self.columns_, target, weight)
        self._refine(rows, make_tree, scaled, self._outputs, held_out, own_validation)
        if own_validation:  # these rows only judge
            rows, target = rows[~held_out], target[~held_out]
            weight = None if weight is None else weight[~held_out]
        return self._harden_on(rows, target, weight, self._judging_rows(rows))

    def _harden_on(
        self,
        rows: NDArray[np.float64],
        target: NDArray[np.float64],
        weight: NDArray[np.float64] | None = None,
        judged_on: slice = slice(None),
    ) -> HardenedTree:
        from treewright.latent._harden import HardenedTree, regression_tree
        from treewright.latent._late import taken

        tree = self._harden(rows, regression_tree(self.columns_, target, weight), judged_on)
        rows = taken(rows, judged_on)
        soft, hard = self._values(rows) / self._scale, tree.predict(rows) / self._scale
        spread, apart = float(soft.var(axis=0).sum()), float(((soft - hard) ** 2).mean(axis=0).sum())
        agreement = 1.0 - apart / spread if spread > 0 else (-math.inf if apart else 1.0)
        return HardenedTree(tree, agreement, _in_words(tree, agreement, len(rows)))

    def _values(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        outputs = self._outputs(rows)
        return np.asarray(outputs.reshape(len(outputs), *np.shape(self._center)) * self._scale + self._center)

    def _outputs_as_fitted(self, y: Any, n_rows: int) -> NDArray[np.float64]:
        """Read more targets, which must be of as many outputs."""
        target = _numbers(y, n_rows)
        if target.shape[1:] != np.shape(self._center):
            outputs = [
                1 if len(shape) == 0 else shape[0] for shape in (target.shape[1:], np.shape(self._center))
            ]
            raise InputError(f"y has {outputs[0]} outputs, expected {outputs[1]}, as in fit.")
        return target


def _moments(
    target: NDArray[np.float64], weight: NDArray[np.float64] | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return mean and standard deviation of each output; 1 for the deviation of a constant."""
    # In units of the largest value, a power of two: squares neither overflow nor vanish, and no digit changes.
    exponent = np.frexp(np.abs(target).max(axis=0))[1]
    shares = np.ldexp(target, -exponent)
    center = np.average(shares, axis=0, weights=weight)
    spread = np.sqrt(np.average((shares - center) ** 2, axis=0, weights=weight))
    scale = np.ldexp(spread, exponent)
    return np.ldexp(center, exponent), np.where(scale > 0, scale, 1.0)


def _in_words(tree: Tree, agreement: float, n_rows: int) -> str:
    rows = count_of(n_rows, "row")
    if agreement == -math.inf:
        return (
            f"The hard tree has {leaves_in_words(tree)}. The soft model predicts one number for {rows}, and the tree "
            "another: there is no variance to explain. Give rows with different predictions to measure the agreement."
        )
    if agreement < 0:
        return (
            f"The hard tree has {leaves_in_words(tree)}, and its predictions on {rows} are further from those "
            "of the soft model than the mean of the soft model's predictions is: do not use it in its place."
        )
    return (
        f"The hard tree has {leaves_in_words(tree)} and explains {percent_at_least(agreement)} of the variance "
        f"of the soft model's predictions on {rows}."
    )


def _numbers(y: Any, n_rows: int) -> NDArray[np.float64]:
    """Return targets of shape (n_rows,), or (n_rows, n_outputs) of two outputs and more."""
    if y is None:
        raise InputError("fit requires y to be passed, but the target y is None; give one number per row.")
    refuse_dates("y", y)
    refuse_lossy("y", y)
    try:
        given = np.asarray(y)
        several = given.ndim == 2 and given.shape[1] > 1
        target: NDArray[np.float64] = (
            given.astype(np.float64) if several else column_or_1d(y, dtype=np.float64, warn=True)
        )
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"y must be one finite number per row ({error}).") from None
    if len(target) != n_rows:
        raise InputError(f"y has {len(target)} values for {n_rows} rows; give one number per row.")
    if not np.isfinite(target).all():
        raise InputError("y contains NaN or infinity; drop these rows or fill them in.")
    if (np.abs(target) > LARGEST_TARGET).any():
        raise InputError(
            f"y contains {target[np.abs(target) > LARGEST_TARGET][0]:g}; give numbers of at most 1e300, in other units."
        )
    return target
