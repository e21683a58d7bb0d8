"""What a survival tree is to solve: all checks of events, times, weights and limits, done once."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright._arguments import check_arguments, refuse_dates
from treewright.errors import InputError
from treewright.problem._asked import check_penalty_and_limits, leave_out_weightless
from treewright.problem._problem import TreeProblem
from treewright.problem._weights import as_numbers, check_sample_weight, first_word
from treewright.table import Table
from treewright.tree import power_at_most

__all__ = ["SurvivalProblem", "make_survival_problem"]

LARGEST_TOTAL = 2**40  # of whole weights
LEVELS = 2**20  # of other weights
TOLD_ERROR = 1e-10  # of a hazard
HAZARD_BITS = 60  # of the sum of whole weights times whole hazards


@dataclass(frozen=True, eq=False, kw_only=True)
class SurvivalProblem(TreeProblem):
    """Minimise ``deviance(tree) / deviance(one leaf) + cost_complexity * leaves`` under constraints.

    The deviance is that of the exponential model with the Nelson-Aalen hazard of all rows as baseline: a leaf has one
    hazard ratio, and its rows i of weight w, event d (1 or 0) and cumulative hazard h lose
    ``w (ratio h - d log(ratio h) - d)``. Use `make_survival_problem` to build one with checks.

    The fields that all problems have are those of `TreeProblem`; `cost_complexity` is a
    share of the deviance of a single leaf,
    and weights are whole numbers.

    Parameters
    ----------
    event : ndarray of shape (n_rows,), bool
        Whether the event was seen; False is right-censored.
    time : ndarray of shape (n_rows,), float64
        Of the event or of censoring, >= 0.
    hazard : ndarray of shape (n_rows,), float64
        Cumulative hazard (Nelson-Aalen) at the time of each row, a multiple of ``2**-hazard_bits``.
    hazard_bits : int
    hazard_error : float, default=0.0
        Largest relative amount by which a hazard was rounded without a note.

    Examples
    --------
    >>> from treewright.problem import make_survival_problem
    >>> from treewright.table import table_from
    >>> problem = make_survival_problem(table_from([[20], [30], [40]]), ([True, False, True], [5.0, 6.0, 1.0]))
    >>> problem.event.tolist(), problem.time.tolist()
    ([True, False, True], [5.0, 6.0, 1.0])
    """

    BY_ROW: ClassVar[tuple[str, ...]] = ("sample_weight", "event", "time", "hazard")

    event: NDArray[np.bool_]
    time: NDArray[np.float64]
    hazard: NDArray[np.float64]
    hazard_bits: int = 0
    hazard_error: float = 0.0


def make_survival_problem(
    table: Table,
    y: Any,
    *,
    sample_weight: ArrayLike | None = None,
    cost_complexity: float = 0.01,
    max_depth: int | None = None,
    max_leaf_nodes: int | None = None,
    min_samples_leaf: int | float = 1,
) -> SurvivalProblem:
    """Define the problem of a survival tree.

    Parameters
    ----------
    table : Table
    y : structured array of shape (n_rows,), array-like of shape (n_rows, 2), or pair of arrays
        Event (true: seen, false: censored) and time (>= 0, finite), in this order; the structured arrays of
        scikit-survival are of this kind.
    sample_weight : array-like of shape (n_rows,), default=None
        Weights >= 0, not all zero; None is 1 for each row. A row of weight zero is left out. Weights that are not whole
        numbers (up to a common power of two) are rounded: to multiples of a 2^20th of the largest, of more than 2^20
        rows of a part that is so much larger. A note says so, and proofs are about the rounded weights.
    cost_complexity : float, default=0.01
        Penalty of one leaf as a share of the deviance of a single leaf, 0 to 1.
    max_depth : int or None, default=None
    max_leaf_nodes : int or None, default=None
    min_samples_leaf : int or float, default=1
        Minimum number of rows in a leaf; a float in (0, 1) is a fraction of the rows of weight above 0, rounded up.

    Returns
    -------
    SurvivalProblem

    Raises
    ------
    InputError
        An argument is not as described above; the message names it.

    Examples
    --------
    >>> from treewright.problem import make_survival_problem
    >>> from treewright.search import solve_survival
    >>> from treewright.table import table_from
    >>> outcome = ([True, True, True], [9.0, 8.0, 1.0])
    >>> problem = make_survival_problem(table_from([[20], [30], [40]]), outcome, max_depth=1)
    >>> solve_survival(problem).status.value
    'proven optimal'
    """
    check_arguments(make_survival_problem, locals(), "table")
    event, time = check_survival(y, table.n_rows)
    weight, notes = _whole(check_sample_weight(sample_weight, table.n_rows))
    table, by_row, kept = leave_out_weightless(
        table, {"event": event, "time": time, "sample_weight": weight}, notes
    )
    hazard, bits, error = _nelson_aalen(**by_row)
    hazard.setflags(write=False)
    if error > TOLD_ERROR:
        told = (
            f"Cumulative hazards were rounded by up to {power_at_most(error)} of themselves, so that their sums are "
            "exact; what is said of trees is said for the rounded ones."
        )
        kept["notes"], error = (*kept["notes"], told), 0.0
    limits = check_penalty_and_limits(
        table.n_rows,
        cost_complexity=cost_complexity,
        max_depth=max_depth,
        max_leaf_nodes=max_leaf_nodes,
        min_samples_leaf=min_samples_leaf,
        share_of="the deviance of a single leaf",
        saves="that deviance",
    )
    return SurvivalProblem(
        table=table, hazard=hazard, hazard_bits=bits, hazard_error=error, **by_row, **limits, **kept
    )


def check_survival(y: Any, n_rows: int | None = None) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Return events and times.

    Raises
    ------
    InputError
        Another shape, events that are not true or false, times that are negative or not finite, wrong length.
    """
    if y is None:
        raise InputError(
            "A survival tree requires y to be passed, but the target y is None: give events and times."
        )
    if not isinstance(y, tuple):  # of a pair each part is looked at below
        refuse_dates("y", y)
    if any(np.ma.is_masked(part) for part in (y if isinstance(y, tuple) else (y,))):
        raise InputError("y is a masked array with masked values; leave out these rows.")
    names = getattr(getattr(y, "dtype", None), "names", None)
    if names is not None:
        if len(names) != 2:
            raise InputError(
                f"y has the fields {list(names)}; give two: whether the event was seen, and the time."
            )
        parts = [np.asarray(y[names[0]]), np.asarray(y[names[1]])]
    elif isinstance(y, tuple) and len(y) == 2:
        parts = [np.asarray(part) for part in y]
    else:
        whole = np.asarray(y)
        if whole.ndim != 2 or whole.shape[1] != 2:
            raise InputError(
                f"y has shape {whole.shape}; give (n_rows, 2) with event and time, a pair of arrays (event, "
                "time), or a "
                "structured array with these two fields."
            )
        parts = [whole[:, 0], whole[:, 1]]
    word = first_word(parts[0])
    if word is not None:
        raise InputError(
            f"event holds the word {word!r}; give true or false, for example event == {word!r} if {word!r} says that "
            "the event was seen."
        )
    seen, time = as_numbers(parts[0], "event", "true or false"), as_numbers(parts[1], "time", "numbers")
    if seen.ndim != 1 or seen.shape != time.shape:
        raise InputError(f"event has shape {seen.shape} and time {time.shape}; give one of each per row.")
    if n_rows is not None and len(time) != n_rows:
        raise InputError(
            f"Found input variables with inconsistent numbers of samples: {[n_rows, len(time)]} (table, y)."
        )
    if len(time) == 0:
        raise InputError("y is empty; give at least one row.")
    if not np.isin(seen, (0.0, 1.0)).all():
        other = seen[~np.isin(seen, (0.0, 1.0))][0]
        raise InputError(
            f"event holds {other:g}; give true (1) for a row whose event was seen and false (0) for the others. The "
            "event comes first, the time second."
        )
    if not np.isfinite(time).all():
        raise InputError("time contains NaN or infinity; leave out the rows without a time.")
    if (time < 0).any():
        row = int(np.argmax(time < 0))
        raise InputError(
            f"time is negative in row {row} (counted from 0): {time[row]:g}; times must be >= 0."
        )
    return seen.astype(np.bool_), time


def _whole(weight: NDArray[np.float64]) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """Return weights as whole numbers, and what is to be said of it."""
    scaled = np.ldexp(weight, -int(np.frexp(float(weight.max()))[1]))  # below 1
    for power in range(1, 41):
        tried = scaled * 2.0**power
        if np.array_equal(np.rint(tried), tried) and tried.sum() <= LARGEST_TOTAL:
            return tried, ()
    levels = min(LEVELS, LARGEST_TOTAL // len(weight))
    rounded = np.rint(weight / weight.max() * levels)
    common = int(np.gcd.reduce(rounded.astype(np.int64)))
    rounded /= common & -common  # smaller weights leave more bits to the hazards
    return rounded, (f"The weights were rounded to multiples of 1/{levels:,} of the largest.",)


def _nelson_aalen(
    event: NDArray[np.bool_], time: NDArray[np.float64], sample_weight: NDArray[np.float64]
) -> tuple[NDArray[np.float64], int, float]:
    """Return the cumulative hazard at the time of each row in whole multiples of ``2**-bits``, and these bits.

    No hazard is rounded to 0, for a row with an event has one. Returned last: the largest relative error.
    """
    order = np.argsort(time)  # the verifier reads this, so the compiled core stays out
    ordered, weight = time[order], sample_weight[order]
    first = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))  # row of each moment
    dying = np.add.reduceat(weight * event[order], first)
    # Weights are whole, so that no sum of them is rounded, in whatever order.
    at_risk = weight.sum() - np.concatenate(([0.0], weight.cumsum()))[first]
    hazard = np.empty(len(time))
    hazard[order] = np.repeat((dying / at_risk).cumsum(), np.diff(first, append=len(time)))
    total = float((sample_weight * hazard).sum())
    bits = HAZARD_BITS - math.frexp(total)[1] if total > 0 else 0
    rounded = np.ldexp(np.maximum(np.rint(np.ldexp(hazard, bits)), hazard > 0), -bits)
    seen = hazard > 0
    error = np.abs(rounded[seen] - hazard[seen]) / hazard[seen]
    return rounded, bits, float(error.max(initial=0.0))
