"""Row prices: feasible, as good as the linear program over every conjunction, and below every optimum."""

from __future__ import annotations

import itertools
import time

import numpy as np
import pytest
from scipy.optimize import linprog

import treewright.search._prices as prices_module
from tiny_problems import TinyProblem, check, random_problem
from treewright import SolveStatus
from treewright._native import core
from treewright.result import StopReason
from treewright.search import BinaryOptions, Limits, Progress
from treewright.search._prices import PriceLimits, PriceLoop
from treewright.search._row_groups import group_rows


def made(
    rng: np.random.Generator, n_columns: int, n_rows: int, price: float, n_classes: int = 2
) -> core.BinaryProblem:
    goes_right = (rng.random((n_columns, n_rows)) < 0.5).astype(np.uint8)
    y = (goes_right[0] ^ goes_right[-1]).astype(np.int32)
    noisy = rng.random(n_rows) < 0.5
    y[noisy] = rng.integers(0, n_classes, int(noisy.sum()))
    return core.BinaryProblem(
        goes_right,
        y,
        rng.integers(1, 4, n_rows),
        (1 - np.eye(n_classes)).astype(np.int64),
        leaf_penalty=price,
        min_count=1,
        equivalent_points=True,
    )


def conjunctions(bits: np.ndarray, max_depth: int | None) -> set[tuple[int, ...]]:
    """Every set of rows that some conjunction selects, by going through all of them."""
    n_columns = bits.shape[1]
    found = set()
    for literals in itertools.product((0, 1, None), repeat=n_columns):
        used = [(j, v) for j, v in enumerate(literals) if v is not None]
        if max_depth is None or len(used) <= max_depth:
            inside = np.all([bits[:, j] == v for j, v in used], axis=0) if used else np.ones(len(bits), bool)
            found.add(tuple(np.flatnonzero(inside).tolist()))
    return found - {()}


def class_costs(problem: core.BinaryProblem) -> np.ndarray:
    """Cost of each class on each distinct row; two classes."""
    costs = np.repeat(problem.row_cost()[:, None], 2, axis=1)
    costs[np.arange(problem.n_rows), problem.row_class()] = 0
    return costs


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("grouped", [False, True])
def test_prices_are_feasible_and_best(seed: int, grouped: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if grouped:
        monkeypatch.setattr(prices_module, "MOST_ROWS_UNGROUPED", 3)
        monkeypatch.setattr(prices_module, "MOST_GROUPS", 8)
    rng = np.random.default_rng(seed)
    max_depth = [None, 2, 3][seed % 3]
    problem = made(rng, int(rng.integers(2, 6)), int(rng.integers(6, 40)), float(rng.choice([1.3, 2.5, 6.0])))
    if problem.n_rows == 0:
        pytest.skip("every row was free")
    loop = PriceLoop(problem, max_depth)
    found = loop.run(PriceLimits())
    bits = problem.row_bits().reshape(problem.n_rows, problem.n_columns)
    costs = class_costs(problem)
    unit = 1 << problem.unit_shift
    sets = conjunctions(bits, max_depth)
    assert (found.prices >= 0).all()
    for rows in sets:  # in Python's integers
        paid = sum(int(found.prices[r]) for r in rows)
        cheapest = min(sum(int(costs[r, k]) for r in rows) for k in (0, 1))
        assert paid <= problem.leaf_penalty + cheapest * unit
    assert found.bound == pytest.approx(int(found.prices.sum()) / unit + problem.base_cost)

    # The program over all conjunctions, with the same variables and caps.
    matrix = np.zeros((len(sets), len(loop.cap)))
    right = np.zeros(len(sets))
    for i, rows in enumerate(sets):
        np.add.at(matrix[i], loop.group[list(rows)], loop.scale[list(rows)])
        right[i] = problem.leaf_penalty / unit + costs[list(rows)].sum(axis=0).min()
    whole = linprog(-loop.mass, A_ub=matrix, b_ub=right, bounds=np.column_stack([0 * loop.cap, loop.cap]))
    assert whole.status == 0
    best = problem.base_cost - whole.fun
    assert found.bound <= best * (1 + 1e-9)
    assert found.bound >= best - 2 * prices_module.TOLERANCE * (best - problem.base_cost) - 1e-9
    assert found.program_value >= best * (1 - 1e-9)


def test_below_every_optimum_and_the_search_agrees() -> None:
    rng = np.random.default_rng(20)
    n_priced = 0
    for _ in range(600):
        problem = random_problem(rng, max_columns=5, max_rows=12, max_classes=3)
        # (The core caps a leaf price above all costs together; its values are not the objective then.)
        if not 0 < problem.cost_complexity <= 0.1 or not np.array_equal(
            problem.weight, problem.weight.astype(int)
        ):
            continue
        if not np.array_equal(problem.costs, problem.costs.astype(int)):
            continue
        total = problem.weight.sum()
        bits = core.BinaryProblem(
            np.ascontiguousarray(problem.goes_right),
            problem.y,
            problem.weight.astype(np.int64),
            problem.costs.astype(np.int64),
            leaf_penalty=problem.cost_complexity * float(total),
            min_count=problem.min_samples_leaf,
            equivalent_points=True,
        )
        found = PriceLoop(bits, problem.max_depth).run(PriceLimits(rounds=int(rng.integers(1, 30))))
        optimum = float(problem.optimum())
        if optimum > 1e6:
            continue  # no tree meets the limits
        assert found.bound / total <= optimum + 1e-7
        n_priced += 1
        answer = bits.search(
            max_depth=-1 if problem.max_depth is None else problem.max_depth,
            max_leaves=problem.max_leaf_nodes or 0,
            options=BinaryOptions(lattice=False, plain_steps=int(rng.integers(1, 50))).native(),
            price_rows=lambda *_, found=found: found,
            fewest_leaves=False,
            time_limit=60.0,
            step_limit=2**60,
            memory_limit=2**28,
            report=None,
        )
        assert answer["exact"]
        assert answer["upper_bound"] / total == pytest.approx(optimum, abs=1e-7)
    assert n_priced > 100


@pytest.mark.parametrize("seed", range(12))
def test_stages_find_the_optimum_again_and_again(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """`solve` prices after two steps; without a time limit the tree, its proof and counts are the same each time."""
    monkeypatch.setattr(prices_module, "PriceLimits", lambda seconds, work: PriceLimits(work=work))
    rng = np.random.default_rng(seed)
    problem = random_problem(rng, max_columns=6, max_rows=13).but(
        cost_complexity=0.03, max_depth=None, max_leaf_nodes=None, min_samples_leaf=1
    )
    options = BinaryOptions(plain_steps=1, lattice=False, greedy_start=False)
    first, second = (problem.solve(options=options) for _ in range(2))
    check(problem, first, problem.optimum())
    assert first.tree.prediction.tolist() == second.tree.prediction.tolist()
    assert first.tree.value.tolist() == second.tree.value.tolist()
    assert first.stats["subproblems"] == second.stats["subproblems"]
    assert first.stats["row_price_bound"] == second.stats["row_price_bound"]


def hard_problem() -> core.BinaryProblem:
    return made(np.random.default_rng(3), 18, 250, 6.0)


def test_work_limit_and_going_on() -> None:
    problem = hard_problem()
    loop = PriceLoop(problem, None)
    bounds = [loop.run(PriceLimits(rounds=rounds)).bound for rounds in (2, 4, 8)]
    assert bounds == sorted(bounds)
    assert bounds[-1] > bounds[0] > 0
    assert loop.rounds == 14
    again = PriceLoop(problem, None)
    assert again.run(PriceLimits(rounds=14)).bound == bounds[-1]
    few = PriceLoop(problem, None).run(PriceLimits(work=2000))
    assert few.rounds < 14


def test_the_watcher_stops_and_ctrl_c_keeps_the_prices() -> None:
    problem = hard_problem()
    stopped = PriceLoop(problem, None).run(PriceLimits(), watch=lambda bound: bound > 0)
    assert stopped.stopped
    assert stopped.prices.sum() > 0
    seen = []

    def interrupt(bound: float) -> None:
        seen.append(bound)
        if bound > 0:
            raise KeyboardInterrupt

    interrupted = PriceLoop(problem, None).run(PriceLimits(), watch=interrupt)
    assert interrupted.interrupted
    assert interrupted.bound == seen[-1] == stopped.bound


def slow_problem() -> TinyProblem:
    rng = np.random.default_rng(5)
    return random_problem(rng).but(
        goes_right=(rng.random((24, 300)) < 0.5).astype(np.uint8),
        y=rng.integers(0, 2, 300).astype(np.int32),
        weight=np.ones(300),
        costs=1 - np.eye(2),
        cost_complexity=0.01,
        max_depth=None,
        max_leaf_nodes=None,
        min_samples_leaf=1,
    )


def test_solve_tells_the_price_bound_and_may_be_stopped_while_pricing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    problem = slow_problem()
    options = BinaryOptions(plain_steps=50, lattice=False)
    result = problem.solve(Limits(step_limit=4000), options)
    assert result.stats["row_price_rounds"] > 0
    assert 0 < result.stats["row_price_bound"] <= result.lower_bound + 1e-12
    assert result.lower_bound <= result.objective
    plain = problem.solve(
        Limits(step_limit=4000), BinaryOptions(plain_steps=50, lattice=False, row_prices=False)
    )
    assert plain.stats["row_price_bound"] is None
    assert plain.stats["subproblems"] == result.stats["subproblems"] == 4000

    # Reports come about 20 times a second: each round gets one, however fast the machine is.
    step = PriceLoop.step
    monkeypatch.setattr(PriceLoop, "step", lambda loop: (time.sleep(0.06), step(loop))[1])
    reports: list[Progress] = []

    def stop(progress: Progress) -> bool:
        reports.append(progress)
        return progress.subproblems == 100  # only the rounds of the prices report right after the first stage

    ended = problem.solve(options=options, progress=stop)
    assert ended.stats["subproblems"] == 100
    assert ended.stop_reason is not None
    bounds = [r.lower_bound for r in reports]
    assert bounds == sorted(bounds)


def test_an_interrupt_between_two_stages_keeps_the_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(prices_module, "PriceLoop", interrupt)
    problem = slow_problem()
    result = problem.solve(options=BinaryOptions(plain_steps=50, lattice=False))
    check(problem, result)
    assert (result.status, result.stop_reason) == (SolveStatus.FEASIBLE, StopReason.INTERRUPT)
    assert result.lower_bound < result.objective
    assert result.stats["subproblems"] == 100  # the first stage


def test_groups_are_pure_and_few() -> None:
    rng = np.random.default_rng(1)
    bits = (rng.random((500, 9)) < 0.5).astype(np.uint8)
    label = (bits[:, 0] ^ bits[:, 1]).astype(np.int32)
    group = group_rows(bits, label, np.ones(500), 16)
    assert set(group) == set(range(group.max() + 1))
    assert group.max() + 1 <= 32
    for g in range(group.max() + 1):
        assert len(set(label[group == g])) == 1
