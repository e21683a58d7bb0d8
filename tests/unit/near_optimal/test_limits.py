"""A set that a limit cut short: never an exception, never a wrong count."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from treewright import near_optimal_trees
from treewright.errors import InputError, SolverError
from treewright.near_optimal import _derived, solve_near_optimal
from treewright.near_optimal._counts import Counts
from treewright.near_optimal._watch import LittleMemory, Watch
from treewright.problem import make_problem
from treewright.result import SolveStatus, StopReason
from treewright.search import Limits, solve
from treewright.table import table_from


def interrupt(progress):
    raise KeyboardInterrupt


STOPS = {
    "time": ({"time_limit": 1e-9}, StopReason.TIME_LIMIT),
    "memory": ({"memory_limit": 1000}, StopReason.MEMORY_LIMIT),
    "Ctrl-C": ({"progress": interrupt}, StopReason.INTERRUPT),
    "callback": ({"progress": lambda progress: True}, StopReason.CALLBACK),
}


@pytest.fixture(scope="module", params=["binary columns", "ranked columns"])
def small(request):
    """A table whose set takes a moment, and the whole set."""
    rng = np.random.default_rng(0)
    asked = {"cost_complexity": 0.004, "max_depth": 3, "epsilon": 0.05}
    if request.param == "binary columns":
        X, y = rng.integers(0, 2, (300, 10)).astype(float), rng.integers(0, 4, 300)
    else:
        X, y = rng.normal(size=(150, 3)), rng.integers(0, 3, 150)
        asked |= {"thresholds": "all", "epsilon": 0.004}
    return X, y, asked, near_optimal_trees(X, y, **asked)


@pytest.fixture(scope="module")
def wide():
    """A table whose optimum takes minutes to prove."""
    rng = np.random.default_rng(1)
    return rng.integers(0, 2, (600, 60)).astype(float), rng.integers(0, 6, 600)


@pytest.mark.parametrize("stop", STOPS)
def test_what_is_left_is_the_whole_set_up_to_its_bound(small, stop):
    X, y, asked, whole = small
    how, reason = STOPS[stop]
    found = near_optimal_trees(X, y, **asked, **how)
    if found.status_ == "complete":  # a quick machine was done before it looked at the limit
        assert found.n_trees_ == whole.n_trees_
        return
    assert found.stop_reason is reason
    assert reason.value in found.status_
    assert found.status_ in found.sentence()
    if np.isnan(found.bound_):  # stopped before the first bound
        assert found.n_trees_ == 0
        assert "nothing was proven" in found.sentence()
        return
    assert found.bound_ <= whole.bound_
    same = whole.where(max_objective=found.bound_)
    assert found.n_trees_ == same.n_trees_
    assert found.table() == same.table()


@pytest.mark.parametrize("stop", ["time", "Ctrl-C", "callback"])
@pytest.mark.clock
def test_an_optimum_that_is_not_proven_gives_no_trees_and_says_so(wide, stop):
    how, reason = STOPS[stop]
    found = near_optimal_trees(*wide, cost_complexity=0.0005, max_depth=6, epsilon=0.05, **how)
    assert found.best.status is SolveStatus.FEASIBLE
    assert found.stop_reason is reason
    assert found.n_trees_ == 0
    assert not found
    assert list(found) == found.table() == []
    assert found.bound_ < found.best.objective
    assert found.bound_ == pytest.approx(found.best.lower_bound)
    assert "not proven" in found.sentence()
    assert "complete below an objective" in found.status_
    assert found.best.tree not in found
    assert not found.where(without=found.best.tree.columns[0].name)
    assert [use.share for use in found.columns()] == [0.0] * 60


@pytest.mark.parametrize("stop", ["time", "Ctrl-C", "callback"])
@pytest.mark.parametrize("thresholds", ["auto", "all"])
def test_a_run_that_is_stopped_before_the_optimum_begins_nothing_more(wide, stop, thresholds, monkeypatch):
    """Neither a graph nor a second reduction of the table."""
    from treewright.near_optimal import _solve
    from treewright.search import _solve as of_the_optimum

    begun = []
    monkeypatch.setattr(_solve.Task, "graph", lambda *given, **_: begun.append(given))
    monkeypatch.setattr(_solve, "ranked_problem", lambda *given: begun.append(given))
    monkeypatch.setattr(of_the_optimum, "grouped_rows", lambda *given, **_: begun.append(given))
    X, y = wide
    X = X if thresholds == "auto" else X[:, :8] + np.arange(len(y))[:, None] * 1e-3
    found = near_optimal_trees(
        X, y, cost_complexity=0.0005, max_depth=6, thresholds=thresholds, **STOPS[stop][0]
    )
    assert found.stop_reason is STOPS[stop][1]
    assert not found
    assert begun == []
    with pytest.raises(InputError, match="empty"):
        found.vote_share()
    assert not found.where(uses=found.best.tree.columns[0].name, max_leaves=3)
    assert np.isnan(found.bound_) or found.bound_ <= found.best.lower_bound


def test_a_bound_below_the_best_tree_of_a_stopped_search_stays_the_bound(wide):
    found = near_optimal_trees(*wide, cost_complexity=0.0005, max_depth=6, max_objective=0.2, time_limit=1e-9)
    assert found.n_trees_ == 0
    assert found.bound_ <= 0.2


def test_nothing_known_is_said(wide):
    X, y = wide
    found = near_optimal_trees(X, y, cost_complexity=0, max_depth=6, time_limit=1e-9)
    if found.best.lower_bound > 0:
        pytest.skip("the search had a bound already")
    assert np.isnan(found.bound_)
    assert "nothing was proven" in found.status_
    assert "nothing was proven" in found.sentence()


def test_every_limit_of_memory_gives_a_right_count(small):
    """From one byte to plenty: where the graph fits and its counts do not, too."""
    X, y, asked, whole = small
    reached = set()
    for memory in [1, *(int(1000 * 1.25**k) for k in range(40))]:
        found = near_optimal_trees(X, y, **asked, memory_limit=memory)
        assert found.table() == whole.where(max_objective=found.bound_).table()
        reached.add(found.bound_)
    assert len(reached) >= 3


def test_a_count_that_is_stopped_keeps_the_stage_before(small, monkeypatch):
    """Stops while counting, at every count of a run in turn."""
    X, y, asked, whole = small
    from treewright.near_optimal import _counts, _solve

    plain = _counts.Counts._count
    monkeypatch.setattr(_solve, "QUICK", 0.0)  # all stages, however quick the machine
    ends = set()
    for stopped_at in range(5):
        made = []

        def count(self, made=made, stopped_at=stopped_at, **how):
            made.append(how)
            if len(made) == stopped_at + 1:
                how["time_limit"] = 0.0  # the core looks at its clock at least once
                how["report"] = lambda *_: True
            return plain(self, **how)

        monkeypatch.setattr(_counts.Counts, "_count", count)
        found = near_optimal_trees(X, y, **asked)
        monkeypatch.setattr(_counts.Counts, "_count", plain)
        assert found.table() == whole.where(max_objective=found.bound_).table()
        ends.add((found.stop_reason, found.bound_))
    assert len(ends) >= 3
    assert {reason for reason, _ in ends} == {StopReason.TIME_LIMIT, None}


def test_a_query_that_is_stopped_is_no_wrong_answer(small, monkeypatch):
    *_, whole = small
    from treewright._native import core
    from treewright.near_optimal import _counts

    for stop, error in ((core.Stop.INTERRUPT, KeyboardInterrupt), (core.Stop.MEMORY, SolverError)):
        stopped = SimpleNamespace(stop=stop, complete=False, too_many=False)
        for name in ("_count", "_count_shares"):
            monkeypatch.setattr(_counts.Counts, name, lambda self, stopped=stopped, **how: stopped)
        with pytest.raises(error):
            _ = whole.where(max_leaves=3).n_trees_
        with pytest.raises(error):
            whole.where(max_leaves=3).vote_share()


@pytest.mark.parametrize("name", ["least_with_columns", "trees_without_columns"])
def test_a_stopped_pass_over_columns_is_no_wrong_answer(small, name):
    *_, whole = small
    from treewright._native import core

    native = whole.graph.native
    for stop, error in ((core.Stop.INTERRUPT, KeyboardInterrupt), (core.Stop.MEMORY, SolverError)):
        passes = {
            other: getattr(native, other)
            for other in ("least_with_columns", "trees_without_columns", "count")
        } | {name: lambda stop=stop, **how: (stop, [])}
        stopped = replace(
            whole, counts=Counts(replace(whole.graph, native=SimpleNamespace(**passes)), whole.membership)
        )
        with pytest.raises(error):
            stopped.columns(reliance=False)


@pytest.mark.parametrize("part", ["shared", "column"])
def test_a_stopped_reliance_is_no_wrong_answer(small, part):
    *_, whole = small
    from treewright._native import core

    native = whole.graph.native
    kept = {name: getattr(native, name) for name in ("least_with_columns", "trees_without_columns", "count")}
    for stop, error in ((core.Stop.INTERRUPT, KeyboardInterrupt), (core.Stop.MEMORY, SolverError)):
        shared = SimpleNamespace(
            stop=stop if part == "shared" else core.Stop.NONE, of=lambda stop=stop, **how: (stop, None)
        )
        passes = SimpleNamespace(**kept, reliance=lambda shared=shared, **how: shared)
        stopped = replace(whole, counts=Counts(replace(whole.graph, native=passes), whole.membership))
        with pytest.raises(error):
            stopped.columns()


def test_a_reliance_beyond_the_memory_limit_is_refused(small):
    *_, whole = small
    little = replace(whole, counts=Counts(replace(whole.graph, memory_limit=1), whole.membership))
    with pytest.raises(LittleMemory):
        little.counts.shared_reliance(Watch())
    shared = whole.counts.shared_reliance(Watch())
    with pytest.raises(LittleMemory):
        little.counts.reliance(shared, 0, Watch())


def test_columns_that_do_not_fit_together_are_counted_alone(small, monkeypatch):
    *_, whole = small
    together, plain = whole.columns(reliance=False), Counts.without

    def without(self, first, last, watch):
        if last - first > 1:
            raise LittleMemory
        return plain(self, first, last, watch)

    monkeypatch.setattr(Counts, "without", without)
    assert whole.columns(reliance=False) == together


@pytest.mark.parametrize("progress", [None, False, True, "auto"])
def test_progress_is_asked_for_as_everywhere(progress):
    found = near_optimal_trees([[0], [1]] * 9, [0, 1] * 9, max_depth=2, progress=progress)
    assert found.status_ == "complete"


def test_an_unusual_progress_is_refused():
    with pytest.raises(InputError, match="progress='loud'"):
        near_optimal_trees([[0], [1]], [0, 1], progress="loud")


@pytest.mark.parametrize("rule", ["uses", "like"])
def test_the_graph_of_a_rule_keeps_the_memory_limit(small, rule, monkeypatch):
    """Of the tree of two splits each node becomes two, so the smaller set may need more memory than the set."""
    whole = small[3]
    given = {rule: whole[3] if rule == "like" else "x1"}
    made = whole.where(**given)
    little = replace(whole, counts=Counts(replace(whole.graph, memory_limit=1000), whole.membership))

    def refuse(_arrays):
        raise AssertionError("the graph was made")

    monkeypatch.setattr(_derived, "native_of", refuse)
    with pytest.raises(SolverError, match="while it is made, and memory_limit leaves 1,000"):
        little.where(**given)
    assert made.n_trees_ > 0


def test_a_smaller_graph_has_no_nodes_that_nothing_leads_to(small):
    """Doubled for each column, a graph of three of them had eight times its nodes."""
    for given in ({"uses": ["x0", "x1", "x2"]}, {"like": small[3][3]}):
        graph = small[3].where(**given).graph
        reached = np.zeros(graph.n_nodes, dtype=bool)
        reached[0] = True
        for side in ("left", "right"):
            reached[graph.arrays[side]] = True
        assert reached.all()
    three = small[3].where(uses=["x0", "x1", "x2"])
    again = small[3].where(uses="x2").where(uses="x1").where(uses="x0")
    assert three.table() == again.table()


def test_a_bound_below_every_tree_is_refused_although_the_best_tree_is_not_proven():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 4)), rng.integers(0, 2, 200)
    asked = {"max_depth": 4, "max_objective": 0.001, "progress": False}
    with pytest.raises(InputError, match="below the objective of every tree, which is at least"):
        near_optimal_trees(X, y, time_limit=0.2, **asked)


def test_a_stopped_search_leaves_its_tree_where_only_ties_are_told_apart():
    """Equal rows of both labels cost any tree the same; where a column tells only such rows apart, the best tree that
    the stopped search knew was not found again."""
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, (60, 9)).astype(float)
    y = (X[:, :3].sum(axis=1) % 2 != 0) ^ (rng.random(60) < 0.2)
    X[:, 8] = 0
    X[:6, 8] = 1
    X[1:6:2], y[1:6:2] = X[:6:2], ~y[:6:2]
    problem = make_problem(table_from(X), y, cost_complexity=0.01, max_depth=5)
    limits = Limits(step_limit=60)
    alone = solve(problem, "all", limits=limits)
    assert alone.stop_reason is StopReason.STEP_LIMIT
    assert solve_near_optimal(problem, "all", limits=limits).best.objective <= alone.objective
