"""Law: every point of a frontier is the smallest loss over all trees of so many leaves; bounds hold under limits."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brute_force import best_objective
from checked_fronts import check_front, optima_of
from strategies import tiny_problems
from tiny_problems import TOLERANCE, TinyProblem, check, random_problem
from treewright import Frontier, SolveStatus
from treewright.result import StopReason
from treewright.search import BinaryOptions, Limits, solve_frontier


def front_of(
    problem: TinyProblem, max_leaves: int, limits: Limits | None = None, options: BinaryOptions | None = None
) -> Frontier:
    stated, cuts = problem.but(cost_complexity=0.0, max_leaf_nodes=max_leaves).stated()
    return solve_frontier(stated, cuts, limits=limits, options=options)


@pytest.mark.parametrize("seed", range(6))
def test_on_many_random_tables(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(250):
        problem, max_leaves = random_problem(rng), int(rng.integers(1, 9))
        frontier = front_of(problem, max_leaves)
        assert frontier.proven_leaves == max_leaves
        assert frontier.stop_reason is None
        check_front(problem, frontier, optima_of(problem, max_leaves))


def test_on_larger_tables() -> None:
    rng = np.random.default_rng(100)
    for _ in range(25):
        problem = random_problem(rng, max_columns=8, max_rows=17)
        frontier = front_of(problem, 7)
        assert frontier.proven_leaves == 7
        check_front(problem, frontier, optima_of(problem, 7))


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    tiny_problems(),
    st.integers(1, 6),
    st.tuples(st.booleans(), st.booleans(), st.booleans(), st.booleans()),
    st.sampled_from(["rows", "columns", "automatic"]),
    st.sampled_from([None, 1, 2**15]),
)
def test_switches_and_little_memory_change_nothing(
    problem: TinyProblem, max_leaves: int, switches: tuple[bool, ...], kernel: str, memory: int | None
) -> None:
    points, budgets, cache, greedy = switches
    options = BinaryOptions(
        equivalent_points=points, budgets=budgets, cache=cache, greedy_start=greedy, kernel=kernel
    )
    frontier = front_of(problem, max_leaves, Limits(memory_limit=memory), options)
    assert frontier.proven_leaves == max_leaves
    check_front(problem, frontier, optima_of(problem, max_leaves))


@pytest.mark.parametrize("seed", range(3))
def test_stopped_runs_are_honest(seed: int) -> None:
    rng = np.random.default_rng(400 + seed)
    for _ in range(25):
        problem = random_problem(rng, max_columns=7, max_rows=16)
        optima = optima_of(problem, 6)
        prices = {
            price: problem.but(cost_complexity=price, max_leaf_nodes=6).optimum()
            for price in (0.0, 0.02, 0.1)
        }
        for steps in (1, 2, 3, 5, 8, 13, 30):
            frontier = front_of(problem, 6, Limits(step_limit=steps))
            check_front(problem, frontier, optima)
            if frontier.proven_leaves < 6:
                assert frontier.stop_reason is StopReason.STEP_LIMIT
            for price, optimum in prices.items():
                check(problem.but(cost_complexity=price, max_leaf_nodes=6), frontier.select(price), optimum)


def test_one_megabyte_is_enough() -> None:
    rng = np.random.default_rng(2)
    problem = TinyProblem(
        rng.integers(0, 2, (13, 250)).astype(np.uint8),
        rng.integers(0, 2, 250).astype(np.int32),
        np.ones(250),
        1 - np.eye(2),
    )
    roomy = front_of(problem, 9)
    tight = front_of(problem, 9, Limits(memory_limit=2**18))
    assert roomy.stats["cache_shed"] == 0
    assert tight.stats["cache_shed"] > 0
    assert roomy.proven_leaves == tight.proven_leaves == 9
    assert [r.loss for r in tight.limits] == [r.loss for r in roomy.limits]
    for leaves, result in enumerate(tight.limits, 1):
        check(problem.but(cost_complexity=0.0, max_leaf_nodes=leaves), result)


@pytest.mark.parametrize("seed", range(3))
def test_every_point_is_the_search_s_own_answer(seed: int) -> None:
    """A point on the hull for a price that selects it, any other with its leaves as the limit."""
    rng = np.random.default_rng(700 + seed)
    for _ in range(30):
        problem = random_problem(rng, max_columns=8, max_rows=40)
        frontier = front_of(problem, 8)
        hull = [point.tree.n_leaves for point in frontier.convex_hull()]
        for point in frontier:
            leaves = point.tree.n_leaves
            prices = frontier.penalty_range(leaves)
            assert (prices is not None) == (leaves in hull)
            alone = problem.but(cost_complexity=0.0, max_leaf_nodes=leaves).solve()
            assert alone.status is SolveStatus.OPTIMAL
            assert point.loss == pytest.approx(alone.loss, abs=TOLERANCE)
            if prices is None or leaves == frontier[-1].tree.n_leaves:
                continue  # a larger frontier might bend there
            price = min(1.0, (prices[0] + min(prices[1], 1.0)) / 2)
            priced = problem.but(cost_complexity=price, max_leaf_nodes=None).solve()
            chosen = frontier.select(price)
            assert chosen.status is priced.status is SolveStatus.OPTIMAL
            assert chosen.objective >= priced.objective - TOLERANCE
            if priced.tree.n_leaves <= 8:
                assert chosen.objective == pytest.approx(priced.objective, abs=TOLERANCE)


def test_weights_are_copies() -> None:
    rng = np.random.default_rng(5)
    for _ in range(30):
        problem = random_problem(rng).but(min_samples_leaf=1)
        copies = rng.integers(1, 4, problem.n_rows)
        weighted = front_of(problem.but(weight=copies.astype(float)), 5)
        copied = front_of(
            problem.but(
                goes_right=np.repeat(problem.goes_right, copies, axis=1),
                y=np.repeat(problem.y, copies),
                weight=np.ones(copies.sum()),
            ),
            5,
        )
        assert [r.loss for r in weighted.limits] == pytest.approx(
            [r.loss for r in copied.limits], abs=TOLERANCE
        )


def test_the_oracle_for_all_leaves_is_the_oracle_without_a_limit() -> None:
    """The last point of a long frontier is the best tree of any size."""
    rng = np.random.default_rng(9)
    for _ in range(40):
        problem = random_problem(rng, max_rows=8).but(cost_complexity=0.0, max_leaf_nodes=None)
        frontier = front_of(problem, problem.n_rows)
        best = best_objective(
            problem.goes_right,
            problem.y,
            problem.weight,
            problem.costs,
            Fraction(0),
            problem.max_depth,
            None,
            problem.min_samples_leaf,
        )
        assert frontier[-1].loss == pytest.approx(float(best), abs=TOLERANCE)
