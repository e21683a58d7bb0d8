"""Trees for costs of every row and class against a list of all trees in exact fractions; what verify says of them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from additive_laws import TAMPERED
from brute_force_additive import action_costs, best_tree
from treewright import OptimalTreeClassifier
from treewright.convert import from_json, to_json
from treewright.errors import InputError
from treewright.problem import make_row_costs_problem
from treewright.result import RowCostsResult, SolveStatus
from treewright.search import BinaryOptions, RankedOptions, solve_row_costs
from treewright.show import to_text
from treewright.table import table_from
from treewright.verify import verify_row_costs


def tiny(seed):
    rng = np.random.default_rng(seed)
    n, m, k = int(rng.integers(3, 9)), int(rng.integers(1, 4)), int(rng.integers(2, 5))
    X = rng.integers(0, rng.integers(2, 6), (n, m)).astype(float)
    y = rng.integers(0, k, n)
    y[:2] = 0, k - 1
    classes = np.unique(y)
    costs = rng.integers(0, 9, (n, len(classes)))
    if rng.random() < 0.3:
        costs[:] = costs + 3  # every tree pays something
    weight = rng.integers(1, 4, n) if rng.random() < 0.5 else np.ones(n, dtype=int)
    return X, y, costs, weight, {
        "cost_complexity": float(rng.choice([0, 0.0625, 0.25, 1, 2.5])),
        "max_depth": [None, 0, 1, 2, 3][rng.integers(5)],
        "max_leaf_nodes": [None, None, 1, 2, 3][rng.integers(5)],
        "min_samples_leaf": int(rng.choice([1, 1, 2])),
    }  # fmt: skip


@pytest.mark.parametrize("seed", range(200))
def test_optimum_and_certificate(seed):
    X, y, costs, weight, asked = tiny(seed)
    options = [None, BinaryOptions(engine="binary"), RankedOptions()][seed % 3]
    table = table_from(X)
    problem = make_row_costs_problem(table, y, costs, sample_weight=weight, **asked)
    result = solve_row_costs(problem, options=options)
    limits = {name: asked[name] for name in ("max_depth", "max_leaf_nodes", "min_samples_leaf")}
    price = Fraction(asked["cost_complexity"]) * int(weight.sum())
    wanted, _ = best_tree(table, action_costs(costs * weight[:, None]), price=price, **limits)
    wanted /= int(weight.sum())
    assert result.status is SolveStatus.OPTIMAL
    assert result.objective == pytest.approx(float(wanted), abs=1e-9)
    assert result.lower_bound <= float(wanted)
    report = verify_row_costs(problem, result)
    assert report.ok, report
    model = OptimalTreeClassifier(**asked).fit(X, y, weight, costs)
    assert model.result_.objective == pytest.approx(result.objective, abs=1e-12)
    read = from_json(to_json(model.result_))
    assert isinstance(read.result, RowCostsResult)
    assert read.result.sentence() == model.result_.sentence()
    # Leaves count classes, and predict the cheapest.
    shares = model.predict_proba(X)
    leaf = model.apply(X)
    for node in np.unique(leaf):
        here = leaf == node
        of_class = np.array([(weight * (y == label))[here].sum() for label in model.classes_])
        np.testing.assert_allclose(shares[here][0], of_class / of_class.sum())
        paid = (costs * weight[:, None])[here].sum(axis=0)
        assert paid[list(model.classes_).index(model.predict(X)[here][0])] == paid.min()


CHANGED = TAMPERED | {
    "tolerance": lambda r: replace(r, stats={**r.stats, "tolerance": 10.0}),
    "criterion": lambda r: replace(r, options={**r.options, "criterion": "regret"}),
    "class": lambda r: replace(r, tree=replace(r.tree, prediction=1 - r.tree.prediction)),
}


@pytest.mark.parametrize("what", CHANGED)
@pytest.mark.parametrize("unit", [1.0, 1e6, 1e-6])
def test_tampered_certificates_are_refused(what, unit):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    costs = unit * rng.random((60, 2))
    problem = make_row_costs_problem(table_from(X), y, costs, cost_complexity=0.0, max_depth=2)
    result = solve_row_costs(problem)
    assert verify_row_costs(problem, result).ok
    assert not verify_row_costs(problem, CHANGED[what](result)).ok


def test_costs_of_classes_are_a_special_case():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(150, 4)).round(1), rng.integers(0, 3, 150)
    matrix = np.array([[0, 1, 2], [3, 0, 1], [1, 5, 0]])
    plain = OptimalTreeClassifier(0.02, max_depth=2, costs=matrix, thresholds="all").fit(X, y)
    by_row = OptimalTreeClassifier(0.02, max_depth=2).fit(X, y, row_costs=matrix[y])
    assert by_row.result_.objective == pytest.approx(plain.result_.objective, abs=1e-12)
    assert by_row.tree_.splits == plain.tree_.splits
    assert "Proven optimal over all thresholds" in by_row.result_.sentence()
    assert "mean cost" in by_row.result_.sentence()
    assert to_text(by_row).count("rows") == by_row.get_n_leaves()
    assert by_row.feature_importances_ == pytest.approx(plain.feature_importances_)


def test_columns_of_a_frame_follow_their_names():
    X = np.arange(6.0)[:, None]
    y = np.array(["no", "yes"] * 3)
    costs = pd.DataFrame({"yes": [0, 0, 0, 9, 9, 9], "no": [9, 9, 9, 0, 0, 0]})
    model = OptimalTreeClassifier(0.01).fit(X, y, row_costs=costs)
    assert model.predict(X).tolist() == ["yes"] * 3 + ["no"] * 3
    assert model.result_.loss == 0


def test_nothing_at_stake_is_one_leaf():
    result = OptimalTreeClassifier().fit([[0.0], [1.0]], [0, 1], row_costs=[[2, 2], [1, 1]]).result_
    assert (result.tree.n_leaves, result.loss, result.status) == (1, 1.5, SolveStatus.OPTIMAL)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"costs": [[0, 1], [2, 0]]}, "costs="),
        ({"objective": "balanced_accuracy"}, "objective='balanced_accuracy' cannot be used with row_costs"),
        ({"min_leaf_accuracy": 0.6}, "min_leaf_accuracy=0.6 cannot"),
        ({"thresholds": 8}, "thresholds=8 cannot"),
        ({"max_depth": "guess"}, "max_depth='guess' cannot"),
    ],
)
def test_what_does_not_go_together_is_refused(parameters, words):
    with pytest.raises(InputError, match=words):
        OptimalTreeClassifier(**parameters).fit([[0.0], [1.0]], [0, 1], row_costs=np.ones((2, 2)))


@pytest.mark.parametrize(
    ("costs", "words"),
    [
        (np.ones((2, 3)), r"row_costs has shape \(2, 3\); give \(2, 2\)"),
        (np.ones(2), "row_costs has shape"),
        ([[0, -1], [0, 0]], r"row_costs\[0, 1\] is -1"),
        ([[0, 1], [np.nan, 0]], r"row_costs\[1, 0\] is nan"),
        ([[0, 1e301], [1, 0]], "at most 1e300"),
        ([["a", "b"], ["c", "d"]], "row_costs must be numbers"),
    ],
)
def test_bad_costs_are_refused(costs, words):
    with pytest.raises(InputError, match=words):
        OptimalTreeClassifier().fit([[0.0], [1.0]], [0, 1], row_costs=costs)
