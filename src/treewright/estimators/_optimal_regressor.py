"""The estimator for exact regression trees."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Literal, Self

from numpy.typing import ArrayLike

from treewright.estimators._asked import limits_of, penalty_and_limits, ranked_options
from treewright.estimators._end_of_fit import end_of_fit
from treewright.estimators._exact_tree import ExactTree, Question
from treewright.estimators._importances import own_importances
from treewright.estimators._leaf_targets import TreeRegressor
from treewright.lines import check_leaf_model, solve_with_lines
from treewright.problem import Criterion, make_regression_problem
from treewright.result import RegressionResult
from treewright.search import (
    ProgressCallback,
    RankedOptions,
    simple_line_importances,
    solve_regression,
    solve_simple_lines,
)

__all__ = ["OptimalTreeRegressor"]


class OptimalTreeRegressor(TreeRegressor, ExactTree):
    """Sparse regression tree that is proven optimal over all thresholds, or comes with a proven bound.

    Minimises ``loss + cost_complexity * leaves`` over all trees within the constraints. The loss is that of the tree
    divided by that of a single leaf; for squared error it is the share of the variance that the tree does not explain.
    After `fit`, ``result_`` says what is proven; ``print(result_.sentence())`` says it in one sentence.

    Parameters
    ----------
    cost_complexity : float, default=0.01
        Penalty of one leaf as a share of the loss of a single leaf: a split must explain at least this share of the
        variance. With 0 and a `max_depth`, only the training error is minimised.
    max_depth : int or None, default=3
        Largest number of splits on a path; None is unlimited. Depth 3 ends in seconds on most tables.
    max_leaf_nodes : int or None, default=None
    min_samples_leaf : int or float, default=1
        Minimum number of training rows in a leaf; a float in (0, 1) is a fraction of the rows of weight above 0.
    criterion : {"squared_error", "poisson", "gamma", "absolute_error", "quantile"}, default="squared_error"
        The loss of a row; for several outputs the squared errors are added. "poisson" (targets >= 0, not all 0) and
        "gamma" (targets above 0) are half the deviances of these families, and leaves predict means; with
        "absolute_error" and "quantile" leaves predict medians and quantiles. The last two take much longer: begin with
        depth 2, or some hundreds of rows.
    quantile : float, default=0.5
        Which quantile leaves predict, between 0 and 1 with at most four decimals; for criterion "quantile" only.
    leaf_model : {"constant", "linear", "simple_linear"}, default="constant"
        What leaves predict. "linear": the tree is chosen for constant leaves, and each leaf then gets a ridge
        regression on the numeric columns. Its penalty has the least leave-one-out error; a leaf in which no line is
        better than the constant keeps the constant. For criterion "squared_error". The proof is about constant leaves.
        "simple_linear": each leaf predicts by the line of least squared error in one column, and the tree is proven
        optimal among all such trees. For criterion "squared_error" and one output. Set `min_samples_leaf` to 5 or more
        with it, because a line fits any two rows without error.
    categorical_features : sequence of str or int, default=None
        Numeric columns to read as unordered categories.
    time_limit : float or None, default=30
        Seconds, counted from the call of `fit`; after that the best tree so far is kept with its bound.
    step_limit : int or None, default=None
        Passes of the kernel; unlike seconds, the result is the same on every machine.
    memory_limit : int or None, default=None
        Bytes for the search; None is half of the machine's memory.
    n_jobs : int or None, default=None
        Threads of a search over ranked columns (the other engines use one): -1 is all cores, None is 1 unless
        ``joblib.parallel_config`` says otherwise. The proven optimum and the tree do not depend on it. Inside a task
        of joblib it is no more than the task's share of the cores.
    progress : "auto", bool or callable, default="auto"
        A progress bar: "auto" on runs of over half a second in a terminal or notebook. A callable gets a
        `treewright.search.Progress` about 20 times a second and stops the search by returning True.
    search_options : RankedOptions or None, default=None
        Switches of the bounds, for experiments; none of them changes the optimum.

    Attributes
    ----------
    tree_ : Tree
    result_ : RegressionResult
        Tree, objective, lower bound, gap, status, statistics.
    feature_importances_ : ndarray of shape (n_features_in_,)
        By how much the objective grows when every split on the column becomes a leaf (and, for "simple_linear", every
        line in the column one in another column), in units of the objective. If the tree is proven optimal, the best
        tree without the column loses at most this. 0 for columns that the tree does not use. Not scaled to a sum of 1.
        `treewright.estimators.importances_without` fits again for the exact values.
    leaf_targets_ : dict of int to LeafTargets, or list of such dicts
        Targets of the training rows of each leaf, by the number that `apply` returns; see `leaf_records` and
        `predict_interval`. For several outputs it is a list with one dict per output.
    leaf_errors_ : dict of int to LeafTargets, or list of such dicts
        For the leaves with a line: target minus prediction of the training rows, widened as described in
        `predict_interval`.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if the table had string column names.

    Notes
    -----
    Missing values take a direction that is learned with each split; categories (text) are split one against the rest.
    Every threshold of every column is searched, and nothing is binned. Losses are compared as integers; the sentence
    says by how much two trees may differ and still count as equal (about 1e-11).

    Several outputs (`y` with two columns or more) share the splits of one tree, and their squared errors are added
    without scaling: divide each output by its standard deviation if all should count equally. The proof takes longer
    than for one output.

    A line is the leaf's mean and a slope for each column of numbers or truth values that is not constant in the leaf,
    standardised for the penalty; a missing value counts as the mean of the leaf, and text has no slope. It never
    predicts less than the smallest or more than the largest target of the leaf's rows. `time_limit` is for tree and
    lines together (the search gets nine tenths). Leaves whose line would not be finished in time keep their constants,
    and ``result_.notes`` says how many. ``result_.stats["loss_with_lines"]`` is the share of the variance that the tree
    with its lines does not explain.

    With "simple_linear" loss and objective are shares of the variance, too, and include the lines. A line may be in any
    column of numbers or truth values without missing values in the leaf. If a new row has a missing value there, it
    gets the leaf's mean. Outside the range of the leaf's rows the line continues horizontally. Weights are multiples of
    a common unit, such as 1, a quarter, 0.1 or the least weight. A column whose values are too close together to
    compare lines exactly is refused; the message says what to do.

    References
    ----------
    J. van den Bos, J. van der Linden, E. Demirović (2024). Piecewise Constant and Linear Regression Trees: An Optimal
    Dynamic Programming Approach. ICML. (the problem over binary features; the search over all thresholds is ours)

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from treewright import OptimalTreeRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = OptimalTreeRegressor(max_depth=2).fit(X, y)
    >>> model.result_.status.value, model.get_n_leaves()
    ('proven optimal', 4)

    Two outputs, in units of their standard deviations:

    >>> import numpy as np
    >>> both = np.column_stack([y, X[:, 2]])
    >>> several = OptimalTreeRegressor(max_depth=1).fit(X, both / both.std(axis=0))
    >>> several.predict(X[:3]).shape, several.result_.status.value
    ((3, 2), 'proven optimal')

    Lines in the leaves:

    >>> lined = OptimalTreeRegressor(max_depth=1, leaf_model="linear").fit(X, y)
    >>> print(lined.result_.sentence().partition("leaves; ")[2])
    the lines in its leaves were fitted afterwards, and with them 45.30% of the variance is left.

    Lines in one column, chosen with the tree:

    >>> simple = OptimalTreeRegressor(max_depth=1, leaf_model="simple_linear", min_samples_leaf=5).fit(X, y)
    >>> simple.result_.status.value, round(simple.result_.loss, 4)
    ('proven optimal', 0.5447)
    """

    def __init__(
        self,
        cost_complexity: float = 0.01,
        *,
        max_depth: int | None = 3,
        max_leaf_nodes: int | None = None,
        min_samples_leaf: int | float = 1,
        criterion: Criterion = "squared_error",
        quantile: float = 0.5,
        leaf_model: Literal["constant", "linear", "simple_linear"] = "constant",
        categorical_features: Sequence[str] | Sequence[int] | None = None,
        time_limit: float | None = 30.0,
        step_limit: int | None = None,
        memory_limit: int | None = None,
        n_jobs: int | None = None,
        progress: Literal["auto"] | bool | ProgressCallback = "auto",
        search_options: RankedOptions | None = None,
    ) -> None:
        self.cost_complexity = cost_complexity
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
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
        tags.target_tags.multi_output = (
            self.criterion == "squared_error" and self.leaf_model != "simple_linear"
        )
        return tags

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Find the tree.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
            numpy, pandas or polars; numbers, truth values, text; missing values allowed.
        y : array-like of shape (n_rows,) or (n_rows, n_outputs)
            Finite numbers; several outputs for criterion "squared_error".
        sample_weight : array-like of shape (n_rows,), default=None
            Weights >= 0; weight 0 equals leaving the row out.

        Returns
        -------
        OptimalTreeRegressor
            The fitted estimator.

        Raises
        ------
        InputError
            The table, the target, the weights or a parameter cannot be used; the message says what to do.

        Warns
        -----
        ConvergenceWarning
            A limit was reached before the proof; `result_` has the gap.
        """
        limits = limits_of(self, self.n_jobs)
        question = self._question(X, y, sample_weight)
        result = self._keep_answer(question, limits)

        def keep() -> None:
            self.feature_importances_ = (
                simple_line_importances(result.tree, question.problem)
                if self.leaf_model == "simple_linear"
                else own_importances(result.tree, question.problem)
            )
            self._keep_leaves(question.problem)

        result = self._keep_more(keep)
        end_of_fit(result, problem=question.problem, search=question.search, limits=limits)
        return self

    def _question(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Question:
        options = ranked_options(self.search_options)
        lines_after = check_leaf_model(self.leaf_model, self.criterion)
        search = solve_with_lines if lines_after else solve_regression
        if self.leaf_model == "simple_linear":
            search = solve_simple_lines
        table = self._training_table(X, y, beside={"sample_weight": sample_weight}, stacklevel=4)
        problem = make_regression_problem(
            table,
            y,
            sample_weight=sample_weight,
            criterion=self.criterion,
            quantile=self.quantile,
            **penalty_and_limits(self),
        )
        return Question(problem, partial(search, options=options))
