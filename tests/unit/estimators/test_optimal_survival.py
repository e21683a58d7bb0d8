"""`OptimalSurvivalTree`: what it takes, what it refuses, what it says of new rows; curves and concordance."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV

from treewright import OptimalSurvivalTree
from treewright.convert import from_json, to_json, to_python, to_sklearn
from treewright.errors import InputError, ModelFileError
from treewright.problem import make_survival_problem
from treewright.result import SolveStatus
from treewright.show import notebook_html, plot_tree, report, rules, to_graphviz, to_text
from treewright.survival import concordance_index, kaplan_meier
from treewright.table import table_from
from treewright.tree import TreeKind


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2)).round(1)
    time, censored = rng.exponential(np.where(X[:, 0] > 0, 1.0, 6.0)), rng.exponential(4.0, size=200)
    return X, time <= censored, np.minimum(time, censored)


def test_all_forms_of_y_are_one(data):
    X, event, time = data
    structured = np.array(
        list(zip(event, time, strict=True)), dtype=[("cens", np.bool_), ("time", np.float64)]
    )
    frame = pd.DataFrame({"event": event, "time": time})
    first = OptimalSurvivalTree(max_depth=2).fit(X, (event, time)).result_
    for y in (structured, frame, np.column_stack([event, time]), (list(event), list(time))):
        assert OptimalSurvivalTree(max_depth=2).fit(X, y).result_.sentence() == first.sentence()


def test_nelson_aalen_by_hand():
    event, time = [True, False, True, True], [1.0, 2.0, 2.0, 3.0]
    problem = make_survival_problem(table_from([[0.0]] * 4), (event, time))
    expected = [1 / 4, 1 / 4 + 1 / 3, 1 / 4 + 1 / 3, 1 / 4 + 1 / 3 + 1]
    np.testing.assert_allclose(problem.hazard, expected, rtol=1e-14)
    twice = make_survival_problem(table_from([[0.0]] * 4), (event, time), sample_weight=[2.0] * 4)
    np.testing.assert_allclose(twice.hazard, expected, rtol=1e-14)


def test_hazard_ratios_and_curves(data):
    X, event, time = data
    model = OptimalSurvivalTree(max_depth=1).fit(X, (event, time))
    problem = make_survival_problem(table_from(X), (event, time))
    leaf = model.apply(X)
    assert sorted(model.curves_) == sorted(set(leaf))
    for node in set(leaf):
        rows = leaf == node
        ratio = event[rows].sum() / problem.hazard[rows].sum()
        assert model.predict(X)[rows] == pytest.approx(ratio, rel=1e-12)
        curve = kaplan_meier(event[rows], time[rows])
        np.testing.assert_array_equal(
            model.predict_survival(X[rows], [0.0, 1.0, 3.0])[0], curve([0.0, 1.0, 3.0])
        )
    assert model.predict_survival(X, [-1.0]).tolist() == [[1.0]] * 200
    assert model.score(X, (event, time)) > 0.6
    with pytest.raises(InputError, match="times contains NaN"):
        model.predict_survival(X, [1.0, np.nan])


def test_whole_weights_are_copies(data):
    X, event, time = data
    weight = np.random.default_rng(1).integers(0, 3, 200)
    copies = np.repeat(np.arange(200), weight)
    a = OptimalSurvivalTree(max_depth=2).fit(X, (event, time), sample_weight=weight).result_
    b = OptimalSurvivalTree(max_depth=2).fit(X[copies], (event[copies], time[copies])).result_
    assert a.objective == pytest.approx(b.objective, rel=1e-9)
    real = OptimalSurvivalTree(max_depth=2).fit(X, (event, time), sample_weight=np.sqrt(weight + 0.1)).result_
    assert real.status is SolveStatus.OPTIMAL
    assert any("rounded" in note for note in real.notes)


def test_kaplan_meier_by_hand():
    curve = kaplan_meier(np.array([True, False, True, True, False]), np.array([1.0, 1.0, 2.0, 2.0, 3.0]))
    assert curve.times.tolist() == [1.0, 2.0]
    assert curve.survival == pytest.approx([4 / 5, 4 / 15])
    assert curve.at_risk.tolist() == [5.0, 3.0]
    assert curve([0.5, 1.0, 9.0]) == pytest.approx([1.0, 4 / 5, 4 / 15])
    assert curve.median == 2.0
    assert kaplan_meier(np.array([False]), np.array([1.0])).median == float("inf")


def test_concordance_against_all_pairs():
    rng = np.random.default_rng(0)
    for _ in range(50):
        n = int(rng.integers(3, 12))
        event, time, risk = rng.random(n) < 0.6, rng.integers(0, 6, n) * 1.0, rng.integers(0, 4, n) * 1.0
        right = pairs = 0.0
        for i in range(n):
            for j in range(n):
                if event[i] and (time[i] < time[j] or (time[i] == time[j] and not event[j])):
                    pairs += 1
                    right += 1.0 if risk[i] > risk[j] else 0.5 if risk[i] == risk[j] else 0.0
        if pairs:
            assert concordance_index(event, time, risk) == pytest.approx(right / pairs)
        else:
            with pytest.raises(InputError, match="compared"):
                concordance_index(event, time, risk)


def test_nothing_to_find():
    result = OptimalSurvivalTree().fit([[1.0], [2.0]], ([False, False], [1.0, 2.0])).result_
    assert (result.tree.n_leaves, result.loss, result.status) == (1, 0.0, SolveStatus.OPTIMAL)
    assert result.tree.value.tolist() == [[0.0]]
    assert "No row had the event" in result.notes[-1]
    one = OptimalSurvivalTree().fit([[1.0]], ([True], [0.0])).result_
    assert (one.tree.n_leaves, one.status) == (1, SolveStatus.OPTIMAL)


@pytest.mark.parametrize(
    ("y", "said"),
    [
        (None, "give events and times"),
        (([True] * 3, [1.0, 2.0, -1.0]), "negative in row 2"),
        (([True] * 3, [1.0, 2.0, np.nan]), "NaN or infinity"),
        (([True] * 3, [1.0, 2.0, np.inf]), "NaN or infinity"),
        (([1, 2, 0], [1.0, 2.0, 3.0]), "event holds 2"),
        (([1.0, 2.0, 3.0], [1, 0, 1]), "The event comes first"),
        (([True] * 2, [1.0, 2.0]), "inconsistent"),
        (([True] * 3, [1.0, 2.0]), r"event has shape \(3,\)"),
        ([1.0, 2.0, 3.0], r"y has shape \(3,\)"),
        (np.ones((3, 3)), r"y has shape \(3, 3\)"),
        (np.zeros(3, dtype=[("a", bool), ("b", float), ("c", float)]), "fields"),
        ((["a"] * 3, [1.0, 2.0, 3.0]), "event holds the word 'a'; give true or false"),
    ],
)
def test_bad_targets(y, said):
    with pytest.raises(InputError, match=said):
        OptimalSurvivalTree().fit([[1.0], [2.0], [3.0]], y)


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"cost_complexity": -1.0}, "cost_complexity"),
        ({"max_depth": -1}, "max_depth"),
        ({"min_samples_leaf": 4}, "min_samples_leaf"),
        ({"search_options": 3}, "RankedOptions"),
    ],
)
def test_bad_parameters(parameters, said):
    with pytest.raises(ValueError, match=said):
        OptimalSurvivalTree(**parameters).fit([[1.0], [2.0], [3.0]], ([True] * 3, [1.0, 2.0, 3.0]))


def test_model_selection(data):
    X, event, time = data
    search = GridSearchCV(OptimalSurvivalTree(), {"max_depth": [0, 1]}, cv=3)
    assert search.fit(X, np.column_stack([event, time])).best_params_ == {"max_depth": 1}


def test_words_pictures_and_exports(data):
    pytest.importorskip("matplotlib")
    X, event, time = data
    tree = OptimalSurvivalTree(max_depth=1).fit(X, (event, time)).tree_
    assert tree.kind is TreeKind.SURVIVAL
    for text in (to_text(tree), to_graphviz(tree), notebook_html(tree), rules(tree)[0].label):
        assert "hazard ratio" in text
    assert any("hazard ratio" in text.get_text() for text in plot_tree(tree).texts)
    assert "A survival tree" in to_python(tree)
    np.testing.assert_array_equal(to_sklearn(tree, X).predict(X), tree.predict(X))
    read = from_json(to_json(tree)).tree
    assert read.kind is TreeKind.SURVIVAL
    with pytest.raises(ModelFileError, match="kind"):
        from_json(to_json(tree).replace('"survival"', '"policy"', 1))
    with pytest.raises(InputError, match="event and time"):  # not events alone
        report(OptimalSurvivalTree(max_depth=1).fit(X, (event, time)), X, event)
