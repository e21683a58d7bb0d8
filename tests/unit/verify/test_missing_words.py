"""Fields whose absence would make a sentence stronger, and fields of other types than the sentence can use."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from treewright.problem import make_problem
from treewright.result import SolveStatus, StopReason
from treewright.search import Limits, solve_leaf_accuracy, solve_with_leaf_accuracy
from treewright.table import table_from
from treewright.verify import verify

rng = np.random.default_rng(41)
X = rng.integers(0, 4, size=(60, 3)).astype(float)
PROBLEM = make_problem(
    table_from(X), (X[:, 0] > X[:, 1]) ^ (rng.random(60) < 0.2), cost_complexity=0.02, max_depth=2
)


def changed(result, **options):
    kept = {name: value for name, value in result.options.items() if options.get(name, "") is not None}
    return replace(
        result, options=kept | {name: value for name, value in options.items() if value is not None}
    )


def test_a_least_leaf_accuracy_cannot_be_left_out():
    result = solve_with_leaf_accuracy(PROBLEM, "all", 0.75)
    assert verify(PROBLEM, result, min_leaf_accuracy=0.75).ok
    without = changed(result, min_leaf_accuracy=None)
    assert "at least 0.75" not in without.sentence()  # it speaks of all trees
    for asked in (None, 0.75):
        assert not verify(PROBLEM, without, min_leaf_accuracy=asked).ok
    assert not verify(PROBLEM, replace(result, options=result.options | {"min_leaf_accuracy": None})).ok


@pytest.mark.parametrize("name", ["method", "criterion"])
def test_words_that_are_none_are_reported(name):
    for result in (solve_with_leaf_accuracy(PROBLEM, "all", 0.75), solve_leaf_accuracy(PROBLEM, "all")):
        report = verify(PROBLEM, changed(result, **{name: np.array(["a", "b"])}), min_leaf_accuracy=0.75)
        assert not report.ok


def test_the_status_agrees_with_what_is_proven():
    proven = solve_leaf_accuracy(PROBLEM, "all")
    assert proven.status is SolveStatus.OPTIMAL
    assert verify(PROBLEM, proven).ok
    assert not verify(PROBLEM, replace(proven, stats=proven.stats | {"value_proven": False})).ok
    open_one = replace(proven, status=SolveStatus.FEASIBLE, stop_reason=StopReason.TIME_LIMIT)
    assert not verify(PROBLEM, open_one).ok
    stopped = solve_leaf_accuracy(PROBLEM, "all", limits=Limits(step_limit=1))
    assert verify(PROBLEM, stopped).ok
