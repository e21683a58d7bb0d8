"""A tree of an ensemble that was made without rows counts none: no node says "100% of 1 row"."""

from __future__ import annotations

import re

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from treewright import BornAgainTreeClassifier, show
from treewright.bornagain import near_everywhere
from treewright.convert import NumberEnsemble, to_sklearn

RNG = np.random.default_rng(0)
X = RNG.integers(0, 9, (60, 2)).astype(float)
Y = np.where(X.sum(axis=1) > 8, "yes", "no")
FOREST = RandomForestClassifier(3, max_depth=2, random_state=0).fit(X, Y)


@pytest.mark.parametrize("objective", ["depth-leaves", "heuristic"])
def test_nothing_says_how_many_rows(objective):
    model = BornAgainTreeClassifier.from_fitted(FOREST, objective=objective)
    assert not model.tree_.n_node_samples.any()
    page = model._repr_html_()
    for words in (
        show.to_text(model),
        show.to_rules(model),
        show.to_graphviz(model),
        page,
        *model.result_.notes,
    ):
        assert not re.search(r"\d rows?\b|Counts", words)
        assert "100%" not in words.partition("</style>")[2 if "</style>" in words else 0]
    assert (model.predict(X) == FOREST.predict(X)).all()
    assert set(model.predict_proba(X).ravel()) == {0.0, 1.0}
    assert (to_sklearn(model.tree_).predict(X) == FOREST.predict(X)).all()


def test_with_rows_they_are_counted():
    model = BornAgainTreeClassifier.from_fitted(FOREST, X)
    assert model.tree_.n_node_samples[0] == len(X)
    assert "100% of " in show.to_text(model)
    assert any("Counts and shares" in note for note in model.result_.notes)


def test_a_tree_of_numbers_says_its_numbers_alone():
    forest = RandomForestRegressor(2, max_depth=2, random_state=0).fit(X, X[:, 0])
    result = near_everywhere(NumberEnsemble.from_model(forest), tolerance=1.0)
    assert not result.tree.n_node_samples.any()
    assert " row" not in show.to_text(result)
