"""Law: no tree, whatever its leaves score, passes what a ROC frontier proves; a proven frontier is the hull of all."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest

from brute_force_ranked import all_splits
from treewright import SolveStatus
from treewright.problem import Problem, make_problem
from treewright.result import StopReason
from treewright.search import BinaryOptions, Limits, RocFrontier, solve_roc
from treewright.table import table_from

Rows = frozenset[int]


def partitions(problem: Problem, depth: int) -> set[frozenset[Rows]]:
    """Return the leaves of every tree within the limits, as sets of rows."""
    table = problem.table
    sides = {frozenset(np.flatnonzero(split.goes_left(table.X)).tolist()) for split in all_splits(table)}

    def below(rows: Rows, depth: int) -> Iterator[frozenset[Rows]]:
        yield frozenset([rows])
        if depth == 0:
            return
        for side in sides:
            left, right = rows & side, rows - side
            if min(len(left), len(right)) < problem.min_samples_leaf:
                continue
            for one, other in product(set(below(left, depth - 1)), set(below(right, depth - 1))):
                yield one | other

    most = problem.max_leaf_nodes or table.n_rows
    return {leaves for leaves in below(frozenset(range(table.n_rows)), depth) if len(leaves) <= most}


def curves(problem: Problem, depth: int) -> list[list[tuple[float, float]]]:
    """Return the ROC curve of the best scores of every tree."""
    weight, y = problem.sample_weight, problem.y
    negative, positive = weight[y == 0].sum(), weight[y == 1].sum()
    told = []
    for leaves in partitions(problem, depth):
        sums = [
            (sum(weight[i] for i in rows if y[i] == 0), sum(weight[i] for i in rows if y[i] == 1))
            for rows in leaves
        ]
        sums.sort(key=lambda leaf: -leaf[1] / (leaf[0] + leaf[1]))
        ends = np.cumsum([(0.0, 0.0), *sums], axis=0) / (negative, positive)
        told.append([tuple(map(float, end)) for end in ends])
    return told


def area(curve: list[tuple[float, float]]) -> float:
    return sum((x1 - x0) * (y0 + y1) / 2 for (x0, y0), (x1, y1) in pairwise(curve))


def hull(points: set[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the corners of the upper hull."""
    corners: list[tuple[float, float]] = []
    for x, y in sorted(points):
        while len(corners) > 1:
            (x0, y0), (x1, y1) = corners[-2:]
            if (x1 - x0) * (y - y0) < (x - x0) * (y1 - y0) - 1e-12:
                break
            corners.pop()
        corners.append((x, y))
    return corners


def tiny(rng: np.random.Generator) -> tuple[Problem, int]:
    n, p = int(rng.integers(3, 9)), int(rng.integers(1, 3))
    X: Any = rng.integers(0, 4, (n, p)).astype(float)
    if rng.random() < 0.3:
        X[rng.integers(n), rng.integers(p)] = np.nan
    y = rng.integers(0, 2, n)
    y[:2] = 0, 1
    weights: Any = [None, rng.integers(1, 5, n), rng.random(n) + 0.1, 10.0 ** rng.integers(-6, 7, n)]
    depth = int(rng.integers(0, 3))
    problem = make_problem(
        table_from(X),
        y,
        sample_weight=weights[rng.integers(4)],
        max_depth=depth,
        max_leaf_nodes=rng.choice([None, 2, 3]),  # type: ignore[arg-type]
        min_samples_leaf=int(rng.choice([1, 1, 2])),
        cost_complexity=0.0,
    )
    return problem, depth


def check_bounds(frontier: RocFrontier, told: list[list[tuple[float, float]]]) -> None:
    largest = max(area(curve) for curve in told)
    assert largest <= frontier.auc_bound + 1e-12
    assert largest <= float(frontier.sentence().split(" above ")[1].split(" on ")[0]) + 1e-12
    for curve in told:
        rates, reached = np.array(curve).T
        assert (reached <= frontier.upper(np.minimum(rates, 1.0)) + 1e-9).all()


@pytest.mark.parametrize("seed", range(200))
def test_every_tree_is_within_and_the_proven_hull_is_that_of_all(seed: int) -> None:
    rng = np.random.default_rng(seed)
    problem, depth = tiny(rng)
    options = BinaryOptions(engine=str(rng.choice(["binary", "ranked"])))  # type: ignore[arg-type]
    told = curves(problem, depth)
    frontier = solve_roc(problem, options=options)
    check_bounds(frontier, told)
    if frontier.status is SolveStatus.OPTIMAL:
        corners = hull({point for curve in told for point in curve})
        assert area(corners) == pytest.approx(frontier.auc_bound, abs=2e-6)
        found = [(point.false_positive_rate, point.true_positive_rate) for point in frontier]
        assert area(hull(set(found))) == pytest.approx(area(corners), abs=2e-6)
        if (problem.sample_weight % 1 == 0).all():
            assert area(hull(set(found))) == pytest.approx(area(corners), abs=1e-12)
    else:
        assert "rounded" in frontier.notes[-1]


@pytest.mark.parametrize("seed", range(100))
def test_what_a_stopped_run_says_holds(seed: int) -> None:
    rng = np.random.default_rng(1000 + seed)
    problem, depth = tiny(rng)
    frontier = solve_roc(problem, limits=Limits(step_limit=int(rng.integers(1, 12))))
    check_bounds(frontier, curves(problem, depth))
    if frontier.status is not SolveStatus.OPTIMAL:
        assert frontier.stop_reason is StopReason.STEP_LIMIT or "rounded" in frontier.notes[-1]


def test_who_stops_gets_what_there_is() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 6)), rng.integers(0, 2, 400)
    problem = make_problem(table_from(X), y, max_depth=3, cost_complexity=0.0)
    whole = solve_roc(problem)
    calls = []
    stopped = solve_roc(problem, progress=lambda now: calls.append(now) or True)
    assert calls
    assert stopped.stop_reason is StopReason.CALLBACK
    assert stopped.asked_to_stop is StopReason.CALLBACK
    assert stopped.auc_bound >= whole.auc_bound - 1e-12
    assert all(now.lower_bound <= 1 - whole.auc_bound + 1e-9 <= now.objective + 2e-9 for now in calls)
