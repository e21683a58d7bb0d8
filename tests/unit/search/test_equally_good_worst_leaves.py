"""Worst leaves that are equally good up to the rounding of float64: the smaller loss decides, not the last bits."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from brute_force_leaf_accuracy import Oracle
from ranked_problems import make_problem
from treewright import LeafAccuracyTreeClassifier, OptimalTreeClassifier
from treewright.problem._weights import balance
from treewright.result import SolveStatus
from treewright.search import solve_leaf_accuracy
from treewright.search._full_weights import full_weights
from treewright.verify import verify

AS_GOOD = 1 - Fraction(1, 2**40)


@pytest.mark.parametrize("criterion", ["accuracy", "lower_bound"])
def test_balanced_real_weights_do_not_hide_the_smaller_loss(criterion: str) -> None:
    X = [[1, 1], [1, 2], [1, 3], [1, 0], [0, 0], [1, 0], [1, 3], [0, 2]]
    weight = [0.1909323064486168, 0.33708889408053544, 1.0, 0.471130737703908, 0.09476628502418148,
              0.6208409401901718, 0.17332108725145667, 1.0]  # fmt: skip
    model = LeafAccuracyTreeClassifier(min_samples_leaf=0.25, class_weight="balanced", criterion=criterion)
    result = model.fit(X, [3, 0, 2, 2, 1, 2, 2, 3], sample_weight=weight).result_
    assert result.status is SolveStatus.OPTIMAL
    assert result.loss == pytest.approx(0.25)  # a tree of loss .37 has a worst leaf that is better by 1e-16


def test_real_weights_give_the_smallest_loss_of_all_worst_leaves_as_good() -> None:
    rng = np.random.default_rng(15)
    n_decided = 0
    for _ in range(150):
        n, n_classes = int(rng.integers(5, 9)), int(rng.integers(2, 5))
        X = rng.integers(0, 4, size=(n, 2)).astype(float)
        y = np.append(np.arange(n_classes), rng.integers(0, n_classes, size=n - n_classes))
        weight = balance(rng.choice(rng.random(3) + 0.1, size=n), y, n_classes)
        problem = make_problem(X, y, n_classes, weight, max_depth=3, min_samples_leaf=int(rng.integers(1, 3)))
        oracle = Oracle(problem)
        best = oracle.best(oracle.everything, 3)
        is_real = full_weights(weight, 2**25).real
        tied, plain = (
            oracle.cheapest(oracle.everything, 3, least, 0)
            for least in (best * AS_GOOD if is_real else best, best)
        )
        n_decided += tied[0] * 1000 < plain[0] * 999
        result = solve_leaf_accuracy(problem)
        assert result.status is SolveStatus.OPTIMAL
        assert result.objective == pytest.approx(float(best), rel=1e-12)
        assert result.loss == pytest.approx(tied[0] / oracle.unit / float(weight.sum()), abs=1e-12)
        assert verify(problem, result).ok
    assert n_decided > 0, "no table here has a tie that rounding would decide"


def test_a_leaf_within_rounding_of_the_asked_accuracy_is_accurate_enough() -> None:
    rng = np.random.default_rng(4)
    a, b = next(
        (x, y) for x, y in rng.random((1000, 2)).tolist() if Fraction(x + y) > Fraction(x) + Fraction(y)
    )
    # Right on a + b three times, wrong on it once: 3/4, but float64 rounds the wrong one up.
    weight = list(itertools.chain([a, b] * 3, [a + b]))
    model = OptimalTreeClassifier(max_depth=1, min_leaf_accuracy=0.75)
    model.fit([[0]] * 7, [0] * 6 + [1], sample_weight=weight)
    assert model.tree_.n_leaves == 1
