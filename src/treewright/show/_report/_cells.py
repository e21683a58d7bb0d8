"""Tables as data: what a task says about its rows, before a template writes it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from treewright.show._report._counts import Count
from treewright.show._report._estimates import Estimate, numbers_of
from treewright.show._report._rules import Condition
from treewright.show._words import percent

__all__ = [
    "Bar",
    "Cell",
    "Grid",
    "Row",
    "Titled",
    "count_cells",
    "estimate_cells",
    "heads",
    "interval_cells",
    "number",
    "rate_cell",
    "share_cell",
    "share_words",
    "spread_words",
    "words",
]

INTERVAL = "95% interval"


@dataclass(frozen=True, slots=True)
class Bar:
    """An interval as a picture, in percent of its width: from `low` to `high` with a mark at `at`."""

    low: float
    high: float
    at: float


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell.

    Parameters
    ----------
    text, small : str
        `small` stands below.
    title : str
        What it is, where rows of a narrow screen are stacked.
    kind : {"words", "number", "range", "estimate", "rule", "answer"}
        "words" come from the data and break between pieces of names; an "estimate" has its interval in `small`.
    klass : int or None
        Colour of an answer; None where all have one.
    bar : Bar or None
    rule : tuple of Condition, or None
        Of the kind "rule"; None if no row can meet it.
    """

    text: str = ""
    small: str = ""
    title: str = ""
    kind: str = "words"
    klass: int | None = None
    bar: Bar | None = None
    rule: tuple[Condition, ...] | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One line: its head, the cells behind it, an id to link to, and whether it is the report's own tree."""

    head: Cell
    cells: tuple[Cell, ...]
    anchor: str = ""
    is_own: bool = False


@dataclass(frozen=True, slots=True)
class Grid:
    """A table.

    Parameters
    ----------
    caption : str
    head : tuple of Cell
        One for each column, that of the heads of rows included.
    rows : tuple of Row
    look : str
        Classes of its style.
    """

    caption: str
    head: tuple[Cell, ...]
    rows: tuple[Row, ...]
    look: str = "stack"


@dataclass(frozen=True, slots=True)
class Titled:
    """A table below a heading; an empty title has none.

    Parameters
    ----------
    title : str
        Of the page, not of the data.
    name : str
        Of the data, behind the title.
    grid : Grid
    """

    title: str
    name: str
    grid: Grid


def number(text: str, title: str, small: str = "") -> Cell:
    """Return a cell of a number."""
    return Cell(text, small, title, "number")


def words(text: str, title: str = "", small: str = "") -> Cell:
    """Return a cell of words that come from the data."""
    return Cell(text, small, title)


def heads(*texts: str) -> tuple[Cell, ...]:
    """Return the heads of columns; those that begin with a hash are of numbers."""
    return tuple(
        Cell(text.removeprefix("#"), kind="number" if text.startswith("#") else "words") for text in texts
    )


def share_words(count: Count) -> str:
    """Return a share of rows, in percent."""
    return percent(count.share) if count.rows else "no rows"


def spread_words(count: Count) -> str:
    """Return where the share may lie; nothing without rows."""
    return f"{percent(count.interval[0])} to {percent(count.interval[1])}" if count.rows else ""


def count_cells(count: Count, title: str) -> tuple[Cell, Cell]:
    """Return a share with its counts, and its interval with a picture from 0 to 100%."""
    if not count.rows:
        return number("no rows", title), Cell(title=INTERVAL, kind="range")
    low, high = (100 * end for end in count.interval)
    shown = number(share_words(count), title, f"{count.right:,} of {count.rows:,}")
    return shown, Cell(
        spread_words(count), title=INTERVAL, kind="range", bar=Bar(low, high, 100 * count.share)
    )


def share_cell(share: Estimate, title: str) -> Cell:
    """Return a share that is not of whole rows above its interval, with a picture from 0 to 100%."""
    if not share.is_known:
        return Cell("not known", title=title, kind="estimate")
    bar = Bar(100 * share.low, 100 * share.high, 100 * share.value)
    said = f"{percent(share.low)} to {percent(share.high)}"
    return Cell(percent(share.value), said, title, "estimate", bar=bar)


def rate_cell(count: Count, title: str) -> Cell:
    """Return a share of rows above its interval, with a picture from 0 to 100%."""
    if not count.rows:
        return Cell("no rows", title=title, kind="estimate")
    low, high = count.interval
    return share_cell(Estimate(count.share, low, high, count.rows), title)


def interval_cells(estimates: Sequence[Estimate]) -> list[Cell]:
    """Return the interval of each estimate, whose number stands in another cell."""
    shown = estimate_cells(estimates, INTERVAL)
    return [Cell(cell.small, title=INTERVAL, kind="range", bar=cell.bar) for cell in shown]


def estimate_cells(
    estimates: Sequence[Estimate], title: str, unit: str = "", *, scale: Sequence[Estimate] | None = None
) -> list[Cell]:
    """Return for each estimate its number above its interval; the pictures of one column have one scale.

    A single estimate has no picture: it would be the whole scale. `scale` has all estimates that are compared, if they
    stand in several columns.
    """
    compared = estimates if scale is None else scale
    ends = [end for e in compared for end in (e.low, e.high, e.value) if math.isfinite(end)]
    low, high = (min(ends), max(ends)) if ends else (0.0, 0.0)
    width = high - low
    made = []
    for estimate in estimates:
        value, said = numbers_of(estimate, unit)
        if not estimate.rows:
            made.append(Cell("no rows", title=title, kind="estimate"))
            continue
        bar = None
        if estimate.has_interval and len(compared) > 1 and 0 < width < math.inf:
            left, right, at = (
                100 * (end - low) / width for end in (estimate.low, estimate.high, estimate.value)
            )
            bar = Bar(left, right, at)
        none = estimate.reason if estimate.is_known else ""
        made.append(Cell(value, said or none, title, "estimate", bar=bar))
    return made
