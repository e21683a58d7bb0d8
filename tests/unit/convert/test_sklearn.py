"""A tree as scikit-learn's own, and back: equal answers on every row where float32 can hold them."""

from __future__ import annotations

import pickle
import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    export_graphviz,
    export_text,
)

from exchange_trees import cases, with_infinities, with_unseen
from made_trees import Made, make_tree
from treewright import OptimalTreeClassifier
from treewright.convert import float32_conflicts, from_sklearn, to_sklearn, to_sklearn_pipeline
from treewright.errors import InputError
from treewright.tree import Column, ColumnKind, Line, LinearSplit, ThresholdSplit, Tree, grow

FLOAT32 = np.finfo(np.float32).max


def within_float32(X):
    """Rows that scikit-learn takes; it also adds them up, so they stay well below the limit."""
    return X[~(np.abs(X) > FLOAT32 / 1e4).any(axis=1)]


def float32_rows(X):
    """Rows that rounding does not change."""
    with np.errstate(over="ignore"):
        return within_float32(X.astype(np.float32).astype(np.float64))


@pytest.fixture(autouse=True)
def _names_are_left_out():
    with warnings.catch_warnings():  # rows of arrays have no names
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        yield


# ------------------------------------------------------------------------------------------- to sklearn


@given(cases("tbm", n_columns=4))
@settings(max_examples=100)
def test_equal_on_all_rows_of_float32_numbers(case):
    fitted = to_sklearn(case.tree)
    X = float32_rows(case.X)
    np.testing.assert_array_equal(fitted.predict(X), case.tree.predict(X))
    np.testing.assert_array_equal(fitted.apply(X), case.tree.apply(X))
    majority = case.tree.value.argmax(axis=1) == case.tree.prediction
    plain = majority[case.tree.apply(X)]
    np.testing.assert_allclose(
        fitted.predict_proba(X)[plain], case.tree.predict_proba(X)[plain], rtol=1e-12, atol=0
    )


@given(cases("tbm", n_columns=4))
@settings(max_examples=100)
def test_equal_on_given_rows_exactly_where_float32_tells_them_apart(case):
    X = within_float32(case.X)
    conflicts = float32_conflicts(case.tree, X)
    leaf = case.tree.apply(X)
    for conflict in conflicts:
        assert conflict.left <= conflict.threshold < conflict.right
        assert np.float32(conflict.left) == np.float32(conflict.right) == conflict.rounded
        assert {conflict.left, conflict.right} <= set(X.ravel().tolist())
    if conflicts:
        with pytest.raises(InputError, match="float32"):
            to_sklearn(case.tree, X)
        return
    fitted = to_sklearn(case.tree, X)
    np.testing.assert_array_equal(fitted.predict(X), case.tree.predict(X))
    np.testing.assert_array_equal(fitted.apply(X), leaf)


def test_a_threshold_between_two_float32_neighbours_is_found():
    low = 0.1
    high = float(np.nextafter(np.float32(low), np.float32(1)))
    for values in ((low, high), (float(np.float32(low)), high)):
        X = np.array([[values[0]], [values[1]]])
        for threshold in (values[0], sum(values) / 2):
            tree = grow(
                (Column("x0", ColumnKind.CONTINUOUS),),
                np.array([0, 1]),
                [ThresholdSplit(0, threshold), None, None],
                X,
                np.array([0, 1], dtype=np.int32),
                np.ones(2),
                1.0 - np.eye(2),
            )
            assert float32_conflicts(tree, X) == ()
            assert to_sklearn(tree, X).predict(X).tolist() == [0, 1]


def test_values_that_float32_cannot_tell_apart_are_named():
    X = np.array([[1.0], [1.0 + 1e-12]])
    model = OptimalTreeClassifier(0.01).fit(X, ["a", "b"])
    with pytest.raises(InputError, match=r"1\.0 and 1\.000000000001 of column 'x0'.*to_sklearn_pipeline"):
        to_sklearn(model.tree_, X)
    (conflict,) = float32_conflicts(model.tree_, X)
    assert (conflict.node, conflict.column, conflict.n_rows) == (0, "x0", 1)
    assert to_sklearn_pipeline(model.tree_).predict(X).tolist() == ["a", "b"]


@given(cases(), st.integers(0, 2**32 - 1))
@settings(max_examples=100)
def test_the_pipeline_is_equal_on_every_row(case, seed):
    rng = np.random.default_rng(seed)
    pipeline = to_sklearn_pipeline(case.tree)
    X = with_unseen(rng, with_infinities(rng, case.X))
    with np.errstate(invalid="ignore"):
        expected = case.tree.apply(X)
        encoded = pipeline["encode"].transform_encoded(X)
    np.testing.assert_array_equal(pipeline["tree"].apply(encoded), expected)
    np.testing.assert_array_equal(
        pipeline["tree"].predict(encoded), case.tree.classes[case.tree.prediction[expected]]
    )
    names = list(pipeline["encode"].get_feature_names_out())
    assert len(set(names)) == len(names) == encoded.shape[1]


def test_the_pipeline_reads_tables_and_refuses_unknown_categories():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {"colour": ["red", "blue", "red", None, "green", "blue"] * 5, "size": [1.0, 2, 3, 4, 5, np.nan] * 5}
    )
    y = ["a", "b", "a", "c", "c", "b"] * 5
    model = OptimalTreeClassifier(0.01).fit(frame, y)
    pipeline = to_sklearn_pipeline(model.tree_)
    assert pipeline.predict(frame).tolist() == model.predict(frame).tolist() == y
    np.testing.assert_allclose(pipeline.predict_proba(frame), model.predict_proba(frame))
    assert pickle.loads(pickle.dumps(pipeline)).predict(frame).tolist() == y
    assert clone(pipeline["encode"]).fit().transform(frame).dtype == np.float32
    with pytest.raises(InputError, match="never seen: 'purple'"):
        pipeline.predict(pandas.DataFrame({"colour": ["purple"], "size": [1.0]}))
    with pytest.raises(InputError, match="to_sklearn_pipeline"):
        to_sklearn(model.tree_)


def threshold_tree() -> Made:
    """A tree of threshold splits on columns of numbers only."""
    for seed in range(99):
        made = make_tree(seed, 4)
        splits = [split for split in made.tree.splits if split is not None]
        if all(isinstance(split, ThresholdSplit) and split.column < 4 for split in splits):
            return made
    raise AssertionError("no seed gives such a tree")


def test_linear_splits_need_the_pipeline():
    tree = threshold_tree().tree
    linear = replace(tree, splits=(LinearSplit((0, 1), (1.0, 2.0), 0.5), *tree.splits[1:]))
    with pytest.raises(InputError, match=r"a linear split on 'age'.*to_sklearn_pipeline"):
        to_sklearn(linear)


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return OptimalTreeClassifier(0.01, max_depth=3).fit(X, y), X, y


def test_attributes_are_those_of_a_fitted_tree(cancer):
    model, X, y = cancer
    fitted = to_sklearn(model.tree_, X)
    assert isinstance(fitted, DecisionTreeClassifier)
    assert fitted.predict(X).tolist() == model.predict(X).tolist()
    np.testing.assert_allclose(fitted.predict_proba(X), model.predict_proba(X), rtol=1e-12)
    assert fitted.score(X, y) == model.score(X, y)
    assert list(fitted.feature_names_in_) == list(X.columns)
    assert (fitted.get_depth(), fitted.get_n_leaves()) == (model.get_depth(), model.get_n_leaves())
    assert fitted.feature_importances_.sum() == pytest.approx(1)
    assert fitted.tree_.n_node_samples[0] == len(X)
    assert pickle.loads(pickle.dumps(fitted)).predict(X).tolist() == model.predict(X).tolist()
    assert (fitted.decision_path(X) != model.decision_path(X)).nnz == 0


def test_sklearns_own_text_dot_and_picture(cancer):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from sklearn.tree import plot_tree

    model, X, _ = cancer
    fitted = to_sklearn(model.tree_, X)
    assert export_text(fitted, feature_names=list(X.columns)).count("class:") == model.get_n_leaves()
    assert export_graphviz(fitted).count("->") == model.tree_.node_count - 1
    figure, ax = plt.subplots()
    assert len(plot_tree(fitted, ax=ax)) >= model.tree_.node_count
    figure.canvas.draw()


@pytest.mark.filterwarnings("ignore")  # of the library
def test_shap_explains_the_tree(cancer):
    shap = pytest.importorskip("shap")
    model, X, _ = cancer
    rows = X.iloc[:20]
    explainer = shap.TreeExplainer(to_sklearn(model.tree_, X))
    values = explainer.shap_values(rows, check_additivity=True)
    total = np.asarray(values)[..., 1].sum(axis=1) + explainer.expected_value[1]
    np.testing.assert_allclose(total, model.predict_proba(rows)[:, 1], atol=1e-9)
    used = {split.column for split in model.tree_.splits if split is not None}
    unused = [j for j in range(X.shape[1]) if j not in used]
    assert np.abs(np.asarray(values)[:, unused]).max() == 0


@pytest.mark.filterwarnings("ignore")  # of the library
def test_dtreeviz_reads_the_tree(cancer):
    dtreeviz = pytest.importorskip("dtreeviz")
    model, X, y = cancer
    viz = dtreeviz.model(
        to_sklearn(model.tree_, X),
        X_train=X,
        y_train=y,
        feature_names=list(X.columns),
        class_names=["0", "1"],
    )
    assert viz.shadow_tree.nnodes() == model.tree_.node_count
    used = [X.columns[split.column] for split in model.tree_.splits if split is not None]
    assert any(name in viz.explain_prediction_path(X.iloc[0].to_numpy()) for name in used)


@pytest.mark.filterwarnings("ignore")  # of the library
def test_shap_takes_trees_without_rows():
    shap = pytest.importorskip("shap")
    made = threshold_tree()
    empty = replace(
        made.tree,
        value=np.zeros_like(made.tree.value),
        n_node_samples=np.zeros_like(made.tree.n_node_samples),
    )
    fitted = to_sklearn(empty)
    X = np.nan_to_num(made.X)
    assert fitted.predict(X).tolist() == empty.predict(X).tolist()
    values = np.asarray(shap.TreeExplainer(fitted).shap_values(X))
    assert np.isfinite(values).all()


def test_one_leaf_one_class_and_regression():
    one = OptimalTreeClassifier().fit([[0.0], [1.0]], ["only", "only"])
    assert to_sklearn(one.tree_).predict([[5.0]]).tolist() == ["only"]
    made = threshold_tree()
    number = replace(
        made.tree, classes=None, value=np.random.default_rng(0).normal(size=(made.tree.node_count, 1))
    )
    fitted = to_sklearn(number)
    assert isinstance(fitted, DecisionTreeRegressor)
    X = float32_rows(made.X)
    assert fitted.predict(X).tolist() == number.predict(X).tolist()


# ----------------------------------------------------------------------------------------- from sklearn


def assert_same_tree(tree: Tree, model, X):
    wild = np.concatenate([X, X + 1e-9 * np.abs(X), X.astype(np.float32)])
    finite = [s for s in tree.splits if s is not None and np.isfinite(s.threshold)]
    thresholds = np.array([s.threshold for s in finite])
    for edges in (thresholds, np.nextafter(thresholds, np.inf)):
        rows = X[np.arange(len(edges)) % len(X)].copy()
        columns = [s.column for s in finite]
        rows[np.arange(len(edges)), columns] = edges
        wild = np.concatenate([wild, rows])
    np.testing.assert_array_equal(tree.predict(wild), model.predict(wild))
    return wild


@pytest.mark.parametrize("options", [{}, {"max_leaf_nodes": 9}, {"max_depth": 1}])
@pytest.mark.parametrize("kind", [DecisionTreeClassifier, ExtraTreeClassifier, DecisionTreeRegressor])
def test_from_sklearn(kind, options):
    X, y = load_iris(return_X_y=True)
    X = X + np.random.default_rng(0).normal(scale=1e-4, size=X.shape)  # numbers that float32 rounds
    X[::7, 2] = np.nan
    model = kind(random_state=0, **options).fit(X, y)
    tree = from_sklearn(model)
    wild = assert_same_tree(tree, model, X)
    if tree.classes is not None:
        np.testing.assert_allclose(tree.predict_proba(wild), model.predict_proba(wild), rtol=1e-12)
    assert tree.n_leaves == model.get_n_leaves()
    assert tree.depth == model.get_depth()
    below = [
        (n, int(c))
        for side in (tree.children_left, tree.children_right)
        for n, c in enumerate(side)
        if c >= 0
    ]
    assert sorted(child for _, child in below) == list(range(1, tree.node_count))
    assert all(tree.children_left[n] == n + 1 for n in range(tree.node_count) if tree.splits[n] is not None)
    again = to_sklearn(tree, wild)
    np.testing.assert_array_equal(again.predict(wild), model.predict(wild))


def test_a_member_of_a_forest_takes_the_forests_labels():
    X, y = load_iris(return_X_y=True, as_frame=True)
    names = load_iris().target_names[y]
    forest = RandomForestClassifier(3, max_depth=3, random_state=0).fit(X, names)
    tree = from_sklearn(forest.estimators_[1], classes=forest.classes_, feature_names=list(X.columns))
    codes = forest.estimators_[1].predict(X.to_numpy()).astype(int)
    assert tree.predict(X.to_numpy()).tolist() == forest.classes_[codes].tolist()
    assert [column.name for column in tree.columns] == list(X.columns)
    kept = from_sklearn(forest.estimators_[1], inputs="float32")
    assert [s.threshold for s in kept.splits if s] != [s.threshold for s in tree.splits if s]


def test_what_cannot_be_read():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(InputError, match="not fitted"):
        from_sklearn(DecisionTreeClassifier())
    with pytest.raises(InputError, match="one of its estimators_"):
        from_sklearn(RandomForestClassifier(2).fit(X, y))
    with pytest.raises(InputError, match="2 outputs"):
        from_sklearn(DecisionTreeClassifier().fit(X, np.column_stack([y, y])))
    model = DecisionTreeClassifier().fit(X, y)
    with pytest.raises(InputError, match="classes has shape"):
        from_sklearn(model, classes=["a"])
    with pytest.raises(InputError, match="feature_names has 1"):
        from_sklearn(model, feature_names=["a"])
    with pytest.raises(InputError, match="inputs must be"):
        from_sklearn(model, inputs="float16")
    with pytest.raises(InputError, match="leave classes out"):
        from_sklearn(DecisionTreeRegressor().fit(X, y), classes=[1])


@pytest.mark.parametrize("write", [to_sklearn, to_sklearn_pipeline])
def test_lines_in_leaves_are_refused(write):
    tree = make_tree(3, 4).tree
    numbers = replace(tree, classes=None, value=np.zeros((tree.node_count, 1)))
    line = Line((0,), (0.0,), ((1.0,),), (0.0,), (1.0,), 2.0)
    lines = tuple(line if split is None else None for split in tree.splits)
    with pytest.raises(InputError, match="lines in its leaves, but scikit-learn's trees hold constants"):
        write(replace(numbers, lines=lines))
    assert (
        write(replace(make_tree(0, 1).tree, classes=None, value=np.zeros((1, 1)), lines=(None,))) is not None
    )
