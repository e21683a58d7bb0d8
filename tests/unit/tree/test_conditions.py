"""Merged conditions of a leaf: exactly the rows that fall into it pass them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exchange_trees import cases, with_infinities, with_unseen
from treewright.tree import (
    CategoryCondition,
    Column,
    ColumnKind,
    IntervalCondition,
    LinearCondition,
    ThresholdSplit,
    all_leaf_conditions,
    grow,
    leaf_conditions,
)

AGE = (
    Column("age", ColumnKind.CONTINUOUS, (), True),
    Column("sex", ColumnKind.CATEGORICAL, ("f", "m"), True),
)


def passes(condition, columns, X):
    if isinstance(condition, LinearCondition):
        return condition.split.goes_left(X) == condition.goes_left
    x = X[:, condition.column]
    if isinstance(condition, IntervalCondition):
        low = True if condition.low is None else x > condition.low
        high = True if condition.high is None else x <= condition.high
        known = low & high & ~np.isnan(x)
    else:
        known = np.isin(x, condition.codes)
        if condition.others:
            known |= x >= len(columns[condition.column].categories)
    return known | (np.isnan(x) & condition.missing)


@given(cases(), st.integers(0, 2**32 - 1))
def test_exactly_the_rows_of_a_leaf_pass(case, seed):
    rng = np.random.default_rng(seed)
    X = with_unseen(rng, with_infinities(rng, case.X))
    with np.errstate(invalid="ignore"):
        at = case.tree.apply(X)
        walked = list(all_leaf_conditions(case.tree))
        assert [leaf for leaf, _ in walked] == np.flatnonzero(case.tree.is_leaf).tolist()
        for leaf, conditions in walked:
            assert conditions == leaf_conditions(case.tree, leaf)
            if conditions is None:
                assert not (at == leaf).any()
                continue
            inside = np.ones(len(X), dtype=bool)
            for condition in conditions:
                inside &= passes(condition, case.tree.columns, X)
                assert condition.words(case.tree.columns)
            np.testing.assert_array_equal(inside, at == leaf)


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        (IntervalCondition(0, 40.0, 60.0, False), "40 < age <= 60"),
        (IntervalCondition(0, 40.0, 60.0, True), "40 < age <= 60 or missing"),
        (IntervalCondition(0, None, 60.0, False), "age <= 60"),
        (IntervalCondition(0, 40.5, None, True), "age > 40.5 or missing"),
        (IntervalCondition(0, None, np.inf, False), "age is known"),
        (IntervalCondition(0, 60.0, 40.0, True), "age is missing"),
        (CategoryCondition(1, (0,), False, False), "sex = f"),
        (CategoryCondition(1, (), False, True), "sex is missing"),
        (CategoryCondition(1, (0, 1), True, False), "sex is known"),
    ],
)
def test_words(condition, words):
    assert condition.words(AGE) == words


def test_one_condition_a_column_in_the_order_of_the_path():
    splits = [
        ThresholdSplit(0, 60.0),
        ThresholdSplit(1, np.inf),
        ThresholdSplit(0, 40.0),
        None,
        None,
        None,
        None,
    ]
    X = np.array([[50.0, 0.0], [70.0, np.nan]])
    tree = grow(AGE, np.array([0, 1]), splits, X, np.array([0, 1], dtype=np.int32), np.ones(2), 1 - np.eye(2))
    conditions = leaf_conditions(tree, 4)
    assert [condition.words(AGE) for condition in conditions] == ["40 < age <= 60", "sex is known"]
