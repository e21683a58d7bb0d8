"""Exact policy trees against a list of all trees in rational arithmetic, and what verify says of them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from additive_laws import LIMITS, TAMPERED, assert_bounds_of_stopped, assert_kept, random_limits, tied_table
from brute_force_additive import action_costs, best_tree
from treewright import OptimalPolicyTree
from treewright.problem import make_policy_problem
from treewright.result import SolveStatus
from treewright.search import BinaryOptions, RankedOptions, solve_policy
from treewright.table import table_from
from treewright.verify import verify_policy

TABLES_A_BLOCK = 40


def random_case(rng: np.random.Generator):
    """A table with ties, missing values and text; whole rewards, weights and costs of actions."""
    n, n_columns, n_actions = (
        int(rng.integers(1, 9)),
        int(rng.integers(1, 4)),
        int(rng.choice([2, 2, 3, 4, 6])),
    )
    X = tied_table(rng, n, n_columns, ("red", "green", "blue", None))
    rewards = rng.integers(-4, 5, (n, n_actions))
    if rng.random() < 0.2:
        rewards = rewards + 10**6 * rng.integers(-3, 4, (n, 1))  # what a row has anyhow
    costs = rng.integers(0, 3, n_actions) if rng.random() < 0.4 else np.zeros(n_actions, dtype=int)
    weight = rng.integers(0, 4, n) if rng.random() < 0.4 else np.ones(n, dtype=int)
    weight[0] = max(weight[0], 1)
    return X, rewards, weight, {
        "action_costs": costs,
        **random_limits(rng),
    }  # fmt: skip


@pytest.mark.parametrize("block", range(60))
def test_optimum_and_certificate(block):
    rng = np.random.default_rng(block)
    for k in range(TABLES_A_BLOCK):
        X, rewards, weight, asked = random_case(rng)
        if asked["min_samples_leaf"] > (weight > 0).sum():
            continue
        net = rewards - asked["action_costs"]
        regret = (weight[:, None] * (net.max(axis=1, keepdims=True) - net))[weight > 0]
        one_leaf = int(regret.sum(axis=0).min())
        problem = make_policy_problem(table_from(X), rewards, sample_weight=weight, **asked)
        wanted, leaves = best_tree(
            problem.table,
            action_costs(regret),
            price=Fraction(asked["cost_complexity"]) * one_leaf,
            **{name: asked[name] for name in LIMITS},
        )
        wanted = wanted / one_leaf if one_leaf else Fraction(asked["cost_complexity"])
        engine = RankedOptions() if k % 2 else None  # ranked columns; few splits are binary columns otherwise
        model = OptimalPolicyTree(**asked, search_options=engine).fit(X, rewards, sample_weight=weight)
        result = model.result_
        assert not one_leaf or result.engine == ("ranked" if k % 2 else "binary")
        assert result.status is SolveStatus.OPTIMAL
        assert result.objective == pytest.approx(float(wanted), abs=1e-12)
        assert result.lower_bound <= float(wanted) + 1e-15
        assert result.tree.n_leaves == (leaves if one_leaf else 1)
        assert result.stats["tolerance"] < 1e-11
        if k % 5:
            continue
        assert_kept(problem, result, verify_policy)
        chosen = model.predict(X)
        gained = (weight * (rewards - asked["action_costs"])[np.arange(len(X)), chosen]).sum() / weight.sum()
        assert result.stats["mean_reward"] == pytest.approx(gained, abs=1e-9)
        if len(X) > 1:
            assert model.value(X, rewards, weight).value == pytest.approx(gained, abs=1e-9)


@pytest.mark.parametrize("engine", ["binary", "ranked"])
@pytest.mark.parametrize("seed", range(20))
def test_stopped_searches_hold_their_bound(seed, engine):
    options = RankedOptions() if engine == "ranked" else BinaryOptions(engine="binary")
    rng = np.random.default_rng(seed)
    X, rewards = rng.normal(size=(60, 3)).round(1), rng.integers(-3, 4, (60, 3)).astype(float)
    problem = make_policy_problem(table_from(X), rewards, cost_complexity=0.01, max_depth=3)
    assert_bounds_of_stopped(problem, solve_policy, verify_policy, options=options)


@pytest.mark.parametrize("exponent", [-300, -30, 30, 290])
def test_any_unit_of_rewards(exponent):
    rng = np.random.default_rng(0)
    X, rewards = rng.integers(0, 5, (12, 2)).astype(float), rng.integers(-4, 5, (12, 3)).astype(float)
    plain = OptimalPolicyTree(max_depth=2).fit(X, rewards).result_
    scaled = np.ldexp(rewards, exponent * 3)
    other = OptimalPolicyTree(max_depth=2).fit(X, scaled).result_
    assert (other.objective, other.status) == (plain.objective, plain.status)
    problem = make_policy_problem(table_from(X), scaled, max_depth=2)
    assert verify_policy(problem, other).ok


def test_a_dear_action_takes_no_digits_from_the_others():
    """An action that nobody would take, a billion times worse, leaves the proof of the rest as it is."""
    rng = np.random.default_rng(1)
    X, rewards = rng.normal(size=(80, 2)), rng.normal(size=(80, 3))
    rewards[:, 2] -= 1e15
    result = OptimalPolicyTree(max_depth=2).fit(X, rewards).result_
    assert result.status is SolveStatus.OPTIMAL
    assert result.stats["tolerance"] < 1e-8
    two = OptimalPolicyTree(max_depth=2).fit(X, rewards[:, :2]).result_
    assert result.objective == pytest.approx(two.objective, abs=1e-8)


def test_an_offset_of_a_row_changes_nothing():
    rng = np.random.default_rng(2)
    X, rewards = rng.normal(size=(40, 2)), rng.integers(0, 1000, (40, 2)).astype(float)
    plain = OptimalPolicyTree(max_depth=2).fit(X, rewards).result_
    moved = OptimalPolicyTree(max_depth=2).fit(X, rewards + 1e12 * rng.integers(-9, 9, (40, 1))).result_
    assert moved.objective == plain.objective
    assert moved.status is SolveStatus.OPTIMAL


CHANGED = TAMPERED | {
    "no tolerance": lambda r: replace(r, stats={}),
    "criterion": lambda r: replace(r, options={**r.options, "criterion": "squared_error"}),
    "action": lambda r: replace(r, tree=replace(r.tree, prediction=(r.tree.prediction + 1) % 3)),
    "count": lambda r: replace(r, tree=replace(r.tree, n_node_samples=r.tree.n_node_samples + 1)),
    "labels": lambda r: replace(r, tree=replace(r.tree, classes=np.array([5, 6, 7]))),
    "kind": lambda r: replace(
        r, tree=replace(r.tree, kind=type(r.tree.kind).CLASSIFICATION, value=abs(r.tree.value))
    ),
}


@pytest.mark.parametrize("what", CHANGED)
def test_tampered_certificates_are_refused(what):
    rng = np.random.default_rng(0)
    X, rewards = rng.normal(size=(60, 3)), rng.normal(size=(60, 3))
    result = OptimalPolicyTree(max_depth=2).fit(X, rewards).result_
    problem = make_policy_problem(table_from(X), rewards, cost_complexity=0.01, max_depth=2)
    assert verify_policy(problem, result).ok
    assert not verify_policy(problem, CHANGED[what](result)).ok


def test_one_best_action_is_one_leaf():
    result = OptimalPolicyTree().fit([[1.0], [2.0]], [[1.0, 0.0], [3.0, 3.0]]).result_
    assert (result.tree.n_leaves, result.loss, result.status) == (1, 0.0, SolveStatus.OPTIMAL)
    assert "One action is best for every row" in result.notes[-1]
