"""Questions with a time limit give an honest part of the answer, or an error that says what is known.

The clock is a false one: it moves on by an hour whenever it is read, so no test waits or depends on a machine.
"""

from __future__ import annotations

import threading
from types import SimpleNamespace

import numpy as np
import pytest

from treewright import NearOptimalTreeClassifier, near_optimal_trees
from treewright.errors import InputError, SolverError
from treewright.near_optimal import column_importance, gap_frontier
from treewright.near_optimal._watch import LittleMemory, TimeOver, Watch, in_threads
from treewright.search import _limits

X = np.random.default_rng(0).integers(0, 2, (120, 5)).astype(float)
Y = (X[:, 0].astype(int) & X[:, 1].astype(int)) ^ (np.random.default_rng(1).random(120) < 0.15)
GROUP = X[:, 2] == 1
HOUR = 3600  # from one reading of the clock to the next; no pass takes as long
READINGS = range(1, 60)  # limits in readings of the clock: from too short for anything to long enough


def asked(question):
    """Return the answer, or what the error says."""
    try:
        return question(), None
    except SolverError as error:
        return None, str(error)


@pytest.fixture(scope="module")
def trees():
    found = near_optimal_trees(X, Y, cost_complexity=0.01, max_depth=3, epsilon=0.3)
    assert found.status_ == "complete"
    return found


@pytest.fixture
def clock(monkeypatch):
    """A clock that reads one hour more each time."""
    state = SimpleNamespace(readings=0)

    def perf_counter():
        state.readings += 1
        return float(HOUR * state.readings)

    monkeypatch.setattr(_limits, "time", SimpleNamespace(perf_counter=perf_counter))
    return state


def test_columns_have_no_reliance_or_an_error_where_time_ended(trees, clock):
    whole = trees.columns()
    ends = set()
    for limit in READINGS:
        uses, error = asked(lambda limit=limit: trees.columns(time_limit=HOUR * limit))
        if error:
            ends.add("error")
            assert "of 5 columns were known" in error
            known = int(error.split(" of 5 columns")[0].split()[-1])
            assert [f"'x{k}' in " in error for k in range(5)] == [k < known for k in range(5)]
            continue
        assert [use._replace(reliance=None) for use in uses] == [use._replace(reliance=None) for use in whole]
        missing = [use.reliance is None for use in uses]
        assert missing == sorted(missing)  # those that came first were found
        assert all(use.reliance in (None, full.reliance) for use, full in zip(uses, whole, strict=True))
        ends.add("part" if any(missing) else "whole")
    assert ends == {"error", "part", "whole"}


@pytest.mark.parametrize("threads", [2, 3, 16])
def test_columns_are_the_same_for_any_number_of_threads(trees, threads):
    assert trees.columns(n_jobs=threads) == trees.columns()
    small = trees.where(max_leaves=3)
    assert small.columns(n_jobs=threads) == small.columns()


def test_parts_run_at_once_and_in_their_order():
    """Three parts that wait for each other end only if three threads work at them."""
    together = threading.Barrier(3, timeout=60)

    def do(part, watch):
        together.wait()
        return 10 * part

    assert in_threads(do, range(3), Watch(), 3) == [0, 10, 20]


def test_a_part_with_too_little_memory_is_done_again_alone():
    seen = []

    def do(part, watch):
        seen.append((part, watch.share))
        if part == 1 and watch.share > 1:
            raise LittleMemory("too little")
        return part

    assert in_threads(do, range(3), Watch(), 2) == [0, 1, 2]
    assert sorted(seen) == [(0, 2), (1, 1), (1, 2), (2, 2)]


def test_an_interrupt_ends_all_threads(trees):
    """What is interrupted in one thread is not computed in others, and the error comes out."""
    done = []

    def do(part, watch):
        if part == 0:
            raise KeyboardInterrupt
        done.append(part)
        return part

    with pytest.raises(KeyboardInterrupt):
        in_threads(do, range(3), Watch(), 2)
    watch = Watch(share=2)
    watch.dismiss()
    assert trees.columns() == trees.columns()  # a later question is not touched by that
    with pytest.raises(TimeOver):
        watch.left()


def test_the_range_of_a_gap_or_an_error_with_the_gap_of_the_best_tree(trees, clock):
    whole = trees.gap_range(GROUP)
    ends = set()
    for limit in READINGS:
        found, error = asked(lambda limit=limit: trees.gap_range(GROUP, time_limit=HOUR * limit))
        if error:
            ends.add("error")
            own = float(error.split("It holds ")[1].split(",")[0])
            assert whole.least.value - 1e-6 <= own <= whole.most.value + 1e-6
            continue
        assert (found.least.value, found.most.value) == (whole.least.value, whole.most.value)
        ends.add("whole")
    assert ends == {"error", "whole"}


def test_the_best_tree_with_a_gap_or_how_far_the_search_came(trees, clock):
    ends = set()
    smallest = gap_frontier(trees, GROUP).points[-1].gap
    for at_most in (smallest + 1e-9, max(0.0, smallest - 1e-3)):
        tree, looked, bound = trees.best_with_gap(GROUP, at_most)
        for limit in (*READINGS, looked + 100):
            early, seen, reached = trees.best_with_gap(GROUP, at_most, time_limit=HOUR * limit)
            if (early is None) == (tree is None) and reached == bound:
                assert seen == looked
                assert repr(early) == repr(tree)
                ends.add("whole")
            else:
                assert early is None
                assert seen < looked
                assert reached <= bound
                ends.add("part")
    assert ends == {"part", "whole"}


def test_a_front_of_gaps_that_time_ended_is_the_beginning_of_the_whole(trees, clock):
    whole = gap_frontier(trees, GROUP)
    assert whole.proven
    ends = set()
    for limit in (*READINGS, 3000):
        found = gap_frontier(trees, GROUP, time_limit=HOUR * limit)
        gaps = [point.gap for point in found.points]
        assert gaps == [point.gap for point in whole.points][: len(gaps)] or not found.proven
        assert gaps
        assert found.points[0].objective == whole.points[0].objective
        ends.add(found.proven)
    assert ends == {False, True}


@pytest.mark.parametrize("rule", ["without", "uses", "like"])
def test_a_smaller_set_is_counted_in_time_or_not_at_all(trees, clock, rule):
    """The clock is read while the graph of a rule is made, and not only before and behind."""
    given = {rule: trees[3] if rule == "like" else "x2"}
    whole, ended = trees.where(**given).n_trees_, []
    for limit in READINGS:
        found, error = asked(lambda limit=limit: trees.where(**given, time_limit=HOUR * limit))
        assert error is None or "not counted within time_limit" in error
        assert found is None or found.n_trees_ == whole
        ended.append(error is None)
    assert ended == sorted(ended)
    assert ended[-1]
    assert ended.count(False) >= {"without": 1, "uses": 15, "like": 5}[rule]


def test_importance_of_columns_keeps_the_time_of_the_whole_call(clock):
    """The limit is that of all resamples together: each asks for its share of what is left."""
    how = {"n_resamples": 4, "n_trees": 3, "max_depth": 1, "random_state": 0}
    whole = column_importance(X, Y, **how, time_limit=None)
    assert whole.reliance.shape == (4, 3, 5)
    sizes = set()
    for limit in (1, 2, 10, 20, 40, 80, 10_000):
        found, error = asked(lambda limit=limit: column_importance(X, Y, **how, time_limit=HOUR * limit))
        if error:
            assert "before the first resample" in error
            sizes.add(0)
            continue
        made = len(found.reliance)
        sizes.add(made)
        assert found.n_complete <= made
    assert max(sizes) == 4
    assert min(sizes) < 4


def test_a_classifier_whose_time_ends_while_it_chooses_says_so(clock, monkeypatch):
    from treewright.near_optimal import NearOptimalTrees

    plain = NearOptimalTrees.best_with_gap

    def late(self, *given, **how):
        assert how["time_limit"] is not None
        clock.readings += 10**9
        return plain(self, *given, **(how | {"time_limit": 1}))

    monkeypatch.setattr(NearOptimalTrees, "best_with_gap", late)
    model = NearOptimalTreeClassifier(
        choose="small gap", group="x2", max_gap=0.0, max_depth=2, epsilon=0.5, time_limit=10**8
    )
    with pytest.warns(UserWarning, match="when time ended"):
        model.fit(X, Y)
    assert repr(model.tree_) == repr(model.near_optimal_[0])


@pytest.mark.parametrize("limit", [0, -1, "soon", True])
def test_a_limit_that_is_no_time_is_refused(trees, limit):
    for ask in (
        lambda: trees.columns(time_limit=limit),
        lambda: trees.gap_range(GROUP, time_limit=limit),
        lambda: trees.best_with_gap(GROUP, 0.1, time_limit=limit),
        lambda: gap_frontier(trees, GROUP, time_limit=limit),
        lambda: trees.where(max_leaves=2, time_limit=limit),
    ):
        with pytest.raises(InputError, match="time_limit"):
            ask()
    with pytest.raises(InputError, match="n_jobs"):
        trees.columns(n_jobs=0)
