"""Lines in the leaves of a tree: what they leave alone, and what ends their fit early."""

from dataclasses import replace

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from treewright.errors import InputError
from treewright.lines import (
    _fit,
    _solve,
    check_leaf_model,
    fit_lines,
    fit_ridge,
    solve_frontier_with_lines,
    solve_with_lines,
    with_lines,
)
from treewright.problem import make_regression_problem
from treewright.result import SolveStatus, StopReason
from treewright.search import Limits, solve_regression, solve_regression_frontier
from treewright.table import table_from
from treewright.verify import verify_regression


def problem_of(seed=0, n=80, **options):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = np.where(X[:, 0] > 0, 4 + 2 * X[:, 1], -4 - X[:, 2]) + 0.2 * rng.normal(size=n)
    return make_regression_problem(table_from(X), y, **({"cost_complexity": 0.02, "max_depth": 2} | options))


def test_everything_about_the_constants_stays():
    problem = problem_of()
    plain, lined = solve_regression(problem), solve_with_lines(problem)
    for name in ("status", "objective", "lower_bound", "loss", "scope", "stop_reason", "notes"):
        assert getattr(lined, name) == getattr(plain, name)
    assert np.array_equal(lined.tree.value, plain.tree.value)
    assert lined.tree.splits == plain.tree.splits
    assert lined.sentence().startswith(plain.sentence())
    assert lined.stats["loss_with_lines"] < plain.loss
    assert verify_regression(problem, lined).ok


def test_each_leaf_has_the_line_of_its_rows():
    problem = problem_of()
    tree = solve_with_lines(problem).tree
    leaf = tree.apply(problem.table.X)
    assert sum(line is not None for line in tree.lines) >= 2
    for node, line in enumerate(tree.lines):
        rows = np.flatnonzero(leaf == node)
        found = None
        if len(rows):
            found = fit_ridge(
                problem.table.X[rows], problem.targets[rows], problem.sample_weight[rows], np.arange(3)
            )
        assert line == (None if found is None else found.line)


def test_the_loss_with_lines_is_that_of_the_predictions():
    problem = problem_of(3)
    result = solve_with_lines(problem)
    apart = problem.y - result.tree.predict(problem.table.X)
    assert result.stats["loss_with_lines"] == pytest.approx(
        (apart**2).sum() / ((problem.y - problem.y.mean()) ** 2).sum()
    )
    assert result.stats["lines"] == sum(line is not None for line in result.tree.lines)


def test_leaves_whose_turn_comes_too_late_keep_constants(monkeypatch):
    """The clock stands still at first; after the first leaf no time is left."""
    problem = problem_of()
    result = solve_regression(problem)
    done = []

    class Passing(Limits):
        def started(self):
            return self

        def left(self):
            return 1e9 if not done else 0.0

    fit = _fit.fit_ridge

    def counted(*arguments, **named):
        found = fit(*arguments, **named)
        done.append(1)
        return found

    monkeypatch.setattr(_fit, "fit_ridge", counted)
    lined = with_lines(result, problem, Passing())
    assert len(done) == 1
    assert lined.stats["lines"] == 1
    late = result.tree.n_leaves - 1
    assert (
        lined.notes[-1]
        == f"The time was over before the lines of {late} leaves were fitted; they say constants."
    )
    assert (lined.status, lined.objective) == (SolveStatus.OPTIMAL, result.objective)
    assert verify_regression(problem, lined).ok


def test_no_piece_of_work_begins_that_would_not_end_in_time():
    asked = []

    class Short(Limits):
        def started(self):
            return self

        def left(self):
            asked.append(1)
            return 1e-12

    problem = problem_of()
    fitted = fit_lines(solve_regression(problem).tree, problem, Short())
    assert (fitted.in_time, len(asked)) == (0, 2)  # before the leaf, and before its first column
    assert set(fitted.lines) == {None}


def test_ctrl_c_keeps_the_lines_so_far(monkeypatch):
    problem = problem_of()
    calls = []

    def interrupted(*arguments, **named):
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return fit_ridge(*arguments, **named)

    monkeypatch.setattr(_fit, "fit_ridge", interrupted)
    result = solve_with_lines(problem)
    assert result.stats["interrupted"] is True
    assert result.stats["lines"] == 1
    assert result.notes[-1].startswith("Ctrl-C came before the lines of ")


def test_ctrl_c_ends_the_lines_of_a_whole_front(monkeypatch):
    problem = problem_of(max_leaf_nodes=4)
    calls = []

    def interrupted(*arguments, **named):
        calls.append(1)
        raise KeyboardInterrupt

    monkeypatch.setattr(_fit, "fit_ridge", interrupted)
    front = solve_frontier_with_lines(problem)
    assert front.asked_to_stop is StopReason.INTERRUPT
    assert len(calls) == 1
    assert all(result.tree.lines is not None for result in front.limits)


def test_search_and_lines_share_the_time_limit(monkeypatch):
    seen = {}

    def searched(problem, *, limits, options, progress, shallower):
        seen["search"] = limits
        assert not shallower  # its note would speak of constant leaves
        return solve_regression(problem)

    def lined(result, problem, limits):
        seen["lines"] = limits
        return result

    monkeypatch.setattr(_solve, "solve_regression", searched)
    monkeypatch.setattr(_solve, "with_lines", lined)
    solve_with_lines(problem_of(), limits=Limits(time_limit=10.0))
    assert seen["search"].time_limit == pytest.approx(9.0)
    assert seen["lines"].time_limit == 10.0
    assert seen["search"].begun == seen["lines"].begun is not None


def test_after_ctrl_c_in_the_search_lines_get_a_second_at_most(monkeypatch):
    seen = []
    problem = problem_of()
    stopped = replace(solve_regression(problem), stop_reason=StopReason.INTERRUPT)
    monkeypatch.setattr(_solve, "solve_regression", lambda *_, **__: stopped)
    monkeypatch.setattr(_solve, "with_lines", lambda result, _, limits: seen.append(limits) or result)
    solve_with_lines(problem)
    assert seen[0].time_limit == _solve.AFTER_STOP


def test_one_thread_of_linear_algebra(monkeypatch):
    threads = []

    def look(*arguments, **named):
        threads.extend(lib["num_threads"] for lib in threadpool_info() if lib["user_api"] == "blas")

    monkeypatch.setattr(_fit, "fit_ridge", look)
    fit_lines(solve_regression(problem_of()).tree, problem_of())
    assert threads
    assert set(threads) == {1}


def test_every_tree_of_a_front_has_lines_and_its_own_certificate():
    problem = problem_of(max_leaf_nodes=4)
    plain, lined = solve_regression_frontier(problem), solve_frontier_with_lines(problem)
    assert [result.loss for result in lined.limits] == [result.loss for result in plain.limits]
    for result in lined.limits:
        assert result.options["leaf_model"] == "linear"
        asked = replace(problem, cost_complexity=0.0, max_leaf_nodes=result.options["max_leaf_nodes"])
        assert verify_regression(asked, result).ok


def test_constant_targets():
    rng = np.random.default_rng(0)
    problem = make_regression_problem(table_from(rng.normal(size=(9, 2))), np.full(9, 7.5))
    result = solve_with_lines(problem)
    assert (result.stats["lines"], result.stats["loss_with_lines"]) == (0, 0.0)
    assert result.sentence().endswith("It was chosen for constant leaves, and none of them has a line.")
    assert verify_regression(problem, result).ok


@pytest.mark.parametrize(
    ("leaf_model", "criterion"), [("line", "squared_error"), (None, "squared_error"), ("linear", "poisson")]
)
def test_what_cannot_be_is_refused(leaf_model, criterion):
    with pytest.raises(InputError, match="leaf_model="):
        check_leaf_model(leaf_model, criterion)
