"""Rows as CSV text, on request without cells that a spreadsheet would run as formulas."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

__all__ = ["csv_text"]

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")


def csv_text(rows: Iterable[Sequence[Any]], spreadsheet_safe: bool = False) -> str:
    """Return rows as CSV; with `spreadsheet_safe` no cell of text begins as a formula does."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([list(map(_harmless, row)) for row in rows] if spreadsheet_safe else rows)
    return text.getvalue()


def _harmless(cell: Any) -> Any:
    """Text that a spreadsheet takes for a formula gets an apostrophe; numbers stay numbers."""
    if not isinstance(cell, str) or not cell.lstrip().startswith(FORMULA_STARTS):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell
