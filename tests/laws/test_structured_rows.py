"""Law: on tables with structure, longer than a chunk of any kernel, the order of the rows leaves the optimum unchanged.

Random tables have neither long ties nor rows in the order of their targets, and those of the attack are short: a place
inside of a tie that is taken for a split shows only where a chunk of some kernel lies inside of it.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from treewright import (
    LeafAccuracyTreeClassifier,
    OptimalPolicyTree,
    OptimalProbabilityTree,
    OptimalSurvivalTree,
    OptimalTreeClassifier,
    OptimalTreeRegressor,
    near_optimal_trees,
)
from treewright.result import SolveStatus

LENGTHS = (64, 65, 127, 300, 513, 900)  # about the chunks of the kernels, and beyond several of them
TABLES = 4  # of each length and kind
Found = tuple[float, bool]


def structured(rng: np.random.Generator, n: int) -> NDArray[np.float64]:
    """One column at random, and some with long ties in several places, blocks, a copy, a trend."""
    ends = np.arange(n) >= n - rng.integers(1, 4)
    starts = np.arange(n) < rng.integers(1, 4)
    blocks = np.arange(n) // max(n // int(rng.integers(2, 5)), 1)
    trend = np.arange(n) // int(rng.integers(20, 90))
    random = rng.permutation(n)
    some = [ends, starts, ends | starts, blocks, trend, blocks, rng.random(n) < 0.02]
    chosen = rng.permutation(len(some))[: int(rng.integers(1, 4))]
    return np.column_stack([random, *(some[k] for k in chosen)]).astype(float)


def labels(rng: np.random.Generator, n: int, n_classes: int) -> NDArray[np.int64]:
    """Classes in runs, with some labels changed."""
    y = np.sort(np.arange(n) % n_classes)
    return np.where(rng.random(n) < rng.choice([0, 0.1]), rng.integers(0, n_classes, n), y)


def classified(n_classes: int, weighted: bool = False, **options: Any) -> Callable[..., Any]:
    def case(rng: np.random.Generator, n: int) -> tuple[list[Any], Callable[..., Found]]:
        arrays = [structured(rng, n), labels(rng, n, n_classes)]
        if weighted:
            arrays.append(rng.integers(1, 4, n).astype(float))

        def fit(*given: Any) -> Found:
            model = OptimalTreeClassifier(**{"max_depth": 2, "thresholds": "all", **options})
            result = model.fit(*given).result_
            return result.objective, result.status is SolveStatus.OPTIMAL

        return arrays, fit

    return case


def regressed(n_outputs: int = 1, **options: Any) -> Callable[..., Any]:
    def case(rng: np.random.Generator, n: int) -> tuple[list[Any], Callable[..., Found]]:
        y = np.sort(rng.integers(1, 9, (n, n_outputs)), axis=0).astype(float)
        y += np.where(rng.random((n, n_outputs)) < 0.05, 20.0, 0.0)
        arrays = [structured(rng, n), y if n_outputs > 1 else y[:, 0]]

        def fit(*given: Any) -> Found:
            model = OptimalTreeRegressor(**{"cost_complexity": 0.01, "max_depth": 2, **options})
            result = model.fit(*given).result_
            return result.objective, result.status is SolveStatus.OPTIMAL

        return arrays, fit

    return case


def probability(criterion: str) -> Callable[..., Any]:
    def case(rng: np.random.Generator, n: int) -> tuple[list[Any], Callable[..., Found]]:
        def fit(*given: Any) -> Found:
            result = OptimalProbabilityTree(criterion=criterion, max_depth=2).fit(*given).result_
            return result.objective, result.status is SolveStatus.OPTIMAL

        return [structured(rng, n), labels(rng, n, 3)], fit

    return case


def policy(rng: np.random.Generator, n: int) -> tuple[list[Any], Callable[..., Found]]:
    rewards = np.column_stack([np.sort(rng.random(n)), np.sort(rng.random(n))[::-1], rng.random(n)])

    def fit(*given: Any) -> Found:
        result = OptimalPolicyTree(max_depth=2).fit(*given).result_
        return result.objective, result.status is SolveStatus.OPTIMAL

    return [structured(rng, n), rewards], fit


def survival(rng: np.random.Generator, n: int) -> tuple[list[Any], Callable[..., Found]]:
    times, event = np.sort(rng.integers(1, 60, n)).astype(float), rng.random(n) < 0.7
    event[0] = True

    def fit(X: Any, times: Any, event: Any) -> Found:
        y = np.rec.fromarrays([event, times], names="event,time")
        result = OptimalSurvivalTree(max_depth=2).fit(X, y).result_
        return result.objective, result.status is SolveStatus.OPTIMAL

    return [structured(rng, n), times, event], fit


def worst_leaf(criterion: str) -> Callable[..., Any]:
    def case(rng: np.random.Generator, n: int) -> tuple[list[Any], Callable[..., Found]]:
        def fit(*given: Any) -> Found:
            model = LeafAccuracyTreeClassifier(criterion=criterion, max_depth=2, thresholds="all")
            result = model.fit(*given).result_
            return result.objective, result.status is SolveStatus.OPTIMAL

        return [structured(rng, n), labels(rng, n, 3)], fit

    return case


def near_optimal(rng: np.random.Generator, n: int) -> tuple[list[Any], Callable[..., Found]]:
    def fit(*given: Any) -> Found:
        found = near_optimal_trees(*given, cost_complexity=0.02, max_depth=2, epsilon=0.1, thresholds="all")
        return float(found.n_trees_), found.status_ == "complete"

    return [structured(rng, n), labels(rng, n, 3)], fit


CASES: dict[str, Callable[..., Any]] = {
    "two classes": classified(2, cost_complexity=0.0),
    "three classes": classified(3, cost_complexity=0.0),
    "five classes with a penalty": classified(5, cost_complexity=0.01),
    "weights": classified(3, weighted=True, cost_complexity=0.01),
    "at least five rows in a leaf": classified(3, cost_complexity=0.0, min_samples_leaf=5),
    "three leaves": classified(3, cost_complexity=0.0, max_leaf_nodes=3),
    "depth three": classified(3, cost_complexity=0.0, max_depth=3),
    "F1": classified(2, objective="f1"),
    "squared error": regressed(),
    "two outputs": regressed(2),
    "absolute error": regressed(criterion="absolute_error"),
    "quantile": regressed(criterion="quantile", quantile=0.7),
    "Poisson": regressed(criterion="poisson"),
    "gamma": regressed(criterion="gamma"),
    "lines": regressed(leaf_model="simple_linear", max_depth=1),
    "log loss": probability("log_loss"),
    "Brier score": probability("brier"),
    "policy": policy,
    "survival": survival,
    "worst leaf": worst_leaf("accuracy"),
    "worst leaf by its bound": worst_leaf("lower_bound"),
    "near-optimal": near_optimal,
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("n", LENGTHS)
def test_rows_in_the_order_of_their_targets(n: int, name: str) -> None:
    rng = np.random.default_rng([n, list(CASES).index(name)])
    for _ in range(TABLES):
        arrays, fit = CASES[name](rng, n)
        in_order = fit(*arrays)
        mixed, backwards = rng.permutation(n), np.arange(n)[::-1]
        for rows in (mixed, backwards):
            moved = fit(*(array[rows] for array in arrays))
            assert moved[0] == pytest.approx(in_order[0], rel=1e-9, abs=1e-12)
            assert moved[1]  # proven, in whatever order
            assert in_order[1]
