"""A search with guessed lower bounds, and the exact search beside it: the first to end gives the answer.

Which of the two ends first cannot be known before: often it is the exact one, which has the stronger certificate. So
they take turns, the exact one first, with steps that grow from turn to turn. A turn begins anew, so that all turns
before the last cost a third of it, and the whole a small multiple of the quicker search alone. Turns are counted in
steps: without a time limit the answer is the same on every machine.

The exact turn does not begin before the reference is fitted: where thresholds are guessed, its splits come from the
reference, and elsewhere the result still says how good the reference is, warns of a poor one, and hands its predictions
on (`Guessed`). So a fit with guesses takes at least as long as its reference, also where the exact search ends at once.

Both search the same splits, so whatever is proven by either holds for both: the better tree is returned with the higher
of all proven bounds. An exact search that was stopped by its share of the time, or by the limit of memory, leaves the
rest to the guided one, and the other way round.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

from treewright.binarize import SplitMatrix
from treewright.guess import ReferenceCosts
from treewright.problem import Problem
from treewright.result import SolveResult, SolveStatus, StopReason, told_to_stop
from treewright.search._limits import LEAST_SECONDS, Limits, Progress, ProgressCallback
from treewright.search._options import BinaryOptions
from treewright.search._result import LEAVES_NOT_PROVEN, ROUNDING, refute
from treewright.search._searches import Searches
from treewright.search._solve import solve_binary
from treewright.tree import at_least

__all__ = ["solve_beside"]

FIRST_TURN = 20_000  # steps: as many as a plain search has before its phases for hard problems
GROWTH = 4
MOST_STEPS = 2**62
NOT_NEEDED = (
    "The guessed lower bounds were not needed: the exact search over the same splits ended first, and this is its "
    "tree."
)
SHARE_OF_TIME = 0.5  # of what is left, for an exact search while the guided one waits
# In a short turn the phases for hard problems begin early, and none is longer than the turn:
SHARE_OF_PLAIN_STEPS = 0.6
STATES_PER_STEP = 800  # of the dense program: about as long as a step
GROUPING_PER_STEP = 1000  # rows x columns squared, the time to find the groups of the dense program


def solve_beside(
    problem: Problem,
    split_matrix: SplitMatrix,
    reference: ReferenceCosts,
    *,
    limits: Limits,
    options: BinaryOptions | None = None,
    progress: ProgressCallback | None = None,
) -> SolveResult:
    """Search with and without guessed lower bounds, in turns, until one of the two ends.

    Parameters
    ----------
    problem : Problem
    split_matrix : SplitMatrix
    reference : ReferenceCosts
        What was guessed.
    limits : Limits
        Of both searches together.
    options : BinaryOptions or None, default=None
    progress : callable or None, default=None
        Is told the best tree of both, and the highest bound that holds without guesses.

    Returns
    -------
    SolveResult
        OPTIMAL if the exact search ended, OPTIMAL_UNDER_GUESSES if the guided one ended first, else FEASIBLE. The
        tree is always the best of both, and the bound the highest that was proven. ``stats["exact_objective"]`` and
        ``stats["guessed_objective"]`` are of the searches that ended, None of one that did not.

    Raises
    ------
    SolverError
        No tree meets the constraints.
    """
    options = options or BinaryOptions()
    turns = _Turns(Searches(limits.started(), progress))
    running = ["exact", "guided"]
    steps = FIRST_TURN
    while running and not turns.over:
        for who in tuple(running):
            alone = len(running) == 1
            exact = who == "exact"
            result = turns.take(
                problem,
                split_matrix,
                None if alone else steps,
                SHARE_OF_TIME if exact and not alone else 1.0,
                options=_options(problem, split_matrix, options, steps) if exact and not alone else options,
                reference=None if exact else reference,
            )
            if result.stop_reason is None:
                if (
                    exact and LEAVES_NOT_PROVEN in result.notes and not turns.over
                ):  # this ends: it gets the rest
                    again = turns.take(problem, split_matrix, None, 1.0, options=options)
                    result = again if again.status is SolveStatus.OPTIMAL else result
                return _settled(turns, result, who)
            if result.stop_reason in (StopReason.TIME_LIMIT, StopReason.MEMORY_LIMIT):
                running.remove(who)
            if turns.over:
                break
        steps *= GROWTH
    return _settled(turns, turns.results[-1], None)


@dataclass
class _Turns:
    """The turns so far: their limits, what they found, and progress over all of them."""

    searches: Searches
    results: list[SolveResult] = field(default_factory=list)
    reason: StopReason | None = None  # of the user's: Ctrl-C or the callback

    @property
    def over(self) -> bool:
        """Whether no turn may follow; the first is made in any case."""
        return self.reason is not None or (bool(self.results) and self.searches.used_up() is not None)

    @property
    def best(self) -> SolveResult:
        """The result with the best tree; the first of equals."""
        return min(self.results, key=lambda result: result.objective)

    @property
    def bound(self) -> float:
        """The highest proven bound: a result's bound holds whether or not guesses do."""
        return max((result.lower_bound for result in self.results), default=0.0)

    def take(
        self, problem: Problem, split_matrix: SplitMatrix, steps: int | None, share: float, **how: Any
    ) -> SolveResult:
        """Search for so many steps (None: all that are left) and this share of the time that is left."""
        left = self.searches.left()
        least = [number for number in (steps, left.step_limit) if number is not None]
        seconds = None if left.time_limit is None else max(share * left.left(), LEAST_SECONDS)
        limits = Limits(seconds, min(least) if least else None, left.memory_limit)
        try:
            guided = how.get("reference") is not None
            report = self.searches.report(self._bounds_of_guided if guided else self._bounds_of_exact)
            if guided:  # a recheck may take what the limits of the run leave
                how["recheck"] = (self.searches.steps, left.step_limit or MOST_STEPS)
            result = solve_binary(problem, split_matrix, limits=limits, progress=report, **how)
        except KeyboardInterrupt:  # outside of the engine, which would have kept its tree
            if not self.results:
                raise
            self.reason = StopReason.INTERRUPT
            return replace(self.best, status=SolveStatus.FEASIBLE, stop_reason=self.reason)
        self.results.append(result)
        self.searches.add(result)
        self.reason = result.asked_to_stop
        return result

    def _bounds_of_exact(self, now: Progress) -> tuple[float, float]:
        """Return the best objective and bound of all turns while the exact one is searched."""
        objective, bound = self._bounds_of_guided(now)
        return objective, max(bound, now.lower_bound)

    def _bounds_of_guided(self, now: Progress) -> tuple[float, float]:
        """Return the same of a guided turn, whose bound holds only if its guesses do."""
        objective = self.best.objective if self.results else math.inf
        return min(objective, now.objective), self.bound


def _options(
    problem: Problem, split_matrix: SplitMatrix, options: BinaryOptions, steps: int
) -> BinaryOptions:
    """Return the options of an exact search that has so many steps."""
    grouping = problem.table.n_rows * len(split_matrix.splits) ** 2
    return replace(
        options,
        plain_steps=min(options.plain_steps, int(SHARE_OF_PLAIN_STEPS * steps)),
        lattice=options.lattice and grouping <= GROUPING_PER_STEP * steps,
        lattice_states=min(options.lattice_states, STATES_PER_STEP * steps),
    )


def _settled(turns: _Turns, last: SolveResult, ended: str | None) -> SolveResult:
    """Return the best tree of all turns with the strongest claim that holds for it."""
    best = last if last.objective <= turns.best.objective * (1 + ROUNDING) else turns.best
    status, reason, notes, bound = last.status, last.stop_reason, last.notes, turns.bound
    if ended is None:
        status, notes = SolveStatus.FEASIBLE, best.notes
        reason = turns.reason or turns.searches.used_up() or reason
    if best.objective < bound - ROUNDING * abs(bound):
        notes = (
            *notes,
            refute(f"no objective below {bound:.9g}", f"{best.objective:.9g}", "a tree found beside"),
        )
        status, bound = SolveStatus.FEASIBLE, 0.0
    elif status is SolveStatus.OPTIMAL_UNDER_GUESSES:
        notes = (*notes, _beside_the_guided(best, last, bound))
    elif status is SolveStatus.OPTIMAL:
        notes = (*notes, NOT_NEEDED)
    bound = min(bound, best.objective)
    stats: dict[str, Any] = {
        **last.stats,
        "steps": turns.searches.steps,
        "subproblems": turns.searches.steps,
        "seconds": turns.searches.seconds,
        "bytes": max(result.stats["bytes"] for result in turns.results),
        "exact_objective": last.objective if ended == "exact" else None,
        "guessed_objective": last.stats.get("guessed_objective", last.objective)
        if ended == "guided"
        else None,
    }
    stats |= told_to_stop(turns.reason)
    if "most_lost_by_guesses" in stats and ended == "guided":
        stats["most_lost_by_guesses"] = best.objective - bound
    return replace(
        last,
        tree=best.tree,
        status=status,
        objective=best.objective,
        loss=best.loss,
        lower_bound=bound,
        stop_reason=reason,
        stats=stats,
        notes=notes,
    )


def _beside_the_guided(best: SolveResult, guided: SolveResult, bound: float) -> str:
    """Say what the exact search, which did not end, came to beside a guided one that did."""
    saved = guided.objective - best.objective
    if saved > ROUNDING * abs(best.objective):
        return f"The search without the guess did not end, but found a better tree (by {saved:.6f}), which is kept."
    return f"The search without the guess did not end first; no tree is below {at_least(bound)}."
