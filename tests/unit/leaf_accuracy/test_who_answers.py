"""Who answers in a leaf, by hand: the tree made again on folds, doubt by all rows, settings of the shared model."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from treewright import HybridTreeClassifier, LeafAccuracyTreeClassifier
from treewright.convert import from_sklearn
from treewright.leaf_accuracy import Treatment, _hybrid, _rounds, _timed_fits
from treewright.leaf_accuracy._hybrid import extend_leaves
from treewright.leaf_accuracy._rounds import choose_rounds
from treewright.leaf_accuracy._shared import (
    FEW_SPLITS,
    MANY_SPLITS,
    Shared,
    cross_validate_alone,
    leaves_over_all,
)
from treewright.leaf_accuracy._timed_fits import Clock
from treewright.leaf_accuracy._tree_again import right_when_held_out

pytestmark = pytest.mark.filterwarnings("ignore::treewright.errors.NoGainWarning")


def rows(seed, n_rows=600, noise=0.2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3))
    y = (X[:, 0] + X[:, 1] * X[:, 2] > 0).astype(int)
    return X, np.where(rng.random(n_rows) < noise, rng.integers(2, size=n_rows), y)


def clearly(one, other, weight):
    apart = one.astype(float) - other
    mean = np.average(apart, weights=weight)
    return mean > np.sqrt((weight**2 * (apart - mean) ** 2).sum()) / weight.sum()


@pytest.mark.parametrize("weighted", [False, True])
def test_a_tree_is_right_on_rows_that_it_has_not_seen(weighted):
    X, y = rows(0)
    weight = np.random.default_rng(1).uniform(0.5, 2, len(y)) if weighted else None
    model = DecisionTreeClassifier(max_depth=3, random_state=0)
    found = right_when_held_out(model, X, y, weight, n_folds=3, seed=5, clock=Clock(), seconds_each=1e9)
    for train, held in StratifiedKFold(3, shuffle=True, random_state=5).split(X, y):
        twin = clone(model).fit(X[train], y[train], None if weight is None else weight[train])
        np.testing.assert_array_equal(found[held], twin.predict(X[held]) == y[held])


def test_a_tree_is_not_made_again_where_the_time_is_too_short():
    X, y = rows(0)
    model = DecisionTreeClassifier(max_depth=3)
    options = {"n_folds": 3, "seed": 0, "seconds_each": 10.0}
    assert right_when_held_out(model, X, y, None, clock=Clock.of(30.0), **options) is None
    assert right_when_held_out(model, X, y, None, clock=Clock.of(600.0), **options) is not None
    assert right_when_held_out(model, X[:2], y[:2], None, clock=Clock(), **options) is None


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("lean", [-0.08, 0.0, 0.08])
def test_doubt_goes_to_the_better_of_all_rows(seed, lean):
    """The answers on held-out rows are made up, so that they say who is better, and where."""
    X, y = rows(seed)
    tree = from_sklearn(DecisionTreeClassifier(max_depth=3, min_samples_leaf=30, random_state=0).fit(X, y))
    rng = np.random.default_rng(seed)
    weight = rng.uniform(0.5, 2, len(y))
    by_tree, by_model = rng.random(len(y)) < 0.7, rng.random(len(y)) < 0.7 + lean
    # A model without rounds that says nothing: it is nowhere clearly better than the leaf's label.
    nothing = HistGradientBoostingClassifier(max_iter=1, min_samples_leaf=10_000, random_state=0)
    rounds = choose_rounds(nothing, X, y, weight)
    shared = Shared(type(rounds)(1, "max_iter", by_model, 0.7, 1.0), np.array([0, 1]), nothing.fit(X, y))
    found = extend_leaves(
        tree, X, y, weight, nothing, tuning=HybridTreeClassifier()._tuning(Clock()),
        random_state=np.random.RandomState(0), shared=shared, by_tree=by_tree,
    )  # fmt: skip
    leaf = tree.apply(X)
    ahead = clearly(by_model, by_tree, weight)
    for node, own in found.items():
        here = leaf == node
        parts = by_tree[here], by_model[here]
        model = not clearly(*parts, weight[here]) if ahead else clearly(*parts[::-1], weight[here])
        assert own.treatment is (Treatment.SHARED if model else Treatment.KEPT)
        assert own.cv_accuracy == pytest.approx(np.average(parts[int(model)], weights=weight[here]))
    if lean > 0:
        assert Treatment.SHARED in [own.treatment for own in found.values()]


@pytest.mark.parametrize("seed", range(3))
def test_an_own_model_is_clearly_better_than_tree_label_and_shared_model(seed):
    X, y = rows(seed, noise=0.3)
    small = HistGradientBoostingClassifier(max_iter=8)
    model = HybridTreeClassifier(
        DecisionTreeClassifier(max_depth=2, random_state=0), leaf_estimator=small, random_state=seed
    ).fit(X, y)
    leaf = model.tree_.apply(X)
    for node, own in model.extensions_.items():
        if own.treatment is Treatment.MODEL:
            assert own.cv_accuracy > np.mean(model.tree_.prediction[node] == y[leaf == node])


def test_a_tree_made_here_is_judged_on_rows_that_it_has_not_seen():
    """Labels are noise: the training rows flatter a deep tree, and the figures of the fit do not."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(600, 5)), rng.integers(0, 2, 600)
    top = DecisionTreeClassifier(max_depth=6, random_state=0)
    here = HybridTreeClassifier(
        top, leaf_estimator=HistGradientBoostingClassifier(max_iter=3), random_state=0
    )
    assert here.fit(X, y).cv_accuracy_["tree"] < 0.56
    given = clone(here).set_params(top=here.tree_).fit(X, y)  # made elsewhere: nothing is known of how
    assert given.cv_accuracy_["tree"] == pytest.approx(np.mean(here.tree_.predict(X) == y))
    assert given.cv_accuracy_["tree"] > 0.6


def test_a_search_on_top_is_not_made_again(monkeypatch):
    X, y = rows(1, 200)
    fits = []
    fit = LeafAccuracyTreeClassifier.fit
    monkeypatch.setattr(
        LeafAccuracyTreeClassifier,
        "fit",
        lambda self, *given: fits.append(len(given[1])) or fit(self, *given),
    )
    HybridTreeClassifier(LeafAccuracyTreeClassifier(max_depth=1), random_state=0).fit(X, y)
    assert fits == [200]


@pytest.mark.filterwarnings("ignore::treewright.errors.NoGainWarning")
@pytest.mark.parametrize("given", [None, HistGradientBoostingClassifier()])
def test_settings_are_tried_of_the_default_only_and_told(given):
    """The labels ask for few splits; who gives a model gets that one, and both say what was chosen."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 6))
    y = (X.sum(axis=1) + 1.8 * rng.normal(size=900) > 0).astype(int)
    top = DecisionTreeClassifier(max_depth=2, random_state=0)
    found = HybridTreeClassifier(top, leaf_estimator=given, random_state=0).fit(X, y)
    shared = [own for own in found.extensions_.values() if own.treatment is Treatment.SHARED]
    assert shared
    for own in shared:
        assert own.model.max_depth == (3 if given is None else None)
        settings = FEW_SPLITS if given is None else {}
        assert own.parameters == {**settings, "max_iter": own.model.max_iter}


@pytest.mark.parametrize("noise", [0.0, 0.6])
def test_the_shared_model_has_the_settings_of_least_loss(noise):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 6))
    y = (X.sum(axis=1) + 3 * noise * rng.normal(size=900) > 0).astype(int)  # a sum needs no deep trees
    if not noise:
        X = rng.uniform(size=(900, 1))
        y = (X[:, 0] * 100).astype(int) % 2  # stripes need many thresholds
    tree = from_sklearn(DecisionTreeClassifier(max_depth=2).fit(X, y))
    found = cross_validate_alone(
        tree, X, y, None, HistGradientBoostingClassifier(), random_state=np.random.RandomState(7),
        try_until=Clock(),
    )  # fmt: skip
    seed = int(np.random.RandomState(7).randint(2**31 - 1))
    tried = {}
    for name, settings in (("usual", {}), ("few", FEW_SPLITS), ("many", MANY_SPLITS)):
        model = HistGradientBoostingClassifier(random_state=seed, **settings)
        tried[name] = choose_rounds(model, X, y, None, seed=seed)
    allowed = ["usual", "few", *(["many"] if tried["usual"].number > 50 else [])]
    best = min(allowed, key=lambda name: tried[name].loss)
    assert found.rounds.loss == tried[best].loss
    assert found.model.max_iter == tried[best].number
    assert found.settings == {"usual": {}, "few": FEW_SPLITS, "many": MANY_SPLITS}[best]
    assert best == ("few" if noise else "many")


@pytest.mark.filterwarnings("ignore::treewright.errors.NoGainWarning")
@pytest.mark.parametrize(("limit", "tried"), [(10.0, 1), (25.0, 2)])
def test_settings_are_left_out_where_the_leaves_need_their_time(limit, tried, monkeypatch):
    """On a clock of which three folds take 3 seconds: the fit of the model takes 1, the leaves as long as all."""
    X, y = rows(3)
    now, calls = [0.0], []
    monkeypatch.setattr(_timed_fits.time, "monotonic", lambda: now[0])

    def slow(model, *given, **options):
        calls.append((model.max_depth, options["clock"].left()))
        now[0] += 3.0
        return choose_rounds(model, *given, **options)

    monkeypatch.setattr("treewright.leaf_accuracy._shared.choose_rounds", slow)
    tree = from_sklearn(DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y))
    assert 0.5 < leaves_over_all(tree, X, y) < 1.5
    found = HybridTreeClassifier(tree, random_state=0, time_limit=limit).fit(X, y)
    assert [depth for depth, _ in calls] == [None, 3][:tried]
    assert calls[0][1] == pytest.approx(limit * 3 / 8)
    assert found.stop_reason_ is None  # nothing that a leaf needs was left out
    assert found.cv_accuracy_ is not None
    assert not any(own.cut_short for own in found.extensions_.values())


def test_a_setting_that_takes_longer_than_thought_is_dropped(monkeypatch):
    X, y = rows(3)
    tree = from_sklearn(DecisionTreeClassifier(max_depth=2).fit(X, y))
    calls = []

    def limited(model, *given, **options):
        calls.append(model.max_depth)
        return choose_rounds(model, *given, **options) if len(calls) == 1 else None

    monkeypatch.setattr("treewright.leaf_accuracy._shared.choose_rounds", limited)
    found = cross_validate_alone(
        tree, X, y, None, HistGradientBoostingClassifier(), random_state=np.random.RandomState(0),
        try_until=Clock.of(1000.0),
    )  # fmt: skip
    assert calls[:2] == [None, 3]
    assert found.model.max_depth is None
    assert not found.settings


@pytest.mark.parametrize("only_whole", [True, False])
def test_folds_end_with_the_first_that_is_not_whole(only_whole, monkeypatch):
    """What is not whole is of no use to the model of all rows, and the leaves need the time."""
    X, y = rows(3)
    fits = []

    def in_part(model, X, y, *_):
        fits.append(model.fit(X, y))
        return False

    monkeypatch.setattr(_rounds, "fit_in_time", in_part)
    found = choose_rounds(
        HistGradientBoostingClassifier(max_iter=2), X, y, None, clock=Clock.of(1000.0), only_whole=only_whole
    )
    assert len(fits) == (1 if only_whole else 3)
    assert (found is None) is only_whole


def test_leaves_share_the_time_by_what_their_fits_should_take(monkeypatch):
    """A leaf of 1,000 rows takes nearly as long as one of 4,000: trees of the same size are made of both."""
    X = np.arange(5000.0)[:, None]
    y = np.arange(5000) % 2
    tree = from_sklearn(DecisionTreeClassifier(max_leaf_nodes=2).fit(X, np.arange(5000) >= 1000))
    parts = []

    def extend(leaf, treatment, prediction, inputs, labels, *rest):
        parts.append((len(labels), rest[7]))
        return _hybrid.Extension(leaf, Treatment.KEPT, len(labels), np.unique(labels))

    monkeypatch.setattr(_hybrid, "_extend", extend)
    extend_leaves(tree, X, y, None, HistGradientBoostingClassifier(), random_state=np.random.RandomState(0))
    assert [n_rows for n_rows, _ in parts] == [1000, 4000]
    assert parts[0][1] == pytest.approx(1.05 / (1.05 + 1.2))
    assert parts[1][1] == 1.0


def test_a_notebook_says_in_how_many_leaves_a_model_answers():
    X, y = rows(0)
    deeper = DecisionTreeClassifier(max_depth=4, random_state=0)
    model = HybridTreeClassifier(DecisionTreeClassifier(max_depth=2), leaf_estimator=deeper, tune=None).fit(
        X, y
    )
    own = sum(extension.model is not None for extension in model.extensions_.values())
    assert own > 0
    n_leaves = model.tree_.n_leaves
    where = f"In {own} of its {n_leaves} leaves a model answers, and can decide otherwise than the tree."
    assert where in model._repr_html_()
    for extension in list(model.extensions_):
        model.extensions_[extension] = replace(model.extensions_[extension], model=None)
    assert "In all leaves the tree answers itself." in model._repr_html_()
