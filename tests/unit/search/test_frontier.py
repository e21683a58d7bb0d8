"""The frontier as an object: its points, prices, limits and words; and what it says to bad input."""

import math
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from treewright import OptimalTreeClassifier, SolveStatus, accuracy_frontier, regression_frontier
from treewright.errors import InputError
from treewright.problem import make_problem
from treewright.result import StopReason
from treewright.search import BinaryOptions, Frontier, Limits, Progress, RankedOptions, solve_frontier
from treewright.table import table_from
from treewright.tree import power_at_most


def parity() -> tuple[np.ndarray, np.ndarray]:
    """Every combination of three columns, labels by parity: nothing is gained before four leaves."""
    X = np.array([[i >> k & 1 for k in range(3)] for i in range(8)] * 5)
    return X.astype(float), X.sum(axis=1) % 2


@pytest.fixture(scope="module")
def front() -> Frontier:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (200, 6)).astype(float)
    y = np.where(
        rng.random(200) < 0.2, rng.integers(0, 2, 200), (X[:, 0] * X[:, 1] + X[:, 2] > 0).astype(int)
    )
    return accuracy_frontier(X, y, max_leaves=9)


@pytest.mark.parametrize("memory_limit", [100_000, None])
def test_no_number_of_leaves_has_a_larger_tree_of_the_same_loss(memory_limit: int | None) -> None:
    """With little memory the tree of six leaves was made without regard to the one of five."""
    X = pd.DataFrame({"a": ["a", "a", "a", "b", "", "", "a"], "b": ["c d", "b", "a", "a", "c d", None, ""]})
    for costs in (None, [[0, 0.10526867391085407], [0.12624342809660252, 0]]):  # rounded ones too
        frontier = accuracy_frontier(
            X, [0, 1, 1, 0, 1, 0, 0], max_leaves=6, memory_limit=memory_limit, costs=costs
        )
        assert frontier.at_most(6).tree.n_leaves == frontier.at_most(5).tree.n_leaves == 5


def test_points_that_gain_nothing_are_left_out() -> None:
    frontier = accuracy_frontier(*parity(), max_leaves=10)
    losses = {point.tree.n_leaves: point.loss for point in frontier}
    assert losses[1] == 0.5
    assert losses[8] == 0
    assert max(losses) == 8
    assert len(frontier.limits) == frontier.max_leaves == 10
    assert frontier.at_most(10).tree.n_leaves == frontier.at_most(8).tree.n_leaves == 8
    assert frontier.at_most(10).options["max_leaf_nodes"] == 10
    # Only the ends are ever selected by a price; the points between lie above the line.
    assert [point.tree.n_leaves for point in frontier.convex_hull()] == [1, 8]
    assert frontier.penalty_range(4) is None
    assert frontier.penalty_range(8) == (0.0, pytest.approx(0.5 / 7))
    assert frontier.penalty_range(1) == (pytest.approx(0.5 / 7), math.inf)


def test_it_is_a_sequence_of_results(front: Frontier) -> None:
    assert len(front) == len(list(front)) == len(front.points)
    assert front[0].tree.n_leaves == 1
    assert front[-1] is front.points[-1]
    assert front[:2] == front.points[:2]
    assert next(reversed(front)) is front[-1]
    assert front[1] in front


def test_results_speak_of_their_number_of_leaves(front: Frontier) -> None:
    for point in front:
        leaves = point.tree.n_leaves
        assert point.options["max_leaf_nodes"] == leaves
        assert point.objective == point.loss == point.lower_bound
        words = "at most 1 leaf " if leaves == 1 else f"at most {leaves} leaves"
        assert words in point.sentence()
        assert front.at_most(leaves).tree is point.tree


def test_select_tells_the_price(front: Frontier) -> None:
    for price in (0.0, 0.003, 0.01, 0.05, 0.5):
        chosen = front.select(price)
        expected = min(point.loss + price * point.tree.n_leaves for point in front)
        assert chosen.objective == pytest.approx(expected)
        assert chosen.status is SolveStatus.OPTIMAL
        assert chosen.options["cost_complexity"] == price
        assert chosen.lower_bound == pytest.approx(chosen.objective)
    for point in front.convex_hull():
        low, high = front.penalty_range(point.tree.n_leaves)
        assert front.select((low + min(high, 1.0)) / 2).tree is point.tree


@pytest.mark.parametrize("n_rows", [17, 24, 28, 35])
def test_penalties_that_points_share_select_the_fewest_leaves(n_rows: int) -> None:
    """Two further leaves mend two rows each time: at a penalty of one row all points tie, though floats differ."""
    y = np.zeros(n_rows, dtype=int)
    y[[3, 4, 7, 8, 11, 12]] = 1
    X = np.arange(n_rows)[:, None].astype(float)
    frontier = accuracy_frontier(X, y, max_leaves=8)
    assert [point.tree.n_leaves for point in frontier] == [1, 3, 5, 7]
    assert [point.tree.n_leaves for point in frontier.convex_hull()] == [1, 7]
    assert frontier.penalty_range(3) is None
    chosen = frontier.select(1 / n_rows)
    assert chosen.status is SolveStatus.OPTIMAL
    assert chosen.lower_bound == pytest.approx(chosen.objective, rel=1e-15)
    alone = OptimalTreeClassifier(cost_complexity=1 / n_rows).fit(X, y).result_
    assert chosen.tree.n_leaves == alone.tree.n_leaves == 1


def test_records_make_a_data_frame(front: Frontier) -> None:
    frame = pd.DataFrame(front.records())
    assert frame["leaves"].tolist() == [point.tree.n_leaves for point in front]
    assert frame["proven"].all()
    assert (frame["gap"] == 0).all()
    assert frame["loss"].is_monotonic_decreasing
    assert set(frame["leaves"][frame["cost_complexity_from"].notna()]) == {
        point.tree.n_leaves for point in front.convex_hull()
    }


def test_more_leaves_than_rows() -> None:
    frontier = accuracy_frontier([[0.0], [1.0], [2.0]], [0, 1, 0], max_leaves=50)
    assert frontier.max_leaves == 50
    assert frontier.proven_leaves == 50
    assert [point.tree.n_leaves for point in frontier] == [1, 3]
    assert frontier.at_most(50).loss == 0


def test_depth_weights_and_classes_reach_the_search() -> None:
    rng = np.random.default_rng(1)
    X, y = rng.integers(0, 2, (120, 5)).astype(float), rng.integers(0, 4, 120)
    weight = rng.random(120)
    limits = {"max_depth": 2, "min_samples_leaf": 6, "objective": "balanced_accuracy"}
    frontier = accuracy_frontier(X, y, max_leaves=6, sample_weight=weight, **limits)
    assert frontier.proven_leaves == 6
    for leaves in range(1, 7):
        model = OptimalTreeClassifier(0.0, max_leaf_nodes=leaves, **limits).fit(X, y, weight)
        assert frontier.at_most(leaves).loss == pytest.approx(model.result_.loss, abs=1e-9)
        assert frontier.at_most(leaves).tree.depth <= 2


def test_a_stopped_run_says_how_far_the_proof_goes() -> None:
    rng = np.random.default_rng(2)
    X, y = rng.random((250, 8)), rng.integers(0, 2, 250)
    frontier = accuracy_frontier(X, y, max_leaves=9, step_limit=400)
    assert 3 <= frontier.proven_leaves < 9
    assert frontier.stop_reason is StopReason.STEP_LIMIT
    assert frontier.stats["subproblems"] <= 400
    assert f"up to {frontier.proven_leaves} leaves" in frontier.sentence()
    assert "step limit reached" in frontier.sentence()
    whole = accuracy_frontier(X, y, max_leaves=frontier.proven_leaves + 1, time_limit=None)
    for result, better in zip(frontier.limits, whole.limits, strict=False):
        assert result.lower_bound <= better.loss <= result.loss + 1e-12
    # A high price is decided all the same: no bound of more leaves allows a better tree.
    assert frontier.select(0.3).status is SolveStatus.OPTIMAL
    assert frontier.select(0.0).status is SolveStatus.FEASIBLE


def test_progress_and_its_stop() -> None:
    rng = np.random.default_rng(3)
    X, y = rng.random((400, 10)), rng.integers(0, 2, 400)
    seen: list[Progress] = []

    def watch(state: Progress) -> bool:
        seen.append(state)
        return len(seen) >= 4

    frontier = accuracy_frontier(
        X, y, max_leaves=10, progress=watch, time_limit=30, search_options=BinaryOptions(engine="binary")
    )
    assert frontier.stop_reason is StopReason.CALLBACK
    assert all(a.objective >= b.objective and a.lower_bound <= b.lower_bound for a, b in pairwise(seen))
    mean = np.mean([result.loss for result in frontier.limits])
    assert mean <= seen[-1].objective + 1e-9
    assert seen[-1].lower_bound <= mean


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"max_leaves": 0}, "max_leaves=0; give an integer of at least 1"),
        ({"max_leaves": True}, "max_leaves=True"),
        ({"max_leaves": 4.5}, "max_leaves=4.5"),
        ({"max_depth": -1}, "max_depth=-1"),
        ({"time_limit": 0}, "time_limit=0"),
        ({"thresholds": "some"}, "thresholds='some'"),
        ({"thresholds": 8, "search_options": BinaryOptions(engine="ranked")}, "asks for fewer"),
    ],
    ids=str,
)
def test_bad_arguments(arguments: dict[str, object], words: str) -> None:
    with pytest.raises(InputError) as error:
        accuracy_frontier(*parity(), **arguments)  # type: ignore[arg-type]
    assert words in str(error.value)


def test_bad_questions(front: Frontier) -> None:
    for leaves in (0, 10, "3"):
        with pytest.raises(InputError, match="made for 1 to 9 leaves"):
            front.at_most(leaves)  # type: ignore[arg-type]
    for price in (-0.1, math.inf, math.nan, "free", True):
        with pytest.raises(InputError, match="give a number of at least 0"):
            front.select(price)  # type: ignore[arg-type]


def test_a_problem_without_a_number_of_leaves() -> None:
    X, y = parity()
    with pytest.raises(InputError, match="max_leaf_nodes is None"):
        solve_frontier(make_problem(table_from(X), y), limits=Limits())


def test_a_selected_tree_says_that_rounding_left_it_open() -> None:
    """The chosen point is proven, but numbers that differ in size by 10^7 left one of more leaves open."""
    X = pd.DataFrame({"c2": [0, 0, 1]})
    costs = [[0.0001, 0.1, 10.0], [1000.0, 0.0001, 0.001], [1.0, 0.1, 0.0001]]
    frontier = accuracy_frontier(
        X,
        [0, 2, 1],
        max_leaves=7,
        costs=costs,
        sample_weight=[1.0, 1.0, 0.7378],
        search_options=RankedOptions(),
    )
    chosen = frontier.select(1 / 64)
    assert chosen.status is SolveStatus.FEASIBLE
    assert chosen.stop_reason is None
    assert chosen.is_only_rounded
    assert "numbers were rounded" in chosen.sentence()


def test_numbers_of_leaves_with_one_tree_are_pruned_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stopped search of a large table has few trees, and a pruning looks at all rows."""
    from treewright.search import _result, _solve_frontier

    prunings = []
    prune = _result.best_pruning
    count = _solve_frontier.counted_tree
    trees = []
    monkeypatch.setattr(_result, "best_pruning", lambda *a, **k: (prunings.append(1), prune(*a, **k))[1])
    monkeypatch.setattr(_solve_frontier, "counted_tree", lambda *a: (trees.append(1), count(*a))[1])
    X, y = parity()
    problem = make_problem(table_from(X), y, cost_complexity=0.0, max_leaf_nodes=8)
    frontier = solve_frontier(problem)
    losses = {point.loss for point in frontier.limits}
    assert len(losses) < len(frontier.limits) == 8
    assert len(trees) == len(prunings) == len(losses)


def test_what_rounding_leaves_open_is_said_of_the_front_and_of_what_it_selects():
    """Of losses that are sums of real numbers no proof is without a tolerance."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 3)).round(1)
    front = regression_frontier(X, 2 * X[:, 0] + rng.normal(size=100), max_depth=2, max_leaves=4)
    left = max(point.stats["tolerance"] for point in front.limits)
    assert left > 0
    assert (
        f"a training loss that is smaller by more than {power_at_most(left)} than the one here"
        in front.sentence()
    )
    for penalty in (0.0, 0.01, 0.1, 0.9):
        selected = front.select(penalty)
        assert selected.stats["tolerance"] == selected.objective - selected.lower_bound
        assert power_at_most(max(selected.stats["tolerance"], 1e-99)) in selected.sentence() or (
            selected.stats["tolerance"] == 0
        )
    whole = accuracy_frontier(X, (X[:, 0] > 0.3).astype(int), max_depth=2, max_leaves=4)
    assert "has a smaller training loss than the one here" in whole.sentence()
