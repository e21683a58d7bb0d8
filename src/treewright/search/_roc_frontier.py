"""The ROC frontier from rows and labels, for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from numpy.typing import ArrayLike

from treewright._arguments import check_arguments
from treewright.problem import make_problem
from treewright.search._limits import Limits, ProgressCallback
from treewright.search._options import BinaryOptions, RankedOptions
from treewright.search._progress_bar import progress_bar
from treewright.search._roc import RocFrontier
from treewright.search._solve_roc import solve_roc
from treewright.search._space import Thresholds
from treewright.table import Table, table_from

__all__ = ["roc_frontier"]


def roc_frontier(
    X: Any,
    y: ArrayLike,
    *,
    max_depth: int | None = 3,
    max_leaf_nodes: int | None = None,
    min_samples_leaf: int | float = 1,
    sample_weight: ArrayLike | None = None,
    thresholds: Thresholds = "auto",
    categorical_features: Sequence[str] | Sequence[int] | None = None,
    time_limit: float | None = 30.0,
    step_limit: int | None = None,
    memory_limit: int | None = None,
    n_jobs: int | None = None,
    progress: Literal["auto"] | bool | ProgressCallback = "auto",
    search_options: BinaryOptions | RankedOptions | None = None,
) -> RocFrontier:
    """Find the best trade-offs between false and true positives, and an upper bound on the AUC of every tree.

    Parameters
    ----------
    X : array-like, frame or Table of shape (n_rows, n_columns)
        numpy, pandas or polars; numbers, truth values, text; missing values allowed.
    y : array-like of shape (n_rows,)
        Labels of two classes; the second of them, sorted, is the positive one.
    max_depth : int or None, default=3
        Largest number of splits on a path; None is unlimited.
    max_leaf_nodes : int or None, default=None
        Largest number of leaves; None is unlimited.
    min_samples_leaf : int or float, default=1
        Minimum number of rows in a leaf; a float in (0, 1) is a fraction of the rows of weight above 0.
    sample_weight : array-like of shape (n_rows,), default=None
        Weights >= 0; an integer weight equals that many copies of the row.
    thresholds : "auto", "all", int or mapping, default="auto"
        Which thresholds of continuous columns the trees may use: "all" between distinct values; an int for that
        many quantile bins; a mapping from column name to thresholds. "auto" as in `OptimalTreeClassifier`.
    categorical_features : sequence of str or int, default=None
        Numeric columns to read as unordered categories.
    time_limit : float or None, default=30
        Seconds from the call on. Each search gets half of the time that is left, except the last one that is known.
    step_limit : int or None, default=None
        Steps of all searches together; unlike seconds, the result is the same on every machine.
    memory_limit : int or None, default=None
        Bytes for each search; None is half of the machine's memory.
    n_jobs : int or None, default=None
        Threads of each search: -1 is all cores, None is 1 unless ``joblib.parallel_config`` says otherwise.
    progress : "auto", bool or callable, default="auto"
        As in `OptimalTreeClassifier`; objective and bound are 1 - AUC.
    search_options : BinaryOptions, RankedOptions or None, default=None
        Switches of the search, for experiments; none of them changes what is proven.

    Returns
    -------
    RocFrontier
        A sequence of `RocPoint`, with `auc_bound`, `upper` and `sentence`. Ctrl-C ends the search as a limit does.

    Raises
    ------
    InputError
        There are not exactly two classes, or the table, the weights or a parameter cannot be used; the message says
        what to do.

    Notes
    -----
    All rates and areas are those of the training rows. The bound is that of the convex hull of all trees. No single
    tree has to reach it, because different trees are best at different rates. Each corner takes one search: tens of
    searches for trees of depth 3.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from treewright import roc_frontier
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> frontier = roc_frontier(X.iloc[:, :10], y, max_depth=1)
    >>> round(frontier.auc_bound, 3)
    0.968
    >>> point = max(frontier, key=lambda point: point.true_positive_rate - point.false_positive_rate)
    >>> round(point.false_positive_rate, 3), round(point.true_positive_rate, 3)
    (0.085, 0.913)
    """
    check_arguments(roc_frontier, locals(), "search_options")
    limits = Limits(time_limit, step_limit, memory_limit, n_jobs=n_jobs).started()
    table = X if isinstance(X, Table) else table_from(X, categorical_features=categorical_features)
    problem = make_problem(
        table,
        y,
        sample_weight=sample_weight,
        cost_complexity=0.0,
        max_depth=max_depth,
        max_leaf_nodes=max_leaf_nodes,
        min_samples_leaf=min_samples_leaf,
    )
    with progress_bar(progress, time_limit) as report:
        return solve_roc(problem, thresholds, limits=limits, options=search_options, progress=report)
