"""Text columns of many values: the splits are made within both limits, and what is left out is said."""

from dataclasses import replace

import numpy as np
import pytest

from treewright._native import core
from treewright.binarize import SplitMatrix
from treewright.errors import InputError
from treewright.problem import make_problem
from treewright.search import BinaryOptions, Limits, choose_engine, solve
from treewright.search._space import BINARY_CELL, LEAST_MEMORY, RANKED_CELL, _scope
from treewright.table import Table
from treewright.tree import Column, ColumnKind
from treewright.verify import verify

N_ROWS = 40_000
N_CATEGORIES = 1500


def problem_of(n_numbers=1, price=0.0, **limits):
    """Dates as text, as a table: reading them is not what is tested here."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, N_CATEGORIES, N_ROWS), rng.normal(size=(N_ROWS, n_numbers))])
    columns = (Column("date", ColumnKind.CATEGORICAL, tuple(f"d{i}" for i in range(N_CATEGORIES)), False),)
    columns += tuple(Column(f"x{j}", ColumnKind.CONTINUOUS, (), False) for j in range(n_numbers))
    y = (X[:, -1] > 0.5) ^ (rng.random(N_ROWS) < 0.2)
    return make_problem(Table(columns, np.asfortranarray(X)), y, cost_complexity=price, max_depth=1, **limits)


def offered_categories(choice):
    return sum(offered.n_splits() for offered in choice.space.candidates if offered.gaps is None)


def test_auto_holds_no_more_splits_than_the_limits_allow():
    problem = problem_of()
    assert offered_categories(choose_engine(problem, "auto")) == 512
    room = LEAST_MEMORY // (RANKED_CELL.n_bytes * N_ROWS)
    small = choose_engine(problem, "auto", limits=Limits(memory_limit=2**20))
    assert offered_categories(small) == room < 512
    short = choose_engine(problem, "auto", limits=Limits(time_limit=0.2))
    assert offered_categories(short) == int(0.1 / (RANKED_CELL.seconds * N_ROWS)) < room
    for choice, level in ((small, room), (short, offered_categories(short))):
        assert choice.space.scope == (
            f"all thresholds and the {level:.0f} most frequent categories of a column against the rest"
        )
        assert f"date ({level:.0f} of {N_CATEGORIES})" in choice.space.notes[0]
        assert "raise time_limit or memory_limit" in choice.space.notes[1]


def test_the_scope_of_fewer_categories_is_verified():
    problem = problem_of()
    result = solve(problem, limits=Limits(step_limit=3, memory_limit=2**20))
    assert "most frequent categories" in result.scope
    assert verify(problem, result).ok
    fewer = solve(problem, 20, limits=Limits(step_limit=3, time_limit=0.1))
    assert "most frequent" in fewer.scope
    assert verify(problem, fewer).ok
    stronger = replace(result, scope=result.scope.replace("all thresholds", "all thresholds of every column"))
    assert not verify(problem, stronger).ok


def test_one_category_is_one_in_the_scope():
    one = "all thresholds and the 1 most frequent category of a column against the rest"
    assert _scope("all thresholds and all single categories against the rest", 1) == one
    problem = problem_of()
    result = solve(problem, limits=Limits(step_limit=3, memory_limit=2**20))
    level = offered_categories(choose_engine(problem, "auto", limits=Limits(memory_limit=2**20)))
    notes = (result.notes[0].replace(f"({level} of ", "(1 of "), *result.notes[1:])
    for scope in (one, one.replace("category", "categories")):  # the second is that of older files
        assert verify(problem, replace(result, scope=scope, notes=notes)).ok


def test_chosen_thresholds_hold_no_more_categories_than_the_limits_allow():
    choice = choose_engine(problem_of(), 8, limits=Limits(time_limit=0.1))
    level = int(0.05 / (BINARY_CELL.seconds * N_ROWS))
    assert len(choice.space.splits) == level + 7 < N_CATEGORIES
    assert choice.space.scope.endswith(f"of categories the {level} most frequent of a column")
    assert f"leave room for {level} splits" in choice.space.notes[-1]


def test_all_categories_are_refused_where_the_memory_limit_cannot_hold_them():
    for engine in ("binary", "ranked"):
        with pytest.raises(InputError, match="memory_limit is 1 MiB"):
            solve(
                problem_of(), "all", options=BinaryOptions(engine=engine), limits=Limits(memory_limit=2**20)
            )


def test_categories_that_cannot_pay_for_a_leaf_take_no_memory():
    choice = choose_engine(problem_of(price=0.01), "all", limits=Limits(memory_limit=2**20))
    assert offered_categories(choice) == 0
    assert choice.space.scope == "all thresholds and all single categories against the rest"
    assert choice.space.notes == ()


def test_splits_are_held_as_bits():
    problem = problem_of()
    cuts = choose_engine(problem, "auto", BinaryOptions(engine="binary")).space
    assert cuts.packed.nbytes == len(cuts.splits) * N_ROWS // 8
    rows = np.array([0, 7, 8, 39_999])
    for split, packed_rows in zip(cuts.splits, cuts.of_rows(rows), strict=True):
        np.testing.assert_array_equal(~split.goes_left(problem.table.X, rows), packed_rows)


@pytest.mark.parametrize("n_rows", [1, 2, 7, 8, 9, 63, 64, 65, 130])
def test_bits_and_bytes_make_the_same_problem(n_rows):
    rng = np.random.default_rng(n_rows)
    goes_right = rng.integers(0, 2, (70, n_rows), dtype=np.uint8)
    y = rng.integers(0, 2, n_rows, dtype=np.int32)
    how = {"leaf_penalty": 1.0, "min_count": 2, "equivalent_points": n_rows % 2 == 0}
    rest = (y, np.ones(n_rows, dtype=np.int64), np.array([[0, 1], [1, 0]]))
    cuts = SplitMatrix.from_matrix([None] * 70, goes_right, "these")
    np.testing.assert_array_equal(cuts.goes_right, goes_right)
    bytes_, bits = (
        core.BinaryProblem(goes_right, *rest, **how),
        core.BinaryProblem(cuts.packed, *rest, **how, packed=True),
    )
    assert (bytes_.n_rows, bytes_.n_columns) == (bits.n_rows, bits.n_columns)
    for name in ("row_bits", "row_cost", "row_class"):
        np.testing.assert_array_equal(getattr(bytes_, name)(), getattr(bits, name)())
