"""From the columns of a table to float32 columns on which threshold splits decide as the tree does.

A column of numbers with the thresholds T_1 < ... < T_k gets float32 thresholds f_1 < ... < f_k, as near as they
can be. A value x has its place among the T: T_i < x <= T_(i+1). It becomes float32(x) if that has the same place
among the f, else the nearest float32 that has (f_(i+1), or the next above f_i). So ``z <= f_i`` holds exactly if
``x <= T_i`` does, for every float64 x, infinities included; nearly all values are just rounded. A category split
becomes one column of 0 (goes left) and 1, a linear split the column of its sum, treated like any column of
numbers. Missing values stay NaN.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin

from treewright.table import encode_like
from treewright.tree import CategorySplit, LinearSplit, Split, Tree, describe, subject

__all__ = ["SplitEncoder"]

DOWN, UP = np.float32(-np.inf), np.float32(np.inf)
LARGEST = np.float32(
    2.0**100
)  # numbers beyond are cut off, so that sums of columns, as in checks, stay finite


class SplitEncoder(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Encode rows for a scikit-learn tree with the decisions of `tree`.

    Parameters
    ----------
    tree : Tree

    Attributes
    ----------
    names_ : list of str
        Of the columns that come out: first those of the table, then one per category or linear split.
    feature_, threshold_ : ndarray of shape (tree.node_count,)
        The threshold splits over these columns.
    """

    def __init__(self, tree: Tree) -> None:
        self.tree = tree

    def fit(self, X: Any = None, y: Any = None) -> Self:
        """Choose the columns; the rows are not looked at, the tree says all.

        Parameters
        ----------
        X, y : None
            Ignored.
        """
        tree = self.tree
        self.names_ = [column.name for column in tree.columns]
        self._made: dict[tuple[Any, ...], Split] = {}
        self.feature_ = np.full(tree.node_count, -2, dtype=np.int32)
        wanted: list[list[float]] = [[] for _ in tree.columns]
        place: dict[tuple[Any, ...], int] = {}
        for node, split in enumerate(tree.splits):
            if split is None:
                continue
            if isinstance(split, (CategorySplit, LinearSplit)):
                key = _key(split)
                if key not in place:
                    place[key] = len(self.names_)
                    self.names_.append(_new_name(split, tree, self.names_))
                    self._made[key] = split
                    wanted.append([])
                column = place[key]
            else:
                column = split.column
            self.feature_[node] = column
            wanted[column].append(0.5 if isinstance(split, CategorySplit) else split.threshold)
        self._cuts = [np.unique(np.array(cuts, dtype=np.float64)) for cuts in wanted]
        self._single = [_float32_cuts(cuts) for cuts in self._cuts]
        self.threshold_ = np.full(tree.node_count, -2.0)
        for node, split in enumerate(tree.splits):
            if split is not None:
                column = int(self.feature_[node])
                cut = 0.5 if isinstance(split, CategorySplit) else split.threshold
                self.threshold_[node] = self._single[column][np.searchsorted(self._cuts[column], cut)]
        self.n_features_in_ = len(tree.columns)
        return self

    def transform(self, X: Any) -> NDArray[np.float32]:
        """Return the encoded rows.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
            The columns of the table that the tree was made for.

        Returns
        -------
        ndarray of shape (n_rows, n_columns_out), float32

        Raises
        ------
        InputError
            The columns are not those of the tree, or a category is unknown to it.
        """
        return self.transform_encoded(encode_like(X, self.tree.columns, needed=self.tree.asked))

    def transform_encoded(self, X: NDArray[np.float64]) -> NDArray[np.float32]:
        """Return rows that are encoded for the tree already (`Table.X`) as float32 columns.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_columns), float64

        Returns
        -------
        ndarray of shape (n_rows, n_columns_out), float32
        """
        columns = [X[:, j] for j in range(X.shape[1])]
        for split in self._made.values():
            if isinstance(split, CategorySplit):
                x = X[:, split.column]
                left = np.isin(x, np.asarray(split.left, dtype=np.float64))
                columns.append(np.where(np.isnan(x), np.nan, np.where(left, 0.0, 1.0)))
            else:
                assert isinstance(split, LinearSplit)  # the only other kind that is made
                columns.append(split.score(X))
        encoded = np.empty((len(X), len(columns)), dtype=np.float32)
        for j, values in enumerate(columns):
            encoded[:, j] = _place(values, self._cuts[j], self._single[j])
        return encoded

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the encoded columns.

        Parameters
        ----------
        input_features : None
            Ignored.
        """
        return np.array(self.names_, dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.requires_fit = False
        return tags


def _key(split: CategorySplit | LinearSplit) -> tuple[Any, ...]:
    """Splits that ask the same of the rows share a column."""
    if isinstance(split, CategorySplit):
        return (split.column, split.left)
    return (split.columns, split.weights)


def _new_name(split: CategorySplit | LinearSplit, tree: Tree, taken: list[str]) -> str:
    """What the column says when it is 1, or the sum."""
    if isinstance(split, LinearSplit):
        name = subject(split, tree.columns)
    else:
        name = describe(CategorySplit(split.column, split.left), tree.columns, goes_left=False)
    while name in taken:
        name += "'"
    return name


def _float32_cuts(cuts: NDArray[np.float64]) -> NDArray[np.float32]:
    """Strictly ascending float32 numbers, each the largest <= its cut where its neighbours leave room.

    There is room for a value below the first and above the last, except above inf, which nothing is.
    """
    finite = cuts[cuts < np.inf]
    with np.errstate(over="ignore"):
        rounded = finite.astype(np.float32)
        single = np.where(rounded > finite, np.nextafter(rounded, DOWN), rounded)
    single = np.clip(single, -LARGEST, LARGEST)
    least = -LARGEST
    for i in range(len(single)):
        single[i] = max(single[i], least)
        least = np.nextafter(single[i], UP)
    most = np.nextafter(LARGEST, DOWN)
    for i in reversed(range(len(single))):
        single[i] = min(single[i], most)
        most = np.nextafter(single[i], DOWN)
    return np.concatenate([single, np.full(len(cuts) - len(single), UP)])


def _place(values: NDArray[np.float64], cuts: NDArray[np.float64], single: NDArray[np.float32]) -> Any:
    """Round to float32 without crossing a cut; scikit-learn takes no infinities, so the ends are finite."""
    with np.errstate(over="ignore"):
        rounded = np.clip(values.astype(np.float32), -LARGEST, LARGEST)
    if not len(cuts):
        return rounded
    place = np.searchsorted(cuts, np.where(np.isnan(values), -np.inf, values), side="left")
    low = np.concatenate([[-LARGEST], np.nextafter(single, UP)])[place]
    high = np.concatenate([single, [LARGEST]])[place]
    return np.where(np.isnan(values), np.float32(np.nan), np.clip(rounded, low, high))
