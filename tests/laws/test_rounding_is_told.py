"""Law: a tree that is called optimal is so exactly, or the certificate says to within what, and the bound is true.

The oracle adds in fractions of the very float64 numbers that were given.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import treewright as tw
from brute_force import best_objective
from tiny_problems import TinyProblem, random_problem
from treewright import SolveStatus
from treewright.problem import make_problem, make_regression_problem
from treewright.search import BinaryOptions, solve, solve_regression
from treewright.table import table_from
from treewright.verify import verify_regression

FLOAT = Fraction(1, 10**12)  # relative: what float64 sums of the objective may lose
LARGEST = Fraction(1, 10**4)  # of an objective that may be left open


def real_numbers(rng: np.random.Generator) -> TinyProblem:
    problem = random_problem(rng, max_columns=4, max_rows=9)
    n_classes = len(problem.costs)
    spread = float(rng.choice([0, 3, 9]))
    off = 10.0 ** rng.uniform(-spread, 0, (n_classes, n_classes))
    costs = off * (1 - np.eye(n_classes))
    if rng.random() < 0.5:  # what the right answer costs, never more than a wrong one
        costs += np.diag(10.0 ** rng.uniform(-12, -9, n_classes)) + 1e-9 * (1 - np.eye(n_classes))
    weight = 10.0 ** rng.uniform(-spread, 0, problem.n_rows)
    return problem.but(weight=weight, costs=costs, cost_complexity=float(rng.choice([0, 1e-3, 0.05])))


LARGE = np.array(
    [1, 300_007, 300_017, 300_023, 999_983, 1_000_003], dtype=float
)  # mostly primes: large multiples


@pytest.mark.parametrize("engine", ["binary", "ranked"])
@pytest.mark.parametrize("seed", range(6))
def test_balanced_weights_beyond_float64_are_told(engine: str, seed: int) -> None:
    """Where the least common multiple of the classes' weights passes 2^53, balanced weights are floats.

    The oracle balances in fractions of the weights that were given.
    """
    rng = np.random.default_rng(seed)
    beyond = 0
    for _ in range(12):
        n, n_classes = int(rng.integers(6, 13)), int(rng.integers(3, 5))
        y = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)]).astype(np.int32)
        goes_right = rng.integers(0, 2, (3, n)).astype(np.uint8)
        weight = rng.choice(LARGE, n)
        of_class = [int(weight[y == k].sum()) for k in range(n_classes)]
        beyond += math.lcm(*of_class) * n_classes >= 2**53
        share = [Fraction(int(w), of_class[k] * n_classes) for w, k in zip(weight, y, strict=True)]
        penalty, depth = float(rng.choice([0, 0.01, 0.05])), int(rng.integers(1, 4))
        stated = make_problem(
            table_from(goes_right.T.astype(float)),
            y,
            sample_weight=weight,
            class_weight="balanced",
            cost_complexity=penalty,
            max_depth=depth,
        )
        result = solve(stated, "all", options=BinaryOptions(engine=engine))
        assert result.status is SolveStatus.OPTIMAL
        optimum = best_objective(goes_right, y, share, 1 - np.eye(n_classes), Fraction(penalty), depth)
        wrong = result.tree.predict(goes_right.T.astype(float)) != y
        objective = sum((s for s, is_wrong in zip(share, wrong, strict=True) if is_wrong), Fraction(0))
        objective += Fraction(penalty) * result.tree.n_leaves
        assert objective - optimum <= Fraction(result.rounding) + FLOAT * optimum
        assert Fraction(result.lower_bound) <= optimum * (1 + FLOAT)
    assert beyond > 6


@pytest.mark.parametrize("engine", ["binary", "ranked"])
@pytest.mark.parametrize("seed", range(8))
def test_optimal_means_optimal_within_what_is_said(engine: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    proven = 0
    for _ in range(12):
        problem = real_numbers(rng)
        optimum = problem.optimum()
        if optimum > 10**6:
            continue
        stated, cuts = problem.stated()
        what = cuts if engine == "binary" else "all"
        result = solve(stated, what, options=BinaryOptions(engine=engine))
        assert Fraction(result.lower_bound) <= optimum * (1 + FLOAT)
        if result.status is SolveStatus.OPTIMAL:
            assert Fraction(result.objective) - optimum <= Fraction(result.rounding) + FLOAT * optimum
            assert ("to within" in result.sentence()) == (result.rounding > 0)
            assert Fraction(result.rounding) <= LARGEST * Fraction(result.objective)
            proven += 1
    assert proven > 3


@pytest.mark.parametrize("seed", range(6))
def test_weights_of_any_size_are_proven_over_ranked_columns(seed: int) -> None:
    """A best tree may cost less than what the rounding of all weights hides; a second search has finer units."""
    rng = np.random.default_rng(100 + seed)
    for _ in range(30):
        problem = random_problem(rng, max_columns=4, max_rows=9)
        problem = problem.but(
            weight=10.0 ** rng.uniform(-rng.choice([3, 9, 14]), 0, problem.n_rows),
            costs=1 - np.eye(len(problem.costs)),
            cost_complexity=float(rng.choice([0, 0, 1e-9])),
        )
        result = solve(problem.stated()[0], "all", options=BinaryOptions(engine="ranked"))
        optimum = problem.optimum()
        assert Fraction(result.lower_bound) <= optimum * (1 + FLOAT)
        assert result.status is SolveStatus.OPTIMAL
        assert Fraction(result.objective) - optimum <= LARGEST * Fraction(result.objective)


def test_the_sentence() -> None:
    rng = np.random.default_rng(0)
    problem = TinyProblem(
        rng.integers(0, 2, (3, 8)).astype(np.uint8),
        rng.integers(0, 2, 8).astype(np.int32),
        np.ones(8),
        1 - np.eye(2),
    )
    result = problem.solve()
    assert result.rounding == 0
    assert result.sentence().startswith("Proven optimal over all splits of the 0/1 columns: no tree has")
    rounded = replace(result, lower_bound=result.objective - 3e-7)
    assert rounded.rounding == pytest.approx(3e-7)
    assert rounded.sentence().startswith(
        "Proven optimal over all splits of the 0/1 columns to within 3.0e-07, by which"
    )


def test_regression_claims_no_proof_where_rounding_hides_much() -> None:
    table, y = table_from(np.array([[1.31], [0.8]])), [999999.7, 1000001.5]
    problem = make_regression_problem(table, y, sample_weight=[2992.3, 2e-4], cost_complexity=0.001)
    result = solve_regression(problem)
    assert result.stats["tolerance"] > 1e-8
    assert result.status is SolveStatus.FEASIBLE
    assert "were rounded for the search" in result.notes[-1]
    assert verify_regression(problem, result).ok
    plain = solve_regression(
        make_regression_problem(table, y, sample_weight=[2992.3, 2], cost_complexity=0.001)
    )
    assert plain.status is SolveStatus.OPTIMAL
    assert plain.stats["tolerance"] <= 1e-8


def test_a_proof_without_rounding_names_no_tolerance() -> None:
    """One leaf loses nothing: "by more than 0e+00" would be no English."""
    X = np.array([[0.0], [1.0], [2.0]])
    for model in (
        tw.OptimalPolicyTree().fit(X, np.full((3, 2), 2.0**45)),
        tw.OptimalTreeRegressor().fit(X, [1.0, 1.0, 1.0]),
        tw.OptimalProbabilityTree().fit(X, [1, 1, 1]),
    ):
        assert "smaller than that of this one" in model.result_.sentence()


def test_what_only_rounding_leaves_open_asks_for_no_time() -> None:
    X, y, weight = np.array([[1.31], [0.8]]), [999999.7, 1000001.5], [2992.3, 2e-4]
    with pytest.warns(ConvergenceWarning) as warned:
        model = tw.OptimalTreeRegressor(cost_complexity=0.001).fit(X, y, weight)
    assert model.result_.is_only_rounded
    assert model.result_.sentence().startswith("Not proven optimal (numbers were rounded): the best tree")
    said = str(warned[0].message)
    assert "more time brings no proof" in said
    assert "Raise time_limit" not in said
    assert "at most 0.0%" not in said


def test_rounded_logarithms_are_not_blamed_on_numbers_that_were_kept() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 2))
    counts = rng.poisson(2_000_000 * (1 + 0.0003 * X[:, 0]))
    rare = np.arange(100_000) == 7
    many = rng.normal(size=(100_000, 1)).round(2)
    for model, rows, target, simpler in (
        (tw.OptimalTreeRegressor(criterion="poisson", max_depth=1), X, counts, "squared_error"),
        (tw.OptimalTreeRegressor(criterion="gamma", max_depth=1), X, counts, "squared_error"),
        (tw.OptimalProbabilityTree(criterion="log_loss", max_depth=1), many, rare, "brier"),
    ):
        with pytest.warns(ConvergenceWarning, match=f"give criterion='{simpler}', which needs no logarithms"):
            model.fit(rows, target)
        assert model.result_.is_only_rounded
        assert model.result_.notes[0].startswith("Logarithms")
        model.set_params(criterion=simpler).fit(rows, target)
        assert model.result_.status is tw.SolveStatus.OPTIMAL


def test_however_coarse_the_numbers_a_tree_has_one_leaf_to_pay_for() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    with pytest.warns(ConvergenceWarning, match="numbers were rounded"):
        model = tw.OptimalTreeRegressor(cost_complexity=0.05, criterion="poisson").fit(X, 1e6 + X[:, 0] / 1e3)
    assert model.result_.stats["tolerance"] > 1
    assert model.result_.lower_bound >= 0.05


def test_what_a_limit_leaves_open_asks_for_more_of_it() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 4)), rng.normal(size=60)
    with pytest.warns(ConvergenceWarning, match="Raise step_limit") as warned:
        model = tw.OptimalTreeRegressor(cost_complexity=0.001, max_depth=4, step_limit=1).fit(X, y)
    assert not model.result_.is_only_rounded
    assert "rounded" not in str(warned[0].message)


def test_a_front_of_regression_trees_tells_it_too() -> None:
    X, y = [[0.0], [1.0], [2.0]], [999999.6, 1000000.6, 1000000.1]
    weight = [12268.449734313013, 4.803471045172204e-06, 1e-6]
    front = tw.regression_frontier(X, y, max_leaves=4, sample_weight=weight)
    assert [point.status is SolveStatus.OPTIMAL for point in front] == [True, False, True]
    assert front[1].is_only_rounded


@pytest.mark.parametrize("first", [0, 1])
def test_targets_whose_rounding_prefers_one_of_two_trees(first: int) -> None:
    """Two splits that are equal in whole numbers; what each target has beside a whole number speaks for the second."""
    n, size = 1000, 69_000_000_000  # so that targets are rounded to whole numbers
    side = np.array([np.repeat([0.0, 0, 1, 1], n // 4), np.tile(np.repeat([0.0, 1], n // 4), 2)])
    y = size * (2 * side - 1).sum(axis=0) + 0.49 * (side[1] - side[0])
    squares = [sum(_squares(y[column == k]) for k in (0, 1)) for column in side]
    table = table_from(side[[first, 1 - first]].T)
    result = solve_regression(make_regression_problem(table, y, max_depth=1, cost_complexity=0.0))
    reached = squares[first] if result.tree.splits[0].column == 0 else squares[1 - first]  # type: ignore[union-attr]
    whole = _squares(y)
    assert result.status is SolveStatus.OPTIMAL
    assert (reached - min(squares)) / whole <= Fraction(result.stats["tolerance"]) * (1 + FLOAT)
    assert Fraction(result.lower_bound) <= min(squares) / whole


def _squares(y: np.ndarray) -> Fraction:
    """Squared error about the mean, in fractions."""
    exact = [Fraction(value) for value in y.tolist()]
    mean = sum(exact) / len(exact)
    return sum(((value - mean) ** 2 for value in exact), Fraction(0))


@pytest.mark.parametrize("limit", [{"max_depth": 0}, {"max_leaf_nodes": 1}])
@pytest.mark.parametrize("criterion", ["quantile", "gamma"])
def test_the_only_tree_is_proven_though_numbers_are_rounded(criterion, limit):
    rng = np.random.default_rng(0)
    X, weight, y = rng.normal(size=(80, 2)), rng.random(80), rng.normal(size=80)
    if criterion == "gamma":
        y = np.exp(9 * y)
        y = np.maximum(y, y.max() * 1e-10)
    how = {"criterion": criterion, "quantile": 0.0001, "sample_weight": weight}
    found = solve_regression(make_regression_problem(table_from(X), y, **how, **limit))
    assert found.status is SolveStatus.OPTIMAL
    assert found.lower_bound == found.objective == pytest.approx(1.01)
    assert found.stats["tolerance"] == 0
    more = solve_regression(make_regression_problem(table_from(X), y, **how, max_depth=1, cost_complexity=1))
    assert more.status is SolveStatus.FEASIBLE
