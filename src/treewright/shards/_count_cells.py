"""A run that counts the rows by their codes instead of searching shards, where that can be done.

What is counted is one part of the rows, whose best tree is known exactly; shards that the time limit or a failure left
out are others, of which less is known. Their bounds add up as those of searched shards do (`_bound`).
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from treewright.result import StopReason
from treewright.shards._best_of_cells import best_of_cells
from treewright.shards._bound import Bound, least_of_any
from treewright.shards._coded import CellTask, Coded, cell_task, coded_for
from treewright.shards._run import SEARCH_SHARE, Run
from treewright.shards._trees import LEAF_ONLY
from treewright.shards._workers import Lost

__all__ = ["coded_of", "count_cells"]

TASKS = 16  # for each worker: what is lost at once if one dies, and how often progress is told


def coded_of(run: Run, n_rows: int, weighted: bool) -> Coded | None:
    """Return how the rows of a run can be counted; None where shards have to be searched.

    Parameters
    ----------
    run : Run
    n_rows : int
        Of the source.
    weighted : bool
    """
    memory = run.limits.native()["memory_limit"] / (run.pool.workers() + 3)  # the sum, and one that travels
    return coded_for(run.place.question, run.thresholds, n_rows, weighted, memory)


def count_cells(run: Run, coded: Coded) -> list[int]:
    """Count the rows and keep the best tree; return the shards of tasks that failed.

    Parameters
    ----------
    run : Run
    coded : Coded
    """
    n_shards = len(run.shards)
    tasks = min(n_shards, TASKS * run.pool.workers())
    parts = [range(k * n_shards // tasks, (k + 1) * n_shards // tasks) for k in range(tasks)]
    cells = np.zeros(coded.n_cells, dtype=np.uint32)
    done: list[int] = []
    lost: list[int] = []

    def make(k: int, left: int) -> CellTask:
        seconds = run.limits.left() * SEARCH_SHARE
        shards = {number: run.shards[number] for number in parts[k]}
        return CellTask(run.place, shards, coded, None if math.isinf(seconds) else seconds)

    answers = run.pool.run(cell_task, range(tasks), make)
    try:
        for k, answer in answers:
            if isinstance(answer, Lost):
                lost += parts[k]
                run.lose(tuple(parts[k]), answer)
                continue
            cells += answer.cells
            done += answer.shards
            run.searches += 1
            if run.is_over([(number,) for number in done], None):
                break
    except KeyboardInterrupt:
        run.stop_reason = StopReason.INTERRUPT
    finally:
        answers.close()  # type: ignore[attr-defined]  # a generator
        run.searched_at = run.seconds()
    if len(done) + len(lost) < n_shards and run.stop_reason is None:
        run.stop_reason = StopReason.TIME_LIMIT
    if done:
        _keep(run, coded, cells, tuple(sorted(done)))
    return sorted(lost)


def _keep(run: Run, coded: Coded, cells: np.ndarray, part: tuple[int, ...]) -> None:
    """Keep what the cells prove of a part of the rows."""
    question = run.place.question
    if len(part) < len(run.shards):  # a leaf of many rows may have a single one in the part
        question = replace(question, min_samples_leaf=1)
    best = None
    if run.stop_reason not in (StopReason.INTERRUPT, StopReason.CALLBACK):
        try:
            best = best_of_cells(question, run.thresholds, coded, cells, lambda: run.limits.left() <= 0)
        except KeyboardInterrupt:
            run.stop_reason = StopReason.INTERRUPT
        if best is not None and not best.is_whole:
            run.stop_reason = StopReason.TIME_LIMIT
    shard = run.shard(part)
    value = least_of_any(question, shard)
    bound = Bound(shard, value)  # where trees were not compared, they may be better
    if best is not None and best.is_whole:
        bound = Bound(shard, max(best.cost, value), best.cost if best.is_exact else None)
    alone = {(k,) for k in part}
    run.bounds = {own: kept for own, kept in run.bounds.items() if own not in alone} | {part: bound}
    if (
        best is None
    ):  # someone waits: trees of depth three would take seconds, and one split bounds none of them
        shallow = replace(question, max_depth=min(1, question.max_depth or 0))
        try:
            best = best_of_cells(shallow, run.thresholds, coded, cells)
        except KeyboardInterrupt:  # once more
            run.stop_reason = StopReason.INTERRUPT
            run.shapes.setdefault(LEAF_ONLY, part[0])
            return
    run.shapes[best.shape] = min(part[0], run.shapes.get(best.shape, part[0]))
    run.scope = best.scope
    run.notes |= dict.fromkeys(best.notes)
