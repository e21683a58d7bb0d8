"""When a time limit is shared with shallower trees, what is told meanwhile, and what `verify` says. No real clock."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import treewright.search._limits as limits_module
from treewright import SolveStatus
from treewright.convert import Model, from_json, to_json
from treewright.problem import make_problem
from treewright.result import StopReason, shallow_note, told_to_stop
from treewright.search import Limits, Progress, solve
from treewright.search._shallow import prove_shallower, search_then_shallower
from treewright.table import table_from
from treewright.verify import verify


@pytest.fixture
def clock(monkeypatch):
    """A clock that only moves when something sets it on."""
    now = SimpleNamespace(seconds=100.0)
    monkeypatch.setattr(limits_module, "time", SimpleNamespace(perf_counter=lambda: now.seconds))
    return now


def problem(max_depth=None, **terms):
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, (60, 6)).astype(float)
    y = (X[:, 0] + X[:, 1] + X[:, 2] + rng.integers(0, 2, 60)) % 2
    return make_problem(table_from(X), y, cost_complexity=0.002, max_depth=max_depth, **terms)


class Fake:
    """A search that tells of its progress each second, and ends in a second if it is asked for no more than a depth."""

    def __init__(self, clock, ends_at=None, memory=0, proves_at=None):
        self.clock, self.ends_at, self.memory, self.proves_at = clock, ends_at, memory, proves_at
        self.asked = []

    def __call__(self, asked, limits, progress):
        self.asked.append((asked.max_depth, limits.left()))
        found = solve(replace(asked, max_depth=2), limits=Limits())
        found = replace(found, options={**found.options, "max_depth": asked.max_depth})
        if self.ends_at is not None and asked.max_depth is not None and asked.max_depth <= self.ends_at:
            self.clock.seconds += 1
            return found
        reason, seconds = StopReason.TIME_LIMIT, 0
        while 0 < limits.left() < np.inf:
            self.clock.seconds += 1
            seconds += 1
            if self.clock.seconds == self.proves_at:
                return found
            if progress is not None and progress(
                Progress(seconds, found.objective, 0.01, seconds, self.memory)
            ):
                reason = StopReason.CALLBACK
                break
        stats = {**found.stats, **told_to_stop(reason)}
        return replace(found, status=SolveStatus.FEASIBLE, lower_bound=0.01, stop_reason=reason, stats=stats)


@pytest.mark.parametrize(("max_depth", "time_limit"), [(3, 20), (None, 1.9), (None, None), (2, 2)])
def test_short_and_shallow_searches_keep_their_time(clock, max_depth, time_limit):
    search = Fake(clock)
    search_then_shallower(search, problem(max_depth), Limits(time_limit).started())
    assert search.asked == [(max_depth, np.inf if time_limit is None else time_limit)]


DEPTH_3 = "Proven of shallower trees: no tree of depth at most 3 has a smaller objective than this one."


@pytest.mark.parametrize("max_depth", [None, 4])
def test_a_deep_search_waits_for_shallower_trees_and_goes_on(clock, max_depth):
    search = Fake(clock, ends_at=3)
    limits = Limits(20).started()
    clock.seconds += 4  # that were spent before: on a reference, say
    found = search_then_shallower(search, problem(max_depth), limits)
    assert search.asked[:3] == [(max_depth, 16), (2, 4), (3, 3)]
    assert search.asked[3:] == ([(4, 2)] if max_depth is None else [])
    assert clock.seconds == 120
    assert found.proven_depth == 3
    assert found.stop_reason is StopReason.TIME_LIMIT
    assert found.options["max_depth"] == max_depth
    assert found.notes[-1] == DEPTH_3


@pytest.mark.parametrize(("limit", "memory"), [({"step_limit": 1000}, 0), ({"memory_limit": 2**20}, 2**18)])
def test_a_deep_search_ends_where_steps_are_limited_or_it_holds_much_memory(clock, limit, memory):
    search = Fake(clock, ends_at=3, memory=memory)
    found = search_then_shallower(search, problem(4), Limits(20, **limit).started())
    assert search.asked == [(4, 20), (2, 5), (3, 4)]
    assert clock.seconds == 117
    assert found.stop_reason is StopReason.TIME_LIMIT
    assert found.asked_to_stop is None
    assert found.notes[-1] == DEPTH_3


def test_ctrl_c_while_it_ends_for_that_is_kept(clock):
    search = Fake(clock, memory=2**18)

    def interrupted(asked, limits, progress):
        found = search(asked, limits, progress)
        stats = {**found.stats, **told_to_stop(StopReason.INTERRUPT)}
        return replace(found, stop_reason=StopReason.INTERRUPT, stats=stats)

    found = search_then_shallower(interrupted, problem(4), Limits(20, memory_limit=2**20).started())
    assert len(search.asked) == 1
    assert found.asked_to_stop is StopReason.INTERRUPT


def test_a_deep_search_may_end_after_the_shallower_ones(clock):
    search = Fake(clock, ends_at=3, proves_at=119)
    found = search_then_shallower(search, problem(4), Limits(20).started())
    assert len(search.asked) == 3
    assert found.status is SolveStatus.OPTIMAL
    assert found.proven_depth is None
    assert found.stats["steps"] == 3 * solve(problem(2)).stats["steps"]  # all three are counted


@pytest.mark.parametrize(("stop", "reason"), [(True, StopReason.CALLBACK), (None, StopReason.INTERRUPT)])
def test_a_user_ends_the_deep_search_with_the_shallower_one(clock, stop, reason):
    told = []

    def progress(now):
        told.append(now)
        if clock.seconds < 116:
            return False
        if stop is None:
            raise KeyboardInterrupt
        return stop

    found = search_then_shallower(Fake(clock), problem(4), Limits(20).started(), progress)
    assert clock.seconds == 116
    assert found.stop_reason is reason
    assert found.asked_to_stop is reason
    assert {name for name in found.stats if name.startswith(("interr", "stopped"))} == set(
        told_to_stop(reason)
    )
    assert [now.seconds for now in told] == pytest.approx([*range(1, 15), 16], abs=0.1)
    assert told[-1].subproblems == 16


@pytest.mark.parametrize("reason", [StopReason.MEMORY_LIMIT, StopReason.INTERRUPT, StopReason.CALLBACK, None])
def test_what_ends_sooner_leaves_nothing_to_do(clock, reason):
    asked = []

    def stopped(problem, limits, progress):
        asked.append(problem.max_depth)
        clock.seconds += 10
        progress(Progress(10, 0.5, 0.1, 3, 0))
        return replace(solve(problem), stop_reason=reason, status=SolveStatus.FEASIBLE)

    found = search_then_shallower(stopped, problem(), Limits(20).started())
    assert asked == [None]
    assert found.stop_reason is reason
    assert found.proven_depth is None


def test_progress_goes_on_and_its_bound_is_that_of_all_trees(clock):
    found = solve(problem(), limits=Limits(step_limit=2))
    deep = replace(found, status=SolveStatus.FEASIBLE, stop_reason=StopReason.TIME_LIMIT, lower_bound=0.01)
    told = []

    def search(asked, limits, progress):
        progress(Progress(0.5, 1.0, 0.9, 7, 100))
        return solve(asked)

    prove_shallower(deep, search, problem(4), Limits(), told.append)
    assert len(told) == 2  # depth 2 and 3
    assert told[0].objective == deep.objective
    assert all(state.lower_bound == 0.01 for state in told)
    assert told[0].subproblems == deep.stats["steps"] + 7
    assert told[1].subproblems > told[0].subproblems
    assert told[1].seconds > told[0].seconds >= 0.5


def claim():
    found = solve(problem(4))
    return replace(
        found,
        status=SolveStatus.FEASIBLE,
        stop_reason=StopReason.TIME_LIMIT,
        lower_bound=0.01,
        stats={**found.stats, "proven_depth": 3, "proven_depth_rounding": 0.0},
        notes=(*found.notes, shallow_note(found.options, 3, found.objective)),
    )


def test_the_claim_is_kept_in_a_model_file():
    found = from_json(to_json(Model.of(claim()))).result
    assert found.proven_depth == 3
    assert verify(problem(4), found).ok
    assert "shallower trees" in str(verify(problem(4), found))


@pytest.mark.parametrize("depth", [None, 4, 5, 2, -1, 3.0, True, "3", 10**30])
def test_another_depth_is_found_out(depth):
    told = claim()
    said = replace(told, stats={**told.stats, "proven_depth": depth})
    assert not verify(problem(4), said).ok


def test_words_and_number_belong_together():
    told = claim()
    without = {name: value for name, value in told.stats.items() if name != "proven_depth"}
    assert not verify(problem(4), replace(told, stats=without)).ok
    assert not verify(problem(4), replace(told, notes=told.notes[:-1])).ok
    assert verify(problem(4), replace(told, notes=told.notes[:-1], stats=without)).ok  # a weaker claim
    proven = replace(solve(problem(4)), stats=told.stats, notes=told.notes)
    assert not verify(problem(4), proven).ok  # whose status says it all
    for left in (-1, "0", np.nan, 1.0, True):
        assert not verify(problem(4), replace(told, stats={**told.stats, "proven_depth_rounding": left})).ok
    rounded = shallow_note(told.options, 3, told.objective, 1e-7)
    assert rounded.endswith(" is better than this one by more than 1.0e-07.")
    stats = {**told.stats, "proven_depth_rounding": 1e-7}
    assert verify(problem(4), replace(told, stats=stats, notes=(*told.notes[:-1], rounded))).ok
