"""Theorem 4.2 of McTavish et al. (2022)."""

import math

import numpy as np
import pytest
from sklearn.ensemble import (
    AdaBoostClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression

from treewright.errors import InputError
from treewright.guess import depth_of_ensemble, guess_depth


@pytest.mark.parametrize(("n_estimators", "depth"), [(10, 11), (100, 15)])
def test_the_two_worked_examples(n_estimators: int, depth: int) -> None:
    assert depth_of_ensemble(n_estimators, 3) == depth
    assert guess_depth(GradientBoostingClassifier(n_estimators=n_estimators, max_depth=3)) == depth


@pytest.mark.parametrize("k", [3, 4, 10, 57, 1000])
@pytest.mark.parametrize("depth", [1, 2, 3, 6])
def test_the_formula(k: int, depth: int) -> None:
    """As printed, with the product under one logarithm."""
    vc = max(3, 2**depth)
    m = k * vc + k
    assert depth_of_ensemble(k, depth) == math.ceil(math.log2(m * (3 * math.log(m) + 2)))


def test_stumps_on_many_columns_have_a_larger_vc_dimension() -> None:
    """Seven 0/1 columns give four rows every labelling by one split, so 3 is no upper bound and the note says "if"."""
    rows = np.arange(4)
    columns = np.array([(mask >> rows) & 1 for mask in range(1, 8)])
    stumps = {tuple(sides) for column in columns for sides in (column, 1 - column)} | {(0,) * 4, (1,) * 4}
    assert len(stumps) == 2**4


def test_larger_ensembles_never_need_less() -> None:
    by_trees = [depth_of_ensemble(k, 3) for k in range(1, 300)]
    by_depth = [depth_of_ensemble(10, d) for d in range(1, 30)]
    assert by_trees == sorted(by_trees)
    assert by_depth == sorted(by_depth)
    assert depth_of_ensemble(1, 3) == depth_of_ensemble(3, 3)  # the theorem needs K >= 3


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (AdaBoostClassifier(n_estimators=50), depth_of_ensemble(50, 1)),
        (RandomForestClassifier(n_estimators=20, max_depth=4), depth_of_ensemble(20, 4)),
        (HistGradientBoostingClassifier(max_iter=30, max_depth=2), depth_of_ensemble(30, 2)),
    ],
)
def test_unfitted_models_are_read_by_their_parameters(model: object, expected: int) -> None:
    assert guess_depth(model) == expected


def test_a_fitted_forest_is_measured() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.random((80, 3)), rng.integers(0, 2, 80)
    forest = RandomForestClassifier(n_estimators=7, random_state=0)
    with pytest.raises(InputError, match="must be fitted"):
        guess_depth(forest)
    forest.fit(X, y)
    assert guess_depth(forest) == depth_of_ensemble(7, max(tree.get_depth() for tree in forest.estimators_))


@pytest.mark.parametrize(
    ("package", "name", "options"),
    [
        ("xgboost", "XGBClassifier", {"n_estimators": 5, "n_jobs": 1}),
        ("lightgbm", "LGBMClassifier", {"n_estimators": 5, "n_jobs": 1, "verbosity": -1}),
    ],
)
def test_fitted_boosted_trees_are_measured(package: str, name: str, options: dict) -> None:
    """Their parameters set no limit of depth by default."""
    model = getattr(pytest.importorskip(package), name)(**options)
    with pytest.raises(InputError, match="must be fitted"):
        guess_depth(model)
    x = np.arange(160.0)[:, None]
    model.fit(x, (x[:, 0] // 40 % 2).astype(int))  # two splits on a path, or three
    assert guess_depth(model) in (depth_of_ensemble(5, 2), depth_of_ensemble(5, 3))


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (GradientBoostingRegressor(), "a regressor"),
        (LogisticRegression(), "not a tree ensemble"),
        (GradientBoostingClassifier, "the class GradientBoostingClassifier"),
        ("gbdt", "give a scikit-learn decision tree"),
    ],
)
def test_what_is_no_ensemble_is_refused(model: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        guess_depth(model)


@pytest.mark.parametrize("bad", [(0, 3), (3, 0), (2.5, 3), (True, 3)])
def test_sizes_are_checked(bad: tuple[int, int]) -> None:
    with pytest.raises(InputError, match="integer of at least 1"):
        depth_of_ensemble(*bad)
