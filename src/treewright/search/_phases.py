"""The search in phases: plain first, then, for what is hard, row prices and the search with them.

Nearly every problem ends within the first steps. One that does not, and may have deep trees, gains more from a bound on
every subset (``_prices.py``) than from more steps. Figures: docs/decisions/row-prices.md.
"""

from __future__ import annotations

import math
import time
from typing import Any

from treewright._native import core
from treewright.search._limits import Limits, Progress, ProgressCallback, native_report
from treewright.search._options import SearchOptions
from treewright.search._prices import PriceLimits, RowPrices, row_prices

__all__ = ["search_in_phases"]

PLAIN_STEPS = 20_000
LEAST_DEPTH = 6  # with fewer splits on a path the plain search ends sooner than prices are made
MOST_CELLS = 20_000_000  # distinct rows x columns that prices are made for
SHARE_OF_TIME = 0.35
MOST_SECONDS = 120.0
WORK_PER_STEP = 30  # conjunctions visited for each step allowed


def search_in_phases(
    bits: core.BitsProblem,
    *,
    max_depth: int,
    max_leaves: int,
    options: SearchOptions,
    limits: Limits,
    unit: float,
    progress: ProgressCallback | None,
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
    """
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
        and steps > PLAIN_STEPS
    )
    start = time.perf_counter()
    first: dict[str, Any] = bits.search(
        prices=None,
        time_limit=seconds,
        step_limit=PLAIN_STEPS if may_price else steps,
        report=native_report(progress, unit),
        **arguments,
    )
    first |= {"row_price_bound": None, "row_price_seconds": 0.0, "row_price_rounds": 0}
    if not may_price or first["exact"] or first["stop"] != core.Stop.STEPS:
        return first

    # Prices.
    left = seconds - (time.perf_counter() - start)
    priced = row_prices(
        bits,
        max_depth=None if max_depth < 0 else max_depth,
        limits=PriceLimits(
            seconds=min(SHARE_OF_TIME * left, MOST_SECONDS),
            work=min(PriceLimits.work, WORK_PER_STEP * (steps - first["steps"])),
        ),
        known_bound=first["lower_bound"],
        watch=_watch(progress, unit, first, start),
    )
    first["row_price_bound"] = priced.bound
    first["row_price_seconds"] = priced.seconds
    first["row_price_rounds"] = priced.rounds
    first["lower_bound"] = min(first["upper_bound"], max(first["lower_bound"], priced.bound))
    if priced.interrupted or priced.stopped:
        first["stop"] = core.Stop.INTERRUPT if priced.interrupted else core.Stop.CALLBACK
        first["seconds"] = time.perf_counter() - start
        return first

    # The search with prices.
    spent = time.perf_counter() - start
    second: dict[str, Any] = bits.search(
        prices=_or_none(priced),
        time_limit=max(seconds - spent, 1e-3),
        step_limit=steps - first["steps"],
        report=native_report(_after(progress, first, spent, unit), unit),
        **arguments,
    )
    return _merged(first, second, spent)


def _or_none(priced: RowPrices) -> Any:
    return priced.prices if priced.prices.any() else None


def _merged(first: dict[str, Any], second: dict[str, Any], spent: float) -> dict[str, Any]:
    """Return the second phase's answer with the better bounds and tree of both."""
    out = {**first, **second}
    if first["upper_bound"] < second["upper_bound"]:
        out |= {name: first[name] for name in ("shape", "upper_bound", "feasible")}
    out["lower_bound"] = min(out["upper_bound"], max(first["lower_bound"], second["lower_bound"]))
    out["steps"] = first["steps"] + second["steps"]
    out["seconds"] = spent + second["seconds"]
    for name in ("bytes", "cache_entries", "cache_shed"):
        out[name] = max(first[name], second[name])
    return out


def _watch(progress: ProgressCallback | None, unit: float, first: dict[str, Any], start: float) -> Any:
    """Return a callback for the rounds of the prices that tells `progress` where the whole search stands."""
    if progress is None:
        return None

    def watch(_: float, bound: float) -> Any:
        best = max(bound, first["lower_bound"])
        return progress(
            Progress(
                time.perf_counter() - start,
                first["upper_bound"] * unit if first["feasible"] else math.inf,
                min(best, first["upper_bound"]) * unit,
                first["steps"],
                first["bytes"],
            )
        )

    return watch


def _after(
    progress: ProgressCallback | None, first: dict[str, Any], spent: float, unit: float
) -> ProgressCallback | None:
    """Return `progress` for the last phase: seconds, steps and bounds go on from the phases before."""
    if progress is None:
        return None
    best = first["upper_bound"] * unit if first["feasible"] else math.inf

    def report(now: Progress) -> Any:
        objective = min(now.objective, best)
        bound = min(objective, max(now.lower_bound, first["lower_bound"] * unit))
        return progress(
            Progress(now.seconds + spent, objective, bound, now.subproblems + first["steps"], now.memory)
        )

    return report
