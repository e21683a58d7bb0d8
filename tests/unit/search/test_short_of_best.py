"""Where a worst leaf only counts as good as the best one, the certificate says what it falls short by."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

import numpy as np

from treewright.convert import from_json, to_json
from treewright.problem import Problem, make_problem
from treewright.search import solve_leaf_accuracy
from treewright.table import table_from
from treewright.verify import verify


def drawn(seed: int) -> Problem | None:
    """Weights without a common unit, of which some differ by shares of 3e-13."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 9))
    X, y = rng.integers(0, 3, (n, 2)).astype(float), rng.integers(0, 2, n)
    weight = np.sqrt(rng.integers(2, 4, n)) * (1 + rng.integers(0, 3, n) * 3e-13)
    if len(set(y)) < 2:
        return None
    return make_problem(table_from(X), y, sample_weight=weight, max_depth=1, cost_complexity=0.0)


def accuracy(problem: Problem, rows: np.ndarray) -> Fraction:
    right: dict[int, Fraction] = defaultdict(Fraction)
    for row in np.flatnonzero(rows):
        right[int(problem.y[row])] += Fraction(float(problem.sample_weight[row]))
    return max(right.values()) / sum(right.values())


def best_worst_leaf(problem: Problem) -> Fraction:
    found = [accuracy(problem, np.ones(len(problem.y), dtype=bool))]
    for column in problem.table.X.T:
        for threshold in np.unique(column)[:-1]:
            left = column <= threshold
            found.append(min(accuracy(problem, left), accuracy(problem, ~left)))
    return max(found)


def worst_leaf(problem: Problem, leaves: np.ndarray) -> Fraction:
    return min(accuracy(problem, leaves == leaf) for leaf in np.unique(leaves))


def test_no_worst_leaf_is_better_by_more_than_the_sentence_says() -> None:
    short = 0
    for seed in (*range(100), 180, 996, 1202):
        problem = drawn(seed)
        if problem is None:
            continue
        result = solve_leaf_accuracy(problem, "all")
        assert result.status.name == "OPTIMAL"
        missing = best_worst_leaf(problem) - worst_leaf(problem, result.tree.apply(problem.table.X))
        assert missing <= Fraction(result.rounding) + Fraction(1, 2**48), seed
        assert ("better by more than" in result.sentence()) == (result.rounding > 0)
        assert result.upper_bound - result.objective <= result.rounding * (1 + 1e-9) + 2**-50
        assert verify(problem, result).ok
        loaded = from_json(to_json(result)).result
        assert loaded.sentence() == result.sentence()
        short += result.rounding > 0
    assert short >= 3


def test_whole_weights_leave_nothing_open() -> None:
    problem = drawn(180)
    assert problem is not None
    whole = make_problem(problem.table, problem.y, sample_weight=[3] * len(problem.y), max_depth=1)
    for criterion in ("accuracy", "lower_bound"):
        result = solve_leaf_accuracy(whole, "all", criterion=criterion)
        assert result.rounding == 0
        assert "by more than" not in result.sentence()
