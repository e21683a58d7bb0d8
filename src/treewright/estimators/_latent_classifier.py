"""Latent trees as a scikit-learn estimator of classes."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import column_or_1d

from treewright.estimators._checked_score import CheckedScore
from treewright.estimators._interrupt import settle_interrupt
from treewright.estimators._label_spellings import warn_of_spellings
from treewright.estimators._latent_base import LatentTreeBase
from treewright.estimators._latent_docs import documented
from treewright.estimators._latent_progress import EpochCallback
from treewright.estimators._latent_rows import weighted_rows, with_validation_rows
from treewright.estimators._tree_estimator import warn_of_row_order
from treewright.problem import apply_class_weight, encode_labels, warn_of_quantity
from treewright.table import Table
from treewright.tree import label_positions, leaves_in_words, merge_equal_leaves, percent_at_least

if TYPE_CHECKING:
    import torch

    from treewright.latent import HardenedTree

__all__ = ["LatentTreeClassifier"]


@documented
class LatentTreeClassifier(CheckedScore, ClassifierMixin, LatentTreeBase):  # type: ignore[misc]
    """Classification tree with linear or other differentiable splits, trained by gradients.

    Minimises (binary) cross-entropy of a predictor over features and traversals (eq. 10).

    {parameters}
    {hardening}
    class_weight : dict of label to float, "balanced" or None, default=None
        Weights of the classes, multiplied with `sample_weight`, in training, in the held-out rows and in the hard tree.
        "balanced" gives all classes of the training rows the same total. Labels that are not in a dict have weight 1.

    {attributes}
    classes_ : ndarray of shape (n_classes,)

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

    def __init__(
        self,
        depth: int = 5,
        *,
        pruning: float = 1.0,
        splits: Literal["linear", "elu"] | torch.nn.Module = "linear",
        hidden_layers: Sequence[int] = (),
        dropout: float = 0.0,
        tree_only: bool = False,
        routing: Literal["paper", "published"] = "paper",
        batch_norm: bool = False,
        categories: Literal["ordinal", "onehot"] = "ordinal",
        loss: Any = "auto",
        optimizer: str | type = "adamw",
        optimizer_options: Mapping[str, Any] | None = None,
        learning_rate: float = 0.01,
        batch_size: int = 512,
        epochs: int | Literal["auto"] = "auto",
        schedule: Literal["plateau", "cosine"] | None = "plateau",
        patience: int | Literal["auto"] = "auto",
        validation_fraction: float = 0.2,
        time_limit: float | None = None,
        device: str = "cpu",
        random_state: Any = None,
        checkpoint: str | os.PathLike[str] | None = None,
        progress: Literal["auto"] | bool | EpochCallback = "auto",
        categorical_features: Sequence[str] | Sequence[int] | None = None,
        hardening: Literal["linear", "axis", "signs"] = "linear",
        n_trees: int = 1,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
    ) -> None:
        super().__init__(
            depth,
            pruning=pruning,
            splits=splits,
            hidden_layers=hidden_layers,
            dropout=dropout,
            tree_only=tree_only,
            routing=routing,
            batch_norm=batch_norm,
            categories=categories,
            loss=loss,
            optimizer=optimizer,
            optimizer_options=optimizer_options,
            learning_rate=learning_rate,
            batch_size=batch_size,
            epochs=epochs,
            schedule=schedule,
            patience=patience,
            validation_fraction=validation_fraction,
            time_limit=time_limit,
            device=device,
            random_state=random_state,
            checkpoint=checkpoint,
            progress=progress,
            categorical_features=categorical_features,
            hardening=hardening,
            n_trees=n_trees,
        )
        self.class_weight = class_weight

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
            numpy, pandas or polars; numbers, truth values, text; missing values allowed.
        y : array-like of shape (n_rows,)
            Labels; one class alone gives a constant model.
        sample_weight : array-like of shape (n_rows,), default=None
            Weights >= 0, for training, the held-out rows and the hard tree; rows of weight 0 are left out.
        validation : (X, y), default=None
            Rows that select the model, instead of a share of the training rows. They are not used for training; each
            has weight 1, times `class_weight`.

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
        if isinstance(y, np.ndarray) and y.ndim == 2:
            y = column_or_1d(y, warn=True)
        warn_of_quantity(y)
        warn_of_spellings(y)
        return self.fit_table(table, y, sample_weight, validation, begun=begun)

    def fit_table(
        self,
        table: Table,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        validation: tuple[Any, Any] | None = None,
        *,
        begun: float | None = None,
    ) -> Self:
        """Train the tree on a table that has already been read; see `fit`.

        Parameters
        ----------
        table : Table
            Columns with their kinds.
        y : array-like of shape (n_rows,)
            Labels.
        sample_weight : array-like of shape (n_rows,), default=None
            As in `fit`.
        validation : (X, y), default=None
            As in `fit`.
        begun : float, default: now
            Start of the time that `time_limit` counts, by ``time.perf_counter()``.

        Returns
        -------
        LatentTreeClassifier

        Raises
        ------
        InputError
            The labels, the weights or a parameter cannot be used.
        """
        begun = time.perf_counter() if begun is None else begun
        table, y, weight = weighted_rows(table, y, sample_weight)
        self.columns_ = table.columns
        self.classes_, index = encode_labels(y, table.n_rows)
        table, index, weight, of_class = self._with_class_weight(table, index, weight)
        n_outputs = 1 if len(self.classes_) <= 2 else len(self.classes_)
        table, given = self._with_validation(table, validation)
        if validation is not None:
            more = label_positions(np.asarray(validation[1]), self.classes_, "validation holds").astype(
                np.int32
            )
            index, weight = with_validation_rows(index, weight, more, table.n_rows, of_class)
        held_out = self._train(
            table, lambda rows: index[rows].astype(np.int64), n_outputs, "cross_entropy",
            error=_error_rate if weight is None else _weighted_error_rate,
            strata=index, weight=weight, held_out=given, begun=begun,
        )  # fmt: skip
        self._hardened = self._keep_hardened(
            lambda: self._first_hardened(table.X, index, held_out, weight, validation is not None)
        )
        settle_interrupt(self.result_.stop_reason)
        return self

    def _with_class_weight(
        self, table: Table, index: NDArray[np.int32], weight: NDArray[np.float64] | None
    ) -> tuple[Table, Any, NDArray[np.float64] | None, NDArray[np.float64] | None]:
        """Return table, classes and weights without rows of weight 0, and what each class weighs (None: all 1)."""
        if self.class_weight is None:
            return table, index, weight, None
        rows = np.ones(len(index)) if weight is None else weight
        of_rows = apply_class_weight(rows, index, self.classes_, self.class_weight)
        # As shares, of mean 1 over the rows: a "balanced" weight is a large whole number.
        of_class = np.ones(len(self.classes_))
        of_class[index] = of_rows / rows * (rows.sum() / of_rows.sum())
        return *weighted_rows(table, index, of_rows), of_class

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class by the soft model.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
            The columns of the training table, in their order or by their names.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Columns in the order of `classes_`.
        """
        return self._proba(self._encode(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable label of each row by the soft model.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
            The columns of the training table, in their order or by their names.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        rows = self._encode(X)
        labels: NDArray[Any] = self.classes_[self._proba(rows).argmax(axis=1)]
        return labels

    def harden(self, X: Any = None, y: Any = None) -> HardenedTree:
        """Return a `Tree` with linear splits, and its agreement with this soft model.

        Parameters
        ----------
        X, y : table and labels, default=None
            Rows for the counts in the leaves and for measuring the agreement; None returns the tree of the training
            rows.

        Returns
        -------
        HardenedTree
            `tree`, `agreement` (share of rows with the same predicted class) and a `sentence`.

        Raises
        ------
        InputError
            Splits are your own module, categories were one-hot, or there are several trees.
        """
        if X is None:
            return self._kept_hardened()
        rows = self._encode(X)
        return self._harden_on(
            rows, label_positions(np.asarray(y), self.classes_, "y holds").astype(np.int32)
        )

    def _first_hardened(
        self,
        rows: NDArray[np.float64],
        index: NDArray[np.int32],
        held_out: NDArray[np.bool_],
        weight: NDArray[np.float64] | None,
        own_validation: bool,
    ) -> HardenedTree:
        from treewright.latent._hard_nodes import Labels
        from treewright.latent._harden import classification_tree

        make_tree = classification_tree(self.columns_, self.classes_, index, weight)
        self._refine(
            rows,
            make_tree,
            Labels(index, np.ones(len(rows)) if weight is None else weight),
            self._proba,
            held_out,
            own_validation,
        )
        if own_validation:  # these rows only judge
            rows, index = rows[~held_out], index[~held_out]
            weight = None if weight is None else weight[~held_out]
        return self._harden_on(rows, index, weight, self._judging_rows(rows))

    def _harden_on(
        self,
        rows: NDArray[np.float64],
        index: NDArray[np.int32],
        weight: NDArray[np.float64] | None = None,
        judged_on: slice = slice(None),
    ) -> HardenedTree:
        from treewright.latent._harden import HardenedTree, classification_tree
        from treewright.latent._late import taken

        make_tree = classification_tree(self.columns_, self.classes_, index, weight)
        tree = merge_equal_leaves(self._harden(rows, make_tree, judged_on))
        rows = taken(rows, judged_on)
        agreement = float((self._proba(rows).argmax(axis=1) == tree.prediction[tree.apply(rows)]).mean())
        return HardenedTree(
            tree,
            agreement,
            f"The hard tree has {leaves_in_words(tree)} and predicts the same class as the soft model for "
            f"{percent_at_least(agreement)} of {len(rows)} rows.",
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


def _error_rate(out: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    guess = (out[:, 0] > 0).long() if out.shape[1] == 1 else out.argmax(1)
    return (guess != y).double().mean()


def _weighted_error_rate(out: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    guess = (out[:, 0] > 0).long() if out.shape[1] == 1 else out.argmax(1)
    return ((guess != target[:, 0].long()) * target[:, 1]).double().mean()
