"""Weights and costs as integers: exact where they can be, and an honest slack where not."""

from fractions import Fraction

import numpy as np
import pytest

from treewright.problem import Problem, make_problem
from treewright.search._integers import LARGEST_TOTAL, integer_costs
from treewright.table import table_from


def problem_of(weight: np.ndarray, costs: object = None, n_classes: int = 2) -> Problem:
    n_rows = len(weight)
    table = table_from(np.arange(n_rows)[:, None])
    return make_problem(table, np.arange(n_rows) % n_classes, sample_weight=weight, costs=costs)


@pytest.mark.parametrize(
    ("weight", "expected"),
    [
        ([1, 1, 1, 1], [1, 1, 1, 1]),
        ([6, 2, 4, 2], [3, 1, 2, 1]),
        ([0.1, 0.2, 0.3, 0.7], [1, 2, 3, 7]),
        ([1.25, 0.5, 2, 1], [5, 2, 8, 4]),
        ([1 / 3, 2 / 3, 1 / 3, 1 / 3], [1, 2, 1, 1]),
        ([2.0**-300, 2.0**-299, 2.0**-300, 2.0**-300], [1, 2, 1, 1]),
        ([5e-324, 1e-323, 5e-324, 5e-324], [1, 2, 1, 1]),
    ],
)
def test_exact_where_some_factor_makes_all_whole(weight: list[float], expected: list[int]) -> None:
    integers = integer_costs(problem_of(np.array(weight)))
    assert integers.weight.tolist() == expected
    assert integers.slack == 0


def test_decimal_costs_are_exact() -> None:
    integers = integer_costs(problem_of(np.ones(4), [[0, 1.3], [0.7, 0]]))
    assert integers.costs.tolist() == [[0, 13], [7, 0]]
    assert integers.slack == 0
    assert integers.unit == pytest.approx(0.1 / 4)


def test_one_class() -> None:
    problem = make_problem(table_from([[1], [2]]), [7, 7])
    assert integer_costs(problem).costs.tolist() == [[0]]


@pytest.mark.parametrize("n_classes", [2, 3, 200])
@pytest.mark.parametrize("weights", ["random", "wide", "large", "huge"])
@pytest.mark.parametrize("prices", ["one", "random", "wide"])
def test_slack_bounds_the_change_and_nothing_overflows(n_classes: int, weights: str, prices: str) -> None:
    """The integer prices of all rows differ from the true ones by no more than slack in total."""
    rng = np.random.default_rng(n_classes)
    n_rows = 200
    weight = {
        "random": rng.random(n_rows) + 0.01,
        "wide": 10.0 ** rng.uniform(-12, 12, n_rows),
        "large": np.r_[2.0**52, np.arange(1, n_rows)],
        "huge": np.r_[1e280, rng.random(n_rows - 1)],
    }[weights]
    costs = None
    if prices != "one":
        off = 1 - np.eye(n_classes)
        costs = off * (
            rng.random(off.shape) + 0.1 if prices == "random" else 10.0 ** rng.uniform(-9, 9, off.shape)
        )
    problem = problem_of(weight, costs, n_classes)
    integers = integer_costs(problem)
    assert integers.weight.min() >= 0
    assert integers.costs.min() >= 0
    assert int(integers.weight.sum()) * int(integers.costs.max()) * n_classes <= 1.01 * LARGEST_TOTAL
    total = sum(Fraction(w) for w in problem.sample_weight.tolist())
    worst = Fraction(0)
    for row in range(n_rows):
        true, weight_row = int(problem.y[row]), Fraction(float(problem.sample_weight[row]))
        worst += max(
            abs(
                int(integers.weight[row]) * int(integers.costs[true, k]) * Fraction(integers.unit)
                - weight_row * Fraction(float(problem.costs[true, k])) / total
            )
            for k in range(min(n_classes, 5))
        )
    assert float(worst) <= integers.slack * (1 + 1e-9) + 1e-15 * float(problem.costs.max())
