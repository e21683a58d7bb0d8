"""A regression model, trained and then replaced by one small tree that is near its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin, clone
from sklearn.ensemble import RandomForestRegressor
from sklearn.utils import check_random_state, get_tags

from treewright.bornagain import Agreement, distil_values, value_agreement
from treewright.errors import InputError
from treewright.estimators._end_of_fit import end_of_fit
from treewright.estimators._tree_estimator import TreeEstimator, is_column_vector
from treewright.result import BornAgainResult
from treewright.search import ProgressCallback, progress_bar
from treewright.table import Table

__all__ = ["BornAgainTreeRegressor", "deviations", "make_regression_forest"]

UNITS = ("deviations", "target")
SMALLER = "a larger tolerance or share, or a smaller max_depth or max_rows"


def make_regression_forest(
    n_trees: int = 20, depth: int = 4, random_state: Any = None
) -> RandomForestRegressor:
    """Return an unfitted random forest of `n_trees` regression trees of depth `depth`."""
    return RandomForestRegressor(n_estimators=n_trees, max_depth=depth, random_state=random_state)


class BornAgainTreeRegressor(RegressorMixin, TreeEstimator):  # type: ignore[misc]
    """The smallest tree that is near the numbers of a regression model, with proof.

    `fit` trains the model, and then finds the tree of fewest leaves whose numbers are within `tolerance` of the model's
    on all but `share` of the training rows. Use `from_fitted` for a model that is trained already. Only the model's
    predictions are read, so it may be any: a forest, boosting, a network, a pipeline.

    Parameters
    ----------
    estimator : regressor, default=None
        What to train. None is a random forest of 20 trees of depth 4.
    tolerance : float, default=0.5
        How far the tree's number may be from the model's, >= 0.
    units : {"deviations", "target"}, default="deviations"
        Of `tolerance`: standard deviations of the model's numbers on the training rows, or the units of the target.
        ``tolerance_`` has it in those of the target, deviations to four digits.
    share : float, default=0.1
        Share of the rows, 0 to 1, on which the tree may be further from the model.
    max_depth : int, default=3
        Largest number of splits on a path.
    max_leaves : int, default=16
        Largest number of leaves.
    max_rows : int or None, default=1000
        The tree is made from at most so many training rows, drawn at random; the certificate is about these. Time and
        memory of the search grow with their square. None takes all rows.
    categorical_features : sequence of str or int, default=None
        Columns of numbers that the tree reads as unordered categories; the model gets the table as it came.
    time_limit : float or None, default=30
        Seconds for the tree, not for training the model; then the best tree so far is kept with its bound.
    step_limit : int or None, default=None
        Steps of the searches together; unlike seconds the same on every machine.
    memory_limit : int or None, default=None
        Bytes for the search; None is half of the machine's memory.
    n_jobs : int or None, default=None
        Threads of the search: -1 is all cores, None is 1 unless ``joblib.parallel_config`` says otherwise. The proven
        answer does not depend on it.
    progress : "auto", bool or callable, default="auto"
        A progress bar: "auto" on runs of over half a second in a terminal or notebook. A callable gets a
        `treewright.search.Progress` about 20 times a second and stops the search by returning True.
    random_state : int, RandomState instance or None, default=None
        Draws the rows, and is passed to the model where it has such a parameter that is not set.

    Attributes
    ----------
    tree_ : Tree
    result_ : BornAgainResult
        ``print(result_.sentence())`` says on how many rows the tree is near, and what is proven of its size.
    tolerance_ : float
        In the units of the target.
    rows_ : ndarray of shape (n_rows_used,), int64
        Positions of the training rows that the tree was made from, ascending.
    estimator_ : regressor
        The trained model.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if the table had string column names.

    See Also
    --------
    treewright.bornagain.distil_values : the search, for numbers from anywhere.
    treewright.OptimalTreeRegressor : the tree that predicts the target best; this one describes a model.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from treewright import BornAgainTreeRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = BornAgainTreeRegressor(max_depth=2, random_state=0).fit(X[:300], y[:300])
    >>> model.result_.status.value, model.get_n_leaves() <= 4
    ('proven optimal', True)
    >>> model.agreement(X[300:]).share > 0.7
    True
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        tolerance: float = 0.5,
        units: str = "deviations",
        share: float = 0.1,
        max_depth: int = 3,
        max_leaves: int = 16,
        max_rows: int | None = 1000,
        categorical_features: Sequence[str] | Sequence[int] | None = None,
        time_limit: float | None = 30.0,
        step_limit: int | None = None,
        memory_limit: int | None = None,
        n_jobs: int | None = None,
        progress: Literal["auto"] | bool | ProgressCallback = "auto",
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.tolerance = tolerance
        self.units = units
        self.share = share
        self.max_depth = max_depth
        self.max_leaves = max_leaves
        self.max_rows = max_rows
        self.categorical_features = categorical_features
        self.time_limit = time_limit
        self.step_limit = step_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.progress = progress
        self.random_state = random_state

    result_: BornAgainResult

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        model = get_tags(make_regression_forest() if self.estimator is None else self.estimator).input_tags
        for name in ("allow_nan", "string", "categorical"):  # the tree takes them; the model may not
            setattr(tags.input_tags, name, getattr(model, name))
        return tags

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Train the model and find its tree.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
            Numbers, truth values, text, missing values: what the model takes.
        y : array-like of shape (n_rows,)

        Returns
        -------
        BornAgainTreeRegressor
            The fitted estimator.

        Raises
        ------
        InputError
            A parameter is out of range, the table cannot be read, or the model predicts several outputs.

        Warns
        -----
        ConvergenceWarning
            A limit was reached before the proof; `result_` has the bound.
        """
        self._check()
        table = self._training_table(X, y)
        estimator = make_regression_forest() if self.estimator is None else clone(self.estimator)
        known = estimator.get_params()
        if self.random_state is not None and "random_state" in known and known["random_state"] is None:
            estimator.set_params(random_state=self.random_state)
        self.estimator_ = estimator.fit(X, np.asarray(y).ravel() if is_column_vector(y) else y)
        self._find_tree(X, table)
        end_of_fit(self.result_, SMALLER)
        return self

    @classmethod
    def from_fitted(cls, model: Any, X: Any, **params: Any) -> Self:
        """Make the tree of a model that is trained already.

        Parameters
        ----------
        model : object with a method ``predict``
            Of numbers, one a row of `X`.
        X : array-like or frame of shape (n_rows, n_columns)
            Rows, usually those that the model was trained on. No target is needed.
        **params
            Parameters of the class.

        Returns
        -------
        BornAgainTreeRegressor

        Raises
        ------
        InputError
            As `fit`, or the model cannot predict.
        """
        self = cls(**params)
        self._check()
        if not callable(getattr(model, "predict", None)):
            raise InputError(f"model={model!r:.60} has no method predict; give a fitted regression model.")
        table = self._training_table(X, None)
        self.estimator_ = model
        self._find_tree(X, table)
        end_of_fit(self.result_, SMALLER)
        return self

    def _check(self) -> None:
        if self.units not in UNITS:
            raise InputError(f'units={self.units!r}; give "deviations" or "target".')
        rows = self.max_rows
        if rows is not None and (isinstance(rows, bool) or not isinstance(rows, Integral) or rows < 1):
            raise InputError(f"max_rows={rows!r}; give an integer of at least 1, or None for all rows.")

    def _find_tree(self, X: Any, table: Table) -> None:
        numbers = np.asarray(self.estimator_.predict(X))
        if numbers.shape == (table.n_rows, 1):
            numbers = numbers.ravel()
        self.tolerance_ = self.tolerance
        if self.units == "deviations" and isinstance(self.tolerance, Real) and self.tolerance is not True:
            self.tolerance_ = deviations(float(self.tolerance), numbers)
        self.rows_ = self._drawn(table.n_rows)
        all_rows = len(self.rows_) == table.n_rows
        with progress_bar(self.progress, self.time_limit) as report:
            self.result_ = distil_values(
                numbers if all_rows else numbers[self.rows_],
                table if all_rows else table.take(self.rows_),
                tolerance=self.tolerance_,
                share=self.share,
                max_depth=self.max_depth,
                max_leaves=self.max_leaves,
                time_limit=self.time_limit,
                step_limit=self.step_limit,
                memory_limit=self.memory_limit,
                n_jobs=self.n_jobs,
                progress=report,
            )
        self.tree_ = self.result_.tree

    def _drawn(self, n_rows: int) -> NDArray[np.int64]:
        if self.max_rows is None or n_rows <= self.max_rows:
            return np.arange(n_rows)
        rng = check_random_state(self.random_state)
        return np.sort(rng.choice(n_rows, int(self.max_rows), replace=False)).astype(np.int64)

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the number of each row's leaf.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        encoded = self._encode(X)
        return np.asarray(self.tree_.predict(encoded), dtype=np.float64)

    def agreement(self, X: Any, *, confidence: float = 0.95) -> Agreement:
        """Count the rows on which the tree is within the tolerance of the model, with a bound for new rows.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
            Rows that neither the model nor the tree was made from; no target is needed.
        confidence : float, default=0.95
            Two-sided level of the Wilson interval.

        Returns
        -------
        Agreement
        """
        n_rows = len(self._encode(X))
        numbers = np.asarray(self.estimator_.predict(X)).reshape(n_rows)
        return value_agreement(self.tree_, numbers, X, tolerance=self.tolerance_, confidence=confidence)


def deviations(count: float, numbers: NDArray[Any]) -> float:
    """So many standard deviations, to four digits; 0 of what are no finite numbers, which a search refuses."""
    try:
        known = numbers.astype(np.float64)
    except (TypeError, ValueError):
        return 0.0
    unit = float(np.abs(known).max(initial=0.0))
    return float(f"{count * unit * float(np.std(known / unit)):.4g}") if 0 < unit < np.inf else 0.0
