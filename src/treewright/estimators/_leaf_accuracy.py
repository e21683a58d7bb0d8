"""Estimators for trees whose worst leaf is as accurate as can be."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Literal, Self

from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

from treewright.errors import InputError
from treewright.estimators._end_of_fit import further_in_words, smaller_in_words
from treewright.estimators._importances_of_answers import worst_leaf_importances
from treewright.estimators._interrupt import begun_again, settle_interrupt
from treewright.estimators._tree_estimator import TreeClassifier
from treewright.problem import Problem, make_problem
from treewright.result import LeafAccuracyResult, StopReason
from treewright.search import (
    LeafAccuracyOptions,
    Limits,
    ProgressCallback,
    leaf_value,
    progress_bar,
    solve_leaf_accuracy,
    thresholds_from_reference,
)
from treewright.table import Table

__all__ = ["LeafAccuracyTreeClassifier"]


class LeafAccuracyTreeClassifier(TreeClassifier):
    """Shallow tree whose worst leaf is proven to be as accurate as possible.

    The *leaf accuracy* of a tree is the smallest share of training rows that a leaf predicts right (equation 1 of
    Nemecek et al.), so it holds for the people in every leaf. `fit` maximises it exactly; among the trees that reach
    the maximum it takes one with the fewest errors, then the fewest leaves.

    Parameters
    ----------
    max_depth : int, default=4
        Largest number of splits on a path.
    min_samples_leaf : int or float, default=0.05
        Minimum number of training rows in a leaf; a float in (0, 1) is a fraction of the rows of weight above 0.
        This objective overfits through small leaves: with larger ones the accuracy on new rows is closer to that on
        the training rows.
    criterion : {"accuracy", "lower_bound"}, default="lower_bound"
        The value of a leaf: "accuracy" is the share of its training rows that it predicts right, "lower_bound" the
        lower end of the one-sided Wilson interval of that share, with which large leaves win over small lucky ones. The
        number of observations in a leaf is the number of all rows times the leaf's share of the weight
        (docs/methods/leaf_accuracy.md).
    confidence : float, default=0.95
        One-sided level of the "lower_bound", 0.5 to below 1. `treewright.leaf_accuracy.leaf_table` shows the same bound
        with the two-sided ``confidence=2 * c - 1``.
    thresholds : "auto", "all", "guess", int or mapping, default=16
        Which thresholds of continuous columns the tree may use, as in `OptimalTreeClassifier`. An int gives the
        thresholds between this many quantile bins of every column. With 16 the worst leaf was as good on new rows as
        with more, and optimality is proven more often (docs/methods/leaf_accuracy.md). "auto" takes all thresholds if
        the table has at most 512 splits, else as many quantiles of every column as fit into this number.
        ``result_.scope`` and ``result_.notes`` say what was searched.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, multiplied with `sample_weight`. Leaf accuracy is then weighted.
    categorical_features : sequence of str or int, default=None
        Numeric columns to read as unordered categories.
    time_limit : float or None, default=30
        Seconds of search; after that the best tree so far is kept with its bound.
    step_limit : int or None, default=None
        Subproblems of depth two; unlike seconds, the result is the same on every machine.
    memory_limit : int or None, default=None
        Bytes for the search; None is half of the machine's memory.
    n_jobs : int or None, default=None
        Threads of the search for the best worst leaf: -1 is all cores, None is 1 unless ``joblib.parallel_config`` says
        otherwise. The proof and the tree do not depend on it. Inside a task of joblib it is no more than the task's
        share of the cores.
    progress : "auto", bool or callable, default="auto"
        As in `OptimalTreeClassifier`; the objective shown is 1 - leaf accuracy.
    reference : estimator or None, default=None
        For ``thresholds="guess"``: a tree ensemble; None is boosted trees of a size chosen on
        held-out rows.
    search_options : LeafAccuracyOptions or None, default=None
        Switches of the bounds, for experiments; none of them changes the optimum.

    Attributes
    ----------
    tree_ : Tree
    result_ : LeafAccuracyResult
        ``objective`` is the value of the worst leaf, ``upper_bound`` what no tree can exceed.
    leaf_accuracy_ : float
        Training accuracy of the worst leaf, whatever the criterion.
    feature_importances_ : ndarray of shape (n_features_in_,)
        By how much the value of the worst leaf falls when all splits on the column become leaves; not scaled to a sum
        of 1. If the tree is proven optimal, the best tree without the column loses at most this.
    classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if the table had string column names.

    See Also
    --------
    LeafAccuracyTreeClassifierCV : chooses the depth and the smallest leaf on held-back rows.

    Notes
    -----
    The optimum is about the accuracy on the training rows. On new rows the worst leaf is less accurate, and the
    difference grows with smaller leaves (docs/methods/leaf_accuracy.md has figures). The defaults,
    ``criterion="lower_bound"`` and leaves of a twentieth of the rows, were chosen by the worst leaf on new rows in one
    split of ten tables; the figures are from other splits.

    References
    ----------
    J. Nemecek, T. Pevny, J. Marecek (2023). Improving the Validity of Decision Trees as Explanations.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from treewright import LeafAccuracyTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = LeafAccuracyTreeClassifier(max_depth=2, thresholds=8).fit(X, y)
    >>> model.result_.status.value
    'proven optimal'
    >>> round(model.leaf_accuracy_, 3)
    0.929
    """

    result_: LeafAccuracyResult

    def __init__(
        self,
        max_depth: int = 4,
        *,
        min_samples_leaf: int | float = 0.05,
        criterion: Literal["accuracy", "lower_bound"] = "lower_bound",
        confidence: float = 0.95,
        thresholds: Literal["auto", "all", "guess"] | int | Mapping[str, Sequence[float]] = 16,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        categorical_features: Sequence[str] | Sequence[int] | None = None,
        time_limit: float | None = 30.0,
        step_limit: int | None = None,
        memory_limit: int | None = None,
        n_jobs: int | None = None,
        progress: Literal["auto"] | bool | ProgressCallback = "auto",
        reference: Any = None,
        search_options: LeafAccuracyOptions | None = None,
    ) -> None:
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.criterion = criterion
        self.confidence = confidence
        self.thresholds = thresholds
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.time_limit = time_limit
        self.step_limit = step_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.progress = progress
        self.reference = reference
        self.search_options = search_options

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Find the tree.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
            numpy, pandas or polars; numbers, truth values, text; missing values allowed.
        y : array-like of shape (n_rows,)
            Labels of any type.
        sample_weight : array-like of shape (n_rows,), default=None
            Weights >= 0; leaf accuracy is weighted, `min_samples_leaf` counts rows.

        Returns
        -------
        LeafAccuracyTreeClassifier
            The fitted estimator.

        Raises
        ------
        InputError
            The table, the labels, the weights or a parameter cannot be used; the message says what to do.
        KeyboardInterrupt
            Ctrl-C before the first tree; or later, if the caller loops over fits (`raise_on_interrupt`).

        Warns
        -----
        ConvergenceWarning
            A limit was reached before the proof; `result_` has the upper bound.
        """
        return self._find(self._started(), partial(self._problem, X, y, sample_weight))

    def _started(self) -> Limits:
        """Return the limits with the time running."""
        return Limits(self.time_limit, self.step_limit, self.memory_limit, n_jobs=self.n_jobs).started()

    def _find(self, limits: Limits, problem_of: Callable[[], Problem]) -> Self:
        """Find the tree of a problem, which is stated once the parameters are checked."""
        if self.search_options is not None and not isinstance(self.search_options, LeafAccuracyOptions):
            raise InputError(
                f"search_options={self.search_options!r}; give a treewright.search.LeafAccuracyOptions or None."
            )
        guesses = isinstance(self.thresholds, str) and self.thresholds == "guess"
        if self.reference is not None and not guesses:
            raise InputError('reference was given, but only thresholds="guess" uses it; leave it out.')
        problem = problem_of()
        thresholds: Any = self.thresholds
        if guesses:
            thresholds = thresholds_from_reference(problem, self.reference, limits=limits)
        how: dict[str, Any] = {
            "criterion": self.criterion,
            "confidence": self.confidence,
            "options": self.search_options,
        }
        search: Callable[..., LeafAccuracyResult] = partial(solve_leaf_accuracy, thresholds=thresholds, **how)
        with progress_bar(self.progress, self.time_limit) as report:
            result = search(problem, limits=limits, progress=report)

        def keep() -> None:
            self.result_ = result
            self.tree_ = result.tree
            self.classes_ = problem.classes
            self.leaf_accuracy_ = float(result.stats["leaf_accuracy"])
            self.feature_importances_ = worst_leaf_importances(
                result.tree,
                problem.table.n_rows / problem.total_weight,
                partial(leaf_value, criterion=self.criterion, confidence=self.confidence),
            )

        stop = StopReason.INTERRUPT if begun_again(keep) else result.asked_to_stop
        if result.stop_reason is not None:
            smaller = ""
            try:
                smaller = smaller_in_words(result, problem, search, limits, None if guesses else thresholds)
            except KeyboardInterrupt:  # while samples were searched
                stop = StopReason.INTERRUPT
            warnings.warn(
                f"{result.sentence()} {further_in_words(result.stop_reason)}, or make the problem smaller: "
                f"{smaller or 'a smaller max_depth, fewer thresholds'}.",
                ConvergenceWarning,
                stacklevel=3,
            )
        settle_interrupt(stop)
        return self

    def _problem(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None, table: Table | None = None
    ) -> Problem:
        """Check the input and state the problem; `table` is `X` where it was read before."""
        if table is None:
            table = self._training_table(X, y, beside={"sample_weight": sample_weight}, stacklevel=5)
        return make_problem(
            table,
            y,
            sample_weight=sample_weight,
            class_weight=self.class_weight,
            cost_complexity=0.0,
            max_depth=self.max_depth,
            min_samples_leaf=self.min_samples_leaf,
        )
