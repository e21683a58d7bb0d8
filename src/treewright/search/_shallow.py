"""What a deep search that time stops can still prove: that no shallower tree is better.

Without a depth limit a search may end with a gap that tells a reader little. People read shallow trees, and these are
proven much sooner. So after three quarters of a time limit a deep search waits while trees of depth at most 2, 3, 4 and
so on are searched in turn, over the same splits; then it goes on for the rest of the time. A better tree that is found
in between replaces its best one.

Why the claims hold. The search of depth d ends with a bound l: every tree of depth at most d costs l or more. So none
of them is better than the best tree at hand, of objective U, by more than U - l, which is 0 but for rounded weights. A
deeper tree has d + 2 leaves at least and pays for each, so every tree costs ``min(l, (d + 2) * penalty)`` or more.
Where no deeper tree is allowed, or each pays U for its leaves alone, the shallow proof is that of the whole problem.

No more than the limits is used. Where a number of steps is limited, or the deep search holds much of the memory, it
ends after its three quarters. Too short limits, and searches that a limit of depth makes shallow anyway, are left as
they are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from treewright.result import SolveResult, SolveStatus, StopReason, asked_to_stop, shallow_note, told_to_stop
from treewright.search._limits import Limits, Progress, ProgressCallback
from treewright.search._result import LEAVES_NOT_PROVEN, ROUNDING, refute
from treewright.search._searches import Searches

__all__ = ["Search", "prove_shallower", "search_then_shallower"]

LEAST_LIMIT = 2.0  # seconds; a quarter of less proves little
SHARE = 0.25  # of the time, for shallower trees
MOST_HELD = 0.125  # of the memory limit, by a deep search that waits
SHALLOW = 3  # a search of no larger depth has no use for this
FIRST_DEPTH = 2

# Numbers of a tree that some methods tell beside its loss; all other statistics are those of the deep search.
OF_TREE = ("_reward", "_score", "log_loss")

Result = TypeVar("Result", bound=SolveResult)
Search = Callable[..., Result]  # of a problem, with `limits` and `progress`


def search_then_shallower(
    search: Search[Result], problem: Any, limits: Limits | None, progress: ProgressCallback | None = None
) -> Result:
    """Search, and where time stops a deep search, prove what can be proven of shallower trees.

    Parameters
    ----------
    search : callable
        Over the same splits on every call.
    problem : Problem or TreeProblem
    limits : Limits or None
        Of everything together; their time runs from here on if it does not yet.
    progress : callable or None
    """
    limits = (limits or Limits()).started()
    is_deep = problem.max_depth is None or problem.max_depth > SHALLOW
    if limits.time_limit is None or limits.left() < LEAST_LIMIT or not is_deep:
        return search(problem, limits=limits, progress=progress)
    most_held = MOST_HELD * limits.native()["memory_limit"]
    between = _Between(search, problem, limits, progress, limits.left() * SHARE, most_held)
    deep = search(problem, limits=limits, progress=between)
    if between.shallower is not None:
        return between.shallower.result(deep)
    if between.ended_for_room and deep.asked_to_stop is not StopReason.INTERRUPT:  # by no user
        deep = replace(deep, stats=_without_stops(deep.stats))
        if deep.status is SolveStatus.FEASIBLE:
            deep = replace(deep, stop_reason=StopReason.TIME_LIMIT)
            return prove_shallower(deep, search, problem, limits, progress)
    return deep


def prove_shallower(
    deep: Result,
    search: Search[Result],
    problem: Any,
    limits: Limits,
    progress: ProgressCallback | None = None,
) -> Result:
    """Search for shallower trees until a limit, and return the best tree with what is proven of it.

    Parameters
    ----------
    deep : SolveResult
        Of the search that was stopped; the steps in its statistics count.
    search, problem, limits, progress
        As in `search_then_shallower`.
    """
    spent = Searches(limits, progress, deep.stats.get("steps", 0), deep.stats.get("seconds", 0.0))
    shallower = _Shallower(search, problem, spent, deep.objective, deep.lower_bound)
    shallower.run()
    return shallower.result(deep)


@dataclass
class _Between(Generic[Result]):
    """The progress callback of a deep search, in which the shallower trees are searched once their time has come."""

    search: Search[Result]
    problem: Any
    limits: Limits
    progress: ProgressCallback | None
    seconds: float  # that belong to shallower trees
    most_held: float  # bytes
    shallower: _Shallower[Result] | None = None
    ended_for_room: bool = False

    def __call__(self, now: Progress) -> object:
        """Tell the user of the run's progress; return whether it has to end."""
        if self.shallower is None and self.limits.left() <= self.seconds:
            if self.limits.step_limit is not None or now.memory > self.most_held:
                self.ended_for_room = True
                return True
            spent = Searches(self.limits, self.progress, now.subproblems, now.seconds)
            self.shallower = _Shallower(self.search, self.problem, spent, now.objective, now.lower_bound)
            self.shallower.run()
            if self.shallower.asked_to_stop is not None:
                return True
            self.shallower.stop = None  # the deep search ends by its own limits
        if self.progress is None:
            return False
        return self.progress(now if self.shallower is None else self.shallower.beside(now))


@dataclass
class _Shallower(Generic[Result]):
    """The searches for shallower trees, and what is proven by them."""

    search: Search[Result]
    problem: Any
    searches: Searches  # the deep one among them
    objective: float  # of the best tree so far
    bound: float  # of the deep search
    found: list[Result] = field(default_factory=list)
    proven: int | None = None  # depth of the last search that ended
    shallow_bound: float = 0.0  # its bound
    stop: StopReason | None = None  # of the search that ended them

    def __post_init__(self) -> None:
        self._steps_before = self.searches.steps

    def run(self) -> None:
        """Search one depth after the other."""
        try:
            while self.next_depth <= self.deepest and self._search_next():
                pass
        except KeyboardInterrupt:  # between two searches, which keep their trees
            self.stop = StopReason.INTERRUPT

    @property
    def asked_to_stop(self) -> StopReason | None:
        """Whether a user ended them: INTERRUPT, CALLBACK or None."""
        return asked_to_stop(self.stop, {})

    def beside(self, now: Progress) -> Progress:
        """Return the state of the run while the deep search goes on."""
        objective = min(self.objective, now.objective)
        steps = now.subproblems + self.searches.steps - self._steps_before
        return replace(
            now, objective=objective, lower_bound=min(now.lower_bound, objective), subproblems=steps
        )

    @property
    def next_depth(self) -> int:
        """Of the next search."""
        return FIRST_DEPTH if self.proven is None else self.proven + 1

    @property
    def deepest(self) -> int:
        """Largest depth that is worth a search: below the limit of depth, and that of a tree that can be better."""
        depth = math.inf if self.problem.max_depth is None else self.problem.max_depth - 1
        return int(max(FIRST_DEPTH, min(depth, self._most_leaves() - 1, self._most_better_leaves() - 1)))

    def _search_next(self) -> bool:
        """Search one depth; return whether a deeper one may follow."""
        self.stop = self.searches.used_up()
        if self.stop is not None:
            return False
        depth = self.next_depth
        how = {"limits": self.searches.left(), "progress": self.searches.report(self._bounds_within)}
        found = self.search(replace(self.problem, max_depth=depth), **how)
        self.searches.add(found)
        self.found.append(found)
        self.objective = min(self.objective, found.objective)
        if found.status is not SolveStatus.OPTIMAL:
            self.stop = found.asked_to_stop or found.stop_reason
            return False
        self.proven, self.shallow_bound = depth, found.lower_bound
        self.stop = found.asked_to_stop  # while it looked for fewer leaves
        return self.stop is None

    def result(self, deep: Result) -> Result:
        """Return the best tree with what is proven of it, where the deep search ended like this."""
        best = deep
        for found in self.found:
            if _is_better(found, best):
                best = found
        stats = {**deep.stats, **self._spent(deep)}
        if self.asked_to_stop is not None:  # and so the deep one
            stats = {**_without_stops(stats), **told_to_stop(self.stop)}
        contradicted = self._contradicted(deep, best)
        if deep.status is SolveStatus.OPTIMAL and contradicted is None:
            return replace(deep, stats=stats)
        stop = self.stop or deep.stop_reason
        of_tree = {name: best.stats[name] for name in best.stats if name.endswith(OF_TREE)}
        stats |= {**of_tree, **told_to_stop(stop)}
        bound, notes, status, objective = deep.lower_bound, deep.notes, SolveStatus.FEASIBLE, best.objective
        if contradicted is not None:
            notes = (*notes, refute(*contradicted, "a tree of another depth"))
            bound = min(1.0, self.problem.cost_complexity)
        elif self.proven is not None:
            bound = max(bound, min(self.shallow_bound, self._least_of_deeper(self.proven)))
            if self._least_of_deeper(self.proven) >= objective:
                status, stop = SolveStatus.OPTIMAL, None
                if "tolerance" in stats:  # what an additive loss leaves open
                    stats["tolerance"] = max(0.0, objective - bound)
                if self.problem.cost_complexity == 0 and LEAVES_NOT_PROVEN not in notes:
                    notes = (*notes, LEAVES_NOT_PROVEN)
            else:
                left = max(0.0, objective - self.shallow_bound)
                stats |= {"proven_depth": self.proven, "proven_depth_rounding": left}
                notes = (*notes, shallow_note(deep.options, self.proven, objective, left))
        return replace(
            deep,
            tree=best.tree,
            status=status,
            objective=objective,
            loss=best.loss,
            lower_bound=min(bound, objective),
            stop_reason=stop,
            stats=stats,
            notes=notes,
        )

    def _spent(self, deep: Result) -> dict[str, Any]:
        """Return what all searches together used."""

        def sum_of(name: str) -> int:
            return sum(int(result.stats.get(name, 0)) for result in (deep, *self.found))

        return {
            "seconds": max(self.searches.seconds, deep.stats.get("seconds", 0.0)),
            "steps": sum_of("steps"),
            "subproblems": sum_of("subproblems"),
            "bytes": max(result.stats.get("bytes", 0) for result in (deep, *self.found)),
        }

    def _contradicted(self, deep: Result, best: Result) -> tuple[str, str] | None:
        """Return a bound and the objective of a tree below it, if there is one."""
        bound = deep.lower_bound
        if self.proven is not None and best.tree.depth <= self.proven:
            bound = max(bound, self.shallow_bound)
        if best.objective < bound - ROUNDING * abs(bound):
            return f"no objective below {bound:.9g}", f"{best.objective:.9g}"
        return None

    def _most_leaves(self) -> float:
        rows = self.problem.table.n_rows // self.problem.min_samples_leaf
        return float(min(max(rows, 1), self.problem.max_leaf_nodes or math.inf))

    def _most_better_leaves(self) -> float:
        """How many leaves a tree can have that costs less than the best one."""
        penalty = self.problem.cost_complexity
        return math.inf if penalty == 0 else math.ceil(self.objective / penalty) - 1

    def _least_of_deeper(self, depth: int) -> float:
        """What every tree deeper than that costs; inf if there is none."""
        leaves = depth + 2
        return math.inf if leaves > self._most_leaves() else leaves * float(self.problem.cost_complexity)

    def _bounds_within(self, now: Progress) -> tuple[float, float]:
        """Return the best objective while a depth is searched, and the bound, which stays that of all trees."""
        return min(self.objective, now.objective), self.bound


def _without_stops(stats: Mapping[str, Any]) -> dict[str, Any]:
    """Return statistics that do not say that a user ended the run."""
    stops = {**told_to_stop(StopReason.INTERRUPT), **told_to_stop(StopReason.CALLBACK)}
    return {name: value for name, value in stats.items() if name not in stops}


def _is_better(one: SolveResult, other: SolveResult) -> bool:
    """Whether a tree has a smaller objective, or the same and is smaller."""
    noise = ROUNDING * abs(other.objective)
    if abs(one.objective - other.objective) > noise:
        return one.objective < other.objective
    return (one.tree.n_leaves, one.tree.depth) < (other.tree.n_leaves, other.tree.depth)
