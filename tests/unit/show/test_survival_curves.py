"""The picture of the curves of a survival tree: a step curve a leaf, in the order of hazards, with words."""

from __future__ import annotations

import numpy as np
import pytest

from treewright import OptimalSurvivalTree, OptimalTreeRegressor
from treewright.errors import InputError
from treewright.show import plot_survival_curves

pytest.importorskip("matplotlib").use("agg")


@pytest.fixture
def model():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (300, 1)).astype(float)
    time = rng.exponential(np.where(X[:, 0] > 1, 1.0, 5.0))
    event = (time < 6) & (X[:, 0] > 0)
    return OptimalSurvivalTree(max_depth=2).fit(X, (event, np.minimum(time, 6)))


def test_every_leaf_has_its_curve(model):
    ax = plot_survival_curves(model)
    order = sorted(model.curves_, key=lambda leaf: -model.tree_.value[leaf, 0])
    assert len(ax.lines) == len(order) == 3
    for line, leaf in zip(ax.lines, order, strict=True):
        curve = model.curves_[leaf]
        assert line.get_drawstyle() == "steps-post"
        assert f"{model.tree_.n_node_samples[leaf]} rows" in line.get_label()
        if len(curve.times):
            np.testing.assert_array_equal(line.get_xdata(), [0, *curve.times])
            np.testing.assert_allclose(line.get_ydata(), [100, *(100 * curve.survival)])
        else:  # the group without events
            assert line.get_ydata().tolist() == [100, 100]
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts[0].startswith("x0 > 1.5\nhazard ratio ")
    assert not ax.collections
    assert len(plot_survival_curves(model, bands=True).collections) == 2


def test_other_models_are_refused():
    with pytest.raises(InputError, match="this is an OptimalTreeRegressor"):
        plot_survival_curves(OptimalTreeRegressor())
