"""What every run over ranked columns is asked with, reports and counts, whatever the loss."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from treewright.result import StopReason, told_to_stop
from treewright.search._jobs import threads_of
from treewright.search._limits import Limits, Progress, ProgressCallback, stop_reason
from treewright.search._options import RankedOptions

__all__ = ["NOTHING_COUNTED", "counts_of", "ended_by", "run_arguments"]

MOST_DEPTH = 2**30
COUNTED = (
    "seconds",
    "pair_solves",
    "passes",
    "row_steps",
    "cache_hits",
    "gaps_closed",
    "core_rows",
    "parts",
    "bytes",
)
NOTHING_COUNTED: dict[str, Any] = {"subproblems": 0, "steps": 0, **dict.fromkeys(COUNTED, 0), "seconds": 0.0}


def run_arguments(
    n_rows: int,
    *,
    max_depth: int | None,
    max_leaves: int | None,
    limits: Limits,
    options: RankedOptions,
    progress: ProgressCallback | None,
    objective: Callable[[float], float],
) -> dict[str, Any]:
    """Return the arguments of the compiled core that do not depend on the loss.

    Parameters
    ----------
    n_rows : int
    max_depth, max_leaves : int or None
        None is no limit. The engine always looks one split ahead, so it is asked for one at least.
    limits : Limits
    options : RankedOptions
    progress : callable or None
    objective : callable
        From a cost of the engine to the objective.
    """
    native = options.native()
    native.threads = threads_of(limits.n_jobs)

    def report(seconds: float, incumbent: float, bound: float, steps: int, n_bytes: int) -> bool:
        assert progress is not None
        best = objective(incumbent)
        return bool(progress(Progress(seconds, best, min(best, objective(bound)), steps, n_bytes)))

    return {
        "depth": max(1, min(n_rows if max_depth is None else max_depth, n_rows, MOST_DEPTH)),
        "max_leaves": 0 if max_leaves is None or max_leaves >= n_rows else max(2, max_leaves),
        "options": native,
        "report": None if progress is None else report,
        **limits.native(),
    }


def counts_of(answer: dict[str, Any]) -> dict[str, Any]:
    """Return what the compiled core counted; subproblems of depth two and deeper ones, apart there, are together."""
    return (
        {
            "subproblems": answer["subproblems"] + answer["pair_solves"],
            "steps": answer["steps"],
        }
        | {name: answer[name] for name in COUNTED}
        | told_to_stop(ended_by(answer))
    )


def ended_by(answer: dict[str, Any]) -> StopReason | None:
    """Return what ended a search, after its proof or before."""
    return stop_reason(answer.get("ended_by", answer["stop"]))
