"""The sentences of regression, survival and policy trees: made for `certificate_cases.py`."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
from sklearn.datasets import load_diabetes

from treewright.lines import with_lines
from treewright.problem import (
    Criterion,
    make_policy_problem,
    make_regression_problem,
    make_survival_problem,
)
from treewright.result import (
    PolicyResult,
    RegressionResult,
    SolveStatus,
    StopReason,
    SurvivalResult,
)
from treewright.search import (
    solve_policy,
    solve_regression,
    solve_simple_lines,
    solve_survival,
)
from treewright.table import table_from


@cache
def regression() -> RegressionResult:
    """Return a proven regression tree."""
    X, y = load_diabetes(return_X_y=True)
    problem = make_regression_problem(table_from(X[:, 2:4]), y, cost_complexity=0.01, max_depth=2)
    return solve_regression(problem)


def regression_stopped() -> str:
    """Say what a search for a regression tree says that ended early."""
    proven = regression()
    bound = 0.9 * proven.objective
    return replace(
        proven, status=SolveStatus.FEASIBLE, lower_bound=bound, stop_reason=StopReason.TIME_LIMIT
    ).sentence()


def regression_of(criterion: Criterion) -> str:
    """Say what a proven regression tree of another loss says."""
    X, y = load_diabetes(return_X_y=True)
    problem = make_regression_problem(
        table_from(X[:, 2:4]), y, cost_complexity=0.01, max_depth=1, criterion=criterion, quantile=0.9
    )
    return solve_regression(problem).sentence()


def regression_simple_lines() -> str:
    """Say what a regression tree says that is proven best for lines in one column."""
    X, y = load_diabetes(return_X_y=True)
    problem = make_regression_problem(
        table_from(X[:, 2:4]), y, cost_complexity=0.01, max_depth=1, min_samples_leaf=5
    )
    return solve_simple_lines(problem).sentence()


def regression_lines(left_out: int) -> str:
    """Say what a proven regression tree says that got lines afterwards, in all leaves but so many, or in none."""
    X, y = load_diabetes(return_X_y=True)
    problem = make_regression_problem(table_from(X[:, 2:4]), y, cost_complexity=0.01, max_depth=2)
    lined = with_lines(regression(), problem)
    lines = 0 if left_out < 0 else lined.tree.n_leaves - left_out
    return replace(lined, stats={**lined.stats, "lines": lines}).sentence()


@cache
def survival() -> SurvivalResult:
    """Return a proven survival tree; the times are those of a disease that went on."""
    X, y = load_diabetes(return_X_y=True)
    problem = make_survival_problem(table_from(X[:, 2:4]), (y < 250, np.minimum(y, 250)), max_depth=2)
    return solve_survival(problem)


def survival_stopped() -> str:
    """Say what a search for a survival tree says that ended early."""
    proven = survival()
    bound = 0.9 * proven.objective
    return replace(
        proven, status=SolveStatus.FEASIBLE, lower_bound=bound, stop_reason=StopReason.TIME_LIMIT
    ).sentence()


@cache
def policy() -> PolicyResult:
    """Return a proven policy tree: to wait, or a drug that costs something."""
    X, y = load_diabetes(return_X_y=True)
    rewards = np.column_stack([np.full(len(y), 150.0), y])
    problem = make_policy_problem(
        table_from(X[:, 2:4]),
        rewards,
        actions=["wait", "drug"],
        action_costs={"drug": 10.0},
        cost_complexity=0.02,
        max_depth=2,
    )
    return solve_policy(problem)


def policy_stopped() -> str:
    """Say what a search for a policy tree says that ended early."""
    proven = policy()
    stats = {
        name: value
        for name, value in proven.stats.items()
        if name not in ("mean_reward", "best_single_reward")
    }
    return replace(
        proven,
        status=SolveStatus.FEASIBLE,
        lower_bound=0.9 * proven.objective,
        stop_reason=StopReason.TIME_LIMIT,
        stats=stats,
    ).sentence()
