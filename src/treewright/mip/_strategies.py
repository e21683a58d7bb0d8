"""In which order a solver is called, and with which starts: direct, warm, gradual (Nemecek et al. 2023, A.8).

* direct: one run, no start.
* warm: one run from the best CART tree.
* gradual: one run for each depth from 1 on; each starts from the tree of the one before and gets twice its time (in
  the paper 32 + 64 + 128 + 256 of 480 minutes). A run that ends early leaves its time to the later ones.

Every strategy ends with the best tree it has seen, by its value counted from the rows, and the best CART tree is one of
them. So no run ends worse than CART, whatever the solver made of it, also where a limit was reached while the program
was written.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from treewright.mip._cart import cart_start
from treewright.mip._formulation import Formulation
from treewright.mip._instance import Instance
from treewright.mip._outcome import Job, ModelUnfinished, Outcome, Watch
from treewright.mip._plan import Plan, full_tree, value_of
from treewright.result import StopReason
from treewright.search import Limits

__all__ = ["STRATEGIES", "Run", "Solution", "follow"]

STRATEGIES = ("direct", "warm", "gradual")

Solver = Callable[[Formulation, Job], Outcome]


@dataclass(frozen=True, eq=False)
class Run:
    """One call of a solver.

    Parameters
    ----------
    depth : int
    formulation : Formulation or None
        None if a limit was reached while it was written.
    outcome : Outcome
    start : Plan or None
    has_start : bool
    trees : tuple of (float, float, float)
        Of each incumbent: seconds, the solver's objective, the objective of its tree.
    """

    depth: int
    formulation: Formulation | None
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
    leaf_accuracy: bool,
    make: Callable[[int, Watch], Formulation],
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
    leaf_accuracy : bool
        What a tree is judged by: its worst leaf, or its objective.
    make : callable
        From a depth and a `Watch` to its formulation.
    call : callable
        The solver.
    job : Job
        Threads, seed, limits of memory and steps, report; `keep`, `start` and time are set here.
    deadline : float
        Of the clock `time.monotonic`; inf without a limit.
    """

    def value(plan: Plan | None) -> float:
        return value_of(plan, instance, leaf_accuracy)

    try:
        cart = cart_start(instance, depth, value, deadline)
        cart_value = value(cart)
    except KeyboardInterrupt:  # the single leaf is all there is
        stopped = Run(depth, None, _not_begun(StopReason.INTERRUPT), None, False, ())
        return Solution(None, value(None), "cart", (stopped,))
    runs: list[Run] = []
    best: Plan | None = None
    best_value, source = math.inf, "solver"
    if strategy == "warm":
        best, best_value, source = cart, cart_value, "start"
    steps = job.limits.step_limit
    for level in range(1, depth + 1) if strategy == "gradual" else [depth]:
        has_start = math.isfinite(best_value)
        share = 2.0 ** (level - 1) / (2.0**depth - 2.0 ** (level - 1)) if strategy == "gradual" else 1.0
        now = time.monotonic()
        end = now + (deadline - now) * share
        formulation: Formulation | None = None
        try:
            formulation = make(level, Watch(end, job.limits.memory_limit, job.report, job.held))
            left = end - time.monotonic()
            if left <= 0:
                raise ModelUnfinished(StopReason.TIME_LIMIT)
            limits = Limits(
                left if math.isfinite(left) else None,
                None if steps is None else max(1, math.ceil(steps * share)),
                job.limits.memory_limit,
            )
            start = formulation.write(full_tree(best, level, instance)) if has_start else None
            job = replace(
                job, keep=formulation.tree_variables, limits=limits, start=start, unit=formulation.model.unit
            )
            outcome = call(formulation, job)
        except ModelUnfinished as unfinished:
            outcome = _not_begun(unfinished.reason, unfinished.note)
        except KeyboardInterrupt:
            outcome = _not_begun(StopReason.INTERRUPT)
        steps = None if steps is None else max(1, steps - outcome.nodes)
        try:
            found = _plans_of(outcome, formulation, value)
        except KeyboardInterrupt:  # the solver ended before: its trees are read again
            outcome = replace(outcome, stop=StopReason.INTERRUPT)
            found = _plans_of(outcome, formulation, value)
        trees, begin = [], best
        for incumbent, (plan, here) in zip(outcome.incumbents, found, strict=True):
            trees.append((incumbent.seconds, incumbent.objective, here))
            if here < best_value:
                best, best_value, source = plan, here, "solver"
        runs.append(Run(level, formulation, outcome, begin, has_start, tuple(trees)))
        if outcome.stop in (StopReason.INTERRUPT, StopReason.CALLBACK, StopReason.MEMORY_LIMIT):
            break
    if cart_value < best_value:
        best, best_value, source = cart, cart_value, "cart"
    return Solution(best, best_value, source, tuple(runs))


def _plans_of(
    outcome: Outcome, formulation: Formulation | None, value: Callable[[Plan | None], float]
) -> list[tuple[Plan | None, float]]:
    """Return the tree of each incumbent, and what it costs."""
    found = []
    for incumbent in outcome.incumbents:
        assert formulation is not None  # it was solved
        plan = formulation.read(incumbent.values)
        found.append((plan, value(plan)))
    return found


def _not_begun(reason: StopReason, note: str = "") -> Outcome:
    """Return what is known when a run ended before the solver had the program."""
    return Outcome(
        proven=False,
        infeasible=False,
        stop=reason,
        incumbents=(),
        bound=-math.inf,
        nodes=0,
        seconds=0.0,
        solver="The solver",
        words=f"{reason.value} {'before' if note else 'while'} the program was written",
        note=note,
    )
