"""Probability trees against a list of all trees in exact fractions, and what verify says of them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

from brute_force_additive import best_tree
from treewright import OptimalProbabilityTree
from treewright.convert import from_json, to_json
from treewright.errors import InputError
from treewright.problem import make_probability_problem
from treewright.result import ProbabilityResult, SolveStatus
from treewright.table import table_from
from treewright.verify import verify_probability


def gini(y, weight):
    """The weighted Gini impurity of a leaf, from its definition: the sum over classes of weight times other weight."""

    def loss(rows):
        total = sum(int(weight[i]) for i in rows)
        of = {k: sum(int(weight[i]) for i in rows if y[i] == k) for k in set(y.tolist())}
        return (
            sum((Fraction(w * (total - w), total) for w in of.values()), Fraction(0))
            if total
            else Fraction(0)
        )

    return loss


@pytest.mark.parametrize("seed", range(200))
def test_optimum_and_certificate(seed):
    rng = np.random.default_rng(seed)
    n, m, k = int(rng.integers(3, 9)), int(rng.integers(1, 4)), int(rng.integers(2, 5))
    X = rng.integers(0, rng.integers(2, 6), (n, m)).astype(float)
    y = rng.integers(0, k, n)
    y[:2] = 0, k - 1
    weight = rng.integers(1, 4, n) if rng.random() < 0.5 else np.ones(n, dtype=int)
    limits = {
        "max_depth": [None, 0, 1, 2, 3][rng.integers(5)],
        "max_leaf_nodes": [None, None, 1, 2, 3][rng.integers(5)],
        "min_samples_leaf": int(rng.choice([1, 1, 2])),
    }
    price = [0, Fraction(1, 64), Fraction(1, 8), 1][rng.integers(4)]
    loss = gini(y, weight)
    one_leaf = loss(range(n))
    wanted, _ = best_tree(table_from(X), loss, price=price * one_leaf, **limits)
    model = OptimalProbabilityTree(float(price), **limits).fit(X, y, weight)
    result = model.result_
    assert result.status is SolveStatus.OPTIMAL
    assert result.objective == pytest.approx(float(wanted / one_leaf), abs=1e-11)
    assert result.lower_bound <= float(wanted / one_leaf) + 1e-15
    problem = make_probability_problem(
        table_from(X), y, sample_weight=weight, cost_complexity=float(price), **limits
    )
    report = verify_probability(problem, result)
    assert report.ok, report
    read = from_json(to_json(result))
    assert isinstance(read.result, ProbabilityResult)
    assert read.result.sentence() == result.sentence()
    shares = model.predict_proba(X)
    brier = ((shares - (y[:, None] == model.classes_)) ** 2).sum(axis=1)
    assert result.stats["brier_score"] == pytest.approx(np.average(brier, weights=weight))


TAMPERED = {
    "objective": lambda r: replace(r, objective=r.objective * 0.9),
    "bound": lambda r: replace(r, lower_bound=r.objective + 1),
    "bound below": lambda r: replace(r, lower_bound=r.lower_bound * 0.5),
    "depth": lambda r: replace(r, options={**r.options, "max_depth": None}),
    "criterion": lambda r: replace(r, options={**r.options, "criterion": "log_loss"}),
    "value": lambda r: replace(r, tree=replace(r.tree, value=r.tree.value * 1.01)),
    "class": lambda r: replace(r, tree=replace(r.tree, prediction=1 - r.tree.prediction)),
}


@pytest.mark.parametrize("what", TAMPERED)
def test_tampered_certificates_are_refused(what):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(61, 3)), rng.integers(0, 2, 61)
    problem = make_probability_problem(table_from(X), y, cost_complexity=0.01, max_depth=2)
    result = OptimalProbabilityTree(max_depth=2).fit(X, y).result_
    assert verify_probability(problem, result).ok
    assert not verify_probability(problem, TAMPERED[what](result)).ok


def test_it_is_no_worse_than_cart():
    X, y = load_iris(return_X_y=True)
    for depth in (1, 2, 3):
        ours = OptimalProbabilityTree(0, max_depth=depth).fit(X, y)
        cart = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, y)
        brier = ((cart.predict_proba(X) - np.eye(3)[y]) ** 2).sum(axis=1).mean()
        assert ours.result_.stats["brier_score"] <= brier + 1e-12
        assert "% of the Brier score of a single leaf left" in ours.result_.sentence()


def test_one_class_and_bad_parameters():
    result = OptimalProbabilityTree().fit([[0.0], [1.0]], [1, 1]).result_
    assert (result.tree.n_leaves, result.loss, result.status) == (1, 0.0, SolveStatus.OPTIMAL)
    with pytest.raises(InputError, match="fraction of the Brier score of a single leaf"):
        OptimalProbabilityTree(2).fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(InputError, match="search_options="):
        OptimalProbabilityTree(search_options="fast").fit([[0.0], [1.0]], [0, 1])
