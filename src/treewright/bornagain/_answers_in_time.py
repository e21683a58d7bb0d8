"""What a model says of rows: of as many as there is time for.

A model of another library looks at no clock. So under a time limit it is asked about rows in blocks, the first ones
small for models that take a millisecond a row, with a look at the clock between. The rows are asked in an order drawn
at random: those that were reached stand for the others, however the table is sorted. Of a tree made from them nothing
is called proven, for a proof would have to be about all rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import InputError
from treewright.result import BornAgainResult, SolveStatus, StopReason
from treewright.search import Limits

__all__ = ["LEAST_ROWS", "answers_in_time", "first_answers", "of_fewer_rows"]

LEAST_ROWS, MOST_ROWS = 1 << 10, 1 << 15  # in the first block, and in the largest
Rows = NDArray[np.int64]
Ask = Callable[[Rows | None], Any]


def first_answers(ask: Ask, order: Rows, n_rows: int, limits: Limits) -> NDArray[Any]:
    """Return what a model says of the first rows of an order: all of them, or as many as there is time for.

    Parameters
    ----------
    ask : callable
        Gives the model's answers for rows at the positions that it gets; for all rows, if it gets None.
    order : ndarray of int64
        Positions of rows. The first `LEAST_ROWS` are asked in any case.
    n_rows : int
        Of the table.
    limits : Limits
        That have started; only the time counts.

    Raises
    ------
    InputError
        The model does not give one answer a row.
    """
    if limits.time_limit is None or len(order) <= LEAST_ROWS:
        return (
            _checked(ask(None), n_rows)[order] if len(order) == n_rows else _checked(ask(order), len(order))
        )
    said, at, size = [], 0, LEAST_ROWS
    while at < len(order) and (at == 0 or limits.left() > 0):
        block = order[at : at + size]
        said.append(_checked(ask(block), len(block)))
        at += len(block)
        size = min(2 * size, MOST_ROWS)
    return np.concatenate(said)


def answers_in_time(ask: Ask, n_rows: int, limits: Limits) -> tuple[Rows | None, NDArray[Any]]:
    """Return the rows that a model answered within half of the time, ascending (None is all), and its answers.

    Parameters
    ----------
    ask, n_rows, limits
        As of `first_answers`.
    """
    order = np.arange(n_rows) if limits.time_limit is None else np.random.default_rng(0).permutation(n_rows)
    said = first_answers(ask, order, n_rows, limits.part(2))
    rows = order[: len(said)]
    ascending = np.argsort(rows)
    return None if len(rows) == n_rows else rows[ascending], said[ascending]


def of_fewer_rows(result: BornAgainResult, n_rows: int) -> BornAgainResult:
    """Return a result of the rows that were answered in time as one of all rows, about which nothing is proven."""
    told = (
        f"The tree was made from {result.stats['rows']:,} of the {n_rows:,} rows, drawn at random: the model answered "
        "about no more in half of the time limit. Nothing is said about the others."
    )
    return replace(
        result,
        status=SolveStatus.FEASIBLE,
        lower_bound=1.0,
        stop_reason=result.stop_reason or StopReason.TIME_LIMIT,
        stats={**result.stats, "depth_lower_bound": 0, "leaves_lower_bound": 1},
        notes=(*result.notes, told),
    )


def _checked(said: Any, n_rows: int) -> NDArray[Any]:
    answers = np.asarray(said)
    if answers.shape[:1] != (n_rows,):
        raise InputError(f"The model's answers have shape {answers.shape} for {n_rows} rows; give one a row.")
    return answers
