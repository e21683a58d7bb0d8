"""Models that learned from missing values ask whether a value is known, also if they are read for known ones only."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

from treewright import BornAgainTreeClassifier
from treewright.bornagain import Ensemble, find_other_decision, forecast, solve, solve_active
from treewright.convert import EnsembleTree
from treewright.errors import InputError
from treewright.verify import check_faithful


def table():
    """What decides is whether the first value is known."""
    rng = np.random.default_rng(0)
    X = rng.random((300, 2))
    X[rng.random(300) < 0.4, 0] = np.nan
    y = np.isnan(X[:, 0]) ^ (X[:, 1] > 0.8) ^ (np.nan_to_num(X[:, 0]) > 0.9)
    return X, y.astype(int)


def forest():
    return RandomForestClassifier(4, max_depth=4, random_state=1).fit(*table())


def known_rows():
    return np.random.default_rng(1).random((2000, 2)) * 1.4 - 0.2


@pytest.mark.parametrize("objective", ["depth", "leaves", "depth-leaves", "heuristic"])
@pytest.mark.parametrize("missing", ["refuse", "route"])
def test_a_forest_that_learned_from_missing_values(missing, objective):
    model, rows = forest(), known_rows()
    ensemble = Ensemble.from_model(model, missing=missing)
    assert any(np.isinf(tree.threshold).any() for tree in ensemble.trees)
    tree = solve(ensemble, objective=objective).tree
    np.testing.assert_array_equal(tree.predict(rows), model.predict(rows))
    assert check_faithful(tree, ensemble).faithful
    if missing == "route":
        np.testing.assert_array_equal(tree.predict(table()[0]), model.predict(table()[0]))


def test_the_other_questions_about_it():
    model, rows = forest(), known_rows()
    ensemble = Ensemble.from_model(model)
    tree = BornAgainTreeClassifier.from_fitted(model, rows[:50]).tree_
    np.testing.assert_array_equal(tree.predict(rows), model.predict(rows))
    pruned = solve_active(ensemble, rows[:50]).tree
    np.testing.assert_array_equal(pruned.predict(rows[:50]), model.predict(rows[:50]))
    everywhere = [-np.inf] * 2, [np.inf] * 2
    for method in ("bounds", "milp"):
        other = find_other_decision(ensemble, rows[0], *everywhere, method=method)
        assert model.predict([other])[0] != model.predict(rows[:1])[0]


def test_an_ensemble_of_nothing_else():
    tree = EnsembleTree(
        np.array([0, -1, -1], dtype=np.int32),
        np.array([np.inf, 0, 0]),
        np.array([1, 0, 0], dtype=np.int32),
        np.array([2, 0, 0], dtype=np.int32),
        np.array([[0.0], [1.0], [0.0]]),
        np.zeros(3, dtype=bool),
    )
    ensemble = Ensemble.hard_vote([tree], [0, 1], n_features=1)
    assert solve(ensemble, objective="leaves").tree.n_leaves == 1
    assert solve(ensemble).tree.predict(np.array([[3.0]])).tolist() == [1]
    assert forecast(ensemble).cells == 1
    with pytest.raises(InputError, match="missing values"):
        ensemble.predict([[np.nan]])
