"""Law: the claims about shallower trees of `test_shallower_proofs_hold.py`, for all losses that add up over leaves.

The oracle of regression and policy trees is a list of all trees in fractions; those of the others are held against
whole searches of the depth in question.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

import treewright.search._limits as limits_module
from brute_force_additive import action_costs, best_tree, squared_error
from treewright.problem import (
    make_policy_problem,
    make_probability_problem,
    make_regression_problem,
    make_row_costs_problem,
    make_survival_problem,
)
from treewright.result import SolveStatus, StopReason, is_shallow_note
from treewright.search import (
    Limits,
    solve_policy,
    solve_probability,
    solve_regression,
    solve_row_costs,
    solve_survival,
)
from treewright.search._shallow import prove_shallower
from treewright.table import table_from
from treewright.verify import verify_policy, verify_probability, verify_regression, verify_survival

LIMITS = ("max_depth", "max_leaf_nodes", "min_samples_leaf")


def drawn(kind, rng):
    """A problem, its search, its checker, and the least share of any tree of some depth (None: ask the search)."""
    n = int(rng.integers(8, 13)) if kind in ("regression", "policy") else int(rng.integers(14, 40))
    X = rng.integers(0, 4, (n, 3)).astype(float)
    table = table_from(X)
    terms = {
        "cost_complexity": float(rng.choice([0, 1 / 128, 1 / 64])),
        "max_depth": [None, 4, 5][rng.integers(3)],
        "min_samples_leaf": int(rng.integers(1, 3)),
        "max_leaf_nodes": [None, None, 7][rng.integers(3)],
    }

    def brute(loss, one_leaf, problem):
        price = Fraction(problem.cost_complexity) * one_leaf
        asked = {name: getattr(problem, name) for name in LIMITS}
        return float(best_tree(table, loss, price=price, **asked)[0] / one_leaf)

    if kind == "regression":
        y = rng.integers(-5, 6, n)
        y[:2] = 0, 1
        loss = squared_error(y, np.ones(n, dtype=int))
        return (
            make_regression_problem(table, y, **terms),
            solve_regression,
            verify_regression,
            lambda problem: brute(loss, loss(range(n)), problem),
        )
    if kind == "policy":
        cost = rng.integers(0, 8, (n, 3))
        cost -= cost.min(axis=1, keepdims=True)
        cost[:2] = [[0, 3, 3], [3, 0, 3]]
        loss = action_costs(cost)
        return (
            make_policy_problem(table, -cost.astype(float), **terms),
            solve_policy,
            verify_policy,
            lambda problem: brute(loss, loss(range(n)), problem),
        )
    if kind == "survival":
        y = (rng.random(n) < 0.7, rng.integers(1, 9, n).astype(float))
        return make_survival_problem(table, y, **terms), solve_survival, verify_survival, None
    y = rng.integers(0, 3, n)
    problem = make_probability_problem(table, y, criterion=kind, **terms)
    return problem, solve_probability, verify_probability, None


@pytest.mark.parametrize("kind", ["regression", "policy", "survival", "brier", "log_loss"])
@pytest.mark.parametrize("seed", range(3))
def test_no_shallower_tree_is_better(seed, kind):
    rng = np.random.default_rng(700 + seed)
    claims = 0
    for _ in range(25):
        problem, solve, verify, least = drawn(kind, rng)

        def search(asked, limits, progress, solve=solve):
            return solve(asked, limits=limits, progress=progress, shallower=False)

        steps = int(rng.choice([1, 2, 4, 8]))
        deep = search(problem, Limits(step_limit=steps), None)
        if deep.status is SolveStatus.OPTIMAL:
            continue
        deep = replace(deep, stop_reason=StopReason.TIME_LIMIT)
        found = prove_shallower(
            deep, search, problem, Limits(step_limit=steps + int(rng.choice([5, 50, 5000])))
        )
        report = verify(problem, found)
        assert report.ok, str(report)

        def optimum(asked, least=least, search=search):
            return search(asked, Limits(), None).objective if least is None else least(asked)

        assert found.objective <= deep.objective + 1e-10
        whole = optimum(problem)
        assert found.lower_bound <= whole + 1e-10
        if found.status is SolveStatus.OPTIMAL:
            assert found.objective <= whole + 1e-8
            continue
        depth = found.proven_depth
        assert (depth is None) == (not any(map(is_shallow_note, found.notes)))
        if depth is not None:
            claims += 1
            left = found.stats["proven_depth_rounding"]
            assert left <= 1e-8
            assert found.objective <= optimum(replace(problem, max_depth=depth)) + left + 1e-12
    assert claims >= 2


@pytest.mark.parametrize(
    ("solve", "make"),
    [
        (solve_regression, lambda table, y: make_regression_problem(table, y, max_depth=5)),
        (solve_policy, lambda table, y: make_policy_problem(table, np.eye(2)[y], max_depth=5)),
        (solve_probability, lambda table, y: make_probability_problem(table, y, max_depth=5)),
        (
            solve_survival,
            lambda table, y: make_survival_problem(table, (y > 0, 1.0 + np.arange(len(y))), max_depth=5),
        ),
    ],
)
def test_a_time_limit_is_shared(monkeypatch, solve, make):
    """By a clock that the progress of the run sets on: shallower trees are searched once three quarters are over."""
    now, asked, native = SimpleNamespace(seconds=0.0), [], Limits.native

    def record(self):
        found = native(self)
        asked.append(found["time_limit"])
        seconds = 600.0 if now.seconds == 0 else 1e-9  # the deep search goes on, the others stop at once
        return {**found, "time_limit": seconds}

    def progress(state):
        stops = now.seconds > 15
        now.seconds += 8
        return stops

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(2000, 8)), rng.integers(0, 2, 2000)
    problem = make(table_from(X), y)
    monkeypatch.setattr(limits_module, "time", SimpleNamespace(perf_counter=lambda: now.seconds))
    monkeypatch.setattr(Limits, "native", record)
    for shallower in (True, False):
        asked.clear()
        now.seconds = 0.0
        found = solve(problem, limits=Limits(20), progress=progress, shallower=shallower)
        assert set(asked) == ({20, 4} if shallower else {20})
        assert found.stop_reason is StopReason.CALLBACK


def test_row_costs_make_no_claim():
    """They are asked of a policy tree, in another unit."""
    rng = np.random.default_rng(0)
    table = table_from(rng.normal(size=(300, 5)))
    y = rng.integers(0, 2, 300)
    problem = make_row_costs_problem(table, y, rng.random((300, 2)), max_depth=5)
    found = solve_row_costs(problem, limits=Limits(time_limit=2.1, step_limit=5))
    assert found.proven_depth is None
