"""Within a domain: the same decisions, fewer thresholds, the optimum of plain recursion over its rows alone."""

import itertools
from functools import cache

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier

from born_again_oracle import random_ensemble
from treewright import BornAgainTreeClassifier
from treewright.bornagain import Domain, Ensemble, find_other_decision, solve, solve_active
from treewright.errors import InputError
from treewright.tree import ThresholdSplit, Tree
from treewright.verify import check_faithful
from treewright.verify._born_again import verify_born_again

KINDS = [("hard", 2, False), ("hard", 3, True), ("soft", 3, False), ("score", 2, True), ("softmax", 3, True)]


def random_domain(ensemble, rng):
    """Ranges that cut off thresholds on both sides; some columns of whole numbers, some without limits."""
    low, high = np.full(ensemble.n_features, -np.inf), np.full(ensemble.n_features, np.inf)
    integer = rng.random(ensemble.n_features) < 0.5
    for f, planes in enumerate(ensemble.thresholds):
        first, last = (planes[0], planes[-1]) if len(planes) else (0.0, 1.0)
        if rng.random() < 0.8:
            low[f] = np.floor(rng.uniform(first - 1, last))
        if rng.random() < 0.8:
            high[f] = np.ceil(rng.uniform(max(first, low[f]), last + 1)) + 1
    return Domain(low, high, integer)


def values(ensemble, domain, f):
    """Values of a column inside a domain: one in every cell of the ensemble that has any, and missing."""
    planes = ensemble.thresholds[f]
    near = np.concatenate(
        [planes, np.floor(planes), np.nextafter(planes, np.inf), np.floor(planes) + 1, [0.0]]
    )
    ends = [e for e in (domain.low[f], domain.high[f]) if np.isfinite(e)]
    near = np.unique(np.concatenate([near, ends]))
    near = near[(near >= domain.low[f]) & (near <= domain.high[f])]
    if domain.integer[f]:
        near = near[near == np.round(near)]
    return [*near.tolist(), *([np.nan] if ensemble.missing[f] else [])]


def rows_of(ensemble, domain):
    return np.array(
        list(itertools.product(*(values(ensemble, domain, f) for f in range(ensemble.n_features))))
    )


@pytest.mark.parametrize(("vote", "n_classes", "missing"), KINDS)
@pytest.mark.parametrize("seed", range(6))
def test_decisions_stay_and_the_verifier_reads_the_trees_as_they_came(vote, n_classes, missing, seed):
    ensemble = random_ensemble(seed, vote=vote, n_classes=n_classes, missing=missing)
    domain = random_domain(ensemble, np.random.default_rng(seed))
    part, rows = ensemble.within(domain), rows_of(ensemble, domain)
    assert domain.contains(rows).all()
    np.testing.assert_array_equal(part.predict(rows), ensemble.predict(rows))
    np.testing.assert_array_equal(part.scores(rows), ensemble.scores(rows))
    result = solve(part, objective="leaves")
    np.testing.assert_array_equal(result.tree.predict(rows), ensemble.predict(rows))
    report = check_faithful(result.tree, part)
    assert report.faithful
    assert "of the domain" in report.sentence()
    assert any(text.startswith("The domain: ") for text in result.notes)
    verification = verify_born_again(part, result)
    assert verification.ok, verification
    assert result.tree.n_leaves <= solve(ensemble, objective="leaves").tree.n_leaves
    for leaf in np.flatnonzero(result.tree.is_leaf):  # every changed leaf is found, by a row of the domain
        changed = result.tree.prediction.copy()
        changed[leaf] = (changed[leaf] + 1) % n_classes
        wrong = check_faithful(with_predictions(result.tree, changed), part)
        assert not wrong.faithful
        assert domain.contains(wrong.counter_example[None, :]).all()
        assert wrong.ensemble_label == ensemble.predict(wrong.counter_example[None, :])[0]


def with_predictions(tree, prediction):
    return Tree(
        tree.columns, tree.classes, tree.splits, tree.children_left, tree.children_right, prediction,
        np.eye(len(tree.classes))[prediction], np.ones(tree.node_count, dtype=np.int64),
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(8))
def test_the_fewest_leaves_are_those_of_plain_recursion_over_whole_numbers(seed):
    """A grid of whole numbers, labelled by the ensemble as it came: every box, every cut."""
    ensemble = random_ensemble(seed, vote="hard", n_classes=3, missing=False)
    n = ensemble.n_features
    domain = Domain(np.full(n, -1.0), np.full(n, 4.0), np.ones(n, dtype=bool))
    label = {
        point: ensemble.predict(np.array([point], dtype=float))[0]
        for point in itertools.product(range(-1, 5), repeat=n)
    }

    @cache
    def fewest(low, high):
        inside = itertools.product(*(range(a, b + 1) for a, b in zip(low, high, strict=True)))
        if len({label[point] for point in inside}) == 1:
            return 1
        best = np.inf
        for f in range(n):
            for cut in range(low[f], high[f]):
                best = min(
                    best,
                    fewest(low, (*high[:f], cut, *high[f + 1 :]))
                    + fewest((*low[:f], cut + 1, *low[f + 1 :]), high),
                )
        return best

    result = solve(ensemble.within(domain), objective="leaves")
    assert result.tree.n_leaves == fewest((-1,) * n, (4,) * n) == result.lower_bound
    for split in result.tree.splits:
        assert split is None or (
            isinstance(split, ThresholdSplit) and split.threshold == round(split.threshold)
        )


def test_a_tree_that_is_wrong_outside_only_is_faithful_inside_only():
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:, :4].round()
    ensemble = Ensemble.from_model(RandomForestClassifier(4, max_depth=3, random_state=0).fit(X, y))
    domain = Domain.of(ensemble.feature_names, {"x0": (10, 16), "x1": (10, 30)}, integers=["x0", "x1"])
    part = ensemble.within(domain)
    result = solve(part)
    assert check_faithful(result.tree, part).faithful
    assert not check_faithful(result.tree, ensemble).faithful
    row = np.array([12.0, 20.0, 80.0, 500.0])
    other = find_other_decision(part, row, [-np.inf] * 4, [np.inf] * 4)
    assert domain.contains(other[None, :]).all()
    assert ensemble.predict(other[None, :]) != ensemble.predict(row[None, :])


def test_the_domain_of_rows():
    X = np.array([[1.0, 0.5, np.nan, 3.0], [4.0, 2.0, np.nan, np.nan], [2.0, -1.0, np.nan, np.inf]])
    domain = Domain.of_rows(X)
    assert domain.low.tolist() == [1.0, -1.0, -np.inf, 3.0]
    assert domain.high.tolist() == [4.0, 2.0, np.inf, np.inf]
    assert domain.integer.tolist() == [True, False, False, True]
    assert domain.contains(X).all()
    assert domain.words(["a", "b", "c", "d"]) == (
        "a from 1 to 4 (whole numbers), b from -1 to 2, d from 3 (whole numbers)"
    )
    for row in ([0.0, 0, 0, 3], [1.5, 0, 0, 3], [1, 2.5, 0, 3], [1, 0, 0, 3.5]):
        assert not domain.contains([row])[0]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Domain([0.0], [1.0, 2.0], [False]), "one entry per column"),
        (lambda: Domain([2.0], [1.0], [False]), "goes from 2.0 to 1.0"),
        (lambda: Domain([0.2], [0.8], [True]), "with a whole number between"),
        (lambda: Domain([np.nan], [0.8], [False]), "there is no value"),
        (lambda: Domain.of(["a"], {"b": (0, 1)}), "the column 'b'. There are: a"),
        (lambda: Domain.of_rows(np.empty((0, 2))), "must have rows"),
    ],
)
def test_domains_that_are_none(make, message):
    with pytest.raises(InputError, match=message):
        make()


def test_rows_outside_are_refused_by_the_ensemble_and_answered_by_the_estimator():
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:, :5].round(1)
    X[:, 2] = X[:, 2].round()
    model = BornAgainTreeClassifier(domain="rows", random_state=0).fit(X[:400], y[:400])
    new = X[400:]
    inside = model.domain_.contains(new)
    assert inside.any()
    assert not inside.all()
    np.testing.assert_array_equal(model.predict(X[:400]), model.estimator_.predict(X[:400]))
    np.testing.assert_array_equal(model.predict(new[inside]), model.estimator_.predict(new[inside]))
    assert len(model.predict(new)) == len(new)
    assert model.agreement(new).n_rows == len(new)
    assert check_faithful(model.tree_, model.ensemble_).faithful
    with pytest.raises(InputError, match=r"of 169 rows are outside the domain: column 'x\d' has"):
        model.ensemble_.predict(new)
    plain = BornAgainTreeClassifier(random_state=0).fit(X[:400], y[:400])
    assert model.tree_.n_leaves <= plain.tree_.n_leaves
    active = BornAgainTreeClassifier(domain="rows", prune="active", random_state=0).fit(X[:400], y[:400])
    np.testing.assert_array_equal(active.predict(X[:400]), active.estimator_.predict(X[:400]))
    assert solve_active(model.ensemble_, X[:400]).notes[-1].startswith("The domain: x0 from")


def test_domains_that_cannot_be_used():
    ensemble = random_ensemble(0, vote="hard", n_classes=2, missing=False)
    domain = Domain.of(ensemble.feature_names)
    with pytest.raises(InputError, match="has a domain already"):
        ensemble.within(domain).within(domain)
    with pytest.raises(InputError, match="The domain has 1 columns"):
        ensemble.within(Domain([0.0], [1.0], [False]))
    X, y = np.arange(8.0)[:, None], np.arange(8) % 2
    with pytest.raises(InputError, match="domain='columns'; give \"rows\""):
        BornAgainTreeClassifier(domain="columns").fit(X, y)
    with pytest.raises(InputError, match='is for faithful="everywhere"'):
        BornAgainTreeClassifier(domain="rows", faithful="rows").fit(X, y)
    fitted = RandomForestClassifier(2, random_state=0).fit(X, y)
    with pytest.raises(InputError, match='domain="rows" needs training rows'):
        BornAgainTreeClassifier.from_fitted(fitted, domain="rows")


@pytest.mark.parametrize(
    ("ranges", "more", "message"),
    [
        ({"a": 3}, {}, "The range of 'a' is 3; give two numbers"),
        ({"a": (0, 1, 2)}, {}, "The range of 'a'"),
        ({"a": (None, 2)}, {}, "The range of 'a'"),
        ({"a": ("x", 2)}, {}, "The range of 'a'"),
        ({}, {"integers": "a"}, "integers='a'; give a list of names"),
        ({}, {"integers": [0]}, "names the column 0"),
        ({}, {"one_hot": ["a", "b"]}, "one_hot=.* give a list of lists"),
        ({}, {"at_most_one": "ab"}, "at_most_one='ab'; give a list of lists"),
        ({"d": (0, 1)}, {}, "Several columns have the name 'd'"),
    ],
)
def test_wrong_arguments_of_named_columns(ranges, more, message):
    with pytest.raises(InputError, match=message):
        Domain.of(["a", "b", "d", "d"], ranges, **more)


@pytest.mark.parametrize(
    ("ends", "more", "message"),
    [
        (([0, 0], [1, 1], [0.5, 1]), {}, "integer=.* give True or False"),
        (([0, 0], [1, 1], ["yes", "no"]), {}, "integer=.* give True or False"),
        ((["x", 0], [1, 1], [True, True]), {}, "low=.* give an array of numbers"),
        (([0, 0], [1, 1], [True, True]), {"one_hot": [(0, 1.5)]}, "one_hot=.* positions of columns"),
        (([0, 0], [1, 1], [True, True]), {"at_most_one": (0, 1)}, "at_most_one=.* positions of columns"),
    ],
)
def test_wrong_arguments_of_a_domain(ends, more, message):
    with pytest.raises(InputError, match=message):
        Domain(*ends, **more)


def test_rows_of_words_are_refused():
    with pytest.raises(InputError, match="give an array of numbers"):
        Domain.of(["a"]).contains([["x"]])
    with pytest.raises(InputError, match="give an array of numbers"):
        Domain.of_rows([["x"]])


def test_an_ensemble_that_comes_with_a_domain():
    X = np.random.default_rng(0).integers(0, 5, (40, 2)).astype(float)
    ensemble = random_ensemble(3, n_features=2).within(Domain.of_rows(X))
    fitted = BornAgainTreeClassifier.from_fitted(ensemble)
    assert fitted.domain_ is ensemble.domain
    assert fitted.domain_.contains(X).all()
