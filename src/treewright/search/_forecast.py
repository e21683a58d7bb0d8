"""How long a search is likely to take, from searches over a few of the rows."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treewright._numbers import is_real
from treewright.errors import InputError
from treewright.problem import TreeProblem
from treewright.result import StopReason
from treewright.search._limits import Limits

__all__ = ["SearchForecast", "SearchTrial", "forecast_search"]

FIRST_ROWS = 64
LAST = 4  # samples that growth is read from
USUAL_GROWTH = 1.3  # exponent of the rows, which counts as much as samples whose rows differ by a factor of e
MOST_GROWTH = 3.0
ALWAYS_OPEN = 2.0  # exponent of a search that did not end on any sample, of which only a lower bound is said
NOISE = 2e-3  # seconds; what takes less says nothing about growth
SPREAD = 2.0  # factor of the range beside nearly all rows; it grows with the root of what was missing
UNITS = ((86_400.0, "days"), (3_600.0, "hours"), (60.0, "minutes"), (1.0, "seconds"))


@dataclass(frozen=True, slots=True)
class SearchTrial:
    """A search over some of the rows.

    Parameters
    ----------
    rows : int
    seconds : float
    ended : bool
        False if the time of the forecast was over first.
    memory : int
        Bytes that the search held.
    loss : float, default=nan
        Of the best tree found for these rows.

    Examples
    --------
    >>> from treewright.search import SearchTrial
    >>> SearchTrial(rows=500, seconds=0.2, ended=True, memory=1 << 20).rows
    500
    """

    rows: int
    seconds: float
    ended: bool
    memory: int
    loss: float = field(default=math.nan, compare=False)


@dataclass(frozen=True, slots=True)
class SearchForecast:
    """An estimate of the time and memory of a search, with its likely range.

    Parameters
    ----------
    rows : int
        Of the whole table.
    seconds, shortest, longest : float
        Likely seconds until the proof, and a range. In 133 of 144 forecasts of searches over 21 real tables, the range
        contained the true time. `longest` is ``inf`` if not even the smallest sample ended.
    memory : int
        Likely bytes of the search.
    time_limit : float or None
        Time limit of the run that is forecast.
    trials : tuple of SearchTrial
        What the estimate comes from.

    Examples
    --------
    >>> from treewright.problem import make_problem
    >>> from treewright.search import forecast_search, solve
    >>> from treewright.table import table_from
    >>> problem = make_problem(table_from([[20], [30], [40]]), [0, 0, 1])
    >>> forecast_search(problem, lambda some, limits: solve(some, limits=limits), seconds=10).rows
    3
    """

    rows: int
    seconds: float
    shortest: float
    longest: float
    memory: int
    time_limit: float | None
    trials: tuple[SearchTrial, ...]

    def sentence(self) -> str:
        """Return the estimate in plain sentences.

        Returns
        -------
        str
        """
        largest = self.trials[-1]
        of = "all" if largest.rows == self.rows else f"{largest.rows:,} of {self.rows:,}"
        if largest.rows == self.rows and largest.ended:
            return f"The whole search takes {_in_words(largest.seconds)}: it was run."
        longest = "with no upper limit" if math.isinf(self.longest) else f"to {_in_words(self.longest)}"
        return (
            f"The proof will take about {_in_words(self.seconds)} (likely range: {_in_words(self.shortest)} "
            f"{longest}) and about {_megabytes(self.memory)} of memory, judging by searches over up to {of} rows."
            f"{self._against_limit()}"
        )

    def _against_limit(self) -> str:
        if self.time_limit is None:
            return ""
        limit = f"the time limit of {_in_words(self.time_limit)}"
        if self.longest <= self.time_limit:
            return f" It is likely to end within {limit}."
        if self.shortest <= self.time_limit:
            return f" Whether it ends within {limit} is open."
        return (
            f" It is unlikely to end within {limit}; then the best tree so far comes back, with a bound. Fewer "
            "thresholds, a smaller max_depth or a larger cost_complexity make the search shorter."
        )

    def __str__(self) -> str:
        return self.sentence()


def forecast_search(
    problem: TreeProblem,
    search: Callable[[Any, Limits], Any],
    *,
    seconds: float = 1.0,
    time_limit: float | None = None,
) -> SearchForecast:
    """Estimate how long a search takes by searching samples of 64, 128, 256, ... rows.

    Parameters
    ----------
    problem : TreeProblem
    search : callable
        ``search(problem, limits)`` returns a result or a frontier.
    seconds : float, default=1.0
        To be spent on the estimate, above 0.
    time_limit : float or None, default=None
        Of the run that is forecast, for the sentence.

    Returns
    -------
    SearchForecast

    Raises
    ------
    InputError
        `seconds` is not a number above 0.

    Notes
    -----
    The seconds of the last samples that ended are extrapolated as a power of the number of rows. This is an estimate,
    not a bound: a search over more rows can be easier, because the leaf penalty is a share of the rows, or much harder.
    If a sample was stopped, the search is assumed to take longer than the sample did.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from treewright.problem import make_problem
    >>> from treewright.search import forecast_search, solve
    >>> from treewright.table import table_from
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> problem = make_problem(table_from(X), y, max_depth=2)
    >>> found = forecast_search(problem, lambda some, limits: solve(some, limits=limits), seconds=10)
    >>> found.trials[-1].rows == len(X)  # the whole search took less than ten seconds
    True
    """
    if not is_real(seconds) or not 0 < seconds < math.inf:
        raise InputError(f"seconds={seconds!r}; give a number above 0.")
    trials = _trials(problem, search, seconds)
    n_rows = problem.table.n_rows
    last = trials[-1]
    if last.rows == n_rows and last.ended:
        return SearchForecast(
            n_rows, last.seconds, last.seconds, last.seconds, last.memory, time_limit, trials
        )
    ended = [trial for trial in trials if trial.ended]
    if not ended:
        likely = last.seconds * (n_rows / last.rows) ** ALWAYS_OPEN
        memory = round(last.memory * n_rows / last.rows)
        return SearchForecast(n_rows, likely, last.seconds, math.inf, memory, time_limit, trials)
    base = ended[-1]
    more = n_rows / base.rows
    seen = base.seconds if last.ended else max(base.seconds, last.seconds)  # over fewer rows than all
    likely = max(
        seen, base.seconds * more ** _growth([(t.rows, t.seconds) for t in ended if t.seconds > NOISE])
    )
    spread = SPREAD * math.sqrt(more)
    memory = base.memory * more ** _growth([(t.rows, t.memory) for t in ended if t.memory > 0])
    return SearchForecast(n_rows, likely, likely / spread, likely * spread, round(memory), time_limit, trials)


def _trials(
    problem: TreeProblem, search: Callable[[Any, Limits], Any], seconds: float
) -> tuple[SearchTrial, ...]:
    """Search nested samples, each twice as large, until the time is over or the sample is the whole."""
    n_rows = problem.table.n_rows
    order = np.random.default_rng(0).permutation(n_rows)
    begun = time.perf_counter()
    trials: list[SearchTrial] = []
    rows = min(FIRST_ROWS, n_rows)
    while True:
        least = max(1, math.ceil(problem.min_samples_leaf * rows / n_rows))
        some = problem if rows == n_rows else problem.take(np.sort(order[:rows]), least)
        left = seconds - (time.perf_counter() - begun)
        start = time.perf_counter()
        result = search(some, Limits(max(left, seconds / 10)).started())
        trials.append(
            SearchTrial(
                rows,
                time.perf_counter() - start,
                result.stop_reason is None,
                int(result.stats.get("bytes", 0)),
                _loss_of(result),
            )
        )
        if result.asked_to_stop is StopReason.INTERRUPT:
            raise KeyboardInterrupt
        over = time.perf_counter() - begun >= seconds
        if rows == n_rows or over or not trials[-1].ended:
            return tuple(trials)
        rows = min(2 * rows, n_rows)


def _loss_of(result: Any) -> float:
    """Return the loss of a result, of a frontier the least of its points."""
    return float(result.loss) if hasattr(result, "loss") else min(float(point.loss) for point in result)


def _growth(amounts: Sequence[tuple[int, float]]) -> float:
    """Return the power of the rows by which an amount grows, from (rows, amount) of the last samples.

    The slope of a line through the logarithms, drawn towards what is usual, for few points of small samples say little.
    """
    points = np.log(np.array(amounts[-LAST:], dtype=np.float64).reshape(-1, 2))
    apart = points - points.mean(axis=0) if len(points) else points
    slope = (float((apart[:, 0] * apart[:, 1]).sum()) + USUAL_GROWTH) / (
        float((apart[:, 0] ** 2).sum()) + 1.0
    )
    return float(np.clip(slope, 0.0, MOST_GROWTH))


def _in_words(seconds: float) -> str:
    """Return a time in the unit that people would use."""
    for size, unit in UNITS:
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.1g} seconds"


def _megabytes(n_bytes: int) -> str:
    return f"{max(1, round(n_bytes / 1e6)):,} MB"
