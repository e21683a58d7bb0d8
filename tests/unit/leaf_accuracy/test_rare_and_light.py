"""Classes of one row in large tables, weights of any size, seeds of inner models, and models that predict by a rule."""

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from treewright import HybridTreeClassifier
from treewright.leaf_accuracy._rounds import choose_rounds

pytestmark = pytest.mark.filterwarnings("ignore")  # of trees without gain, which are not the subject


def crossed(n_rows, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3))
    return X, ((X[:, 0] * X[:, 1] > 0) ^ (rng.random(n_rows) < 0.1)).astype(int)


@pytest.mark.parametrize(("n_folds", "rare"), [(3, 1), (2, 2)])
def test_a_class_too_rare_for_early_stopping(n_folds, rare):
    X, y = crossed(21_000)  # histogram boosting stops early beyond 10,000 rows, by rows of every class
    y[:rare] = 2
    leaf = HistGradientBoostingClassifier(max_iter=3)
    top = DecisionTreeClassifier(max_depth=1)
    model = HybridTreeClassifier(top, leaf_estimator=leaf, n_folds=n_folds, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.7
    assert model.classes_.tolist() == [0, 1, 2]


def test_early_stopping_with_fewer_rows_to_judge_by_than_classes():
    X, y = crossed(60)
    y = y + 2 * (X[:, 2] > 0)
    leaf = HistGradientBoostingClassifier(max_iter=3, early_stopping=True, validation_fraction=0.05)
    model = HybridTreeClassifier(DecisionTreeClassifier(max_depth=1), leaf_estimator=leaf, random_state=0)
    assert model.fit(X, y).predict(X).shape == (60,)


@pytest.mark.parametrize("tune", ["rounds", None])
def test_a_common_factor_of_light_weights_changes_nothing(tune):
    X, y = crossed(400)
    weight = np.ones(400)
    models = [
        HybridTreeClassifier(tune=tune, random_state=0).fit(X, y, factor * weight)
        for factor in (1.0, 2.0**-30, 2.0**-100)
    ]
    first, *others = models
    assert first.score(X, y) > 0.85
    for factor, other in zip((2.0**-30, 2.0**-100), others, strict=True):
        np.testing.assert_array_equal(other.predict_proba(X), first.predict_proba(X))
        np.testing.assert_allclose(other.tree_.value, first.tree_.value * factor, rtol=1e-9)


def test_seeds_of_models_inside_others():
    rng = np.random.default_rng(0)
    X = np.repeat(rng.integers(0, 2, size=(300, 3)), 2, axis=1)  # ties, which a tree breaks by chance
    y = rng.integers(0, 2, 300)
    top = GridSearchCV(DecisionTreeClassifier(), {"max_depth": [2, 3]})
    leaf = make_pipeline(StandardScaler(), RandomForestClassifier(5))
    hybrid = HybridTreeClassifier(top, leaf_estimator=leaf, tune=None, random_state=0)
    first = hybrid.fit(X, y)
    splits, shares = first.tree_.splits, first.predict_proba(X)
    for _ in range(3):
        again = hybrid.fit(X, y)
        assert again.tree_.splits == splits
        np.testing.assert_array_equal(again.predict_proba(X), shares)
    assert top.estimator.random_state is None
    assert leaf[-1].random_state is None


def test_a_model_with_a_threshold_is_judged_by_what_it_predicts():
    X, y = crossed(200)
    y[:150] = 0
    always = FixedThresholdClassifier(LogisticRegression(), threshold=0.0)  # predicts class 1 for every row
    rounds = choose_rounds(always, X, y, None)
    np.testing.assert_array_equal(rounds.right, y == 1)
