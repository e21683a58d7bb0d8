"""Weights and costs as integers: exact where they can be, and an honest slack where not."""

from fractions import Fraction

import numpy as np
import pytest

from treewright import near_optimal_trees
from treewright.problem import Problem, make_problem
from treewright.search import BinaryOptions, solve, solve_leaf_accuracy
from treewright.search._integers import LARGEST_TOTAL, IntegerCosts, RowCosts, integer_costs, row_costs
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
        ([2.0**-800, 2.0**-799, 2.0**-800, 2.0**-800], [1, 2, 1, 1]),
    ],
)
def test_exact_where_some_factor_makes_all_whole(weight: list[float], expected: list[int]) -> None:
    integers = integer_costs(problem_of(np.array(weight)))
    assert integers.weight.tolist() == expected
    assert integers.slack == 0


def test_balanced_weights_are_exact() -> None:
    """Given as float64 numbers n / (k n_class), as scikit-learn makes them; in 29 bits too."""
    n = np.array([17, 230, 4111])
    weight = np.repeat(n.sum() / (3 * n), n)
    table = table_from(np.arange(n.sum())[:, None])
    problem = make_problem(table, np.repeat([0, 1, 2], n), sample_weight=weight)
    integers = integer_costs(problem)
    assert integers.slack == 0
    of_class = integers.weight[np.cumsum(n) - 1]
    assert (of_class * n == of_class[0] * n[0]).all()
    # Two large classes do not fit 29 bits exactly; the scale is chosen so that little is lost.
    n = np.array([30_011, 49_999])
    problem = make_problem(
        table_from(np.arange(n.sum())[:, None]), np.repeat([0, 1], n), sample_weight=np.repeat(1 / n, n)
    )
    assert integer_costs(problem).slack == 0
    assert integer_costs(problem, 2**29).slack < 2e-8


@pytest.mark.parametrize("weights", [(7.359388354481957, 0.0005891287506973027), (123456.789 / 7, np.pi)])
def test_numbers_that_are_near_some_fraction_by_chance_are_rounded(weights: tuple[float, float]) -> None:
    """Of large numerators and denominators one is as near to any number as float64 tells."""
    assert not integer_costs(problem_of(np.array(weights))).exact
    found = near_optimal_trees([[0], [1]], [0, 1], epsilon=0.0, sample_weight=weights)
    assert 0 < found.rounding_ < 1e-8


def test_one_price_for_each_row_and_class_is_finer_than_two_factors() -> None:
    rng = np.random.default_rng(0)
    problem = problem_of(rng.random(200) + 0.01, [[0.0001, 1 / 3], [np.pi, 0]])
    assert row_costs(problem).slack < 1e-13 < 1e-8 < integer_costs(problem).slack


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
    assert int(integers.weight.sum()) * int(integers.costs.max()) * n_classes <= 1.01 * LARGEST_TOTAL
    rows = row_costs(problem)
    dearest = sum(
        int(w) * int(rows.costs[kind].max()) for w, kind in zip(rows.weight, rows.kind, strict=True)
    )
    assert dearest * n_classes <= 1.01 * LARGEST_TOTAL
    assert rows.slack <= integers.slack
    for version, row_of in ((integers, problem.y), (rows, rows.kind)):
        check_slack(problem, version, row_of)


def check_slack(problem: Problem, integers: IntegerCosts | RowCosts, row_of: np.ndarray) -> None:
    n_rows, n_classes = problem.table.n_rows, problem.n_classes
    assert integers.weight.min() >= 0
    assert integers.costs.min() >= 0
    total = sum(Fraction(w) for w in problem.sample_weight.tolist())
    worst = Fraction(0)
    for row in range(n_rows):
        true, weight_row = int(problem.y[row]), Fraction(float(problem.sample_weight[row]))
        worst += max(
            abs(
                int(integers.weight[row]) * int(integers.costs[row_of[row], k]) * Fraction(integers.unit)
                - weight_row * Fraction(float(problem.costs[true, k])) / total
            )
            for k in range(min(n_classes, 5))
        )
    assert float(worst) <= integers.slack * (1 + 1e-9) + 1e-15 * float(problem.costs.max())


@pytest.mark.parametrize("engine", ["binary", "ranked"])
def test_one_class_with_large_weights(engine: str) -> None:
    """All costs are zero; the weights must fit the engine all the same."""
    problem = make_problem(table_from(np.arange(6)[:, None]), [7] * 6, sample_weight=2**48 + np.arange(6))
    result = solve(problem, "all", options=BinaryOptions(engine=engine))
    assert (result.tree.n_leaves, result.loss) == (1, 0)
    worst = solve_leaf_accuracy(
        make_problem(problem.table, [7] * 6, sample_weight=2**48 + np.arange(6), max_depth=2)
    )
    assert worst.objective == 1


@pytest.mark.parametrize("room", [2**29, 2**40, 2**52])
@pytest.mark.parametrize("seed", range(60))
def test_rounded_sums_stay_below_twice_the_room(seed: int, room: int) -> None:
    """What the engines check: many weights far below one unit are rounded up by less than they are."""
    rng = np.random.default_rng(seed)
    n, n_classes = int(10 ** rng.uniform(0.7, 3.5)), int(rng.integers(2, 5))
    weight = rng.random(n) if rng.random() < 0.5 else 10.0 ** rng.uniform(-8, 8, n)
    costs = (
        rng.random((n_classes, n_classes)) if rng.random() < 0.5 else rng.integers(1, 2**22, (n_classes,) * 2)
    )
    integers = integer_costs(problem_of(weight, costs * (1.0 - np.eye(n_classes)), n_classes), room)
    assert sum(integers.weight.tolist()) * int(integers.costs.max()) < 2 * room
    rows = row_costs(problem_of(weight, costs * (1.0 - np.eye(n_classes)), n_classes))
    by_row = (
        w * int(rows.costs[k].sum()) for w, k in zip(rows.weight.tolist(), rows.kind.tolist(), strict=True)
    )
    assert sum(by_row) < 2 * LARGEST_TOTAL
