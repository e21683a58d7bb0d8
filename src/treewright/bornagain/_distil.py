"""A small tree that says nearly what an ensemble says: fewest leaves that agree with it on the training rows.

The faithful tree of an ensemble has many times the leaves of the whole ensemble. Here the ensemble labels the rows,
and the exact search finds for each number of leaves the tree that differs on the fewest rows, over the ensemble's own
thresholds: a tree that decides like the ensemble changes its mind nowhere else. The answer is the tree of fewest
leaves that differs on no more than the tolerated share. It is proven if every smaller tree is: their lower bounds on
the rows that differ lie above the tolerance.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.bornagain._course import Progress
from treewright.bornagain._engine import DEFAULT_MEMORY
from treewright.convert import Ensemble
from treewright.errors import InputError
from treewright.problem import Problem, make_problem
from treewright.result import BornAgainResult, SolveResult, SolveStatus, told_to_stop
from treewright.search import Frontier, Limits, solve_frontier
from treewright.table import Table
from treewright.tree import Column, ColumnKind, Tree, exactly, percent_at_least, wilson_interval

__all__ = ["Agreement", "agreement", "distil"]


@dataclass(frozen=True)
class Agreement:
    """On how many rows a tree and an ensemble decide alike.

    Parameters
    ----------
    n_rows : int
    n_alike : int
    lower_bound : float
        Of the share of new rows on which they do (Wilson score interval), if these rows are a random sample of
        them that was used neither to train the ensemble nor to find the tree.
    confidence : float
        Two-sided level of the interval.
    tolerance : float or None, default=None
        For numbers: how far apart they may be to count as alike.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from treewright.bornagain import Ensemble, agreement, solve
    >>> X = [[1.0], [2.0], [3.0], [4.0]]
    >>> ensemble = Ensemble.from_model(RandomForestClassifier(3, max_depth=1, random_state=0).fit(X, [0, 0, 1, 1]))
    >>> print(agreement(solve(ensemble).tree, ensemble, X).sentence())
    Tree and ensemble decide alike on 4 of 4 rows (100.0%); if neither has seen these rows, on at least
    51.0% of all new ones like them (95% interval).
    """

    n_rows: int
    n_alike: int
    lower_bound: float
    confidence: float
    tolerance: float | None = None

    @property
    def share(self) -> float:
        """Share of the rows, 0 to 1."""
        return self.n_alike / self.n_rows

    def sentence(self) -> str:
        """Return it as one sentence."""
        level = f"{100 * self.confidence:.10g}% interval"
        known = f"{self.n_alike:,} of {self.n_rows:,} rows ({percent_at_least(self.share)})"
        new = f"on at least {percent_at_least(self.lower_bound)} of all new ones like them ({level})"
        alike = "Tree and ensemble decide alike"
        if self.tolerance is not None:
            alike = f"Tree and model are at most {exactly(self.tolerance)} apart"
        return f"{alike} on {known}; if neither has seen these rows, {new}."


def agreement(tree: Tree, ensemble: Ensemble, X: ArrayLike, *, confidence: float = 0.95) -> Agreement:
    """Count the rows on which a tree and an ensemble decide alike.

    Parameters
    ----------
    tree : Tree
        Over the columns of the ensemble.
    ensemble : Ensemble
    X : array-like of shape (n_rows, n_features)
        No labels are needed. For a statement about new rows take rows that neither was made from.
    confidence : float, default=0.95
        Two-sided level of the interval, strictly between 0 and 1.

    Returns
    -------
    Agreement

    Raises
    ------
    InputError
        If `X` has no rows or the wrong number of columns, or `confidence` is out of range.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from treewright.bornagain import Ensemble, agreement, solve
    >>> X = [[1.0], [2.0], [3.0], [4.0]]
    >>> ensemble = Ensemble.from_model(RandomForestClassifier(3, max_depth=1, random_state=0).fit(X, [0, 0, 1, 1]))
    >>> agreement(solve(ensemble).tree, ensemble, X).n_alike
    4
    """
    rows = _encoded(ensemble, X)
    alike = int((tree.predict(rows) == ensemble.predict(rows)).sum())
    return Agreement(len(rows), alike, wilson_interval(alike, len(rows), confidence)[0], confidence)


def distil(
    ensemble: Ensemble,
    X: ArrayLike,
    *,
    tolerance: float = 0.0,
    max_depth: int | None = 4,
    max_leaves: int = 16,
    time_limit: float | None = 60.0,
    step_limit: int | None = None,
    memory_limit: int | None = DEFAULT_MEMORY,
    n_jobs: int | None = 1,
    progress: Callable[[Progress], bool | None] | None = None,
) -> BornAgainResult:
    """Find the tree with the fewest leaves that agrees with the ensemble on given rows, or on nearly all of them.

    Parameters
    ----------
    ensemble : Ensemble
    X : array-like of shape (n_rows, n_features)
        Rows, usually those that the ensemble was trained on.
    tolerance : float, default=0.0
        Share of the rows, 0 to 1, on which the tree may decide otherwise.
    max_depth : int or None, default=4
        Largest number of splits on a path; None is unlimited.
    max_leaves : int, default=16
        Largest number of leaves.
    time_limit : float or None, default=60.0
        Seconds.
    step_limit : int or None, default=None
    memory_limit : int or None, default=4 GiB
        Bytes of the search.
    n_jobs : int or None, default=1
        Threads of the search, as in `treewright.accuracy_frontier`.
    progress : callable, optional
        Called about 20 times a second with a `Progress`; a true answer ends the run.

    Returns
    -------
    BornAgainResult
        ``objective`` and ``lower_bound`` are numbers of leaves, ``loss`` is the share of the rows on which the tree
        differs. Status OPTIMAL if no tree of fewer leaves (within `max_depth`, over the thresholds of the ensemble)
        keeps to the tolerance, and none of as many differs on fewer rows. If the tree found does not keep to the
        tolerance, a note says so, and whether any tree within the limits could. There always is a tree: a greedy
        one comes first.

    Raises
    ------
    InputError
        If a parameter is out of range, or `X` has no rows or the wrong number of columns.

    Notes
    -----
    Agreement on these rows is no bound for new ones, for the tree was chosen on them: count it on others with
    `agreement`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from treewright.bornagain import Ensemble, distil
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(20, max_depth=3, random_state=0).fit(X, y)
    >>> result = distil(Ensemble.from_model(forest), X, tolerance=0.02)
    >>> result.status.value, result.loss <= 0.02
    ('proven optimal', True)
    """
    start = time.monotonic()
    _check(tolerance, max_leaves)
    rows = _encoded(ensemble, X)
    index = ensemble.predict_index(rows)
    limits = Limits(time_limit, step_limit, memory_limit, n_jobs=n_jobs)
    problem, thresholds = _problem(ensemble, rows, index, max_depth, max_leaves)
    report = None
    if progress is not None:
        report = lambda now: progress(Progress(now.seconds, now.subproblems, now.memory, "rows"))  # noqa: E731
    frontier = solve_frontier(problem, thresholds, limits=limits, progress=report)
    allowed = math.floor(tolerance * len(rows) + 1e-9)
    found = _choose(frontier, allowed, len(rows))
    options = {
        "method": "born-again",
        "objective": "rows",
        "tolerance": float(tolerance),
        "max_depth": max_depth,
        "max_leaves": max_leaves,
        "time_limit": time_limit,
        "step_limit": step_limit,
        "memory_limit": memory_limit,
    }
    tree = _of_ensemble(found.point.tree, ensemble)
    keeps = found.differing <= allowed
    stats: dict[str, Any] = {
        "seconds": time.monotonic() - start,
        "depth": tree.depth,
        "leaves": tree.n_leaves,
        "depth_lower_bound": int(found.least_leaves - 1).bit_length(),
        "leaves_lower_bound": found.least_leaves,
        "rows": len(rows),
        "rows_alike": len(rows) - found.differing,
        "rows_asked": len(rows) - allowed,
        "subproblems": frontier.stats["subproblems"],
        "ensemble_trees": len(ensemble.trees),
        "ensemble_leaves": ensemble.n_leaves,
        "ensemble_depth": max(t.depth for t in ensemble.trees),
        **told_to_stop(frontier.asked_to_stop),
    }
    notes = ["Agreement on these rows is no bound for new ones; count it on rows that neither has seen."]
    if not keeps:
        notes.insert(0, _missed(found, allowed, max_depth, max_leaves))
    return BornAgainResult(
        tree=tree,
        status=SolveStatus.OPTIMAL if found.proven else SolveStatus.FEASIBLE,
        objective=float(tree.n_leaves),
        lower_bound=float(min(found.least_leaves, tree.n_leaves)),
        loss=found.differing / len(rows),
        scope=f"{len(rows) - found.differing} of the {len(rows)} rows that it was made from",
        stop_reason=None if found.proven else frontier.stop_reason,
        stats=stats,
        options=options,
        notes=tuple(notes),
    )


@dataclass(frozen=True)
class _Found:
    """The point of a frontier that is the answer.

    `least_leaves`: no tree with fewer keeps to the tolerance. `least_differing`: no tree of the frontier differs
    on fewer rows. `proven`: the answer is what was asked for.
    """

    point: SolveResult
    differing: int
    least_leaves: int
    least_differing: int
    proven: bool


def _choose(frontier: Frontier, allowed: int, n_rows: int) -> _Found:
    """The fewest leaves that keep to the tolerance or, if none do, the fewest rows that differ."""
    differing = [round(point.loss * n_rows) for point in frontier.limits]
    # Whole rows: a bound of 3.2 rows means that at least 4 differ; the slack covers the division by n_rows.
    least = [max(0, math.ceil(point.lower_bound * n_rows - 1e-6)) for point in frontier.limits]
    good = [k for k, count in enumerate(differing) if count <= allowed]
    impossible = [k for k, bound in enumerate(least) if bound > allowed]  # with at most k + 1 leaves
    least_leaves = 1 + (max(impossible) + 1 if impossible else 0)
    if good:
        k = good[0]
        point = frontier.limits[k]
        proven = least_leaves == point.tree.n_leaves and least[k] == differing[k]
    else:
        k = min(range(len(differing)), key=lambda i: (differing[i], i))
        point = frontier.limits[k]
        # Fewest rows that differ, and of those trees the smallest: all smaller ones differ on more.
        proven = least[-1] == differing[k] and (k == 0 or least[k - 1] > differing[k])
    return _Found(point, differing[k], least_leaves, least[-1], proven)


def _missed(found: _Found, allowed: int, max_depth: int | None, max_leaves: int) -> str:
    depth = "" if max_depth is None else f" and depth {max_depth}"
    size = f"at most {max_leaves} leaves{depth}"
    if found.least_differing > allowed:
        return (
            f"No tree of {size} keeps to the tolerance of {allowed} rows: at least {found.least_differing} differ, "
            f"here {found.differing}. Raise tolerance, max_leaves or max_depth."
        )
    return (
        f"The tree differs on {found.differing} rows, more than the {allowed} that are tolerated; whether a tree of "
        f"{size} can do better is open. Raise time_limit, tolerance, max_leaves or max_depth."
    )


def _check(tolerance: float, max_leaves: int) -> None:
    if not (isinstance(tolerance, (int, float)) and 0 <= tolerance <= 1):
        raise InputError(f"tolerance={tolerance!r}; give a share of the rows from 0 to 1.")
    if not (isinstance(max_leaves, (int, np.integer)) and max_leaves >= 1):
        raise InputError(f"max_leaves={max_leaves!r}; give the largest number of leaves, at least 1.")


def _encoded(ensemble: Ensemble, X: ArrayLike) -> NDArray[np.float64]:
    rows = ensemble.encode(X)
    if not len(rows):
        raise InputError("X has no rows; agreement is counted on rows.")
    return rows


def _problem(
    ensemble: Ensemble,
    rows: NDArray[np.float64],
    index: NDArray[np.int64],
    max_depth: int | None,
    max_leaves: int,
) -> tuple[Problem, dict[str, list[float]]]:
    """The question about rows that the ensemble has labelled, and the thresholds that it may use."""
    names = [f"x{f}" for f in range(ensemble.n_features)]  # the ensemble's own need not differ
    lacking = [bool(np.isnan(x).any()) for x in rows.T]
    columns = tuple(
        Column(name, ColumnKind.CONTINUOUS, has_missing=lacks)
        for name, lacks in zip(names, lacking, strict=True)
    )
    problem = make_problem(
        Table(columns, np.asfortranarray(rows)),
        index,
        cost_complexity=0.0,
        max_depth=max_depth,
        max_leaf_nodes=int(max_leaves),
    )
    return problem, {name: t.tolist() for name, t in zip(names, ensemble.thresholds, strict=True)}


def _of_ensemble(tree: Tree, ensemble: Ensemble) -> Tree:
    """The tree over the columns and all classes of the ensemble; the search saw the classes that occur."""
    assert tree.classes is not None  # class indices
    assert ensemble.missing is not None  # set in __post_init__
    seen = tree.classes.astype(np.int64)
    value = np.zeros((tree.node_count, ensemble.n_classes))
    value[:, seen] = tree.value
    columns = tuple(
        Column(name, ColumnKind.CONTINUOUS, has_missing=bool(ensemble.missing[f]))
        for f, name in enumerate(ensemble.feature_names)
    )
    return replace(
        tree,
        columns=columns,
        classes=ensemble.classes,
        prediction=seen[tree.prediction].astype(np.int32),
        value=value,
    )
