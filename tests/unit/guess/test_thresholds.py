"""Guessed thresholds equal an independent slow re-implementation, and every model is read as it compares."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.tree import DecisionTreeClassifier

from treewright.errors import InputError
from treewright.guess import (
    eliminate_columns,
    faithful_tree,
    guess_splits,
    make_reference,
    thresholds_in_use,
)
from treewright.table import table_from

sys.path.insert(0, str(Path(__file__).parent))
from slow_elimination import slow_elimination


def made(seed: int, n_rows: int, n_columns: int, levels: int | None) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns))
    if levels:
        X = np.floor(rng.random((n_rows, n_columns)) * levels)
    score = X[:, 0] + X[:, 1] * X[:, -1] + rng.normal(size=n_rows)
    return X, (score > np.median(score)).astype(np.int32)


def reference_of(X: np.ndarray, y: np.ndarray, model: object = None, weight: np.ndarray | None = None):  # type: ignore[no-untyped-def]
    weight = np.ones(len(y)) if weight is None else weight
    return make_reference(model, table_from(X), y.astype(np.int32), np.unique(y), weight)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("shape", "n_estimators", "depth", "tolerance"),
    [
        ((200, 4, None), 15, 1, 0.0),
        ((300, 5, 6), 12, 2, 0.0),
        ((150, 6, None), 6, 3, 0.0),
        ((120, 6, 2), 6, 3, 0.02),
        ((60, 3, 3), 5, 2, 0.0),
    ],
)
def test_equals_the_slow_way(
    seed: int, shape: tuple[int, int, int | None], n_estimators: int, depth: int, tolerance: float
) -> None:
    X, y = made(seed, *shape)
    model = GradientBoostingClassifier(n_estimators=n_estimators, max_depth=depth, random_state=0)
    found = eliminate_columns(reference_of(X, y, model), y, np.ones(len(y)), tolerance=tolerance)
    kept, removed = slow_elimination(X, y, n_estimators, depth, tolerance)
    assert [(s.position, s.threshold) for s in found.removed] == removed
    assert [(s.position, s.threshold) for s in found.kept] == kept


def test_the_shorter_way_is_used_where_nothing_ties() -> None:
    """Otherwise the test above would compare scikit-learn with itself."""
    X, y = made(0, 400, 4, None)
    model = GradientBoostingClassifier(n_estimators=15, max_depth=1, random_state=0)
    found = eliminate_columns(reference_of(X, y, model), y, np.ones(len(y)))
    assert found.n_refits > 2
    assert found.n_refits_by_model == 0


def test_whole_weights_are_copies() -> None:
    X, y = made(3, 150, 4, None)
    weight = np.random.default_rng(3).integers(1, 4, 150).astype(float)
    copies = np.repeat(np.arange(150), weight.astype(int))
    model = GradientBoostingClassifier(n_estimators=8, max_depth=2, random_state=0)
    weighted = eliminate_columns(reference_of(X, y, model, weight), y, weight)
    copied = eliminate_columns(reference_of(X[copies], y[copies], model), y[copies], np.ones(len(copies)))
    assert weighted.kept == copied.kept
    assert weighted.removed == copied.removed


def test_performance_never_falls_below_the_tolerance() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    for tolerance in (0.0, 0.01, 0.05):
        model = GradientBoostingClassifier(n_estimators=15, max_depth=2, random_state=0)
        found = eliminate_columns(reference_of(X, y, model), y, np.ones(len(y)), tolerance=tolerance)
        assert found.error_after <= found.error_before + tolerance
        assert found.error_after == pytest.approx(float((found.predictions != y).mean()))


MODELS = [
    DecisionTreeClassifier(max_depth=4, random_state=0),
    RandomForestClassifier(n_estimators=3, max_depth=3, random_state=0),
    ExtraTreesClassifier(n_estimators=3, max_depth=3, random_state=0),
    AdaBoostClassifier(n_estimators=10, random_state=0),
    BaggingClassifier(DecisionTreeClassifier(max_depth=3), n_estimators=3, max_features=0.7, random_state=0),
    GradientBoostingClassifier(n_estimators=4, max_depth=2, random_state=0),
    HistGradientBoostingClassifier(max_iter=3, max_depth=2, min_samples_leaf=5, random_state=0),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("classes", [2, 3])
def test_a_model_is_a_function_of_its_thresholds(model: object, classes: int) -> None:
    """Rows that no threshold of the model separates get the same prediction: nothing was missed."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(120, 4)).round(1)
    y = np.digitize(X[:, 0] + X[:, 1] * X[:, 2], [0, 1][: classes - 1]).astype(np.int32)
    reference = reference_of(X, y, model)
    splits = thresholds_in_use(reference)
    columns = np.array([X[:, s.position] <= s.threshold for s in splits])
    group = np.unique(columns.T, axis=0, return_inverse=True)[1].ravel()
    for g in range(group.max() + 1):
        assert len(np.unique(reference.predictions[group == g])) == 1
    found = eliminate_columns(reference, y, np.ones(len(y)), tolerance=0.02)
    assert 1 <= len(found.kept) <= len(splits)
    assert found.error_after <= found.error_before + 0.02


@pytest.mark.parametrize("package", ["xgboost", "lightgbm"])
def test_other_libraries_by_choice(package: str) -> None:
    module = pytest.importorskip(package)
    X, y = made(2, 400, 4, None)
    model = (
        module.XGBClassifier(n_estimators=8, max_depth=3, n_jobs=1)
        if package == "xgboost"
        else module.LGBMClassifier(n_estimators=8, max_depth=3, n_jobs=1, verbose=-1)
    )
    reference = reference_of(X, y, model)
    columns = np.array([X[:, s.position] <= s.threshold for s in thresholds_in_use(reference)])
    group = np.unique(columns.T, axis=0, return_inverse=True)[1].ravel()
    for g in range(group.max() + 1):
        assert len(np.unique(reference.predictions[group == g])) == 1
    assert len(eliminate_columns(reference, y, np.ones(len(y)), tolerance=0.05).kept) >= 1


@pytest.mark.parametrize("cut", range(1, 10))
def test_thresholds_of_xgboost_are_float32_numbers(cut: int) -> None:
    """Its thresholds are values of the column; in few digits some are above the float32 number that is meant."""
    module = pytest.importorskip("xgboost")
    x = np.tile(np.arange(10) / 10, 20)
    y = (x >= cut / 10).astype(np.int32)
    reference = reference_of(x[:, None], y, module.XGBClassifier(n_estimators=2, max_depth=1, n_jobs=1))
    assert (reference.predictions == y).all()
    (split,) = thresholds_in_use(reference)
    np.testing.assert_array_equal(x <= split.threshold, y == 0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"booster": "gblinear", "verbosity": 0},
            "no trees whose thresholds",
        ),  # else it warns through a callback
        ({"enable_categorical": True, "feature_types": ["c"]}, "splits on categories"),
        ({"booster": "dart"}, None),
        ({"feature_types": ["int"]}, None),
    ],
)
def test_other_kinds_of_xgboost_are_read_or_refused(options: dict, message: str | None) -> None:
    module = pytest.importorskip("xgboost")
    x = np.tile(np.arange(4.0), 20)[:, None]
    y = (x[:, 0] >= 2).astype(np.int32)
    model = module.XGBClassifier(n_estimators=3, max_depth=2, n_jobs=1, **options).fit(x, y)
    reference = make_reference(model, table_from(x), y, np.array([0, 1]), np.ones(len(y)))
    if message is None:
        assert [1 <= split.threshold < 2 for split in thresholds_in_use(reference)] == [True]
    else:
        with pytest.raises(InputError, match=message):
            thresholds_in_use(reference)


def test_a_value_that_float32_rounds_goes_where_the_model_sends_it() -> None:
    """scikit-learn compares float32 values: near a million they are 1/16 apart."""
    values = 1e6 + np.array([0.02, 0.04, 0.11, 0.5])
    X = np.repeat(values, 15)[:, None]
    y = np.repeat([0, 1, 0, 1], 15).astype(np.int32)
    reference = reference_of(X, y, GradientBoostingClassifier(n_estimators=30, max_depth=3))
    assert (reference.predictions == y).all()
    splits = thresholds_in_use(reference)
    assert len(splits) == 3
    for split, low, high in zip(splits, values, values[1:], strict=False):
        assert low <= split.threshold < high


def test_cuts_of_mixed_columns_divide_rows_as_the_reference_does() -> None:
    """Numbers with gaps and words: each kept 0/1 column is one of the cuts, or its complement."""
    rng = np.random.default_rng(5)
    size = rng.normal(size=200)
    size[rng.random(200) < 0.2] = np.nan
    colour = rng.choice(["red", "green", "blue"], 200)
    y = ((np.nan_to_num(size, nan=2) > 0) ^ (colour == "red")).astype(np.int32)
    table = table_from([[s, c] for s, c in zip(size, colour, strict=True)], feature_names=["size", "colour"])
    model = GradientBoostingClassifier(n_estimators=20, max_depth=2, random_state=0)
    reference = make_reference(model, table, y, np.array([0, 1]), np.ones(200))
    guessed = guess_splits(reference, table, y, np.ones(200))
    ours = {bytes(c) for c in guessed.split_matrix.goes_right} | {
        bytes(1 - c) for c in guessed.split_matrix.goes_right
    }
    assert all(bytes(column) in ours for column in guessed.elimination.columns)
    for split, row in zip(guessed.split_matrix.splits, guessed.split_matrix.goes_right, strict=True):
        np.testing.assert_array_equal(split.goes_left(table.X), row == 0)
    assert guessed.faithful is not None
    assert "guessed thresholds" in guessed.split_matrix.scope


def test_the_faithful_tree_is_faithful() -> None:
    rng = np.random.default_rng(0)
    columns = rng.integers(0, 2, (5, 60)).astype(np.uint8)
    answers = (columns[0] ^ columns[3]).astype(np.int32)
    tree = faithful_tree(columns, answers)
    assert tree is not None
    assert tree.n_leaves >= 4
    assert tree.is_allowed(tree.depth, tree.n_leaves, tree.fewest_rows)
    assert not tree.is_allowed(tree.depth - 1, None, 1)
    answers[0] = 1 - answers[0]  # an equal row with another answer, if there is one
    columns[:, 1] = columns[:, 0]
    answers[1] = 1 - answers[0]
    assert faithful_tree(columns, answers) is None


X_IRIS, Y_IRIS = load_iris(return_X_y=True)


@pytest.mark.parametrize(
    ("model", "X", "message"),
    [
        (
            GradientBoostingClassifier(n_estimators=3).fit(X_IRIS[:, :3], Y_IRIS),
            X_IRIS,
            "fitted on 3 columns",
        ),
        (
            GradientBoostingClassifier(n_estimators=3).fit(X_IRIS, Y_IRIS + 5),
            X_IRIS,
            "labels that are not known here",
        ),
        (
            GradientBoostingClassifier(n_estimators=1, learning_rate=1e-9, max_depth=1).fit(
                X_IRIS, np.r_[np.zeros(20), np.ones(130)].astype(int)
            ),
            X_IRIS,
            "one and the same class",
        ),
        (AdaBoostClassifier, X_IRIS, "give an object"),
    ],
    ids=["columns", "labels", "one class", "class"],
)
def test_references_that_do_not_fit_are_refused(model: object, X: np.ndarray, message: str) -> None:
    with pytest.raises(InputError, match=message):
        reference_of(X, Y_IRIS, model)


def test_renamed_columns_and_missing_values_are_refused() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X_IRIS, columns=list("abcd"))
    fitted = GradientBoostingClassifier(n_estimators=3).fit(frame, Y_IRIS)
    table = table_from(frame.rename(columns={"b": "z"}))
    y, classes, weight = Y_IRIS.astype(np.int32), np.unique(Y_IRIS), np.ones(150)
    with pytest.raises(InputError, match="'b' where the table has 'z'"):
        make_reference(fitted, table, y, classes, weight)
    gaps = frame.copy()
    gaps.iloc[0, 0] = np.nan
    with pytest.raises(InputError, match="missing values"):
        make_reference(fitted, table_from(gaps), y, classes, weight)
    assert make_reference(fitted, table_from(frame), y, classes, weight).error < 0.1


def test_no_threshold_is_an_error() -> None:
    X = np.ones((20, 1))
    X[10:] = 2
    fitted = DecisionTreeClassifier(max_depth=1).fit(X, np.r_[np.zeros(10), np.ones(10)].astype(int))
    others = np.full((20, 1), 3.0)
    others[5:] = 4.0
    reference = reference_of(X, np.r_[np.zeros(10), np.ones(10)].astype(np.int32), fitted)
    moved = type(reference)(fitted, others, reference.inputs, reference.predictions, 0.0)
    with pytest.raises(InputError, match="no threshold that separates"):
        eliminate_columns(moved, reference.predictions, np.ones(20))


@pytest.mark.parametrize("tolerance", [-0.1, 1.5, True, "a"])
def test_tolerance_is_checked(tolerance: object) -> None:
    X, y = made(0, 50, 3, None)
    with pytest.raises(InputError, match="tolerance"):
        eliminate_columns(reference_of(X, y), y, np.ones(50), tolerance=tolerance)  # type: ignore[arg-type]
