"""Rows as CSV text, on request without cells that a spreadsheet would run as formulas."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

__all__ = ["csv_text", "runs_as_formula"]

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")


def csv_text(rows: Iterable[Sequence[Any]], spreadsheet_safe: bool = False) -> str:
    """Return rows as CSV; with `spreadsheet_safe` no cell of text begins as a formula does."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([list(map(_harmless, row)) for row in rows] if spreadsheet_safe else rows)
    return text.getvalue()


def runs_as_formula(cell: Any) -> bool:
    """Whether a spreadsheet takes a cell for a formula; numbers are none."""
    if not isinstance(cell, str) or not cell.lstrip().startswith(FORMULA_STARTS):
        return False
    try:
        float(cell)
    except ValueError:
        return True
    return False


def _harmless(cell: Any) -> Any:
    return f"'{cell}" if runs_as_formula(cell) else cell
