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

from treewright._arguments import check_arguments
from treewright.bornagain._agreement import encoded
from treewright.bornagain._answers_in_time import answers_in_time, of_fewer_rows
from treewright.bornagain._course import Progress
from treewright.bornagain._engine import DEFAULT_MEMORY
from treewright.convert import Ensemble
from treewright.errors import InputError
from treewright.problem import Problem, make_problem
from treewright.result import BornAgainResult, SolveResult, SolveStatus, told_to_stop
from treewright.search import Frontier, Limits, solve_frontier
from treewright.table import Table
from treewright.tree import Column, ColumnKind, Tree

__all__ = ["check_distil", "distil", "of_classes", "smallest_tree"]


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
        Share of the rows, 0 to 1, on which the tree may decide differently.
    max_depth : int or None, default=4
        Largest number of splits on a path; None is unlimited.
    max_leaves : int, default=16
        Largest number of leaves.
    time_limit : float or None, default=60.0
        Seconds. Up to half of them are used for the ensemble's predictions. If these are not complete by then, the tree
        is made from the rows that have one, which were drawn at random. A note says how many there are, and nothing is
        proven.
    step_limit : int or None, default=None
    memory_limit : int or None, default=4 GiB
        Bytes of the search.
    n_jobs : int or None, default=1
        Threads of the search, as in `treewright.accuracy_frontier`.
    progress : callable, optional
        Called about 20 times a second with a `Progress`; if it returns True, the run ends.

    Returns
    -------
    BornAgainResult
        ``objective`` and ``lower_bound`` are numbers of leaves, ``loss`` is the share of the rows on which the tree
        differs. The status is OPTIMAL if no tree with fewer leaves (within `max_depth`, over the thresholds of the
        ensemble) meets the tolerance, and none with as many differs on fewer rows. If the tree does not meet the
        tolerance, a note says so, and whether any tree within the limits could. There is always a tree, because a
        greedy one is made first.

    Raises
    ------
    InputError
        If a parameter is out of range, or `X` has no rows or the wrong number of columns.

    Notes
    -----
    Agreement on these rows does not bound agreement on new ones, because the tree was chosen on them. Count it on other
    rows with `agreement`.

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
    check_arguments(distil, locals(), "ensemble", "max_leaves", "progress")
    start = time.monotonic()
    limits = Limits(time_limit, step_limit, memory_limit, n_jobs=n_jobs).started()
    check_distil(tolerance, max_leaves)
    rows = encoded(ensemble, X)
    n_rows = len(rows)
    answered, index = answers_in_time(
        lambda some: ensemble.answers(rows if some is None else rows[some]), n_rows, limits
    )
    if answered is not None:
        rows = rows[answered]
    problem, thresholds = _problem(ensemble, rows, index, max_depth, max_leaves)
    result = smallest_tree(problem, thresholds, tolerance, limits, progress, objective="rows", start=start)
    if answered is not None:
        result = of_fewer_rows(result, n_rows)
    sizes = {
        "ensemble_trees": len(ensemble.trees),
        "ensemble_leaves": ensemble.n_leaves,
        "ensemble_depth": max(t.depth for t in ensemble.trees),
    }
    return replace(result, tree=_of_ensemble(result.tree, ensemble), stats={**result.stats, **sizes})


def smallest_tree(
    problem: Problem,
    thresholds: Any,
    tolerance: float,
    limits: Limits,
    progress: Callable[[Progress], bool | None] | None,
    *,
    objective: str,
    start: float,
) -> BornAgainResult:
    """Find the tree with the fewest leaves that gives all but a share of the rows their labels.

    Parameters
    ----------
    problem : Problem
        The labels are the answers of the model; with a largest number of leaves.
    thresholds : dict or str
        As `solve_frontier` takes them.
    tolerance : float
        Share of the rows.
    limits : Limits
    progress : callable or None
    objective : str
        What the options of the result call the question.
    start : float
        When it began, by `time.monotonic`.
    """
    n_rows, max_depth, max_leaves = problem.table.n_rows, problem.max_depth, problem.max_leaf_nodes
    assert max_leaves is not None  # it is asked for
    report = None
    if progress is not None:
        report = lambda now: progress(Progress(now.seconds, now.subproblems, now.memory, "rows"))  # noqa: E731
    frontier = solve_frontier(problem, thresholds, limits=limits, progress=report)
    allowed = math.floor(tolerance * n_rows + 1e-9)
    found = _choose(frontier, allowed, n_rows)
    tree = found.point.tree
    alike = n_rows - found.differing
    stats: dict[str, Any] = {
        "seconds": time.monotonic() - start,
        "depth": tree.depth,
        "leaves": tree.n_leaves,
        "depth_lower_bound": int(found.least_leaves - 1).bit_length(),
        "leaves_lower_bound": found.least_leaves,
        "rows": n_rows,
        "rows_alike": alike,
        "rows_asked": n_rows - allowed,
        "subproblems": frontier.stats["subproblems"],
        **told_to_stop(frontier.asked_to_stop),
    }
    notes = ["Agreement on these rows is no bound for new ones; count it on rows that neither has seen."]
    if found.differing > allowed:
        notes.insert(0, _missed(found, allowed, max_depth, max_leaves))
    return BornAgainResult(
        tree=tree,
        status=SolveStatus.OPTIMAL if found.proven else SolveStatus.FEASIBLE,
        objective=float(tree.n_leaves),
        lower_bound=float(min(found.least_leaves, tree.n_leaves)),
        loss=found.differing / n_rows,
        scope=f"{alike} of the {n_rows} rows that it was made from",
        stop_reason=None if found.proven else frontier.stop_reason,
        stats=stats,
        options={
            "method": "born-again",
            "objective": objective,
            "tolerance": float(tolerance),
            "max_depth": max_depth,
            "max_leaves": max_leaves,
            "time_limit": limits.time_limit,
            "step_limit": limits.step_limit,
            "memory_limit": limits.memory_limit,
            "splits": found.point.scope,
        },
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


def check_distil(tolerance: float, max_leaves: int) -> None:
    """Raise `InputError` for a tolerance or a number of leaves out of range."""
    if not (isinstance(tolerance, (int, float)) and 0 <= tolerance <= 1):
        raise InputError(f"tolerance={tolerance!r}; give a share of the rows from 0 to 1.")
    if not (isinstance(max_leaves, (int, np.integer)) and max_leaves >= 1):
        raise InputError(f"max_leaves={max_leaves!r}; give the largest number of leaves, at least 1.")


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
    columns = tuple(
        Column(name, ColumnKind.CONTINUOUS, has_missing=bool(ensemble.missing[f]))
        for f, name in enumerate(ensemble.feature_names)
    )
    return replace(of_classes(tree, tree.classes.astype(np.int64), ensemble.classes), columns=columns)


def of_classes(tree: Tree, seen: NDArray[np.int64], classes: NDArray[Any]) -> Tree:
    """Return the tree with all classes of a model, where its own are those at the positions `seen`."""
    value = np.zeros((tree.node_count, len(classes)))
    value[:, seen] = tree.value
    return replace(tree, classes=classes, prediction=seen[tree.prediction].astype(np.int32), value=value)
