"""The results of `latent ensemble` as tables, errors of every method and comparisons, and those of `latent kernels`."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log
from statistics import fmean, stdev
from typing import Any

from benchmarks._tables import format_table

__all__ = ["ensemble_tables", "kernel_tables"]

Row = dict[str, Any]
OURS = "sum of ten"
LARGE = 2.0  # standard errors
KEPT = "bytes kept for backward / (4 n |T|)"


def ensemble_tables(rows: Sequence[Row]) -> list[str]:
    """Return the errors, a row a data set, and the comparisons, a row a method."""
    by = {(row["data"], row["method"]): row for row in rows if "errors" in row}
    names = list(dict.fromkeys(row["data"] for row in rows))
    methods = list(dict.fromkeys(row["method"] for row in rows))
    errors = [
        [name, *(_cell(by.get((name, method))) for method in methods)]
        for name in names
        if any((name, method) in by for method in methods)
    ]
    compared = []
    for method in methods:
        if method != OURS:
            pairs = [
                (by[name, OURS], by[name, method])
                for name in names
                if {(name, OURS), (name, method)} <= by.keys()
            ]
            compared.append([method, *_compared(pairs)])
    heads = [
        OURS,
        "data sets",
        "smaller error",
        "by > 2 s.e.",
        "larger error",
        "by > 2 s.e.",
        "error / error",
    ]
    heads[0] = f"{OURS} beside"
    return [format_table(["data", *methods], errors), format_table(heads, compared)]


def _cell(row: Row | None) -> str:
    if row is None:
        return "-"
    deviation = row["standard error"]
    spread = "" if deviation is None else f" ± {deviation:.4f}"
    return f"{row['error']:.4f}{spread} ({row['splits']})"


def _compared(pairs: Sequence[tuple[Row, Row]]) -> list[str]:
    """Count data sets of smaller and larger error, and give the geometric mean of the ratio to the other error."""
    smaller, much_smaller, larger, much_larger, ratios = 0, 0, 0, 0, []
    for ours, theirs in pairs:
        seeds = ours["errors"].keys() & theirs["errors"].keys()
        less = [ours["errors"][seed] - theirs["errors"][seed] for seed in seeds]
        if not less:
            continue
        mean = fmean(less)
        spread = stdev(less) / len(less) ** 0.5 if len(less) > 1 else float("inf")
        smaller, larger = smaller + (mean < 0), larger + (mean > 0)
        much_smaller, much_larger = (
            much_smaller + (mean < -LARGE * spread),
            much_larger + (mean > LARGE * spread),
        )
        own, other = (fmean(row["errors"][seed] for seed in seeds) for row in (ours, theirs))
        if own > 0 and other > 0:
            ratios.append(log(own / other))
    ratio = f"{exp(fmean(ratios)):.2f}" if ratios else "-"
    return [str(n) for n in (len(pairs), smaller, much_smaller, larger, much_larger)] + [ratio]


def kernel_tables(rows: Sequence[Row]) -> list[str]:
    """Return the milliseconds of each call and the memory for the backward pass, one line a size of batch and tree."""
    names = list(
        dict.fromkeys(name for row in rows for name, value in row.items() if isinstance(value, dict))
    )
    lines = [
        [
            str(row["n"]),
            str(row["depth"]),
            *(f"{row[name]['cpu_ms']:.3g}" if name in row else "" for name in names),
            f"{2 * row[KEPT]:.2f}",
        ]
        for row in rows
    ]
    return [format_table(["rows", "depth", *names, "bytes kept for the backward pass / (2 n nodes)"], lines)]
