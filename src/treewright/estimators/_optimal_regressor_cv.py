"""The estimator that chooses the size of an exact regression tree by cross-validation along the front."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal, Self

from numpy.typing import ArrayLike

from treewright.errors import InputError
from treewright.estimators._asked import ranked_options
from treewright.estimators._front_cv import CVProgress, FrontCV, folds_in
from treewright.estimators._front_folds import held_out_losses
from treewright.estimators._leaf_targets import TreeRegressor
from treewright.estimators._shared_time import shared_among
from treewright.lines import check_leaf_model, solve_frontier_with_lines
from treewright.problem import Criterion, RegressionProblem, make_regression_problem
from treewright.result import RegressionResult
from treewright.search import Frontier, Limits, RankedOptions, solve_regression_frontier

__all__ = ["OptimalTreeRegressorCV"]


class OptimalTreeRegressorCV(FrontCV, TreeRegressor):
    """Exact regression tree whose size is chosen by cross-validation.

    For all rows and for the training rows of every fold the best tree of each number of leaves is found, over all
    thresholds (`regression_frontier`). The held-out losses of the folds' trees decide which leaf penalty, or which
    number of leaves, is chosen. The tree is then that point of the frontier of all rows, with its certificate.

    Parameters
    ----------
    choose : {"cost_complexity", "leaves"}, default="cost_complexity"
        What is chosen. "cost_complexity": candidates are the penalties between the corners of the front of all rows
        (geometric means of the penalties at which the best tree changes, as in CART's pruning). A fold is scored with
        the tree that the penalty selects in its front. "leaves": candidates are all numbers of leaves.
    max_leaves : int, default=8
        Largest number of leaves that is searched, >= 1.
    rule : {"one_se", "best"}, default="one_se"
        "best" takes the smallest mean held-out loss; "one_se" the smallest tree whose mean loss is at most one
        standard error above it.
    cv : int, splitter or iterable, default=5
        As in scikit-learn: a number of folds (rows in their order), a splitter, or pairs of training and test rows.
    max_depth : int or None, default=3
        Largest number of splits on a path; None is unlimited.
    min_samples_leaf : int or float, default=1
        Minimum number of training rows in a leaf; a float in (0, 1) is a fraction of the fold's rows of weight above 0.
    criterion : {"squared_error", "poisson", "gamma", "absolute_error", "quantile"}, default="squared_error"
        The loss of a row, as in `OptimalTreeRegressor`. A Poisson tree whose leaf predicts 0 has an infinite deviance
        on held-out rows above 0, so it is chosen only if all others have one, too. A larger `min_samples_leaf` avoids
        that.
    quantile : float, default=0.5
        For criterion "quantile" only.
    leaf_model : {"constant", "linear"}, default="constant"
        As in `OptimalTreeRegressor`. "linear": the trees of all fronts are those for constant leaves; they then get
        lines, and the folds are scored with these lines.
    categorical_features : sequence of str or int, default=None
        Numeric columns to read as unordered categories.
    time_limit : float or None, default=30
        Seconds for the whole `fit`: the remaining searches share what is left. When the time is over, no further fold
        is begun. The choice is made by the folds that were searched; if there are none, the tree is that at
        ``cost_complexity=0.01``.
    step_limit : int or None, default=None
        Passes of the kernel in the whole `fit`; unlike seconds, the result is the same on every machine. They are
        divided equally among the front of all rows and those of the folds; a fold that gets none is not begun.
    memory_limit : int or None, default=None
        Bytes for each search; None is half of the memory of the machine it runs on.
    n_jobs : int or None, default=None
        Folds searched at once, through joblib: under ``joblib.parallel_config(backend="dask")`` (or Ray's backend)
        the same work goes to a cluster.
    progress : "auto", bool or callable, default="auto"
        A bar of finished folds: "auto" on runs of over half a second in a terminal or notebook. A callable gets a
        `treewright.estimators.CVProgress` after each fold; if it returns True, the run ends, and the choice is made by
        the folds so far.
    search_options : RankedOptions or None, default=None
        Switches of the bounds, for experiments; none of them changes the fronts.

    Attributes
    ----------
    tree_ : Tree
    result_ : RegressionResult
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
        ``std_test_score``, ``standard_error``, ``rank_test_score``. A score is minus the mean loss on the rows held
        out, as a share of the mean loss of all rows in a single leaf (for squared error: of the variance).
    n_splits_ : int
    leaf_targets_, leaf_errors_ : dict of int to LeafTargets, or list of such dicts
        As in `OptimalTreeRegressor`.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if the table had string column names.

    References
    ----------
    L. Breiman, J. Friedman, R. Olshen, C. Stone (1984). Classification and Regression Trees, sections 3.4.2 and 3.4.3
    (geometric means, the rule of one standard error).

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from treewright import OptimalTreeRegressorCV
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> model = OptimalTreeRegressorCV(max_leaves=4, max_depth=2).fit(X, y)
    >>> model.get_n_leaves()
    4
    """

    def __init__(
        self,
        choose: Literal["cost_complexity", "leaves"] = "cost_complexity",
        *,
        max_leaves: int = 8,
        rule: Literal["one_se", "best"] = "one_se",
        cv: Any = 5,
        max_depth: int | None = 3,
        min_samples_leaf: int | float = 1,
        criterion: Criterion = "squared_error",
        quantile: float = 0.5,
        leaf_model: Literal["constant", "linear"] = "constant",
        categorical_features: Sequence[str] | Sequence[int] | None = None,
        time_limit: float | None = 30.0,
        step_limit: int | None = None,
        memory_limit: int | None = None,
        n_jobs: int | None = None,
        progress: Literal["auto"] | bool | Callable[[CVProgress], Any] = "auto",
        search_options: RankedOptions | None = None,
    ) -> None:
        self.choose = choose
        self.max_leaves = max_leaves
        self.rule = rule
        self.cv = cv
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.criterion = criterion
        self.quantile = quantile
        self.leaf_model = leaf_model
        self.categorical_features = categorical_features
        self.time_limit = time_limit
        self.step_limit = step_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.progress = progress
        self.search_options = search_options

    result_: RegressionResult

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = self.criterion == "squared_error"
        return tags

    def _after_choice(self, problem: RegressionProblem) -> None:
        self._keep_leaves(problem)

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Find the fronts, and choose.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
            numpy, pandas or polars; numbers, truth values, text; missing values allowed.
        y : array-like of shape (n_rows,) or (n_rows, n_outputs)
            Finite numbers; several outputs for criterion "squared_error".
        sample_weight : array-like of shape (n_rows,), default=None
            Weights >= 0, of training and of held-out rows.

        Returns
        -------
        OptimalTreeRegressorCV
            The fitted estimator.

        Raises
        ------
        InputError
            The table, the target, the weights or a parameter cannot be used, or there are too few rows for this many
            folds; the message says what to do.

        Warns
        -----
        ConvergenceWarning
            A search reached a limit; trees and scores are those of the best trees found. After Ctrl-C the choice is
            made by the folds that were begun; if there are none, the tree is that at ``cost_complexity=0.01``.
        """
        limits = Limits(self.time_limit, self.step_limit, self.memory_limit).started()
        options = ranked_options(self.search_options)
        max_leaves = self._checked_leaves()
        lines = check_leaf_model(self.leaf_model, self.criterion)
        if str(self.leaf_model) == "simple_linear":
            raise InputError(
                "leaf_model='simple_linear' has no search for all numbers of leaves; take OptimalTreeRegressor, for "
                "example in a GridSearchCV over cost_complexity, or leaf_model='linear'."
            )
        table = self._training_table(X, y, beside={"sample_weight": sample_weight})
        problem = make_regression_problem(
            table,
            y,
            sample_weight=sample_weight,
            cost_complexity=0.0,
            max_depth=self.max_depth,
            max_leaf_nodes=max_leaves,
            min_samples_leaf=self.min_samples_leaf,
            criterion=self.criterion,
            quantile=self.quantile,
        )
        folds = folds_in(problem, self.cv, table.n_rows, self.min_samples_leaf)
        self._cross_validate(
            problem,
            folds,
            partial(_front_of, options=options, lines=lines),
            held_out_losses,
            shared_among(limits, always=len(folds) + 1, searches=len(folds) + 1),
            "or give a smaller max_depth or fewer max_leaves.",
        )
        return self


def _front_of(
    problem: RegressionProblem, limits: Limits, *, options: RankedOptions | None, lines: bool
) -> Frontier:
    """Return the front of a problem; what a cross-validation calls, in worker processes too."""
    if lines:
        return solve_frontier_with_lines(problem, limits=limits, options=options)
    return solve_regression_frontier(problem, limits=limits, options=options)
