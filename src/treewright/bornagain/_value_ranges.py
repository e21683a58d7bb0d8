"""The ranges around a model's numbers that a leaf may stand in, where they begin, and what no point lies within."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["Numbers", "are_near", "outside_on_the_line", "points_to_choose_from", "ranges_around"]

Numbers = NDArray[np.float64]


def ranges_around(numbers: Numbers, tolerance: float) -> tuple[Numbers, Numbers]:
    """Return from where to where values are near each number."""
    with np.errstate(over="ignore"):  # a range may reach beyond the largest number
        wide = tolerance + (1e-9 * tolerance + 4 * np.finfo(np.float64).eps * np.abs(numbers))
        return numbers - wide, numbers + wide


def are_near(values: Numbers, numbers: Numbers, tolerance: float) -> NDArray[np.bool_]:
    low, high = ranges_around(numbers, tolerance)
    return np.asarray((low <= values) & (values <= high))


def points_to_choose_from(low: Numbers, high: Numbers) -> Numbers:
    """Return where ranges begin, but for points whose ranges all hold the next point, too."""
    points, ends = np.unique(low), np.sort(high)
    over = np.searchsorted(ends, points)  # ranges that end before each point
    return np.asarray(points[np.append(over[1:] > over[:-1], True)])


def outside_on_the_line(numbers: Numbers, low: Numbers, high: Numbers, max_leaves: int) -> NDArray[np.int64]:
    """Return the rows that no choice of 1, 2, ... points holds: what so many leaves leave outside at least.

    The most rows that k points hold, by dynamic programming from the right over the numbers, whose ranges begin and end
    in their order (made wider where rounding has them otherwise, which holds no fewer rows): the first number that is
    held is best held at the end of its range, with all further ones whose ranges have begun there.
    """
    each, first, counts = np.unique(numbers, return_index=True, return_counts=True)
    begin = np.minimum.accumulate(low[first][::-1])[::-1]
    below = np.append(0, np.cumsum(counts))
    end = np.searchsorted(begin, np.maximum.accumulate(high[first]), side="right")
    held = np.zeros(len(each) + 1, dtype=np.int64)
    out = []
    for _ in range(max_leaves):
        now = np.zeros_like(held)
        for i in range(len(each) - 1, -1, -1):
            now[i] = max(now[i + 1], below[end[i]] - below[i] + held[end[i]])
        held = now
        out.append(len(numbers) - int(held[0]))
    return np.array(out)
