"""From a problem to the set of all its near-optimal trees."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any, Literal

import numpy as np

from treewright._arguments import check_arguments
from treewright._native import core
from treewright._numbers import as_written
from treewright.binarize import SplitMatrix, midpoints
from treewright.errors import InputError
from treewright.near_optimal._bounds import check_bound, in_errors, up_to
from treewright.near_optimal._counts import Counts
from treewright.near_optimal._graph import Membership
from treewright.near_optimal._least import proven_by_set
from treewright.near_optimal._nothing import LeafRules, nothing_known
from treewright.near_optimal._problems import (
    NativeProblem,
    binary_problem,
    fits_ranked,
    ranked_problem,
)
from treewright.near_optimal._task import Task
from treewright.near_optimal._trees import NearOptimalTrees
from treewright.near_optimal._units import Units, units_of
from treewright.problem import Problem
from treewright.result import SolveResult, SolveStatus, StopReason
from treewright.search import (
    BinaryOptions,
    Limits,
    Progress,
    ProgressCallback,
    RankedRows,
    RankedSpace,
    Thresholds,
    choose_engine,
    ranked_rows,
    solve_binary,
    solve_ranked,
    stop_reason,
    threads_of,
)
from treewright.tree import at_least

__all__ = ["solve_near_optimal"]

STAGES = (
    Fraction(1, 8),
    Fraction(1, 2),
    Fraction(1),
)  # of the slack: what is complete if a limit ends the next
QUICK = 0.002  # of the seconds left: after a stage that took less, the next but the last is left out
SAME = Fraction(1, 10**12)  # relative, of sums of the same weights
# Of the optimum within a depth: a set needs the proof, and nobody waits for a bound that rises on the way to it.
QUICK_PROOF = BinaryOptions(plain_steps=500_000)
LEAST_SECONDS = 0.5  # for the graph of the optimal trees alone, once they are proven optimal


def solve_near_optimal(
    problem: Problem,
    thresholds: SplitMatrix | Thresholds = "auto",
    *,
    epsilon: float = 0.05,
    slack: float | None = None,
    max_objective: float | None = None,
    leaf_labels: Literal["cheapest", "any"] = "cheapest",
    redundant_splits: bool = False,
    limits: Limits | None = None,
    progress: ProgressCallback | None = None,
    known: SolveResult | None = None,
) -> NearOptimalTrees:
    """Find all trees whose objective is at most a bound.

    Parameters
    ----------
    problem : Problem
    thresholds : "auto", "all", int, mapping or SplitMatrix, default="auto"
        The splits that a tree may use, as in `near_optimal_trees`.
    epsilon : float, default=0.05
        The bound is (1 + epsilon) times the least objective.
    slack : float, default=None
        If given: the bound is the least objective plus this.
    max_objective : float, default=None
        If given: the bound itself.
    leaf_labels : {"cheapest", "any"}, default="cheapest"
        Whether a leaf predicts its cheapest class (the first one if several are equal), or any class.
    redundant_splits : bool, default=False
        Whether trees count in which the two sides of a split are leaves with the same label.
    limits : Limits, default=None
        Time and memory, steps of the search for the optimum, and threads as in `near_optimal_trees`. After a limit the
        set is complete up to a smaller bound, `bound_`.
    progress : callable, default=None
        Of the search for the optimum and of the set; a true return value stops it.
    known : SolveResult, default=None
        A proven optimum. If it is also the optimum of this problem, it is not searched for again; this is proven from
        its tree alone, by the graph of all trees that cost no more.

    Returns
    -------
    NearOptimalTrees

    Raises
    ------
    InputError
        The bound is negative, not a number, or below what is proven of every tree.

    Examples
    --------
    >>> from treewright.near_optimal import solve_near_optimal
    >>> from treewright.problem import make_problem
    >>> from treewright.table import table_from
    >>> problem = make_problem(table_from([[20], [30], [40], [50]]), [0, 0, 1, 1], max_depth=1)
    >>> len(solve_near_optimal(problem, epsilon=0.05))
    1
    """
    check_arguments(
        solve_near_optimal, locals(), "problem", "redundant_splits", "limits", "progress", "known"
    )
    limits = (limits or Limits()).started()
    if slack is not None and max_objective is not None:
        raise InputError("Give slack or max_objective, not both: each is a bound of its own.")
    check_bound(epsilon=epsilon, slack=slack, max_objective=max_objective)
    if epsilon is None and slack is None and max_objective is None:
        raise InputError("epsilon=None; give a number of at least 0, or slack or max_objective.")
    if leaf_labels not in ("cheapest", "any"):
        raise InputError(f'leaf_labels={leaf_labels!r}; choose "cheapest" or "any".')
    rules = LeafRules(leaf_labels == "any", redundant_splits)
    units = units_of(problem)
    unit = units.unit
    space = choose_engine(problem, thresholds, method="near-optimal", limits=limits).space
    split_matrix = (
        space if isinstance(space, SplitMatrix) else midpoints(problem.table, candidates=space.candidates)
    )

    @cache  # asked several times for one optimum
    def up_to_bound(least: Fraction) -> Fraction:
        if max_objective is not None:
            bound = up_to(max_objective) / unit
            # The objective that a result tells is a sum in floating point: it may lie a hair below what its tree costs.
            return least if bound < least <= bound * (1 + SAME) else bound
        if slack is not None:
            return least + units.rounding + in_errors(slack, unit)
        return (least + units.rounding) * (1 + as_written(epsilon))

    is_ranked = isinstance(space, RankedSpace) and fits_ranked(problem, units.integers)
    goes_on = units.integers.slack == 0  # the set, with the search for the optimum

    @cache
    def rows() -> RankedRows:
        assert isinstance(space, RankedSpace)
        return ranked_rows(problem, space, units.integers)

    @cache
    def asked() -> NativeProblem:
        if is_ranked:
            return ranked_problem(rows(), split_matrix, problem.table)
        return binary_problem(problem, split_matrix, units)

    def grouped() -> core.BinaryProblem | None:
        try:
            made = asked().native
        except KeyboardInterrupt:
            return None
        assert isinstance(made, core.BinaryProblem)  # of binary columns
        return made

    def task_up_to(budget: Fraction) -> Task:
        notes = (*problem.notes, *space.notes)
        largest = units.holding(problem, budget)
        return Task(problem, split_matrix, asked(), units, rules, largest, notes)

    best = task = None
    if known is not None and known.scope == space.scope and _costs_what_it_says(known, problem, units):
        optimum = units.objective(problem, known.tree)
        seconds = LEAST_SECONDS + known.stats.get("seconds", 0.0)
        try:
            task = task_up_to(max(up_to_bound(optimum), optimum))
            is_best, reason = _is_optimal(task, optimum, limits, seconds, progress)
        except KeyboardInterrupt:  # outside of a search, which would have told it
            is_best, reason = False, StopReason.INTERRUPT
        if is_best:
            best = known
        elif reason in (
            StopReason.INTERRUPT,
            StopReason.CALLBACK,
        ):  # whoever asked to stop wants no search instead
            best = replace(known, status=SolveStatus.FEASIBLE, stop_reason=reason, lower_bound=0.0)
    if best is None:
        task = None
        best = (
            solve_binary(
                problem,
                space,
                limits=limits,
                progress=progress,
                ungrouped=True,
                grouped=grouped if goes_on else None,
                options=QUICK_PROOF if problem.max_depth is not None else None,
            )
            if isinstance(space, SplitMatrix)
            else solve_ranked(
                problem,
                space,
                limits=limits,
                progress=progress,
                rows=rows if is_ranked and goes_on else None,
            )
        )
    optimum = units.objective(problem, best.tree)
    budget = up_to_bound(optimum)
    proven = best.status is SolveStatus.OPTIMAL
    _check_reachable(max_objective, best)
    open_still = max(2 * units.rounding, Fraction(max(0.0, best.objective - best.lower_bound)) / unit)
    if proven and budget < optimum - open_still:
        raise InputError(
            f"max_objective={max_objective!r} is below the least objective of any tree, {best.objective:.6g}; "
            "give at least that."
        )
    ended_by = _stopped(best)
    if ended_by is None and task is None:
        try:
            task = task_up_to(max(budget, optimum))
        except KeyboardInterrupt:  # the best tree is found
            ended_by = StopReason.INTERRUPT
    if ended_by is not None or task is None:
        counts = nothing_known(problem, split_matrix, units, rules, best)
        return NearOptimalTrees(
            counts=counts, best=best, least=optimum, asked=budget + units.rounding, stop_reason=ended_by
        )
    return _rising(task, best, optimum, up_to_bound, limits, progress)


def _check_reachable(max_objective: float | None, best: SolveResult) -> None:
    """Refuse a bound below all trees also where the best of them is not known."""
    least = best.lower_bound * (1 - float(SAME))
    if best.status is SolveStatus.OPTIMAL or best.asked_to_stop is not None or max_objective is None:
        return
    if max_objective < least:
        raise InputError(
            f"max_objective={max_objective!r} is below the objective of every tree, which is at least "
            f"{at_least(best.lower_bound)}, as is proven; give more than that."
        )


def _costs_what_it_says(known: SolveResult, problem: Problem, units: Units) -> bool:
    """Whether a result is proven, of this question and these rows.

    Then all that it says holds of them but that it is the best, for the splits of these rows may be others.
    """
    if known.status is not SolveStatus.OPTIMAL or known.stop_reason is not None or units.rounding > 0:
        return False
    tree = known.tree
    if tree.columns != problem.table.columns or tree.classes is None:
        return False
    asked = ("cost_complexity", "max_depth", "max_leaf_nodes", "min_samples_leaf")
    if list(tree.classes) != list(problem.classes) or any(
        name not in known.options or known.options[name] != getattr(problem, name) for name in asked
    ):
        return False
    at, leaf = tree.apply(problem.table.X), tree.is_leaf
    weight = np.zeros_like(tree.value)
    np.add.at(weight, (at, problem.y), problem.sample_weight)
    if not np.array_equal(np.bincount(at, minlength=len(leaf))[leaf], tree.n_node_samples[leaf]):
        return False
    if not np.allclose(weight[leaf], tree.value[leaf], rtol=float(SAME), atol=0):
        return False
    return abs(float(units.objective(problem, tree) * units.unit) - known.objective) <= 1e-9


def _is_optimal(
    task: Task, cost: Fraction, limits: Limits, seconds: float, progress: ProgressCallback | None
) -> tuple[bool, StopReason | None]:
    """Whether no tree costs less: proven by the graph of all trees that cost no more, which has to have one.

    Also what ended the making of that graph too early.

    The search that makes it is kept, so the same graph is made of what is known when the set begins with it. Of other
    rows the graph may be large: limits, or so many seconds, leave the question open.
    """
    budget = cost + task.units.rounding
    begun = time.perf_counter()
    report = _report(progress, begun - (limits.begun or begun))
    how = {"memory_limit": limits.native()["memory_limit"], "report": report}
    seconds = min(seconds, limits.left())
    graph = task.graph(budget, threads=threads_of(limits.n_jobs), time_limit=seconds, **how)
    if not graph.arrays["complete"]:
        return False, stop_reason(graph.arrays["stop"])
    counts = Counts(graph, Membership(budget, task.problem.max_leaf_nodes))
    reason = counts.make(seconds, report)
    if reason is not None:
        return False, reason
    costs = graph.costs(counts.cells(0))
    return bool(costs) and abs(min(costs) - cost) <= task.units.rounding, None


def _rising(
    task: Task,
    best: SolveResult,
    least: Fraction,
    up_to_bound: Callable[[Fraction], Fraction],
    limits: Limits,
    progress: ProgressCallback | None,
) -> NearOptimalTrees:
    """Make and count the graph for rising budgets; return the last set that is complete, and what ended the run.

    Where the optimum is proven, the first, of the optimal trees alone, is given as long again as that proof took:
    it is small, and nearly always what a stopped run is left with. Where not, it would be as hard as the proof.
    """
    proven, rounding = best.status is SolveStatus.OPTIMAL, task.units.rounding
    budget = up_to_bound(least)
    first = min(least, budget)
    started = time.perf_counter()
    again = LEAST_SECONDS + started - (limits.begun or started)
    memory = limits.native()["memory_limit"]
    done: Counts | None = None
    reason: StopReason | None = None
    took = math.inf
    quick = (
        QUICK if limits.memory_limit is None else 0.0
    )  # it may end in the largest stage, whatever the smaller took
    try:
        for share in (Fraction(0), *STAGES):
            stage = first + (budget - first) * share + rounding
            if done is not None and (stage == done.membership.budget or (share < 1 and took < quick)):
                continue
            begun = time.perf_counter()
            seconds = again if done is None and proven else 0.0
            report = _report(progress, time.perf_counter() - (limits.begun or started))
            graph = task.graph(
                stage,
                threads=threads_of(limits.n_jobs),
                time_limit=max(limits.left(), seconds),
                memory_limit=memory,
                report=report,
            )
            counts = Counts(graph, Membership(stage, task.problem.max_leaf_nodes))
            reason = (
                counts.make(max(limits.left(), seconds), report)
                if graph.arrays["complete"]
                else stop_reason(graph.arrays["stop"])
            )
            if reason is not None:
                break
            if done is None and (costs := graph.costs(counts.cells(0))):
                # The search compares in units of its own; this graph is exact, or rounded less, and has the best tree.
                cheapest = min(costs)
                its, bound = proven_by_set(best, counts, cheapest, task.notes), up_to_bound(cheapest)
                first = min(cheapest, bound)
                least, best, budget = cheapest, its, bound  # together, whenever Ctrl-C comes
            done = counts
            took = (time.perf_counter() - begun) / max(limits.left(), LEAST_SECONDS)
    except KeyboardInterrupt:  # between two stages; what is complete is kept
        reason = StopReason.INTERRUPT
    asked = budget + rounding
    if done is None:
        done = nothing_known(*task.stated, best)
    elif done.membership.budget > asked:
        # The first graph, with a cheaper tree than the search had: it holds all that is now asked.
        done, reason = Counts(done.graph, replace(done.membership, budget=asked)), None
    return NearOptimalTrees(counts=done, best=best, least=least, asked=asked, stop_reason=reason)


def _stopped(best: SolveResult) -> StopReason | None:
    """Return what ended the search for the optimum, if nothing more is to be done.

    Without its proof a bound relative to it is not known, and the graph of the optimal trees would be as hard.
    """
    if best.asked_to_stop is not None:
        return best.asked_to_stop
    return best.stop_reason if best.status is not SolveStatus.OPTIMAL else None


def _report(progress: ProgressCallback | None, spent: float) -> Any:
    """Return what the compiled core calls: the optimum is known, so only seconds, steps and memory move."""
    if progress is None:
        return None
    known = float("nan")

    def report(seconds: float, incumbent: float, lower_bound: float, steps: int, memory: int) -> Any:
        return progress(Progress(spent + seconds, known, known, steps, memory))

    return report
