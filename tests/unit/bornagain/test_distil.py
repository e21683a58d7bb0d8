"""The tree of fewest leaves that agrees with an ensemble on rows: brute force, limits, and what it says."""

from functools import cache

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import RandomForestClassifier

from born_again_oracle import random_ensemble
from treewright.bornagain import Agreement, Ensemble, agreement, distil, solve_active
from treewright.convert import from_json, to_json
from treewright.errors import InputError
from treewright.estimators import BornAgainTreeClassifier
from treewright.result import SolveStatus, StopReason
from treewright.tree import merge_equal_leaves


def fewest_differing(ensemble, X, depth, leaves):
    """Least number of rows on which a tree within the limits differs from the ensemble, by plain recursion."""
    label = ensemble.predict_index(X)
    splits = []
    for f, thresholds in enumerate(ensemble.thresholds):
        for t in [*thresholds, np.inf]:
            for missing_left in (True, False):
                splits.append(np.where(np.isnan(X[:, f]), missing_left, X[:, f] <= t))
    splits = list({s.tobytes(): s for s in splits}.values())

    @cache
    def least(mask, depth, leaves):
        inside = np.frombuffer(mask, dtype=bool)
        if not inside.any():
            return 0
        best = int(inside.sum() - np.bincount(label[inside]).max())
        if depth == 0 or leaves < 2 or best == 0:
            return best
        for s in splits:
            left, right = inside & s, inside & ~s
            if not left.any() or not right.any():
                continue
            for k in range(1, leaves):
                best = min(
                    best, least(left.tobytes(), depth - 1, k) + least(right.tobytes(), depth - 1, leaves - k)
                )
        return best

    return least(np.ones(len(X), dtype=bool).tobytes(), depth, leaves)


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_equals_brute_force(seed, missing):
    ensemble = random_ensemble(seed, n_classes=2 + seed % 2, n_features=2, missing=missing, trees=3)
    rng = np.random.default_rng(seed)
    X = rng.integers(-1, 5, (24, 2)) + 0.5
    if missing:
        X[rng.random(X.shape) < 0.15] = np.nan
    least = [fewest_differing(ensemble, X, 3, k) for k in range(1, 7)]
    for allowed in range(4):
        result = distil(ensemble, X, tolerance=allowed / len(X), max_depth=3, max_leaves=6)
        assert result.status is SolveStatus.OPTIMAL
        differing = int((result.tree.predict(X) != ensemble.predict(X)).sum())
        assert result.loss == pytest.approx(differing / len(X))
        good = [k for k, count in enumerate(least, 1) if count <= allowed]
        leaves = good[0] if good else 1 + least.index(min(least))
        assert result.tree.n_leaves == result.objective == result.lower_bound == leaves
        assert differing == least[leaves - 1]
        assert result.tree.depth <= 3
        assert ("keeps to the tolerance" in result.notes[0]) == (not good)
        assert ("agrees on more rows" in result.sentence()) == (not good)


def test_a_forest_that_a_person_can_read():
    X, y = load_breast_cancer(return_X_y=True)
    train, test = np.arange(0, len(y), 2), np.arange(1, len(y), 2)
    model = BornAgainTreeClassifier(
        RandomForestClassifier(20, max_depth=4, random_state=0), faithful="rows", tolerance=0.03, max_depth=3
    ).fit(X[train], y[train])
    assert model.result_.status is SolveStatus.OPTIMAL
    assert model.tree_.n_leaves <= 8 < model.ensemble_.n_leaves
    alike = (model.predict(X[train]) == model.estimator_.predict(X[train])).mean()
    assert alike >= 0.97
    counted = model.agreement(X[test])
    assert counted.n_alike == (model.predict(X[test]) == model.estimator_.predict(X[test])).sum()
    assert 0.85 < counted.lower_bound < counted.share
    assert f"{counted.n_alike} of {len(test)} rows" in counted.sentence()
    asked = set(model.tree_.threshold[~model.tree_.is_leaf])
    assert asked <= set(np.concatenate(model.ensemble_.thresholds))


def test_a_stopped_run_has_a_tree_and_true_bounds():
    X, y = load_breast_cancer(return_X_y=True)
    forest = RandomForestClassifier(40, random_state=0).fit(X, y)
    ensemble = Ensemble.from_model(forest)
    proven = distil(ensemble, X, tolerance=0.05, max_depth=2, max_leaves=4)
    stopped = distil(ensemble, X, tolerance=0.0, max_depth=6, max_leaves=12, step_limit=1)
    assert stopped.stop_reason is StopReason.STEP_LIMIT
    assert stopped.status is SolveStatus.FEASIBLE
    assert stopped.lower_bound <= stopped.objective == stopped.tree.n_leaves
    assert "not proven least" in stopped.sentence()
    ended = distil(ensemble, X, tolerance=0.05, max_depth=6, progress=lambda now: now.phase == "rows")
    assert ended.stop_reason in (None, StopReason.CALLBACK)
    assert proven.status is SolveStatus.OPTIMAL


def test_classes_that_no_row_has():
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(5, max_depth=2, random_state=0).fit(X, np.array(["a", "b", "c"])[y])
    ensemble = Ensemble.from_model(forest)
    for rows in (X[50:], X[:50]):
        result = distil(ensemble, rows, tolerance=0.1)
        np.testing.assert_array_equal(result.tree.classes, ["a", "b", "c"])
        assert agreement(result.tree, ensemble, rows).share >= 0.9
        again = from_json(to_json(result)).result
        assert again.sentence() == result.sentence()


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"faithful": "some"}, "faithful='some'"),
        ({"faithful": "rows", "tolerance": -0.1}, "tolerance=-0.1"),
        ({"faithful": "rows", "tolerance": float("nan")}, "tolerance=nan"),
        ({"faithful": "rows", "max_leaves": 0}, "max_leaves=0"),
        ({"faithful": "rows", "max_leaves": None}, "max_leaves=None"),
        ({"faithful": "rows", "prune": "rows"}, "prune='rows'"),
        ({"max_leaves": "many"}, "max_leaves='many'"),
    ],
)
def test_parameters(params, message):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(InputError, match=message):
        BornAgainTreeClassifier(**params).fit(X, y)


def test_rows_are_needed():
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(3, max_depth=2, random_state=0).fit(X, y)
    with pytest.raises(InputError, match="pass X"):
        BornAgainTreeClassifier.from_fitted(forest, faithful="rows")
    with pytest.raises(InputError, match="no rows"):
        distil(Ensemble.from_model(forest), X[:0])


@pytest.mark.parametrize("seed", range(4))
def test_no_tolerance_is_active_pruning_with_merged_leaves(seed):
    """Trees whose leaves hold rows of one decision are exactly the merged trees of active pruning."""
    ensemble = random_ensemble(seed, n_features=3, trees=5)
    X = np.random.default_rng(seed).integers(-1, 5, (40, 3)) + 0.5
    active = solve_active(ensemble, X)
    merged = merge_equal_leaves(active.tree)
    grid = np.random.default_rng(9).integers(-1, 5, (500, 3)) + 0.5
    np.testing.assert_array_equal(merged.predict(grid), active.tree.predict(grid))
    rows = distil(ensemble, X, tolerance=0.0, max_depth=None, max_leaves=40)
    assert rows.status is SolveStatus.OPTIMAL
    assert rows.loss == 0
    assert rows.tree.n_leaves <= merged.n_leaves <= active.tree.n_leaves
    np.testing.assert_array_equal(rows.tree.predict(X), ensemble.predict(X))


def test_active_trees_of_the_estimator_have_no_siblings_of_one_class():
    X, y = load_iris(return_X_y=True)
    model = BornAgainTreeClassifier(
        RandomForestClassifier(12, max_depth=3, random_state=1), prune="active", time_limit=20.0
    ).fit(X, y)
    assert model.tree_ is merge_equal_leaves(model.tree_)
    assert model.tree_.n_leaves < model.result_.tree.n_leaves
    np.testing.assert_array_equal(model.tree_.predict(X), model.result_.tree.predict(X))
    np.testing.assert_array_equal(model.predict(X), model.estimator_.predict(X))


def test_the_sentence_never_says_more_than_was_counted():
    said = Agreement(20_000, 19_999, 0.98765, 0.999, tolerance=0.1234561).sentence()
    assert "at most 0.1234561 apart on 19,999 of 20,000 rows (99.9%)" in said
    assert "on at least 98.7% of all new ones like them (99.9% interval)" in said
    assert "95% interval" in Agreement(10, 9, 0.5, 0.95).sentence()
