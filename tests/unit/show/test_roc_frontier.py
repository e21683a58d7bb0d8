"""The picture of a ROC frontier."""

from __future__ import annotations

import numpy as np
import pytest

from treewright import OptimalTreeClassifier, roc_frontier
from treewright.errors import InputError

pytest.importorskip("matplotlib")
from matplotlib.figure import Figure

from treewright.show import plot_roc_frontier

X, Y = [[1], [2], [3], [4]], [0, 1, 0, 1]


def test_trees_lie_on_their_rates_below_the_bound() -> None:
    frontier = roc_frontier(X, Y, max_depth=1)
    ax = plot_roc_frontier(frontier, ax=Figure().subplots())
    trees = ax.get_lines()[0]
    assert np.array_equal(trees.get_xdata(), [0.0, 0.0, 0.5, 1.0])
    assert np.array_equal(trees.get_ydata(), [0.0, 0.5, 1.0, 1.0])
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == ["no tree above (area 0.875)", "trees found"]


def test_something_else_is_refused() -> None:
    model = OptimalTreeClassifier().fit(X, Y)
    with pytest.raises(InputError, match="OptimalTreeClassifier is no ROC frontier"):
        plot_roc_frontier(model)  # type: ignore[arg-type]


@pytest.mark.parametrize("y", [[0, 0, 0, 0], [0, 1, 2, 1]])
def test_a_curve_needs_two_classes(y: list[int]) -> None:
    with pytest.raises(InputError, match="a ROC curve needs two"):
        roc_frontier(X, y)
