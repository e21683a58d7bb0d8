"""The estimator inside scikit-learn's tools: pipelines, searches, routing, pickles, frames."""

import io
import pickle
import warnings

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from treewright import OptimalTreeClassifier, SolveStatus
from treewright.errors import InputError
from treewright.search import Progress


def small(seed: int = 0, n_rows: int = 80) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (n_rows, 3)).astype(float)
    y = ((X[:, 0] > 1) ^ (X[:, 1] > 2)).astype(int)
    y[: n_rows // 10] = 1 - y[: n_rows // 10]
    return X, y


def test_pipeline_with_set_output() -> None:
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = make_pipeline(StandardScaler(), OptimalTreeClassifier(0.02, max_depth=3)).set_output(
        transform="pandas"
    )
    model.fit(X, y)
    assert model.score(X, y) >= 0.95
    assert model[-1].feature_names_in_.tolist() == list(X.columns)
    assert model[-1].tree_.columns[0].name == X.columns[0]


def test_grid_search() -> None:
    X, y = small()
    grid = {"cost_complexity": [0.01, 0.5], "max_depth": [1, 3]}
    search = GridSearchCV(OptimalTreeClassifier(), grid, cv=3).fit(X, y)
    assert search.best_params_ == {"cost_complexity": 0.01, "max_depth": 3}
    assert search.best_estimator_.result_.status is SolveStatus.OPTIMAL


def test_cross_val_score_of_probabilities() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    scores = cross_val_score(
        OptimalTreeClassifier(0.02, max_depth=2, thresholds=8), X, y, cv=3, scoring="roc_auc"
    )
    assert scores.min() > 0.85


def test_clone_keeps_parameters_and_forgets_the_fit() -> None:
    X, y = small()
    model = OptimalTreeClassifier(0.03, max_depth=2, min_samples_leaf=0.1, class_weight="balanced").fit(X, y)
    twin = clone(model)
    assert twin.get_params() == model.get_params()
    with pytest.raises(NotFittedError):
        twin.predict(X)


@pytest.mark.parametrize("method", ["predict", "predict_proba", "apply", "decision_path"])
def test_unfitted(method: str) -> None:
    with pytest.raises(NotFittedError, match="not fitted"):
        getattr(OptimalTreeClassifier(), method)([[1.0]])


@pytest.mark.parametrize("how", ["pickle", "joblib"])
def test_stored_and_loaded(how: str) -> None:
    X, y = small()
    model = OptimalTreeClassifier().fit(X, y)
    file = io.BytesIO()
    (pickle if how == "pickle" else joblib).dump(model, file)
    file.seek(0)
    loaded = (pickle if how == "pickle" else joblib).load(file)
    assert np.array_equal(loaded.predict_proba(X), model.predict_proba(X))
    assert loaded.result_.sentence() == model.result_.sentence()
    assert loaded.tree_.splits == model.tree_.splits


def test_a_stored_model_holds_no_training_rows() -> None:
    sizes = []
    for n_rows in (100, 10_000):
        rng = np.random.default_rng(1)
        X = rng.integers(0, 2, (n_rows, 4)).astype(float)
        model = OptimalTreeClassifier(0.05).fit(X, X[:, 0] != X[:, 1])
        sizes.append(len(pickle.dumps(model)))
    assert abs(sizes[1] - sizes[0]) < 50  # counts may take a byte or two more


@pytest.mark.parametrize(
    "labels",
    [["no", "yes"], [-1, 1], [False, True], [1.0, 2.0], [7, 5], np.array(["b", "a"], dtype=object)],
    ids=str,
)
def test_any_labels(labels: list[object]) -> None:
    X, y = small()
    named = np.asarray(labels)[y]
    model = OptimalTreeClassifier().fit(X, named)
    plain = OptimalTreeClassifier().fit(X, y)
    assert model.classes_.tolist() == sorted(labels)
    assert model.predict(X).dtype == named.dtype
    assert model.result_.objective == pytest.approx(plain.result_.objective)
    assert model.score(X, named) == plain.score(X, y)
    share_of_second = model.predict_proba(X)[:, list(model.classes_).index(labels[1])]
    assert ((share_of_second > 0.5) == (model.predict(X) == labels[1])).mean() > 0.9


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_column_names_are_checked_at_predict(frame: type) -> None:
    X, y = small()
    table = frame({"age": X[:, 0], "income": X[:, 1], "visits": X[:, 2]})
    model = OptimalTreeClassifier().fit(table, y)
    assert model.feature_names_in_.tolist() == ["age", "income", "visits"]
    assert model.score(table, y) == pytest.approx(1 - model.result_.loss)
    swapped = table[["income", "age", "visits"]]
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(swapped)
    with pytest.raises(ValueError, match=r"feature names should match|expecting 3 features"):
        model.predict(table[["age", "income"]])
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.predict(X)


def test_unseen_category() -> None:
    colours = pd.DataFrame({"colour": ["red", "blue", "red", "blue"] * 5})
    model = OptimalTreeClassifier().fit(colours, [0, 1, 0, 1] * 5)
    with pytest.raises(InputError, match=r"colour.*never seen.*green"):
        model.predict(pd.DataFrame({"colour": ["green"]}))


def test_wrong_width_at_predict() -> None:
    X, y = small()
    model = OptimalTreeClassifier().fit(X, y)
    with pytest.raises(
        ValueError, match=r"X has 2 features, but OptimalTreeClassifier is expecting 3 features"
    ):
        model.predict(X[:, :2])
    with pytest.raises(ValueError, match="expecting 3 features"):
        model.predict(X[:, :2].tolist())
    with pytest.raises(ValueError, match="Reshape your data"):
        model.predict(X[0])


def test_metadata_routing_of_weights() -> None:
    """Weights travel through a pipeline and a search to `fit` when asked for."""
    X, y = small()
    rng = np.random.default_rng(0)
    weight = rng.integers(1, 20, len(y)).astype(float)
    with sklearn.config_context(enable_metadata_routing=True):
        step = OptimalTreeClassifier(max_depth=1).set_fit_request(sample_weight=True)
        model = make_pipeline(step).fit(X, y, sample_weight=weight)
    expected = OptimalTreeClassifier(max_depth=1).fit(X, y, weight)
    unweighted = OptimalTreeClassifier(max_depth=1).fit(X, y)
    assert model[-1].result_.objective == expected.result_.objective != unweighted.result_.objective


def test_one_warning_if_not_proven() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (300, 25)), rng.integers(0, 2, 300)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = OptimalTreeClassifier(0.005, step_limit=200).fit(X, y)
    assert [w.category for w in caught] == [ConvergenceWarning]
    message = str(caught[0].message)
    assert "step limit reached" in message
    assert "gap is at most" in message
    assert "max_depth" in message  # what to do
    assert caught[0].filename == __file__  # the caller's line
    assert model.result_.status is SolveStatus.FEASIBLE


def test_no_warning_if_proven() -> None:
    X, y = small()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        OptimalTreeClassifier().fit(X, y)


def test_progress_callable_can_stop() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (300, 40)), rng.integers(0, 2, 300)
    seen: list[Progress] = []

    def stop(state: Progress) -> bool:
        seen.append(state)
        return True

    with pytest.warns(ConvergenceWarning, match="stopped by the progress callback"):
        OptimalTreeClassifier(0.002, progress=stop).fit(X, y)
    assert len(seen) == 1


def test_fit_changes_no_parameter_and_no_input() -> None:
    X, y = small()
    before = X.copy(), y.copy()
    model = OptimalTreeClassifier(0.01, costs=[[0, 2], [1, 0]], class_weight={0: 2.0})
    params = model.get_params()
    model.fit(X, y)
    assert model.get_params() == params
    assert np.array_equal(X, before[0])
    assert np.array_equal(y, before[1])


def test_paths_and_leaves_agree_with_the_tree() -> None:
    X, y = small()
    model = OptimalTreeClassifier().fit(X, y)
    leaf = model.apply(X)
    path = model.decision_path(X).toarray()
    assert path.shape == (len(X), model.tree_.node_count)
    assert path[:, 0].all()
    assert path[np.arange(len(X)), leaf].all()
    assert (path.sum(axis=1) - 1 == model.tree_.node_depth[leaf]).all()
    assert np.array_equal(model.predict(X), model.tree_.predict(X))
    assert (model.get_depth(), model.get_n_leaves()) == (model.tree_.depth, model.tree_.n_leaves)
    counts = np.bincount(leaf, minlength=model.tree_.node_count)
    assert (counts[model.tree_.is_leaf] == model.tree_.n_node_samples[model.tree_.is_leaf]).all()
