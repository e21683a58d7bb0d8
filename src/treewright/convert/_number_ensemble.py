"""Trees of numbers that are added up: what a regression forest or boosted regression model predicts.

As `Ensemble` is for classes, with one difference: the model's own sum is not repeated bit for bit. Its trees and
leaves are exact, and `rounding` bounds what is left, so that a statement about real sums holds for ``model.predict``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright._arguments import numbers_of
from treewright.convert._check_ensemble import EnsembleFault, check_sizes, check_structure
from treewright.convert._domain import Domain, check_first_domain, restrict
from treewright.convert._ensemble_tree import BLOCK, EnsembleTree
from treewright.convert._rows_by_name import rows_by_name
from treewright.errors import InputError

__all__ = ["NumberEnsemble"]

LARGEST = float(np.finfo(np.float32).max)  # models refuse larger values in a row


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
    domain : Domain or None, default=None
        The rows that all statements are about, see `within`; others are refused. None is all rows.
    whole : NumberEnsemble or None, default=None
        With a domain: the original ensemble.

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
    domain: Domain | None = None
    whole: NumberEnsemble | None = None

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

    def within(self, domain: Domain) -> NumberEnsemble:
        """Return the ensemble for a domain: the same numbers on its rows, fewer thresholds; it refuses other rows.

        Parameters
        ----------
        domain : Domain
            Every statement about the new ensemble, for example how near a tree is, is about these rows only.

        Returns
        -------
        NumberEnsemble

        Raises
        ------
        InputError
            If the domain has another number of columns or a range beyond the numbers that models accept, or this
            ensemble has a domain already.

        Examples
        --------
        >>> from sklearn.tree import DecisionTreeRegressor
        >>> from treewright.bornagain import Domain, NumberEnsemble
        >>> model = DecisionTreeRegressor().fit([[0.0], [1.0], [2.0], [3.0]], [1.0, 2.0, 3.0, 4.0])
        >>> part = NumberEnsemble.from_model(model).within(Domain([0], [1], [False]))
        >>> part.n_leaves, [tree.n_leaves for tree in part.trees]
        (4, [2])
        """
        check_first_domain(self.domain, domain, self.n_features)
        beyond = np.flatnonzero((domain.low > LARGEST) | (domain.high < -LARGEST))
        if len(beyond):
            raise InputError(
                f"The domain has {domain.words(self.feature_names, beyond[:1].tolist())}; models accept numbers from "
                f"{-LARGEST:.3g} to {LARGEST:.3g}. Give a range that overlaps these."
            )
        known = np.zeros(self.n_features, dtype=np.bool_)
        trees = tuple(restrict(tree, domain, known) for tree in self.trees)
        return replace(self, trees=trees, domain=domain, whole=self)

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return len(self.feature_names)

    @property
    def n_leaves(self) -> int:
        """Leaves of all trees together; with a domain, those of the original trees."""
        if self.whole is not None:
            return self.whole.n_leaves
        return sum(tree.n_leaves for tree in self.trees)

    @property
    def scope(self) -> str:
        """The rows that statements about this model hold for, in words."""
        return f"all rows{'' if self.domain is None else ' of the domain'} without missing values"

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
        tree without a bias is a number that is stored: exact. With a domain it is that of the original trees.
        """
        if self.whole is not None:
            return self.whole.rounding
        if len(self.trees) == 1 and self.bias == 0.0:
            return 0.0
        kind = np.float32 if self.single else np.float64
        return (len(self.trees) + 8) * float(np.finfo(kind).eps) * self.largest

    def encode(self, X: ArrayLike) -> NDArray[np.float64]:
        """Check rows and return them as float64.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_features)
            Numbers. The columns of a frame are found by their names, if those of the model are not just numbered.

        Returns
        -------
        ndarray of shape (n_rows, n_features), float64

        Raises
        ------
        InputError
            If the shape is wrong, a value is missing, or a row is outside the domain.
        """
        rows = numbers_of("X", rows_by_name(X, self.feature_names, self.source))
        if rows.ndim != 2 or rows.shape[1] != self.n_features:
            raise InputError(f"X must have shape (n_rows, {self.n_features}); got {rows.shape}.")
        if np.isnan(rows).any():
            raise InputError(
                f"X has missing values, of which nothing is said about a {self.source}; fill them in."
            )
        if self.domain is not None:
            self.domain.check(rows, self.feature_names)
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
