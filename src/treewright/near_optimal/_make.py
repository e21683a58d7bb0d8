"""All near-optimal trees of a table, in one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from numpy.typing import ArrayLike

from treewright._arguments import check_arguments
from treewright.near_optimal._solve import solve_near_optimal
from treewright.near_optimal._trees import NearOptimalTrees
from treewright.problem import make_problem, warn_of_quantity
from treewright.search import Limits, ProgressCallback, progress_bar
from treewright.table import table_from

__all__ = ["near_optimal_trees"]


def near_optimal_trees(
    X: Any,
    y: ArrayLike,
    *,
    cost_complexity: float = 0.01,
    max_depth: int | None = None,
    max_leaf_nodes: int | None = None,
    min_samples_leaf: int | float = 1,
    epsilon: float = 0.05,
    slack: float | None = None,
    max_objective: float | None = None,
    leaf_labels: Literal["cheapest", "any"] = "cheapest",
    redundant_splits: bool = False,
    thresholds: Literal["auto", "all"] | int | Mapping[str, Sequence[float]] = "auto",
    sample_weight: ArrayLike | None = None,
    class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
    costs: ArrayLike | None = None,
    categorical_features: Sequence[str] | Sequence[int] | None = None,
    time_limit: float | None = 60.0,
    memory_limit: int | None = None,
    n_jobs: int | None = None,
    progress: Literal["auto"] | bool | ProgressCallback | None = "auto",
) -> NearOptimalTrees:
    """Find all trees whose objective exceeds the least one by at most a given factor or amount.

    Parameters
    ----------
    X : array-like or frame of shape (n_rows, n_columns)
        numpy, pandas or polars; numbers, truth values, text; missing values allowed.
    y : array-like of shape (n_rows,)
        Labels, two or more classes.
    cost_complexity : float, default=0.01
        Penalty of one leaf, as a fraction of the total weight. The number is taken as the decimal that you write, so a
        tree exactly on the bound is in the set.
    max_depth, max_leaf_nodes : int or None, default=None
    min_samples_leaf : int or float, default=1
    epsilon : float, default=0.05
        All trees up to ``(1 + epsilon)`` times the least objective.
    slack : float, default=None
        Instead of `epsilon`: all trees up to the least objective plus this.
    max_objective : float, default=None
        Instead of `epsilon`: all trees up to this objective.
    leaf_labels : {"cheapest", "any"}, default="cheapest"
        Whether a leaf predicts its cheapest class (the first one if several are equal), or any class.
    redundant_splits : bool, default=False
        Whether trees count in which the two sides of a split are leaves with the same label.
    thresholds : "auto", "all", int or mapping, default="auto"
        As in `OptimalTreeClassifier`, but "auto" offers at most 512 splits; "all" offers all. Two thresholds count as
        two splits of a node even if none of its rows lies between them.
    sample_weight : array-like of shape (n_rows,), default=None
    class_weight : dict, "balanced" or None, default=None
    costs : array-like of shape (n_classes, n_classes), default=None
    categorical_features : sequence of str or int, default=None
    time_limit : float or None, default=60
        Seconds from the call on; after that the set is complete only up to a smaller bound.
    memory_limit : int or None, default=None
        Bytes; None is half of the machine's memory.
    n_jobs : int or None, default=None
        Threads of the search for the optimum, of the graph and of the counts: -1 is all cores, None is 1 unless
        ``joblib.parallel_config`` says otherwise. The set does not depend on it.
    progress : "auto", bool or callable, default="auto"
        As in `OptimalTreeClassifier`.

    Returns
    -------
    NearOptimalTrees

    Raises
    ------
    InputError
        The table, the labels, the weights or a parameter cannot be used; the message says what to do.

    Notes
    -----
    Two splits that send all rows the same way make two different trees, and so does exchanging the left and the right
    subtree. Columns that are constant on the rows of a node are not splits of it.

    References
    ----------
    R. Xin, C. Zhong, Z. Chen, T. Takagi, M. Seltzer, C. Rudin (2022). Exploring the Whole Rashomon Set of
    Sparse Decision Trees. NeurIPS. (the set; the graph and the counts are ours)

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treewright import near_optimal_trees
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> trees = near_optimal_trees(X, y, cost_complexity=0.02, max_depth=3, epsilon=0.2)
    >>> len(trees.where(without="petal length (cm)")) < len(trees)
    True
    """
    check_arguments(near_optimal_trees, locals(), "redundant_splits")
    limits = Limits(time_limit, None, memory_limit, n_jobs=n_jobs).started()
    warn_of_quantity(y)
    table = table_from(X, categorical_features=categorical_features)
    problem = make_problem(
        table,
        y,
        sample_weight=sample_weight,
        class_weight=class_weight,
        costs=costs,
        cost_complexity=cost_complexity,
        max_depth=max_depth,
        max_leaf_nodes=max_leaf_nodes,
        min_samples_leaf=min_samples_leaf,
    )
    with progress_bar(False if progress is None else progress, time_limit) as report:
        return solve_near_optimal(
            problem,
            thresholds,
            epsilon=epsilon,
            slack=slack,
            max_objective=max_objective,
            leaf_labels=leaf_labels,
            redundant_splits=redundant_splits,
            limits=limits,
            progress=report,
        )
