"""From a problem to the set of all its near-optimal trees."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from fractions import Fraction
from numbers import Real
from typing import Any, Literal

from treewright._native import core
from treewright.binarize import Cuts
from treewright.errors import InputError
from treewright.near_optimal._graph import Membership, SetGraph
from treewright.near_optimal._trees import NearOptimalTrees
from treewright.problem import Problem
from treewright.result import SolveStatus, StopReason
from treewright.search import Limits, Progress, ProgressCallback, integer_costs, solve_cuts, stop_reason

__all__ = ["solve_near_optimal"]

COST_BITS = 58  # of all costs together, in the integers of the search
MOST_SHIFT = 32
STAGES = (
    Fraction(1, 8),
    Fraction(1, 2),
    Fraction(1),
)  # of the slack: what is complete if a limit ends the next
LARGEST_SLACK = 1e-12  # of rounded weights: more, and a tree on the bound could be on its wrong side


def solve_near_optimal(
    problem: Problem,
    cuts: Cuts,
    *,
    epsilon: float = 0.05,
    slack: float | None = None,
    max_objective: float | None = None,
    leaf_labels: Literal["cheapest", "any"] = "cheapest",
    redundant_splits: bool = False,
    limits: Limits | None = None,
    progress: ProgressCallback | None = None,
) -> NearOptimalTrees:
    """Find all trees whose objective is at most a bound.

    Parameters
    ----------
    problem : Problem
    cuts : Cuts
        The splits that a tree may use.
    epsilon : float, default=0.05
        The bound is (1 + epsilon) times the least objective.
    slack : float, default=None
        If given: the bound is the least objective plus this.
    max_objective : float, default=None
        If given: the bound itself.
    leaf_labels : {"cheapest", "any"}, default="cheapest"
        Whether a leaf predicts its cheapest class (the first of equals), or any.
    redundant_splits : bool, default=False
        Whether a split counts whose two sides are leaves of the same label.
    limits : Limits, default=None
        Time and memory; the set is then complete up to a smaller bound, which it tells.
    progress : callable, default=None
        Of the search for the optimum and of the set; a true return value stops it.

    Returns
    -------
    NearOptimalTrees

    Raises
    ------
    InputError
        A bound that is negative or not a number, or below the optimum; weights that had to be rounded.
    """
    start = time.perf_counter()
    limits = limits or Limits()
    check_bound(epsilon, slack, max_objective)
    if leaf_labels not in ("cheapest", "any"):
        raise InputError(f'leaf_labels={leaf_labels!r}; choose "cheapest" or "any".')
    integers = integer_costs(problem)
    if integers.slack > LARGEST_SLACK:
        raise InputError(
            "The weights or costs are not whole numbers of a common unit, so that trees exactly on the bound "
            "cannot be told from others. Give weights and costs with at most six decimals."
        )
    best = solve_cuts(problem, cuts, limits=limits, progress=progress)
    unit = 1 / whole(1 / integers.unit)
    leaf_price = as_written(problem.cost_complexity) / unit
    optimum = whole(best.loss / float(unit)) + leaf_price * best.tree.n_leaves
    if max_objective is not None:
        budget = as_written(max_objective) / unit
    elif slack is not None:
        budget = optimum + as_written(slack) / unit
    else:
        budget = optimum * (1 + as_written(epsilon))
    if budget < optimum and best.status is SolveStatus.OPTIMAL:
        raise InputError(
            f"max_objective={max_objective!r} is below the least objective of any tree, {best.objective:.6g}; "
            "give more."
        )
    native = core.NearOptimalProblem(
        cuts.packed, problem.y, integers.weight, integers.costs, min_count=problem.min_samples_leaf
    )
    task = _Task(problem, cuts, native, unit, leaf_price, leaf_labels == "any", redundant_splits)
    graph, reached, reason = _rising(task, optimum, max(budget, optimum), limits, progress, start)
    return NearOptimalTrees(
        graph=graph,
        membership=Membership(reached, problem.max_leaf_nodes),
        best=best,
        asked=max(budget, optimum),
        stop_reason=reason,
    )


@dataclass(frozen=True, eq=False)
class _Task:
    """What stays the same for all budgets."""

    problem: Problem
    cuts: Cuts
    native: Any
    unit: Fraction
    leaf_price: Fraction
    any_label: bool
    redundant: bool

    def graph(self, budget: Fraction, **how: Any) -> SetGraph:
        """Return the graph of all trees within a budget, complete or not."""
        problem, left = self.problem, budget - self.native.base_cost
        most_leaves = problem.table.n_rows
        if self.leaf_price > 0:
            most_leaves = max(1, min(most_leaves, int(left // self.leaf_price)))
        if problem.max_leaf_nodes is not None:
            most_leaves = min(most_leaves, problem.max_leaf_nodes)
        depth = min(most_leaves - 1, len(self.cuts.splits))
        if problem.max_depth is not None:
            depth = min(depth, problem.max_depth)
        errors = float(problem.costs.max()) / float(self.unit)
        shift = max(
            0, min(MOST_SHIFT, COST_BITS - int(2 * errors + problem.table.n_rows + budget).bit_length())
        )
        native = self.native.make(
            leaf_price=int(self.leaf_price * 2**shift // 1),
            unit_shift=shift,
            budget=int(left * 2**shift // 1),
            max_depth=depth,
            **how,
        )
        return SetGraph(
            problem, self.cuts, native, native.arrays(), self.unit, self.leaf_price, self.native.base_cost,
            self.any_label, self.redundant, how["memory_limit"],
        )  # fmt: skip


def _rising(
    task: _Task,
    optimum: Fraction,
    budget: Fraction,
    limits: Limits,
    progress: ProgressCallback | None,
    start: float,
) -> tuple[SetGraph, Fraction, StopReason | None]:
    """Make the graph for rising budgets; return the last that is complete, its budget, and what ended the run.

    The first, of the optimal trees alone, is made whatever the time: it is small, and without it there is no answer.
    """
    given = limits.native()
    done: SetGraph | None = None
    reached = optimum
    for share in (Fraction(0), *STAGES):
        stage = optimum + (budget - optimum) * share
        if done is not None and stage == reached:
            continue
        spent = time.perf_counter() - start
        graph = task.graph(
            stage,
            time_limit=math.inf if done is None else max(given["time_limit"] - spent, 0.0),
            memory_limit=given["memory_limit"],
            report=_report(progress, task, spent),
        )
        if graph.arrays["complete"]:
            done, reached = graph, stage
        elif done is not None:
            return done, reached, stop_reason(graph.arrays["stop"])
        else:
            raise InputError(
                "Not even the graph of the optimal trees fits the limits; raise memory_limit, or ask for a smaller "
                "max_depth or a larger cost_complexity."
            )
    assert done is not None  # the first stage ends with a graph or an error
    return done, reached, None


def _report(progress: ProgressCallback | None, task: _Task, spent: float) -> Any:
    """Return what the compiled core calls: the optimum is known, so only seconds, steps and memory move."""
    if progress is None:
        return None
    known = float("nan")

    def report(seconds: float, incumbent: float, lower_bound: float, steps: int, memory: int) -> Any:
        return progress(Progress(spent + seconds, known, known, steps, memory))

    return report


def check_bound(epsilon: float, slack: float | None, max_objective: float | None) -> None:
    """Check what the set is bounded by."""
    if slack is not None and max_objective is not None:
        raise InputError("Give slack or max_objective, not both: each is a bound of its own.")
    for name, value in (("epsilon", epsilon), ("slack", slack), ("max_objective", max_objective)):
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) < math.inf:
            raise InputError(f"{name}={value!r}; give a number of at least 0.")


def as_written(value: float) -> Fraction:
    """Return the decimal number that a float was written as: .05 is one twentieth."""
    return Fraction(repr(float(value)))


def whole(value: float) -> Fraction:
    """Return a float as a fraction, without the rounding of a division where it is nearly whole."""
    nearest = round(value)
    return Fraction(nearest) if nearest and abs(value - nearest) < 1e-9 * nearest else Fraction(value)
