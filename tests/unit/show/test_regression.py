"""Regression trees in words and pictures: values that can be read, and where they lie."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from treewright.show import notebook_html, rules, to_graphviz, to_rules, to_text, tree_figure
from treewright.show._colours import DARKEST, class_colours, leaf_tint
from treewright.show._report._estimates import written
from treewright.show._values import place_of, value_words
from treewright.tree import Column, ColumnKind, Line, ThresholdSplit, grow_regression


def made(*targets):
    """A tree of one leaf for each target."""
    n = len(targets)
    splits = [None]
    for k in range(n - 1):
        splits = [*splits[:-1], ThresholdSplit(0, k + 0.5), None, None]
    return grow_regression(
        [Column("age", ColumnKind.CONTINUOUS)],
        splits,
        np.arange(n, dtype=float)[:, None],
        np.array(targets, dtype=float),
        np.ones(n),
    )


def words(tree, digits):
    return [value_words(tree, int(leaf), digits) for leaf in np.flatnonzero(tree.is_leaf)]


@pytest.mark.parametrize(
    ("targets", "digits", "expected"),
    [
        ((101_729.71, 342_628.88), 4, ["101730", "342629"]),  # no power of ten below 1e15
        ((0.1234567, 9.87654), 4, ["0.1235", "9.877"]),
        ((1000.123, 1000.456), 4, ["1000.12", "1000.46"]),  # else both were 1000
        ((-3.0, 0.0, 2.5), 6, ["-3", "0", "2.5"]),
        ((1e20, 2e20), 3, ["1e+20", "2e+20"]),
        ((1e-9, 3e-9), 3, ["1e-09", "3e-09"]),
        ((0.1 + 0.2, 7.0), None, ["0.30000000000000004", "7.0"]),
        ((5.0,), 2, ["5"]),
        ((-1.7e308, 1.7e308), 3, ["-1.7e+308", "1.7e+308"]),
    ],
)
def test_values_are_written_out_and_differ(targets, digits, expected):
    assert words(made(*targets), digits) == expected


def test_thousands_are_grouped_for_people_as_in_tables_and_not_in_what_programs_read():
    tree = made(240043.0, 1234.5, -15000.0)
    leaves = [int(leaf) for leaf in np.flatnonzero(tree.is_leaf)]
    assert [value_words(tree, leaf, 6, plain=False) for leaf in leaves] == [
        "240,043",
        "1,234.5",
        "\u221215,000",
    ]
    assert [value_words(tree, leaf, 6) for leaf in leaves] == ["240043", "1234.5", "-15000"]
    assert [written(number) for number in (240043.0, 1234.0, -15000.0)] == [
        "240,043",
        "1,234",
        "\u221215,000",
    ]
    page = notebook_html(tree)
    assert "240,043" in page
    assert "240043" not in page
    assert "240043" in to_text(tree)
    assert value_words(made([1000.0, 2.0], [1.0, 2.0]), 1, 6, plain=False) == "(1,000; 2)"


def test_text_and_rules_round_alike():
    tree = made(101_729.7099, 342_628.8788)
    assert "→ 101730  1 row" in to_text(tree)
    assert "then 101730  (1 row)" in to_rules(tree)
    assert "then 101729.7099  (1 row)" in to_rules(tree, digits=None)
    assert [rule.prediction for rule in rules(tree)] == [101_729.7099, 342_628.8788]


def test_places_run_from_the_smallest_to_the_largest_leaf():
    tree = made(10.0, 40.0, 20.0)
    assert [place_of(tree, int(k)) for k in np.flatnonzero(tree.is_leaf)] == pytest.approx([0, 1, 1 / 3])
    assert place_of(made(4.0), 0) == 0.5
    huge = made(-1.7e308, 1.7e308)
    assert [place_of(huge, int(k)) for k in np.flatnonzero(huge.is_leaf)] == [0, 1]


def test_larger_leaves_are_darker_in_every_picture():
    tree = made(10.0, 40.0, 20.0)
    leaves = [int(k) for k in np.flatnonzero(tree.is_leaf)]
    colour = class_colours(tree)[0]
    grounds = [sum(leaf_tint(tree, leaf, colour, 0.2)) for leaf in leaves]
    assert grounds[0] > grounds[2] > grounds[1]
    fills = re.findall(r'fillcolor="(#\w+)"', to_graphviz(tree))
    assert len(set(fills)) == 3
    assert DARKEST < 0.35  # beyond, grey text on it is hard to read


def test_marks_stand_where_the_values_lie():
    pytest.importorskip("matplotlib")
    from matplotlib.patches import Rectangle

    tree = made(10.0, 40.0, 20.0)
    axes = tree_figure(tree).axes[0]
    bars = [patch for patch in axes.patches if type(patch) is Rectangle]
    assert len(bars) == 2 * tree.n_leaves  # a line and a mark for each leaf
    places = []
    for line, mark in zip(bars[::2], bars[1::2], strict=True):
        places.append((mark.get_x() - line.get_x()) / (line.get_width() - mark.get_width()))
    assert places == pytest.approx([0, 1, 1 / 3])
    html = notebook_html(tree)
    assert [float(x) for x in re.findall(r'<rect class="tw-fill-0" x="([\d.]+)"', html)] == [0, 94, 31.33]
    assert "tw-bar" not in re.sub("<style>.*?</style>", "", notebook_html(made(4.0)), flags=re.DOTALL)


@pytest.mark.parametrize(
    ("n_terms", "digits", "expected"),
    [
        (1, 6, "2 + 0.1235 * (a - 3)"),
        (2, 6, "2 + 0.1235 * (a - 3) - 2 * (b + 1)"),
        (3, 3, "2 + 0.123 * (a - 3) - 2 * (b + 1) + 7 * (c\\x1b - 0)"),
        (4, 6, "2 + 0.1235 * (a - 3) - 2 * (b + 1) and 2 more terms"),
        (4, None, "2.0 + 0.123456789 * (a - 3.0) - 2.0 * (b + 1.0) + 7.0 * (c\\x1b - 0.0) + 1.0 * (d - 1.0)"),
    ],
)
def test_a_line_is_its_mean_and_its_largest_terms(n_terms, digits, expected):
    columns = [Column(name, ColumnKind.CONTINUOUS) for name in ("a", "b", "c\x1b", "d")]
    tree = grow_regression(columns, [None], np.zeros((1, 4)), np.array([2.0]), np.ones(1))
    centers, slopes = (3.0, -1.0, 0.0, 1.0), (0.123456789, -2.0, 7.0, 1.0)
    line = Line(tuple(range(n_terms)), centers[:n_terms], (slopes[:n_terms],), (0.0,), (9.0,), 2.0)
    assert words(replace(tree, lines=(line,)), digits) == [expected]
