"""A regression model, trained and then replaced by one small tree near its numbers: on rows, or everywhere.

Longer than 400 lines: a quarter documents parameters and attributes, which readers look for at the class.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin, clone
from sklearn.ensemble import RandomForestRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.validation import check_is_fitted

from treewright._numbers import is_real, is_whole
from treewright.bornagain import (
    Agreement,
    Domain,
    NumberEnsemble,
    distil_values,
    first_answers,
    near_everywhere,
    of_fewer_rows,
    ranges_around,
    value_agreement,
)
from treewright.errors import InputError
from treewright.estimators._answers_of_models import answers_of, deviations, words_refused
from treewright.estimators._checked_score import CheckedScore
from treewright.estimators._domain import check_domain, is_rows
from treewright.estimators._end_of_fit import end_of_fit
from treewright.estimators._importances_of_answers import nearness_importances
from treewright.estimators._interrupt import settle_interrupt
from treewright.estimators._tree_estimator import TreeEstimator, is_column_vector
from treewright.estimators._unused import refuse_unused
from treewright.result import BornAgainResult
from treewright.search import Limits, Progress, ProgressCallback, progress_bar
from treewright.table import Table
from treewright.tree import ColumnKind

__all__ = ["BornAgainTreeRegressor", "make_regression_forest"]

UNITS = ("deviations", "target")
FAITHFUL = ("rows", "everywhere")
MOST_MEASURED = 100_000  # rows for the standard deviation, which so many tell to about a quarter of a percent
MOST_LEAVES = {"rows": 16, "everywhere": 1000}
SMALLER = "a larger tolerance or share, or a smaller max_depth or max_rows"


def make_regression_forest(
    n_trees: int = 20, depth: int = 4, random_state: Any = None
) -> RandomForestRegressor:
    """Return an unfitted random forest of `n_trees` regression trees of depth `depth`."""
    return RandomForestRegressor(n_estimators=n_trees, max_depth=depth, random_state=random_state)


class BornAgainTreeRegressor(CheckedScore, RegressorMixin, TreeEstimator):  # type: ignore[misc]
    """A small tree that is near the numbers of a regression model, with proof.

    `fit` trains the model. It then finds the tree with the fewest leaves whose numbers are within `tolerance` of the
    model's on all but a share `share` of the training rows. Use `from_fitted` for a model that is already trained. Only
    the model's predictions are used, so it may be any model: a forest, boosting, a neural network, a pipeline. With
    ``faithful="everywhere"`` the trees of a forest or boosted model are read, and the tree is near the model on every
    row there can be.

    Parameters
    ----------
    estimator : regressor, default=None
        What to train. None is a random forest of 20 trees of depth 4. For ``faithful="everywhere"`` it has to be a sum
        of trees that `treewright.bornagain.NumberEnsemble.from_model` can read.
    faithful : {"rows", "everywhere"}, default="rows"
        ``rows``: near on the training rows, with the fewest leaves, by exact search; see
        `treewright.bornagain.distil_values`. ``everywhere``: near on all rows without missing values, seen or not.
        Boxes of rows are split until a proven range of the model's numbers in each is narrow enough; see
        `treewright.bornagain.near_everywhere`. This takes many more leaves, and their number is not proven to be
        the least. If `max_leaves` or a limit ends the run, `result_` says how far the tree can be from the model.
    tolerance : float, default=0.5
        How far the tree's number may be from the model's, >= 0.
    units : {"deviations", "target"}, default="deviations"
        Units of `tolerance`: standard deviations of the model's numbers on the training rows (if there are more than
        100,000 rows, on so many of them, drawn at random), or the units of the target. ``tolerance_`` is always in the
        units of the target; if it comes from deviations, it has four digits.
    share : float, default=0.1
        For ``faithful="rows"``: share of the rows, 0 to 1, on which the tree may be further from the model. With
        ``faithful="everywhere"``, parameters that are only for ``faithful="rows"`` are refused if they are set.
    max_depth : int, default=3
        For ``faithful="rows"``: largest number of splits on a path.
    max_leaves : int or "auto", default="auto"
        Largest number of leaves. "auto" is 16, and 1000 for ``faithful="everywhere"``.
    max_rows : int or None, default=1000
        For ``faithful="rows"``: the tree is made from at most this many training rows, drawn at random; the certificate
        is about these rows. Time and memory of the search grow with their square. None takes all rows.
    categorical_features : sequence of str or int, default=None
        For ``faithful="rows"``: columns of numbers that the tree reads as unordered categories; the model gets the
        original table.
    time_limit : float or None, default=30
        Seconds for the tree, not for training the model; after that the best tree so far is kept with its bound. Up to
        half of the time may be used for the model's predictions. If these are not complete by then, only the rows that
        have one are used; a note says how many there are. If they are fewer than `max_rows`, nothing is proven.
    step_limit : int or None, default=None
        Total number of steps of the searches; unlike seconds, the result is the same on every machine.
    memory_limit : int or None, default=None
        Bytes for the search; None is half of the machine's memory.
    n_jobs : int or None, default=None
        Threads of the search on rows (``faithful="everywhere"`` has one): -1 is all cores, None is 1 unless
        ``joblib.parallel_config`` says otherwise. The proven answer does not depend on it.
    domain : Domain, "rows" or None, default=None
        For ``faithful="everywhere"``: the rows on which the tree has to be near the model. Fewer rows can mean fewer
        leaves. "rows" is the range from the smallest to the largest value of each column in the training rows; columns
        that hold only whole numbers there take only whole numbers. The tree also answers for rows outside, but nothing
        is proven about them; ``domain_.contains(X)`` tells which rows are inside.
    progress : "auto", bool or callable, default="auto"
        A progress bar: "auto" on runs of over half a second in a terminal or notebook. A callable gets a
        `treewright.search.Progress` about 20 times a second and stops the search by returning True.
    random_state : int, RandomState instance or None, default=None
        Draws rows, and is passed to the model if it has a parameter of this name that is not set.

    Attributes
    ----------
    tree_ : Tree
    result_ : BornAgainResult
        ``print(result_.sentence())`` says on which rows the tree is near the model, and what is proven about its size.
    ensemble_ : NumberEnsemble or None
        The model's trees; None if only its predictions were used. Within the domain, if there is one;
        ``ensemble_.whole`` then has the original trees.
    domain_ : Domain or None
    tolerance_ : float
        In the units of the target.
    rows_ : ndarray of shape (n_rows_used,), int64
        Positions of the training rows that the tree was made from, ascending; all rows with ``faithful="everywhere"``,
        which counts them in the nodes.
    feature_importances_ : ndarray of shape (n_features_in_,)
        For ``faithful="rows"``: share of the rows in `rows_` that are no longer near the model when all splits on the
        column become leaves, not scaled to a sum of 1. With ``faithful="everywhere"`` there is no such attribute.
    estimator_ : regressor
        The trained model.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if the table had string column names.

    See Also
    --------
    treewright.bornagain.distil_values : the search on rows, for numbers from anywhere.
    treewright.bornagain.near_everywhere : the tree for every row there can be.
    treewright.verify.verify_near_everywhere : the independent check of that tree.
    treewright.OptimalTreeRegressor : the tree that predicts the target best; the one here describes a model.

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

    Near the same forest on every row there can be, within one standard deviation of its numbers:

    >>> near = BornAgainTreeRegressor.from_fitted(model.estimator_, X[:300], faithful="everywhere", tolerance=1.0)
    >>> near.result_.loss <= near.tolerance_, near.agreement(X[300:]).share
    (True, 1.0)
    """

    _importances: NDArray[np.float64] | None

    def __init__(
        self,
        estimator: Any = None,
        *,
        faithful: str = "rows",
        tolerance: float = 0.5,
        units: str = "deviations",
        share: float = 0.1,
        max_depth: int = 3,
        max_leaves: Any = "auto",
        max_rows: int | None = 1000,
        categorical_features: Sequence[str] | Sequence[int] | None = None,
        time_limit: float | None = 30.0,
        step_limit: int | None = None,
        memory_limit: int | None = None,
        n_jobs: int | None = None,
        domain: Any = None,
        progress: Literal["auto"] | bool | ProgressCallback = "auto",
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.faithful = faithful
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
        self.domain = domain
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
            A parameter is out of range, the table cannot be read, the model predicts several outputs, or its trees
            cannot be read (``faithful="everywhere"``), or a row is outside the domain.

        Warns
        -----
        ConvergenceWarning
            A limit was reached before the proof; `result_` has the bound. Or the tree is not within the tolerance
            everywhere; `result_` says how far it can be.
        """
        self._check()
        table = self._training_table(X, y)
        estimator = make_regression_forest() if self.estimator is None else clone(self.estimator)
        known = estimator.get_params()
        if self.random_state is not None and "random_state" in known and known["random_state"] is None:
            estimator.set_params(random_state=self.random_state)
        with words_refused(
            "the model takes numbers only. Give an estimator that makes numbers of them first: make_pipeline("
            "make_column_transformer((OneHotEncoder(), names), remainder='passthrough'), RandomForestRegressor())."
        ):
            self.estimator_ = estimator.fit(X, np.asarray(y).ravel() if is_column_vector(y) else y)
        self._find_tree(X, table)
        self._end()
        return self

    @classmethod
    def from_fitted(cls, model: Any, X: Any, **params: Any) -> Self:
        """Make the tree of a model that is already trained.

        Parameters
        ----------
        model : object with a method ``predict``
            It returns one number for each row of `X`.
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
        self._end()
        return self

    def _check(self) -> None:
        if self.faithful not in FAITHFUL:
            raise InputError(f'faithful={self.faithful!r}; give "rows" or "everywhere".')
        if isinstance(self.max_leaves, str) and self.max_leaves != "auto":
            raise InputError(f'max_leaves={self.max_leaves!r}; give a number or "auto".')
        check_domain(self.domain)
        if self.faithful == "everywhere":
            refuse_unused(self, ("share", "max_depth", "max_rows", "categorical_features"), 'faithful="rows"')
        else:
            refuse_unused(self, ("domain",), 'faithful="everywhere"')
        if self.units not in UNITS:
            raise InputError(f'units={self.units!r}; give "deviations" or "target".')
        rows = self.max_rows
        if rows is not None and (not is_whole(rows) or rows < 1):
            raise InputError(f"max_rows={rows!r}; give an integer of at least 1, or None for all rows.")

    def _find_tree(self, X: Any, table: Table) -> None:
        limits = Limits(self.time_limit, self.step_limit, self.memory_limit).started()
        rows, numbers = self._answered(X, table.n_rows, limits)
        self.tolerance_ = self.tolerance
        if self.units == "deviations" and is_real(self.tolerance) and self.tolerance >= 0:
            self.tolerance_ = deviations(float(self.tolerance), numbers)
        most = MOST_LEAVES[self.faithful] if isinstance(self.max_leaves, str) else self.max_leaves
        asked = {
            "tolerance": self.tolerance_,
            "max_leaves": most,
            "time_limit": limits.seconds_left(),
            "step_limit": self.step_limit,
            "memory_limit": self.memory_limit,
        }
        everywhere = self.faithful == "everywhere"
        with progress_bar(self.progress, self.time_limit, _distance if everywhere else None) as report:
            if everywhere:
                self._find_everywhere(table, asked | {"progress": report})
            else:
                self._find_on_rows(rows, numbers, table, asked | {"progress": report})
        if self.units == "deviations" and len(rows) < min(table.n_rows, MOST_MEASURED):
            told = (
                f"The deviation is that of the model's numbers on {len(rows):,} of the {table.n_rows:,} rows, drawn at "
                "random: it answered about no more in half of the time limit."
            )
            self.result_ = replace(self.result_, notes=(*self.result_.notes, told))
        self.tree_ = self.result_.tree

    def _answered(self, X: Any, n_rows: int, limits: Limits) -> tuple[NDArray[np.int64], NDArray[Any]]:
        """Rows in the order in which the model was asked about them, those of the tree first, and its numbers."""
        most = 0 if self.faithful == "everywhere" else self._most_rows(n_rows)
        if self.units == "deviations":
            most = max(most, MOST_MEASURED)
        order = check_random_state(self.random_state).permutation(n_rows)[:most].astype(np.int64)
        if not most:
            return order, np.empty(0)
        numbers = first_answers(answers_of(self.estimator_, X), order, n_rows, limits.part(2))
        if numbers.shape == (len(numbers), 1):
            numbers = numbers.ravel()
        return order[: len(numbers)], numbers

    def _most_rows(self, n_rows: int) -> int:
        """How many rows the tree is made from."""
        return n_rows if self.max_rows is None else min(n_rows, int(self.max_rows))

    def _find_on_rows(
        self, rows: NDArray[np.int64], numbers: NDArray[Any], table: Table, limits: dict[str, Any]
    ) -> None:
        self.ensemble_: NumberEnsemble | None = None
        self.domain_: Domain | None = None
        used = np.argsort(rows[: self._most_rows(table.n_rows)])
        self.rows_ = rows[used]
        self.result_ = distil_values(
            numbers[used],
            table if len(used) == table.n_rows else table.take(self.rows_),
            share=self.share,
            max_depth=self.max_depth,
            n_jobs=self.n_jobs,
            **limits,
        )
        tree = self.result_.tree
        near = ranges_around(np.asarray(numbers[used], dtype=np.float64), self.tolerance_)
        self._importances = nearness_importances(tree, tree.apply(table.X[self.rows_]), *near)
        if len(used) < self._most_rows(table.n_rows):
            self.result_ = of_fewer_rows(self.result_, table.n_rows)

    def _find_everywhere(self, table: Table, limits: dict[str, Any]) -> None:
        words = [column.name for column in table.columns if column.kind is ColumnKind.CATEGORICAL]
        if words:
            raise InputError(
                f'The column {words[0]!r} holds text; faithful="everywhere" is for columns of numbers.'
            )
        ensemble = NumberEnsemble.from_model(self.estimator_)
        if ensemble.n_features == len(table.columns):  # the model may have seen an array
            ensemble = replace(ensemble, feature_names=table.names)
        self.domain_ = Domain.of_rows(table.X) if is_rows(self.domain) else self.domain
        if self.domain_ is not None:
            ensemble = ensemble.within(self.domain_)
        self.ensemble_, self.rows_ = ensemble, np.arange(table.n_rows)
        self._importances = None
        result = near_everywhere(ensemble, X=table.X, **limits)
        self.result_ = replace(result, tree=replace(result.tree, columns=table.columns))

    def _end(self) -> None:
        """Warn of what is not proven, and pass Ctrl-C on to a loop over fits; called by `fit` and `from_fitted`."""
        result = self.result_
        if self.faithful == "rows":
            end_of_fit(result, SMALLER, stacklevel=4)
            return
        if result.loss > self.tolerance_:
            warnings.warn(f"{result.sentence()} {result.notes[0]}", ConvergenceWarning, stacklevel=3)
        settle_interrupt(result.asked_to_stop)

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

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Share of the rows no longer near the model when all splits on the column become leaves."""
        check_is_fitted(self, "tree_")
        if self._importances is None:
            raise AttributeError(
                'feature_importances_ counts rows, and faithful="everywhere" is about all rows there can be. Use '
                "sklearn.inspection.permutation_importance(model, X, y)."
            )
        return self._importances

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


def _distance(state: Progress) -> str:
    """Say how near the tree is: a bound of 0 on that is nothing to compare with."""
    return f"within {state.objective:.4g} everywhere, {state.subproblems_per_second:,.0f} questions/s"
