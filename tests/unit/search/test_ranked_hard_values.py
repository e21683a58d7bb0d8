"""Values that are hard to cut between: exact splits, plain words, the same after a model file."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from treewright import OptimalTreeClassifier
from treewright.convert import load_model, save_model
from treewright.errors import InputError
from treewright.problem import make_problem
from treewright.search import Limits, solve
from treewright.search._solve_ranked import solve_ranked
from treewright.table import table_from

TINY = np.nextafter(0.0, 1.0)  # the smallest denormal
HUGE = np.finfo(float).max


def fitted(X, y, **parameters) -> OptimalTreeClassifier:
    """Fit with many thresholds beside, so that they are swept."""
    beside = np.random.default_rng(0).random((len(y), 1))
    return OptimalTreeClassifier(**{"max_depth": 1, "cost_complexity": 0.0, **parameters}).fit(
        np.hstack([X, beside]), y
    )


@pytest.mark.parametrize(
    ("low", "high"),
    [
        (0.1, np.nextafter(0.1, 1.0)),
        (0.0, TINY),
        (-TINY, 0.0),
        (TINY, 2 * TINY),
        (np.nextafter(HUGE, 0.0), HUGE),
        (-HUGE, HUGE),
        (1e308, 1.5e308),
        (float(2**53 - 1), float(2**53)),
        (-1e-310, 1e300),
    ],
)
def test_no_two_numbers_are_too_close_or_too_far(low, high, tmp_path):
    y = np.tile([0, 1], 100)
    X = np.where(y == 1, high, low)[:, None]
    model = fitted(X, y)
    assert model.result_.loss == 0
    assert model.result_.scope == "all thresholds"
    threshold = model.tree_.splits[0].threshold
    assert low <= threshold < high  # the split that was searched is the one that is reported
    rows = np.array([[low, 0.5], [high, 0.5]])
    assert model.predict(rows).tolist() == [0, 1]
    save_model(tmp_path / "model.json", model.result_)
    again = load_model(tmp_path / "model.json")
    assert again.tree.splits[0].threshold == threshold
    assert again.tree.predict(rows).tolist() == [0, 1]


def test_columns_of_one_value_are_never_split():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 300)
    X = np.column_stack([np.full(300, 7.0), rng.random(300) + y])
    model = OptimalTreeClassifier(max_depth=2).fit(X, y)
    assert model.result_.scope == "all thresholds"
    assert all(split is None or split.column == 1 for split in model.tree_.splits)
    constant = solve_ranked(make_problem(table_from(X[:, :1]), y, max_depth=2, cost_complexity=0.0))
    assert constant.tree.n_leaves == 1
    assert constant.status.name == "OPTIMAL"


def test_a_million_distinct_values():
    rng = np.random.default_rng(2)
    x = rng.permutation(1_000_000) / 7
    low, high = np.sort(x)[[333_333, 777_777]]
    y = ((x > low) & (x <= high)).astype(int)
    result = solve(
        make_problem(table_from(x[:, None]), y, max_depth=2, cost_complexity=0.0),
        limits=Limits(time_limit=60),
    )
    assert result.status.name == "OPTIMAL"
    assert result.scope == "all thresholds"
    assert result.loss == 0
    above = np.sort(x)[[333_334, 777_778]]
    thresholds = sorted({split.threshold for split in result.tree.splits if split is not None})
    assert low <= thresholds[0] < above[0]
    assert high <= thresholds[-1] < above[1]


def test_integers_beyond_what_floats_hold_are_refused():
    X = pd.DataFrame({"id": [2**53 + k for k in range(4)], "x": [0.1, 0.2, 0.3, 0.4]})
    with pytest.raises(InputError, match=r"Column .id. holds the integer 90071992547409.*beyond 2\*\*53"):
        OptimalTreeClassifier().fit(X, [0, 1, 0, 1])


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinite_and_missing_together_are_told_apart(value):
    X = np.random.default_rng(3).random((200, 2))
    X[3, 1], X[5, 1] = np.nan, value
    with pytest.raises(InputError, match=r"infinity \(1 row, the first is row 5"):
        OptimalTreeClassifier().fit(X, np.arange(200) % 2)


def test_missing_values_beside_extreme_numbers():
    """The outermost numbers and the missing ones are three different things."""
    x = np.array([-HUGE, np.nan, HUGE, TINY] * 50)
    y = np.array([0, 1, 0, 0] * 50)
    model = fitted(x[:, None], y)
    assert model.result_.loss == 0
    assert model.predict(np.array([[np.nan, 0.5], [HUGE, 0.5], [-HUGE, 0.5]])).tolist() == [1, 0, 0]
    model = fitted(x[:, None], np.array([0, 1, 1, 0] * 50))  # missing goes with the highest
    assert model.result_.loss == 0
    assert model.tree_.splits[0].missing_left is False


def test_the_result_says_over_which_thresholds_it_is_optimal():
    rng = np.random.default_rng(4)
    X = rng.random((300, 2))
    y = (X[:, 0] + 0.2 * rng.standard_normal(300) > 0.5).astype(int)
    problem = make_problem(table_from(X), y, max_depth=2, cost_complexity=0.0)
    everything, given = solve(problem), solve(problem, 8)
    assert everything.scope == "all thresholds"
    assert everything.sentence().startswith("Proven optimal over all thresholds: no tree of depth at most 2")
    assert given.scope == "the given splits (at most 7 quantiles a column)"
    assert given.sentence().startswith("Proven optimal over the given splits")
    assert everything.objective <= given.objective
    capped = solve(make_problem(table_from(X), y, max_leaf_nodes=3, cost_complexity=0.0))
    assert capped.scope == "all thresholds"
    assert "at most 3 leaves" in capped.sentence()
    stopped = solve(
        make_problem(table_from(X), y, max_depth=6, cost_complexity=0.0), limits=Limits(step_limit=20)
    )
    assert stopped.status.name == "FEASIBLE"
    assert "over all thresholds no tree of depth at most 6 can be below" in stopped.sentence()
