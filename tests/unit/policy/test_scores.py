"""Scores of actions from observed data: their formulas, what they recover, and what is refused."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression

from treewright import OptimalPolicyTree
from treewright.errors import InputError, InputTypeError, OverlapWarning
from treewright.policy import doubly_robust_scores

LINEAR = {"propensity_model": LogisticRegression(), "outcome_model": LinearRegression()}


def observed(n=2000, seed=0):
    """Actions are taken more often where they help, so plain means are wrong."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    chance = 1 / (1 + np.exp(-X[:, 0]))
    action = (rng.random(n) < chance).astype(int)
    truth = np.column_stack([X[:, 0], 2 * X[:, 0] + X[:, 1]])
    return X, action, truth[np.arange(n), action] + rng.normal(size=n) / 2, truth, chance


@pytest.mark.parametrize("method", ["doubly robust", "direct", "ipw"])
def test_means_are_recovered(method):
    X, action, outcome, truth, _ = observed()
    scores = doubly_robust_scores(X, action, outcome, method=method, **LINEAR)
    near = 0.15 if method == "ipw" else 0.08
    assert scores.rewards.mean(axis=0) == pytest.approx(truth.mean(axis=0), abs=near)
    naive = [outcome[action == a].mean() for a in (0, 1)]
    assert np.abs(np.array(naive) - truth.mean(axis=0)).max() > 0.3  # what the scores are for


@pytest.mark.parametrize("wrong", ["propensity_model", "outcome_model"])
def test_one_wrong_model_does_no_harm(wrong):
    X, action, outcome, truth, _ = observed(20000)
    models = LINEAR | {wrong: DummyClassifier() if wrong.startswith("p") else DummyRegressor()}
    scores = doubly_robust_scores(X, action, outcome, **models)
    assert scores.rewards.mean(axis=0) == pytest.approx(truth.mean(axis=0), abs=0.08)


def test_forests_as_models():
    """They have no truth value before they are fitted: ``model or default`` asks for one."""
    X, action, outcome, truth, _ = observed(1000)
    scores = doubly_robust_scores(
        X,
        action,
        outcome,
        propensity_model=RandomForestClassifier(20, min_samples_leaf=20, random_state=0),
        outcome_model=RandomForestRegressor(20, min_samples_leaf=20, random_state=0),
    )
    assert scores.rewards.mean(axis=0) == pytest.approx(truth.mean(axis=0), abs=0.2)


def test_the_formulas():
    X, action, outcome, _, chance = observed(60)
    known = np.column_stack([1 - chance, chance])
    rows = np.arange(60)
    ipw = doubly_robust_scores(X, action, outcome, method="ipw", propensities=known, cv=2)
    assert ipw.outcomes is None
    expected = np.zeros((60, 2))
    expected[rows, action] = outcome / known[rows, action]
    np.testing.assert_allclose(ipw.rewards, expected, rtol=1e-14)
    direct = doubly_robust_scores(X, action, outcome, method="direct", outcome_model=LinearRegression(), cv=2)
    both = doubly_robust_scores(
        X, action, outcome, propensities=known, outcome_model=LinearRegression(), cv=2
    )
    assert direct.propensities is None
    np.testing.assert_array_equal(both.outcomes, direct.rewards)
    expected = direct.rewards.copy()
    expected[rows, action] += (outcome - direct.rewards[rows, action]) / known[rows, action]
    np.testing.assert_allclose(both.rewards, expected, rtol=1e-14)


def test_every_row_is_scored_by_models_that_have_not_seen_it():
    X, action, outcome, _, _ = observed(200)
    moved = outcome.copy()
    moved[7] += 1e6
    a, b = (
        doubly_robust_scores(X, action, y, method="direct", outcome_model=LinearRegression())
        for y in (outcome, moved)
    )
    np.testing.assert_array_equal(a.rewards[7], b.rewards[7])
    assert (a.rewards != b.rewards).any()


def test_clipping_is_told():
    X, action, outcome, _, _ = observed(300)
    known = np.where(action == 1, 0.001, 0.999)[:, None] * np.array([-1, 1]) + np.array([1, 0])
    with pytest.warns(OverlapWarning, match="of 300 rows had an action of propensity below 0.05"):
        scores = doubly_robust_scores(X, action, outcome, method="ipw", propensities=known, clip=0.05)
    assert scores.n_clipped == 300
    assert scores.propensities.min() == 0.05
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        doubly_robust_scores(X, action, outcome, method="ipw", propensities=[0.5, 0.5])


def test_text_and_missing_values_with_the_default_models():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.normal(size=200), "colour": rng.choice(["red", "blue"], 200)})
    X.loc[::7, "x"] = np.nan
    action = rng.choice(["drug", "none"], 200)
    outcome = np.where(action == "drug", np.where(X["colour"] == "red", 1.0, -1.0), 0.0)
    scores = doubly_robust_scores(X, action, outcome)
    model = OptimalPolicyTree(actions=scores.actions, max_depth=1).fit(X, scores.rewards)
    assert model.predict(X).tolist() == ["drug" if colour == "red" else "none" for colour in X["colour"]]


@pytest.mark.filterwarnings("ignore::treewright.errors.OverlapWarning")
@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"action": np.zeros(40)}, "one label only"),
        ({"action": np.zeros(39)}, r"shape \(39,\)"),
        ({"action": np.array([0.0] * 39 + [np.nan])}, "NaN"),
        ({"action": np.array([0] * 38 + [1] * 2)}, "action 1 has 2 rows, fewer than the 5 folds"),
        ({"outcome": np.zeros(39)}, "outcome has shape"),
        ({"outcome": np.full(40, np.inf)}, "NaN or infinity"),
        ({"outcome": np.array(["a"] * 40)}, "not numbers"),
        ({"method": "dr"}, "doubly robust"),
        ({"clip": 0.7}, "clip"),
        ({"cv": 1}, "cv"),
        ({"propensities": [0.5, 0.4]}, "sum to 1"),
        ({"propensities": [0.5]}, "propensities has shape"),
        ({"propensities": [0.0, 1.0], "clip": 0.0, "method": "ipw"}, "propensity 0"),
    ],
)
def test_bad_input(changed, said):
    given = {"action": np.arange(40) % 2, "outcome": np.zeros(40), **changed}
    with pytest.raises(InputError, match=said):
        doubly_robust_scores(np.arange(40.0)[:, None], **given)


class Unknowing(DummyClassifier):
    """Has no probability for some rows."""

    def predict_proba(self, X):
        return np.where(X[:, :1] > 0, super().predict_proba(X), np.nan)


class Infinite(DummyRegressor):
    """Predicts infinity for some rows."""

    def predict(self, X):
        return np.where(X[:, 0] > 0, super().predict(X), np.inf)


@pytest.mark.parametrize("model", [{"propensity_model": Unknowing()}, {"outcome_model": Infinite()}])
def test_models_that_predict_no_number_are_named(model):
    X, action, outcome, _, _ = observed(60)
    (name,) = model
    with pytest.raises(InputError, match=f"{name} predicts NaN or infinity for row"):
        doubly_robust_scores(X, action, outcome, **LINEAR | model)


def test_scores_too_large_for_float64_are_refused():
    X, action, outcome, _, _ = observed(60)
    outcome[7] = 1.7e308
    with pytest.raises(InputError, match=r"scores of row 7 .* too large for float64"):
        doubly_robust_scores(X, action, outcome, method="ipw", propensities=[0.5, 0.5])


@pytest.mark.parametrize("model", [3, LogisticRegression, LinearRegression()])
def test_what_is_no_model_of_propensities_is_named(model):
    X, action, outcome, _, _ = observed(60)
    with pytest.raises(InputTypeError, match=r"propensity_model=.*; give a scikit-learn classifier"):
        doubly_robust_scores(X, action, outcome, propensity_model=model)
