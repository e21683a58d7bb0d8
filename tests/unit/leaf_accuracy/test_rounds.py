"""The number of rounds is what a separate fit for each number would choose; noise leaves the tree its answer."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from treewright import HybridTreeClassifier
from treewright.convert import from_sklearn
from treewright.errors import InputError
from treewright.leaf_accuracy import Treatment
from treewright.leaf_accuracy._leaf_models import make_leaf_model
from treewright.leaf_accuracy._rounds import choose_rounds


def noisy(seed, n_rows=120, n_classes=2, noise=0.25):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3))
    y = np.digitize(X[:, 0], np.linspace(-1, 1, n_classes + 1)[1:-1])
    return X, np.where(rng.random(n_rows) < noise, rng.integers(n_classes, size=n_rows), y)


def models(most):
    return {
        "boosting": HistGradientBoostingClassifier(max_iter=most, random_state=0),
        "xgboost": make_leaf_model("xgboost").set_params(n_estimators=most, random_state=0),
    }


@pytest.mark.parametrize("kind", ["boosting", "xgboost"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("seed", "n_classes"), [(0, 2), (1, 2), (2, 3)])
def test_it_is_what_separate_fits_would_choose(kind, weighted, seed, n_classes):
    X, y = noisy(seed, n_classes=n_classes)
    weight = np.random.default_rng(seed).integers(1, 4, len(y)).astype(float) if weighted else None
    model = models(6)[kind]
    shares = np.zeros(7)
    for train, held in StratifiedKFold(3, shuffle=True, random_state=seed).split(X, y):
        here = np.ones(len(held)) if weight is None else weight[held]
        shares[0] += here @ (y[held] == 1)
        for i in range(1, 7):
            twin = clone(model).set_params(**{"max_iter" if kind == "boosting" else "n_estimators": i})
            twin.fit(X[train], y[train], sample_weight=None if weight is None else weight[train])
            shares[i] += here @ (y[held] == twin.predict(X[held]))
    chosen = choose_rounds(model, X, y, weight, 1, seed=seed)
    assert chosen.number == int(np.argmax(shares))
    assert chosen.accuracy == pytest.approx(shares.max() / (len(y) if weight is None else weight.sum()))


def test_a_model_that_stops_by_itself_is_counted_on():
    X, y = noisy(3, n_rows=300)
    model = HistGradientBoostingClassifier(
        early_stopping=True, n_iter_no_change=1, max_iter=50, random_state=0
    )
    chosen = choose_rounds(model, X, y, None, -1)
    assert 0 < chosen.number < 50
    assert 0.5 < chosen.accuracy < 1


@pytest.mark.parametrize("kind", ["boosting", "xgboost"])
def test_noise_leaves_the_tree_its_answer(kind):
    """One leaf of noise about its class, one where a column tells the classes apart."""
    rng = np.random.default_rng(0)
    X = np.column_stack([np.repeat([0.0, 1.0], 200), rng.normal(size=400)])
    y = np.where(X[:, 0] == 0, rng.random(400) < 0.1, X[:, 1] > 0.3).astype(int)
    top = from_sklearn(DecisionTreeClassifier(max_depth=1).fit(X * [1, 0], y))
    model = HybridTreeClassifier(
        top, leaf_estimator=models(20)[kind], tune="rounds", reduce=False, random_state=0
    )
    model.fit(X, y)
    noise, told = model.extensions_.values()
    name = "max_iter" if kind == "boosting" else "n_estimators"
    assert noise.treatment is Treatment.KEPT
    assert noise.parameters == {name: 0}
    assert noise.cv_accuracy == pytest.approx(np.mean(y[:200] == 0))
    assert told.treatment is Treatment.MODEL
    assert told.model.get_params()[name] == told.parameters[name] > 0
    new = np.column_stack([np.repeat([0.0, 1.0], 50), rng.normal(size=100)])
    assert (model.predict(new)[:50] == 0).all()
    assert np.mean(model.predict(new)[50:] == (new[50:, 1] > 0.3)) > 0.9
    report = model.report(new)
    assert not report.overruled[:50].any()
    assert report.overruled[50:].any()
    again = clone(model).set_params(n_jobs=2).fit(X, y)
    assert np.array_equal(again.predict_proba(new), model.predict_proba(new))


def test_a_tree_from_elsewhere_may_say_what_no_row_says():
    X, y = noisy(4)
    model = make_leaf_model(None).set_params(max_iter=5, random_state=0)
    assert choose_rounds(model, X, y, None, -1).number > 0


def test_other_models_have_no_rounds():
    X, y = noisy(5)
    with pytest.raises(InputError, match=r'tune="rounds" takes.*LogisticRegression'):
        HybridTreeClassifier(leaf_estimator=LogisticRegression(), tune="rounds").fit(X, y)
