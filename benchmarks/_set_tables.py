"""Rows of the grid of near-optimal sets as text: a cell, a line, and what all rows of a peer come to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from benchmarks._set_order import NOT_RUN, ended
from benchmarks._tables import format_table

__all__ = ["cell", "line", "summary"]

Row = dict[str, Any]
TIMES_FASTER, TIMES_SMALLER = 10, 20
NOT_SHORT = 0.1  # seconds of a peer


def cell(answer: Row) -> list[str]:
    """Trees, seconds and megabytes of one answer, or why there are none."""
    if not ended(answer):
        return [_why(answer), "", ""]
    trees = int(answer["trees"])
    text = f"{trees:,}" if abs(trees) < 10**9 else f"{trees:.4e}"
    return [text, f"{answer['cpu_seconds']:.2f}", f"{answer['megabytes']:.0f}"]


def _why(answer: Row) -> str:
    """Why there is no count."""
    if "not_run" not in answer:
        return str(answer["error"])[:24]
    place = answer.get("follows")
    text = f"not run: {answer['not_run']}"
    if place is None:
        return text
    return f"{text} (leaf penalty {place['price']}, epsilon {place['epsilon']}, depth {place['depth']})"


def line(row: Row) -> str:
    """One row as text, for those who watch."""
    parts = [f"{a['package']}: {' / '.join(cell(a))}" for a in row["answers"]]
    return f"{row['table']} {row['price']} {row['epsilon']} depth {row['depth']} | {' | '.join(parts)}"


def summary(rows: Sequence[Row]) -> str:
    """A column for each peer: how many runs ended, equal counts, factors of seconds and memory."""
    peers = list(dict.fromkeys(a["package"] for row in rows for a in row["answers"][1:]))
    columns = [_facts(rows, peer) for peer in peers]
    names = list(columns[0]) if columns else []
    return format_table(["", *peers], [[name, *(column[name] for column in columns)] for name in names])


def _facts(rows: Sequence[Row], peer: str) -> dict[str, str]:
    """What the rows of one peer come to."""
    both = [(row["answers"][0], a) for row in rows for a in row["answers"][1:] if a["package"] == peer]
    theirs = [a for _, a in both]
    pairs = [(a, b) for a, b in both if ended(a) and ended(b)]
    long = [(a, b) for a, b in pairs if b["cpu_seconds"] > NOT_SHORT]
    faster = _at_least(long, "cpu_seconds", 1)

    def count(holds: Callable[[Row], bool]) -> str:
        return str(sum(1 for a in theirs if holds(a)))

    return {
        "sets": str(len(both)),
        "ended": count(ended),
        "did not end": count(lambda a: not ended(a) and "not_run" not in a),
        f"not run: {NOT_RUN}": count(lambda a: a.get("not_run") == NOT_RUN),
        "not run: no bound": count(lambda a: a.get("not_run", NOT_RUN) != NOT_RUN),
        "did not end here": str(sum(1 for a, _ in both if not ended(a))),
        "equal counts, of those where both ended": _of([a["trees"] == b["trees"] for a, b in pairs]),
        f"at least {TIMES_FASTER} times faster here": _of(_at_least(pairs, "cpu_seconds", TIMES_FASTER)),
        "least factor of seconds": _least(pairs, "cpu_seconds"),
        f"faster here, of those that take it more than {NOT_SHORT:g} s": _of(faster),
        "least factor of seconds among these": _least(long, "cpu_seconds"),
        f"at least {TIMES_SMALLER} times less memory here": _of(_at_least(pairs, "megabytes", TIMES_SMALLER)),
        "least factor of memory": _least(pairs, "megabytes"),
    }


def _factors(pairs: Sequence[tuple[Row, Row]], what: str) -> list[float]:
    """The peer's figure over ours; a figure of ours that is too small to be seen counts as the least that is."""
    return [theirs[what] / max(ours[what], 1e-4) for ours, theirs in pairs]


def _at_least(pairs: Sequence[tuple[Row, Row]], what: str, times: float) -> list[bool]:
    return [factor >= times for factor in _factors(pairs, what)]


def _least(pairs: Sequence[tuple[Row, Row]], what: str) -> str:
    return f"{min(_factors(pairs, what)):.2f}" if pairs else "-"


def _of(said: Sequence[bool]) -> str:
    return f"{sum(said)} of {len(said)}"
