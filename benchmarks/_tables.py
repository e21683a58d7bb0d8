"""Print rows as one table, and say how two answers compare."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["factor", "finished", "format_table", "show_depth", "show_seconds", "summary_cell", "tells_factor"]


def format_table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return a Markdown table with aligned columns: text left, the rest right."""
    cells = [[str(x) for x in row] for row in rows]
    for row in cells:
        if len(row) != len(header):
            raise ValueError(f"A row has {len(row)} cells, the header has {len(header)}: {row}")
    width = [max(len(row[j]) for row in [list(header), *cells]) for j in range(len(header))]
    is_text = [all(isinstance(row[j], str) for row in rows) for j in range(len(header))]

    def line(row: Sequence[str]) -> str:
        parts = [x.ljust(w) if t else x.rjust(w) for x, w, t in zip(row, width, is_text, strict=True)]
        return "| " + " | ".join(parts) + " |"

    rule = (
        "|" + "|".join("-" * (w + 1) + ("-" if t else ":") for w, t in zip(width, is_text, strict=True)) + "|"
    )
    return "\n".join([line(list(header)), rule, *(line(row) for row in cells)])


def show_depth(max_depth: int | None) -> str:
    """Return a depth limit in words."""
    return "unlimited" if max_depth is None else str(max_depth)


def show_seconds(seconds: float) -> str:
    """Return seconds with three significant digits."""
    return f"{seconds:.3g}"


def finished(answer: dict[str, Any] | None) -> bool:
    """Whether the solver says that it proved its tree."""
    return answer is not None and answer.get("status") == "optimal"


def summary_cell(answer: dict[str, Any] | None, best: float | None = None, tolerance: float = 1e-6) -> str:
    """Return seconds and status of an answer in one cell.

    A proven value above `best` is marked WRONG: the solver says optimal and it is not.
    """
    if answer is None:
        return "-"
    status = str(answer["status"])
    if "objective" not in answer:
        return status
    text = show_seconds(answer["wall_seconds"])
    off = best is not None and answer["objective"] > best + tolerance
    if status == "optimal":
        capped = any("capped" in note for note in answer.get("notes", ()))
        return text + ((" capped" if capped else " WRONG") + f" {answer['objective']:.6f}" if off else "")
    gap = answer.get("gap")
    return f"{text} {status} {answer['objective']:.6f}" + (
        f" gap {100 * gap:.1f}%" if gap is not None else ""
    )


def factor(ours: dict[str, Any] | None, theirs: dict[str, Any] | None) -> tuple[float, bool] | None:
    """Return (their seconds / our seconds, whether it is only a lower bound).

    None if we did not finish or there is nothing to compare. A peer that did not finish counts with the time
    that it had: the true factor is larger.
    """
    if ours is None or theirs is None or not finished(ours):
        return None
    if finished(theirs):
        return theirs["wall_seconds"] / ours["wall_seconds"], False
    spent = theirs.get("wall_seconds", theirs.get("process_seconds"))
    return None if spent is None else (spent / ours["wall_seconds"], True)


def tells_factor(pair: tuple[float, bool] | None) -> str:
    """Return a factor in words: "120x", ">900x"."""
    if pair is None:
        return "-"
    return f"{'>' if pair[1] else ''}{pair[0]:.3g}x"
