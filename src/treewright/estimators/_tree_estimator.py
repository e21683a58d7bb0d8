"""What all tree estimators share: reading new rows and answering with the fitted tree."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.base import ClassifierMixin
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from treewright._arguments import refuse_lossy
from treewright._plural import first_of
from treewright.errors import InputError, NumbersAsTextWarning, RowOrderWarning
from treewright.estimators._checked_score import CheckedScore
from treewright.estimators._display import TreeDisplay
from treewright.estimators._label_spellings import warn_of_spellings
from treewright.problem import warn_of_quantity
from treewright.result import SolveResult
from treewright.table import Table, encode_like, names_of_frame, table_from
from treewright.tree import Tree

__all__ = [
    "TreeClassifier",
    "TreeEstimator",
    "is_column_vector",
    "lossless",
    "warn_of_column_vector",
    "warn_of_row_order",
]

MOST_NAMED = 4  # columns in a warning


class TreeEstimator(TreeDisplay):
    """Base of the estimators that read a table and end with one `Tree`.

    `fit` of a subclass sets `tree_` and `result_`.
    """

    categorical_features: Sequence[str] | Sequence[int] | None  # of the classes that read a table
    tree_: Tree
    result_: SolveResult

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    def _training_table(
        self, X: Any, y: Any, *, beside: Mapping[str, Any] | None = None, stacklevel: int = 3
    ) -> Table:
        """Read the table of `fit` and record its columns; warns, as scikit-learn does, of labels in a column.

        `beside` has other values of the rows, such as weights, by the names of their parameters.
        """
        table = table_from(X, categorical_features=self.categorical_features)
        if not isinstance(y, tuple):  # a pair of events and times says so of each
            refuse_lossy("y", y)
        if type(X) is np.ndarray:  # no names; validate_data takes a tenth of a small fit to find that out
            self.n_features_in_ = X.shape[1]
            self.__dict__.pop("feature_names_in_", None)
        else:
            validate_data(self, X, skip_check_array=True)
        if is_column_vector(y):
            warn_of_column_vector(stacklevel=stacklevel + 1)
        warn_of_row_order(X, {"y": y, **(beside or {})}, stacklevel=stacklevel + 1)
        warn_of_numbers_as_text(table, stacklevel=stacklevel + 1)
        return table

    def _encode(self, X: Any) -> NDArray[np.float64]:
        """Encode new rows as the tree expects them; checks names, order, and categories where the tree asks."""
        check_is_fitted(self)
        has_rows_and_columns = len(getattr(X, "shape", ())) == 2
        if has_rows_and_columns:
            try:
                validate_data(self, X, reset=False, skip_check_array=True)
            except ValueError as error:
                if dates := self._unexpanded_dates(X):
                    raise InputError(
                        f"{error}\nX holds {', '.join(dates)} as in the table before its dates were made numbers. Give "
                        "treewright.table.expand_dates(X, like=model)."
                    ) from error
                raise
        encoded = encode_like(X, self.tree_.columns, expected_by=type(self).__name__, needed=self._asked())
        if not has_rows_and_columns:  # a list: only now known to be a table
            validate_data(self, encoded, reset=False, skip_check_array=True)
        return encoded

    def _unexpanded_dates(self, X: Any) -> list[str]:
        """Columns of new rows of whose dates the tree knows the parts, such as "opened (year)"."""
        known = getattr(self, "feature_names_in_", ())
        return [
            name
            for name in names_of_frame(X)
            if name not in known and any(own.startswith(f"{name} (age in days on ") for own in known)
        ]

    def _asked(self) -> frozenset[int] | None:
        """Positions of the columns that answering needs; None is all."""
        return self.tree_.asked

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Return the number of the leaf that each row falls into, shape (n_rows,).

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)

        Returns
        -------
        ndarray of shape (n_rows,), int64
            Numbers of nodes of `tree_`.
        """
        encoded = self._encode(X)
        return self.tree_.apply(encoded)

    def decision_path(self, X: Any) -> csr_matrix:
        """Return which nodes each row passes, as a sparse 0/1 matrix of shape (n_rows, node_count).

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)

        Returns
        -------
        csr_matrix of shape (n_rows, node_count)
            1 for each node from the root to the row's leaf.
        """
        leaf = self.apply(X)
        tree = self.tree_
        above = np.eye(tree.node_count, dtype=np.int64)  # above[node] marks the nodes on the path to it
        for node in range(tree.node_count):
            if tree.splits[node] is not None:
                for child in (tree.children_left[node], tree.children_right[node]):
                    above[child] += above[node]
        return csr_matrix(above)[leaf]

    def get_depth(self) -> int:
        """Return the largest number of splits on a path."""
        check_is_fitted(self)
        return self.tree_.depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        check_is_fitted(self)
        return self.tree_.n_leaves


class TreeClassifier(CheckedScore, ClassifierMixin, TreeEstimator):  # type: ignore[misc]
    """Base of the classifiers that end with one `Tree`.

    `fit` of a subclass sets `tree_`, `result_` and `classes_`.
    """

    classes_: NDArray[Any]

    def _training_table(
        self, X: Any, y: Any, *, beside: Mapping[str, Any] | None = None, stacklevel: int = 3
    ) -> Table:
        """Read the table of `fit`; warns of labels that seem to be a quantity, or are spelled in several ways, too."""
        table = super()._training_table(X, y, beside=beside, stacklevel=stacklevel + 1)
        warn_of_quantity(y, stacklevel=stacklevel + 1)
        warn_of_spellings(y, stacklevel=stacklevel + 1)
        return table

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the predicted label of each row.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)

        Returns
        -------
        ndarray of shape (n_rows,)

        Raises
        ------
        ValueError
            Other columns than those of the training table; or, in a column that the tree splits on, text where numbers
            were, or a category that the training rows did not have.
        """
        encoded = self._encode(X)
        return self.tree_.predict(encoded)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the share of training weight of each class in each row's leaf.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Columns in the order of `classes_`.
        """
        encoded = self._encode(X)
        return self.tree_.predict_proba(encoded)


def lossless(X: Any) -> Any:
    """Return a table of numbers; masked values and complex numbers, which numpy would lose, are refused."""
    refuse_lossy("X", X)
    return X


def warn_of_row_order(X: Any, beside: Mapping[str, Any], stacklevel: int = 3) -> None:
    """Warn of pandas tables whose index is that of labels, weights and the like in another order: most likely a slip.

    `beside` has these by the names of their parameters.
    """
    rows: Any = getattr(X, "index", None)
    for name, values in beside.items():
        labels: Any = getattr(values, "index", None)
        if callable(rows) or callable(labels) or not (hasattr(rows, "equals") and hasattr(labels, "equals")):
            continue  # no pandas, such as the method of a list
        if rows.equals(labels) or len(rows) != len(labels) or not (rows.is_unique and labels.is_unique):
            continue
        if rows.isin(labels).all():
            warnings.warn(
                f"The index of {name} holds the labels of X in another order, and rows are matched by position, not by "
                f"index. If that is not meant, pass {name}.loc[X.index]; if one of the two was numbered anew, all is "
                "well.",
                RowOrderWarning,
                stacklevel=stacklevel,
            )


def warn_of_numbers_as_text(table: Table, stacklevel: int = 3) -> None:
    """Warn of numbers that came as text: a proof over such columns is one over single values."""
    if not table.numbers_as_text:
        return
    names = first_of([*map(repr, table.numbers_as_text)], MOST_NAMED)
    one = len(table.numbers_as_text) == 1
    warnings.warn(
        f"Column{'' if one else 's'} {names} hold{'s' if one else ''} numbers "
        "as text, so each is a category of its own, without order. Make them numbers first "
        "(treewright.table.look(X) says how), or name them in categorical_features.",
        NumbersAsTextWarning,
        stacklevel=stacklevel,
    )


def is_column_vector(y: Any) -> bool:
    """Whether labels came with shape (n_rows, 1)."""
    return bool(getattr(y, "shape", ())[1:] == (1,))


def warn_of_column_vector(stacklevel: int = 3) -> None:
    """Warn of such labels; by default the warning points at the caller of `fit`."""
    warnings.warn(
        "A column-vector y was passed when a 1d array was expected; it is read as y.ravel().",
        DataConversionWarning,
        stacklevel=stacklevel,
    )
