"""Where columns tie, scikit-learn's own tie breaking is repeated to the last bit."""

from collections.abc import Callable

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import GradientBoostingClassifier

from treewright.guess import _thresholds, eliminate_columns, make_reference
from treewright.guess._boosting import BinaryBoosting
from treewright.guess._tie_breaking import TieBreaking
from treewright.table import table_from

Table = Callable[[int], tuple[np.ndarray, np.ndarray]]


def tied_columns(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A category of three values as three 0/1 columns: where one is known, the two others tie."""
    rng = np.random.default_rng(seed)
    columns = rng.integers(0, 2, (8, 250)).astype(np.uint8)
    kind = rng.integers(0, 3, 250)
    columns[:3] = kind == np.arange(3)[:, None]
    score = np.array([0.0, 1.0, 2.5])[kind] + columns[4] * columns[5] + rng.normal(size=250) * 0.5
    return columns, score > np.median(score)


@pytest.mark.parametrize("seed", range(5))
def test_drawn_importances_are_scikit_learns(seed: int) -> None:
    columns, positive = tied_columns(seed)
    model = GradientBoostingClassifier(n_estimators=15, max_depth=2, random_state=seed)
    fitted = model.fit(columns.T.astype(float), positive.astype(int))
    boosting = BinaryBoosting(columns, positive, np.ones(250), 15, 2, 0.1)
    if not boosting.is_certain:  # a tie between different divisions: nothing is claimed
        assert seed == 0
        return
    drawn = TieBreaking(model, columns, positive).credits(boosting)
    assert drawn is not None
    assert list(drawn) == boosting.undecided_stages()
    for stage, credit in drawn.items():
        tree = fitted.estimators_[stage, 0].tree_
        np.testing.assert_array_equal(credit, tree.compute_feature_importances(normalize=False))
    np.testing.assert_allclose(
        boosting.raw()[boosting.group], fitted.decision_function(columns.T.astype(float)), atol=1e-10
    )


def symmetric(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Few rows, each with its mirror image: ties between different divisions, and pure nodes."""
    rng = np.random.default_rng(seed)
    half = rng.integers(0, 2, (10, 30)).astype(np.uint8)
    score = half[0] + 2.0 * half[1] * half[2] + rng.normal(size=30) * 0.4
    positive = score > np.median(score)
    return np.concatenate([half, 1 - half], axis=1), np.concatenate([positive, ~positive])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("table", [tied_columns, symmetric])
def test_a_refit_is_scikit_learns(table: Table, seed: int) -> None:
    """Again and again with fewer columns, so that what is kept between re-fits is used."""
    columns, positive = table(seed)
    model = GradientBoostingClassifier(n_estimators=10, max_depth=3, random_state=seed)
    ties = TieBreaking(model, columns, positive)
    assert ties.is_known
    left = np.arange(len(columns))
    for gone in (4, 0, 6, 1):
        left = left[left != gone]
        X = columns[left].T.astype(float)
        fitted = clone(model).fit(X, positive.astype(int))
        refit = ties.refit(left)
        assert refit is not None
        np.testing.assert_array_equal(refit.importances, fitted.feature_importances_)
        np.testing.assert_array_equal(refit.raw, fitted.decision_function(X))
        if refit.predictions is not None:
            np.testing.assert_array_equal(refit.predictions, fitted.predict(X) == 1)


@pytest.mark.parametrize("way", ["refits", "ties", "model"])
@pytest.mark.parametrize("table", [tied_columns, symmetric])
@pytest.mark.parametrize("seed", range(4))
def test_elimination_with_tie_breaking_is_that_of_the_model(
    monkeypatch: pytest.MonkeyPatch, seed: int, table: Table, way: str
) -> None:
    """Re-fits repeated whole, only tied trees repeated, and neither (another version of scikit-learn)."""
    monkeypatch.setattr(_thresholds, "SMALL", 10**9 if way == "refits" else 0)
    if way == "model":
        monkeypatch.setattr(TieBreaking, "_grows_alike", lambda self, first: False)
    columns, positive = table(seed)
    X, y = columns.T.astype(float), positive.astype(np.int32)
    model = GradientBoostingClassifier(n_estimators=15, max_depth=2, random_state=0)
    reference = make_reference(model, table_from(X), y, np.array([0, 1]), np.ones(len(y)))
    short = eliminate_columns(reference, y, np.ones(len(y)), tolerance=0.05)
    slow = eliminate_columns(reference, y, np.ones(len(y)), tolerance=0.05, shortcuts=False)
    assert short.removed == slow.removed
    assert short.kept == slow.kept
    np.testing.assert_array_equal(short.predictions, slow.predictions)
    if way != "model":
        assert (
            short.n_refits_by_model <= 1
        )  # where a raw prediction is nearly zero, its sign is the model's to say
    assert slow.n_refits_by_model == slow.n_refits


@pytest.mark.parametrize("seed", range(6))
def test_a_tree_that_does_not_need_a_column_is_that_of_a_new_fit(seed: int) -> None:
    """What is kept after a removal, beside boosting from the start on the columns left."""
    columns, positive = tied_columns(seed)
    weight = np.ones(len(positive))
    kept = BinaryBoosting(columns, positive, weight, 15, 2, 0.1)
    left = np.arange(len(columns))
    for gone in (1, 5, 2, 7):
        kept.remove(gone)
        left = left[left != gone]
        anew = BinaryBoosting(columns[left], positive, weight, 15, 2, 0.1)
        assert kept.certain_stages == anew.certain_stages
        for a, b in zip(kept.stages, anew.stages, strict=True):
            np.testing.assert_allclose(a.raw_after[kept.group], b.raw_after[anew.group], atol=1e-12)
            np.testing.assert_allclose(a.least_credit[left], b.least_credit, atol=1e-12)
            np.testing.assert_allclose(a.most_credit[left], b.most_credit, atol=1e-12)


def test_a_stream_that_cannot_be_repeated_is_not_guessed() -> None:
    columns, positive = tied_columns(0)
    boosting = BinaryBoosting(columns, positive, np.ones(250), 5, 2, 0.1)
    for seed in (None, np.random.RandomState(0)):
        model = GradientBoostingClassifier(n_estimators=5, max_depth=2, random_state=seed)
        assert TieBreaking(model, columns, positive).credits(boosting) is None
        assert TieBreaking(model, columns, positive).refit(np.arange(8)) is None
