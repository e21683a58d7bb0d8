"""The best tree of every number of leaves, by searches at leaf penalties; the same for every sum over leaves.

A tree that is best at a penalty p has the least loss among all trees of no more leaves: another with L' < L and k' <= k
would cost L' + p k' < L + p k. So one search gives one proven point, and the penalty at which two known points cost the
same finds a third between them, or proves that no penalty selects any. A search at a penalty is quick (every leaf must
earn it); one for exactly k leaves is not, and is made only for points that no penalty selects.

A search that was stopped has a bound v of the objective at its penalty. A tree of at most k leaves has loss
L >= v - p k, for it pays at most p k; and more leaves allow no larger loss, so bounds of more leaves hold for fewer.

What a loss is, and what rounding leaves of a bound, is known to `Losses` alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from treewright.result import SolveResult, SolveStatus, StopReason, told_to_stop
from treewright.search._frontier import Frontier
from treewright.search._limits import Limits, ProgressCallback
from treewright.search._result import ROUNDING, refute
from treewright.search._searches import Searches
from treewright.search._single_split import UNRANKED
from treewright.tree import Tree

__all__ = ["Losses", "front_by_penalties"]

FIRST_PENALTY, PENALTY_STEP, LAST_PENALTY = 0.1, 3.0, 1e-7  # of the loss of a single leaf
SMALL = 3  # leaves: trees of depth two, whose proof needs no penalty to be quick
SHARE = 3  # of the time and steps that are left: a search gets one part in so many
LARGE_TABLE = 1 << 22  # cells: a pass over more takes a large part of a second

Result = TypeVar("Result", bound=SolveResult)


class Losses(Protocol[Result]):
    """How a problem is searched, and what its answers prove of losses."""

    noise: float
    """Losses that differ by no more are equal, however they were summed."""

    def search(
        self, problem: Any, limits: Limits | None = None, progress: ProgressCallback | None = None
    ) -> Result:
        """Search a problem; only its leaf penalty and its limits of depth and leaves differ from call to call."""

    def prunings(self, result: Result, max_leaves: int) -> list[tuple[float, Tree]]:
        """Return losses and trees of fewer leaves, one for each number, that can be cut out of a tree."""

    def bounds(self, result: Result, leaf_penalty: float, sizes: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return what the bound of a result says of the loss of trees with at most so many leaves."""

    def is_proven(self, loss: float, bound: float) -> bool:
        """Return whether nothing but rounding is between a loss and a bound."""

    def point(
        self, best: Result, leaves: int, bounds: NDArray[np.float64], proven: bool, stop: StopReason | None
    ) -> dict[str, Any]:
        """Return ``stats``, ``options`` and ``notes`` of the best tree of at most `leaves` leaves."""


def front_by_penalties(
    problem: Any,
    losses: Losses[Result],
    *,
    limits: Limits,
    progress: ProgressCallback | None = None,
    stats: dict[str, Any] | None = None,
) -> Frontier:
    """Find for each number of leaves the tree of least loss.

    Parameters
    ----------
    problem : TreeProblem or Problem
        ``max_leaf_nodes`` says up to how many leaves; ``cost_complexity`` is not looked at.
    losses : Losses
    limits : Limits
        Of the whole run, with the time running.
    progress : callable or None, default=None
        Is told the state of the search that runs.
    stats : dict, default=None
        Further statistics of the run.

    Returns
    -------
    Frontier
    """
    run = _Run(problem, losses, Searches(limits, progress))
    try:
        run.single_leaf()
        _search_leaves(run, SMALL)
        _search_penalties(run)
        _search_leaves(run, run.most)
    except KeyboardInterrupt:  # between two searches; they keep their trees
        run.stop = StopReason.INTERRUPT
        if not run.found:
            run.single_leaf()
    run.single_split()
    return run.frontier(stats or {})


@dataclass
class _Run(Generic[Result]):
    """Trees and bounds so far, and what is left of the limits."""

    problem: Any
    losses: Losses[Result]
    searches: Searches
    found: dict[int, Result] = field(default_factory=dict)  # best tree of so many leaves
    stop: StopReason | None = None  # of the run
    cut: StopReason | None = None  # of one search

    def __post_init__(self) -> None:
        # No tree has more leaves than so many rows and splits allow, and none of so many leaves is deeper.
        depth = self.problem.max_depth
        rows = max(1, self.problem.table.n_rows // self.problem.min_samples_leaf)
        self.most: int = min(self.problem.max_leaf_nodes, rows, 2 ** min(30 if depth is None else depth, 30))
        self.depth: int = self.most - 1 if depth is None else min(depth, self.most - 1)
        self.bound: NDArray[np.float64] = np.zeros(self.most + 1)  # of the loss with at most so many leaves

    @property
    def ended(self) -> bool:
        """Whether nothing more may be searched."""
        self.stop = self.stop or self.searches.used_up()
        return self.stop is not None

    def single_leaf(self) -> None:
        """Take the single leaf."""
        self.keep(self.losses.search(replace(self.problem, cost_complexity=0.0, max_leaf_nodes=1)), 1)
        self.searches.steps = 0

    def single_split(self) -> None:
        """Take the best tree of one split, where the run was stopped before that was proven.

        It costs a pass over the table, which a large one is given only if there is nothing else.
        """
        table = self.problem.table
        large = table.n_rows * len(table.columns) > LARGE_TABLE and any(size > 1 for size in self.found)
        if self.depth < 1 or large or (self.stop or self.cut) is None or self.is_proven(2):
            return
        asked = replace(self.problem, cost_complexity=0.0, max_leaf_nodes=2, max_depth=1)
        self.keep(self.losses.search(asked, Limits(step_limit=1)), 2)

    def search(self, leaf_penalty: float, leaves: int | None, parts: int) -> Result | None:
        """Search at a penalty, with a limit on leaves or none, for a part of what the limits leave; None without any.

        Ctrl-C and the callback end the run, a limit just this search.
        """
        if self.ended:
            return None
        left = self.searches.left().part(parts)
        depth = self.depth if leaves is None else min(self.depth, leaves - 1)
        asked = replace(self.problem, cost_complexity=leaf_penalty, max_leaf_nodes=leaves, max_depth=depth)
        result = self.losses.search(asked, left, self.searches.progress)
        self.keep(result, leaves)
        began = result.stats.get("engine_reason") != UNRANKED["engine_reason"]
        self.stop = result.asked_to_stop or self.stop or (None if began else result.stop_reason)
        self.cut = result.stop_reason or self.cut
        return result

    def keep(self, result: Result, leaves: int | None) -> None:
        """Keep a tree, all that can be cut out of it, and what its bound says."""
        self.searches.add(result)
        sizes = np.arange(self.most + 1)
        if leaves is not None:
            sizes = sizes[: leaves + 1]
        leaf_penalty = float(result.options["cost_complexity"])
        np.maximum.at(self.bound, sizes, self.losses.bounds(result, leaf_penalty, sizes))
        self._take(result)
        if result.tree.n_leaves > 2:
            for loss, tree in self.losses.prunings(result, self.most):
                self._take(replace(result, tree=tree, loss=loss))

    def _take(self, result: Result) -> None:
        size = result.tree.n_leaves
        if size not in self.found or result.loss < self.found[size].loss - self.losses.noise:
            self.found[size] = result

    def at_most(self, leaves: int) -> Result:
        """Return the best tree with at most so many leaves; the smallest of those that are equal."""
        best = self.found[1]
        for size in range(2, leaves + 1):
            if size in self.found and self.found[size].loss < best.loss - self.losses.noise:
                best = self.found[size]
        return best

    def is_proven(self, leaves: int) -> bool:
        """Whether no tree with at most so many leaves has less loss."""
        return self.losses.is_proven(self.at_most(leaves).loss, float(self.bounds()[leaves]))

    def bounds(self) -> NDArray[np.float64]:
        """Return what is proven of the loss of at most 0, 1, 2, ... leaves."""
        return np.asarray(np.maximum.accumulate(self.bound[::-1])[::-1])

    def _refuted(self) -> tuple[str, ...]:
        """Return a note if a tree is below a bound, which is then wrong."""
        for leaves, bound in enumerate(self.bounds()[1:].tolist(), 1):
            loss = self.at_most(leaves).loss
            if loss < bound - self.losses.noise - ROUNDING * bound:
                claim = f"no tree of at most {leaves} leaves with a loss below {bound:.9g}"
                return (refute(claim, f"{loss:.9g}", "another of its trees"),)
        return ()

    def frontier(self, stats: dict[str, Any]) -> Frontier:
        """Return the front."""
        bounds, refuted = self.bounds(), self._refuted()
        if refuted:
            bounds = np.zeros_like(bounds)
        stop = self.stop or self.cut
        counted = {**stats, **told_to_stop(stop), **self.searches.stats()}
        results = []
        for leaves in range(1, self.most + 1):
            best = self.at_most(leaves)
            bound = max(0.0, min(best.loss, float(bounds[leaves])))
            proven = self.losses.is_proven(best.loss, bound)
            about = self.losses.point(best, leaves, bounds, proven, stop)
            options = {
                **about["options"],
                "cost_complexity": 0.0,
                "max_depth": self.problem.max_depth,
                "max_leaf_nodes": leaves,
            }
            results.append(
                replace(
                    best,
                    status=SolveStatus.OPTIMAL if proven else SolveStatus.FEASIBLE,
                    objective=best.loss,
                    lower_bound=bound,
                    stop_reason=None if proven else stop,
                    stats={**about["stats"], **counted},
                    options=options,
                    notes=(*about["notes"], *refuted),
                )
            )
        for leaves in range(self.most + 1, self.problem.max_leaf_nodes + 1):
            last = results[-1]
            results.append(replace(last, options={**last.options, "max_leaf_nodes": leaves}))
        proven = all(result.status is SolveStatus.OPTIMAL for result in results)
        return Frontier(tuple(results), None if proven else stop, counted)


def _search_penalties(run: _Run[Result]) -> None:
    """Find the points that some penalty selects, from few leaves to many."""
    single = run.found[1]
    if single.loss <= 0 or run.most == 1:
        return
    if 2**run.depth <= run.most:  # the last point needs no penalty
        last = run.search(0.0, None, SHARE)
        if last is not None:
            _between(run, single, last)
        return
    before, leaf_penalty = single, FIRST_PENALTY * single.loss
    while leaf_penalty >= LAST_PENALTY * single.loss:
        found = run.search(leaf_penalty, None, SHARE)
        if found is None:
            return
        _between(run, before, found)
        ended = found.tree.n_leaves >= run.most or found.loss <= run.losses.noise
        if found.status is not SolveStatus.OPTIMAL or ended:
            return
        before, leaf_penalty = found, leaf_penalty / PENALTY_STEP


def _between(run: _Run[Result], few: Result, many: Result) -> None:
    """Find the points between two at the penalty at which they cost the same."""
    pending = [(few, many)]
    while pending:
        few, many = pending.pop()
        a, b = few.tree.n_leaves, many.tree.n_leaves
        if b - a < 2 or a >= run.most:
            continue
        leaf_penalty = (few.loss - many.loss) / (b - a)
        if all(run.is_proven(size) for size in range(a + 1, min(b, run.most + 1))) or leaf_penalty <= 0:
            continue
        found = run.search(min(leaf_penalty, 1.0), None, SHARE)
        if found is None:
            return
        size = found.tree.n_leaves
        if a < size < b and found.objective < few.loss + leaf_penalty * a - run.losses.noise:
            pending += [(found, many), (few, found)]


def _search_leaves(run: _Run[Result], most: int) -> None:
    """Search points that are open with a limit on leaves, few leaves first."""
    for leaves in range(2, min(most, run.most) + 1):
        if run.is_proven(leaves):
            continue
        open_points = sum(not run.is_proven(size) for size in range(leaves, run.most + 1))
        if run.search(0.0, leaves, open_points) is None:
            return
