"""Rounds are what a separate fit for each number would choose; the tree, a shared or an own model answers by rule."""

import math
import warnings

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from treewright import HybridTreeClassifier, OptimalTreeClassifier
from treewright.convert import from_sklearn
from treewright.errors import NoGainWarning
from treewright.estimators import _interrupt
from treewright.leaf_accuracy import Extension, Treatment, _held_out, _shared, _timed_fits, held_out_answers
from treewright.leaf_accuracy._hybrid import _clearly_better
from treewright.leaf_accuracy._leaf_models import make_leaf_model
from treewright.leaf_accuracy._rounds import choose_rounds
from treewright.leaf_accuracy._temperature import softened
from treewright.result import StopReason


@pytest.fixture(autouse=True)
def long_ago(monkeypatch):
    """The last Ctrl-C was long before the test."""
    monkeypatch.setattr(_interrupt, "_last", -math.inf)


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
    everything = np.ones(len(y)) if weight is None else weight
    loss, sureness, right = np.zeros(6), np.zeros(6), np.zeros((6, len(y)), dtype=bool)
    for train, held in StratifiedKFold(3, shuffle=True, random_state=seed).split(X, y):
        for i in range(6):
            twin = clone(model).set_params(**{"max_iter" if kind == "boosting" else "n_estimators": i + 1})
            twin.fit(X[train], y[train], sample_weight=None if weight is None else weight[train])
            shares = twin.predict_proba(X[held])
            right[i, held] = twin.predict(X[held]) == y[held]

            def at(power, shares=shares, held=held):
                powers = shares.astype(float) ** power
                own = powers[np.arange(len(held)), y[held]] / powers.sum(axis=1)
                return -(everything[held] @ np.log(own))  # `log_loss` of scikit-learn, without its checks

            least = minimize_scalar(at, bounds=(1 / 64, 1), method="bounded", options={"xatol": 1e-7})
            power = least.x if least.fun < at(1.0) - 1e-6 else 1.0
            loss[i] += at(power)
            sureness[i] += np.log(power) / 3
    chosen = choose_rounds(model, X, y, weight, seed=seed)
    best = int(np.argmin(loss))
    assert chosen.number == best + 1
    assert chosen.loss == pytest.approx(loss[best], rel=1e-5)
    assert chosen.temperature == pytest.approx(np.exp(-sureness[best]), rel=1e-2)
    np.testing.assert_array_equal(chosen.right, right[best])
    assert chosen.accuracy == pytest.approx(np.average(right[best], weights=everything))


def test_a_model_that_stops_by_itself_is_counted_on():
    X, y = noisy(3, n_rows=300)
    model = HistGradientBoostingClassifier(
        early_stopping=True, n_iter_no_change=1, max_iter=50, random_state=0
    )
    chosen = choose_rounds(model, X, y, None)
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
        top, leaf_estimator=models(20)[kind], share=False, reduce=False, random_state=0
    )
    model.fit(X, y)
    noise, told = model.extensions_.values()
    name = "max_iter" if kind == "boosting" else "n_estimators"
    assert noise.treatment is Treatment.KEPT
    assert noise.parameters == {}
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


@pytest.mark.filterwarnings("ignore::treewright.errors.NoGainWarning")
def test_a_tree_from_elsewhere_may_say_what_no_row_says():
    tree = from_sklearn(DecisionTreeClassifier(random_state=0).fit([[0.0], [1.0], [2.0]], [0, 1, 2]))
    rng = np.random.default_rng(4)
    X = rng.normal(2.0, 0.1, size=(200, 1))  # all in the leaf of class 2
    model = HybridTreeClassifier(tree, share=False, random_state=0).fit(X, (X[:, 0] > 2).astype(int))
    assert model.extensions_[int(tree.apply(X)[0])].treatment is Treatment.MODEL
    assert model.score(X, (X[:, 0] > 2).astype(int)) > 0.95


def test_another_model_is_used_whole_or_not_at_all():
    """One leaf where a line tells the classes apart, one of noise."""
    rng = np.random.default_rng(1)
    X = np.column_stack([np.repeat([0.0, 1.0], 200), rng.normal(size=400)])
    y = np.where(X[:, 0] == 0, rng.random(400) < 0.1, X[:, 1] > 0.3).astype(int)
    top = from_sklearn(DecisionTreeClassifier(max_depth=1).fit(X * [1, 0], y))
    model = HybridTreeClassifier(
        top, leaf_estimator=LogisticRegression(), share=False, reduce=False, random_state=0
    ).fit(X, y)
    noise, told = model.extensions_.values()
    assert (noise.treatment, noise.model) == (Treatment.KEPT, None)
    assert told.treatment is Treatment.MODEL
    assert told.cv_accuracy > 0.9
    assert model.cv_accuracy_["hybrid"] > model.cv_accuracy_["tree"]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_a_model_worse_than_its_leaf_is_not_used(n_classes, weighted):
    """Labels of pure noise: whatever the models learn, the hybrid tree says what the tree says."""
    rng = np.random.default_rng(n_classes)
    X = rng.normal(size=(400, 3))
    y = np.where(rng.random(400) < 0.7, 0, rng.integers(n_classes, size=400))
    weight = rng.random(400) + 0.5 if weighted else None
    top = DecisionTreeClassifier(max_depth=2, min_samples_leaf=80, random_state=0)
    model = HybridTreeClassifier(top, random_state=0)
    with pytest.warns(NoGainWarning, match="No leaf model does better than the tree"):
        model.fit(X, y, weight)
    assert all(extension.treatment is Treatment.KEPT for extension in model.extensions_.values())
    assert np.array_equal(model.predict(X), model.top_.predict(X))
    assert model.cv_accuracy_["hybrid"] == pytest.approx(model.cv_accuracy_["tree"])
    right = np.average(model.top_.predict(X) == y, weights=weight)
    assert model.cv_accuracy_["tree"] == pytest.approx(right)


def test_a_model_that_does_better_alone_is_warned_of():
    """Leaves cut at random leave each model too few rows for what one model learns of all of them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 8))
    y = (X[:, 1:] @ np.array([3, -2, 2, 1, -1, 2, 1]) > 0).astype(int)
    cut = DecisionTreeClassifier(max_depth=5, min_samples_leaf=12, random_state=0)
    top = from_sklearn(cut.fit(X * ([1] + [0] * 7), y))
    model = HybridTreeClassifier(
        top, leaf_estimator=LogisticRegression(), share=False, reduce=False, random_state=0
    )
    with pytest.warns(NoGainWarning, match="The leaf model alone"):
        model.fit(X, y)
    assert model.cv_accuracy_["hybrid"] < model.cv_accuracy_["model"]
    share = clone(model).set_params(share=True).fit(X, y)  # what the warning asks for
    assert share.cv_accuracy_["hybrid"] >= model.cv_accuracy_["model"]
    assert Treatment.SHARED in [own.treatment for own in share.extensions_.values()]


@pytest.mark.parametrize("share", [False, True])
@pytest.mark.filterwarnings("ignore::treewright.errors.NoGainWarning")
def test_weight_decides_who_answers(share):
    """Rows where the model is right weigh more, so it is used; where the tree is, it is not."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(300, 2))
    y = (X[:, 0] > 0).astype(int)
    noise = rng.random(300) < 0.5
    y[noise] = (rng.random(noise.sum()) < 0.2).astype(int)
    top = from_sklearn(DecisionTreeClassifier(max_leaf_nodes=2).fit(np.zeros_like(X), y))  # one leaf
    model = HybridTreeClassifier(top, leaf_estimator=models(10)["boosting"], share=share, random_state=0)
    heavy = clone(model).fit(X, y, np.where(noise, 0.01, 1.0)).extensions_[0]
    light = clone(model).fit(X, y, np.where(noise, 1.0, 1e-6)).extensions_[0]
    assert heavy.treatment is (Treatment.SHARED if share else Treatment.MODEL)
    assert light.treatment is Treatment.KEPT


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.filterwarnings("ignore::treewright.errors.NoGainWarning")
def test_a_shared_model_is_one_fit_on_all_rows(n_classes, weighted):
    """Its answers, in the leaves where it answers, are those of a model fitted by hand."""
    X, y = noisy(0, 600, n_classes, noise=0.1)
    y = np.asarray(["a", "b", "c"])[y]
    weight = np.random.default_rng(1).integers(1, 4, len(y)).astype(float) if weighted else None
    cut = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X * [0, 1, 1], y)  # cuts at random
    leaf_estimator = models(8)["boosting"]
    model = HybridTreeClassifier(
        from_sklearn(cut), leaf_estimator=leaf_estimator, reduce=False, random_state=0
    ).fit(X, y, weight)
    shared = {leaf: own for leaf, own in model.extensions_.items() if own.treatment is Treatment.SHARED}
    assert shared
    assert len({id(own.model) for own in shared.values()}) == 1
    twin = clone(next(iter(shared.values())).model).fit(X, np.unique(y, return_inverse=True)[1], weight)
    new = noisy(5, 300, n_classes)[0]
    here = np.isin(model.tree_.apply(new), list(shared))
    made = softened(twin.predict_proba(new)[here], next(iter(shared.values())).temperature)
    np.testing.assert_array_equal(model.predict_proba(new)[here], made)
    np.testing.assert_array_equal(model.predict(new)[here], model.classes_[twin.predict(new)[here]])
    assert {leaf.treatment for leaf in model.report(new).leaves if leaf.leaf in shared} == {"shared"}


def test_clearly_is_by_more_than_a_standard_error():
    assert _clearly_better(*np.array([[1] * 6 + [0] * 4, [1] * 4 + [0] * 6], bool), np.ones(10))
    one, other = np.array([1, 1, 0, 0], bool), np.array([0, 0, 1, 0], bool)
    assert not _clearly_better(one, other, np.ones(4))  # .25 with an error of .41
    assert _clearly_better(one, other, np.array([9.0, 9.0, 1.0, 1.0]))
    assert not _clearly_better(one, one, np.ones(4))


def test_a_leaf_with_a_rare_class_is_validated_too():
    X, y = noisy(6, n_rows=60, noise=0.0)
    y[0] = 2  # one row of a third class
    chosen = choose_rounds(models(10)["boosting"], X, y, None)
    assert chosen.number > 0
    assert chosen.accuracy > 0.8


class Pressed(HistGradientBoostingClassifier):
    """A leaf model during whose `press`-th fit Ctrl-C is pressed."""

    fits, press = 0, 0

    def fit(self, X, y, sample_weight=None):
        Pressed.fits += 1
        if Pressed.fits == Pressed.press:
            raise KeyboardInterrupt
        return super().fit(X, y, sample_weight)


@pytest.mark.parametrize(("press", "done"), [(2, 0), (4, 0), (6, 0), (10, 1)])
def test_ctrl_c_keeps_the_leaves_that_are_done(press, done, monkeypatch):
    """During the folds of all rows, the fit of the shared model, the first leaf, the second."""
    monkeypatch.setattr(Pressed, "fits", 0)
    monkeypatch.setattr(Pressed, "press", press)
    rng = np.random.default_rng(3)
    X = np.column_stack([np.repeat([0.0, 1.0], 200), rng.normal(size=400)])
    y = (X[:, 1] > 0.3 * X[:, 0]).astype(int)
    top = from_sklearn(DecisionTreeClassifier(max_depth=1).fit(X * [1, 0], y))
    model = HybridTreeClassifier(top, leaf_estimator=Pressed(max_iter=5), reduce=False, random_state=0)
    model.fit(X, y)
    assert model.stop_reason_ is StopReason.INTERRUPT
    kept = [(own.treatment is Treatment.KEPT, own.interrupted) for own in model.extensions_.values()]
    assert kept == [(False, False)] * done + [(True, True)] * (2 - done)
    assert model.cv_accuracy_ is None
    assert len(model.predict(X)) == 400


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_ctrl_c_in_the_top_ends_the_fit_with_the_tree_alone():
    rng = np.random.default_rng(4)
    X, y = rng.integers(0, 2, (400, 40)).astype(float), rng.integers(0, 2, 400)

    def press(_):
        raise KeyboardInterrupt

    top = OptimalTreeClassifier(0.002, time_limit=None, progress=press)
    model = HybridTreeClassifier(top, random_state=0).fit(X, y)
    assert model.stop_reason_ is StopReason.INTERRUPT
    assert model.result_.stop_reason is StopReason.INTERRUPT
    assert np.array_equal(model.predict(X), model.top_.predict(X))


@pytest.mark.filterwarnings("ignore::treewright.errors.NoGainWarning")
def test_a_time_limit_that_is_long_enough_changes_nothing():
    X = np.random.default_rng(0).normal(size=(600, 3))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    top = DecisionTreeClassifier(max_depth=1, random_state=0)
    plain = HybridTreeClassifier(top, random_state=0).fit(X, y)
    timed = HybridTreeClassifier(top, random_state=0, time_limit=600.0).fit(X, y)
    assert timed.stop_reason_ is None
    assert any(own.model is not None for own in plain.extensions_.values())
    np.testing.assert_array_equal(plain.predict_proba(X), timed.predict_proba(X))
    assert {leaf: own.parameters for leaf, own in plain.extensions_.items()} == {
        leaf: own.parameters for leaf, own in timed.extensions_.items()
    }
    assert plain.cv_accuracy_ == timed.cv_accuracy_


def test_a_time_limit_ends_rounds():
    """Before any leaf is begun: the tree answers everywhere, and the fit says why."""
    X, y = noisy(0, 400, 3)
    with pytest.warns(ConvergenceWarning, match="time_limit=1e-06 ended the fit in"):
        model = HybridTreeClassifier(random_state=0, time_limit=1e-6).fit(X, y)
    assert model.stop_reason_ is StopReason.TIME_LIMIT
    assert model.cv_accuracy_ is None
    assert any(own.cut_short for own in model.extensions_.values())
    np.testing.assert_array_equal(model.predict(X), model.tree_.predict(X))


@pytest.mark.parametrize("kind", ["boosting", "xgboost"])
def test_rounds_end_when_the_next_would_be_late(kind, monkeypatch):
    """A clock on which each round takes a second: of 100 rounds in 10 seconds, 1, 2, 4 and 8 are made."""
    model = HistGradientBoostingClassifier(max_iter=100, random_state=0)
    if kind == "xgboost":
        model = pytest.importorskip("xgboost").XGBClassifier(n_estimators=100, random_state=0)
    now, spent = [0.0], []
    monkeypatch.setattr(_timed_fits.time, "monotonic", lambda: now[0])
    fit = _timed_fits.fit_weighted

    def counted(model, *rest):
        rounds = model.get_params()[_timed_fits.rounds_name(model)]
        spent.append(rounds)
        now[0] += rounds - (spent[-2] if kind == "boosting" and len(spent) > 1 else 0)
        return fit(model, *rest)

    monkeypatch.setattr(_timed_fits, "fit_weighted", counted)
    X, y = noisy(0, 400, 3)
    y = np.unique(y, return_inverse=True)[1]
    whole = _timed_fits.fit_in_time(model, X, y, None, _timed_fits.Clock(10.0))
    assert not whole
    assert spent == ([1, 2, 4, 8] if kind == "boosting" else [1, 2, 4])
    alone = clone(model).fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X), alone.predict_proba(X))
    now[0] = 0.0
    enough = clone(model).set_params(**{_timed_fits.rounds_name(model): 4})
    assert _timed_fits.fit_in_time(enough, X, y, None, _timed_fits.Clock(100.0))


def test_a_top_that_searches_gets_no_more_time():
    X, y = noisy(0, 400, 3)
    top = OptimalTreeClassifier(0.001, max_depth=2, time_limit=50.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = HybridTreeClassifier(top, random_state=0, time_limit=0.5).fit(X, y)
    assert model.top_.time_limit < 0.5
    assert top.time_limit == 50.0


def test_no_folds_are_made_when_the_time_is_over(monkeypatch):
    """Neither folds nor the inputs of the model, which take a pass over all rows each."""
    X, y = np.zeros((20, 2)), np.arange(20) % 2
    monkeypatch.setattr(StratifiedKFold, "split", lambda *_: pytest.fail("folds were made"))
    over = _timed_fits.Clock(0.0)
    assert choose_rounds(HistGradientBoostingClassifier(), X, y, None, clock=over) is None
    monkeypatch.setattr(_shared.Inputs, "of", lambda *_: pytest.fail("inputs were made"))
    tree = from_sklearn(DecisionTreeClassifier(max_depth=1).fit(X, y))
    asked = {"random_state": np.random.RandomState(0), "clock": over}
    assert _shared.cross_validate_alone(tree, X, y, None, HistGradientBoostingClassifier(), **asked) is None


def test_half_of_the_folds_are_no_cross_validation(monkeypatch):
    """A fold whose leaves were interrupted would count the answers of the tree as those of the hybrid."""
    X, y = noisy(0)
    top = from_sklearn(DecisionTreeClassifier(max_depth=1).fit(X, y))
    asked = []

    def interrupted_in_the_second(tree, *_, **__):
        asked.append(tree)
        is_over = len(asked) == 2
        leaves = np.flatnonzero(tree.is_leaf).tolist()
        return {
            leaf: Extension(leaf, Treatment.KEPT, 0, np.arange(2), interrupted=is_over) for leaf in leaves
        }

    monkeypatch.setattr(_held_out, "extend_leaves", interrupted_in_the_second)
    with pytest.raises(KeyboardInterrupt):
        held_out_answers(
            top, X, y, None, make_leaf_model(None), folds=3, random_state=np.random.RandomState(0)
        )
    assert len(asked) == 2


@pytest.mark.parametrize("tune", [None, "rounds"])
def test_ctrl_c_before_the_first_leaf_keeps_the_tree(tune, monkeypatch):
    def press(*_, **__):
        raise KeyboardInterrupt

    X, y = noisy(0)
    monkeypatch.setattr("treewright.estimators._hybrid.extend_leaves", press)
    model = HybridTreeClassifier(tune=tune, random_state=0).fit(X, y)
    assert model.stop_reason_ is StopReason.INTERRUPT
    assert all(own.interrupted for own in model.extensions_.values())
    assert np.array_equal(model.predict(X), model.top_.predict(X))
