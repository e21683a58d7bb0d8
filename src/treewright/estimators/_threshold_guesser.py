"""The transformer from numbers to the 0/1 columns that a reference ensemble cannot do without."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from treewright.errors import InputError
from treewright.guess import guess_splits, make_reference, named_reference
from treewright.problem import make_problem
from treewright.table import encode_like, table_from
from treewright.tree import Column, Split, describe

__all__ = ["ThresholdGuesser"]


class ThresholdGuesser(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turn a table into 0/1 columns ``x <= t`` at the thresholds that a reference ensemble needs.

    Column elimination after McTavish et al. (2022), section 4.1: it starts with all thresholds of the reference and
    removes the least important ones, as long as the re-fitted reference does not get worse on the training rows.

    Parameters
    ----------
    reference : estimator or None, default=None
        A tree ensemble, fitted on the same columns or not fitted (it is then cloned); None is
        `GradientBoostingClassifier` with the two parameters below.
    n_estimators : int, default=40
        Trees of the default reference.
    max_depth : int, default=1
        Depth of its trees.
    tolerance : float, default=0
        Largest allowed decrease of the reference's training accuracy; 0 allows none.
    random_state : int, default=0
        Of the default reference.

    Attributes
    ----------
    splits_ : tuple of Split
        What each output column asks.
    n_offered_ : int
        Thresholds of the reference before elimination.
    accuracy_before_, accuracy_after_ : float
        Training accuracy of the reference on all thresholds and on the kept ones.
    reference_predictions_ : ndarray of shape (n_rows,)
        Labels that the ensemble on the kept columns predicts for the training rows of positive weight: what
        ``OptimalTreeClassifier(guess_lower_bounds=True, reference=...)`` takes (Corollary 4.3.1).
    columns_ : tuple of Column
        Of the training table.
    classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if the table had string column names.

    References
    ----------
    H. McTavish et al. (2022). Fast Sparse Decision Tree Optimization via Reference Ensembles. AAAI.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treewright.estimators import ThresholdGuesser
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> guesser = ThresholdGuesser(n_estimators=5).fit(X, y)
    >>> guesser.transform(X).shape[1] == len(guesser.get_feature_names_out())
    True
    """

    def __init__(
        self,
        reference: Any = None,
        *,
        n_estimators: int = 40,
        max_depth: int = 1,
        tolerance: float = 0.0,
        random_state: int = 0,
    ) -> None:
        self.reference = reference
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.tolerance = tolerance
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Choose the thresholds.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
        y : array-like of shape (n_rows,)
            Two or more classes.
        sample_weight : array-like of shape (n_rows,), default=None

        Returns
        -------
        ThresholdGuesser

        Raises
        ------
        InputError
            There is only one class, or the reference cannot be used; the message says why.
        """
        table = table_from(X)
        validate_data(self, X, skip_check_array=True)
        problem = make_problem(table, y, sample_weight=sample_weight)
        if len(np.unique(problem.y)) < 2:
            raise InputError("y has only one class: no threshold can be guessed. Give two or more classes.")
        model = self.reference
        if model is None:
            model = named_reference("gbdt", self.n_estimators, self.max_depth, self.random_state)
        reference = make_reference(model, problem.table, problem.y, problem.classes, problem.sample_weight)
        guessed = guess_splits(
            reference, problem.table, problem.y, problem.sample_weight, tolerance=self.tolerance
        )
        found = guessed.elimination
        self.splits_: tuple[Split, ...] = guessed.split_matrix.splits
        self.columns_: tuple[Column, ...] = problem.table.columns
        self.classes_ = problem.classes
        self.n_offered_ = len(found.kept) + len(found.removed)
        self.accuracy_before_, self.accuracy_after_ = 1 - found.error_before, 1 - found.error_after
        self.reference_predictions_ = problem.classes[found.predictions]
        return self

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Return 1 where a row goes left (``x <= t``), else 0.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)

        Returns
        -------
        ndarray of shape (n_rows, n_splits), float64
        """
        check_is_fitted(self)
        if len(getattr(X, "shape", ())) == 2:
            validate_data(self, X, reset=False, skip_check_array=True)
        encoded = encode_like(X, self.columns_, expected_by=type(self).__name__)
        return np.column_stack([split.goes_left(encoded) for split in self.splits_]).astype(np.float64)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the names of the output columns, such as ``age <= 42``.

        Parameters
        ----------
        input_features : array-like of str, default=None
            Checked against the fitted names, as scikit-learn does.

        Returns
        -------
        ndarray of shape (n_splits,), object

        Raises
        ------
        InputError
            `input_features` are not the names of the training columns.
        """
        check_is_fitted(self)
        names = tuple(column.name for column in self.columns_)
        columns = self.columns_
        if input_features is not None:
            given = tuple(str(name) for name in input_features)
            if len(given) != len(names):
                raise InputError(f"input_features should have length {len(names)}, got {len(given)}.")
            if hasattr(self, "feature_names_in_") and given != names:
                raise InputError("input_features is not equal to feature_names_in_")
            columns = tuple(replace(column, name=name) for name, column in zip(given, columns, strict=True))
        return np.array([describe(split, columns) for split in self.splits_], dtype=object)
