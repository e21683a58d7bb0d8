"""The front of classification trees over ranked columns against the oracle's least loss of every number of leaves."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from checked_fronts import check_front, optima_of
from tiny_problems import TinyProblem, random_problem
from treewright import Frontier, SolveStatus, accuracy_frontier
from treewright.errors import InputError
from treewright.problem import make_problem
from treewright.result import StopReason
from treewright.search import BinaryOptions, Limits, RankedOptions, solve_frontier
from treewright.search._ranked_frontier import _Losses
from treewright.table import table_from
from treewright.verify import verify

RANKED = BinaryOptions(engine="ranked")


def front_of(problem: TinyProblem, max_leaves: int, limits: Limits | None = None) -> Frontier:
    stated, _ = problem.but(cost_complexity=0.0, max_leaf_nodes=max_leaves).stated()
    return solve_frontier(stated, "all", limits=limits, options=RANKED)


def check_verified_front(problem: TinyProblem, frontier: Frontier, optima: list[Fraction]) -> None:
    check_front(problem, frontier, optima)
    for leaves, result in enumerate(frontier.limits, 1):
        report = verify(problem.but(cost_complexity=0.0, max_leaf_nodes=leaves).stated()[0], result)
        assert report.ok, str(report)


@pytest.mark.parametrize("seed", range(6))
def test_on_many_random_tables(seed: int) -> None:
    rng = np.random.default_rng(9000 + seed)
    for _ in range(60):
        problem, max_leaves = random_problem(rng), int(rng.integers(1, 8))
        frontier = front_of(problem, max_leaves)
        assert frontier.proven_leaves == max_leaves
        assert frontier.stop_reason is None
        assert frontier.stats["engine"] == "ranked"
        check_verified_front(problem, frontier, optima_of(problem, max_leaves))


@pytest.mark.parametrize("seed", range(4))
def test_heavy_rows_do_not_hide_light_ones(seed: int) -> None:
    """Rows of weight 1 beside such of 3e9 are a loss of 3e-10: what is called proven must have them right."""
    rng = np.random.default_rng(9100 + seed)
    proven = 0
    for _ in range(60):
        problem = random_problem(rng, max_columns=5, max_rows=12, max_classes=2)
        weight = np.where(rng.random(problem.n_rows) < 0.4, 3e9, rng.integers(1, 4, problem.n_rows))
        problem = problem.but(weight=weight, costs=1 - np.eye(2), min_samples_leaf=1)
        optima = optima_of(problem, 5)
        total = Fraction(float(weight.sum()))
        for result, optimum in zip(front_of(problem, 5).limits, optima, strict=True):
            if result.status is SolveStatus.OPTIMAL:
                proven += 1
                # within what it says of itself, and that is little of the loss
                left = float(optimum * total) + result.rounding * float(total) + 0.25
                assert result.loss * float(total) <= left
                assert result.rounding <= 1e-4 * result.loss
            assert result.lower_bound <= float(optimum) * (1 + 1e-12)
    assert proven >= 60


@pytest.mark.parametrize("seed", range(3))
def test_stopped_runs_are_honest(seed: int) -> None:
    rng = np.random.default_rng(9200 + seed)
    stopped = 0
    for _ in range(15):
        problem = random_problem(rng, max_columns=6, max_rows=15)
        optima = optima_of(problem, 6)
        for steps in (1, 2, 3, 5, 8, 13, 30):
            frontier = front_of(problem, 6, Limits(step_limit=steps))
            check_verified_front(problem, frontier, optima)
            if frontier.proven_leaves < 6:
                stopped += 1
                assert frontier.stop_reason is StopReason.STEP_LIMIT
    assert stopped >= 5


def test_all_thresholds_are_offered_as_for_a_tree() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3)).round(3)
    y = (X[:, 0] > 0.123) ^ (X[:, 1] > 1.0) ^ (rng.random(200) < 0.05)
    few = accuracy_frontier(X[:, :2], y, max_leaves=3, max_depth=2, progress=False)
    many = accuracy_frontier(X, y, max_leaves=3, max_depth=2, progress=False)
    assert few.stats["engine"] == "binary"
    assert many.stats["engine"] == "ranked"
    assert many[0].scope == few[0].scope == "all thresholds"
    assert many.proven_leaves == few.proven_leaves == 3
    assert many[0].notes == ()
    cuts = accuracy_frontier(
        X, y, max_leaves=3, max_depth=2, search_options=BinaryOptions(engine="binary"), progress=False
    )
    assert cuts.stats["engine"] == "binary"
    assert "offers at most 512 of" in " ".join(cuts[0].notes)
    swept = accuracy_frontier(
        X[:, :2], y, max_leaves=3, max_depth=2, search_options=RankedOptions(), progress=False
    )
    assert swept.stats["engine"] == "ranked"
    assert [p.loss for p in swept.limits] == pytest.approx([p.loss for p in few.limits])
    with pytest.raises(InputError, match="does not have"):
        accuracy_frontier(X, y, max_leaves=3, search_options=BinaryOptions(budgets=False))
    with pytest.raises(InputError, match="asks for fewer"):
        accuracy_frontier(X, y, thresholds=8, search_options=RankedOptions())


def test_more_leaves_than_rows() -> None:
    frontier = accuracy_frontier(
        [[0.0], [1.0], [2.0]], [0, 1, 0], max_leaves=50, search_options=RankedOptions()
    )
    assert frontier.max_leaves == frontier.proven_leaves == 50
    assert [point.tree.n_leaves for point in frontier] == [1, 3]
    assert frontier.at_most(50).options["max_leaf_nodes"] == 50


def test_a_callback_stops_the_front_and_the_single_leaf_stays() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(2000, 8)), rng.integers(0, 2, 2000)
    problem = make_problem(table_from(X), y, cost_complexity=0.0, max_depth=4, max_leaf_nodes=16)
    front = solve_frontier(problem, progress=lambda state: True)
    assert front.stop_reason is StopReason.CALLBACK
    assert front.stats["searches"] == 3  # single leaf, the one that was stopped, single split
    assert front.at_most(1).status is SolveStatus.OPTIMAL


def test_a_false_bound_is_withdrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    told = _Losses.bounds
    monkeypatch.setattr(_Losses, "bounds", lambda self, *about: told(self, *about) + 0.2)
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 2))
    with pytest.warns(match="The search claimed that there is no tree of at most"):
        front = accuracy_frontier(X, X[:, 0] > 0, max_leaves=3, max_depth=2, search_options=RankedOptions())
    assert front.proven_leaves == 0
    assert all(point.lower_bound == 0 for point in front.limits)
