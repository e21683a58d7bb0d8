"""The coefficients that a line claims are recomputed from its slopes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from treewright import OptimalTreeRegressor
from treewright.problem import make_regression_problem
from treewright.table import table_from
from treewright.verify import verify_regression


def made(seed: int, leaf_model: str) -> tuple[Any, Any]:
    """Columns of any unit, some equal, some with gaps, more than rows in a leaf for every third seed."""
    rng = np.random.default_rng(seed)
    n, p = 60, 40 if seed % 3 == 0 and leaf_model == "linear" else 5
    X = rng.normal(size=(n, p)) * 10.0 ** rng.integers(-6, 7, p)
    X[:, 1] = X[:, 0]
    X[:, 2] = rng.integers(0, 3, n)
    X[rng.random(n) < 0.1, 3] = np.nan
    y = 3 * X[:, 0] / np.abs(X[:, 0]).max() + X[:, 2] + rng.normal(size=n) / 4
    if seed % 2 and leaf_model == "linear":
        y = np.column_stack([y, X[:, 2] - y])
    weight = rng.integers(1, 4, n).astype(float)
    asked = {"cost_complexity": 0.02, "max_depth": 1}
    model = OptimalTreeRegressor(**asked, leaf_model=leaf_model).fit(X, y, sample_weight=weight)
    return make_regression_problem(table_from(X), y, sample_weight=weight, **asked), model.result_


@pytest.mark.parametrize("leaf_model", ["linear", "simple_linear"])
def test_a_changed_number_of_coefficients_is_found(leaf_model: str) -> None:
    for seed in range(6):
        problem, result = made(seed, leaf_model)
        assert verify_regression(problem, result).ok
        for node, line in enumerate(result.tree.lines):
            if line is None:
                continue
            for freedom in (line.freedom + 0.001, line.freedom - 0.001, 1.0, 2 * line.freedom):
                lines = list(result.tree.lines)
                lines[node] = replace(line, freedom=freedom)
                tree = replace(result.tree, lines=tuple(lines))
                failed = verify_regression(problem, replace(result, tree=tree)).failed
                assert any("coefficients" in check.name + check.found for check in failed), (
                    seed,
                    node,
                    freedom,
                )


def test_a_line_of_any_column_keeps_its_two_coefficients_in_a_bare_tree() -> None:
    problem, result = made(1, "simple_linear")
    assert verify_regression(problem, result.tree).ok
