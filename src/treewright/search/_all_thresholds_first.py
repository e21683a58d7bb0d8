"""The exact search over all thresholds, before a search with guessed lower bounds that holds only some of them.

Guessed lower bounds are known to the search over binary columns alone, which takes at most 512 splits of a table with
continuous columns unless told otherwise. The search over ranked columns looks at all thresholds of such a table, and
often ends sooner; its proof is the stronger one, and its tree may be better. So it comes first, with half of the limits
(McTavish et al. 2022 guess only where exact search does not end).
"""

from __future__ import annotations

from dataclasses import replace

from treewright.problem import Problem
from treewright.result import SolveResult, SolveStatus
from treewright.search._choose_engine import Choice, choose_engine
from treewright.search._limits import Limits, ProgressCallback
from treewright.search._result import ROUNDING
from treewright.search._solve import search_chosen

__all__ = ["better_of", "over_all_thresholds"]

LEFT_OUT = "Not all thresholds were offered, "  # how the note on a space begins that holds only some of them
MOST_STEPS = 1_000_000  # where there is no other limit: the guided search must begin
NOT_NEEDED = (
    "The guessed lower bounds were not needed: the exact search over all thresholds ended first, and this is "
    "its tree."
)
BETTER = (
    "This tree is that of the search over all thresholds, which did not end; that with guessed lower bounds, over "
    "fewer thresholds, found only worse ones."
)
NOT_ENDED = (
    "The exact search over all thresholds had half of the limits and did not end; its best tree is no better "
    "than this."
)


def over_all_thresholds(
    problem: Problem, offered: Choice, limits: Limits, progress: ProgressCallback | None
) -> SolveResult | None:
    """Search all thresholds without guesses, with half of the limits.

    Parameters
    ----------
    problem : Problem
    offered : Choice
        What the search with guessed lower bounds is given by ``thresholds="auto"``.
    limits : Limits
        Of all that is left to do.
    progress : callable or None

    Returns
    -------
    SolveResult or None
        OPTIMAL, with a note, if the search ended; None if `offered` has all thresholds, or if this table is searched
        over binary columns in any case.
    """
    if not any(note.startswith(LEFT_OUT) for note in offered.space.notes):
        return None
    choice = choose_engine(problem, "auto", limits=limits)
    if choice.engine != "ranked":
        return None
    half = limits.part(2)
    if half.time_limit is None and half.step_limit is None:
        half = replace(half, step_limit=MOST_STEPS)
    result = choice.sign(search_chosen(choice, None, problem, limits=half, progress=progress))
    ended = result.status is SolveStatus.OPTIMAL
    return replace(result, notes=(*result.notes, NOT_NEEDED)) if ended else result


def better_of(exact: SolveResult, guided: SolveResult) -> SolveResult:
    """Return the better tree of an exact search over all thresholds that was stopped, and of a guided one over fewer.

    Parameters
    ----------
    exact : SolveResult
    guided : SolveResult

    Returns
    -------
    SolveResult
        `guided` if it is as good; a note says which it is, and that the other did not end.
    """
    spent = {name: exact.stats[name] + guided.stats[name] for name in ("steps", "seconds")}
    if exact.objective < guided.objective * (1 - ROUNDING):
        return replace(exact, stats={**exact.stats, **spent}, notes=(*exact.notes, BETTER))
    return replace(guided, stats={**guided.stats, **spent}, notes=(*guided.notes, NOT_ENDED))
