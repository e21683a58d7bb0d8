"""Names of survival curves stand at the ends of their curves, in their colour, and never one on another."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest

from task_reports import page_of_task
from treewright.show._report._curves import ABOVE_AXIS, APART, BOTTOM, CLEAR, HEIGHT, LETTER, TOP, draw_curves
from treewright.survival import kaplan_meier


def curves_of(seed, n):
    rng = np.random.default_rng(seed)
    for k in range(n):
        rows, last = int(rng.integers(8, 60)), rng.uniform(2, 20)
        yield f"leaf {k + 1}", kaplan_meier(np.ones(rows, dtype=bool), rng.uniform(0, last, rows))


def test_a_name_whose_curve_ends_elsewhere_stays():
    long = np.linspace(0.1, 20, 40)
    drawn = draw_curves([(f"leaf {k}", kaplan_meier(long > 0, long / k)) for k in (1, 2, 5)], 20.0, "")
    for line in drawn.lines:  # all end at 0, side by side
        assert line.name_y == HEIGHT - BOTTOM - ABOVE_AXIS
    assert len({line.end_x for line in drawn.lines}) == 3


@pytest.mark.parametrize("n", [2, 5, 12])
@pytest.mark.parametrize("seed", range(6))
def test_names_do_not_cover_each_other(seed, n):
    lines = draw_curves(list(curves_of(seed, n)), 20.0, "days").lines
    for a, b in itertools.combinations(lines, 2):
        beside = abs(a.end_x - b.end_x) >= LETTER * len(min((a, b), key=lambda c: c.end_x).name)
        assert beside or abs(a.name_y - b.name_y) >= APART - 0.11
    assert all(TOP <= line.name_y <= HEIGHT - BOTTOM - ABOVE_AXIS for line in lines)


def test_a_name_has_the_colour_of_its_curve():
    page = page_of_task("survival")
    curves = re.findall(r'<path class="curve (curve-\d[^"]*)"', page)
    assert curves
    assert re.findall(r'<text class="curve-name (curve-\d[^"]*)"', page) == curves
    assert re.search(r"\.curve-name \{[^}]*fill: var\(--curve\)", page)


def test_a_name_stands_beside_the_line_of_a_longer_curve():
    early = np.arange(1.0, 9)
    drawn = draw_curves(
        [
            (
                "leaf 1",
                kaplan_meier(np.arange(10) < 8, np.r_[early, 8.1, 8.1]),
            ),  # ends at a fifth of its rows
            ("leaf 2", kaplan_meier(np.arange(10) < 9, np.r_[early, 15, 16])),  # and goes on from there
        ],
        16.0,
        "",
    )
    first = drawn.lines[0]
    behind = [float(y) for y in re.findall(r"V([\d.]+)", drawn.lines[1].path)][
        -2
    ]  # where the long one passes
    assert abs(first.name_y - behind) >= CLEAR


def test_rows_that_are_censored_late_do_not_push_the_curves_to_the_left():
    """Of a leaf without events, the caption said that its curve ends at the last event; it went on to the last row."""
    curves = [
        ("leaf 1", kaplan_meier(np.zeros(9, dtype=bool), np.arange(9.0) * 1000)),
        ("leaf 2", kaplan_meier(np.ones(9, dtype=bool), np.arange(1.0, 10))),
    ]
    drawn = draw_curves(curves, 8000.0, "")
    assert drawn.x_ticks[-1][1] == "10"
    assert drawn.lines[0].end_x == drawn.lines[1].end_x
    assert drawn.caption.endswith("at the last event of its leaf; of a leaf without events it goes on.")
    assert draw_curves(curves[1:], 8000.0, "").caption.endswith("at the last event of its leaf.")
    assert draw_curves(curves[:1], 8000.0, "").x_ticks[-1][1] == "8,000"
