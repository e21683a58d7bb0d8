"""What is done with one shard, in this process or in another: search it, or send its rows through trees."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.binarize import candidates_of, given_splits
from treewright.result import SolveResult, SolveStatus, StopReason
from treewright.search import Limits, ProgressCallback, solve
from treewright.shards._bound import Bound, least_of_any, margin
from treewright.shards._deal import Shard
from treewright.shards._question import Question
from treewright.shards._spill import Rows, load_rows
from treewright.shards._trees import Counted, Shape, count_rows
from treewright.sources import Schema

__all__ = ["Answer", "CountTask", "Place", "SearchTask", "count_task", "load", "search_task"]


@dataclass(frozen=True, eq=False)
class Place:
    """How shards are read: the same for all of them.

    Parameters
    ----------
    question : Question
    schema : Schema
    labels : ndarray of int32
        Final class of each provisional one.
    """

    question: Question
    schema: Schema
    labels: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class SearchTask:
    """Search one shard.

    Parameters
    ----------
    place : Place
    shard : Shard
    thresholds : "all" or mapping
    time_limit : float or None
        Seconds for this shard.
    step_limit, memory_limit : int or None
    trees : tuple of Shape
        Trees to be counted on the shard as well, while its rows are at hand.
    """

    place: Place
    shard: Shard
    thresholds: Any
    time_limit: float | None
    step_limit: int | None
    memory_limit: int | None
    trees: tuple[Shape, ...] = ()


@dataclass(frozen=True, eq=False)
class Answer:
    """What the search of a shard found.

    Parameters
    ----------
    bound : Bound
    shape : Shape
        The best tree of the shard.
    counted : dict of Shape to Counted
        Of this tree and of those that were asked for.
    stop_reason : StopReason or None
    steps : int
    seconds : float
        Of the clock, reading the rows included.
    scope : str
    notes : tuple of str
    """

    bound: Bound
    shape: Shape
    counted: dict[Shape, Counted]
    stop_reason: StopReason | None
    steps: int
    seconds: float
    scope: str
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class CountTask:
    """Send the rows of a shard through trees.

    Parameters
    ----------
    place : Place
    shard : Shard
    trees : tuple of Shape
    """

    place: Place
    shard: Shard
    trees: tuple[Shape, ...]


def load(place: Place, shard: Shard, columns: Collection[int] | None = None) -> Rows:
    """Read the rows of a shard that count.

    Parameters
    ----------
    place : Place
    shard : Shard
    columns : collection of int, default=None
        Those that are needed; None is all.
    """
    keep = np.array([factor > 0 for factor in place.question.factors])
    return load_rows(shard.paths, place.schema, place.labels, keep, columns)


def search_task(task: SearchTask, progress: ProgressCallback | None = None) -> Answer:
    """Search one shard, and count the rows in its best tree.

    Parameters
    ----------
    task : SearchTask
    progress : callable, default=None
    """
    began = time.perf_counter()
    question = task.place.question
    limits = Limits(task.time_limit, task.step_limit, task.memory_limit).started()
    rows = load(task.place, task.shard)
    problem = question.problem(rows.X, rows.y, rows.weight)
    space = task.thresholds
    if isinstance(space, Mapping):  # all of them and all categories, whatever the limits are
        space = given_splits(
            problem.table, space, candidates=candidates_of(problem.table, problem.sample_weight)
        )
    result = solve(problem, space, limits=limits, progress=progress, shallower=False)
    shape = tuple(result.tree.splits)
    counted = {tree: count_rows(tree, rows, question.n_classes) for tree in {shape, *task.trees}}
    cost = counted[shape].cost(question)
    weight = question.weight_of(task.shard.class_weight)
    own = cost + question.leaf_penalty * weight * len(counted[shape].rows)
    # With weights that were rounded the bound lies below the objective, and only the bound is claimed.
    proven = result.status is SolveStatus.OPTIMAL and result.lower_bound >= result.objective
    claimed = own if proven else min(own, Fraction(result.lower_bound) * weight)
    value = claimed - margin(question, task.shard, problem, own / weight)
    floor = least_of_any(question, task.shard)
    return Answer(
        bound=Bound(task.shard, max(floor, value), own if proven else None),
        shape=shape,
        counted=counted,
        stop_reason=result.asked_to_stop or result.stop_reason,
        steps=_steps(result),
        seconds=time.perf_counter() - began,
        scope=result.scope,
        notes=result.notes,
    )


def _steps(result: SolveResult) -> int:
    steps = result.stats.get("steps", 0)
    return int(steps) if isinstance(steps, int) else 0


def count_task(task: CountTask) -> dict[Shape, Counted]:
    """Send the rows of a shard through trees.

    Parameters
    ----------
    task : CountTask
    """
    asked = {split.column for tree in task.trees for split in tree if split is not None}
    rows = load(task.place, task.shard, asked)
    return {tree: count_rows(tree, rows, task.place.question.n_classes) for tree in task.trees}
