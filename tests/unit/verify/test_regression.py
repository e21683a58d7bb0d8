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


def lined():
    """A problem and its tree with lines in both leaves."""
    rng = np.random.default_rng(0)
    table = rng.normal(size=(60, 2))
    y = np.where(table[:, 0] > 0, 5 + table[:, 1], -5 - table[:, 1]) + 0.1 * rng.normal(size=60)
    model = OptimalTreeRegressor(max_depth=1, leaf_model="linear").fit(table, y)
    return make_regression_problem(table_from(table), y, max_depth=1), model.result_


def failed(report):
    return {check.name for check in report.checks if not check.ok}


def test_what_is_said_of_lines_is_recomputed():
    problem, result = lined()
    assert verify_regression(problem, result).ok
    assert verify_regression(problem, result.tree).ok
    stats = {**result.stats, "loss_with_lines": 0.9 * result.stats["loss_with_lines"]}
    assert failed(verify_regression(problem, replace(result, stats=stats))) == {"loss with lines"}
    for other in (None, "0.1", float("nan"), True):
        stats = {**result.stats, "loss_with_lines": other}
        assert failed(verify_regression(problem, replace(result, stats=stats))) == {"loss with lines"}
    for count in (1, None, 3):
        stats = {**result.stats, "lines": count}
        assert failed(verify_regression(problem, replace(result, stats=stats))) == {"lines"}


def test_a_certificate_says_that_its_leaves_hold_lines():
    problem, result = lined()
    constant = {name: value for name, value in result.options.items() if name != "leaf_model"}
    assert failed(verify_regression(problem, replace(result, options=constant))) == {"leaf_model"}
    without = replace(result, tree=replace(result.tree, lines=None))
    assert failed(verify_regression(problem, without)) == {"leaf_model"}


def test_a_changed_line_is_found():
    problem, result = lined()
    node = next(node for node, line in enumerate(result.tree.lines) if line is not None)
    line = result.tree.lines[node]
    for changed in (
        replace(line, slopes=(tuple(1.01 * slope for slope in line.slopes[0]),)),
        replace(line, centers=tuple(center + 0.1 for center in line.centers)),
        replace(line, columns=line.columns[::-1]),
    ):
        lines = tuple(changed if k == node else other for k, other in enumerate(result.tree.lines))
        report = verify_regression(problem, replace(result, tree=replace(result.tree, lines=lines)))
        assert "loss with lines" in failed(report)


@pytest.mark.parametrize(
    "change",
    [
        lambda line: replace(line, columns=(0, 7)),
        lambda line: replace(line, columns=(0, 0)),
        lambda line: replace(line, columns=(), centers=(), slopes=((),)),
        lambda line: replace(line, slopes=(*line.slopes, *line.slopes)),
        lambda line: replace(line, slopes=((np.nan, 1.0),)),
        lambda line: replace(line, centers=(1.0,)),
        lambda line: replace(line, freedom=0.5),
        lambda line: replace(line, low=(line.low[0] - 1.0,)),
        lambda line: replace(line, high=()),
        lambda line: replace(line, high=(np.inf,)),
        lambda line: "no line",
    ],
)
def test_a_line_that_is_none(change):
    problem, result = lined()
    node = next(node for node, line in enumerate(result.tree.lines) if line is not None)
    lines = tuple(change(line) if k == node else line for k, line in enumerate(result.tree.lines))
    assert not verify_regression(problem, replace(result.tree, lines=lines)).ok
    for shape in (result.tree.lines[:-1], (result.tree.lines[node], *result.tree.lines[1:])):
        assert not verify_regression(problem, replace(result.tree, lines=shape)).ok


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("unit", [1e-300, 1e300])
def test_lines_of_the_largest_and_smallest_targets(unit):
    problem, result = lined()
    other = make_regression_problem(problem.table, problem.y * unit, max_depth=1)
    model = OptimalTreeRegressor(max_depth=1, leaf_model="linear").fit(problem.table.X, problem.y * unit)
    assert model.result_.stats["loss_with_lines"] == pytest.approx(result.stats["loss_with_lines"])
    assert verify_regression(other, model.result_).ok
