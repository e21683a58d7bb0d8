"""Survival curves as a picture of the page: steps, each with the number of its leaf at its end."""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from treewright.show._report._axis import round_scale
from treewright.survival import SurvivalCurve

__all__ = ["Curve", "Curves", "draw_curves"]

WIDTH, HEIGHT = 700.0, 320.0
LEFT, RIGHT, TOP, BOTTOM = 64.0, 76.0, 14.0, 44.0  # margins for the axes and the names of the curves
COLOURS = 6  # in the styles of the page
MOST = 2 * COLOURS  # each colour once whole and once dashed
APART = 19.0  # between two names, one above the other, in the letters of a phone, which are larger
ABOVE_AXIS = 6.0  # between the lowest name and the axis, below which the ticks stand
CLEAR = 11.0  # between a name and the line of another curve
LETTER = 9.5  # no letter of a name is wider, in the mean


@dataclass(frozen=True, slots=True)
class Curve:
    """One curve: its path, its name, and where the name stands."""

    name: str
    look: str
    path: str
    end_x: float
    name_y: float


@dataclass(frozen=True, slots=True)
class Curves:
    """Curves, ticks of both axes as (place, text), and what is said of them."""

    lines: tuple[Curve, ...]
    x_ticks: tuple[tuple[float, str], ...]
    y_ticks: tuple[tuple[float, str], ...]
    name: str
    axis: str
    caption: str
    width: float = WIDTH
    height: float = HEIGHT
    left: float = LEFT
    right: float = WIDTH - RIGHT
    bottom: float = HEIGHT - BOTTOM


def draw_curves(curves: Sequence[tuple[str, SurvivalCurve]], last: float, unit: str) -> Curves:
    """Place the curves up to the last event, or to the time `last` if there is none.

    Rows that are censored long after the last event would push all curves to the left. Of more than twelve curves those
    of the most rows are drawn.
    """
    kept = sorted(curves, key=lambda named: -_rows(named[1]))[:MOST]
    drawn = [named for named in curves if any(named is each for each in kept)]
    last = max((float(curve.times[-1]) for _, curve in drawn if len(curve.times)), default=last)
    until, step = round_scale(last) if last > 0 else (1.0, 1.0)

    def across(time: float) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * time / until, 1)

    def down(share: float) -> float:
        return round(TOP + (HEIGHT - TOP - BOTTOM) * (1 - share), 1)

    shares = [float(curve.survival[-1]) if len(curve.survival) else 1.0 for _, curve in drawn]
    ends = [across(float(curve.times[-1]) if len(curve.times) else last) for _, curve in drawn]
    widths = [LETTER * len(name) for name, _ in drawn]
    passing = [
        [
            down(share)
            for j, (_, other) in enumerate(drawn)
            if j != k and ends[j] > end
            for share in _levels(other, end, end + width, across)
        ]
        for k, (end, width) in enumerate(zip(ends, widths, strict=True))
    ]
    places = _spread([down(share) for share in shares], ends, widths, passing)
    lines = []
    for k, ((name, curve), end, y) in enumerate(zip(drawn, ends, places, strict=True)):
        steps = zip(curve.times.tolist(), curve.survival.tolist(), strict=True)
        path = f"M{across(0)} {down(1)}" + "".join(
            f"H{across(t)}V{down(s)}" for t, s in _thinned(list(steps))
        )
        path += f"H{end}" if not len(curve.times) else ""
        look = f"curve-{k % COLOURS}" + (" dashed" if k >= COLOURS else "")
        lines.append(Curve(name, look, path, end, y))
    x_ticks = tuple((across(k * step), f"{k * step:,.6g}") for k in range(round(until / step) + 1))
    y_ticks = tuple((down(k / 4), f"{25 * k}%") for k in range(5))
    most = "" if len(drawn) == len(curves) else f" The {len(drawn)} leaves with the most rows."
    caption = (
        "Share of the training rows of each leaf that is without the event, over time (Kaplan and Meier 1958). A curve "
        f"ends at the last event of its leaf{_without_events([curve for _, curve in drawn])}.{most}"
    )
    name = "Survival curves of the leaves; shares and their intervals are in the table below."
    return Curves(tuple(lines), x_ticks, y_ticks, name, f"time ({unit})" if unit else "time", caption)


def _without_events(curves: Sequence[SurvivalCurve]) -> str:
    return "; of a leaf without events it goes on" if any(not len(curve.times) for curve in curves) else ""


def _rows(curve: SurvivalCurve) -> float:
    return float(curve.at_risk[0]) if len(curve.at_risk) else 0.0


def _thinned(steps: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """At most some hundred steps, the last among them: more are finer than the picture."""
    every = max(1, math.ceil(len(steps) / 300))
    return steps[every - 1 :: every] if len(steps) % every == 0 else [*steps[every - 1 :: every], steps[-1]]


def _levels(curve: SurvivalCurve, start: float, end: float, across: Callable[[float], float]) -> list[float]:
    """Return the shares of a curve between two places across, the one at the start included."""
    at = [across(time) for time in curve.times.tolist()]
    first = bisect.bisect_right(at, start)
    before = float(curve.survival[first - 1]) if first else 1.0
    return [before, *curve.survival[first : bisect.bisect_right(at, end)].tolist()]


def _spread(
    places: list[float], ends: list[float], widths: list[float], passing: list[list[float]]
) -> list[float]:
    """Move names up or down, each to the free place nearest to its curve's end; names side by side stay.

    Parameters
    ----------
    places, ends : list of float
        Where the curves end, down and across.
    widths : list of float
        Of the names, which stand right of these ends.
    passing : list of list of float
        Where other curves run behind each name, down.
    """
    lowest = HEIGHT - BOTTOM - ABOVE_AXIS
    moved = list(places)
    done: list[int] = []
    for k in np.argsort(places, kind="stable").tolist():
        taken = [moved[j] for j in done if ends[j] < ends[k] + widths[k] and ends[k] < ends[j] + widths[j]]
        # The nearest free place is its own (above the axis), or just above or below a name.
        tried = [min(places[k], lowest), *(place + side for place in taken for side in (-APART, APART))]
        tried += [place + side for place in passing[k] for side in (-CLEAR, CLEAR)]
        inside = [y for y in tried if TOP <= y <= lowest]
        moved[k] = min(
            inside,
            key=lambda y: (_overlap(y, taken, APART), _overlap(y, passing[k], CLEAR), abs(y - places[k])),
        )
        done.append(k)
    return [round(place, 1) for place in moved]


def _overlap(y: float, taken: list[float], apart: float) -> float:
    """How much a name at `y` covers of its nearest neighbour; only a crowd has no free place."""
    return round(max([0.0, *(apart - abs(y - place) for place in taken)]), 6)
