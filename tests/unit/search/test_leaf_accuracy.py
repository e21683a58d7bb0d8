"""The search for the best worst leaf against brute force, and against itself with every switch off."""

from __future__ import annotations

import _thread
import itertools
import threading
import time
from dataclasses import fields, replace
from fractions import Fraction

import numpy as np
import pytest

from brute_force_leaf_accuracy import Oracle
from ranked_problems import make_problem
from treewright import _core
from treewright.binarize import midpoints
from treewright.errors import InputError, SolverError
from treewright.problem import Problem
from treewright.problem._weights import balance
from treewright.result import SolveStatus, StopReason
from treewright.search import (
    LeafAccuracyOptions,
    Limits,
    leaf_value,
    solve_leaf_accuracy,
    solve_with_leaf_accuracy,
)
from treewright.tree import ColumnKind
from treewright.verify import verify

SWITCHES = [field.name for field in fields(LeafAccuracyOptions) if field.default is True]
SWEEPS = LeafAccuracyOptions(dense_splits=0)
VARIANTS = [
    LeafAccuracyOptions(),
    LeafAccuracyOptions(**dict.fromkeys(SWITCHES, False)),
    *(LeafAccuracyOptions(**{name: False}) for name in SWITCHES),
    SWEEPS,
    LeafAccuracyOptions(block_rows=0),
    LeafAccuracyOptions(dense_splits=0, slack=0.0, block_rows=0),
    LeafAccuracyOptions(dense_splits=12, slack=2.0),
    LeafAccuracyOptions(dense_splits=0, propagate=False, cache=False),
]


def random_problem(rng: np.random.Generator, n: int, n_columns: int, **rest) -> Problem:
    """A table with ties, duplicates, missing values, several classes, whole weights and minimum leaf sizes."""
    X = np.column_stack([rng.integers(0, rng.integers(2, n + 2), size=n) for _ in range(n_columns)]).astype(
        float
    )
    kinds = [ColumnKind.CONTINUOUS] * n_columns
    if rng.random() < 0.2:
        X[rng.random(n) < 0.3, 0] = np.nan
    if rng.random() < 0.2:
        X[:, -1] = rng.integers(0, 3, size=n)
        kinds[-1] = ColumnKind.CATEGORICAL
    n_classes = int(rng.integers(2, 5))
    y = rng.integers(0, n_classes, size=n)
    if rng.random() < 0.6:  # some structure, so that deep trees pay
        signal = (np.nan_to_num(X[:, 0]) > 1).astype(int) ^ (np.nan_to_num(X[:, -1]) > 1)
        y = np.where(rng.random(n) < 0.8, signal, y)
    weight = None
    if rng.random() < 0.4:
        weight = rng.integers(1, 4, size=n).astype(float)
    return make_problem(
        X, y, n_classes, weight, kinds=kinds,
        **{"max_depth": int(rng.integers(0, 4)), "min_samples_leaf": int(rng.choice([1, 1, 2, 3])), **rest},
    )  # fmt: skip


def check(problem: Problem, oracle: Oracle, options: LeafAccuracyOptions | None = None) -> None:
    value, errors, leaves = oracle.optimum()
    confidence = oracle.confidence
    criterion = "accuracy" if confidence is None else "lower_bound"
    result = solve_leaf_accuracy(
        problem, "all", criterion=criterion, confidence=confidence or 0.95, options=options
    )
    assert result.status is SolveStatus.OPTIMAL, result
    assert result.objective == pytest.approx(float(value), abs=1e-12)
    assert result.loss * problem.total_weight == pytest.approx(errors, abs=1e-9)
    assert result.tree.n_leaves == leaves
    assert result.upper_bound == result.objective == result.lower_bound
    report = verify(problem, result)
    assert report.ok, str(report)


@pytest.mark.parametrize("seed", range(40))
def test_equals_brute_force(seed):
    rng = np.random.default_rng(seed)
    for _ in range(25):
        problem = random_problem(rng, int(rng.integers(3, 13)), int(rng.integers(1, 4)))
        check(problem, Oracle(problem), rng.choice([LeafAccuracyOptions(), SWEEPS]))


@pytest.mark.parametrize("seed", range(10))
def test_depth_four_equals_brute_force(seed):
    rng = np.random.default_rng(100 + seed)
    for _ in range(6):
        problem = random_problem(rng, int(rng.integers(8, 15)), 2, max_depth=4, min_samples_leaf=1)
        check(problem, Oracle(problem))


@pytest.mark.parametrize("seed", range(20))
def test_lower_bound_equals_brute_force(seed):
    rng = np.random.default_rng(200 + seed)
    for _ in range(20):
        problem = random_problem(rng, int(rng.integers(3, 13)), int(rng.integers(1, 4)))
        oracle = Oracle(problem, confidence=float(rng.choice([0.5, 0.7, 0.95, 0.999])))
        check(problem, oracle, rng.choice([LeafAccuracyOptions(), SWEEPS]))


@pytest.mark.parametrize("seed", range(12))
def test_switches_keep_the_optimum(seed):
    rng = np.random.default_rng(300 + seed)
    for _ in range(4):
        depth = int(rng.integers(2, 5))
        problem = random_problem(rng, int(rng.integers(6, 13)), 2, max_depth=depth)
        oracle = Oracle(problem, rng.choice([None, 0.9]))
        for options in VARIANTS:
            check(problem, oracle, options)


@pytest.mark.parametrize("seed", range(10))
def test_switches_and_kernels_agree_on_larger_tables(seed):
    rng = np.random.default_rng(400 + seed)
    n = int(rng.integers(60, 250))
    problem = random_problem(
        rng, n, 3, max_depth=int(rng.integers(3, 6)), min_samples_leaf=int(rng.integers(4, 15))
    )
    criterion = ["accuracy", "lower_bound"][seed % 2]
    expected = solve_leaf_accuracy(problem, 8, criterion=criterion)
    assert expected.status is SolveStatus.OPTIMAL
    found = [
        solve_leaf_accuracy(problem, 8, criterion=criterion, options=options) for options in VARIANTS[1:]
    ]
    for level, options in itertools.product(
        (_core.Simd.PLAIN, _core.Simd.AVX2), (LeafAccuracyOptions(), SWEEPS)
    ):
        _core.set_simd_limit(level)
        try:
            found.append(solve_leaf_accuracy(problem, 8, criterion=criterion, options=options))
        finally:
            _core.set_simd_limit(_core.Simd.AVX512)
    for other in found:
        assert (other.objective, other.loss, other.tree.n_leaves) == (
            expected.objective, expected.loss, expected.tree.n_leaves,
        )  # fmt: skip


@pytest.mark.parametrize("seed", range(20))
def test_smallest_leaf_accuracy_as_a_constraint(seed):
    rng = np.random.default_rng(500 + seed)
    for _ in range(10):
        price = float(rng.choice([0.0, 0.01, 0.05]))
        problem = random_problem(rng, int(rng.integers(3, 12)), 2, cost_complexity=price)
        oracle = Oracle(problem)
        least = float(rng.choice([0.3, 0.5, 0.6, 0.75, 0.9, 1.0]))
        per_leaf = Fraction(repr(price)) * sum(oracle.weight)
        expected = oracle.cheapest(oracle.everything, problem.max_depth, least - 1e-12, per_leaf)
        if expected is None:
            with pytest.raises(SolverError, match="Lower min_leaf_accuracy"):
                solve_with_leaf_accuracy(problem, "all", least)
            continue
        result = solve_with_leaf_accuracy(problem, "all", least, options=rng.choice([None, SWEEPS]))
        assert result.status is SolveStatus.OPTIMAL
        assert result.objective * problem.total_weight == pytest.approx(
            float(expected[0]) / oracle.unit, abs=1e-9
        )
        assert result.tree.n_leaves == expected[1]
        assert result.lower_bound <= result.objective
        assert verify(problem, result, min_leaf_accuracy=least).ok


def test_weights_are_copies():
    rng = np.random.default_rng(7)
    for _ in range(10):
        n = 30
        X, y = rng.integers(0, 6, size=(n, 3)).astype(float), rng.integers(0, 3, size=n)
        weight = rng.integers(1, 5, size=n)
        weighted = make_problem(X, y, 3, weight.astype(float), max_depth=3)
        rows = np.repeat(np.arange(n), weight)
        copied = make_problem(X[rows], y[rows], 3, max_depth=3)
        a, b = solve_leaf_accuracy(weighted, "all"), solve_leaf_accuracy(copied, "all")
        assert (a.objective, a.tree.n_leaves) == (b.objective, b.tree.n_leaves)
        assert a.loss == pytest.approx(b.loss, abs=1e-12)


@pytest.mark.parametrize("criterion", ["accuracy", "lower_bound"])
def test_the_unit_of_the_weights_does_not_matter(criterion):
    rng = np.random.default_rng(17)
    for _ in range(10):
        problem = random_problem(rng, 25, 3, max_depth=3)
        a = solve_leaf_accuracy(problem, "all", criterion=criterion)
        for factor in (7.0, 0.1, 1e9, 1e-200):
            other = replace(problem, sample_weight=problem.sample_weight * factor)
            b = solve_leaf_accuracy(other, "all", criterion=criterion)
            assert a.objective == pytest.approx(b.objective, abs=1e-12)
            assert a.loss == pytest.approx(b.loss, abs=1e-12)
            assert a.tree.n_leaves == b.tree.n_leaves


def test_balanced_weights_are_no_more_observations_than_rows():
    """A class of 109 rows and one of 101 give large whole numbers as balanced weights, 100 and 100 rows ones."""
    bounds = []
    for sizes in ((109, 101), (100, 100)):
        y = np.repeat([0, 1], sizes)
        x = y.astype(float)
        for label in (0, 1):
            at = np.flatnonzero(y == label)
            x[at[: len(at) // 10]] = 1 - label
        problem = make_problem(x[:, None], y, 2, balance(np.ones(len(y)), y, 2), max_depth=1)
        bounds.append(solve_leaf_accuracy(problem, "all", criterion="lower_bound").objective)
    assert bounds[0] == pytest.approx(bounds[1], abs=0.01)
    assert bounds[1] == pytest.approx(leaf_value(90, 100, "lower_bound"))


def test_large_weights_take_the_wide_kernel():
    rng = np.random.default_rng(8)
    for _ in range(10):
        problem = random_problem(rng, 12, 2, max_depth=3)
        large = replace(
            problem, sample_weight=problem.sample_weight * 100_003.0 + rng.integers(0, 3, size=12)
        )
        check(large, Oracle(large))
        check(large, Oracle(large), SWEEPS)


def real_weights(rng: np.random.Generator, problem: Problem, most: int = 6) -> Problem:
    """Weights that no small unit divides: alike, far apart, balanced classes; or equal but for the last bits."""
    n = problem.table.n_rows
    kinds = (
        rng.random(n) + 0.5,
        10.0 ** rng.uniform(-6, 6, n),
        balance(rng.random(n) + 0.1, problem.y, problem.n_classes),
        rng.integers(1, 4, n) * 1e-7 + rng.integers(0, 2, n) * 1.0 + 1e-7,
        1 + rng.integers(0, 3, n) * 2.0**-30,
        1 + rng.integers(0, 3, n) * 2.0**-52,
    )
    return replace(problem, sample_weight=kinds[rng.integers(most)])


@pytest.mark.parametrize("seed", range(30))
def test_real_weights_are_exact(seed):
    rng = np.random.default_rng(900 + seed)
    for _ in range(12):
        problem = random_problem(rng, int(rng.integers(3, 13)), int(rng.integers(1, 4)))
        problem = real_weights(rng, problem)
        check(problem, Oracle(problem), VARIANTS[rng.integers(len(VARIANTS))])


def test_a_bound_at_even_odds_is_the_accuracy_to_the_last_bit():
    """(3e9 + 2) / (3e9 + 3) and (3e9 + 1) / (3e9 + 2) are one number in float64; the first is the better worst leaf."""
    X = np.array([[2, 0], [0, 0], [1, 1], [2, 0], [0, 0], [2, 1]], dtype=float)
    y, weight = np.array([2, 1, 0, 1, 1, 1]), np.array([1.0, 1, 1, 1, 3e9, 3e9])
    problem = make_problem(X, y, 3, weight, max_depth=4, min_samples_leaf=1)
    for criterion in ("accuracy", "lower_bound"):
        tree = solve_leaf_accuracy(problem, "all", criterion=criterion, confidence=0.5).tree
        leaves = tree.value[tree.is_leaf]
        worst = min(Fraction(leaf.max()) / Fraction(leaf.sum()) for leaf in leaves)
        assert worst == Fraction(3 * 10**9 + 2, 3 * 10**9 + 3)


@pytest.mark.parametrize("seed", range(20))
def test_lower_bound_of_real_weights_is_exact(seed):
    rng = np.random.default_rng(930 + seed)
    for _ in range(6):
        problem = random_problem(rng, int(rng.integers(3, 12)), 2)
        problem = real_weights(rng, problem, 4)  # the oracle's bounds are float64, not exact to the last bits
        oracle = Oracle(problem, confidence=float(rng.choice([0.5, 0.7, 0.95, 0.999])))
        check(problem, oracle, VARIANTS[rng.integers(len(VARIANTS))])


@pytest.mark.parametrize("seed", range(20))
def test_smallest_leaf_accuracy_with_real_weights(seed):
    rng = np.random.default_rng(960 + seed)
    for _ in range(6):
        price = float(rng.choice([0.0, 0.01, 0.07, 0.3]))
        problem = real_weights(rng, random_problem(rng, int(rng.integers(3, 12)), 2, cost_complexity=price))
        oracle = Oracle(problem)
        least = float(rng.choice([0.0, 0.5, 0.6, 0.75, 1.0]))
        per_leaf = Fraction(repr(price)) * sum(oracle.weight)
        expected = oracle.cheapest(oracle.everything, problem.max_depth, Fraction(repr(least)), per_leaf)
        if expected is None:
            with pytest.raises(SolverError, match="Lower min_leaf_accuracy"):
                solve_with_leaf_accuracy(problem, "all", least)
            continue
        result = solve_with_leaf_accuracy(problem, "all", least, options=rng.choice([None, SWEEPS]))
        assert result.status is SolveStatus.OPTIMAL
        assert result.objective == pytest.approx(float(expected[0] / sum(oracle.weight)), abs=1e-14)
        assert verify(problem, result, min_leaf_accuracy=least).ok


@pytest.mark.parametrize("criterion", ["accuracy", "lower_bound"])
@pytest.mark.clock
def test_limits_hold_with_real_weights(criterion):
    """A bound's table of all weights of a leaf is no larger than a small table of rows deserves."""
    rng = np.random.default_rng(21)
    problem = make_problem(
        rng.random((12, 3)), rng.integers(0, 2, 12), 2, rng.random(12) + 0.1, max_depth=3, min_samples_leaf=2
    )
    start = time.process_time()
    solve_leaf_accuracy(problem, "all", criterion=criterion, limits=Limits(time_limit=0.1))
    assert time.process_time() - start < 0.5


def test_given_cuts_equal_all_thresholds():
    rng = np.random.default_rng(10)
    for _ in range(20):
        problem = random_problem(rng, 25, 3, max_depth=3)
        a = solve_leaf_accuracy(problem, "all")
        b = solve_leaf_accuracy(problem, midpoints(problem.table, sample_weight=problem.sample_weight))
        assert (a.objective, a.loss, a.tree.n_leaves) == (b.objective, b.loss, b.tree.n_leaves)


def wide_problem(n: int = 400, depth: int = 4) -> Problem:
    rng = np.random.default_rng(11)
    X = rng.normal(size=(n, 5))
    y = (X[:, 0] * X[:, 1] + 0.8 * rng.normal(size=n) > 0).astype(int)
    return make_problem(X, y, 2, max_depth=depth, min_samples_leaf=15)


@pytest.mark.parametrize("steps", [1, 2, 5, 20, 100, 400])
def test_limits_keep_the_best_tree_with_its_bound(steps):
    problem = wide_problem()
    best = solve_leaf_accuracy(problem, 8)
    assert best.status is SolveStatus.OPTIMAL
    stopped = solve_leaf_accuracy(problem, 8, limits=Limits(step_limit=steps))
    assert stopped.objective <= best.objective <= stopped.upper_bound
    assert verify(problem, stopped).ok
    if stopped.status is not SolveStatus.OPTIMAL:
        assert stopped.stop_reason is StopReason.STEP_LIMIT
        assert "step limit reached" in stopped.sentence()


def test_long_runs_have_an_upper_bound_below_one():
    problem = replace(wide_problem(600, 4), min_samples_leaf=30)
    result = solve_leaf_accuracy(problem, 40, limits=Limits(step_limit=8000))
    assert result.status is SolveStatus.FEASIBLE
    assert result.objective < result.upper_bound < 1.0
    assert 0 < result.gap < 1


def test_progress_is_monotone_and_can_stop():
    states = []
    result = solve_leaf_accuracy(
        wide_problem(1500, 5), 16, limits=Limits(step_limit=6000), progress=lambda s: states.append(s)
    )
    assert all(s.lower_bound <= s.objective <= 1 for s in states)
    for a, b in itertools.pairwise(states):
        assert b.objective <= a.objective
        assert b.lower_bound >= a.lower_bound - 1e-9
    assert states
    assert states[-1].objective >= 1 - result.objective - 1e-9
    stopped = solve_leaf_accuracy(wide_problem(1500, 5), 16, progress=lambda s: True)
    assert stopped.stop_reason is StopReason.CALLBACK


@pytest.mark.parametrize("thresholds", ["all", 16])
def test_interrupt_keeps_the_best_tree_with_its_bound(thresholds):
    rng = np.random.default_rng(13)
    problem = make_problem(
        rng.random((3000, 8)), rng.integers(0, 2, 3000), 2, max_depth=5, min_samples_leaf=40
    )
    timer = threading.Timer(0.5, _thread.interrupt_main)
    timer.start()
    result = solve_leaf_accuracy(problem, thresholds, limits=Limits(time_limit=60))
    timer.join()
    assert result.stop_reason is StopReason.INTERRUPT
    assert result.tree.n_leaves > 1
    assert result.objective <= result.upper_bound
    assert verify(problem, result).ok


def test_all_thresholds_of_thousands_at_depth_two():
    rng = np.random.default_rng(14)
    X = rng.normal(size=(900, 3))
    y = ((X[:, 0] > 0.3) ^ (X[:, 1] > -0.2) ^ (rng.random(900) < 0.1)).astype(int)
    problem = make_problem(X, y, 2, max_depth=2, min_samples_leaf=30)
    result = solve_leaf_accuracy(problem, "all", options=SWEEPS)
    assert result.status is SolveStatus.OPTIMAL
    assert result.scope == "all thresholds"
    coarse = solve_leaf_accuracy(problem, 32)
    assert coarse.status is SolveStatus.OPTIMAL
    assert coarse.objective <= result.objective
    dense = solve_leaf_accuracy(problem, "all", options=LeafAccuracyOptions(dense_splits=5000))
    assert (dense.objective, dense.loss, dense.tree.n_leaves) == (
        result.objective,
        result.loss,
        result.tree.n_leaves,
    )


def test_little_memory_sheds_and_changes_nothing():
    problem = wide_problem()
    expected = solve_leaf_accuracy(problem, 8)
    small = solve_leaf_accuracy(problem, 8, limits=Limits(memory_limit=60_000))
    assert (small.objective, small.loss) == (expected.objective, expected.loss)


def test_leaf_value():
    assert leaf_value(3, 4) == 0.75
    q = leaf_value(45, 50, "lower_bound", 0.95)  # where the score test just fails to reject
    assert (0.9 - q) / np.sqrt(q * (1 - q) / 50) == pytest.approx(1.6448536, abs=1e-6)
    assert leaf_value(3, 4, "lower_bound", 0.5) == pytest.approx(0.75)
    assert leaf_value(0, 4, "lower_bound", 0.95) == pytest.approx(0.0, abs=1e-12)


def test_sentences():
    problem = wide_problem(depth=2)
    result = solve_leaf_accuracy(problem, 8)
    assert (
        "no tree of depth at most 2 and at least 15 rows per leaf has a better worst leaf"
        in result.sentence()
    )
    bound = solve_leaf_accuracy(problem, 8, criterion="lower_bound")
    assert "Wilson, 0.95" in bound.sentence()
    assert bound.objective < bound.stats["leaf_accuracy"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"criterion": "purity"}, "criterion='purity'"),
        ({"criterion": "lower_bound", "confidence": 1.0}, "confidence=1.0"),
        ({"confidence": "high"}, "confidence='high'"),
        ({"thresholds": "some"}, "thresholds='some'"),
    ],
)
def test_bad_parameters(arguments, message):
    with pytest.raises(InputError, match=message):
        solve_leaf_accuracy(wide_problem(), **arguments)


def test_bad_problems():
    problem = wide_problem()
    with pytest.raises(InputError, match="max_depth is None"):
        solve_leaf_accuracy(replace(problem, max_depth=None))
    with pytest.raises(InputError, match="max_leaf_nodes=3"):
        solve_leaf_accuracy(replace(problem, max_leaf_nodes=3))
    with pytest.raises(InputError, match="costs were given"):
        solve_leaf_accuracy(replace(problem, costs=np.array([[0.0, 2.0], [1.0, 0.0]])))
    with pytest.raises(InputError, match=r"min_leaf_accuracy=1\.5"):
        solve_with_leaf_accuracy(problem, "all", 1.5)
