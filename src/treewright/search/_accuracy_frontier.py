"""The front from rows and labels, for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from numpy.typing import ArrayLike

from treewright._arguments import check_arguments
from treewright.problem import make_problem, warn_of_quantity
from treewright.search._frontier import Frontier, check_max_leaves
from treewright.search._limits import Limits, ProgressCallback
from treewright.search._options import BinaryOptions, RankedOptions
from treewright.search._progress_bar import progress_bar
from treewright.search._solve_frontier import solve_frontier
from treewright.search._space import Thresholds
from treewright.table import Table, table_from

__all__ = ["accuracy_frontier"]


def accuracy_frontier(
    X: Any,
    y: ArrayLike,
    *,
    max_leaves: int = 20,
    max_depth: int | None = None,
    min_samples_leaf: int | float = 1,
    sample_weight: ArrayLike | None = None,
    class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
    costs: ArrayLike | None = None,
    objective: Literal["accuracy", "balanced_accuracy"] = "accuracy",
    thresholds: Thresholds = "auto",
    categorical_features: Sequence[str] | Sequence[int] | None = None,
    time_limit: float | None = 30.0,
    step_limit: int | None = None,
    memory_limit: int | None = None,
    n_jobs: int | None = None,
    progress: Literal["auto"] | bool | ProgressCallback = "auto",
    search_options: BinaryOptions | RankedOptions | None = None,
) -> Frontier:
    """Find, for every number of leaves, the tree with provably the smallest training loss.

    Parameters
    ----------
    X : array-like, frame or Table of shape (n_rows, n_columns)
        numpy, pandas or polars; numbers, truth values, text; missing values allowed.
    y : array-like of shape (n_rows,)
        Labels of any type.
    max_leaves : int, default=20
        Largest number of leaves, >= 1.
    max_depth : int or None, default=None
        Largest number of splits on a path; None is unlimited.
    min_samples_leaf : int or float, default=1
        Minimum number of rows in a leaf; a float in (0, 1) is a fraction of the rows of weight above 0.
    sample_weight : array-like of shape (n_rows,), default=None
        Weights >= 0; an integer weight equals that many copies of the row.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, multiplied with `sample_weight`.
    costs : array-like of shape (n_classes, n_classes), default=None
        ``costs[i, j]`` is the cost of predicting class j for class i (classes sorted); None is 1 for every wrong
        one.
    objective : {"accuracy", "balanced_accuracy"}, default="accuracy"
        With "balanced_accuracy" the loss is the mean of the error rates of the classes.
    thresholds : "auto", "all", int or mapping, default="auto"
        Which thresholds of continuous columns the trees may use: "all" between distinct values; an int for that many
        quantile bins; a mapping from column name to thresholds. "auto" is "all", unless the search has to store more
        than 512 splits. It stores splits of categories; it also stores thresholds if they are not most of the splits.
        If there are more, each column keeps the same number, and ``notes`` says so.
    categorical_features : sequence of str or int, default=None
        Numeric columns to read as unordered categories.
    time_limit : float or None, default=30
        Seconds from the call on; after that each point has the best tree found and its own lower bound.
    step_limit : int or None, default=None
        Subproblems; unlike seconds, the result is the same on every machine.
    memory_limit : int or None, default=None
        Bytes for the search; None is half of the machine's memory.
    n_jobs : int or None, default=None
        Threads of each search, if the points come from several searches (more than 512 splits, see Notes); the single
        search over fewer splits has one thread. -1 is all cores, None is 1 unless ``joblib.parallel_config`` says
        otherwise. The proven front does not depend on it.
    progress : "auto", bool or callable, default="auto"
        As in `OptimalTreeClassifier`; objective and bound are means over all numbers of leaves; with more than 512
        splits they are those of the running search.
    search_options : BinaryOptions, RankedOptions or None, default=None
        Switches of the search, for experiments; none of them changes the front.

    Returns
    -------
    Frontier
        A sequence of `SolveResult`, fewest leaves first. Ctrl-C ends the search as a limit does.

    Raises
    ------
    InputError
        The table, the labels, the weights or a parameter cannot be used; the message says what to do.

    Notes
    -----
    With up to 512 splits one search finds all points: a subproblem is solved for all numbers of leaves together, so the
    whole front takes little longer than its last point alone. Most tables with continuous columns have more; their
    points come from searches at leaf penalties over all thresholds, and from one search with a limit on leaves for each
    point that no penalty selects. A `max_depth` of 3, or 8 to 16 quantiles per column, is a good start.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treewright import accuracy_frontier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> for point in accuracy_frontier(X, y, max_leaves=4, thresholds=8):
    ...     print(point.tree.n_leaves, round(point.loss, 3), point.status.value)
    1 0.667 proven optimal
    2 0.333 proven optimal
    3 0.04 proven optimal
    4 0.027 proven optimal
    """
    check_arguments(accuracy_frontier, locals(), "search_options")
    limits = Limits(time_limit, step_limit, memory_limit, n_jobs=n_jobs).started()
    warn_of_quantity(y)
    most = check_max_leaves(max_leaves)
    table = X if isinstance(X, Table) else table_from(X, categorical_features=categorical_features)
    problem = make_problem(
        table,
        y,
        sample_weight=sample_weight,
        class_weight=class_weight,
        costs=costs,
        objective=objective,
        cost_complexity=0.0,
        max_depth=max_depth,
        max_leaf_nodes=most,
        min_samples_leaf=min_samples_leaf,
    )
    with progress_bar(progress, time_limit) as report:
        return solve_frontier(problem, thresholds, limits=limits, options=search_options, progress=report)
