"""One statement of the splits: every engine searches the same ones, on tables with gaps in numbers and in text.

The oracle makes its own splits from the table and shares no code with `treewright.binarize`.
"""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brute_force import best_objective
from treewright.binarize import candidates_of, midpoints
from treewright.mip import solve as solve_program
from treewright.problem import make_problem
from treewright.result import SolveStatus
from treewright.search import BinaryOptions, solve, solve_frontier, solve_with_leaf_accuracy
from treewright.search._ranks import ranked_columns
from treewright.table import table_from
from treewright.verify import verify

NUMBER = st.one_of(st.none(), st.integers(-1, 2))
WORD = st.one_of(st.none(), st.sampled_from("abcd"))
FLAG = st.one_of(st.none(), st.booleans())
ROWS = st.lists(st.tuples(NUMBER, WORD, FLAG), min_size=1, max_size=15)


def sides(right):
    """A split without saying which side is the left one."""
    right = tuple(bool(r) for r in right)
    return max(right, tuple(not r for r in right))


def every_split(rows):
    """All thresholds, all single categories, missing values either way, and whether the value is known."""
    found = set()
    for column in zip(*rows, strict=True):
        known = [value for value in column if value is not None]
        text = any(isinstance(value, str) for value in known)
        tests = [lambda v: False]  # all known values on one side
        for value in set(known):
            tests.append((lambda v, t=value: v == t) if text else (lambda v, t=value: v <= t))
        for test in tests:
            for side in (True, False):
                found.add(sides(side if value is None else test(value) for value in column))
    return {split for split in found if len(set(split)) == 2}


def ranked_splits(ranked):
    """The cuts of ranked columns, and that each returned split sends the rows to the sides of its cut."""
    return {sides(column.rank > cut) for column in ranked for cut in range(int(column.rank.max()))}


@settings(deadline=None)
@given(ROWS)
def test_all_forms_of_the_splits_are_those_of_the_table(rows):
    table = table_from([list(row) for row in rows])
    expected = every_split(rows)
    assert {sides(right) for right in midpoints(table).goes_right} == expected
    assert ranked_splits(ranked_columns(table)) == expected
    for column in ranked_columns(table):
        for cut in range(int(column.rank.max())):
            split, swapped = column.split(cut, cut + 1)
            np.testing.assert_array_equal(split.goes_left(table.X), (column.rank <= cut) != swapped)


@settings(deadline=None)
@given(ROWS)
def test_where_nothing_is_missing_a_later_missing_value_goes_to_the_heavier_side(rows):
    table = table_from([list(row) for row in rows])
    for column in ranked_columns(table, candidates_of(table)):
        if table.columns[column.column].has_missing:
            continue
        for cut in range(int(column.rank.max())):
            split, swapped = column.split(cut, cut + 1)
            left = split.goes_left(table.X).sum()
            assert split.missing_left == (2 * left >= table.n_rows), (split, swapped)


def tables_with_gaps():
    for seed in range(12):
        rng = np.random.default_rng(seed)
        n = 14
        words = rng.choice([None, "a", "b", "c", "d"], size=n)
        numbers = np.where(rng.random(n) < 0.3, np.nan, rng.integers(0, 4, n))
        rows = [[w, None if np.isnan(x) else float(x)] for w, x in zip(words, numbers, strict=True)]
        hidden = np.array([w in (None, words[0]) for w in words])
        y = hidden ^ (rng.random(n) < 0.1)
        yield pytest.param(rows, y.astype(int), id=f"seed {seed}")


@pytest.mark.parametrize(("rows", "y"), list(tables_with_gaps()))
@pytest.mark.parametrize(("depth", "price"), [(1, 0.01), (2, 0.01), (2, 0.03)])
def test_engines_agree_where_text_is_missing(rows, y, depth, price):
    def asked(**limits):
        return make_problem(table_from(rows), y, **({"cost_complexity": price, "max_depth": depth} | limits))

    problem = asked()
    matrix = np.array([list(split) for split in sorted(every_split([tuple(row) for row in rows]))], dtype=int)
    expected = float(
        best_objective(matrix, problem.y, problem.sample_weight, problem.costs, Fraction(price), depth)
    )
    results = {
        "binary columns": solve(problem, options=BinaryOptions(engine="binary")),
        "ranked columns": solve(problem, options=BinaryOptions(engine="ranked")),
        "leaf accuracy, cuts": solve_with_leaf_accuracy(problem, "auto", 0.0),
        "leaf accuracy, all": solve_with_leaf_accuracy(problem, "all", 0.0),
        "frontier": solve_frontier(asked(max_leaf_nodes=4, cost_complexity=0.0)).select(price),
    }
    for name, result in results.items():
        assert result.status is SolveStatus.OPTIMAL, name
        assert result.objective == pytest.approx(expected, abs=1e-12), name
        assert result.scope == "all thresholds and all single categories against the rest", name
        question = asked(max_leaf_nodes=4) if name == "frontier" else problem
        report = verify(question, result, min_leaf_accuracy=result.options.get("min_leaf_accuracy"))
        assert report.ok, f"{name}\n{report}"


@pytest.mark.parametrize(("rows", "y"), list(tables_with_gaps())[:3])
def test_a_program_agrees_where_text_is_missing(rows, y):
    problem = make_problem(table_from(rows), y, cost_complexity=0.05, max_depth=2)
    program = solve_program(problem, "oct")
    assert program.status is SolveStatus.OPTIMAL
    assert program.objective == pytest.approx(solve(problem).objective, abs=1e-7)
