"""What holds for the threads of one search, whichever engine it is."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from treewright.problem import make_problem
from treewright.result import SolveResult, SolveStatus, StopReason
from treewright.search import Limits, Progress, solve
from treewright.table import table_from

__all__ = ["check_a_broken_callback", "check_progress", "check_step_limits", "said", "searched"]

Search = Callable[..., SolveResult]


def searched(
    X: Any,
    y: Any,
    n_jobs: int | None,
    *,
    options: Any,
    limits: Limits | None = None,
    progress: Callable[[Progress], bool | None] | None = None,
    **terms: Any,
) -> SolveResult:
    """Return the best classification tree over all splits, without a leaf penalty unless one is given."""
    problem = make_problem(table_from(X), y, **{"cost_complexity": 0.0} | terms)
    limits = replace(limits or Limits(), n_jobs=n_jobs)
    return solve(problem, "all", limits=limits, options=options, progress=progress)


def said(result: SolveResult) -> tuple[Any, ...]:
    """Return what must not depend on the number of threads."""
    return result.status, result.objective, result.lower_bound, result.tree.splits, result.tree.value.tolist()


def check_step_limits(search: Search, best: SolveResult, steps_of: Sequence[int]) -> None:
    """Steps are limited in sum, and a stopped run leaves a valid bound."""
    for steps in steps_of:
        stopped = search(limits=Limits(step_limit=steps))
        assert stopped.stats["steps"] <= steps
        assert stopped.lower_bound <= best.objective <= stopped.objective
        if stopped.status is not SolveStatus.OPTIMAL:
            assert stopped.stop_reason is StopReason.STEP_LIMIT


def check_progress(search: Search) -> list[Progress]:
    """The callback is called from the calling thread and may stop all; what it was told is returned."""
    callers: list[int] = []
    seen: list[Progress] = []

    def stop_soon(progress: Progress) -> bool:
        callers.append(threading.get_ident())
        seen.append(progress)
        return len(seen) == 3

    result = search(progress=stop_soon)
    assert result.stop_reason is StopReason.CALLBACK
    assert set(callers) == {threading.get_ident()}
    assert len(seen) == 3
    assert all(one.subproblems <= next_.subproblems for one, next_ in pairwise(seen))
    return seen


def check_a_broken_callback(search: Search) -> None:
    """Its error ends the threads and comes out."""

    def broken(progress: Progress) -> Any:
        if progress.seconds > 0.2:
            raise RuntimeError("broken")
        return False

    before = threading.active_count()
    with pytest.raises(RuntimeError, match="broken"):
        search(progress=broken)
    assert threading.active_count() == before
