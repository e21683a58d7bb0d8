"""What a column is worth to trees of the best worst leaf and to trees that answer for a model; who has none says so."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from treewright import (
    BornAgainTreeClassifier,
    BornAgainTreeRegressor,
    HybridTreeClassifier,
    LatentTreeClassifier,
    LeafAccuracyTreeClassifier,
    LeafAccuracyTreeClassifierCV,
)
from treewright.bornagain import Ensemble
from treewright.estimators._importances_of_answers import decision_importances


def table(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (150, 4)).astype(float)
    return X, (X[:, 0] + X[:, 1] > 3 + rng.normal(0, 0.7, 150)).astype(int)


@pytest.mark.parametrize("criterion", ["accuracy", "lower_bound"])
@pytest.mark.parametrize("seed", range(4))
def test_the_worst_leaf_loses_no_more_without_a_column_than_its_importance(seed: int, criterion: str) -> None:
    X, y = table(seed)
    weight = np.random.default_rng(seed).integers(1, 4, 150)

    def fit(rows: np.ndarray, depth: int = 2) -> LeafAccuracyTreeClassifier:
        return LeafAccuracyTreeClassifier(depth, criterion=criterion).fit(rows, y, sample_weight=weight)

    model = fit(X)
    for column in range(4):
        bound = model.feature_importances_[column]
        if column not in model.tree_.asked:
            assert bound == 0
            continue
        lost = model.result_.objective - fit(np.delete(X, column, axis=1)).result_.objective
        assert bound >= lost - 1e-9
    root = model.tree_.splits[0]
    assert root is not None
    lost = model.result_.objective - fit(X, 0).result_.objective
    assert model.feature_importances_[root.column] == pytest.approx(lost)


def test_a_cross_validated_tree_of_the_best_worst_leaf_has_them() -> None:
    X, y = table(1)
    model = LeafAccuracyTreeClassifierCV(max_depths=(1,), cv=2).fit(X, y)
    assert (model.feature_importances_ == model.best_estimator_.feature_importances_).all()


@pytest.mark.parametrize("params", [{"faithful": "rows"}, {}, {"prune": "active"}], ids=str)
def test_a_born_again_tree_has_the_share_of_rows_decided_otherwise(params: dict[str, str]) -> None:
    X, y = table(2)
    model = BornAgainTreeClassifier(random_state=0, **params).fit(X, y)
    said = model.estimator_.predict(X)
    root = model.tree_.splits[0]
    assert root is not None
    kept = (model.predict(X) == said).mean()  # with a leaf at the root, its most frequent decision is right
    assert model.feature_importances_[root.column] == pytest.approx(kept - max(said.mean(), 1 - said.mean()))
    never = [column for column in range(4) if column not in model.tree_.asked]
    assert (model.feature_importances_[never] == 0).all()


def test_leaves_of_a_born_again_tree_without_rows_count_for_nothing() -> None:
    X, y = table(3)
    forest = RandomForestClassifier(5, max_depth=2, random_state=0).fit(X, y)
    model = BornAgainTreeClassifier.from_fitted(forest, X[:2])
    assert (model.tree_.n_node_samples == 0).any()
    assert np.isfinite(decision_importances(model.tree_)).all()
    assert model.feature_importances_.max() <= 0.5


def test_a_born_again_tree_without_rows_says_what_to_pass() -> None:
    X, y = table(3)
    forest = RandomForestClassifier(5, max_depth=2, random_state=0).fit(X, y)
    model = BornAgainTreeClassifier.from_fitted(Ensemble.from_model(forest))
    with pytest.raises(AttributeError, match="from_fitted had none: pass X"):
        model.feature_importances_  # noqa: B018


@pytest.mark.parametrize("max_rows", [None, 60])
def test_a_tree_near_a_model_has_the_share_of_rows_no_longer_near(max_rows: int | None) -> None:
    X, y = table(4)
    forest = RandomForestRegressor(5, max_depth=3, random_state=0).fit(X, X[:, 0] + 2 * y)
    model = BornAgainTreeRegressor.from_fitted(forest, X, max_depth=2, max_rows=max_rows, random_state=0)
    rows = X[model.rows_]
    numbers = forest.predict(rows)
    near = model.result_.stats["rows_alike"]
    root = model.tree_.splits[0]
    assert root is not None
    lost = (near - most_near(numbers, model.tolerance_)) / len(rows)
    assert model.feature_importances_[root.column] == pytest.approx(lost)


def most_near(numbers: np.ndarray, tolerance: float) -> int:
    """How many numbers one of the ends of their ranges is near."""
    return max(int((np.abs(numbers - low) <= tolerance * (1 + 1e-9)).sum()) for low in numbers - tolerance)


def test_who_has_none_says_what_to_use() -> None:
    X, y = table(5)
    forest = RandomForestRegressor(3, max_depth=2, random_state=0).fit(X, y)
    everywhere = BornAgainTreeRegressor.from_fitted(forest, X, faithful="everywhere", tolerance=1.0)
    for model in (HybridTreeClassifier(), LatentTreeClassifier(), everywhere):
        assert not hasattr(model, "feature_importances_")
        with pytest.raises(AttributeError, match=r"permutation_importance\(model, X, y\)"):
            model.feature_importances_  # noqa: B018
