"""Any single tree as the top: trees of scikit-learn decide alike to the last bit, bad tops are refused."""

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier

from treewright import HybridTreeClassifier, OptimalTreeClassifier
from treewright.errors import InputError
from treewright.leaf_accuracy._inputs import Inputs
from treewright.leaf_accuracy._top import make_top, tree_of_sklearn
from treewright.table import encode_like, table_from
from treewright.tree import CategorySplit, Column, ColumnKind, describe


def made(seed, n_rows=300, missing=0.0, n_classes=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 4))
    X[:, 1] = np.round(X[:, 1] * 2)
    y = (X[:, 0] > 0).astype(int) + (X[:, 1] * X[:, 2] > 0.5) * (n_classes > 2)
    X[rng.random(X.shape) < missing] = np.nan
    return X, np.where(rng.random(n_rows) < 0.1, 0, y)


@pytest.mark.parametrize("kind", [DecisionTreeClassifier, ExtraTreeClassifier])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_trees_of_sklearn_decide_alike(kind, missing):
    for seed in range(20):
        X, y = made(seed, missing=missing)
        rng = np.random.default_rng(seed)
        model = kind(
            max_leaf_nodes=[None, 9][seed % 2],  # best-first numbers of the nodes
            min_samples_leaf=3,
            class_weight=[None, "balanced"][seed // 2 % 2],
            random_state=seed,
        ).fit(X, y, sample_weight=rng.integers(1, 4, len(y)))
        columns = tuple(Column(f"x{j}", ColumnKind.CONTINUOUS) for j in range(4))
        tree = tree_of_sklearn(model, columns, Inputs.of(columns))
        # Rows on both sides of every threshold, as close as float32 and float64 have neighbours.
        near = [X]
        for t, j in zip(model.tree_.threshold, model.tree_.feature, strict=True):
            for x in (t, np.nextafter(t, np.inf), np.nextafter(np.float32(t), np.float32(np.inf))):
                row = X[rng.integers(len(X))].copy()
                row[max(j, 0)] = x
                near.append(row[None])
        rows = np.concatenate(near)
        rows = rows[~np.isinf(rows).any(axis=1)]  # "known or missing" has an infinite threshold
        assert np.array_equal(tree.predict(rows), model.predict(rows))
        assert np.allclose(tree.predict_proba(rows), model.predict_proba(rows))
        assert tree.n_leaves == model.get_n_leaves()
        assert tree.depth == model.get_depth()
        parents = [k for k in range(tree.node_count) if not tree.is_leaf[k]]
        assert all(tree.children_left[k] == k + 1 for k in parents)  # depth-first, left before right


def test_a_tree_of_sklearn_fitted_here_takes_categories_and_missing_values():
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "blue", "green", None], 400)
    size = np.where(rng.random(400) < 0.1, np.nan, rng.normal(size=400))
    y = np.where((colour == "red") | (size > 1), "yes", "no")
    frame = pd.DataFrame({"colour": colour, "size": size})
    top = make_top(DecisionTreeClassifier(max_depth=3), frame, y)
    splits = [split for split in top.tree.splits if split is not None]
    assert CategorySplit(0, (table_from(frame).columns[0].categories.index("red"),)) in splits
    encoded = encode_like(frame, top.tree.columns)
    assert (top.tree.predict(encoded) == y).mean() > 0.95
    inputs = Inputs.of(top.tree.columns).matrix(encoded)
    assert np.array_equal(top.tree.predict(encoded), top.model.predict(inputs))
    assert top.result is None


@pytest.mark.parametrize("ordered", [True, False])
def test_a_tree_of_sklearn_asks_whether_a_word_is_known(ordered):
    words = ["small", None, "large", None] * 2
    X = pd.DataFrame({"size": pd.Categorical(words, ["small", "large"], ordered=ordered)})
    model = HybridTreeClassifier(top=DecisionTreeClassifier(max_depth=1)).fit(X, [True, False] * 4)
    assert [describe(split, model.tree_.columns) for split in model.tree_.splits if split] == [
        "size is known"
    ]
    assert model.tree_.predict(encode_like(X, model.tree_.columns)).tolist() == [True, False] * 4


def test_inputs_of_categories():
    table = table_from([["red", 1.5], ["blue", None], [None, 2.0]], feature_names=["colour", "size"])
    expected = [[1, 0, 1.5], [0, 1, np.nan], [np.nan, np.nan, 2.0]]  # blue, red, size
    assert np.array_equal(Inputs.of(table.columns).matrix(table.X), expected, equal_nan=True)
    numbers = table_from([[1.0, 2.0], [3.0, 4.0]])
    assert Inputs.of(numbers.columns).matrix(numbers.X) is numbers.X


@pytest.mark.parametrize("of", ["tree", "fitted", "unfitted", "frozen", "search"])
@pytest.mark.parametrize("ours", [True, False])
def test_all_ways_to_give_a_top(of, ours):
    X, y = made(1)
    plain = (
        OptimalTreeClassifier(0.02, max_depth=2, thresholds=5)
        if ours
        else DecisionTreeClassifier(max_depth=2)
    )
    fitted = type(plain)(**plain.get_params()).fit(X, y)
    top = {
        "tree": fitted.tree_ if ours else make_top(fitted, X, y).tree,
        "fitted": fitted,
        "unfitted": plain,
        "frozen": FrozenEstimator(fitted),
        "search": GridSearchCV(plain, {"max_depth": [2]}, cv=2),
    }[of]
    made_top = make_top(top, X, y)
    encoded = encode_like(X, made_top.tree.columns)
    assert np.array_equal(made_top.tree.predict(encoded), fitted.predict(X))
    assert (made_top.result is not None) == (ours and of != "tree")
    assert (made_top.model is None) == (of == "tree")
    assert hasattr(plain, "tree_") is False  # an unfitted top is cloned


@pytest.mark.filterwarnings("ignore::treewright.errors.NoGainWarning")  # a top of other data gains nothing
def test_a_fitted_top_is_not_fitted_again():
    X, y = made(2)
    other_X, other_y = made(3)
    top = DecisionTreeClassifier(max_depth=2, random_state=0).fit(other_X, other_y)
    model = HybridTreeClassifier(top, reduce=False).fit(X, y)
    assert model.top_ is top
    assert np.array_equal(model.tree_.predict(X), top.predict(X))


def test_names_of_a_fitted_tree_of_sklearn():
    X, y = made(4)
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    named = DecisionTreeClassifier(max_depth=2).fit(frame, y)
    assert [column.name for column in make_top(named, frame, y).tree.columns] == ["a", "b", "c", "d"]
    nameless = DecisionTreeClassifier(max_depth=2).fit(X, y)
    assert [column.name for column in make_top(nameless, frame, y).tree.columns] == ["a", "b", "c", "d"]
    model = HybridTreeClassifier(named)
    with pytest.raises(InputError, match="same names in another order"):
        model.fit(frame[["b", "a", "c", "d"]], y)


def test_the_seed_reaches_a_top_without_one():
    X, y = made(5)
    splitter = ExtraTreeClassifier(max_depth=3)
    first, again, other = (make_top(splitter, X, y, random_state=seed).tree.splits for seed in (1, 1, 2))
    assert first == again != other
    own = ExtraTreeClassifier(max_depth=3, random_state=7)
    assert make_top(own, X, y, random_state=1).tree.splits == make_top(own, X, y, random_state=2).tree.splits


@pytest.mark.parametrize(
    ("top", "message"),
    [
        (RandomForestClassifier(), "many trees"),
        (DecisionTreeRegressor(), "predicts numbers"),
        (LogisticRegression(), "no single tree"),
        (make_pipeline(StandardScaler(), DecisionTreeClassifier()), "Pipeline, which has no single tree"),
        (
            CalibratedClassifierCV(DecisionTreeClassifier()),
            "CalibratedClassifierCV, which has no single tree",
        ),
        (DecisionTreeClassifier, "the class DecisionTreeClassifier"),
        ("cart", "'cart'"),
        (3, "top is 3"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_bad_tops(top, message):
    X, y = made(6)
    with pytest.raises(InputError, match=message) as caught:
        HybridTreeClassifier(top).fit(X, y)
    assert "DecisionTreeClassifier" in str(caught.value)  # what is accepted


def test_tops_of_other_columns_or_labels():
    X, y = made(7)
    narrow = DecisionTreeClassifier(max_depth=2).fit(X[:, :2], y)
    with pytest.raises(InputError, match=r"X has 4 features, but The tree on top is expecting 2"):
        HybridTreeClassifier(narrow).fit(X, y)
    top = DecisionTreeClassifier(max_depth=2).fit(X, y)
    with pytest.raises(InputError, match=r"labels that are not known here: 'a', 'b'. Known are 0, 1, 2"):
        HybridTreeClassifier(top).fit(X, np.where(y == 0, "a", "b"))
    two = DecisionTreeClassifier().fit(X, np.stack([y, y], axis=1))
    with pytest.raises(InputError, match="2 outputs"):
        HybridTreeClassifier(two).fit(X, y)


def test_categorical_features_are_for_tops_fitted_here():
    X, y = made(8)
    X[:, 1] = np.abs(X[:, 1])
    model = HybridTreeClassifier(categorical_features=[1], tune=None).fit(X, y)
    assert model.tree_.columns[1].kind is ColumnKind.CATEGORICAL
    assert model.predict(X).shape == y.shape
    for top in (model.tree_, OptimalTreeClassifier(), DecisionTreeClassifier().fit(X, y)):
        with pytest.raises(InputError, match="categorical_features was given"):
            HybridTreeClassifier(top, categorical_features=[1]).fit(X, y)
