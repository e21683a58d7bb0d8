"""Ranks of a column say the same as its values; those of some rows are what ranking these rows gives."""

from __future__ import annotations

import pickle
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright._native import core
from treewright.binarize import candidates_of, gaps_of_ranks, value_ranks
from treewright.binarize import ranks_of as ranks_of_column
from treewright.problem import make_problem
from treewright.search._ranks import rank_matrix, ranked_columns
from treewright.search._solve_ranked import solve_ranked
from treewright.table import ValueRanks, table_from

NUMBERS = st.sampled_from([np.nan, -0.0, 0.0, 1.0, 2.5, -3.0, 1e300, 5e-324, 1 + 2**-50, 1 + 2**-52])
# Columns long enough to be sorted by digits: the upper halves of the numbers all different, few, all equal; the lower
# halves different, equal; ties; missing values; numbers of both signs and of all sizes.
LONG = {
    "normal": lambda rng, n: rng.normal(size=n),
    "whole": lambda rng, n: rng.integers(-50, 50, n).astype(float),
    "of all sizes": lambda rng, n: rng.normal(size=n) * 10.0 ** rng.integers(-300, 300, n),
    "alike in the upper half": lambda rng, n: 1.0 + rng.integers(0, 2**20, n) * 2.0**-50,
    "in clusters": lambda rng, n: rng.integers(-3, 3, n) + rng.integers(0, 2**16, n) * 2.0**-48,
    "few missing": lambda rng, n: np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n).round(2)),
    "one value": lambda rng, n: np.full(n, -7.5),
    "zeros of both signs": lambda rng, n: rng.choice([0.0, -0.0, np.nan, 1.0], n),
}


def ranks_of(x: np.ndarray) -> ValueRanks:
    return value_ranks(x, np.empty(len(x), dtype=np.uint32))


@given(st.lists(NUMBERS, min_size=1, max_size=12))
def test_ranks_and_gaps_say_what_the_values_say(values: list[float]) -> None:
    x = np.array(values)
    ranks = ranks_of(x)
    known = ~np.isnan(x)
    distinct = sorted(set(x[known].tolist()))
    assert ranks.values.tolist() == distinct
    assert (ranks.values[ranks.rank[known]] == x[known]).all()
    assert (ranks.rank[~known] == len(ranks.values)).all()
    assert ranks.n_known == known.sum()
    gaps = gaps_of_ranks(ranks)
    assert list(zip(gaps.below, gaps.above, strict=True)) == list(pairwise(distinct))
    assert gaps.left.tolist() == [float((x <= value).sum()) for value in distinct[:-1]]
    assert (gaps.known, gaps.missing) == (known.sum(), (~known).sum())


@pytest.mark.parametrize("ones", [0, 1, 3, 5])
def test_zeros_and_ones_need_no_sort(ones: int) -> None:
    x = np.array([1.0] * ones + [0.0] * (5 - ones))
    fast, plain = (value_ranks(x, np.empty(5, dtype=np.uint32), zero_one=fast) for fast in (True, False))
    assert fast.rank.tolist() == plain.rank.tolist()
    assert fast.values.tolist() == plain.values.tolist()
    assert fast.before.tolist() == plain.before.tolist()


@given(st.lists(NUMBERS, min_size=1, max_size=12), st.data())
def test_some_rows_of_a_ranked_table_are_ranked_without_a_sort(
    values: list[float], data: st.DataObject
) -> None:
    x = np.array(values)
    rows = np.array(data.draw(st.lists(st.integers(0, len(x) - 1), min_size=1, max_size=15)))
    taken = ranks_of(x).take(rows, np.empty(len(rows), dtype=np.uint32))
    alone = ranks_of(x[rows])
    for name in ("values", "before", "rank", "n_known"):
        assert np.array_equal(getattr(taken, name), getattr(alone, name)), name


def test_a_table_is_sorted_once_whoever_asks_and_however_often_its_rows_are_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from treewright.binarize import _value_ranks

    sorts = []
    sort = _value_ranks.core.rank_values
    monkeypatch.setattr(_value_ranks.core, "rank_values", lambda x, rank: (sorts.append(1), sort(x, rank))[1])
    table = table_from(np.random.default_rng(0).normal(size=(60, 3)))
    whole = ranked_columns(table)
    again = ranked_columns(table)
    assert len(sorts) == 3
    assert all(a.rank is b.rank for a, b in zip(whole, again, strict=True))
    assert np.shares_memory(rank_matrix(whole, 60), whole[0].rank)
    fold = table.take(np.arange(10, 50)).take(np.arange(5, 25))
    found = ranked_columns(fold)
    assert len(sorts) == 3
    for column, plain in zip(found, ranked_columns(table_from(fold.X)), strict=True):
        assert column.rank.tolist() == plain.rank.tolist()
        assert column.values.tolist() == plain.values.tolist()


def test_ranks_do_not_travel_with_a_table() -> None:
    table = table_from(np.random.default_rng(0).normal(size=(1000, 4)))
    plain = len(pickle.dumps(table))
    ranked_columns(table)
    assert len(pickle.dumps(table)) == plain
    assert pickle.loads(pickle.dumps(table)).X.tolist() == table.X.tolist()


@pytest.mark.parametrize("kind", LONG)
@pytest.mark.parametrize("n", [1, 1000, 1023, 1024, 5000])
def test_long_columns(kind: str, n: int) -> None:
    x = LONG[kind](np.random.default_rng(n), n)
    for column in (x, np.repeat(x, 2)[::2]):  # the second with steps in memory
        ranks = ranks_of(column)
        known = ~np.isnan(x)
        values, rank, rows = np.unique(x[known] + 0.0, return_inverse=True, return_counts=True)
        assert ranks.values.tolist() == values.tolist()
        assert ranks.rank[known].tolist() == rank.tolist()
        assert (ranks.rank[~known] == len(values)).all()
        assert ranks.before.tolist() == (np.cumsum(rows) - rows).tolist()
        assert ranks.n_known == known.sum()


def test_rows_below_each_value_are_not_counted_before_they_are_asked_for() -> None:
    table = table_from([[3.0], [1.0], [2.0], [1.0]])
    ranks = ranks_of_column(table, 0)
    offered = candidates_of(table)[0]
    assert offered.gaps is not None
    solve_ranked(make_problem(table, [1, 0, 1, 0], max_depth=2))
    split = offered.threshold_split(1.0, 2.0)
    assert split.missing_left  # half of the known rows lie there: found without the other gaps
    assert "before" not in ranks.__dict__
    assert "left" not in offered.gaps.__dict__
    assert [offered.gaps.left_of(gap) for gap in range(2)] == offered.gaps.left.tolist() == [2.0, 3.0]


@pytest.mark.parametrize("ranks", [[3, 0, 3, 1], [2, 0, 3, 1], [3, 3, 3, 0], [3, 0, 1, 1]])
def test_as_many_ranks_as_rows_may_still_be_equal(ranks: list[int]) -> None:
    dense = np.unique(ranks, return_inverse=True)[1].astype(np.uint32)
    answers = [
        core.RankedProblem(
            rank=np.array([of_rows], dtype=np.uint32),
            y=np.array([0, 1, 0, 1], dtype=np.int32),
            weight=np.ones(4, dtype=np.int64),
            costs=1 - np.eye(2, dtype=np.int64),
            unit=1 << 20,
            leaf=1,
            min_leaf=1,
        ).search(
            depth=3,
            max_leaves=0,
            options=core.RankedOptions(),
            time_limit=10.0,
            step_limit=1 << 40,
            memory_limit=1 << 30,
            report=None,
        )
        for of_rows in (np.array(ranks), dense)
    ]
    assert answers[0]["upper"] == answers[1]["upper"]
    assert answers[0]["lower"] == answers[0]["upper"]
    assert len(answers[0]["nodes"]) == len(answers[1]["nodes"])


def test_the_core_refuses_arrays_that_do_not_fit() -> None:
    x = np.arange(4.0)
    with pytest.raises(ValueError, match="different lengths"):
        core.rank_values(x, np.empty(3, dtype=np.uint32))
    with pytest.raises(TypeError):
        core.rank_values(x, np.empty(4, dtype=np.int64))  # a copy would take the ranks
    with pytest.raises(TypeError):
        core.rank_values(x, np.empty(8, dtype=np.uint32)[::2])
