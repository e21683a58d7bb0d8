"""One row of a comparison: the same problem to several solvers, and what the answers say about each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks._data import Dataset
from benchmarks._harness import Harness, Job
from benchmarks._tables import (
    factor,
    finished,
    format_table,
    show_depth,
    show_seconds,
    summary_cell,
    tells_factor,
)

__all__ = ["Settings", "clocked", "compare", "disagreements", "print_comparison", "speed_lines"]

OURS = "treewright"
TOLERANCE = 1e-6


@dataclass(frozen=True)
class Settings:
    """How a comparison is run.

    Parameters
    ----------
    solvers : tuple of str
    time_limits : dict
        Seconds a solver; `default` for those not named.
    repetitions : int
    options : dict of dict
        Options a solver.
    """

    solvers: tuple[str, ...]
    time_limits: dict[str, float]
    repetitions: int = 5
    options: dict[str, dict[str, Any]] = field(default_factory=dict)

    def job(self, solver: str, dataset: Dataset, cost_complexity: float, max_depth: int | None) -> Job:
        """Return the job of one solver."""
        limit = self.time_limits.get(solver, self.time_limits["default"])
        options = self.options.get(solver, {})
        return Job(solver, dataset, cost_complexity, max_depth, limit, self.repetitions, options)


def compare(
    harness: Harness,
    settings: Settings,
    dataset: Dataset,
    cost_complexity: float,
    max_depth: int | None,
    **known: Any,
) -> dict[str, Any]:
    """Run every solver on one problem and return the row, with what is `known` (a reference value) in it."""
    answers = []
    for solver in settings.solvers:
        if solver == "dl85" and (cost_complexity > 0 or max_depth is None):
            continue  # it knows no price of a leaf
        if solver == "gosdt" and cost_complexity == 0:
            continue  # made for a price; without one it has no bound on depth
        answers.append(harness.run(settings.job(solver, dataset, cost_complexity, max_depth)))
    return {
        "data": dataset.name,
        "sha256": dataset.sha256,
        "n_rows": dataset.n_rows,
        "n_columns": dataset.n_columns,
        "cost_complexity": cost_complexity,
        "max_depth": max_depth,
        **known,
        "answers": answers,
    }


def clocked(rows: Sequence[dict[str, Any]], clock: str) -> list[dict[str, Any]]:
    """Return the rows with CPU seconds in place of wall seconds if `clock` is "cpu": for printing only.

    Every solver here runs on one thread, so on an idle machine the two agree; on a shared one only CPU
    seconds mean something.
    """
    if clock not in ("wall", "cpu"):
        raise ValueError(f"clock={clock!r}: give 'wall' or 'cpu'.")
    if clock == "wall":
        return list(rows)
    return [
        {
            **row,
            "answers": [
                {**a, "wall_seconds": a["cpu_seconds"]} if "cpu_seconds" in a else a for a in row["answers"]
            ],
        }
        for row in rows
    ]


def answer_of(row: dict[str, Any], solver: str) -> dict[str, Any] | None:
    """Return the answer of `solver` in a row, or None."""
    return next((a for a in row["answers"] if a["solver"] == solver), None)


def best_value(row: dict[str, Any]) -> float | None:
    """Smallest objective that anybody reached, or the reference value if the row has one."""
    if row.get("reference") is not None:
        return float(row["reference"])
    values = [a["objective"] for a in row["answers"] if "objective" in a]
    return min(values) if values else None


def print_comparison(rows: Sequence[dict[str, Any]], solvers: Sequence[str]) -> str:
    """Return the table of a comparison: seconds (and what is unproven) a solver, then the factors."""
    peers = [s for s in solvers if s != OURS]
    header = ["data", "rows", "columns", "cost", "depth", "best", *(f"{s} s" for s in solvers), *peers]
    lines = []
    for row in rows:
        best = best_value(row)
        cells: list[object] = [row["data"], row["n_rows"], row["n_columns"], f"{row['cost_complexity']:g}"]
        cells += [show_depth(row["max_depth"]), "-" if best is None else f"{best:.6f}"]
        cells += [summary_cell(answer_of(row, s), best) for s in solvers]
        cells += [tells_factor(factor(answer_of(row, OURS), answer_of(row, s))) for s in peers]
        lines.append(cells)
    return format_table(header, lines)


def disagreements(rows: Iterable[dict[str, Any]]) -> list[str]:
    """Return a line for every proven value that differs from the reference, or from another proven value."""
    found = []
    for row in rows:
        proven = {a["solver"]: a["objective"] for a in row["answers"] if finished(a)}
        best = best_value(row)
        if best is None:
            continue
        for solver, value in proven.items():
            if abs(value - best) > TOLERANCE:
                where = f"{row['data']} {row['cost_complexity']:g} depth {show_depth(row['max_depth'])}"
                found.append(f"{where}: {solver} says {value:.9f} is optimal; {best:.9f} is reached")
    return found


def speed_lines(
    rows: Iterable[dict[str, Any]],
    peers: Sequence[str],
    at_least: float,
    when_over: float,
) -> list[str]:
    """Check "at least `at_least` times faster than the best of `peers` where that takes over `when_over` s".

    Returns
    -------
    list of str
        One line with the counts and the smallest factor, then one line for every row that misses it, and for
        every row that is undecided: the peer did not finish, and the time it had is too short to tell.
    """
    rows = list(rows)
    if not any(best_peer(row, peers) for row in rows):
        return []  # none of them was run
    met, smallest, missed, undecided = 0, float("inf"), [], []
    for row in rows:
        ours, pick = answer_of(row, OURS), best_peer(row, peers)
        if ours is None or pick is None or (finished(pick) and pick["wall_seconds"] <= when_over):
            continue
        where = f"{row['data']} {row['cost_complexity']:g} depth {show_depth(row['max_depth'])}"
        pair = factor(ours, pick)
        if pair is None:
            if finished(pick):
                seconds = show_seconds(pick["wall_seconds"])
                missed.append(f"  missed: {where}: {pick['solver']} proved it in {seconds} s, we did not")
            continue
        smallest = min(smallest, pair[0])
        what = f"{where}: {tells_factor(pair)} {pick['solver']}"
        if pair[0] >= at_least:
            met += 1
        elif pair[1]:
            undecided.append(f"  undecided: {what}, which had too little time to tell")
        else:
            missed.append(f"  missed: {what}")
    goal = f"at least {at_least:g}x faster than {' / '.join(peers)} where over {when_over:g} s"
    head = f"{goal}: {met} rows met, {len(missed)} missed, {len(undecided)} undecided"
    return [
        head + (f"; smallest factor {smallest:.3g}" if smallest < float("inf") else ""),
        *missed,
        *undecided,
    ]


def best_peer(row: dict[str, Any], peers: Sequence[str]) -> dict[str, Any] | None:
    """Return the fastest proven answer of `peers`, else one that did not finish, else None."""
    answers = [a for a in (answer_of(row, p) for p in peers) if a is not None]
    done = [a for a in answers if finished(a)]
    if done:
        return min(done, key=lambda a: float(a["wall_seconds"]))
    return answers[0] if answers else None
