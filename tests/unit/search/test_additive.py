"""Trees for additive losses against brute force in exact fractions, and against themselves with every switch off."""

from __future__ import annotations

import _thread
import threading
import time
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from brute_force_additive import action_costs, best_tree, squared_error
from treewright import _core
from treewright.errors import InputError, SolverError
from treewright.result import StopReason
from treewright.search import Limits
from treewright.search._additive import solve_additive
from treewright.search._additive_losses import ActionLoss, SquaredErrorLoss, SurvivalLoss
from treewright.search._solve_ranked import RankedOptions
from treewright.table import Table
from treewright.tree import Column, ColumnKind

VARIANTS = [
    RankedOptions(monotone=False),
    RankedOptions(lipschitz=False),
    RankedOptions(between=False),
    RankedOptions(leaf_count=False),
    RankedOptions(shallower=False),
    RankedOptions(cache=False),
    RankedOptions(neighbours=False),
    RankedOptions(sharing_work=0),
    RankedOptions(sharing_work=0, lanes=8, plain_work=1),
    RankedOptions(plain_work=1, slack=0.0),
    RankedOptions(plain_work=1, resume=False, fair_shares=False),
    RankedOptions(rising=False, lanes=1),
    RankedOptions(core_passes=0, any_size=False),
    RankedOptions(monotone=False, lipschitz=False, leaf_count=False, shallower=False, cache=False),
    RankedOptions(),
]
VARIANTS = [replace(options, groups=False) for options in VARIANTS]  # else few thresholds are groups of rows


def make_table(X, kinds=None) -> Table:
    X = np.asfortranarray(X, dtype=np.float64)
    kinds = kinds or [ColumnKind.CONTINUOUS] * X.shape[1]
    return Table(
        tuple(
            Column(
                f"x{j}",
                kind,
                tuple("abcdefgh"[: int(np.nanmax(X[:, j])) + 1]) if kind is ColumnKind.CATEGORICAL else (),
                bool(np.isnan(X[:, j]).any()),
            )
            for j, kind in enumerate(kinds)
        ),
        X,
    )


def random_regression(rng: np.random.Generator, n: int, n_columns: int):
    """A table with ties, missing values and categories, whole targets and weights."""
    X = np.column_stack([rng.integers(0, k, size=n) for k in rng.integers(2, n + 2, size=n_columns)]).astype(
        float
    )
    kinds = [ColumnKind.CONTINUOUS] * n_columns
    if rng.random() < 0.2:
        kinds[0] = ColumnKind.CATEGORICAL
        X[:, 0] %= 4
    if rng.random() < 0.2:
        X[rng.random(n) < 0.3, -1] = np.nan
        if np.isnan(X[:, -1]).all():
            X[0, -1] = 0.0
    n_outputs = int(rng.choice([1, 1, 1, 2]))
    y = rng.integers(-5, 6, size=(n, n_outputs))
    if rng.random() < 0.5:
        y += np.where(np.nan_to_num(X[:, :1]) > 1, 8, 0)
    if rng.random() < 0.2:
        y[0] = 1000
    weight = np.ones(n, dtype=int)
    if rng.random() < 0.4:
        weight = rng.integers(0, 4, size=n)
        weight[0] = 1
    return make_table(X, kinds), y, weight


def check(table, y, weight, price: Fraction, expected, options=None, **rest) -> int:
    """The answer is proven and as cheap as the best tree; returns its number of leaves."""
    loss = SquaredErrorLoss(y.astype(float), weight.astype(float))
    answer = solve_additive(table, loss, cost_complexity=float(price), options=options, **rest)
    assert answer.proven
    assert answer.tolerance <= 1e-8 * max(answer.leaf_loss, 1e-300)
    scale = max(answer.leaf_loss, 1.0)
    assert answer.objective == pytest.approx(float(expected), abs=1e-9 * scale)
    assert answer.lower_bound <= float(expected) * (1 + 1e-12) + 1e-12
    assert answer.lower_bound == pytest.approx(float(expected), abs=1e-7 * scale)
    return answer.n_leaves


@pytest.mark.parametrize("seed", range(40))
def test_squared_error_equals_brute_force(seed):
    rng = np.random.default_rng(seed)
    for _ in range(25):
        depth = [1, 2, 2, 3, 3, 4, None][rng.integers(7)]
        table, y, weight = random_regression(
            rng, int(rng.integers(3, 9 if depth in (4, None) else 12)), int(rng.integers(1, 4))
        )
        limits = {
            "max_depth": depth,
            "min_samples_leaf": int(rng.choice([1, 1, 1, 2, 3])),
            "max_leaf_nodes": [None, None, None, 3, 4, 5][rng.integers(6)],
        }
        if table.n_rows < limits["min_samples_leaf"]:
            continue
        share = Fraction(int(rng.choice([0, 0, 1, 3, 10])), 100)
        loss = squared_error(y, weight)
        price = share * loss(list(range(table.n_rows)))
        expected, leaves = best_tree(table, loss, price=price, **limits)
        found = check(table, y, weight, share, expected, **limits)
        assert found >= leaves
        for options in rng.choice(VARIANTS, size=2, replace=False):
            check(table, y, weight, share, expected, options=options, **limits)


@pytest.mark.parametrize("seed", range(20))
def test_action_costs_equal_brute_force(seed):
    rng = np.random.default_rng(100 + seed)
    for _ in range(25):
        depth = [1, 2, 2, 3, 3, 4, None][rng.integers(7)]
        n = int(rng.integers(3, 9 if depth in (4, None) else 12))
        table, _, _ = random_regression(rng, n, int(rng.integers(1, 4)))
        cost = rng.integers(-4, 9, size=(n, int(rng.integers(1, 5))))
        loss = action_costs(cost)
        paid_by_all = sum(loss([i]) for i in range(n))
        share = Fraction(int(rng.choice([0, 0, 1, 3, 10])), 100)
        price = share * (loss(list(range(n))) - paid_by_all)
        limits = {
            "max_depth": depth,
            "min_samples_leaf": int(rng.choice([1, 1, 2, 3])),
            "max_leaf_nodes": [None, None, None, 3, 4][rng.integers(5)],
        }
        expected, leaves = best_tree(table, loss, price=price, **limits)
        for options in (None, *rng.choice(VARIANTS, size=2, replace=False)):
            answer = solve_additive(
                table,
                ActionLoss(cost.astype(float)),
                cost_complexity=float(share),
                options=options,
                **limits,
            )
            assert answer.proven
            assert answer.objective == pytest.approx(float(expected), abs=1e-9)
            assert answer.lower_bound <= float(expected) + 1e-12
            assert answer.lower_bound == pytest.approx(float(expected), abs=1e-7)
            if share == 0:  # whole costs: ties are exact
                assert answer.n_leaves == leaves


def test_gini_impurity_is_the_squared_error_of_indicators():
    rng = np.random.default_rng(13)
    X, labels = rng.random((60, 2)).round(1), rng.integers(0, 3, size=60)
    answer = solve_additive(make_table(X), SquaredErrorLoss(np.eye(3)[labels]), max_depth=2)
    total, stack, position = 0.0, [np.arange(60)], 0
    while stack:
        rows, split = stack.pop(), answer.splits[position]
        position += 1
        if split is None:
            share = np.bincount(labels[rows], minlength=3) / len(rows)
            total += len(rows) * (1 - (share**2).sum())
        else:
            left = split.goes_left(X[rows])
            stack += [rows[~left], rows[left]]
    assert answer.loss == pytest.approx(total, rel=1e-12)


@pytest.mark.parametrize("options", VARIANTS)
def test_switches_change_nothing(options):
    rng = np.random.default_rng(5)
    for n, depth in ((150, 3), (60, 4)):
        X = rng.random((n, 3)).round(2)
        y = np.floor(4 * X[:, 0]) + (X[:, 1] > 0.4) * X[:, 2] + rng.normal(size=n) / 2
        loss = SquaredErrorLoss(y)
        expected = solve_additive(make_table(X), loss, max_depth=depth, cost_complexity=0.002)
        found = solve_additive(make_table(X), loss, max_depth=depth, cost_complexity=0.002, options=options)
        assert found.proven
        assert expected.proven
        assert found.objective == pytest.approx(expected.objective, rel=1e-10)
        assert found.n_leaves == expected.n_leaves


@pytest.mark.parametrize("level", ["PLAIN", "AVX2", "AVX512"])
def test_kernels_equal_the_slow_solver(level):
    """A second output that is always zero changes no loss, and takes the solver without a kernel."""
    rng = np.random.default_rng(12)
    _core.set_simd_limit(getattr(_core.Simd, level))
    try:
        for n, n_columns in ((30, 2), (200, 3), (700, 2), (2500, 2)):
            X = rng.random((n, n_columns)).round(int(rng.integers(1, 5)))
            y = np.floor(6 * X[:, 0]) * X[:, 1] + 10 * (rng.random(n) < 0.02) + rng.normal(size=n).round(1)
            weight = rng.integers(0, 3, size=n).astype(float) if n == 200 else np.ones(n)
            for depth in (2, 3) if n < 1000 else (2,):
                rest = {"max_depth": depth, "cost_complexity": float(rng.choice([0.0, 0.003]))}
                fast = solve_additive(make_table(X), SquaredErrorLoss(y, weight), **rest)
                slow = solve_additive(
                    make_table(X), SquaredErrorLoss(np.column_stack([y, np.zeros(n)]), weight), **rest
                )
                assert fast.proven
                assert slow.proven
                assert fast.objective == pytest.approx(slow.objective, rel=1e-10)
                assert fast.n_leaves == slow.n_leaves
    finally:
        _core.set_simd_limit(_core.Simd.AVX512)


LEVELS = ("PLAIN", "AVX2", "AVX512")


def at_every_level(X, loss, **rest):
    """Return the answers with each instruction set."""
    answers = []
    try:
        for level in LEVELS:
            _core.set_simd_limit(getattr(_core.Simd, level))
            answers.append(solve_additive(make_table(X), loss, **rest))
    finally:
        _core.set_simd_limit(_core.Simd.AVX512)
    return answers


def check_alike(answers) -> None:
    first = answers[0]
    assert first.proven
    for answer in answers[1:]:
        assert answer.splits == first.splits
        assert answer.objective == first.objective
        assert answer.stats["passes"] == first.stats["passes"]


@pytest.mark.parametrize("n_actions", [2, 3, 5])
def test_the_kernel_of_actions_equals_the_slow_solver(n_actions):
    """An eighth action takes the solver without a kernel; one that equals the first changes no loss."""
    rng = np.random.default_rng(n_actions)
    for n, n_columns, depth in ((30, 2, 3), (200, 3, 3), (700, 2, 2)):
        X = rng.random((n, n_columns)).round(int(rng.integers(1, 5)))
        cost = rng.normal(size=(n, n_actions)) + (X[:, :1] > 0.5) * np.arange(n_actions)
        if n == 200:
            cost = np.rint(cost)  # ties
        rest = {"max_depth": depth, "cost_complexity": float(rng.choice([0.0, 0.003]))}
        answers = at_every_level(X, ActionLoss(cost), **rest)
        more = np.column_stack([cost] + [cost[:, 0]] * (8 - n_actions))
        slow = solve_additive(make_table(X), ActionLoss(more), **rest)
        check_alike(answers)
        assert slow.proven
        assert answers[0].objective == pytest.approx(slow.objective, rel=1e-10)
        assert answers[0].n_leaves == slow.n_leaves


def test_the_kernel_of_events_equals_the_search_over_groups():
    rng = np.random.default_rng(4)
    for n, decimals, depth in ((60, 1, 3), (300, 1, 3), (500, 1, 2)):
        X = rng.random((n, 3)).round(decimals)
        hazard = np.rint(2.0**30 * rng.exponential(size=n)).astype(np.int64) + 2
        events = (rng.random(n) < 0.3 + 0.6 * (X[:, 0] > X[:, 1])).astype(np.int64)
        loss = SurvivalLoss(events, hazard)
        rest = {"max_depth": depth, "cost_complexity": float(rng.choice([0.0, 0.003]))}
        answers = at_every_level(X, loss, options=RankedOptions(groups=False), **rest)
        groups = at_every_level(X, loss, **rest)
        check_alike(answers)
        check_alike(groups)
        assert answers[0].objective == pytest.approx(groups[0].objective, rel=1e-10)


def test_a_split_between_equal_means_never_pays():
    """Floors may save a unit a leaf; that must not buy a leaf."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        half = rng.integers(-9, 10, size=int(rng.integers(2, 9)))
        y = np.concatenate([half, half]).astype(float) * rng.choice([1.0, 1 / 3, 1e-5])
        X = np.repeat([[0.0], [1.0]], len(half), axis=0)
        answer = solve_additive(make_table(X), SquaredErrorLoss(y), max_depth=2)
        assert answer.proven
        assert answer.n_leaves == 1


@pytest.mark.parametrize("scale", [1e-300, 1e-30, 1.0, 1e30, 1e150])
def test_the_scale_of_the_targets_does_not_matter(scale):
    rng = np.random.default_rng(3)
    X = rng.random((80, 2))
    y = X[:, 0] + rng.normal(size=80)
    one = solve_additive(make_table(X), SquaredErrorLoss(y))
    other = solve_additive(make_table(X), SquaredErrorLoss(y * scale))
    assert other.splits == one.splits
    assert other.proven


def test_far_from_zero_targets_lose_nothing():
    rng = np.random.default_rng(4)
    X = rng.random((80, 2))
    y = np.round(X[:, 0] * 8 + rng.normal(size=80))
    one = solve_additive(make_table(X), SquaredErrorLoss(y))
    other = solve_additive(make_table(X), SquaredErrorLoss(y + 2.0**40))
    assert other.splits == one.splits
    assert other.loss == pytest.approx(one.loss, rel=1e-9)


def test_weights_are_copies():
    rng = np.random.default_rng(6)
    X, y, weight = rng.random((40, 2)).round(1), rng.normal(size=40), rng.integers(1, 4, size=40)
    weighted = solve_additive(make_table(X), SquaredErrorLoss(y, weight.astype(float)), cost_complexity=0.01)
    copies = solve_additive(
        make_table(np.repeat(X, weight, axis=0)), SquaredErrorLoss(np.repeat(y, weight)), cost_complexity=0.01
    )
    assert copies.objective == pytest.approx(weighted.objective, rel=1e-9)
    any_scale = solve_additive(make_table(X), SquaredErrorLoss(y, weight * 0.37), cost_complexity=0.01)
    assert any_scale.objective == pytest.approx(0.37 * weighted.objective, rel=1e-9)
    assert any_scale.splits == weighted.splits


def test_order_of_rows_and_columns_does_not_matter():
    rng = np.random.default_rng(7)
    X, y = rng.random((200, 3)), rng.normal(size=200)
    base = solve_additive(make_table(X), SquaredErrorLoss(y), cost_complexity=0.001)
    order = rng.permutation(200)
    rows = solve_additive(make_table(X[order]), SquaredErrorLoss(y[order]), cost_complexity=0.001)
    assert rows.splits == base.splits
    columns = solve_additive(make_table(X[:, ::-1]), SquaredErrorLoss(y), cost_complexity=0.001)
    assert columns.objective == pytest.approx(base.objective, rel=1e-12)


def test_deeper_is_never_worse_and_dearer_leaves_are_never_more():
    rng = np.random.default_rng(8)
    X, y = rng.random((90, 3)), rng.normal(size=90)
    table, loss = make_table(X), SquaredErrorLoss(y)
    by_depth = [solve_additive(table, loss, max_depth=d).loss for d in (0, 1, 2, 3, 4)]
    assert by_depth == sorted(by_depth, reverse=True)
    by_price = [
        solve_additive(table, loss, cost_complexity=c).n_leaves for c in (0.0, 0.01, 0.03, 0.1, 0.5, 2.0)
    ]
    assert by_price == sorted(by_price, reverse=True)
    assert by_price[-1] == 1


def test_constant_targets_need_one_leaf():
    X = np.arange(20.0)[:, None]
    answer = solve_additive(make_table(X), SquaredErrorLoss(np.full(20, 3.7)))
    assert answer.proven
    assert answer.n_leaves == 1
    assert answer.loss == pytest.approx(0.0, abs=1e-25)


@pytest.fixture(scope="module")
def large():
    rng = np.random.default_rng(9)
    X = rng.random((20_000, 6))
    y = np.sin(9 * X[:, 0]) * X[:, 1] + X[:, 2] * X[:, 3] + rng.normal(size=20_000)
    return make_table(X), SquaredErrorLoss(y)


def test_steps_stop_a_large_run_alike(large):
    table, loss = large
    first, second = (
        solve_additive(table, loss, max_depth=4, limits=Limits(step_limit=400)) for _ in range(2)
    )
    assert first.stop is StopReason.STEP_LIMIT
    assert not first.proven
    assert 0 <= first.lower_bound <= first.objective <= first.leaf_loss
    assert (first.splits, first.lower_bound) == (second.splits, second.lower_bound)


@pytest.mark.parametrize("depth", [2, 3, 4, None])
@pytest.mark.parametrize("price", [0.0, 0.01])
def test_groups_of_equal_rows_equal_ranked_columns(depth, price):
    rng = np.random.default_rng(11)
    for n_columns, n in ((6, 40), (9, 200)):
        X = (rng.random((n, n_columns)) < 0.3).astype(float)
        y = X[:, 0] * X[:, 1] + X[:, 2] - X[:, 3] * X[:, 4] + rng.normal(size=n).round(1) / 2
        rest = {"max_depth": 3 if n > 40 and depth != 2 else depth, "cost_complexity": price or 0.02}
        groups, ranked = (
            solve_additive(make_table(X), SquaredErrorLoss(y), options=RankedOptions(groups=on), **rest)
            for on in (True, False)
        )
        assert groups.proven
        assert ranked.proven
        assert groups.objective == pytest.approx(ranked.objective, rel=1e-10)
        assert groups.n_leaves == ranked.n_leaves


@pytest.fixture(scope="module")
def many_binary():
    rng = np.random.default_rng(3)
    X = (rng.random((3000, 100)) < 0.5).astype(float)
    return make_table(X), SquaredErrorLoss(X[:, :9].sum(axis=1) + rng.normal(size=3000))


@pytest.mark.clock
def test_limits_stop_a_search_over_groups(many_binary):
    table, loss = many_binary
    first, second = (solve_additive(table, loss, max_depth=5, limits=Limits(step_limit=30)) for _ in range(2))
    assert first.stop is StopReason.STEP_LIMIT
    assert (first.splits, first.lower_bound) == (second.splits, second.lower_bound)
    started = time.process_time()
    timed = solve_additive(table, loss, max_depth=5, limits=Limits(time_limit=0.5))
    assert timed.stop is StopReason.TIME_LIMIT
    assert time.process_time() - started < 5
    small = solve_additive(table, loss, max_depth=5, limits=Limits(memory_limit=1000, time_limit=30))
    assert small.stop is StopReason.MEMORY_LIMIT
    for answer in (first, timed, small):
        assert not answer.proven
        assert answer.n_leaves > 2
        assert 0 <= answer.lower_bound <= answer.objective < answer.leaf_loss


def test_the_tolerance_is_small_for_any_number_of_leaves(large):
    table, loss = large
    for depth in (3, 12, 13, None):
        answer = solve_additive(table, loss, max_depth=depth, limits=Limits(step_limit=100))
        assert 0 < answer.tolerance < 1e-8 * answer.leaf_loss


def test_time_and_memory_stop_a_large_run(large):
    table, loss = large
    timed = solve_additive(table, loss, max_depth=5, limits=Limits(time_limit=1.0))
    assert timed.stop is StopReason.TIME_LIMIT
    assert timed.lower_bound <= timed.objective
    small = solve_additive(table, loss, max_depth=5, limits=Limits(memory_limit=1000, time_limit=30))
    assert small.stop is StopReason.MEMORY_LIMIT
    assert small.lower_bound <= small.objective


def test_a_callback_sees_progress_and_stops(large):
    table, loss = large
    seen = []
    answer = solve_additive(
        table, loss, max_depth=5, progress=lambda state: seen.append(state) or len(seen) >= 3
    )
    assert answer.stop is StopReason.CALLBACK
    assert len(seen) == 3
    assert all(state.lower_bound <= state.objective for state in seen)
    assert answer.objective <= min(state.objective for state in seen) * (1 + 1e-9)


def test_an_interrupt_keeps_the_tree(large):
    table, loss = large
    timer = threading.Timer(0.5, _thread.interrupt_main)
    timer.start()
    answer = solve_additive(table, loss, max_depth=5, limits=Limits(time_limit=30))
    timer.cancel()
    assert answer.stop is StopReason.INTERRUPT
    assert answer.n_leaves > 1


@pytest.mark.parametrize(
    ("y", "weight", "words"),
    [
        (np.array([1.0, np.nan, 2.0]), None, "not finite"),
        (np.array([1.0, np.inf, 2.0]), None, "not finite"),
        (np.ones(2), None, "3 rows"),
        (np.ones(3), np.zeros(3), "above 0"),
        (np.ones(3), np.array([1.0, -1.0, 1.0]), "not negative"),
    ],
)
def test_bad_input_is_refused(y, weight, words):
    with pytest.raises(InputError, match=words):
        solve_additive(make_table(np.arange(3.0)[:, None]), SquaredErrorLoss(y, weight))


def test_too_few_rows_for_a_leaf():
    with pytest.raises(SolverError, match="min_samples_leaf"):
        solve_additive(
            make_table(np.arange(3.0)[:, None]), SquaredErrorLoss(np.arange(3.0)), min_samples_leaf=4
        )


@pytest.mark.parametrize("min_samples_leaf", [1, 5])
def test_clusters_on_a_line_prove_trees_of_any_depth(min_samples_leaf):
    """The bound of segments changes no answer, and what it saves grows with the depth."""
    rng = np.random.default_rng(5)
    X = rng.integers(0, 2, (400, 10)).astype(float)
    y = 2 * X[:, 0] + X[:, 1] * X[:, 2] + (X[:, 3] > X[:, 4]) + rng.normal(0, 0.3, 400)
    asked = {"cost_complexity": 0.002, "max_depth": None, "min_samples_leaf": min_samples_leaf}
    with_bound = solve_additive(make_table(X), SquaredErrorLoss(y), **asked)
    without = solve_additive(
        make_table(X), SquaredErrorLoss(y), options=RankedOptions(segments=False), **asked
    )
    assert with_bound.proven
    assert without.proven
    assert with_bound.objective == without.objective
    assert with_bound.n_leaves == without.n_leaves
    assert with_bound.stats["passes"] * 2 < without.stats["passes"]
