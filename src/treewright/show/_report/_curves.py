"""Survival curves as a picture of the page: steps, each with the number of its leaf at its end."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from treewright.show._report._axis import round_scale
from treewright.survival import SurvivalCurve

__all__ = ["Curve", "Curves", "draw_curves"]

WIDTH, HEIGHT = 700.0, 320.0
LEFT, RIGHT, TOP, BOTTOM = 64.0, 76.0, 14.0, 44.0  # margins for the axes and the names of the curves
COLOURS = 6  # in the styles of the page
MOST = 2 * COLOURS  # each colour once whole and once dashed
APART = 13.0  # between two names


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
    """Place the curves up to the time `last`; of more than twelve those of the most rows."""
    kept = sorted(curves, key=lambda named: -_rows(named[1]))[:MOST]
    drawn = [named for named in curves if any(named is each for each in kept)]
    until, step = round_scale(last) if last > 0 else (1.0, 1.0)

    def across(time: float) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * time / until, 1)

    def down(share: float) -> float:
        return round(TOP + (HEIGHT - TOP - BOTTOM) * (1 - share), 1)

    ends = [float(curve.survival[-1]) if len(curve.survival) else 1.0 for _, curve in drawn]
    places = _spread([down(end) for end in ends])
    lines = []
    for k, ((name, curve), y) in enumerate(zip(drawn, places, strict=True)):
        steps = zip(curve.times.tolist(), curve.survival.tolist(), strict=True)
        path = f"M{across(0)} {down(1)}" + "".join(
            f"H{across(t)}V{down(s)}" for t, s in _thinned(list(steps))
        )
        end = across(float(curve.times[-1])) if len(curve.times) else across(last)
        path += f"H{end}" if not len(curve.times) else ""
        look = f"curve-{k % COLOURS}" + (" dashed" if k >= COLOURS else "")
        lines.append(Curve(name, look, path, end, y))
    x_ticks = tuple((across(k * step), f"{k * step:,.6g}") for k in range(round(until / step) + 1))
    y_ticks = tuple((down(k / 4), f"{25 * k}%") for k in range(5))
    most = "" if len(drawn) == len(curves) else f" The {len(drawn)} leaves with the most rows."
    caption = (
        "Share of the training rows of each leaf that is without the event, over time (Kaplan and Meier 1958). A curve "
        f"ends at the last event of its leaf.{most}"
    )
    name = "Survival curves of the leaves; shares and their intervals are in the table below."
    return Curves(tuple(lines), x_ticks, y_ticks, name, f"time ({unit})" if unit else "time", caption)


def _rows(curve: SurvivalCurve) -> float:
    return float(curve.at_risk[0]) if len(curve.at_risk) else 0.0


def _thinned(steps: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """At most some hundred steps, the last among them: more are finer than the picture."""
    every = max(1, math.ceil(len(steps) / 300))
    return steps[every - 1 :: every] if len(steps) % every == 0 else [*steps[every - 1 :: every], steps[-1]]


def _spread(places: list[float]) -> list[float]:
    """Move places apart where they are nearer than two lines of text, as little as their order allows."""
    order = np.argsort(places, kind="stable")
    moved = list(places)
    lowest = HEIGHT - BOTTOM
    for before, after in itertools.pairwise(order):
        moved[after] = max(moved[after], moved[before] + APART)
    for after in reversed(order):  # back into the picture
        moved[after] = min(moved[after], lowest)
        lowest = moved[after] - APART
    return [round(place, 1) for place in moved]
