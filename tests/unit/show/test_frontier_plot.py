"""The picture of a front names the loss that its points are shares of."""

from __future__ import annotations

import numpy as np
import pytest

from treewright import regression_frontier
from treewright.show import plot_frontier


@pytest.mark.parametrize(
    ("criterion", "words"),
    [
        ("squared_error", "variance"),
        ("poisson", "Poisson deviance"),
        ("quantile", "quantile loss of the 0.5"),
    ],
)
def test_the_axis_names_the_loss(criterion: str, words: str) -> None:
    X = np.arange(12.0)[:, None]
    y = np.array([0, 1, 0, 2, 1, 3, 3, 5, 4, 6, 7, 6])
    front = regression_frontier(X, y, criterion=criterion, max_leaves=3, max_depth=2, progress=False)
    assert plot_frontier(front).get_ylabel().startswith(words)
