"""`OptimalTreeClassifier.near_optimal`: the set under the parameters of the estimator."""

from __future__ import annotations

import numpy as np
import pytest

from treewright import OptimalTreeClassifier, SolveStatus, near_optimal_trees
from treewright.errors import InputError
from treewright.near_optimal import _solve
from treewright.result import StopReason
from treewright.verify import verify


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(8)
    X = rng.integers(0, 4, (120, 4)).astype(float)
    y = np.where(rng.random(120) < 0.15, rng.integers(0, 3, 120), X[:, 0] // 2 + (X[:, 1] > 2))
    return X, np.array(["a", "b", "c"])[y.astype(int)], rng.integers(1, 4, 120)


PARAMETERS = {
    "cost_complexity": 0.02,
    "max_depth": 3,
    "max_leaf_nodes": 5,
    "min_samples_leaf": 3,
    "class_weight": {"a": 1, "b": 2, "c": 1},
    "costs": [[0, 1, 2], [1, 0, 1], [3, 1, 0]],
    "thresholds": {"x0": [0.5, 1.5], "x1": [1.5, 2.5], "x2": [1.5], "x3": [0.5]},
}


@pytest.mark.parametrize("left_out", [None, *PARAMETERS])
def test_every_parameter_counts(table, left_out):
    X, y, weight = table
    given = {name: value for name, value in PARAMETERS.items() if name != left_out}
    model = OptimalTreeClassifier(**given).fit(X, y, weight)
    how = {"epsilon": 0.1, "redundant_splits": True}
    found = model.near_optimal(X, y, weight, **how)
    expected = near_optimal_trees(X, y, sample_weight=weight, **given, **how)
    assert found.table() == expected.table()
    assert found.best.objective == pytest.approx(model.result_.objective, rel=1e-12)
    assert model.tree_ in found


def test_balanced_accuracy_and_one_bound(table):
    X, y, _ = table
    keep = np.concatenate(
        [np.flatnonzero(y == label)[:24] for label in "abc"]
    )  # equal classes: whole weights
    X, y = X[keep], y[keep]
    model = OptimalTreeClassifier(0.03, max_depth=2, objective="balanced_accuracy").fit(X, y)
    found = model.near_optimal(X, y, max_objective=1.1 * model.result_.objective)
    plain = near_optimal_trees(X, y, cost_complexity=0.03, max_depth=2, epsilon=0.1)
    assert [size.n_trees for size in found.table()] == [size.n_trees for size in plain.table()]


@pytest.mark.parametrize(
    "guess",
    [
        {"guess_lower_bounds": True},
        {"thresholds": "guess"},
        {"max_depth": "guess"},
        {"min_leaf_accuracy": 0.5},
    ],
    ids=str,
)
def test_guesses_are_refused(table, guess):
    X, y, _ = table
    model = OptimalTreeClassifier(**{"max_depth": 2, **guess})
    with pytest.raises(InputError, match="leave out guess_lower_bounds"):
        model.near_optimal(X, y)


def searches(monkeypatch) -> list[int]:
    """Counts the searches for an optimum that making a set does."""
    made: list[int] = []
    for name in ("solve_binary", "solve_ranked"):
        search = getattr(_solve, name)
        monkeypatch.setattr(
            _solve, name, lambda *args, _s=search, **how: (made.append(1), _s(*args, **how))[1]
        )
    return made


@pytest.mark.parametrize("thresholds", ["all", 3, {"x0": [0.5, 1.5], "x1": [1.5]}])
def test_a_proven_optimum_is_not_searched_for_again(table, thresholds, monkeypatch):
    X, y, weight = table
    model = OptimalTreeClassifier(0.02, max_depth=3, thresholds=thresholds).fit(X, y, weight)
    expected = near_optimal_trees(
        X, y, sample_weight=weight, cost_complexity=0.02, max_depth=3, thresholds=thresholds, epsilon=0.1
    )
    made = searches(monkeypatch)
    found = model.near_optimal(X, y, weight, epsilon=0.1)
    assert made == []
    assert found.best is model.result_
    assert found.table() == expected.table()
    assert found[0].splits == expected[0].splits


def test_of_other_rows_the_optimum_is_searched_for(table, monkeypatch):
    """Other rows on which the tree costs the same, but is not the best; and other weights and labels."""
    X, y, weight = table
    noise = np.random.default_rng(3).integers(0, 4, (len(X), 4)).astype(float)
    model = OptimalTreeClassifier(0.15, max_depth=2, thresholds="all").fit(noise, y)
    assert model.tree_.n_leaves == 1  # costs the same on any columns
    made = searches(monkeypatch)
    for rows, labels, weights in ((X, y, None), (X, y, weight), (noise, y[::-1], weight)):
        found = model.near_optimal(rows, labels, weights, epsilon=0.1)
        expected = near_optimal_trees(
            rows,
            labels,
            sample_weight=weights,
            cost_complexity=0.15,
            max_depth=2,
            thresholds="all",
            epsilon=0.1,
        )
        assert found.best.objective == expected.best.objective
        assert found.table() == expected.table()
    assert len(made) == 6


@pytest.mark.parametrize(
    ("weight", "changed"),
    [(2.0, {}), (1.0, {"max_depth": 5}), (1.0, {"min_samples_leaf": 2}), (1.0, {"max_leaf_nodes": 7})],
)
def test_what_a_model_says_of_another_question_is_not_said_of_this_one(table, weight, changed):
    """The tree may be the best of both; its counts and the limits in its sentence are those of the first."""
    X, y, weights = table
    model = OptimalTreeClassifier(0.02, max_depth=3, thresholds="all").fit(X, y, weights)
    found = model.set_params(**changed).near_optimal(X, y, weight * weights, epsilon=0.1)
    report = verify(found.graph.problem, found.best)
    assert report.ok, str(report)
    assert found.best.tree in found


def interrupted(state):
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("progress", "reason"), [(lambda state: True, StopReason.CALLBACK), (interrupted, StopReason.INTERRUPT)]
)
def test_who_asks_to_stop_gets_no_search_instead(table, monkeypatch, progress, reason):
    """The proof that a known optimum is still one hears Ctrl-C and the callback; nothing is begun after it."""
    X, y, weight = table
    model = OptimalTreeClassifier(0.02, max_depth=3, thresholds="all").fit(X, y, weight)
    made = searches(monkeypatch)
    found = model.set_params(progress=progress).near_optimal(X, y, weight, epsilon=0.1)
    assert made == []
    assert found.stop_reason is reason
    assert found.status_ == f"not known: nothing was proven up to any objective ({reason.value})"
    assert found.best.tree is model.tree_
    assert found.best.status is SolveStatus.FEASIBLE
    assert model.result_.status is SolveStatus.OPTIMAL
