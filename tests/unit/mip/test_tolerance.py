"""Costs and weights of any size: a solver's tolerances are absolute, and what it calls optimal must be so."""

from __future__ import annotations

import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

pytest.importorskip("highspy", reason="needs the extra mip")

from brute_force import best_objective
from treewright import MIPTreeClassifier, SolveStatus
from treewright.binarize import midpoints
from treewright.convert import from_json, to_json
from treewright.mip import MIPOptions, make_formulation, solve
from treewright.mip._least_difference import least_difference
from treewright.problem import Problem, make_problem
from treewright.result import SolveResult
from treewright.search import Limits
from treewright.table import table_from
from treewright.verify import verify


def drawn(seed: int, kind: str) -> Problem:
    """A tiny problem whose costs or weights are tiny, huge, or of very different sizes."""
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(3, 12)), int(rng.integers(1, 4))
    X = rng.integers(0, int(rng.integers(2, 6)), (n, p)).astype(float)
    y = np.concatenate([[0, 1], rng.integers(0, int(rng.integers(2, 4)), n - 2)])
    k = len(np.unique(y))
    costs: Any = None
    weight: Any = None
    if kind == "tiny costs":
        costs = rng.integers(1, 6, (k, k)) * 10.0 ** -int(rng.integers(4, 250))
    elif kind == "huge costs":
        costs = rng.integers(1, 6, (k, k)) * 10.0 ** int(rng.integers(3, 10))
    elif kind == "different costs":
        costs = 10.0 ** rng.integers(0, 10, (k, k))
    else:
        weight = 10.0 ** rng.integers(-5, 6, n)
    return make_problem(
        table_from(X), y, sample_weight=weight, costs=None if costs is None else (1 - np.eye(k)) * costs,
        cost_complexity=0.0, max_depth=int(rng.choice([1, 2])), min_samples_leaf=int(rng.choice([1, 1, 2])),
    )  # fmt: skip


def optimum(p: Problem) -> float:
    limits = (p.max_depth, p.max_leaf_nodes, p.min_samples_leaf)
    goes_right = midpoints(p.table).goes_right
    return float(
        best_objective(goes_right, p.y, p.sample_weight, p.costs, Fraction(p.cost_complexity), *limits)
    )


@pytest.mark.parametrize("kind", ["tiny costs", "huge costs", "different costs", "different weights"])
@pytest.mark.parametrize("formulation", ["oct", "binoct"])
def test_what_is_called_optimal_is_so(kind: str, formulation: str) -> None:
    proven = 0
    for seed in range(10):
        problem = drawn(seed, kind)
        options = MIPOptions(tighten=seed % 3 > 0)
        strategy = ["direct", "warm"][seed % 2]
        result = solve(problem, formulation, strategy, limits=Limits(step_limit=2000), options=options)
        best = optimum(problem)
        assert result.lower_bound <= best * (1 + 1e-9), seed
        if result.status is SolveStatus.OPTIMAL:
            proven += 1
            assert result.objective <= (best + result.rounding) * (1 + 1e-9), seed
            assert result.rounding <= 1e-4 * result.objective, seed
        report = verify(problem, result)
        assert report.ok, str(report)
    assert proven > 4


def test_costs_in_cents_have_the_bounds_of_costs_in_euros() -> None:
    problem = drawn(3, "different costs")
    scaled = make_problem(
        problem.table,
        problem.y,
        costs=problem.costs / 2.0**30,
        cost_complexity=0.0,
        max_depth=problem.max_depth,
    )
    given = make_problem(
        problem.table, problem.y, costs=problem.costs, cost_complexity=0.0, max_depth=problem.max_depth
    )
    for formulation in ("oct", "binoct"):
        models = [make_formulation(one, formulation).model for one in (given, scaled)]
        assert (models[0].matrix() != models[1].matrix()).nnz == 0
        assert (models[0].cost == models[1].cost * 2.0**30).all()
        assert models[0].unit == models[1].unit * 2.0**30


def of_real_weights() -> tuple[Problem, SolveResult]:
    rng = np.random.default_rng(0)
    X, y, weight = rng.integers(0, 4, (12, 2)), rng.integers(0, 2, 12), rng.random(12) + 0.1
    problem = make_problem(table_from(X), y, sample_weight=weight, cost_complexity=0.0, max_depth=1)
    return problem, solve(problem, "oct")


def test_the_sentence_states_the_tolerance_where_it_leaves_something_open() -> None:
    problem, result = of_real_weights()
    assert result.status is SolveStatus.OPTIMAL
    assert result.rounding == pytest.approx(2e-6, rel=1)
    assert "to within" in result.sentence()
    assert "which the solver tolerates" in result.sentence()
    assert verify(problem, result).ok
    whole = make_problem(problem.table, problem.y, cost_complexity=0.0, max_depth=1)
    assert "to within" not in solve(whole, "oct").sentence()


def test_the_tolerance_of_a_worst_leaf_is_stated_too() -> None:
    problem, _ = of_real_weights()
    result = solve(problem, "leaf_accuracy")
    assert result.status is SolveStatus.OPTIMAL
    assert "one that is better by more than 2.0e-06." in result.sentence()
    assert result.stats["tolerance"] == pytest.approx(2e-6)
    assert verify(problem, result).ok
    assert verify(problem, from_json(to_json(result)).result).ok
    for changed in ({"tolerance": 1e-7}, {"tolerance": 1e-2, "upper_bound": result.objective + 1e-2}):
        object.__setattr__(result, "stats", {**result.stats, **changed})
        assert not verify(problem, result).ok
    whole = make_problem(problem.table, problem.y, cost_complexity=0.0, max_depth=1)
    assert "by more than" not in solve(whole, "leaf_accuracy").sentence()


def test_what_the_tolerance_hides_is_not_called_optimal() -> None:
    """One row in 200 million of the weight is an objective of 5e-9, a single leaf loses 1e-2."""
    rng = np.random.default_rng(1)
    X = np.arange(12.0)[:, None]
    y = np.array([0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 1])
    weight = np.where(np.arange(12) < 10, 1e8, 1.0) * (rng.random(12) + 0.5)
    problem = make_problem(table_from(X), y, sample_weight=weight, cost_complexity=0.0, max_depth=1)
    result = solve(problem, "oct")
    assert 0 < result.objective < 1e-2
    assert result.status is SolveStatus.FEASIBLE
    assert result.stop_reason is None
    assert any("cannot tell this tree from one that is better" in note for note in result.notes)
    assert verify(problem, result).ok
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        MIPTreeClassifier("oct", max_depth=1).fit(X, y, sample_weight=weight)
    assert any("More time brings no proof" in str(one.message) for one in caught)


@pytest.mark.parametrize("seed", range(40))
def test_no_two_objectives_are_nearer_than_is_said(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 7))
    weight = [np.ones(n), rng.integers(1, 9, n) / 10, n / 2 / rng.integers(1, 4, n)][seed % 3]
    costs = np.array([[0, rng.integers(1, 5)], [rng.integers(1, 5), 0]]) / [1, 10][seed % 2]
    penalty = float(rng.choice([0, 0.1, 0.07, 1 / 3]))
    problem = make_problem(
        table_from(np.arange(n)[:, None]), [0, *[1] * (n - 1)], sample_weight=weight, costs=costs,
        cost_complexity=penalty, max_depth=2,
    )  # fmt: skip
    paid = {0.0}
    for label, w in zip(problem.y, problem.sample_weight, strict=True):
        paid |= {p + w * problem.costs[label].max() for p in paid}
    sizes = range(1, min(4, n) + 1)
    values = np.unique([p / problem.total_weight + penalty * leaves for p in paid for leaves in sizes])
    apart = np.diff(values)
    least = least_difference(problem, leaf_accuracy=False)
    assert least > 0
    assert apart[apart > 1e-12].min(initial=np.inf) >= least * (1 - 1e-6)


def test_real_weights_may_be_as_near_as_float64_has_them() -> None:
    problem, _ = of_real_weights()
    assert least_difference(problem, leaf_accuracy=False) < 1e-12
    assert least_difference(problem, leaf_accuracy=True) < 1e-24
