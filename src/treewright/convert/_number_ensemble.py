"""Trees of numbers that are added up: what a regression forest or boosted regression model predicts.

As `Ensemble` is for classes, with one difference: the model's own sum is not repeated bit for bit. Its trees and
leaves are exact, and `rounding` bounds what is left, so that a statement about real sums holds for ``model.predict``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright._arguments import numbers_of
from treewright.convert._check_ensemble import EnsembleFault, check_sizes, check_structure
from treewright.convert._ensemble_tree import BLOCK, EnsembleTree
from treewright.errors import InputError

__all__ = ["NumberEnsemble"]


@dataclass(frozen=True, eq=False)
class NumberEnsemble:
    """Trees that predict numbers, and a constant that is added to their sum.

    Parameters
    ----------
    trees : tuple of EnsembleTree
        `value` of shape (n_nodes, 1) holds what a leaf adds, learning rate or 1 / n_trees included.
    feature_names : tuple of str
        One per column.
    bias : float, default=0.0
    single : bool, default=False
        Whether the model sums in single precision.
    source : str, default="ensemble"
        What was read, for messages.

    Raises
    ------
    InputError
        If the parts contradict each other, as for `Ensemble`.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestRegressor
    >>> from treewright.convert import NumberEnsemble
    >>> forest = RandomForestRegressor(3, max_depth=1, random_state=0).fit([[1], [2], [3], [4]], [0, 0, 1, 1])
    >>> ensemble = NumberEnsemble.from_model(forest)
    >>> len(ensemble.trees), ensemble.n_leaves, ensemble.predict([[1.0], [4.0]]).round(9).tolist()
    (3, 6, [0.0, 1.0])
    """

    trees: tuple[EnsembleTree, ...]
    feature_names: tuple[str, ...]
    bias: float = 0.0
    single: bool = False
    source: str = "ensemble"

    def __post_init__(self) -> None:
        try:
            check_sizes(len(self.feature_names), 2, len(self.trees), sum(len(t.feature) for t in self.trees))
        except EnsembleFault as fault:
            raise EnsembleFault(f"The {self.source} cannot be used: {fault}") from None
        for t, tree in enumerate(self.trees):
            try:
                check_structure(tree, self.n_features)
                if tree.value.shape[1] != 1:
                    raise EnsembleFault(f"its leaves hold {tree.value.shape[1]} numbers; one is read.")
            except EnsembleFault as fault:
                raise EnsembleFault(f"Tree {t} of the {self.source} cannot be used: {fault}") from None
        # Differences of two sums are taken, hence a quarter.
        if not self.largest < np.finfo(np.float32 if self.single else np.float64).max / 4:
            raise EnsembleFault(f"The {self.source} cannot be used: the sums of its numbers overflow.")

    @classmethod
    def from_model(cls, model: Any) -> NumberEnsemble:
        """Read a fitted regression model of scikit-learn, XGBoost or LightGBM.

        Parameters
        ----------
        model : fitted regressor
            RandomForestRegressor, ExtraTreesRegressor, GradientBoostingRegressor, HistGradientBoostingRegressor, a
            single tree of scikit-learn, XGBRegressor, LGBMRegressor, or a Booster of the last two libraries; also
            inside a fitted search, a FrozenEstimator, or a Pipeline whose other steps do not change rows.

        Returns
        -------
        NumberEnsemble

        Raises
        ------
        InputError
            If the model is of another kind, is not fitted, has several outputs, a link other than the identity, or
            another part that a sum of trees with threshold splits cannot express.
        """
        from treewright.convert._read_numbers import read_numbers

        return read_numbers(model)

    @classmethod
    def load(cls, path: str | Path) -> NumberEnsemble:
        """Read a model file: an XGBoost JSON model, a LightGBM text model, or what `save_numbers` wrote.

        Parameters
        ----------
        path : str or Path

        Returns
        -------
        NumberEnsemble

        Raises
        ------
        InputError
            The file does not exist or cannot be read.
        ModelFileError
            It is damaged, cut short or of another kind.
        """
        from treewright.convert._read_numbers import load_numbers

        return load_numbers(path)

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return len(self.feature_names)

    @property
    def n_leaves(self) -> int:
        """Leaves of all trees together."""
        return sum(tree.n_leaves for tree in self.trees)

    @cached_property
    def largest(self) -> float:
        """No sum of the bias and some of the trees is of larger magnitude."""
        with np.errstate(over="ignore"):
            return abs(self.bias) + float(
                sum(np.abs(tree.value[tree.feature < 0]).max() for tree in self.trees)
            )

    @cached_property
    def rounding(self) -> float:
        """How far the model's floating sum, or one of ours in any order, can be from the sum of real numbers.

        Each of at most n + 8 roundings (n - 1 sums, the bias, scaling by a learning rate or dividing by n, here and
        there) moves it by half an eps of `largest` at most, and the other half of eps is for higher orders. A single
        tree without a bias is a number that is stored: exact.
        """
        if len(self.trees) == 1 and self.bias == 0.0:
            return 0.0
        kind = np.float32 if self.single else np.float64
        return (len(self.trees) + 8) * float(np.finfo(kind).eps) * self.largest

    def encode(self, X: ArrayLike) -> NDArray[np.float64]:
        """Check rows and return them as float64.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Numbers.

        Returns
        -------
        ndarray of shape (n_rows, n_features), float64

        Raises
        ------
        InputError
            If the shape is wrong, or a value is missing.
        """
        rows = numbers_of("X", X)
        if rows.ndim != 2 or rows.shape[1] != self.n_features:
            raise InputError(f"X must have shape (n_rows, {self.n_features}); got {rows.shape}.")
        if np.isnan(rows).any():
            raise InputError(
                f"X has missing values, of which nothing is said about a {self.source}; fill them in."
            )
        return rows

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the sum for each row, within `rounding` of the real one.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Without missing values.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        rows = self.encode(X)
        out = np.full(len(rows), self.bias)
        for begin in range(0, len(rows), BLOCK):
            block = rows[begin : begin + BLOCK]
            for tree in self.trees:
                out[begin : begin + BLOCK] += tree.value[tree.apply(block), 0]
        return out
