"""Thresholds separate exactly, spreads are even, and what the label-change rule keeps and loses."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gaps import gaps_of
from treewright.binarize import midpoints
from treewright.binarize._thresholds import between, spread
from treewright.table import table_from

FINITE = st.floats(allow_nan=False, allow_infinity=False)
HUGE = 1.7976931348623157e308


@settings(deadline=None)
@given(FINITE, FINITE)
@example(5e-324, 1e-323)
@example(-5e-324, 0.0)
@example(0.0, 5e-324)
@example(-HUGE, HUGE)
@example(HUGE, np.nextafter(HUGE, 0))
@example(1.0, np.nextafter(1.0, 2))
def test_threshold_lies_between_and_is_finite(a, b):
    low, high = min(a, b), max(a, b)
    if low == high:
        return
    threshold = between(np.array([low]), np.array([high]))[0]
    assert low <= threshold < high
    assert np.isfinite(threshold)


def test_threshold_is_the_midpoint_where_it_can_be():
    np.testing.assert_array_equal(
        between(np.array([1.0, -3, 0.1]), np.array([2.0, 5, 0.2])), [1.5, 1, 0.1 / 2 + 0.1]
    )


@settings(deadline=None)
@given(st.lists(st.one_of(st.none(), st.integers(-3, 3)), min_size=1, max_size=30))
def test_gaps_against_a_plain_count(cells):
    x = np.array([np.nan if cell is None else cell for cell in cells], dtype=float)
    gaps = gaps_of(x)
    known = sorted({cell for cell in cells if cell is not None})
    assert list(zip(gaps.below, gaps.above, strict=True)) == list(pairwise(known))
    assert gaps.left.tolist() == [sum(c is not None and c <= v for c in cells) for v in known[:-1]]
    assert gaps.missing == cells.count(None)
    assert gaps.known + gaps.missing == len(cells)


@settings(deadline=None)
@given(st.lists(st.integers(0, 40), min_size=1, max_size=60), st.integers(0, 12))
def test_spread_keeps_exactly_as_many_as_asked(values, n_cuts):
    gaps = gaps_of(np.array(values, dtype=float))
    kept = spread(gaps, n_cuts)
    assert len(kept) == min(n_cuts, len(gaps))
    assert (np.diff(kept.below) > 0).all()
    assert set(kept.below) <= set(gaps.below)


def test_spread_is_even_without_ties():
    kept = spread(gaps_of(np.arange(100.0)), 3)
    assert kept.left.tolist() == [25, 50, 75]


def test_a_frequent_value_uses_one_cut_only():
    x = np.concatenate((np.zeros(900), np.arange(1, 101)))
    kept = spread(gaps_of(x), 5)
    assert kept.left.tolist() == [900, 920, 940, 960, 980]


def fewest_errors(goes_right, y, rows, depth):
    """Errors of the best tree by trying every split: the slow twin of any search."""
    best = len(rows) - np.bincount(y[rows]).max()
    if depth == 0 or best == 0:
        return best
    for split in goes_right:
        right = split[rows].astype(bool)
        if right.any() and not right.all():
            parts = (rows[right], rows[~right])
            best = min(best, sum(fewest_errors(goes_right, y, part, depth - 1) for part in parts))
    return best


@pytest.mark.parametrize("unit", [1.0, 4 / 3, 4 / 9000000009, 0.1, 1e17 / 3])
def test_the_unit_of_the_weights_does_not_choose_between_gaps_that_are_equally_far(unit):
    """Balanced weights of two rows of one class and of one row each of two others: three values of equal weight."""
    weights = np.array([3e9, 3.0, 3000000003.0, 3000000003.0])
    kept = spread(gaps_of(np.array([0.0, 0.0, 1.0, 2.0]), weights * unit), 1)
    assert kept.below.tolist() == [0.0]


def test_a_real_difference_between_gaps_still_counts():
    kept = spread(gaps_of(np.array([0.0, 1.0, 2.0]), np.array([1.0 - 2e-9, 1.0, 1.0])), 1)
    assert kept.below.tolist() == [1.0]


def both(X, y, depth):
    """Fewest errors with all thresholds, and with those at label changes."""
    table, rows = table_from(X), np.arange(len(y))
    kept = midpoints(table, y, only_label_changes=True)
    return tuple(fewest_errors(c.goes_right, y, rows, depth) for c in (midpoints(table), kept)), kept


@pytest.mark.parametrize(("n_columns", "depth"), [(3, 1), (1, 2), (1, 3)])
def test_label_changes_suffice_for_one_split_and_for_one_column(n_columns, depth):
    rng = np.random.default_rng(7)
    fewer = 0
    for _ in range(150):
        n_rows = int(rng.integers(2, 9))
        X = rng.integers(0, 6, (n_rows, n_columns)).astype(float)
        y = rng.integers(0, 3, n_rows)
        (every, kept), cuts = both(X, y, depth)
        assert every == kept
        fewer += len(cuts.splits) < len(midpoints(table_from(X)).splits)
    assert fewer > 30  # the rule did drop thresholds


def test_label_changes_lose_the_optimum_of_a_tree_of_depth_two():
    """x0 <= 1.5 lies in a run of class 0, and the only perfect tree of depth 2 has it at the root."""
    X = np.array([[0, 0], [0, 1], [1, 3], [2, 0], [2, 1], [4, 1], [4, 3]], dtype=float)
    y = np.array([1, 0, 0, 0, 0, 0, 1])
    (every, kept), cuts = both(X, y, 2)
    assert (every, kept) == (0, 1)
    assert "not all thresholds" in cuts.scope
    assert len(cuts.notes) == 1


def test_scope_stays_whole_if_nothing_is_dropped():
    cuts = midpoints(table_from(np.array([[1.0], [2], [3]])), ["a", "b", "a"], only_label_changes=True)
    assert cuts.scope == "all thresholds"
    assert cuts.notes == ()


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.one_of(st.none(), st.integers(0, 5)), st.integers(0, 1)), min_size=1, max_size=15)
)
def test_label_changes_against_the_definition(rows):
    x = np.array([np.nan if v is None else v for v, _ in rows], dtype=float)
    y = np.array([label for _, label in rows])
    kept = {s.threshold for s in midpoints(table_from(x[:, None]), y, only_label_changes=True).splits} - {
        np.inf,
        0.5,
    }
    values = sorted({v for v, _ in rows if v is not None})
    expected = set()
    for a, b in pairwise(values):
        if len({label for v, label in rows if v in (a, b)}) > 1:
            expected.add((a + b) / 2)
    assert kept == expected - {0.5}


@settings(deadline=None)
@given(st.data())
def test_weights_of_equal_values_are_added_in_the_order_of_the_rows(data):
    """However a machine sorts: sums of real weights are rounded in one way only."""
    values = data.draw(st.lists(st.sampled_from([-0.0, 0.0, 1.0, 2.5, 7.0, np.nan]), min_size=1, max_size=60))
    x = np.array(values) if data.draw(st.booleans()) else np.random.default_rng(len(values)).normal(size=60)
    weight = np.random.default_rng(len(values)).random(len(x))
    found = gaps_of(x, weight)
    running, expected = 0.0, []
    known = np.unique(x[~np.isnan(x)])
    for value in known:
        for row in np.flatnonzero(x == value):
            running += weight[row]
        expected.append(running)
    assert found.left.tolist() == expected[:-1]
    assert found.known == running
    assert found.missing == weight[np.isnan(x)].sum()
