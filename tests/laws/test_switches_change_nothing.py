"""Law: the optimum depends on no bound, cache, start, kernel or instruction set."""

from dataclasses import fields
from itertools import product

import numpy as np
import pytest

from tiny_problems import TinyProblem, check, random_problem
from treewright import SolveStatus
from treewright._native import core
from treewright.problem import make_problem
from treewright.search import BinaryOptions, solve
from treewright.table import table_from

# `few_rows` begins after 2,000 subproblems: test_few_rows_prove.py.
SWITCHES = [f.name for f in fields(BinaryOptions) if isinstance(f.default, bool) and f.name != "few_rows"]
KERNELS = ("automatic", "rows", "columns")
LEVELS = (core.Simd.PLAIN, core.Simd.AVX2, core.Simd.AVX512)


def medium_problem(seed: int, n_columns: int, n_rows: int, **limits: object) -> TinyProblem:
    """Labels that follow three columns with noise: too large for the oracle, with work for every bound."""
    rng = np.random.default_rng(seed)
    goes_right = rng.integers(0, 2, (n_columns, n_rows)).astype(np.uint8)
    y = (goes_right[0] & goes_right[1] | goes_right[2]).astype(np.int32)
    noisy = rng.random(n_rows) < 0.25
    y[noisy] = rng.integers(0, 3, int(noisy.sum()))
    return TinyProblem(
        goes_right,
        y,
        rng.integers(1, 4, n_rows).astype(float),
        1 - np.eye(3),
        **{"cost_complexity": 0.01, **limits},
    )


@pytest.mark.parametrize("seed", range(2))
def test_every_combination_on_tiny_tables(seed: int) -> None:
    """Every combination of switches meets every kernel, on one or two of the four tables instead of on each.

    On each table the kernels take turns, so every setting of all switches but the last two meets them all there, too.
    The attack crosses switches, kernels and tables at random.
    """
    rng = np.random.default_rng(200 + seed)
    problems = [random_problem(rng, max_columns=7, max_rows=16) for _ in range(2)]
    optima = [problem.optimum() for problem in problems]
    for number, on in enumerate(product([False, True], repeat=len(SWITCHES))):
        for table, (problem, optimum) in enumerate(zip(problems, optima, strict=True), 2 * seed):
            kernel = KERNELS[(number + table) % len(KERNELS)]
            options = BinaryOptions(**dict(zip(SWITCHES, on, strict=True)), kernel=kernel)
            result = problem.solve(options=options)
            assert result.status is SolveStatus.OPTIMAL
            check(problem, result, optimum)


@pytest.mark.parametrize("weights", [[1.0, 1.0], [2e6, 1.0], [2e9, 1.0]])
def test_hard_phases_from_the_first_step_where_a_leaf_costs_more_than_all_errors(
    weights: list[float],
) -> None:
    problem = make_problem(table_from(np.zeros((2, 1))), [0, 0], sample_weight=weights, cost_complexity=0.01)
    result = solve(problem, options=BinaryOptions(engine="binary", plain_steps=0))
    assert result.status is SolveStatus.OPTIMAL
    assert result.objective == result.lower_bound == 0.01


@pytest.mark.parametrize(
    "limits", [{}, {"max_depth": 4}, {"max_leaf_nodes": 5}, {"min_samples_leaf": 4}], ids=str
)
@pytest.mark.parametrize("seed", range(2))
def test_each_switch_on_medium_tables(seed: int, limits: dict[str, int]) -> None:
    problem = medium_problem(300 + seed, 9, 90, **limits)
    expected = problem.solve()
    assert expected.status is SolveStatus.OPTIMAL
    check(problem, expected)
    some_off = [{name: False} for name in SWITCHES] + [dict.fromkeys(SWITCHES, False)]
    for off in some_off:
        result = problem.solve(options=BinaryOptions(**off))
        assert result.status is SolveStatus.OPTIMAL
        assert result.objective == pytest.approx(expected.objective, abs=1e-12), off
        check(problem, result)


@pytest.mark.usefixtures("any_simd")
@pytest.mark.parametrize("scale", [1.0, 1e9], ids=["32-bit sums", "64-bit sums"])
@pytest.mark.parametrize(("n_columns", "n_rows"), [(7, 60), (66, 40), (20, 300)])
def test_kernels_and_instruction_sets_agree(n_columns: int, n_rows: int, scale: float) -> None:
    """The whole run is the same, step by step, not only its end."""
    problem = medium_problem(n_columns, n_columns, n_rows, max_depth=3)
    problem = problem.but(weight=problem.weight * scale + (scale > 1))  # no common divisor
    seen = set()
    for level, kernel in product(LEVELS, KERNELS):
        core.set_simd_limit(level)
        result = problem.solve(options=BinaryOptions(kernel=kernel))
        assert result.status is SolveStatus.OPTIMAL
        check(problem, result)
        seen.add((result.objective, result.stats["subproblems"], result.tree.splits))
    assert len(seen) == 1
