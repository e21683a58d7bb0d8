"""Ensemble.predict equals the library's own predict on every row, boundary and missing values included."""

import json
import re

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from treewright import OptimalTreeClassifier
from treewright.bornagain import Ensemble, solve, solve_active
from treewright.convert import NumberEnsemble, float32_threshold
from treewright.errors import InputError, ModelFileError
from treewright.verify import check_faithful

NO_MISSING_RULE = ("AdaBoostClassifier", "GradientBoostingClassifier")


def models():
    return [
        RandomForestClassifier(6, max_depth=3, random_state=0),
        ExtraTreesClassifier(6, max_depth=3, random_state=0),
        DecisionTreeClassifier(max_depth=3, random_state=0),
        BaggingClassifier(n_estimators=5, max_features=0.5, max_samples=12, random_state=0),
        AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=6, random_state=0),
        GradientBoostingClassifier(n_estimators=8, max_depth=2, random_state=0),
        HistGradientBoostingClassifier(max_iter=4, max_depth=3, max_bins=32),
    ]


def boosters():
    xgboost = pytest.importorskip("xgboost", reason="XGBoost is not installed")
    lightgbm = pytest.importorskip("lightgbm", reason="LightGBM is not installed")
    return {
        "xgboost": xgboost.XGBClassifier(n_estimators=8, max_depth=3, n_jobs=1),
        "lightgbm": lightgbm.LGBMClassifier(n_estimators=8, max_depth=3, verbose=-1, n_jobs=1),
    }


def probes(ensemble, X, missing):
    """Training rows, random rows, and rows whose values sit on thresholds, just beside them, and beyond."""
    rng = np.random.default_rng(0)
    random = rng.uniform(X.min(axis=0) - 0.1, X.max(axis=0) + 0.1, (3000, X.shape[1]))
    edges = random.copy()
    for f, t in enumerate(ensemble.thresholds):
        if len(t):
            v = rng.choice(t, len(edges))
            kind = rng.integers(0, 6, len(edges))
            for k, w in enumerate(
                (v, np.nextafter(v, np.inf), np.nextafter(v, -np.inf), v.astype(np.float32), np.round(v, 3))
            ):
                edges[kind == k, f] = w[kind == k]
    blocks = [X, random, edges]
    if missing:
        blocks.append(np.where(rng.random(edges.shape) < 0.15, np.nan, edges))
    return blocks


def check(model, X, y):
    model.fit(X, y)
    for missing in ("refuse", "route"):
        if missing == "route" and type(model).__name__ in NO_MISSING_RULE:
            continue
        ensemble = Ensemble.from_model(model, missing=missing)
        for rows in probes(ensemble, X, missing == "route"):
            np.testing.assert_array_equal(ensemble.predict(rows), model.predict(rows))


@pytest.mark.parametrize("model", models(), ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("load", [load_breast_cancer, load_iris], ids=["two classes", "three classes"])
def test_scikit_learn(model, load):
    X, y = load(return_X_y=True)
    check(model, X, np.array(["a", "b", "c"])[y])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("library", ["xgboost", "lightgbm"])
@pytest.mark.parametrize("load", [load_breast_cancer, load_iris], ids=["two classes", "three classes"])
def test_boosting_libraries(library, load, tmp_path):
    X, y = load(return_X_y=True)
    model = boosters()[library]
    check(model, X, y)
    booster = model.get_booster() if library == "xgboost" else model.booster_
    path = tmp_path / ("model.json" if library == "xgboost" else "model.txt")
    booster.save_model(path)
    for ensemble in (Ensemble.load(path), Ensemble.from_model(booster)):
        np.testing.assert_array_equal(ensemble.predict(X), model.predict(X))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("library", ["xgboost", "lightgbm"])
def test_early_stopping_keeps_the_best_iteration(library):
    X, y = load_breast_cancer(return_X_y=True)
    rng = np.random.default_rng(0)
    noisy = np.where(rng.random(len(y)) < 0.3, 1 - y, y)
    model = boosters()[library]
    model.set_params(n_estimators=60)
    if library == "xgboost":
        model.set_params(early_stopping_rounds=3)
        model.fit(X[:300], noisy[:300], eval_set=[(X[300:], noisy[300:])], verbose=False)
        best = model.best_iteration + 1
    else:
        import lightgbm

        callback = lightgbm.early_stopping(3, verbose=False)
        model.fit(X[:300], noisy[:300], eval_set=[(X[300:], noisy[300:])], callbacks=[callback])
        best = model.best_iteration_
    ensemble = Ensemble.from_model(model)
    assert len(ensemble.trees) == best < 60
    np.testing.assert_array_equal(ensemble.predict(X), model.predict(X))


@pytest.mark.parametrize("route", ["refuse", "route"])
@pytest.mark.parametrize("model", [models()[0], models()[1], models()[6]], ids=lambda m: type(m).__name__)
def test_trees_of_models_trained_with_missing_values(model, route):
    X, y = load_iris(return_X_y=True)
    rng = np.random.default_rng(0)
    X = np.round(X)
    X[rng.random(X.shape) < 0.2] = np.nan
    few = "max_iter" if hasattr(model, "max_iter") else "n_estimators"
    small = model.set_params(max_depth=2, **{few: 2})
    small.fit(X, y)
    ensemble = Ensemble.from_model(small, missing=route)
    if route == "refuse":
        with pytest.raises(InputError, match="missing"):
            ensemble.predict(X)
        return
    for goal in ("leaves", "heuristic"):
        tree = solve(ensemble, objective=goal).tree
        np.testing.assert_array_equal(tree.predict(X), small.predict(X))
        assert check_faithful(tree, ensemble).faithful
    active = solve_active(ensemble, X).tree
    np.testing.assert_array_equal(active.predict(X), small.predict(X))


def test_float32_rows_keep_the_models_thresholds():
    X, y = load_iris(return_X_y=True)
    X = X.astype(np.float32).astype(np.float64)
    forest = RandomForestClassifier(3, max_depth=2, random_state=0).fit(X, y)
    ensemble = Ensemble.from_model(forest, inputs="float32")
    own = np.unique(np.concatenate([t.tree_.threshold[t.tree_.feature >= 0] for t in forest.estimators_]))
    assert set(np.concatenate(ensemble.thresholds)) == set(own)
    np.testing.assert_array_equal(ensemble.predict(X), forest.predict(X))
    assert "float32" in solve(ensemble).scope


def test_moved_threshold_is_the_last_value_that_rounds_below():
    rng = np.random.default_rng(0)
    wide = rng.normal(size=300) * 10.0 ** rng.integers(-30, 30, 300)
    t = np.concatenate([wide, [0.0, 0.5, 5.5, -2.0, 1e-45, 1e38]])
    moved = float32_threshold(t)
    with np.errstate(under="ignore"):
        assert (moved.astype(np.float32) <= t).all()
        assert (np.nextafter(moved, np.inf).astype(np.float32) > t).all()


def test_hard_votes_of_a_forest():
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(7, max_depth=2, random_state=0).fit(X, y)
    votes = np.array([tree.predict(X) for tree in forest.estimators_]).astype(int)
    expected = np.argmax([(votes == k).sum(axis=0) for k in range(3)], axis=0)
    np.testing.assert_array_equal(Ensemble.from_model(forest).as_hard_vote().predict(X), expected)


def test_what_cannot_be_read_is_named():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(InputError, match="not fitted"):
        Ensemble.from_model(RandomForestClassifier())
    with pytest.raises(InputError, match="needs a classifier"):
        Ensemble.from_model(RandomForestRegressor(2).fit(X, y))
    with pytest.raises(InputError, match="cannot be read"):
        Ensemble.from_model(LogisticRegression(max_iter=1000).fit(X, y))
    with pytest.raises(InputError, match="made of LogisticRegression"):
        Ensemble.from_model(BaggingClassifier(LogisticRegression(max_iter=1000), n_estimators=2).fit(X, y))
    with pytest.raises(InputError, match="outputs"):
        Ensemble.from_model(RandomForestClassifier(2).fit(X, np.column_stack([y, y])))
    start = LogisticRegression(max_iter=1000)
    with pytest.raises(InputError, match="LogisticRegression"):
        Ensemble.from_model(GradientBoostingClassifier(init=start, n_estimators=2).fit(X, y))
    with pytest.raises(InputError, match="no rule for missing"):
        Ensemble.from_model(GradientBoostingClassifier(n_estimators=2).fit(X, y), missing="route")
    with pytest.raises(InputError, match="missing must be"):
        Ensemble.from_model(RandomForestClassifier(2).fit(X, y), missing="guess")
    kinds = HistGradientBoostingClassifier(max_iter=2, categorical_features=[1]).fit(np.round(X), y)
    with pytest.raises(InputError, match="'x1'"):
        Ensemble.from_model(kinds)


@pytest.mark.filterwarnings("ignore")
def test_categorical_splits_of_boosting_libraries_are_named():
    lightgbm = pytest.importorskip("lightgbm")
    xgboost = pytest.importorskip("xgboost")
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 8, 600)
    y = np.isin(kind, [1, 3, 6]).astype(int)
    X = pandas.DataFrame({"size": rng.normal(size=600), "kind": pandas.Categorical(kind)})
    options = {"n_estimators": 3, "verbose": -1, "min_child_samples": 1, "min_data_per_group": 1}
    model = lightgbm.LGBMClassifier(**options).fit(X, y)
    with pytest.raises(InputError, match="'kind'"):
        Ensemble.from_model(model)
    model = xgboost.XGBClassifier(n_estimators=3, enable_categorical=True, max_cat_to_onehot=1).fit(X, y)
    with pytest.raises(InputError, match="'kind'"):
        Ensemble.from_model(model)


FOREST = """DATASET_NAME: tiny.csv
ENSEMBLE: RF
NB_TREES: 2
NB_FEATURES: 2
NB_CLASSES: 2
MAX_TREE_DEPTH: 3
Format: node / node type / left child / right child / feature / threshold / node_depth / majority class

[TREE 0]
NB_NODES: 3
0 IN 1 2 0 0.5 0 -1
1 LN -1 -1 -1 -1 1 0
2 LN -1 -1 -1 -1 1 1

[TREE 1]
NB_NODES: 1
0 LN -1 -1 -1 -1 0 1
"""


def write(tmp_path, text):
    path = tmp_path / "tiny.RF1.txt"
    path.write_text(text)
    return path


def test_forest_file(tmp_path):
    ensemble = Ensemble.load(write(tmp_path, FOREST))
    assert (len(ensemble.trees), ensemble.n_features, ensemble.n_leaves) == (2, 2, 3)
    # A tie goes to the smaller class index; x <= t goes left.
    np.testing.assert_array_equal(ensemble.predict([[0.5, 0], [0.6, 0]]), [0, 1])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t[: t.index("[TREE 1]")], "cut short"),
        (lambda t: t[: t.index("2 LN")], "cut short"),
        (lambda t: t[:30], "none of the known"),
        (lambda t: t.replace("NB_CLASSES: 2", "NB_CLASSES: two"), "NB_CLASSES"),
        (lambda t: t.replace("NB_NODES: 1\n0 LN", "NB_NODES: 1\n0 XX"), "Line 17"),
        (lambda t: t.replace("IN 1 2 0", "IN 1 9 0"), "out of range"),
        (lambda t: t.replace("IN 1 2 0", "IN 1 2 7"), "out of range"),
        (lambda t: t.replace("1 LN -1 -1 -1 -1 1 0", "1 LN -1 -1 -1 -1 1 5"), "class 5"),
        (lambda t: t.replace("0 0.5 0", "0 nan 0"), "not a finite number"),
        (lambda t: t.replace("[TREE 1]", "[TREE 3]"), "expected \\[TREE 1\\]"),
    ],
)
def test_damaged_forest_files_are_refused(tmp_path, change, message):
    with pytest.raises(ModelFileError, match=message):
        Ensemble.load(write(tmp_path, change(FOREST)))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("library", ["xgboost", "lightgbm"])
def test_damaged_model_files_are_refused(library, tmp_path):
    X, y = load_iris(return_X_y=True)
    model = boosters()[library].fit(X, y)
    booster = model.get_booster() if library == "xgboost" else model.booster_
    path = tmp_path / ("model.json" if library == "xgboost" else "model.txt")
    booster.save_model(path)
    text = path.read_text()
    path.write_text(text[: len(text) // 2])
    with pytest.raises(ModelFileError, match=re.escape(path.name)):
        Ensemble.load(path)
    if library == "xgboost":
        content = json.loads(text)
        content["learner"]["objective"]["name"] = "reg:squarederror"
        path.write_text(json.dumps(content))
        with pytest.raises(InputError, match="reg:squarederror"):
            Ensemble.load(path)
    with pytest.raises(InputError, match=r"Cannot read the model file .*nowhere\.json"):
        Ensemble.load(tmp_path / "nowhere.json")


def test_a_class_that_some_trees_never_saw():
    X, y = load_iris(return_X_y=True)

    class Unweighted(DecisionTreeClassifier):  # without sample weights bagging really drops rows
        def fit(self, X, y):
            return super().fit(X, y)

    bag = BaggingClassifier(Unweighted(), n_estimators=8, max_samples=3, random_state=0).fit(X, y)
    assert any(len(tree.classes_) < 3 for tree in bag.estimators_)
    ensemble = Ensemble.from_model(bag)
    np.testing.assert_array_equal(ensemble.predict(X), bag.predict(X))
    tree = solve(ensemble, objective="leaves").tree
    assert check_faithful(tree, ensemble).faithful


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_lightgbm_reads_tiny_values_as_zero(n_classes, missing):
    lightgbm = pytest.importorskip("lightgbm")
    zero = float(np.float32(1e-35))  # the library drops values of at most this size when it predicts
    rng = np.random.default_rng(0)
    X = rng.choice([-1.0, -zero * 2, -1e-35, 0.0, 1e-35, zero * 2, 1.0], (600, 3))
    y = (np.sign(X[:, 0]) + 2 * (X[:, 1] < 0) + (X[:, 2] > 0)).astype(int) % n_classes
    if missing:
        X[rng.random(X.shape) < 0.1] = np.nan
    options = {"min_child_samples": 1, "min_data_in_bin": 1, "min_split_gain": 0.0, "n_jobs": 1}
    model = lightgbm.LGBMClassifier(n_estimators=5, verbose=-1, **options).fit(X, y)
    cuts = np.concatenate([tree.threshold for tree in Ensemble.from_model(model).trees])
    assert (np.abs(cuts[cuts != 0]) < 1e-34).any()
    base = np.array([0.0, 5e-324, 1e-36, 1e-35, zero, 2 * zero, 1.0])
    base = np.concatenate([base, np.nextafter(base, np.inf), np.nextafter(base, 0)])
    rows = rng.choice(np.concatenate([base, -base, [np.nan] * missing]), (4000, 3))
    ensemble = Ensemble.from_model(model, missing="route" if missing else "refuse")
    np.testing.assert_array_equal(ensemble.predict(rows), model.predict(rows))


def test_wrappers_that_decide_like_the_model_inside_are_opened():
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(3, max_depth=2, random_state=0)
    search = GridSearchCV(forest, {"max_depth": [1, 2]}, cv=2).fit(X, y)
    pipeline = Pipeline([("nothing", "passthrough"), ("forest", forest)]).fit(X, y)
    nested = GridSearchCV(pipeline, {"forest__max_depth": [1, 3]}, cv=2).fit(X, y)
    for model in (search, pipeline, nested, FrozenEstimator(search)):
        np.testing.assert_array_equal(Ensemble.from_model(model).predict(X), model.predict(X))


@pytest.mark.parametrize(
    ("wrap", "advice"),
    [
        (lambda forest: CalibratedClassifierCV(forest, cv=2), "calibrated_classifiers_"),
        (
            lambda forest: VotingClassifier([("a", forest), ("b", forest)]),
            'faithful="rows"',
        ),
        (lambda forest: StackingClassifier([("a", forest)], cv=2), 'faithful="rows"'),
        (lambda forest: FixedThresholdClassifier(forest, threshold=0.3), "model.estimator_"),
        (lambda forest: OneVsRestClassifier(forest), "tree ensembles take them"),
        (
            lambda forest: make_pipeline(StandardScaler(), forest),
            r"'standardscaler' .* pipeline\[:-1\].transform",
        ),
        (lambda forest: GridSearchCV(forest, {"max_depth": [1, 2]}, cv=2, refit=False), "refit=True"),
    ],
)
def test_wrappers_that_decide_otherwise_are_refused_with_advice(wrap, advice):
    X, y = load_iris(return_X_y=True)
    X, y = X[y < 2], y[y < 2]
    model = wrap(RandomForestClassifier(3, max_depth=2, random_state=0)).fit(X, y)
    with pytest.raises(InputError, match=advice):
        Ensemble.from_model(model)


def one_leaf_value_per_class(xgboost, objective, sums):
    """A model of XGBoost that gives every row these sums."""
    X = np.arange(30.0)[:, None]
    config = {"objective": objective, "num_class": len(sums), "max_depth": 1}
    booster = xgboost.train(config, xgboost.DMatrix(X, label=np.arange(30) % len(sums)), num_boost_round=1)
    model = json.loads(booster.save_raw("json"))
    for tree, value in zip(model["learner"]["gradient_booster"]["model"]["trees"], sums, strict=True):
        for node, child in enumerate(tree["left_children"]):
            if child < 0:
                tree["split_conditions"][node] = float(value)
    model["learner"]["learner_model_param"]["base_score"] = str([0.0] * len(sums))
    booster.load_model(bytearray(json.dumps(model).encode()))
    return booster, xgboost.DMatrix(X)


@pytest.mark.parametrize("objective", ["multi:softmax", "multi:softprob"])
def test_sums_of_xgboost_that_differ_in_their_last_bits(objective):
    xgboost = pytest.importorskip("xgboost", reason="XGBoost is not installed")
    rng = np.random.default_rng(0)
    for _ in range(150):
        start = np.float32(rng.choice([0.01, 0.3, 0.7, 1.3, 2.9, 30.0]) * rng.random())
        steps = rng.integers(0, 6, size=3)
        sums = start + np.spacing(start) * steps.astype(np.float32)
        booster, rows = one_leaf_value_per_class(xgboost, objective, sums)
        said = booster.predict(rows)
        own = said if objective == "multi:softmax" else said.argmax(axis=1)
        assert Ensemble.from_model(booster).predict([[0.0]])[0] == own[0], sums


def test_two_classes_of_xgboost_next_to_one_half():
    xgboost = pytest.importorskip("xgboost", reason="XGBoost is not installed")
    rng = np.random.default_rng(0)
    X = rng.random((400, 3))
    config = {"objective": "binary:logistic", "max_depth": 8, "base_score": 0.5}
    booster = xgboost.train(config, xgboost.DMatrix(X, label=rng.integers(0, 2, 400)), num_boost_round=1)
    model = json.loads(booster.save_raw("json"))
    tree = model["learner"]["gradient_booster"]["model"]["trees"][0]
    leaves = [node for node, child in enumerate(tree["left_children"]) if child < 0]
    for node, value in zip(leaves, np.linspace(8e-8, 1.4e-7, len(leaves), dtype=np.float32), strict=True):
        tree["split_conditions"][node] = float(value)
    booster.load_model(bytearray(json.dumps(model).encode()))
    own = booster.predict(xgboost.DMatrix(X)) > 0.5
    assert 0 < own.sum() < len(own)
    np.testing.assert_array_equal(Ensemble.from_model(booster).predict(X), own)


@pytest.mark.parametrize("kind", ["XGBClassifier", "XGBRegressor"])
@pytest.mark.parametrize("missing", [0.0, -999, np.inf])
def test_another_missing_value_than_nan_is_refused(kind, missing):
    xgboost = pytest.importorskip("xgboost", reason="XGBoost is not installed")
    X = np.tile([[0.0], [1.0], [2.0], [3.0]], (10, 1))
    y = (X[:, 0] > 1).astype(int)
    reader = Ensemble if kind == "XGBClassifier" else NumberEnsemble
    with pytest.raises(InputError, match=re.escape(f"{kind} was fitted with missing={missing!r}")):
        reader.from_model(getattr(xgboost, kind)(n_estimators=2, missing=missing).fit(X, y))
    plain = getattr(xgboost, kind)(n_estimators=2, missing=np.nan).fit(X, y)
    np.testing.assert_allclose(reader.from_model(plain).predict(X), plain.predict(X), rtol=1e-5)


def test_lightgbm_that_leaves_trees_out_is_refused():
    lightgbm = pytest.importorskip("lightgbm", reason="LightGBM is not installed")
    X, y = load_breast_cancer(return_X_y=True)
    model = lightgbm.LGBMClassifier(n_estimators=3, verbose=-1, pred_early_stop=True).fit(X, y)
    with pytest.raises(InputError, match=r"pred_early_stop=True.*set_params\(pred_early_stop=False\)"):
        Ensemble.from_model(model)
    model.set_params(pred_early_stop=False)
    np.testing.assert_array_equal(Ensemble.from_model(model).predict(X), model.predict(X))


@pytest.mark.parametrize("kind", [BaggingClassifier, AdaBoostClassifier])
def test_members_that_are_trees_of_another_library_are_named(kind):
    X, y = load_iris(return_X_y=True)
    model = kind(OptimalTreeClassifier(max_depth=1), n_estimators=2).fit(X, y)
    with pytest.raises(InputError, match=f"{kind.__name__} is made of OptimalTreeClassifier"):
        Ensemble.from_model(model)


@pytest.mark.parametrize("score", [1e-30, 1e-7, 1e-6, 0.002, 0.5, 0.99, 1 - 1e-6, 1 - 1e-7])
def test_sums_start_where_those_of_xgboost_do(score):
    xgboost = pytest.importorskip("xgboost", reason="XGBoost is not installed")
    X = np.arange(20.0)[:, None]
    rows = xgboost.DMatrix(X, label=np.arange(20) % 2)
    booster = xgboost.train({"objective": "binary:logistic", "max_depth": 2}, rows, num_boost_round=2)
    model = json.loads(booster.save_raw("json"))
    model["learner"]["learner_model_param"]["base_score"] = f"[{score}]"
    booster.load_model(bytearray(json.dumps(model).encode()))
    ensemble = Ensemble.from_model(booster)
    own = booster.predict(rows, output_margin=True)
    np.testing.assert_array_equal(ensemble.scores(X)[:, 0].astype(np.float32), own)
