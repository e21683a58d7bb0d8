"""In which order a solver is called, and with which starts: direct, warm, gradual (Nemecek et al. 2023, A.8).

* direct: one run, no start.
* warm: one run from the best CART tree.
* gradual: one run for each depth from 1 on; each starts from the tree of the one before and gets twice its time (in
  the paper 32 + 64 + 128 + 256 of 480 minutes). A run that ends early leaves its time to the later ones.

Every strategy ends with the best tree it has seen, by its value counted from the rows. So no run ends worse than its
start, whatever the solver made of it, and a run in which the solver finds nothing ends with CART's tree.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from treewright.mip._cart import cart_start
from treewright.mip._formulation import Formulation
from treewright.mip._instance import Instance
from treewright.mip._outcome import Job, Outcome
from treewright.mip._plan import Plan, full_tree, value_of
from treewright.result import StopReason
from treewright.search import Limits

__all__ = ["STRATEGIES", "Run", "Solution", "follow"]

STRATEGIES = ("direct", "warm", "gradual")
LEAST_TIME = 0.05  # seconds that a solver gets at least; below it some do not even look at their start

Solver = Callable[[Formulation, Job], Outcome]


@dataclass(frozen=True, eq=False)
class Run:
    """One call of a solver.

    Parameters
    ----------
    formulation : Formulation
    outcome : Outcome
    start : Plan or None
    has_start : bool
    trees : tuple of (float, float, float)
        Of each incumbent: seconds, the solver's objective, the objective of its tree.
    """

    formulation: Formulation
    outcome: Outcome
    start: Plan | None
    has_start: bool
    trees: tuple[tuple[float, float, float], ...]


@dataclass(frozen=True, eq=False)
class Solution:
    """What a strategy ends with.

    Parameters
    ----------
    plan : Plan or None
        The best tree.
    value : float
        What it costs, counted from the rows.
    source : str
        "solver", "start" or "cart": who found it.
    runs : tuple of Run
        The last one is of the depth that was asked for, if the time allowed; its bound counts.
    """

    plan: Plan | None
    value: float
    source: str
    runs: tuple[Run, ...]


def follow(
    strategy: str,
    instance: Instance,
    depth: int,
    make: Callable[[int], Formulation],
    call: Solver,
    job: Job,
    deadline: float,
) -> Solution:
    """Run a strategy.

    Parameters
    ----------
    strategy : {"direct", "warm", "gradual"}
    instance : Instance
    depth : int
    make : callable
        From a depth to its formulation.
    call : callable
        The solver.
    job : Job
        Threads, seed, limits of memory and steps, report; `keep`, `start` and time are set here.
    deadline : float
        Of the clock `time.monotonic`; inf without a limit.
    """
    runs: list[Run] = []
    best: Plan | None = None
    best_value, source = math.inf, "solver"
    steps = job.limits.step_limit
    for level in range(1, depth + 1) if strategy == "gradual" else [depth]:
        formulation = make(level)
        leaf_accuracy = formulation.maximises_leaf_accuracy

        def value(plan: Plan | None, leaf_accuracy: bool = leaf_accuracy) -> float:
            return value_of(plan, instance, leaf_accuracy)

        if strategy == "warm":
            best = cart_start(instance, depth, value)
            best_value, source = value(best), "start"
        has_start = math.isfinite(best_value)
        share = 2.0 ** (level - 1) / (2.0**depth - 2.0 ** (level - 1)) if strategy == "gradual" else 1.0
        left = max(LEAST_TIME, (deadline - time.monotonic()) * share)
        limits = Limits(
            left if math.isfinite(left) else None,
            None if steps is None else max(1, math.ceil(steps * share)),
            job.limits.memory_limit,
        )
        start = formulation.write(full_tree(best, level, instance)) if has_start else None
        job = replace(job, keep=formulation.tree_variables, limits=limits, start=start)
        outcome = call(formulation, job)
        steps = None if steps is None else max(1, steps - outcome.nodes)
        trees, begin = [], best
        for incumbent in outcome.incumbents:
            plan = formulation.read(incumbent.values)
            here = value(plan)
            trees.append((incumbent.seconds, incumbent.objective, here))
            if here < best_value:
                best, best_value, source = plan, here, "solver"
        runs.append(Run(formulation, outcome, begin, has_start, tuple(trees)))
        if outcome.stop in (StopReason.INTERRUPT, StopReason.CALLBACK, StopReason.MEMORY_LIMIT):
            break
    if not math.isfinite(best_value):
        best = cart_start(instance, depth, value)
        best_value, source = value(best), "cart"
    return Solution(best, best_value, source, tuple(runs))
