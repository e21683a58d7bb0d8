"""Categories of too few rows to pay for a leaf are not searched, and no optimum is lost by that."""

from fractions import Fraction

import numpy as np
import pytest

from brute_force import best_objective
from treewright.binarize import candidates_of, midpoints
from treewright.problem import make_problem
from treewright.search import BinaryOptions, choose_engine, solve, solve_with_leaf_accuracy
from treewright.table import table_from


def problem_of(seed, **limits):
    """Text of many values and some gaps; real weights and costs in some."""
    rng = np.random.default_rng(seed)
    n = 14
    words = rng.choice(["a", "a", "a", "b", "b", "c", "d", "e", "f"], size=n)
    words = np.where(rng.random(n) < 0.2, None, words) if seed % 2 else words
    rows = [[w, int(v)] for w, v in zip(words, rng.integers(0, 3, n), strict=True)]
    y = rng.integers(0, 3 if seed % 5 == 0 else 2, n)
    y[:2] = 0, 1
    weight = rng.integers(1, 5, n) if seed % 3 == 0 else None
    costs = None
    if seed % 4 == 0:
        k = len(np.unique(y))
        costs = (rng.integers(1, 6, (k, k)) * (1 - np.eye(k))).astype(float)
    return make_problem(table_from(rows), y, sample_weight=weight, costs=costs, **limits)


def offered(problem, method="tree"):
    space = choose_engine(problem, "all", BinaryOptions(engine="binary"), method=method).space
    return len(space.splits)


@pytest.mark.parametrize("seed", range(24))
@pytest.mark.parametrize(
    "limits",
    [
        {"cost_complexity": 0.12},
        {"cost_complexity": 0.2, "max_leaf_nodes": 3},
        {"cost_complexity": 0.0, "min_samples_leaf": 2},
        {"cost_complexity": 0.05, "min_samples_leaf": 3},
    ],
    ids=str,
)
def test_the_optimum_is_that_over_all_splits(seed, limits):
    problem = problem_of(seed, max_depth=2, **limits)
    everything = midpoints(problem.table)
    expected = float(
        best_objective(
            everything.goes_right,
            problem.y,
            problem.sample_weight,
            problem.costs,
            Fraction(problem.cost_complexity),
            2,
            problem.max_leaf_nodes,
            problem.min_samples_leaf,
        )
    )
    for engine in ("binary", "ranked"):
        result = solve(problem, "all", options=BinaryOptions(engine=engine))
        assert result.objective == pytest.approx(expected, abs=1e-9)
    assert solve(problem, everything).tree.n_leaves == solve(problem, "all").tree.n_leaves


def test_light_categories_are_left_out_where_that_is_proven_and_nowhere_else():
    names = ["often"] * 50 + ["half"] * 40 + [f"once {i}" for i in range(10)]
    y = np.arange(100) % 2

    def problem(**limits):
        return make_problem(table_from([[name] for name in names]), y, max_depth=2, **limits)

    everything = len(midpoints(problem().table).splits)
    assert everything == 12
    assert offered(problem(cost_complexity=0.0)) == everything
    assert offered(problem(cost_complexity=0.02)) == 2  # one row cannot pay for two
    assert (
        offered(problem(cost_complexity=0.02, max_leaf_nodes=4), "frontier") == everything
    )  # no price there
    assert offered(problem(cost_complexity=0.0, min_samples_leaf=2)) == 2
    assert offered(problem(max_leaf_nodes=4, min_samples_leaf=2), "frontier") == 2
    accuracy = choose_engine(problem(cost_complexity=0.02), "all", method="leaf accuracy").space
    assert sum(c.n_splits() for c in accuracy.candidates) == everything  # rows that join a leaf may spoil it
    weights = np.where(np.arange(100) >= 90, 50.0, 1.0)  # the ten light ones are heavy now
    heavy = make_problem(table_from([[n] for n in names]), y, sample_weight=weights, cost_complexity=0.02)
    assert offered(heavy) == everything


def test_a_required_leaf_accuracy_needs_light_categories():
    """Two rows that no leaf may share: their categories must be told apart although neither pays for a leaf."""
    names = ["many"] * 98 + ["first", "second"]
    y = np.array([0] * 98 + [1, 2])
    problem = make_problem(table_from([[name] for name in names]), y, cost_complexity=0.03, max_depth=2)
    assert solve(problem).tree.n_leaves == 1
    for thresholds in ("auto", "all"):
        strict = solve_with_leaf_accuracy(problem, thresholds, 1.0)
        assert strict.tree.n_leaves == 3
        assert strict.objective == pytest.approx(0.09)


def test_what_a_column_offers_is_counted_by_split_and_not_by_category():
    table = table_from([["a"]] * 20 + [["b"]] * 20 + [["c"]] + [[None]] * 9)
    problem = make_problem(table, np.arange(50) % 2, cost_complexity=0.05)
    column = choose_engine(problem, "all", BinaryOptions(engine="ranked")).space.candidates[0]
    assert candidates_of(table)[0].n_splits() == 7  # three alone, three with the missing rows, and "known"
    assert (
        column.n_splits() == len(column.splits()) == 6
    )  # "c" alone cannot pay; with the missing rows it can
