"""OptimalTreeRegressorCV: what it chooses, from which figures, within which time."""

from __future__ import annotations

import pickle
import time
from functools import partial

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import mean_pinball_loss, mean_tweedie_deviance
from sklearn.model_selection import KFold

from treewright import OptimalTreeRegressor, OptimalTreeRegressorCV, SolveStatus, regression_frontier
from treewright.errors import InputError
from treewright.estimators._front_folds import held_out_losses
from treewright.problem import make_regression_problem
from treewright.table import table_from

QUICK = {"max_leaves": 5, "progress": False, "time_limit": None}


def noisy_steps(n_rows: int = 240, noise: float = 0.4, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """A target of three levels and noise; two columns more that say nothing."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 12, (n_rows, 4)).astype(float)
    level = np.where(X[:, 0] < 5, 0.0, np.where(X[:, 1] < 6, 1.0, 3.0))
    return X, level + noise * rng.normal(size=n_rows)


@pytest.mark.parametrize("choose", ["cost_complexity", "leaves"])
def test_it_finds_the_three_levels(choose: str) -> None:
    X, y = noisy_steps()
    model = OptimalTreeRegressorCV(choose, **QUICK).fit(X, y)
    assert model.get_n_leaves() == 3
    assert model.result_.status is SolveStatus.OPTIMAL
    assert model.tree_ is model.result_.tree
    assert model.frontier_.proven_leaves == 5
    assert pickle.loads(pickle.dumps(model)).predict(X) == pytest.approx(model.predict(X))
    assert model.score(X, y) == pytest.approx(1 - model.result_.loss)


@pytest.mark.parametrize("choose", ["cost_complexity", "leaves"])
@pytest.mark.parametrize("rule", ["one_se", "best"])
def test_scores_and_rule_by_hand(choose: str, rule: str) -> None:
    """Everything in cv_results_ once more, from fronts made fold by fold."""
    X, y = noisy_steps(120, 1.5, seed=3)
    weight = np.random.default_rng(0).integers(0, 4, 120).astype(float)
    cv = KFold(4, shuffle=True, random_state=1)
    model = OptimalTreeRegressorCV(choose, rule=rule, cv=cv, **QUICK).fit(X, y, weight)
    results = model.cv_results_
    candidates = results[f"param_{choose}"]
    mean = np.average(y, weights=weight)
    variance = np.average((y - mean) ** 2, weights=weight)
    scores = np.zeros((len(candidates), 4))
    for f, (train, test) in enumerate(cv.split(X)):
        front = regression_frontier(X[train], y[train], max_leaves=5, sample_weight=weight[train])
        for c, candidate in enumerate(candidates):
            point = front.at_most(int(candidate)) if choose == "leaves" else front.select(candidate)
            squares = (y[test] - point.tree.predict(X[test])) ** 2
            scores[c, f] = -np.average(squares, weights=weight[test]) / variance
    for f in range(4):
        assert results[f"split{f}_test_score"] == pytest.approx(scores[:, f], abs=1e-12)
    mean, error = scores.mean(axis=1), scores.std(axis=1, ddof=1) / 2
    best = int(mean.argmax())
    least = mean[best] - (error[best] if rule == "one_se" else 0)
    expected = next(c for c in range(len(mean)) if mean[c] >= least - 1e-12)
    assert model.best_index_ == expected
    assert model.get_n_leaves() == results["n_leaves"][expected]


def test_workers_change_nothing() -> None:
    X, y = noisy_steps(100)
    alone = OptimalTreeRegressorCV(**QUICK).fit(X, y)
    with parallel_config(backend="threading"):
        together = OptimalTreeRegressorCV(n_jobs=2, **QUICK).fit(X, y)
    for name, values in alone.cv_results_.items():
        np.testing.assert_array_equal(values, together.cv_results_[name])


@pytest.mark.clock
def test_the_time_limit_is_that_of_the_whole_fit() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3000, 10)), rng.normal(size=3000)
    begun = time.process_time()
    # A busy machine has no time for the last folds.
    with pytest.warns(
        ConvergenceWarning, match="of 6 searches reached a limit|The time is over: . of 5 folds"
    ):
        OptimalTreeRegressorCV(max_depth=5, max_leaves=12, time_limit=0.6, progress=False).fit(X, y)
    assert time.process_time() - begun < 2.0  # six searches of .6 s each would take 3.6


@pytest.mark.parametrize("unit", [1e-300, 1e300])
def test_losses_of_extreme_targets_are_shares(unit: float) -> None:
    X, y = noisy_steps(60)
    plain, scaled = (
        make_regression_problem(table_from(X), target, max_leaf_nodes=2) for target in (y, y * unit)
    )
    share = partial(held_out_losses, rows=np.arange(30))
    trees = [regression_frontier(X, target, max_leaves=2).at_most(2).tree for target in (y, y * unit)]
    assert share(scaled, tree=trees[1]) == pytest.approx(share(plain, tree=trees[0]))


def test_what_cannot_be_used_is_refused() -> None:
    X, y = noisy_steps(20)
    for wrong, words in (
        ({"choose": "depth"}, "choose='depth'"),
        ({"rule": "two_se"}, "rule='two_se'"),
        ({"max_leaves": 0}, "max_leaves=0"),
        ({"cv": 50}, "cv=50"),
        ({"search_options": 3}, "search_options=3"),
    ):
        with pytest.raises(InputError, match=words):
            OptimalTreeRegressorCV(**wrong).fit(X, y)


def test_it_keeps_the_targets_of_its_leaves() -> None:
    X, y = noisy_steps()
    model = OptimalTreeRegressorCV(**QUICK).fit(X, y)
    assert [row["rows"] for row in model.leaf_records()] == np.bincount(model.apply(X))[
        np.unique(model.apply(X))
    ].tolist()


def test_no_fold_is_begun_once_the_time_is_over() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 3)), rng.normal(size=200)
    with pytest.warns(ConvergenceWarning, match="The time is over: no fold was scored"):
        model = OptimalTreeRegressorCV(max_leaves=4, time_limit=1e-9, progress=False).fit(X, y)
    assert model.n_splits_ == 0
    assert np.isnan(model.cv_results_["mean_test_score"]).all()


def metric_of(criterion: str, quantile: float):
    if criterion in ("poisson", "gamma"):
        power = 1 if criterion == "poisson" else 2
        return partial(mean_tweedie_deviance, power=power)
    return partial(mean_pinball_loss, alpha=quantile if criterion == "quantile" else 0.5)


@pytest.mark.parametrize("criterion", ["poisson", "gamma", "absolute_error", "quantile"])
def test_scores_of_every_criterion_by_scikit_learns_metrics(criterion: str) -> None:
    X, y = noisy_steps(90, seed=2)
    y = np.exp(y)
    weight = np.random.default_rng(1).integers(1, 4, 90).astype(float)
    cv = KFold(3, shuffle=True, random_state=0)
    how = {"criterion": criterion, "quantile": 0.8, "max_depth": 2}
    model = OptimalTreeRegressorCV("leaves", cv=cv, max_leaves=4, progress=False, **how).fit(X, y, weight)
    assert model.result_.options["criterion"] == criterion
    metric = metric_of(criterion, 0.8)
    single = OptimalTreeRegressor(max_leaf_nodes=1, **how).fit(X, y, weight)
    one_leaf = metric(y, single.predict(X), sample_weight=weight)
    for f, (train, test) in enumerate(cv.split(X)):
        front = regression_frontier(X[train], y[train], max_leaves=4, sample_weight=weight[train], **how)
        for c, leaves in enumerate(model.cv_results_["param_leaves"]):
            said = front.at_most(int(leaves)).tree.predict(X[test])
            score = -metric(y[test], said, sample_weight=weight[test]) / one_leaf
            assert model.cv_results_[f"split{f}_test_score"][c] == pytest.approx(score)


def test_several_outputs_are_scored_together() -> None:
    X, y = noisy_steps(90, seed=2)
    both = np.column_stack([y, 10 * X[:, 2]])
    cv = KFold(3)
    model = OptimalTreeRegressorCV("leaves", cv=cv, max_depth=2, max_leaves=3, progress=False).fit(X, both)
    variance = both.var(axis=0).sum()
    for f, (train, test) in enumerate(cv.split(X)):
        front = regression_frontier(X[train], both[train], max_leaves=3, max_depth=2)
        for c, leaves in enumerate(model.cv_results_["param_leaves"]):
            apart = both[test] - front.at_most(int(leaves)).tree.predict(X[test])
            score = -(apart**2).sum(axis=1).mean() / variance
            assert model.cv_results_[f"split{f}_test_score"][c] == pytest.approx(score)


def test_an_infinite_deviance_is_never_chosen_over_a_finite_one() -> None:
    """With two leaves one of them has no count in training, and one held out."""
    X = np.array([[0.0]] * 20 + [[1.0]] * 20)
    y = np.array([0.0] * 19 + [1.0] + [3.0] * 20)
    cv = [(np.r_[0:19, 20:30], np.r_[19, 30:40])]
    model = OptimalTreeRegressorCV(
        "leaves", criterion="poisson", cv=cv, max_leaves=2, max_depth=1, rule="best", progress=False
    ).fit(X, y)
    assert model.cv_results_["mean_test_score"].tolist()[1] == -np.inf
    assert model.get_n_leaves() == 1
    zero = np.array([0.0] * 30 + [1.0] * 10)  # no tree of these rows has a count
    none = OptimalTreeRegressorCV(
        "leaves", criterion="poisson", cv=[(np.arange(30), np.arange(30, 40))] * 2, max_leaves=2, max_depth=1,
        progress=False,
    ).fit(X, zero)  # fmt: skip
    assert none.get_n_leaves() == 1
