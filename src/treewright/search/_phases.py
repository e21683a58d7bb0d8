"""The search in stages: plain first, then, for what is hard, row prices and searches with them.

Nearly every problem ends within the first steps. One that does not, and may have deep trees, gains more
from a bound on every subset (``_prices.py``) than from more steps. How much is worth spending on prices
cannot be known before, so stages of pricing and searching grow in turn: the whole costs a small multiple of
the better choice. Figures: docs/decisions/row-prices.md.

With a limit on leaves a stage is a search without it, then the front (``search/leaf_limit.hpp``). The front
ends most problems by itself, so its first stage is long; where the limit hardly binds, the search without it
and with prices is the quicker one, so later stages give each a half. A limit that cannot bind is dropped.

Where leaves have no price, the least loss is proven first, and the fewest leaves of a tree with that loss in a
search of its own after it: if it is stopped, the loss stays proven.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from treewright._native import core
from treewright.search._limits import Limits, Progress, ProgressCallback, native_report
from treewright.search._options import SearchOptions
from treewright.search._prices import PriceLimits, PriceLoop

__all__ = ["search_in_phases"]

GROWTH = (
    5  # each stage may do this many times the steps of the one before, so restarts cost a quarter at most
)
# The first stage, in plain steps. Past 1, so that the lattice is tried before prices are made; with a limit on leaves
# long: 2 took three times as long on tic-tac-toe with 12 and 20 leaves, and 10 half as long again on compas.
FIRST_STAGE, FIRST_STAGE_WITH_LEAF_LIMIT = 2, 10
LEAST_DEPTH = 6  # with fewer splits on a path the plain search ends sooner than prices are made
MOST_CELLS = 100_000  # distinct rows x columns: above, prices cost more than they gave (docs/decisions)
SHARE_OF_TIME = 0.35
LEAST_SECONDS = 0.5  # with less for prices than SciPy takes to load and a first round to end, none are made
LEAST_SHARE = 0.5  # prices are given up if they prove less than this share of what the search proved
WORK_PER_STEP = 30  # conjunctions visited for the prices of a stage, for each step of the stage before
MOST_WORK = 60_000_000  # conjunctions visited for prices in all


def search_in_phases(
    bits: core.BitsProblem,
    *,
    max_depth: int,
    max_leaves: int,
    options: SearchOptions,
    limits: Limits,
    unit: float,
    progress: ProgressCallback | None,
    fewest_leaves: bool = True,
    start: float | None = None,
) -> dict[str, Any]:
    """Search `bits` and return what its ``search`` returns, and what is known of the row prices.

    Parameters
    ----------
    bits : BitsProblem
    max_depth, max_leaves : int
        As the compiled core takes them: -1 and 0 for no limit.
    options : SearchOptions
    limits : Limits
        Of all phases together.
    unit : float
        Objective of one weight unit.
    progress : callable or None
    fewest_leaves : bool, default=True
        Whether the fewest leaves are searched for where they have no price. The answer's ``leaves_exact`` says
        whether they are proven.
    start : float, default=None
        When the clock of the limits began, by `time.perf_counter`; None is now.
    """
    start = time.perf_counter() if start is None else start
    known: dict[str, Any] = {
        "row_price_bound": None,
        "row_price_seconds": 0.0,
        "row_price_rounds": 0,
        "leaves_exact": bits.leaf_price > 0,
    }
    if max_leaves >= bits.n_rows or 0 <= max_depth < max_leaves.bit_length():
        max_leaves = 0  # no tree has more than a leaf for each distinct row, nor than 2 ** max_depth
    native = limits.native()
    arguments: dict[str, Any] = {
        "max_depth": max_depth,
        "max_leaves": max_leaves,
        "options": options.native(),
        "memory_limit": native["memory_limit"],
    }
    seconds, steps = native["time_limit"], native["step_limit"]
    may_price = (
        options.row_prices
        and bits.leaf_price > 0
        and (max_depth < 0 or max_depth >= LEAST_DEPTH)
        and bits.n_rows * bits.n_columns <= MOST_CELLS
        and steps > FIRST_STAGE * options.plain_steps
        and SHARE_OF_TIME * seconds >= LEAST_SECONDS
    )
    loop: PriceLoop | None = None
    stage_steps = (FIRST_STAGE_WITH_LEAF_LIMIT if max_leaves else FIRST_STAGE) * options.plain_steps
    n_priced = 0
    last = not may_price
    with _tree_outlives_interrupt(known, start):
        while True:
            spent = time.perf_counter() - start
            found: dict[str, Any] = bits.search(
                prices=None if loop is None or not loop.bound else loop.certified,
                fewest_leaves=False,
                time_limit=max(seconds - spent, 1e-3),
                step_limit=steps - known.get("steps", 0) if last else stage_steps,
                report=native_report(_after(progress, known, spent, unit), unit),
                **arguments,
            )
            known |= _merged(known, found, spent)
            if found["leaf_limit_is_slack"]:  # no tree of more leaves is as good as the one known
                arguments |= {"max_leaves": 0, "options": options.native()}
                continue
            if known["exact"] and fewest_leaves and bits.can_count_leaves:
                _count_leaves(bits, known, limits, unit, progress, start, arguments)
            if last or known["exact"] or found["stop"] != core.Stop.STEPS:
                return known

            # Prices for the next stage.
            plain_bound = known["lower_bound"]
            arguments["options"].lattice = False  # tried by now
            loop = loop or PriceLoop(bits, None if max_depth < 0 else max_depth)
            priced = loop.run(
                PriceLimits(
                    seconds=max(SHARE_OF_TIME * seconds - loop.seconds, 0.0),
                    work=min(WORK_PER_STEP * stage_steps, MOST_WORK - loop.work),
                ),
                known_bound=known["lower_bound"],
                watch=_watch(progress, unit, known, start),
            )
            known |= {
                "row_price_bound": priced.bound,
                "row_price_seconds": priced.seconds,
                "row_price_rounds": priced.rounds,
                "lower_bound": min(known["upper_bound"], max(known["lower_bound"], priced.bound)),
            }
            if priced.interrupted or priced.stopped:
                known["stop"] = core.Stop.INTERRUPT if priced.interrupted else core.Stop.CALLBACK
                known["seconds"] = time.perf_counter() - start
                return known
            stage_steps *= GROWTH
            n_priced += 1
            worth = priced.bound - bits.base_cost >= LEAST_SHARE * (plain_bound - bits.base_cost)
            if n_priced > 1 and not worth:  # the search proves more by itself
                loop, last = None, True
                continue
            if arguments["max_leaves"]:  # half for the search without the limit, which alone can use prices
                arguments["options"].plain_steps = stage_steps // 2
            last = (
                loop.is_done(known["lower_bound"])
                or loop.work >= MOST_WORK
                or loop.seconds >= 0.99 * SHARE_OF_TIME * seconds
                or known["steps"] + stage_steps >= steps
            )
    return known


def _count_leaves(
    bits: core.BitsProblem,
    known: dict[str, Any],
    limits: Limits,
    unit: float,
    progress: ProgressCallback | None,
    start: float,
    arguments: dict[str, Any],
) -> None:
    """Search the fewest leaves with the least loss, which is known, in what is left of the limits."""
    if known["shape"].count(-1) == 1:
        known["leaves_exact"] = True
        return
    native = limits.native()
    spent = time.perf_counter() - start
    if spent >= native["time_limit"] or known["steps"] >= native["step_limit"]:
        return
    found = bits.search(
        prices=None,
        fewest_leaves=True,
        time_limit=native["time_limit"] - spent,
        step_limit=native["step_limit"] - known["steps"],
        report=native_report(_after(progress, known, spent, unit), unit),
        **arguments,
    )
    known["leaves_exact"] = found["exact"]
    if found["upper_bound"] <= known["upper_bound"] and found["shape"].count(-1) < known["shape"].count(-1):
        known["shape"] = found["shape"]
    known["seconds"] = time.perf_counter() - start
    known["steps"] += found["steps"]
    for name in ("bytes", "cache_entries", "cache_shed"):
        known[name] = max(known[name], found[name])


@contextmanager
def _tree_outlives_interrupt(known: dict[str, Any], start: float) -> Iterator[None]:
    """Turn Ctrl-C between two stages into an answer once there is a tree; inside of a stage the answer has it."""
    try:
        yield
    except KeyboardInterrupt:
        if "shape" not in known:
            raise
        known |= {"stop": core.Stop.INTERRUPT, "seconds": time.perf_counter() - start}


def _merged(known: dict[str, Any], found: dict[str, Any], spent: float) -> dict[str, Any]:
    """Return the last stage's answer with the better bounds and tree of all."""
    out = {**known, **found}
    out["seconds"] = spent + found["seconds"]
    if "shape" not in known:
        return out
    if known["upper_bound"] <= found["upper_bound"]:  # the first: it keeps a limit on leaves
        out |= {name: known[name] for name in ("shape", "upper_bound", "feasible")}
    out["lower_bound"] = min(out["upper_bound"], max(known["lower_bound"], found["lower_bound"]))
    out["steps"] = known["steps"] + found["steps"]
    for name in ("bytes", "cache_entries", "cache_shed"):
        out[name] = max(known[name], found[name])
    return out


def _watch(progress: ProgressCallback | None, unit: float, known: dict[str, Any], start: float) -> Any:
    """Return a callback for the rounds of the prices that tells `progress` where the whole search stands."""
    if progress is None:
        return None

    def watch(bound: float) -> Any:
        best = known["upper_bound"]
        return progress(
            Progress(
                time.perf_counter() - start,
                best * unit if known["feasible"] else math.inf,
                min(best, max(bound, known["lower_bound"])) * unit,
                known["steps"],
                known["bytes"],
            )
        )

    return watch


def _after(
    progress: ProgressCallback | None, known: dict[str, Any], spent: float, unit: float
) -> ProgressCallback | None:
    """Return `progress` for one stage: seconds, steps and bounds go on from the stages before."""
    if progress is None or "shape" not in known:
        return progress
    best = known["upper_bound"] * unit if known["feasible"] else math.inf
    least = known["lower_bound"] * unit

    def report(now: Progress) -> Any:
        objective = min(now.objective, best)
        bound = min(objective, max(now.lower_bound, least))
        return progress(
            Progress(now.seconds + spent, objective, bound, now.subproblems + known["steps"], now.memory)
        )

    return report
