"""How much good trees rely on columns, over resamples of the rows: drawn trees of many near-optimal sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright._arguments import check_arguments
from treewright.errors import InputError, SolverError
from treewright.near_optimal._bounds import check_count
from treewright.near_optimal._solve import solve_near_optimal
from treewright.problem import Problem, make_problem
from treewright.result import StopReason
from treewright.search import Limits, integer_costs, jobs_for
from treewright.table import table_from
from treewright.tree import Tree

__all__ = ["ColumnImportance", "ImportanceOfColumn", "column_importance", "reliance_of_tree"]


class ImportanceOfColumn(NamedTuple):
    """One line of `ColumnImportance.table`.

    Parameters
    ----------
    name : str
    mean : float
        Of the reliance, over all resamples and drawn trees.
    low, high : float
        Quantiles of it: 5 % and 95 %.
    share : float
        Share of the drawn trees that rely on the column: whose loss rises without it.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.near_optimal import column_importance
    >>> X = np.random.default_rng(0).integers(0, 2, (200, 3))
    >>> found = column_importance(X, X[:, 1], n_resamples=3, n_trees=5, random_state=0)
    >>> first = found.table()[0]
    >>> first.name, first.share
    ('x1', 1.0)
    """

    name: str
    mean: float
    low: float
    high: float
    share: float


@dataclass(frozen=True, eq=False)
class ColumnImportance:
    """The distribution of reliance on each column among good trees of resampled rows.

    Parameters
    ----------
    names : tuple of str
    reliance : ndarray of shape (n_resamples, n_trees, n_columns)
        By how much the loss of each drawn tree rises on its own resample if the column's values are drawn anew. There
        are fewer resamples than requested if `time_limit` ended before.
    n_complete : int
        Number of resamples whose near-optimal set was complete; for the others, trees are drawn from a set with a
        smaller bound.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.near_optimal import column_importance
    >>> X = np.random.default_rng(0).integers(0, 2, (200, 3))
    >>> found = column_importance(X, X[:, 1], n_resamples=3, n_trees=5, random_state=0)
    >>> found.names, found.reliance.shape
    (('x0', 'x1', 'x2'), (3, 5, 3))
    """

    names: tuple[str, ...]
    reliance: NDArray[np.float64]
    n_complete: int

    def table(self) -> list[ImportanceOfColumn]:
        """Return mean, quantiles and share of each column, the largest mean first."""
        flat = self.reliance.reshape(-1, len(self.names))
        low, high = np.quantile(flat, [0.05, 0.95], axis=0)
        lines = [
            ImportanceOfColumn(name, float(mean), float(a), float(b), float(share))
            for name, mean, a, b, share in zip(
                self.names, flat.mean(axis=0), low, high, (flat > 0).mean(axis=0), strict=True
            )
        ]
        return sorted(lines, key=lambda line: -line.mean)


def column_importance(
    X: Any,
    y: ArrayLike,
    *,
    cost_complexity: float = 0.01,
    max_depth: int | None = 3,
    max_leaf_nodes: int | None = None,
    min_samples_leaf: int | float = 1,
    epsilon: float = 0.05,
    thresholds: Literal["auto", "all"] | int | Mapping[str, Sequence[float]] = 8,
    sample_weight: ArrayLike | None = None,
    class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
    costs: ArrayLike | None = None,
    categorical_features: Sequence[str] | Sequence[int] | None = None,
    n_resamples: int = 20,
    n_trees: int = 100,
    random_state: int | None = None,
    n_jobs: int | None = None,
    time_limit: float | None = 60.0,
    memory_limit: int | None = None,
) -> ColumnImportance:
    """Return how much near-optimal trees rely on each column, over bootstrap resamples of the rows.

    One set of near-optimal trees shows what these rows allow. Resamples show how much of this remains with other rows
    of the same kind, so the importance depends neither on one tree nor on one sample.

    Parameters
    ----------
    X : array-like or frame of shape (n_rows, n_columns)
    y : array-like of shape (n_rows,)
    cost_complexity : float, default=0.01
        This and the parameters down to `categorical_features` as in `near_optimal_trees`.
    max_depth : int or None, default=3
    max_leaf_nodes : int or None, default=None
    min_samples_leaf : int or float, default=1
        A row counts as often as it was drawn.
    epsilon : float, default=0.05
    thresholds : "auto", "all", int or mapping, default=8
    sample_weight : array-like of shape (n_rows,), default=None
        A row has its weight as often as it was drawn.
    class_weight : dict, "balanced" or None, default=None
    costs : array-like of shape (n_classes, n_classes), default=None
    categorical_features : sequence of str or int, default=None
    n_resamples : int, default=20
        Resamples, each of as many rows as there are, with repetition.
    n_trees : int, default=100
        Trees drawn from each set, each as likely as any other.
    random_state : int, default=None
        The same seed gives the same answer, whatever `n_jobs`.
    n_jobs : int, default=None
        Resamples at a time, as in joblib.
    time_limit : float or None, default=60
        Seconds for the whole call. Each resample gets its share of what is left, so its set may be complete only up to
        a smaller bound. Resamples for which no time is left are not made. None is no limit.
    memory_limit : int or None, default=None
        Bytes, of each set.

    Returns
    -------
    ColumnImportance

    Raises
    ------
    InputError
        As in `near_optimal_trees`; or a resample has no row of some label, which can happen with few rows.
    SolverError
        `time_limit` ended before the first resample.
    KeyboardInterrupt
        Ctrl-C, at any time.

    References
    ----------
    J. Donnelly, S. Katta, C. Rudin, E. Browne (2023). The Rashomon Importance Distribution: Getting RID of Unstable,
    Single Model-based Variable Importance. NeurIPS. (Definition 2; reliance is our exact expectation, and the share of
    the trees is estimated from draws)

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.near_optimal import column_importance
    >>> X = np.random.default_rng(0).integers(0, 2, (200, 3))
    >>> found = column_importance(X, X[:, 1], n_resamples=3, n_trees=5, random_state=0)
    >>> found.table()[0].name
    'x1'
    """
    check_arguments(column_importance, locals(), "n_resamples", "n_trees")
    from joblib import Parallel, delayed, effective_n_jobs

    limits = Limits(time_limit, None, memory_limit).started()
    check_count("n_resamples", n_resamples, 1)
    check_count("n_trees", n_trees, 1)
    check_count("random_state", 0 if random_state is None else random_state, 0)
    jobs = jobs_for(n_resamples, n_jobs)
    problem = make_problem(
        table_from(X, categorical_features=categorical_features),
        y,
        sample_weight=sample_weight,
        class_weight=class_weight,
        costs=costs,
        cost_complexity=cost_complexity,
        max_depth=max_depth,
        max_leaf_nodes=max_leaf_nodes,
        min_samples_leaf=min_samples_leaf,
    )
    seeds = np.random.SeedSequence(random_state).spawn(n_resamples)
    at_once = max(1, effective_n_jobs(jobs))
    answers = Parallel(n_jobs=jobs)(
        delayed(_one_resample)(
            problem, thresholds, epsilon, n_trees, seed, limits, -(-(n_resamples - number) // at_once)
        )
        for number, seed in enumerate(seeds)
    )
    made = [answer for answer in answers if answer is not None]
    if not made:
        raise SolverError("time_limit ended before the first resample was made; give more time.")
    return ColumnImportance(
        problem.table.names,
        np.array([reliance for reliance, _ in made]),
        sum(complete for _, complete in made),
    )


def _one_resample(
    problem: Problem,
    thresholds: Any,
    epsilon: float,
    n_trees: int,
    seed: np.random.SeedSequence,
    limits: Limits,
    rounds_left: int,
) -> tuple[NDArray[np.float64], bool] | None:
    """Return the reliance of trees of one resample, and whether its set was complete; None if no time is left.

    `rounds_left` is how many resamples one worker still has to do, this one included.
    """
    left = limits.left()
    if left <= 0:
        return None
    if limits.time_limit is not None:
        limits = Limits(left / rounds_left, None, limits.memory_limit)
    rng = np.random.default_rng(seed)
    n = problem.table.n_rows
    rows = np.sort(rng.integers(0, n, n))
    if len(np.unique(problem.y[rows])) < problem.n_classes:
        raise InputError("A resample has no row of some label; give more rows of each label, or join labels.")
    resampled = replace(
        problem,
        table=replace(problem.table, X=problem.table.X[rows]),
        y=problem.y[rows],
        sample_weight=problem.sample_weight[rows],
        rows=None,
    )
    trees = solve_near_optimal(resampled, thresholds, epsilon=epsilon, limits=limits)
    if (
        trees.stop_reason is StopReason.INTERRUPT
    ):  # a set keeps what it has, but there are more resamples to make
        raise KeyboardInterrupt
    drawn = trees.sample(n_trees, int(rng.integers(2**31))) if trees else [trees.best.tree] * n_trees
    return np.array([reliance_of_tree(tree, resampled) for tree in drawn]), trees.stop_reason is None


def reliance_of_tree(tree: Tree, problem: Problem) -> NDArray[np.float64]:
    """Return what the loss of a tree rises by if each column is drawn anew from all rows, shape (n_columns,).

    Parameters
    ----------
    tree : Tree
        Over the columns and labels of the problem.
    problem : Problem
        The rows.

    Notes
    -----
    A leaf is reached by the rows that pass the conditions on other columns, each with the share of all rows that pass
    those on the column: see `NearOptimalTrees.columns`. Whole numbers are added, so that a loss that stays the same
    rises by exactly 0.
    """
    integers = integer_costs(problem)
    X, weight = problem.table.X, integers.weight
    total = int(weight.sum())
    out = [0] * X.shape[1]
    pending: list[tuple[int, tuple[tuple[int, NDArray[np.bool_]], ...]]] = [(0, ())]
    while pending:
        node, path = pending.pop()
        split = tree.splits[node]
        if split is not None:
            left = split.goes_left(X)
            pending.append((int(tree.children_left[node]), (*path, (split.column, left))))
            pending.append((int(tree.children_right[node]), (*path, (split.column, ~left))))
            continue
        paid = weight * integers.costs[problem.y, int(tree.prediction[node])]
        for column in {asked for asked, _ in path}:
            others = np.ones(len(X), dtype=np.bool_)
            drawn = others.copy()
            for asked, passes in path:
                if asked == column:
                    drawn &= passes
                else:
                    others &= passes
            out[column] += int(paid[others].sum()) * int(weight[drawn].sum())
            out[column] -= int(paid[others & drawn].sum()) * total
    return np.array([rise / total * integers.unit for rise in out])
