"""What a deep search that time stops can still prove: that no shallower tree is better.

Without a depth limit a search may end with a gap that tells a reader little. People read shallow trees, and these are
proven much sooner. So the last quarter of a time limit belongs to trees of depth at most 2, 3, 4, ... in turn, over the
same splits. A better tree that such a search finds replaces the best one so far.

Why the claims hold. The search of depth d ends with a bound l: every tree of depth at most d costs l or more. So none
of them is better than the best tree at hand, of objective U, by more than U - l, which is 0 but for rounded weights. A
deeper tree has d + 2 leaves at least and pays for each, so every tree costs ``min(l, (d + 2) * penalty)`` or more.
Where no deeper tree is allowed, or each pays U for its leaves alone, the shallow proof is that of the whole problem.

No more than the limit is used: the deep search is given three quarters of what is left. Too short limits, and searches
that a limit of depth makes shallow anyway, are left as they are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from treewright.result import SolveResult, SolveStatus, StopReason, shallow_note, told_to_stop
from treewright.search._limits import Limits, Progress, ProgressCallback
from treewright.search._result import LEAVES_NOT_PROVEN, ROUNDING, refute
from treewright.search._searches import Searches

__all__ = ["Search", "prove_shallower", "search_then_shallower"]

LEAST_LIMIT = 2.0  # seconds; a quarter of less proves little
SHARE = 0.25  # of the time, for shallower trees
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
    first = replace(limits, time_limit=float(limits.time_limit) - SHARE * limits.left())
    result = search(problem, limits=first, progress=progress)
    if result.status is not SolveStatus.FEASIBLE or result.stop_reason is not StopReason.TIME_LIMIT:
        return result
    return prove_shallower(result, search, problem, limits, progress)


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
    run = _Run(deep, search, problem, spent)
    try:
        while run.next_depth <= run.deepest and run.search_next():
            pass
    except KeyboardInterrupt:  # between two searches, which keep their trees
        run.stop = StopReason.INTERRUPT
    return run.result()


@dataclass
class _Run(Generic[Result]):
    """The best tree so far, what is proven of it, and what was spent."""

    best: Result
    search: Search[Result]
    problem: Any
    searches: Searches  # the deep one among them
    proven: int | None = None  # depth of the last search that ended
    shallow_bound: float = 0.0  # its bound

    def __post_init__(self) -> None:
        self.deep = self.best
        self.stop = self.best.stop_reason
        self.subproblems, self.bytes = (self.best.stats.get(name, 0) for name in ("subproblems", "bytes"))

    @property
    def next_depth(self) -> int:
        """Of the next search."""
        return FIRST_DEPTH if self.proven is None else self.proven + 1

    @property
    def deepest(self) -> int:
        """Largest depth that is worth a search: below the limit of depth, and that of a tree that can be better."""
        depth = math.inf if self.problem.max_depth is None else self.problem.max_depth - 1
        return int(max(FIRST_DEPTH, min(depth, self._most_leaves() - 1, self._most_better_leaves() - 1)))

    def search_next(self) -> bool:
        """Search one depth; return whether a deeper one may follow."""
        used_up = self.searches.used_up()
        if used_up is not None:
            self.stop = used_up
            return False
        depth = self.next_depth
        how = {"limits": self.searches.left(), "progress": self.searches.report(self._bounds_within)}
        found = self.search(replace(self.problem, max_depth=depth), **how)
        self.searches.add(found)
        self.subproblems += found.stats.get("subproblems", 0)
        self.bytes = max(self.bytes, found.stats.get("bytes", 0))
        if _is_better(found, self.best):
            self.best = found
        if found.status is not SolveStatus.OPTIMAL:
            self.stop = found.stop_reason or self.stop
            return False
        self.proven, self.shallow_bound = depth, found.lower_bound
        self.stop = found.asked_to_stop or self.stop  # while it looked for fewer leaves
        return found.asked_to_stop is None

    def result(self) -> Result:
        """Return the best tree with what is proven of it."""
        bound, notes = self.deep.lower_bound, self.deep.notes
        spent = {
            "seconds": self.searches.seconds,
            "steps": self.searches.steps,
            "subproblems": self.subproblems,
            "bytes": self.bytes,
        }
        of_tree = {name: self.best.stats[name] for name in self.best.stats if name.endswith(OF_TREE)}
        stats = {**self.deep.stats, **of_tree, **spent, **told_to_stop(self.stop)}
        status, stop, objective = SolveStatus.FEASIBLE, self.stop, self.best.objective
        contradicted = self._contradicted()
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
                notes = (*notes, shallow_note(self.deep.options, self.proven, objective, left))
        return replace(
            self.deep,
            tree=self.best.tree,
            status=status,
            objective=objective,
            loss=self.best.loss,
            lower_bound=min(bound, objective),
            stop_reason=stop,
            stats=stats,
            notes=notes,
        )

    def _contradicted(self) -> tuple[str, str] | None:
        """Return a bound and the objective of a tree below it, if there is one."""
        bound = self.deep.lower_bound
        if self.proven is not None and self.best.tree.depth <= self.proven:
            bound = max(bound, self.shallow_bound)
        if self.best.objective < bound - ROUNDING * abs(bound):
            return f"no objective below {bound:.9g}", f"{self.best.objective:.9g}"
        return None

    def _most_leaves(self) -> float:
        rows = self.problem.table.n_rows // self.problem.min_samples_leaf
        return float(min(max(rows, 1), self.problem.max_leaf_nodes or math.inf))

    def _most_better_leaves(self) -> float:
        """How many leaves a tree can have that costs less than the best one."""
        penalty = self.problem.cost_complexity
        return math.inf if penalty == 0 else math.ceil(self.best.objective / penalty) - 1

    def _least_of_deeper(self, depth: int) -> float:
        """What every tree deeper than that costs; inf if there is none."""
        leaves = depth + 2
        return math.inf if leaves > self._most_leaves() else leaves * float(self.problem.cost_complexity)

    def _bounds_within(self, now: Progress) -> tuple[float, float]:
        """Return the best objective while a depth is searched, and the bound, which stays that of all trees."""
        return min(self.best.objective, now.objective), self.deep.lower_bound


def _is_better(one: SolveResult, other: SolveResult) -> bool:
    """Whether a tree has a smaller objective, or the same and is smaller."""
    noise = ROUNDING * abs(other.objective)
    if abs(one.objective - other.objective) > noise:
        return one.objective < other.objective
    return (one.tree.n_leaves, one.tree.depth) < (other.tree.n_leaves, other.tree.depth)
