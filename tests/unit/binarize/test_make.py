"""SplitMatrix agree with the rule of `Split`, separate all that can be separated, and say what they left out."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treewright.binarize import auto_splits, candidates_of, given_splits, midpoints, quantiles
from treewright.errors import InputError
from treewright.table import table_from
from treewright.tree import CategorySplit, ThresholdSplit, describe

NUMBER = st.one_of(st.none(), st.integers(-2, 4))
WORD = st.one_of(st.none(), st.sampled_from("abcd"))
FLAG = st.one_of(st.none(), st.booleans())
TABLES = st.lists(st.tuples(NUMBER, WORD, FLAG), min_size=1, max_size=25).map(
    lambda rows: table_from(list(map(list, rows)))
)


def check(table, cuts):
    assert cuts.goes_right.shape == (len(cuts.splits), table.n_rows)
    assert cuts.goes_right.dtype == np.uint8
    assert cuts.goes_right.flags.c_contiguous
    assert len(set(cuts.splits)) == len(cuts.splits)
    for split, right in zip(cuts.splits, cuts.goes_right, strict=True):
        np.testing.assert_array_equal(right.astype(bool), ~split.goes_left(table.X))
        assert 0 < right.sum() < table.n_rows  # separates something
        for side in (True, False):
            assert describe(split, table.columns, side)


@settings(deadline=None)
@given(TABLES)
def test_every_maker_obeys_the_rule_of_the_split(table):
    check(table, midpoints(table))
    check(table, quantiles(table, 3))
    check(table, auto_splits(table))
    check(table, auto_splits(table, max_splits=4))


@settings(deadline=None)
@given(TABLES)
def test_rows_that_differ_are_separated_by_some_split(table):
    cuts = midpoints(table)
    for i in range(table.n_rows):
        for j in range(i):
            differ = not np.array_equal(table.X[i], table.X[j], equal_nan=True)
            assert differ == bool((cuts.goes_right[:, i] != cuts.goes_right[:, j]).any())


@settings(deadline=None)
@given(TABLES, st.integers(0, 6))
def test_announced_counts_are_kept(table, level):
    for offer in candidates_of(table):
        assert offer.n_splits(level) == len(offer.splits(level))


@settings(deadline=None)
@given(TABLES, st.integers(1, 12))
def test_budget_is_kept_and_used(table, max_splits):
    cuts, every = auto_splits(table, max_splits), midpoints(table)
    varying = sum(len(np.unique(table.X[:, j])) > 1 for j in range(3))
    least = sum(offer.n_splits(1) for offer in candidates_of(table))
    if len(every.splits) <= max(max_splits, least):
        assert cuts.splits == every.splits
        assert cuts.scope == every.scope
    else:
        assert "at most" in cuts.scope
        assert len(cuts.notes) > len(table.notes)
        assert len(cuts.splits) <= max(max_splits, least)
        assert len({split.column for split in cuts.splits}) == varying


def test_thresholds_of_a_column_without_missing_values():
    cuts = midpoints(table_from(np.array([[1.0], [2], [2], [4]])))
    assert cuts.splits == (
        ThresholdSplit(0, 1.5, missing_left=False),
        ThresholdSplit(0, 3.0, missing_left=True),
    )
    assert cuts.goes_right.tolist() == [[0, 1, 1, 1], [0, 0, 0, 1]]
    assert cuts.scope == "all thresholds"


def test_missing_values_go_both_ways_and_may_be_asked_for():
    cuts = midpoints(table_from(np.array([[1.0], [2], [np.nan]])))
    assert cuts.splits == (
        ThresholdSplit(0, 1.5, missing_left=True),
        ThresholdSplit(0, 1.5, missing_left=False),
        ThresholdSplit(0, np.inf, missing_left=False),
    )
    assert cuts.goes_right.tolist() == [[0, 1, 0], [0, 1, 1], [0, 0, 1]]


def test_categories():
    two = midpoints(table_from([["u"], ["v"], ["v"]]))
    assert two.splits == (CategorySplit(0, (0,), missing_left=False),)
    three = midpoints(table_from([["u"], ["v"], ["w"], ["v"]]))
    assert three.splits == tuple(CategorySplit(0, (k,), missing_left=k == 1) for k in range(3))
    assert three.scope == "all single categories against the rest"
    missing = midpoints(table_from([["u"], ["v"], [None]]))
    assert missing.splits == (
        CategorySplit(0, (0,)),
        CategorySplit(0, (1,)),
        ThresholdSplit(0, np.inf),
    )
    assert missing.goes_right.tolist() == [[0, 1, 1], [1, 0, 1], [0, 0, 1]]
    assert (
        describe(missing.splits[2], table_from([["u"], ["v"], [None]]).columns, goes_left=False)
        == "x0 is missing"
    )


def test_categories_that_the_rows_do_not_hold_are_not_offered():
    table = table_from([["u"], ["v"], ["w"], ["w"]]).take(np.array([1, 2, 3]))
    assert [split.left for split in midpoints(table).splits] == [(1,)]


def test_constant_and_all_missing_columns_are_not_split():
    table = table_from([[5, None, "a", True], [5, None, "a", True]])
    for cuts in (midpoints(table), quantiles(table, 4), auto_splits(table)):
        assert cuts.splits == ()
        assert cuts.goes_right.shape == (0, 2)
        assert "no known value" in cuts.notes[0]


def test_most_frequent_categories_are_kept_under_a_budget():
    words = ["rare"] + ["a"] * 5 + ["b"] * 4 + ["c"] * 3
    cuts = auto_splits(table_from([[w] for w in words]), max_splits=2)
    assert [split.left for split in cuts.splits] == [(0,), (1,)]
    assert "x0 (2 of 4)" in cuts.notes[0]


def test_budget_is_shared_by_level():
    rng = np.random.default_rng(0)
    X = np.column_stack((rng.integers(0, 2, 200), rng.integers(0, 4, 200), rng.random(200)))
    cuts = auto_splits(table_from(X), max_splits=14)
    assert [sum(split.column == j for split in cuts.splits) for j in range(3)] == [1, 3, 10]
    assert "at most 10 " in cuts.scope
    assert "x2 (10 of 199)" in cuts.notes[0]


@settings(deadline=None)
@given(TABLES, st.data(), st.integers(1, 12))
def test_a_whole_weight_equals_that_many_rows(table, data, max_splits):
    weight = data.draw(st.lists(st.integers(1, 3), min_size=table.n_rows, max_size=table.n_rows))
    copies = table.take(np.repeat(np.arange(table.n_rows), weight))
    for make in (
        lambda t, w: midpoints(t, sample_weight=w),
        lambda t, w: quantiles(t, 3, w),
        lambda t, w: auto_splits(t, max_splits, w),
        lambda t, w: given_splits(t, {"x0": [0, 1.5]}, w),
    ):
        ours, theirs = make(table, weight), make(copies, None)
        assert ours.splits == theirs.splits
        assert (ours.scope, ours.notes) == (theirs.scope, theirs.notes)


def test_given_thresholds():
    table = table_from(
        [[1, 10, "a", True], [2, 20, "b", False], [3, 30, "a", True]], feature_names=list("pqrs")
    )
    cuts = given_splits(table, {"p": [2, 99, 1.5, 2]})
    check(table, cuts)
    assert [describe(split, table.columns) for split in cuts.splits] == [
        "p <= 1.5",
        "p <= 2",
        "r = a",
        "s = false",
    ]
    assert cuts.notes == ("No thresholds were given for q: not split.",)
    assert cuts.scope == "the given thresholds"


def test_given_thresholds_with_missing_values():
    table = table_from(np.array([[1.0], [2], [np.nan]]))
    cuts = given_splits(table, {"x0": [1.0]})
    check(table, cuts)
    assert len(cuts.splits) == 3


@pytest.mark.parametrize(
    ("thresholds", "words"),
    [
        ({"z": [1]}, "column 'z'"),
        ({"r": [1]}, "categorical"),
        ({"p": [np.inf]}, "finite"),
        ({"p": [np.nan]}, "finite"),
    ],
)
def test_given_thresholds_are_checked(thresholds, words):
    table = table_from([[1, "a"], [2, "b"]], feature_names=["p", "r"])
    with pytest.raises(InputError, match=words):
        given_splits(table, thresholds)


def test_arguments_are_checked():
    table = table_from(np.arange(3.0)[:, None])
    for n_bins in (1, 0, True, 2.5):
        with pytest.raises(InputError, match="n_bins"):
            quantiles(table, n_bins)
    for max_splits in (0, True, 2.5):
        with pytest.raises(InputError, match="max_splits"):
            auto_splits(table, max_splits)
    for weight in ([1, 1], [1, 0, 1], [1, -1, 1], [1, np.nan, 1]):
        with pytest.raises(InputError, match="3 positive numbers"):
            auto_splits(table, sample_weight=weight)
    with pytest.raises(InputError, match="needs y"):
        midpoints(table, only_label_changes=True)
    with pytest.raises(InputError, match="one label per row"):
        midpoints(table, [0, 1], only_label_changes=True)


def test_a_matrix_that_cannot_fit_is_refused():
    table = table_from(np.arange(300_000.0)[:, None])
    with pytest.raises(InputError, match="GiB"):
        midpoints(table)


@pytest.mark.clock
def test_many_rows_and_columns_are_quick():
    """100,000 x 100 with 16 cuts took 0.6 s; ten times that is a broken algorithm, not a slow machine."""
    table = table_from(np.random.default_rng(0).random((100_000, 20)))
    start = time.process_time()
    cuts = quantiles(table, 17)
    assert time.process_time() - start < 1.5
    assert cuts.goes_right.shape == (320, 100_000)
    assert "at most 16 quantiles" in cuts.scope


def test_one_choice_a_column_is_one_in_the_scope() -> None:
    table = table_from([[x, -x] for x in range(10)])
    assert quantiles(table, 2).scope == "the given splits (at most 1 quantile a column)"
    assert auto_splits(table, 2).scope == "the chosen splits (at most 1 quantile or category a column)"
    assert auto_splits(table, 4).scope == "the chosen splits (at most 2 quantiles or categories a column)"
