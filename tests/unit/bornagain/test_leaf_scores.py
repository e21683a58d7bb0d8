"""Ranges of an ensemble's score in the leaves of a small tree."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier

from born_again_oracle import random_ensemble
from treewright.bornagain import Ensemble, distil, leaf_scores
from treewright.errors import InputError


@pytest.mark.parametrize("seed", range(6))
def test_no_row_has_a_score_outside_the_bounds(seed):
    """On every cell of the ensemble, thresholds included, and with missing values where the model takes them."""
    ensemble = random_ensemble(seed, n_features=3, trees=4)
    rng = np.random.default_rng(seed)
    X = rng.integers(-1, 5, (40, 3)) + 0.5
    tree = distil(ensemble, X, max_leaves=4).tree
    axes = [np.concatenate([[-9.0], t, t + 0.25, [9.0]]) for t in ensemble.thresholds]
    axes = [np.append(a, np.nan) if m else a for a, m in zip(axes, ensemble.missing, strict=True)]
    grid = np.stack([a.ravel() for a in np.meshgrid(*axes)], axis=1)
    found = leaf_scores(tree, ensemble, grid)
    assert len(found) == tree.n_leaves
    assert sum(leaf.n_rows for leaf in found) == len(grid)
    for leaf in found:
        if leaf.n_rows:
            assert leaf.lower_bound <= leaf.least <= leaf.mean <= leaf.largest <= leaf.upper_bound
    # Of a single tree a single leaf is in reach where the small tree is the same tree: the bounds are tight there.
    alone = random_ensemble(seed, n_features=3, trees=1)
    whole = distil(alone, grid, max_depth=None, max_leaves=1).tree
    (all_rows,) = leaf_scores(whole, alone, grid)
    assert (all_rows.lower_bound, all_rows.upper_bound) == (all_rows.least, all_rows.largest)


def test_scores_are_the_probabilities_of_a_forest():
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(15, max_depth=3, random_state=0).fit(X, y)
    ensemble = Ensemble.from_model(forest)
    tree = distil(ensemble, X, tolerance=0.02).tree
    at, proba = tree.apply(X), forest.predict_proba(X)
    for leaf in leaf_scores(tree, ensemble, X):
        expected = proba[at == leaf.node, tree.prediction[leaf.node]]
        assert leaf.n_rows == len(expected)
        np.testing.assert_allclose(
            [leaf.least, leaf.mean, leaf.largest], [expected.min(), expected.mean(), expected.max()]
        )
        assert -1e-12 <= leaf.lower_bound <= leaf.upper_bound <= 1 + 1e-12


def test_scores_of_two_boosted_classes_are_log_odds_of_the_leafs_class():
    X, y = load_breast_cancer(return_X_y=True)
    model = GradientBoostingClassifier(n_estimators=10, random_state=0).fit(X, y)
    ensemble = Ensemble.from_model(model)
    tree = distil(ensemble, X, tolerance=0.05).tree
    raw = model.decision_function(X)
    for leaf in leaf_scores(tree, ensemble, X):
        mine = raw[tree.apply(X) == leaf.node] * (1 if tree.prediction[leaf.node] == 1 else -1)
        assert leaf.mean == pytest.approx(mine.mean())
        assert leaf.mean > 0


def test_a_tree_of_something_else_is_refused():
    X, y = load_iris(return_X_y=True)
    one = Ensemble.from_model(RandomForestClassifier(5, max_depth=2, random_state=0).fit(X, y))
    two = Ensemble.from_model(RandomForestClassifier(5, max_depth=2, random_state=0).fit(X[:, :2], y))
    with pytest.raises(InputError, match="not made from this ensemble"):
        leaf_scores(distil(two, X[:, :2]).tree, one, X)
