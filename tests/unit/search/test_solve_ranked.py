"""The search over ranked columns against brute force, and against itself with every switch off."""

from __future__ import annotations

import _thread
import itertools
import threading
from dataclasses import replace

import numpy as np
import pytest

from brute_force_ranked import best_depth_two, best_objective
from ranked_problems import check, make_problem, random_problem
from treewright import SolveStatus, _core
from treewright.errors import SolverError
from treewright.search import Limits
from treewright.search._solve_ranked import RankedOptions, solve_ranked
from treewright.tree import ColumnKind

VARIANTS = [
    RankedOptions(),
    RankedOptions(monotone=False),
    RankedOptions(lipschitz=False),
    RankedOptions(monotone=False, lipschitz=False, leaf_count=False, shallower=False, cache=False),
    RankedOptions(between=False),
    RankedOptions(sharing_work=0, between=False),
    RankedOptions(sharing_work=0, slack=0.0, plain_work=1),
    RankedOptions(leaf_count=False),
    RankedOptions(shallower=False),
    RankedOptions(cache=False),
    RankedOptions(slack=0.0),
    RankedOptions(slack=3.0, lanes=3),
    RankedOptions(lanes=1, slack=0.0, shallower=False),
    RankedOptions(sharing_work=0),
    RankedOptions(sharing_work=0, lanes=2, slack=0.0, monotone=False),
    RankedOptions(sharing_work=0, lanes=2, lipschitz=False),
    RankedOptions(resume=False, plain_work=1),
    RankedOptions(plain_work=1, slack=0.0),
    RankedOptions(plain_work=1, sharing_work=0, lanes=2, cache=False),
    RankedOptions(rising=False, fair_shares=False),
    RankedOptions(plain_work=1, fair_shares=False, monotone=False),
    RankedOptions(core_passes=0, core_share=1.0),
    RankedOptions(core_passes=3, core_share=1.0, plain_work=1, sharing_work=0),
    RankedOptions(core=False, plain_work=1),
    RankedOptions(core_passes=0, any_size=False),
    RankedOptions(core=False, core_passes=0, part_rows=1),
    RankedOptions(core_passes=0, core_share=1.0, part_rows=2, plain_work=100),
    RankedOptions(core=False, core_passes=1, early_work=9, plain_work=100),
]


@pytest.mark.parametrize("seed", range(60))
def test_equals_brute_force(seed):
    rng = np.random.default_rng(seed)
    for _ in range(20):
        depth = [1, 2, 3, 3, 4, None][rng.integers(6)]
        n = int(rng.integers(3, 9 if depth in (4, None) else 12))
        problem = random_problem(rng, n, int(rng.integers(1, 4)), max_depth=depth)
        expected, leaves = best_objective(problem)
        check(problem, expected, leaves)


@pytest.mark.parametrize("seed", range(15))
def test_switches_keep_the_optimum(seed):
    rng = np.random.default_rng(1000 + seed)
    for _ in range(4):
        problem = random_problem(rng, int(rng.integers(5, 9)), 2, max_depth=[3, 4, None][rng.integers(3)])
        expected, leaves = best_objective(problem)
        for options in VARIANTS:
            check(problem, expected, leaves, options)


@pytest.mark.parametrize("seed", range(12))
def test_switches_agree_on_larger_tables(seed):
    rng = np.random.default_rng(2000 + seed)
    problem = random_problem(rng, int(rng.integers(30, 60)), 3, max_depth=int(rng.integers(3, 5)))
    expected = solve_ranked(problem)
    for options in VARIANTS[1:3] + VARIANTS[4:9] + VARIANTS[10:]:
        check(problem, expected.objective, expected.tree.n_leaves, options)


@pytest.mark.parametrize("seed", range(30))
def test_depth_two_equals_its_slow_twin(seed):
    rng = np.random.default_rng(3000 + seed)
    problem = random_problem(rng, int(rng.integers(100, 300)), int(rng.integers(1, 4)), max_depth=2)
    check(problem, best_depth_two(problem))


@pytest.mark.parametrize("seed", range(6))
def test_long_chunks_and_wide_sums(seed):
    """More rows than a chunk of 8-bit sums, and totals beyond 16 bits."""
    rng = np.random.default_rng(4000 + seed)
    X = np.column_stack(
        [np.round(rng.random(900), 2 + seed % 2), np.arange(900) // 300, rng.random(900) < 0.5]
    )
    y = (X[:, 0] + 0.3 * rng.standard_normal(900) > 0.5).astype(int) + (seed % 3 == 2) * (X[:, 1] == 1)
    weight = rng.integers(1, 100, size=900) if seed >= 3 else None
    problem = make_problem(X, y, weight=weight, max_depth=2, cost_complexity=0.0)
    check(problem, best_depth_two(problem))


@pytest.mark.parametrize("seed", range(20))
def test_mixed_and_missing(seed):
    rng = np.random.default_rng(5000 + seed)
    kinds = [ColumnKind.CONTINUOUS, ColumnKind.CATEGORICAL, ColumnKind.BINARY]
    for _ in range(5):
        n = int(rng.integers(4, 9))
        X = np.column_stack([rng.integers(0, 5, n), rng.integers(0, 4, n), rng.integers(0, 2, n)]).astype(
            float
        )
        X[rng.random(X.shape) < rng.choice([0.0, 0.25])] = np.nan
        X[0] = [0, 0, 0]
        problem = make_problem(
            X,
            rng.integers(0, 3, n),
            3,
            kinds=kinds,
            max_depth=int(rng.integers(1, 4)),
            cost_complexity=0.02,
            min_samples_leaf=int(rng.integers(1, 3)),
        )
        expected, leaves = best_objective(problem)
        check(problem, expected, leaves)


@pytest.mark.parametrize("seed", range(8))
def test_kernels_agree(seed):
    rng = np.random.default_rng(6000 + seed)
    problem = random_problem(rng, 80, 3, max_depth=3)
    values = set()
    try:
        for level in (_core.Simd.PLAIN, _core.Simd.AVX2, _core.Simd.AVX512):
            _core.set_simd_limit(level)
            values.add(round(solve_ranked(problem).objective, 12))
    finally:
        _core.set_simd_limit(_core.Simd.AVX512)
    assert len(values) == 1


@pytest.mark.usefixtures("any_simd")
@pytest.mark.parametrize("seed", range(20))
def test_equal_trees_do_not_depend_on_vectors_or_switches(seed):
    """As many splits are chosen at once whatever the vectors hold; the switches change which are looked at."""
    rng = np.random.default_rng(6100 + seed)
    rest = {
        "max_depth": int(rng.integers(2, 5)),
        "cost_complexity": float(rng.choice([0.0, 0.002, 0.02])),
        "min_samples_leaf": int(rng.integers(1, 4)),
    }
    problem = random_problem(rng, int(rng.integers(20, 160)), int(rng.integers(2, 5)), **rest)
    trees, steps = set(), set()
    for level in (_core.Simd.PLAIN, _core.Simd.AVX2, _core.Simd.AVX512):
        _core.set_simd_limit(level)
        result = solve_ranked(problem)
        assert result.status is SolveStatus.OPTIMAL
        trees.add(result.tree.splits)
        steps.add(result.stats["steps"])
    assert len(steps) == 1  # so a limit of steps leaves the same tree
    trees |= {solve_ranked(problem, options=options).tree.splits for options in VARIANTS}
    assert len(trees) == 1


@pytest.mark.parametrize("seed", range(10))
def test_row_order_and_monotone_transformations_change_nothing(seed):
    rng = np.random.default_rng(7000 + seed)
    n = 60
    X, y = rng.standard_normal((n, 3)), rng.integers(0, 2, n)
    base = solve_ranked(make_problem(X, y, max_depth=3, cost_complexity=0.01))
    order = rng.permutation(n)
    shuffled = solve_ranked(make_problem(X[order], y[order], max_depth=3, cost_complexity=0.01))
    bent = solve_ranked(make_problem(np.exp(X) * [1, 1e-3, 1e6], y, max_depth=3, cost_complexity=0.01))
    assert base.objective == shuffled.objective == bent.objective
    assert [s and s.column for s in base.tree.splits] == [s and s.column for s in bent.tree.splits]
    assert base.tree.splits == shuffled.tree.splits


def test_integer_weights_are_copies():
    rng = np.random.default_rng(8)
    X, y, weight = rng.random((40, 2)), rng.integers(0, 3, 40), rng.integers(1, 4, 40)
    weighted = solve_ranked(make_problem(X, y, weight=weight, max_depth=3, cost_complexity=0.02))
    copies = solve_ranked(
        make_problem(np.repeat(X, weight, axis=0), np.repeat(y, weight), max_depth=3, cost_complexity=0.02)
    )
    assert weighted.objective == pytest.approx(copies.objective, abs=1e-12)


def test_fractional_weights_report_their_rounding():
    rng = np.random.default_rng(9)
    X, y = rng.random((50, 2)), rng.integers(0, 2, 50)
    problem = make_problem(X, y, weight=rng.random(50) + 0.1, max_depth=2, cost_complexity=0.013)
    result = solve_ranked(problem)
    assert result.objective == pytest.approx(best_depth_two(problem), abs=1e-6)
    assert result.lower_bound <= best_depth_two(problem) <= result.objective + 1e-15
    assert result.objective - result.lower_bound < 1e-6


def test_steps_limit_is_deterministic_and_bounds_hold():
    rng = np.random.default_rng(10)
    X = rng.random((300, 4))
    y = ((X[:, 0] > 0.5) ^ (X[:, 1] > 0.3) ^ (rng.random(300) < 0.2)).astype(int)
    problem = make_problem(X, y, max_depth=4, cost_complexity=0.005)
    optimum = solve_ranked(problem)
    last_bound = 0.0
    for steps in (1, 3, 10, 100, 1000):
        first, second = (solve_ranked(problem, limits=Limits(step_limit=steps)) for _ in range(2))
        assert first.tree.splits == second.tree.splits
        assert first.lower_bound == second.lower_bound <= optimum.objective + 1e-12
        assert first.objective >= optimum.objective - 1e-12
        assert first.status.name == "OPTIMAL" or first.stop_reason.name == "STEP_LIMIT"
        last_bound = max(last_bound, first.lower_bound)
    assert last_bound > 0


def test_a_loss_that_cannot_fall_is_proven_though_fewer_leaves_are_not():
    rng = np.random.default_rng(3)
    X, y = rng.random((60, 3)), rng.integers(0, 2, 60)
    problem = make_problem(X, y, cost_complexity=0.0, max_depth=7)
    stopped = [solve_ranked(problem, limits=Limits(step_limit=steps)) for steps in (40, 400, 4000, 40_000)]
    for result in stopped:
        assert (result.status is SolveStatus.OPTIMAL) == (result.objective == 0.0)
        assert result.lower_bound <= result.objective
    early = [r for r in stopped if r.objective == 0 and any("fewer leaves may exist" in n for n in r.notes)]
    assert early
    assert all(r.stop_reason is None and r.gap == 0 for r in early)
    dear = make_problem(
        X, y, cost_complexity=0.001, max_depth=7
    )  # with a price leaves are part of the objective
    assert solve_ranked(dear, limits=Limits(step_limit=400)).status is SolveStatus.FEASIBLE


def test_progress_can_stop_and_memory_limit_stops():
    rng = np.random.default_rng(11)
    problem = make_problem(rng.random((2000, 8)), rng.integers(0, 2, 2000), max_depth=5, cost_complexity=0.0)
    seen = []
    stopped = solve_ranked(problem, progress=lambda state: seen.append(state) or len(seen) >= 3)
    assert stopped.stop_reason.name == "CALLBACK"
    assert len(seen) == 3
    assert all(state.lower_bound <= state.objective for state in seen)
    small = solve_ranked(problem, limits=Limits(memory_limit=1000, time_limit=20))
    assert small.stop_reason.name == "MEMORY_LIMIT"
    assert small.objective <= 0.5


def test_interrupt_returns_the_best_tree():
    rng = np.random.default_rng(13)
    problem = make_problem(rng.random((3000, 8)), rng.integers(0, 2, 3000), max_depth=6, cost_complexity=0.0)
    timer = threading.Timer(0.3, _thread.interrupt_main)
    timer.start()
    result = solve_ranked(problem, limits=Limits(time_limit=60))
    timer.join()
    assert result.stop_reason.name == "INTERRUPT"
    assert result.tree.n_leaves > 1


def test_impossible_leaves_are_named():
    X, y = np.arange(4.0)[:, None], np.array([0, 1, 0, 1])
    with pytest.raises(SolverError, match="No tree has 5 rows in every leaf: the table has 4"):
        solve_ranked(make_problem(X, y, min_samples_leaf=5))


@pytest.mark.parametrize("seed", range(40))
def test_limits_of_leaves_equal_brute_force(seed):
    rng = np.random.default_rng(8000 + seed)
    for _ in range(12):
        depth = [2, 3, 4, None][rng.integers(4)]
        problem = random_problem(
            rng,
            int(rng.integers(4, 10)),
            int(rng.integers(1, 3)),
            max_depth=depth,
            max_leaf_nodes=int(rng.integers(1, 7)),
            cost_complexity=float(rng.choice([0.0, 0.01, 0.03])),
        )
        expected, leaves = best_objective(problem)
        for options in (RankedOptions(), VARIANTS[1 + rng.integers(len(VARIANTS) - 1)]):
            check(problem, expected, leaves, options)


@pytest.mark.parametrize("seed", range(10))
def test_limits_of_leaves_agree_on_larger_tables(seed):
    """As many leaves as a depth allows are no limit; fewer never help; every switch gives the same."""
    rng = np.random.default_rng(9000 + seed)
    n = int(rng.integers(30, 60))
    problem = random_problem(rng, n, 2, max_depth=3, cost_complexity=0.0)
    objectives = []
    for leaves in range(1, 9):
        capped = replace(problem, max_leaf_nodes=leaves)
        objectives.append(solve_ranked(capped).objective)
        if leaves in (3, 5, 6):
            for options in VARIANTS[1:3] + VARIANTS[4:9] + VARIANTS[10:]:
                check(capped, objectives[-1], None, options)
    assert objectives == sorted(objectives, reverse=True)
    assert objectives[-1] == solve_ranked(problem).objective


def test_two_columns_of_one_value_and_one_row():
    one = make_problem(np.ones((5, 2)), np.array([0, 1, 1, 0, 1]), max_depth=3, cost_complexity=0.01)
    check(one, 0.4 + 0.01, 1)
    check(make_problem(np.ones((1, 1)), np.array([0]), 2, max_depth=None, cost_complexity=0.0), 0.0, 1)


def test_neighbouring_floats_and_infinities_are_separated():
    a = 0.1
    b = np.nextafter(a, 1)
    tiny = np.nextafter(0.0, 1.0)
    columns = [
        [a, b],
        [0.0, tiny],
        [-np.inf, np.inf],
        [1e308, 1.5e308],
        [np.finfo(float).max, np.inf],
        [-np.inf, -1e308],
    ]
    for low, high in columns:
        X = np.array([[low], [high], [low], [high]])
        result = solve_ranked(make_problem(X, np.array([0, 1, 0, 1]), max_depth=1, cost_complexity=0.01))
        assert result.loss == 0
        assert low <= result.tree.splits[0].threshold < high


def test_deeper_is_never_worse_and_dearer_leaves_are_never_more():
    rng = np.random.default_rng(12)
    X, y = rng.random((70, 3)), rng.integers(0, 2, 70)
    losses = [solve_ranked(make_problem(X, y, max_depth=d, cost_complexity=0.0)).loss for d in (1, 2, 3, 4)]
    assert losses == sorted(losses, reverse=True)
    leaves = [
        solve_ranked(make_problem(X, y, max_depth=3, cost_complexity=c)).tree.n_leaves
        for c in (0, 0.01, 0.03, 0.1)
    ]
    assert leaves == sorted(leaves, reverse=True)
    y = ((X[:, 0] > 0.4) ^ (X[:, 1] > 0.6)).astype(int)
    for c, d in itertools.product((0.03, 0.06), (5, 6, None)):
        deep = solve_ranked(make_problem(X, y, max_depth=d, cost_complexity=c))
        shallow = solve_ranked(make_problem(X, y, max_depth=3, cost_complexity=c))
        assert deep.status.name == "OPTIMAL"
        assert deep.objective <= shallow.objective


def test_every_subproblem_is_counted():
    rng = np.random.default_rng(3)
    X = rng.random((60, 3))
    y = (X[:, 0] * X[:, 1] + X[:, 2] > 0.7).astype(int)
    stats = solve_ranked(make_problem(X, y, max_depth=3, cost_complexity=0.01)).stats
    assert stats["subproblems"] > stats["pair_solves"] > 1  # deeper ones, and those of depth two
