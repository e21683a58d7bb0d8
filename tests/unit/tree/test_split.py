"""Ties, missing values and categories: the one rule, and its words."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from made_trees import COLUMNS
from treewright.tree import CategorySplit, Column, ColumnKind, LinearSplit, ThresholdSplit, describe

NAN = math.nan


@pytest.mark.parametrize("missing_left", [False, True])
def test_threshold_ties_go_left(missing_left):
    below = np.nextafter(0.3, 0)
    above = np.nextafter(0.3, 1)
    X = np.array([[below], [0.3], [above], [-np.inf], [np.inf], [NAN]])
    left = ThresholdSplit(0, 0.3, missing_left).goes_left(X)
    assert left.tolist() == [True, True, False, True, False, missing_left]


def test_signed_zeros_are_one_value():
    left = ThresholdSplit(0, -0.0).goes_left(np.array([[0.0], [-0.0], [5e-324]]))
    assert left.tolist() == [True, True, False]


@pytest.mark.parametrize("missing_left", [False, True])
def test_category_split(missing_left):
    X = np.array([[0.0], [1.0], [2.0], [NAN]])
    assert CategorySplit(0, (0, 2), missing_left).goes_left(X).tolist() == [True, False, True, missing_left]


@pytest.mark.parametrize("missing_left", [False, True])
def test_linear_split(missing_left):
    X = np.array([[1.0, 9.0, 2.0], [1.0, 9.0, 1.75], [NAN, 9.0, 1.0], [1.0, 9.0, NAN]])
    split = LinearSplit((0, 2), (1.0, -2.0), -2.5, missing_left)
    assert split.goes_left(X).tolist() == [True, True, missing_left, missing_left]
    assert LinearSplit((0, 2), (1.0, -2.0), -2.75).goes_left(X).tolist() == [True, False, False, False]


def test_known_or_missing():
    split = ThresholdSplit(0, math.inf, missing_left=False)
    assert split.goes_left(np.array([[1e308], [NAN], [-1.0]])).tolist() == [True, False, True]


AGE, FLAG, BOOL, COLOUR = 0, 3, 2, 4


@pytest.mark.parametrize(
    ("split", "left", "right"),
    [
        (ThresholdSplit(1, 0.5), "mean radius (µm) <= 0.5", "mean radius (µm) > 0.5"),
        (ThresholdSplit(1, 42.0), "mean radius (µm) <= 42", "mean radius (µm) > 42"),
        (ThresholdSplit(1, 0.1 + 0.2, True), "mean radius (µm) <= 0.30000000000000004", None),
        (ThresholdSplit(AGE, 1.0, True), "age <= 1 or missing", "age > 1"),
        (ThresholdSplit(AGE, 1.0, False), "age <= 1", "age > 1 or missing"),
        (ThresholdSplit(AGE, math.inf), "age is known", "age is missing"),
        (ThresholdSplit(AGE, -math.inf, True), "age is missing", "age is known"),
        (ThresholdSplit(COLOUR, math.inf), "colour is known", "colour is missing"),
        (ThresholdSplit(AGE, math.inf, True), "age is known or missing", "age is neither known nor missing"),
        (ThresholdSplit(FLAG, 0.5), "flag = 0", "flag = 1"),
        (ThresholdSplit(FLAG, 1.5), "flag <= 1.5", "flag > 1.5"),
        (ThresholdSplit(BOOL, 0.5, True), "smoker = false or missing", "smoker = true"),
        (CategorySplit(COLOUR, (2,)), "colour = red", "colour != red or missing"),
        (CategorySplit(COLOUR, (2,), True), "colour = red or missing", "colour != red and known"),
        (CategorySplit(COLOUR, (0, 3)), "colour in {blue, yellow}", "colour in {green, red} or missing"),
        (
            CategorySplit(COLOUR, (0, 1, 3), True),
            "colour != red or missing",
            "colour = red",
        ),
        (CategorySplit(COLOUR, (0, 1, 2, 3)), "colour is known", "colour is missing"),
        (CategorySplit(COLOUR, (), True), "colour is missing", "colour is known"),
        (CategorySplit(5, (0,)), "size = L", "size != L"),
        (
            LinearSplit((0, 1), (-1.5, 1.0), 2.0),
            "-1.5*age + mean radius (µm) <= 2",
            "-1.5*age + mean radius (µm) > 2 or missing",
        ),
        (LinearSplit((1, 3), (0.1, -2.0), 2.0), "0.1*mean radius (µm) - 2*flag <= 2", None),
    ],
)
def test_words(split, left, right):
    assert describe(split, COLUMNS) == left
    if right is not None:
        assert describe(split, COLUMNS, goes_left=False) == right


def test_many_categories_are_named_by_the_shorter_list():
    columns = (Column("letter", ColumnKind.CATEGORICAL, tuple("abcdefgh")),)
    assert describe(CategorySplit(0, (0, 1, 2, 3, 4, 5)), columns) == "letter not in {g, h}"
    assert describe(CategorySplit(0, (0, 1, 2, 3, 4, 5)), columns, goes_left=False) == "letter in {g, h}"


def test_digits_round_thresholds_and_weights():
    assert describe(ThresholdSplit(0, 0.123456), COLUMNS, digits=3) == "age <= 0.123"
    assert describe(LinearSplit((0, 1), (0.123456, 1.0), 1e-9), COLUMNS, digits=3).startswith("0.123*age + ")


@given(threshold=st.floats(allow_nan=False, allow_infinity=False))
def test_threshold_reads_back_exactly(threshold):
    assert float(describe(ThresholdSplit(0, threshold), COLUMNS).split()[-1]) == threshold


def test_a_score_does_not_depend_on_the_number_of_rows():
    """Few rows are added along the columns, many along the rows: in the same order, to the last bit."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 120)) * 10.0 ** rng.integers(-8, 8, 120)
    split = LinearSplit(tuple(range(120)), tuple(rng.normal(size=120).tolist()), 0.0)
    whole = split.score(X)
    for n in (0, 1, 2, 7, 119, 120, 121):
        np.testing.assert_array_equal(split.score(X[:n]), whole[:n])


@pytest.mark.parametrize("n_rows", [1, 5, 40, 90, 300])
def test_a_score_does_not_depend_on_blocks(n_rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(n_rows)
    X = rng.normal(size=(n_rows, 60)) * 10.0 ** rng.integers(-8, 8, 60)
    columns, weights = rng.permutation(60), rng.normal(size=60)
    split = LinearSplit(tuple(columns.tolist()), tuple(weights.tolist()), 0.0)
    one_by_one = np.zeros(n_rows)
    for column, weight in zip(columns, weights, strict=True):
        one_by_one += weight * X[:, column]
    some = np.flatnonzero(rng.random(n_rows) < 0.5)
    for rows_at_once, columns_at_once in ((2**15, 64), (7, 64), (2**15, 1), (64, 13)):
        monkeypatch.setattr("treewright.tree._split.ROWS_AT_ONCE", rows_at_once)
        monkeypatch.setattr("treewright.tree._split.COLUMNS_AT_ONCE", columns_at_once)
        np.testing.assert_array_equal(split.score(X), one_by_one)
        np.testing.assert_array_equal(split.score(X, some), one_by_one[some])
        np.testing.assert_array_equal(split.score(X, slice(1, None, 3)), one_by_one[1::3])


@pytest.mark.parametrize("split", [ThresholdSplit(0, 3.0), LinearSplit((0, 1), (1.0, 1.0), 8.0)])
def test_a_mask_chooses_the_rows_that_it_marks(split):
    X = np.arange(9.0).reshape(3, 3)
    mask = np.array([True, False, True])
    assert split.goes_left(X, mask).tolist() == split.goes_left(X[mask]).tolist() == [True, False]
