"""Weights that vanish beside the largest have no sum with it: Poisson and gamma regression say so in these words."""

from __future__ import annotations

import numpy as np
import pytest

from treewright import OptimalTreeRegressor
from treewright.errors import InputError

X = np.arange(40.0)[:, None]
Y = np.arange(40) % 5 + 1.0


@pytest.mark.parametrize("criterion", ["poisson", "gamma"])
def test_weights_too_far_apart_are_named_with_their_range(criterion: str) -> None:
    weight = np.where(np.arange(40) % 2, 1e-300, 1e300)
    model = OptimalTreeRegressor(criterion=criterion, max_depth=2)
    with pytest.raises(InputError, match=r"sample_weight reaches from 1e-300 to 1e\+300.*Leave out the rows"):
        model.fit(X, Y, sample_weight=weight)
    weight = np.where(np.arange(40) % 2, 0.0, 0.5)
    assert model.fit(X, Y, sample_weight=weight).tree_.n_leaves >= 1


def test_a_product_that_vanishes_is_told_as_well() -> None:
    y = np.where(np.arange(40) % 2, 1e-9, 1.0)
    weight = np.where(np.arange(40) % 2, 1e-318, 1.0)
    with pytest.raises(InputError, match=r"sample_weight reaches from .* has no sum of them"):
        OptimalTreeRegressor(criterion="gamma", max_depth=1).fit(X, y, sample_weight=weight)
