"""OptimalTreeClassifierCV: what it chooses, from which figures, and that it tells what it did."""

import math
import pickle
import warnings
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold, StratifiedKFold

from treewright import LeafAccuracyTreeClassifierCV, OptimalTreeClassifierCV, SolveStatus, accuracy_frontier
from treewright.errors import InputError
from treewright.estimators import CVProgress, _optimal_tree_cv
from treewright.estimators._front_folds import FoldFront, fold_of
from treewright.problem import make_problem
from treewright.search import Frontier, Limits
from treewright.table import table_from

QUICK = {"max_leaves": 5, "thresholds": 4, "progress": False, "time_limit": None}


def noisy_rule(n_rows: int = 240, noise: float = 0.15, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Labels of a tree of three leaves, some of them flipped; five columns more that say nothing."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (n_rows, 7)).astype(float)
    y = ((X[:, 0] > 0) & (X[:, 1] > 0)).astype(int)
    return X, np.where(rng.random(n_rows) < noise, 1 - y, y)


@pytest.mark.parametrize("choose", ["cost_complexity", "leaves"])
def test_it_finds_the_size_of_a_noisy_rule(choose: str) -> None:
    X, y = noisy_rule()
    model = OptimalTreeClassifierCV(choose, **{**QUICK, "max_leaves": 8}).fit(X, y)
    assert model.get_n_leaves() == 3
    assert {int(column) for column in model.tree_.feature if column >= 0} == {0, 1}
    assert model.result_.status is SolveStatus.OPTIMAL
    assert model.tree_ is model.result_.tree
    assert model.n_splits_ == 5


@pytest.mark.parametrize("choose", ["cost_complexity", "leaves"])
@pytest.mark.parametrize("rule", ["one_se", "best"])
def test_scores_and_rule_by_hand(choose: str, rule: str) -> None:
    """Everything in cv_results_ once more, from fronts made fold by fold."""
    X, y = noisy_rule(150, 0.25, seed=3)
    weight = np.random.default_rng(0).integers(1, 4, 150).astype(float)
    costs = [[0, 1], [2, 0]]
    cv = StratifiedKFold(4, shuffle=True, random_state=1)
    model = OptimalTreeClassifierCV(choose, rule=rule, cv=cv, costs=costs, **QUICK).fit(X, y, weight)
    whole = accuracy_frontier(X, y, max_leaves=5, sample_weight=weight, costs=costs, thresholds=4)
    assert [p.loss for p in whole] == [p.loss for p in model.frontier_]
    results = model.cv_results_
    candidates = results[f"param_{choose}"]
    scores = np.zeros((len(candidates), 4))
    for f, (train, test) in enumerate(cv.split(X, y)):
        front = accuracy_frontier(
            X[train], y[train], max_leaves=5, sample_weight=weight[train], costs=costs, thresholds=4
        )
        for c, candidate in enumerate(candidates):
            point = front.at_most(int(candidate)) if choose == "leaves" else front.select(candidate)
            answer = point.tree.predict(X[test])
            paid = weight[test] * np.array(costs)[y[test], answer]
            scores[c, f] = -paid.sum() / weight[test].sum()
    for f in range(4):
        assert results[f"split{f}_test_score"] == pytest.approx(scores[:, f], abs=1e-12)
    mean, error = scores.mean(axis=1), scores.std(axis=1, ddof=1) / 2
    assert results["mean_test_score"] == pytest.approx(mean)
    assert results["standard_error"] == pytest.approx(error)
    assert results["std_test_score"] == pytest.approx(scores.std(axis=1))
    best = int(mean.argmax())
    least = mean[best] - (error[best] if rule == "one_se" else 0)
    expected = next(c for c in range(len(mean)) if mean[c] >= least - 1e-12)
    assert model.best_index_ == expected
    assert model.get_n_leaves() == results["n_leaves"][expected]
    assert results["rank_test_score"][best] == 1
    assert list(results["n_leaves"]) == sorted(results["n_leaves"])


def test_one_standard_error_is_never_larger_than_best() -> None:
    for seed in range(5):
        X, y = noisy_rule(120, 0.3, seed)
        sizes = [
            OptimalTreeClassifierCV(rule=rule, **QUICK).fit(X, y).get_n_leaves()
            for rule in ("one_se", "best")
        ]
        assert sizes[0] <= sizes[1]


def test_the_chosen_price_selects_the_tree() -> None:
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = OptimalTreeClassifierCV("cost_complexity", **QUICK).fit(X, y)
    assert model.frontier_.select(model.cost_complexity_).tree.n_leaves == model.get_n_leaves()
    assert model.result_.options["cost_complexity"] == model.cost_complexity_
    by_leaves = OptimalTreeClassifierCV("leaves", **QUICK).fit(X, y)
    if not math.isnan(by_leaves.cost_complexity_):
        assert (
            by_leaves.frontier_.select(by_leaves.cost_complexity_).tree.n_leaves == by_leaves.get_n_leaves()
        )
    assert list(model.feature_names_in_) == list(X.columns)
    assert model.score(X, y) == pytest.approx(1 - model.result_.loss)


def test_workers_change_nothing() -> None:
    X, y = noisy_rule()
    alone = OptimalTreeClassifierCV(**QUICK).fit(X, y)
    with parallel_config(backend="threading"):
        together = OptimalTreeClassifierCV(n_jobs=2, **QUICK).fit(X, y)
    for name, values in alone.cv_results_.items():
        np.testing.assert_array_equal(values, together.cv_results_[name])
    assert alone.tree_.splits == together.tree_.splits


def test_a_callback_that_stops_is_told_how_many_folds_chose() -> None:
    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 4, (90, 3)), rng.integers(0, 2, 90)
    with pytest.warns(
        ConvergenceWarning, match=r"^Stopped by the progress callback: 1 of 3 folds chose the tree"
    ):
        model = OptimalTreeClassifierCV(**{**QUICK, "progress": lambda state: state.done == 1}, cv=3).fit(
            X, y
        )
    assert model.n_splits_ == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        whole = OptimalTreeClassifierCV(**{**QUICK, "progress": lambda state: state.done == 3}, cv=3).fit(
            X, y
        )
    assert whole.n_splits_ == 3


def test_rounded_numbers_are_no_limit() -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (60, 3))
    y = np.where(rng.random(60) < 0.85, X[:, 0] > 0, rng.integers(0, 2, 60)).astype(int)
    weight = np.where(y == (X[:, 0] > 0), 1.0, 10.0 ** rng.uniform(-16, -13, 60))
    with pytest.warns(ConvergenceWarning, match="because numbers were rounded; .* fewer digits of them"):
        model = OptimalTreeClassifierCV(max_leaves=4, cv=3, time_limit=None, progress=False).fit(
            X, y, sample_weight=weight
        )
    assert model.frontier_.stop_reason is None


def test_progress_tells_of_each_fold() -> None:
    X, y = noisy_rule()
    seen: list[CVProgress] = []
    OptimalTreeClassifierCV(**{**QUICK, "progress": seen.append}, cv=3).fit(X, y)
    assert [(state.done, state.total) for state in seen] == [(1, 3), (2, 3), (3, 3)]
    assert all(a.seconds <= b.seconds for a, b in pairwise(seen))


def test_labels_that_a_fold_lacks() -> None:
    """A class of two rows is absent from some training rows; costs stay those of all classes."""
    X, y = noisy_rule()
    labels = np.array(["no", "yes", "rare"])[y]
    labels[:2] = "rare"
    costs = [[0, 1, 1], [5, 0, 5], [1, 1, 0]]
    model = OptimalTreeClassifierCV(cv=KFold(4), costs=costs, **QUICK).fit(X, labels)
    assert list(model.classes_) == ["no", "rare", "yes"]
    assert np.isfinite(model.cv_results_["mean_test_score"]).all()


def test_one_class_and_a_single_candidate() -> None:
    model = OptimalTreeClassifierCV(**QUICK).fit(np.arange(20.0)[:, None], np.zeros(20, int))
    assert model.get_n_leaves() == 1
    assert len(model.cv_results_["mean_test_score"]) == 1


def test_a_limit_warns_and_still_chooses() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.random((300, 8)), rng.integers(0, 2, 300)
    with pytest.warns(ConvergenceWarning, match="6 of 6 searches reached a limit.*Raise step_limit"):
        model = OptimalTreeClassifierCV(max_leaves=8, step_limit=300, progress=False).fit(X, y)
    assert 0 < model.frontier_.proven_leaves < 8
    assert model.get_n_leaves() >= 1


@pytest.mark.parametrize(
    ("steps", "dealt"), [(1, [1]), (2, [1, 1]), (3, [1, 1, 1]), (8, [3, 3, 2]), (300, [100, 100, 100])]
)
def test_a_step_limit_is_that_of_the_whole_fit(
    steps: int, dealt: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.random((60, 4)), rng.integers(0, 2, 60)
    of_each, searched = [], _optimal_tree_cv.solve_frontier

    def recorded(*arguments: Any, limits: Limits, **more: Any) -> Frontier:
        of_each.append(limits.step_limit)
        return searched(*arguments, limits=limits, **more)

    monkeypatch.setattr(_optimal_tree_cv, "solve_frontier", recorded)
    asked = {"max_leaves": 6, "cv": 2, "step_limit": steps, "time_limit": None, "progress": False}
    with pytest.warns(ConvergenceWarning, match="Raise step_limit, or give a max_depth") as told:
        model = OptimalTreeClassifierCV(**asked).fit(X, y)
    assert of_each == dealt
    assert model.n_splits_ == len(dealt) - 1
    assert ("No step is left" in str(told[0].message)) == (len(dealt) < 3)
    monkeypatch.undo()
    with pytest.warns(ConvergenceWarning), parallel_config(backend="threading"):
        parallel = OptimalTreeClassifierCV(**asked, n_jobs=2).fit(X, y)
    assert parallel.n_splits_ == model.n_splits_
    for name in ("split0_test_score", "split1_test_score"):
        if name in model.cv_results_:
            assert parallel.cv_results_[name].tolist() == model.cv_results_[name].tolist()


def test_pickle_and_clone() -> None:
    X, y = noisy_rule()
    model = OptimalTreeClassifierCV(**QUICK).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_array_equal(clone(model).fit(X, y).predict(X), model.predict(X))


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"choose": "depth"}, "choose='depth'; choose one of cost_complexity, leaves"),
        ({"rule": "two_se"}, "rule='two_se'; choose one of one_se, best"),
        ({"max_leaves": 0}, "max_leaves=0; give an integer of at least 1"),
        ({"max_leaves": 2.0}, "max_leaves=2.0; give an integer"),
        ({"time_limit": -1}, "time_limit=-1"),
        ({"progress": "loud"}, "progress='loud'"),
        ({"cv": []}, "cv has no folds"),
        ({"cv": 1}, "cv=1 cannot split this table into folds (rows: 40)"),
        ({"cv": 50}, "cv=50 cannot split this table into folds (rows: 40)"),
        ({"cv": 2, "min_samples_leaf": 30}, "min_samples_leaf=30 is above the 20 training rows of a fold"),
        ({"cv": [(np.arange(10), np.arange(0))]}, "without training or test rows"),
        ({"cv": [(np.arange(10), np.array([1000]))]}, "not positions from 0 to 39"),
    ],
    ids=str,
)
def test_bad_parameters(parameters: dict[str, object], words: str) -> None:
    X, y = noisy_rule(40)
    with pytest.raises(InputError) as error:
        OptimalTreeClassifierCV(**{**QUICK, **parameters}).fit(X, y)
    assert words in str(error.value)


@pytest.mark.parametrize("estimator", [OptimalTreeClassifierCV, LeafAccuracyTreeClassifierCV])
def test_a_table_too_small_for_its_folds(estimator: type) -> None:
    with pytest.raises(InputError, match=r"cannot split this table into folds \(rows: 1\).*Give more rows"):
        estimator().fit([[0.0]], [0])


def test_truth_values_as_folds() -> None:
    X, y = noisy_rule(60)
    test = np.arange(60) % 3 == 0
    model = OptimalTreeClassifierCV(cv=[(~test, test), (test, ~test)], **QUICK).fit(X, y)
    assert model.n_splits_ == 2


def test_nothing_is_warned_of_small_classes() -> None:
    X, y = noisy_rule()
    y[:3] = 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        OptimalTreeClassifierCV(**QUICK).fit(X, y)


@pytest.mark.parametrize("n_jobs", [0, 1.5, True])
def test_bad_n_jobs_is_told(n_jobs: object) -> None:
    with pytest.raises(InputError, match="n_jobs"):
        OptimalTreeClassifierCV(**QUICK, n_jobs=n_jobs).fit(*noisy_rule(50))


def test_folds_share_the_table() -> None:
    """A task holds the numbers of its rows, not a copy of the rows."""
    X, y = noisy_rule(240)
    problem = make_problem(table_from(X), y)
    folds = [fold_of(problem, np.arange(200), np.arange(200, 240), 0.1) for _ in range(2)]
    assert all(fold.problem.table.X is problem.table.X for fold in folds)
    part = folds[0].training_problem()
    assert part.table.n_rows == 200
    assert part.min_samples_leaf == 20


def test_no_fold_is_begun_once_the_time_is_over() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 3)), rng.integers(0, 2, 200)
    with pytest.warns(ConvergenceWarning, match="The time is over: no fold was scored"):
        model = OptimalTreeClassifierCV(max_leaves=4, time_limit=1e-9, progress=False).fit(X, y)
    assert model.n_splits_ == 0
    assert np.isnan(model.cv_results_["mean_test_score"]).all()


def test_of_trees_that_tie_at_a_penalty_the_fewest_leaves_are_scored() -> None:
    loss = np.array([6, 4, 2, 0]) / 24
    front = FoldFront(np.array([1, 3, 5, 7]), loss, loss, 7, 0.0, interrupted=False)
    assert front.at_penalty(1 / 24) == 0
