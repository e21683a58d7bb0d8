"""The verifier of regression trees: hard targets, and what its report says."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from treewright import OptimalTreeRegressor
from treewright.problem import make_regression_problem
from treewright.table import table_from
from treewright.verify import verify_regression

X = np.array([[0.0], [1.0], [1.0], [0.0]])


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize(
    "y",
    [[-1.7e308, 1.7e308, 1.6e308, -1.5e308], [1e300, 3e300, 3.5e300, 1.5e300], [1e-300, 3e-300, 2e-300, 0.0]],
)
def test_the_largest_and_smallest_targets(y):
    """Differences of the largest ones have no float64; the mean of each leaf has."""
    model = OptimalTreeRegressor(max_depth=1).fit(X, y)
    leaves = model.tree_.value[model.tree_.is_leaf, 0]
    halves = np.array(y) / 2
    assert sorted(leaves / 2) == pytest.approx(
        sorted([halves[[0, 3]].mean(), halves[[1, 2]].mean()]), rel=1e-12
    )
    problem = make_regression_problem(table_from(X), y, max_depth=1)
    assert verify_regression(problem, model.result_).ok
    value = model.tree_.value.copy()
    value[1] *= 0.999
    forged = replace(model.result_, tree=replace(model.tree_, value=value))
    assert not verify_regression(problem, forged).ok


def test_a_check_that_holds_tells_no_fault():
    y = np.array([1.0, 3.0, 3.5, 1.5])
    model = OptimalTreeRegressor(max_depth=1).fit(X, y)
    report = verify_regression(make_regression_problem(table_from(X), y, max_depth=1), model.result_)
    assert {check.name: check.found for check in report.checks}["kind"] == "as claimed"
    assert "differ" not in str(report)


def test_a_leaf_without_rows_is_told_and_raises_nothing():
    """A split that sends all rows one way, as a file in bad hands may have it."""
    y = np.array([1.0, 3.0, 3.5, 1.5])
    model = OptimalTreeRegressor(max_depth=1).fit(X, y)
    split = replace(model.tree_.splits[0], threshold=7.0)
    forged = replace(model.result_, tree=replace(model.tree_, splits=(split, None, None)))
    report = verify_regression(make_regression_problem(table_from(X), y, max_depth=1), forged)
    assert not report.ok
