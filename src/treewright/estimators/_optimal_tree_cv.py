"""The estimator that chooses the size of an exact sparse tree by cross-validation along the front."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Literal, Self

from numpy.typing import ArrayLike

from treewright.errors import InputError
from treewright.estimators._front_cv import CVProgress, FrontCV, folds_in
from treewright.estimators._front_folds import held_out_costs
from treewright.estimators._shared_time import shared_among
from treewright.estimators._tree_estimator import TreeClassifier
from treewright.problem import Problem, encode_labels, make_problem
from treewright.search import BinaryOptions, Frontier, Limits, Thresholds, solve_frontier

__all__ = ["OptimalTreeClassifierCV"]


class OptimalTreeClassifierCV(FrontCV, TreeClassifier):
    """Exact sparse tree whose size is chosen by cross-validation.

    For all rows and for the training rows of every fold, one search finds the best tree of each number of leaves
    (`accuracy_frontier`). The held-out losses of the folds' trees decide which leaf penalty, or which number of leaves,
    is chosen. The tree is then that point of the frontier of all rows, with its certificate. There is no second search.

    Parameters
    ----------
    choose : {"cost_complexity", "leaves"}, default="cost_complexity"
        What is chosen. "cost_complexity": candidates are the penalties between the corners of the front of all rows
        (geometric means of the penalties at which the best tree changes, as in CART's pruning). A fold is scored with
        the tree that the penalty selects in its front. "leaves": candidates are all numbers of leaves.
    max_leaves : int, default=12
        Largest number of leaves that is searched, >= 1.
    rule : {"one_se", "best"}, default="one_se"
        "best" takes the smallest mean held-out loss; "one_se" the smallest tree whose mean loss is at most one
        standard error above it.
    cv : int, splitter or iterable, default=5
        As in scikit-learn: a number of stratified folds, a splitter, or pairs of training and test rows.
    max_depth : int or None, default=None
        Largest number of splits on a path; None is unlimited.
    min_samples_leaf : int or float, default=1
        Minimum number of training rows in a leaf; a float in (0, 1) is a fraction of the fold's rows of weight above 0.
    thresholds : int, "auto", "all" or mapping, default=8
        As in `accuracy_frontier`; computed again from the training rows of each fold. With 8 quantile bins per
        continuous column the searches stay short; ``result_.notes`` says what was binned.
    objective : {"accuracy", "balanced_accuracy"}, default="accuracy"
        With "balanced_accuracy" the loss is the mean of the error rates of the classes.
    costs : array-like of shape (n_classes, n_classes), default=None
        ``costs[i, j]`` is the cost of predicting class j for class i; None is 1 for every wrong one.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, multiplied with `sample_weight`.
    categorical_features : sequence of str or int, default=None
        Numeric columns to read as unordered categories.
    time_limit : float or None, default=30
        Seconds for the whole `fit`: the remaining searches, of one for all rows and one per fold, share what is left.
        When the time is over, no further fold is begun. The choice is made by the folds that were searched; if there
        are none, the tree is that at ``cost_complexity=0.01``.
    step_limit : int or None, default=None
        Subproblems of the whole `fit`; unlike seconds, the result is the same on every machine. They are divided
        equally among the search for all rows and those of the folds; a fold that gets none is not begun.
    memory_limit : int or None, default=None
        Bytes for each search; None is half of the memory of the machine it runs on.
    n_jobs : int or None, default=None
        Folds searched at once, through joblib: under ``joblib.parallel_config(backend="dask")`` (or Ray's backend)
        the same work goes to a cluster.
    progress : "auto", bool or callable, default="auto"
        A bar of finished folds: "auto" on runs of over half a second in a terminal or notebook. A callable gets a
        `CVProgress` after each fold; if it returns True, the run ends, and the choice is made by the folds so far.
    search_options : BinaryOptions or None, default=None
        Switches of the search, for experiments; none of them changes the fronts.

    Attributes
    ----------
    tree_ : Tree
    result_ : SolveResult
        The chosen point of the front of all rows, at the chosen penalty or number of leaves.
        ``result_.asked_to_stop`` says whether Ctrl-C or the callback ended any part of the fit.
    frontier_ : Frontier
        Of all rows.
    cost_complexity_ : float
        The chosen penalty, or one that selects the chosen number of leaves (nan if none does).
    feature_importances_ : ndarray of shape (n_features_in_,)
        By how much the objective grows when every split on the column becomes a leaf, in units of the objective. If the
        tree is proven optimal, the best tree without the column loses at most this. 0 for columns that the tree does
        not use. Not scaled to a sum of 1. The objective is that at ``cost_complexity_``, and with ``choose="leaves"``
        the loss alone.
    best_index_ : int
        Position of the choice in `cv_results_`.
    cv_results_ : dict of str to ndarray
        For each candidate, largest tree last: ``param_cost_complexity`` or ``param_leaves``, ``n_leaves`` (of the
        tree of all rows), ``mean_n_leaves`` (of the folds' trees), ``split0_test_score``, ..., ``mean_test_score``,
        ``std_test_score``, ``standard_error``, ``rank_test_score``. A score is minus the held-out loss.
    n_splits_ : int
    classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if the table had string column names.

    References
    ----------
    L. Breiman, J. Friedman, R. Olshen, C. Stone (1984). Classification and Regression Trees, sections 3.4.2 and 3.4.3
    (geometric means, the rule of one standard error).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treewright import OptimalTreeClassifierCV
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = OptimalTreeClassifierCV(max_leaves=5, thresholds=8).fit(X, y)
    >>> model.get_n_leaves()
    4
    """

    def __init__(
        self,
        choose: Literal["cost_complexity", "leaves"] = "cost_complexity",
        *,
        max_leaves: int = 12,
        rule: Literal["one_se", "best"] = "one_se",
        cv: Any = 5,
        max_depth: int | None = None,
        min_samples_leaf: int | float = 1,
        thresholds: Thresholds = 8,
        objective: Literal["accuracy", "balanced_accuracy"] = "accuracy",
        costs: ArrayLike | None = None,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        categorical_features: Sequence[str] | Sequence[int] | None = None,
        time_limit: float | None = 30.0,
        step_limit: int | None = None,
        memory_limit: int | None = None,
        n_jobs: int | None = None,
        progress: Literal["auto"] | bool | Callable[[CVProgress], Any] = "auto",
        search_options: BinaryOptions | None = None,
    ) -> None:
        self.choose = choose
        self.max_leaves = max_leaves
        self.rule = rule
        self.cv = cv
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.thresholds = thresholds
        self.objective = objective
        self.costs = costs
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.time_limit = time_limit
        self.step_limit = step_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.progress = progress
        self.search_options = search_options

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Find the fronts, and choose.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
            numpy, pandas or polars; numbers, truth values, text; missing values allowed.
        y : array-like of shape (n_rows,)
            Labels of any type.
        sample_weight : array-like of shape (n_rows,), default=None
            Weights >= 0, of training and of held-out rows.

        Returns
        -------
        OptimalTreeClassifierCV
            The fitted estimator.

        Raises
        ------
        InputError
            The table, the labels, the weights or a parameter cannot be used, or there are too few rows for this many
            folds; the message says what to do.

        Warns
        -----
        ConvergenceWarning
            A search reached a limit; trees and scores are those of the best trees found. After Ctrl-C the choice is
            made by the folds that were begun; if there are none, the tree is that at ``cost_complexity=0.01``.
        """
        limits = Limits(self.time_limit, self.step_limit, self.memory_limit).started()
        max_leaves = self._checked_leaves()
        table = self._training_table(X, y, beside={"sample_weight": sample_weight})
        if not isinstance(self.search_options, (BinaryOptions, type(None))):
            raise InputError(
                f"search_options={self.search_options!r}; give a treewright.search.BinaryOptions or None."
            )
        problem = make_problem(
            table,
            y,
            sample_weight=sample_weight,
            class_weight=self.class_weight,
            costs=self.costs,
            objective=self.objective,
            cost_complexity=0.0,
            max_depth=self.max_depth,
            max_leaf_nodes=max_leaves,
            min_samples_leaf=self.min_samples_leaf,
        )
        self.classes_ = problem.classes
        folds = folds_in(
            problem,
            self.cv,
            table.n_rows,
            self.min_samples_leaf,
            labels=problem.y,
            all_labels=lambda: encode_labels(y)[1],
        )
        self._cross_validate(
            problem,
            folds,
            partial(_front_of, thresholds=self.thresholds, options=self.search_options),
            held_out_costs,
            shared_among(limits, always=len(folds) + 1, searches=len(folds) + 1),
            "or give a max_depth, fewer max_leaves, fewer thresholds.",
        )
        return self


def _front_of(
    problem: Problem, limits: Limits, *, thresholds: Thresholds, options: BinaryOptions | None
) -> Frontier:
    """Return the front of a problem; `solve_frontier` in the order in which a cross-validation calls it."""
    return solve_frontier(problem, thresholds, limits=limits, options=options)
