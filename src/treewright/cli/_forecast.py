"""Before a long search: how long the proof is likely to take, in one line.

The estimate comes from searches over samples of the rows (`treewright.search.forecast_search`). It is made only where a
person may be watching, costs at most a sixtieth of the time limit, and is silent where the search is short. Its time
counts against the time limit.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from treewright.cli._output import note
from treewright.cli._wording import as_options

if TYPE_CHECKING:
    from treewright.problem import TreeProblem
    from treewright.result import SolveResult
    from treewright.search import Limits

__all__ = ["say_forecast"]

MOST_SECONDS = 0.5  # of the estimate
SHARE = 60  # of the time limit, its reciprocal
LEAST_LIMIT = 15.0  # seconds; under a shorter limit the samples are too small to say anything
FEWEST_ROWS = 256
SHORT = 3.0  # seconds; what is likely to take less needs no forecast


def say_forecast(
    problem: TreeProblem,
    search: Callable[[Any, Limits], SolveResult],
    limits: Limits,
    *,
    time_limit: float | None,
) -> None:
    """Say how long a search is likely to take, unless it is short.

    Parameters
    ----------
    problem : TreeProblem
    search : callable
        ``search(problem, limits)``.
    limits : Limits
        Of the run; threads and memory count for the samples, too. Under a limit on steps there is no forecast.
    time_limit : float or None
        Seconds for the whole command; None is unlimited.

    Raises
    ------
    KeyboardInterrupt
        A signal came while a sample was searched.
    """
    from treewright.search import forecast_search

    limit = math.inf if time_limit is None else time_limit
    if limit < LEAST_LIMIT or limits.step_limit is not None or problem.table.n_rows < FEWEST_ROWS:
        return

    def sampled(some: Any, within: Limits) -> SolveResult:
        return search(some, replace(limits, time_limit=within.time_limit, begun=within.begun))

    forecast = forecast_search(
        problem, sampled, seconds=min(MOST_SECONDS, limit / SHARE), time_limit=time_limit
    )
    if forecast.seconds >= SHORT:
        note(f"Forecast: {as_options(forecast.sentence())}")
