"""Where columns tie, scikit-learn's own lots are repeated to the last bit."""

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingClassifier

from treewright.guess import eliminate_columns, make_reference
from treewright.guess._boosting import BinaryBoosting
from treewright.guess._lots import Lots
from treewright.table import table_from


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
    drawn = Lots(model, columns, positive).credits(boosting)
    assert drawn
    for stage, credit in drawn.items():
        tree = fitted.estimators_[stage, 0].tree_
        np.testing.assert_array_equal(credit, tree.compute_feature_importances(normalize=False))
    np.testing.assert_allclose(
        boosting.raw()[boosting.group], fitted.decision_function(columns.T.astype(float)), atol=1e-10
    )


@pytest.mark.parametrize("seed", range(5))
def test_elimination_with_lots_is_that_of_the_model(seed: int) -> None:
    columns, positive = tied_columns(seed)
    X, y = columns.T.astype(float), positive.astype(np.int32)
    model = GradientBoostingClassifier(n_estimators=15, max_depth=2, random_state=0)
    reference = make_reference(model, table_from(X), y, np.array([0, 1]), np.ones(250))
    short = eliminate_columns(reference, y, np.ones(250), tolerance=0.05)
    slow = eliminate_columns(reference, y, np.ones(250), tolerance=0.05, shortcuts=False)
    assert short.removed == slow.removed
    assert short.kept == slow.kept
    np.testing.assert_array_equal(short.predictions, slow.predictions)
    assert short.n_refits_by_model == (2 if seed == 0 else 0)  # seed 0 has ties between different divisions
    assert slow.n_refits_by_model == slow.n_refits


def test_a_stream_that_cannot_be_repeated_is_not_guessed() -> None:
    columns, positive = tied_columns(0)
    boosting = BinaryBoosting(columns, positive, np.ones(250), 5, 2, 0.1)
    for seed in (None, np.random.RandomState(0)):
        model = GradientBoostingClassifier(n_estimators=5, max_depth=2, random_state=seed)
        assert Lots(model, columns, positive).credits(boosting) is None
