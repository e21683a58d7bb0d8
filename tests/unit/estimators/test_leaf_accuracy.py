"""Leaf accuracy in scikit-learn's manner: fitting, choosing, model files, the command line."""

from __future__ import annotations

import _thread
import itertools
import math
import pickle
import threading
import time
import warnings

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold
from typer.testing import CliRunner

from treewright import LeafAccuracyTreeClassifier, LeafAccuracyTreeClassifierCV, OptimalTreeClassifier
from treewright.cli._app import app
from treewright.convert import from_json, load_model, to_json
from treewright.errors import InputError, SolverError
from treewright.estimators import _interrupt
from treewright.estimators._held_back_scores import HeldBackScores
from treewright.result import LeafAccuracyResult, SolveStatus, StopReason
from treewright.search import LeafAccuracyOptions


@pytest.fixture(scope="module")
def cancer():
    return load_breast_cancer(return_X_y=True, as_frame=True)


def leaf_accuracies(model, X, y):
    leaf = model.apply(X)
    right = model.predict(X) == np.asarray(y)
    return {int(k): float(right[leaf == k].mean()) for k in np.unique(leaf)}


def test_the_worst_leaf_is_what_the_result_says(cancer):
    X, y = cancer
    model = LeafAccuracyTreeClassifier(3, min_samples_leaf=50, criterion="accuracy", thresholds=6).fit(X, y)
    assert model.result_.status is SolveStatus.OPTIMAL
    assert model.leaf_accuracy_ == model.result_.objective
    assert min(leaf_accuracies(model, X, y).values()) == pytest.approx(model.leaf_accuracy_, abs=1e-12)
    assert np.bincount(model.apply(X))[model.tree_.is_leaf].min() >= 50
    greedy = OptimalTreeClassifier(0.0, max_depth=3, min_samples_leaf=50, thresholds=6, time_limit=60).fit(
        X, y
    )
    assert min(leaf_accuracies(greedy, X, y).values()) <= model.leaf_accuracy_


def test_the_lower_bound_prefers_large_leaves(cancer):
    X, y = cancer
    model = LeafAccuracyTreeClassifier(3, min_samples_leaf=5, criterion="accuracy", thresholds=6).fit(X, y)
    careful = LeafAccuracyTreeClassifier(3, min_samples_leaf=5, thresholds=6, criterion="lower_bound").fit(
        X, y
    )
    assert careful.leaf_accuracy_ <= model.leaf_accuracy_
    smallest = [m.tree_.n_node_samples[m.tree_.is_leaf].min() for m in (model, careful)]
    assert smallest[1] > smallest[0]


def test_guessed_thresholds(cancer):
    X, y = cancer
    model = LeafAccuracyTreeClassifier(2, thresholds="guess").fit(X, y)
    assert "guessed thresholds" in model.result_.scope
    assert model.result_.status is SolveStatus.OPTIMAL


def test_all_thresholds_of_a_small_table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = np.where(X[:, 0] > 0.2, "yes", "no")
    model = LeafAccuracyTreeClassifier(2, min_samples_leaf=5, thresholds="auto").fit(X, y)
    assert model.leaf_accuracy_ == 1.0
    assert model.result_.scope == "all thresholds"
    assert model.get_n_leaves() == 2


def test_pickle_and_model_file(cancer, tmp_path):
    X, y = cancer
    model = LeafAccuracyTreeClassifier(2, thresholds=4).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict(X), model.predict(X))
    read = from_json(to_json(model.result_)).result
    assert isinstance(read, LeafAccuracyResult)
    assert read.sentence() == model.result_.sentence()
    assert read.upper_bound == model.result_.upper_bound


def test_a_limit_warns_and_keeps_the_best(cancer):
    X, y = cancer
    model = LeafAccuracyTreeClassifier(4, thresholds=8, step_limit=30)
    with pytest.warns(ConvergenceWarning, match="worst leaf above"):
        model.fit(X, y)
    assert model.result_.objective <= model.result_.upper_bound


def test_smallest_leaf_accuracy_of_the_optimal_tree(cancer):
    X, y = cancer
    free = OptimalTreeClassifier(0.005, max_depth=2, thresholds=6).fit(X, y)
    worst = min(leaf_accuracies(free, X, y).values())
    same = OptimalTreeClassifier(0.005, max_depth=2, thresholds=6, min_leaf_accuracy=0.5).fit(X, y)
    assert same.result_.objective == pytest.approx(free.result_.objective, abs=1e-12)
    bound = round(worst + 0.01, 3)
    model = OptimalTreeClassifier(0.005, max_depth=2, thresholds=6, min_leaf_accuracy=bound).fit(X, y)
    assert min(leaf_accuracies(model, X, y).values()) >= bound
    assert model.result_.objective >= free.result_.objective
    assert model.result_.status is SolveStatus.OPTIMAL
    assert f"at least {bound:g} of every leaf right" in model.result_.sentence()
    with pytest.raises(SolverError, match="Lower min_leaf_accuracy"):
        OptimalTreeClassifier(0.0, max_depth=1, thresholds=6, min_leaf_accuracy=1.0).fit(X, y)


def test_cross_validation_scores_what_it_says(cancer):
    X, y = cancer
    cv = StratifiedKFold(3, shuffle=True, random_state=1)
    model = LeafAccuracyTreeClassifierCV(
        (1, 2),
        min_samples_leaves=(20, 80),
        criteria=("accuracy", "lower_bound"),
        rule="best",
        thresholds=4,
        cv=cv,
    ).fit(X, y)
    results = model.cv_results_
    assert results["leaf_accuracy"].shape == (8, 3)
    tried = list(itertools.product((1, 2), (20, 80), ("accuracy", "lower_bound")))
    for i, (depth, leaf, criterion) in enumerate(tried):
        for k, (train, test) in enumerate(cv.split(X, y)):
            fitted = LeafAccuracyTreeClassifier(
                depth, min_samples_leaf=leaf, criterion=criterion, thresholds=4
            )
            fitted.fit(X.iloc[train], y.iloc[train])
            expected = min(leaf_accuracies(fitted, X.iloc[test], y.iloc[test]).values())
            assert results["leaf_accuracy"][i, k] == pytest.approx(expected, abs=1e-12)
    assert model.best_score_ == results["mean_leaf_accuracy"].max()
    final = LeafAccuracyTreeClassifier(thresholds=4, **model.best_params_).fit(X, y)
    assert np.array_equal(model.predict(X), final.predict(X))
    assert model.leaf_accuracy_ == final.leaf_accuracy_
    assert pickle.loads(pickle.dumps(model)).best_params_ == model.best_params_


def test_one_standard_error_buys_accuracy(cancer):
    X, y = cancer
    common = {"max_depths": (1, 2, 3), "min_samples_leaves": (10, 40), "thresholds": 4, "cv": 4}
    best = LeafAccuracyTreeClassifierCV(rule="best", **common).fit(X, y)
    model = LeafAccuracyTreeClassifierCV(**common).fit(X, y)
    results = model.cv_results_
    top = int(np.argmax(results["mean_leaf_accuracy"]))
    assert best.best_score_ == results["mean_leaf_accuracy"][top]
    least = results["mean_leaf_accuracy"][top] - results["standard_error"][top]
    near = results["mean_leaf_accuracy"] >= least
    spread = results["leaf_accuracy"][top].std(ddof=1) / 2
    assert results["standard_error"][top] == pytest.approx(spread)
    assert model.best_score_ >= least
    chosen = [i for i in np.flatnonzero(near) if results["max_depth"][i] == model.best_params_["max_depth"]]
    assert max(results["mean_accuracy"][chosen]) == results["mean_accuracy"][near].max()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.clock
def test_ctrl_c_ends_the_cross_validation_with_what_is_done(monkeypatch):
    monkeypatch.setattr(_interrupt, "_last", -math.inf)  # the last Ctrl-C was long ago
    rng = np.random.default_rng(3)
    X, y = rng.random((2500, 8)), rng.integers(0, 2, 2500)
    model = LeafAccuracyTreeClassifierCV((1, 5), min_samples_leaves=(40,), thresholds="all", time_limit=None)
    pressed = []

    def press():
        pressed.append(time.process_time())
        _thread.interrupt_main()

    timer = threading.Timer(2.0, press)
    timer.start()
    model.fit(X, y)
    spent = time.process_time() - pressed[0]
    assert spent < 0.5
    assert model.stop_reason_ is StopReason.INTERRUPT
    assert model.result_.status is SolveStatus.OPTIMAL or model.result_.stop_reason is StopReason.INTERRUPT
    assert any("interrupted after" in note for note in model.result_.notes)
    assert len(model.predict(X)) == len(X)
    assert model.cv_results_["leaf_accuracy"].shape[1] == 1


def test_ctrl_c_before_any_score_is_an_exception(cancer, monkeypatch):
    X, y = cancer

    def pressed(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(LeafAccuracyTreeClassifier, "_find", pressed)
    with pytest.raises(KeyboardInterrupt):
        LeafAccuracyTreeClassifierCV((1,), cv=2).fit(X, y)


def test_cross_validation_with_weights_and_text_labels(cancer):
    X, y = cancer
    labels = np.where(y == 1, "benign", "malignant")
    weight = np.where(y == 1, 1.0, 2.0)
    model = LeafAccuracyTreeClassifierCV((1, 2), min_samples_leaves=(0.1,), thresholds=4, cv=2)
    model.fit(X.to_numpy(), labels, sample_weight=weight)
    assert set(model.predict(X.to_numpy())) <= {"benign", "malignant"}
    assert model.n_features_in_ == X.shape[1]


@pytest.mark.parametrize("end", ["interrupted", "late"])
def test_a_cross_validation_that_ended_early_counts_the_fits_that_chose(cancer, monkeypatch, end):
    X, y = cancer  # two candidates and three splits: the third of these fits has nothing to be compared with
    found = HeldBackScores([0.7, 0.8, 0.1], [0.9, 0.9, 0.9], **{end: True})
    monkeypatch.setattr("treewright.estimators._leaf_accuracy_cv.score_candidates", lambda *_: found)
    options = {"min_samples_leaves": (0.1,), "criteria": ("accuracy",), "thresholds": 2, "cv": 3}
    model = LeafAccuracyTreeClassifierCV((1, 2), **options)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, y)
    assert model.best_params_["max_depth"] == 2
    if end == "late":
        assert any("2 of 6 fits of the cross-validation chose" in str(w.message) for w in caught)
    else:
        assert "interrupted after 3 of 6 fits; the choice rests on 2 of these" in model.result_.notes[-1]


def test_cross_validation_counts_unproven_fits(cancer):
    X, y = cancer
    model = LeafAccuracyTreeClassifierCV((3,), thresholds=8, cv=2, step_limit=5)
    with pytest.warns(ConvergenceWarning) as caught:
        model.fit(X, y)
    assert any("fits of the cross-validation reached a limit" in str(w.message) for w in caught)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"min_samples_leaf": 1000}, "min_samples_leaf=1000 is above the 569 rows"),
        ({"max_depth": -1}, "max_depth=-1"),
        ({"max_depth": None}, "max_depth is None"),
        ({"criterion": "gini"}, "criterion='gini'"),
        ({"criterion": "lower_bound", "confidence": 0.2}, r"confidence=0\.2"),
        ({"thresholds": "some"}, "thresholds='some'"),
        ({"reference": object()}, 'only thresholds="guess" uses it'),
        ({"search_options": 3}, "search_options=3"),
        ({"time_limit": 0}, "time_limit=0"),
    ],
)
def test_bad_parameters(cancer, arguments, message):
    X, y = cancer
    with pytest.raises(InputError, match=message):
        LeafAccuracyTreeClassifier(**arguments).fit(X, y)


def test_depth_zero_is_a_leaf(cancer):
    X, y = cancer
    model = LeafAccuracyTreeClassifier(0).fit(X, y)
    assert model.get_n_leaves() == 1
    assert model.leaf_accuracy_ == pytest.approx(float(np.mean(np.asarray(y) == 1)))
    assert model.result_.status is SolveStatus.OPTIMAL


def test_bad_parameters_of_others(cancer):
    X, y = cancer
    with pytest.raises(InputError, match="goes with neither guesses nor search_options"):
        OptimalTreeClassifier(max_depth=2, min_leaf_accuracy=0.5, thresholds="guess").fit(X, y)
    with pytest.raises(InputError, match="min_leaf_accuracy='high'"):
        OptimalTreeClassifier(max_depth=2, min_leaf_accuracy="high").fit(X, y)
    with pytest.raises(InputError, match="max_depths is empty"):
        LeafAccuracyTreeClassifierCV(()).fit(X, y)
    with pytest.raises(InputError, match="are all above the"):
        LeafAccuracyTreeClassifierCV(min_samples_leaves=(5000,)).fit(X, y)


def test_switches_off_from_the_estimator(cancer):
    X, y = cancer
    options = LeafAccuracyOptions(propagate=False, neighbours=False)
    a = LeafAccuracyTreeClassifier(2, thresholds=6, search_options=options).fit(X, y)
    b = LeafAccuracyTreeClassifier(2, thresholds=6).fit(X, y)
    assert (a.result_.objective, a.result_.loss) == (b.result_.objective, b.result_.loss)


def test_command_line(cancer, tmp_path):
    X, y = cancer
    data, out = tmp_path / "data.csv", tmp_path / "model.json"
    X.iloc[:, :6].assign(y=np.where(y == 1, "benign", "malignant")).to_csv(data, index=False)
    base = ["fit", str(data), "-t", "y", "--objective", "leaf-accuracy", "--thresholds", "6"]
    plain = ["--criterion", "accuracy"]
    run = CliRunner().invoke(app, [*base, *plain, "--max-depth", "2", "-o", str(out), "--require-proof"])
    assert run.exit_code == 0, run.output
    assert "training accuracy of the worst leaf" in run.output
    assert isinstance(load_model(out).result, LeafAccuracyResult)
    shown = CliRunner().invoke(app, ["show", str(out)])
    assert "has a better worst leaf" in shown.output
    checked = CliRunner().invoke(app, ["verify", str(out), str(data)])
    assert checked.exit_code == 0, checked.output
    assert "worst leaf <= upper_bound" in checked.output
    bound = CliRunner().invoke(app, [*base, "--max-depth", "1", "--confidence", "0.9"])
    assert "Wilson, 0.9" in bound.output
    for bad in (["--cost", "benign:malignant=3"], ["--max-leaf-nodes", "4"], ["--guess", "bounds"]):
        refused = CliRunner().invoke(app, [*base[:-2], *bad])
        assert refused.exit_code == 2, refused.output


def test_where_no_tree_is_as_accurate_the_error_names_the_thresholds_that_were_offered():
    X, y = np.arange(40.0)[:, None], np.repeat([0, 1, 0], [13, 14, 13])
    common = {"cost_complexity": 0.0, "max_depth": 2, "min_leaf_accuracy": 0.999}
    with pytest.raises(
        SolverError, match=r"No tree of depth at most 2 over .*1 quantile.* 99\.9% of every leaf"
    ):
        OptimalTreeClassifier(**common, thresholds=2).fit(X, y)
    assert OptimalTreeClassifier(**common, thresholds="all").fit(X, y).score(X, y) == 1
    with pytest.raises(
        SolverError, match="depth at most 2 and at least 14 rows per leaf over all thresholds is"
    ):
        OptimalTreeClassifier(**common, min_samples_leaf=14, thresholds="all").fit(X, y)


@pytest.mark.parametrize(("leaves", "chosen"), [((0.2, 5), 0.2), ((5, 0.2), 0.2), ((0.02, 5), 5)])
def test_of_equal_candidates_the_one_of_larger_leaves_is_chosen(leaves, chosen):
    """A share counts as so many rows of the smallest training part: .2 of 60 are 12."""
    X = np.repeat([0.0, 1.0], 45)[:, None]  # every candidate finds the same tree
    model = LeafAccuracyTreeClassifierCV((1,), min_samples_leaves=leaves, criteria=("accuracy",), cv=3)
    assert model.fit(X, X[:, 0] > 0).best_params_["min_samples_leaf"] == chosen


def test_last_bits_of_sums_of_weights_choose_nothing():
    """Two depths are right on the same rows; their weights add up to two numbers that differ in the last bit."""
    X, y = [[1], [1], [0], [2], [0], [0], [2]], [2, 1, 3, 1, 3, 3, 0]
    folds = [([0, 2, 4, 6], [1, 3, 5]), ([1, 3, 5], [0, 2, 4, 6])]
    model = LeafAccuracyTreeClassifierCV(criteria=["lower_bound", "accuracy"], thresholds=4, cv=folds)
    model.fit(X, y, sample_weight=[2.6, 1.7, 0.1, 2.5, 2.2, 1.1, 2.1])
    right = model.cv_results_["mean_accuracy"]
    assert right.max() - right[model.cv_results_["max_depth"] == 1].max() < 1e-12
    assert model.best_params_["max_depth"] == 1


@pytest.mark.parametrize("left_out", [False, True])
def test_held_back_rows_may_have_words_that_no_training_row_has(left_out):
    """Each of the last words occurs once: where its row is held back, it is another word than any of the tree's."""
    words = np.array(["a", "b", "c"] * 10 + ["d", "e"], dtype=object)[:, None]
    y = np.array([0, 1, 1] * 10 + [1, 0])
    weight = np.ones(32)
    weight[0] = not left_out
    model = LeafAccuracyTreeClassifierCV((2,), min_samples_leaves=(1,), criteria=("accuracy",), cv=4)
    model.fit(words, y, sample_weight=weight)
    held_back = model.cv_results_["leaf_accuracy"]
    assert held_back.shape == (1, 4)
    assert held_back.min() < held_back.max() == 1
    assert model.tree_.columns[0].categories == ("a", "b", "c", "d", "e")
    assert (
        model.predict(words[3:]).tolist()
        == LeafAccuracyTreeClassifier(2, min_samples_leaf=1, criterion="accuracy")
        .fit(words, y, sample_weight=weight)
        .predict(words[3:])
        .tolist()
    )
