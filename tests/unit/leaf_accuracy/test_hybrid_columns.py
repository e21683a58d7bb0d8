"""Columns that scikit-learn cannot read as they are: empty in the rows of a leaf, or beyond 32-bit floats."""

from __future__ import annotations

import numpy as np
import pytest

from treewright import HybridTreeClassifier, OptimalTreeClassifier
from treewright.errors import InputError


def test_a_column_without_a_number_in_a_leaf_tells_its_model_nothing() -> None:
    """Histogram boosting has no bins for such a column; scikit-learn raises an error about the shape of a window."""
    rng = np.random.default_rng(0)
    X = np.column_stack(
        [np.repeat([0.0, 1.0], 60), np.where(np.arange(120) < 60, np.nan, 1.0), rng.random(120)]
    )
    y = (X[:, 2] > 0.5).astype(int)
    top = OptimalTreeClassifier(0.0, max_depth=1, thresholds={"x0": [0.5]})
    model = HybridTreeClassifier(top, tune=None).fit(X, y)
    assert model.score(X, y) > 0.95
    assert HybridTreeClassifier(tune=None).fit(np.full((4, 1), np.nan), [0, 1, 0, 0]).predict([[3.0]]) == [0]


def test_numbers_that_scikit_learn_cannot_read_are_refused_with_advice() -> None:
    with pytest.raises(InputError, match=r"1e\+300.*OptimalTreeClassifier"):
        HybridTreeClassifier().fit([[1e300], [0.0], [1.0]], [0, 1, 0])
