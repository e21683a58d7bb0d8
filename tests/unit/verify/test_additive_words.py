"""Every word and number beside the loss that the sentence of an additive loss tells is held against the data."""

from dataclasses import replace

import numpy as np
import pytest

from treewright.problem import (
    make_policy_problem,
    make_probability_problem,
    make_regression_problem,
    make_row_costs_problem,
    make_survival_problem,
)
from treewright.search import (
    solve_policy,
    solve_probability,
    solve_regression,
    solve_row_costs,
    solve_survival,
)
from treewright.table import table_from
from treewright.verify import (
    verify_policy,
    verify_probability,
    verify_regression,
    verify_row_costs,
    verify_survival,
)

LIMITS = {"max_depth": 2, "cost_complexity": 0.02}


def cases():
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 6, size=(40, 2)).astype(float)
    X, first, last = table_from(rows), rows[:, 0], rows[:, 1]
    label = ((first > 2) ^ (rng.random(40) < 0.2)).astype(int)
    y = first + rng.normal(size=40).round(1)
    two = np.column_stack([y, -last])
    weight = rng.integers(1, 4, size=40).astype(float)
    policy = make_policy_problem(X, two, action_costs=[0.5, 0.0], sample_weight=weight, **LIMITS)
    free = make_policy_problem(X, two, **LIMITS)
    costs = make_row_costs_problem(X, label, np.abs(two), sample_weight=weight, **LIMITS)
    yield "regression", make_regression_problem(X, y, **LIMITS), solve_regression, verify_regression
    yield "two outputs", make_regression_problem(X, two, **LIMITS), solve_regression, verify_regression
    yield "survival", make_survival_problem(X, (label, np.exp(y)), **LIMITS), solve_survival, verify_survival
    yield "policy", policy, solve_policy, verify_policy
    yield "policy without costs", free, solve_policy, verify_policy
    yield "row costs", costs, solve_row_costs, verify_row_costs
    for criterion in ("brier", "log_loss"):
        asked = make_probability_problem(X, label, criterion=criterion, sample_weight=weight, **LIMITS)
        yield criterion, asked, solve_probability, verify_probability


NUMBERS = {
    "policy": ("mean_reward", "best_single_reward", "best_each_reward"),
    "policy without costs": ("mean_reward", "best_single_reward", "best_each_reward"),
    "row costs": ("single_class_cost", "least_cost"),
    "brier": ("brier_score", "single_leaf_brier_score"),
    "log_loss": ("log_loss", "single_leaf_log_loss"),
}


@pytest.mark.parametrize(
    ("name", "problem", "solve", "verify"), list(cases()), ids=lambda part: str(part)[:20]
)
def test_whatever_the_sentence_tells_is_recomputed(name, problem, solve, verify):
    result = solve(problem)
    assert verify(problem, result).ok
    lies = [replace(result, scope=scope) for scope in ("every tree", "all splits", "some thresholds", "")]
    for option, value in (
        ("min_leaf_accuracy", 0.9),
        ("n_outputs", 3),
        ("quantile", 0.3),
        ("action_costs", [9.0]),
    ):
        lies.append(replace(result, options={**result.options, option: value}))
    for number in NUMBERS.get(name, ()):
        for value in (
            result.stats[number] * 1.001 + 1e-6,
            0.0 if result.stats[number] else 1.0,
            "many",
            None,
        ):
            lies.append(replace(result, stats={**result.stats, number: value}))
        rest = {key: value for key, value in result.stats.items() if key != number}
        lies.append(replace(result, stats=rest))
    if name == "policy":
        lies.append(replace(result, options={**result.options, "action_costs": None}))
    if result.stats["tolerance"] > 1e-12 * result.objective:
        lies.append(replace(result, stats={**result.stats, "tolerance": 0.0}))
    told = [verify(problem, lie).ok for lie in lies]
    assert not any(told), [lies[k].sentence() for k, ok in enumerate(told) if ok]


@pytest.mark.parametrize(
    ("name", "problem", "solve", "verify"), list(cases()), ids=lambda part: str(part)[:20]
)
def test_a_leaf_that_no_row_reaches_is_reported_without_a_warning(name, problem, solve, verify):
    result = solve(problem)
    tree = result.tree
    splits = tuple(None if split is None else replace(split, threshold=99.0) for split in tree.splits)
    assert tree.n_leaves > 1
    assert not verify(problem, replace(result, tree=replace(tree, splits=splits))).ok
