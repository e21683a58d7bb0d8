"""A target that is the time between two dates of the table: the later date is known only at the end.

A table for a survival tree often keeps the first and the last day of each row beside the days between them. A tree that
may split on both computes the target from them. Dates are compared as ages in days; the target may be in other units
and rounded, so the correlation must only be close to 1. The cost is one pass over the rows for each pair of dates.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from treewright.table._finding import Finding
from treewright.table._table import Table

__all__ = ["of_elapsed"]

AGE = re.compile(r"^(?P<date>.*) \(age in days on (?P<day>\d{4}-\d\d-\d\d)\)$")
FEWEST_ROWS = 20
ROUNDED = 0.999  # least correlation: days written as whole months have 0.9998


def of_elapsed(table: Table, times: NDArray[np.float64], target: str) -> Iterator[Finding]:
    """Yield a finding for each date that gives the target together with an earlier date.

    Parameters
    ----------
    table : Table
    times : ndarray of shape (n_rows,)
    target : str
        Name of the column of times.

    Yields
    ------
    Finding
        About the later date.
    """
    dates = [(column.name, match, x) for column, x in zip(table.columns, table.X.T, strict=True)
             if (match := AGE.match(column.name)) is not None]  # fmt: skip
    for (name, match, age), (other, other_match, other_age) in itertools.combinations(dates, 2):
        day, other_day = (np.datetime64(own["day"]) for own in (match, other_match))
        elapsed = (age - other_age) + float((other_day - day).astype(np.int64))
        known = ~np.isnan(elapsed) & ~np.isnan(times)
        if known.sum() < FEWEST_ROWS or elapsed[known].std() == 0 or times[known].std() == 0:
            continue
        if abs(float(np.corrcoef(elapsed[known], times[known])[0, 1])) < ROUNDED:
            continue
        first = match["date"] if elapsed[known].mean() > 0 else other_match["date"]
        last = other if elapsed[known].mean() > 0 else name
        text = (
            f"{last} is the end of a time that begins with {first}, and {target} is this time: a tree that splits on "
            "both computes the target from them. The end is known only with the outcome. Leave it out."
        )
        yield Finding(last, text, "ignore", last)
