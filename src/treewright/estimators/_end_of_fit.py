"""What every `fit` of one exact search does with its result."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from treewright.estimators._interrupt import settle_interrupt
from treewright.problem import TreeProblem
from treewright.result import SolveResult, SolveStatus, StopReason, after_rounding
from treewright.search import Ended, Limits, SmallerProblems, trial_of

__all__ = ["end_of_fit", "further_in_words", "smaller_in_words"]

MOST_EACH, MOST_TOTAL = 0.25, 1.0  # seconds for what is proposed after a time limit; less after a short one
SHARE_EACH, SHARE_TOTAL = 100, 30  # of the time limit, their reciprocals
FURTHER = {
    StopReason.STEP_LIMIT: "Raise step_limit",
    StopReason.MEMORY_LIMIT: "Raise memory_limit",
    StopReason.INTERRUPT: "Let it run on",
    StopReason.CALLBACK: "Let it run on",
}


def end_of_fit(
    result: SolveResult,
    smaller: str = "a smaller max_depth or a larger cost_complexity",
    *,
    problem: TreeProblem | None = None,
    search: Callable[..., Any] | None = None,
    limits: Limits | None = None,
    thresholds: Any = None,
    stacklevel: int = 3,
) -> None:
    """Warn the caller of `fit`, which calls this, where nothing is proven, and pass Ctrl-C on to a loop over fits.

    Parameters
    ----------
    result : SolveResult
    smaller : str
        What makes the problem smaller, where no time can be named.
    problem, search, limits, thresholds
        The question, to name what would end with its time: see `smaller_in_words`.
    stacklevel : int, default=3
        Of the warning, which points at the caller of `fit`.
    """
    stop = result.asked_to_stop
    if result.status is SolveStatus.FEASIBLE:
        advice = f"The search ended, and more time brings no proof: give {after_rounding(result.options)}."
        if not result.is_only_rounded:
            if problem is not None and search is not None and limits is not None:
                try:
                    smaller = smaller_in_words(result, problem, search, limits, thresholds) or smaller
                except KeyboardInterrupt:  # while samples were searched
                    stop = StopReason.INTERRUPT
            advice = f"{further_in_words(result.stop_reason)}, or make the problem smaller: {smaller}."
        warnings.warn(f"{result.sentence()} {advice}", ConvergenceWarning, stacklevel=stacklevel)
    settle_interrupt(stop)


def further_in_words(stop: StopReason | None) -> str:
    """Say what lets a search go on that ended for this reason: the limit that it reached, not another one."""
    return "Raise time_limit" if stop is None else FURTHER.get(stop, "Raise time_limit")


def smaller_in_words(
    result: SolveResult,
    problem: TreeProblem,
    search: Callable[..., Any],
    limits: Limits,
    thresholds: Any = None,
) -> str:
    """Name the parameters that would end with a proof, and their time, if the time limit ended the search.

    Parameters
    ----------
    result : SolveResult
    problem : TreeProblem
    search : callable
        ``search(problem, limits=..., progress=None)``, and ``thresholds=...`` where they can be chosen.
    limits : Limits
        Of the run.
    thresholds : object
        Of the run; None where they cannot be chosen.

    Raises
    ------
    KeyboardInterrupt
        A signal came while a sample was searched.
    """
    if result.stop_reason is not StopReason.TIME_LIMIT or limits.time_limit is None:
        return ""

    def sampled(some: Any, offered: Any, within: Limits) -> Any:
        chosen = {} if offered is None else {"thresholds": offered}
        return search(some, limits=within, progress=None, **chosen)

    trial = trial_of(
        problem, sampled, limits, thresholds=thresholds, loss=result.loss,
        each=min(MOST_EACH, limits.time_limit / SHARE_EACH), total=min(MOST_TOTAL, limits.time_limit / SHARE_TOTAL),
    )  # fmt: skip
    smaller = SmallerProblems.of(
        max_depth=problem.max_depth, thresholds=thresholds, cost_complexity=problem.cost_complexity or None
    )
    ended = smaller.that_end(trial, result.proven_depth)
    return ", or ".join(_in_words(change, found) for change, found in ended)


def _in_words(change: dict[str, Any], found: Ended | None) -> str:
    named = ", ".join(f"{name}={value:g}" for name, value in change.items())
    return f"{named} ({'proven in this run' if found is None else found.in_words()})"
