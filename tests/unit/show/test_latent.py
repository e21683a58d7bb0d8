"""Pictures of latent trees: shares add up, pruned nodes are left out."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

torch = pytest.importorskip("torch", reason="PyTorch (the extra `latent`) is not installed")
matplotlib = pytest.importorskip("matplotlib", reason="matplotlib (the extra `plot`) is not installed")
matplotlib.use("Agg")

from treewright import LatentTreeClassifier  # noqa: E402
from treewright.errors import InputError  # noqa: E402
from treewright.show import (  # noqa: E402
    plot_active_nodes,
    plot_latent_tree,
    plot_latent_tree_by_class,
    report,
    routing_shares,
)

X, y = load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def model():
    return LatentTreeClassifier(depth=3, epochs=20, batch_size=32, random_state=0).fit(X, y)


def texts(ax):
    return [text.get_text() for text in ax.texts]


def test_shares_add_up_level_by_level():
    shares = routing_shares([3, 3, 4, 2, 2, 6], 2)
    np.testing.assert_allclose(shares, [1, 0.5, 0.5, 0.5, 0.25, 0, 0.25])
    np.testing.assert_allclose(routing_shares([0, 0], 1), [1, 0, 0])


def test_tree_picture(model):
    ax = plot_latent_tree(model, X)
    shares = routing_shares(model.apply(X), 3)
    expected = ["-" if s == 0 else f"{100 * s:.0f}" for s in shares[model.active_nodes_]]
    assert texts(ax) == expected
    assert len(texts(plot_latent_tree(model, X, max_depth=1))) == 3
    ax.figure.canvas.draw()


def test_pruned_nodes_are_left_out(model):
    import copy

    pruned = copy.deepcopy(model)
    pruned.network_.tree.pruning_vector[[4, 9, 10]] = 0.0
    assert len(texts(plot_latent_tree(pruned, X))) == len(texts(plot_latent_tree(model, X))) - 3


def test_one_tree_a_class(model):
    figure = plot_latent_tree_by_class(model, X, y, max_depth=2)
    assert [ax.get_title() for ax in figure.axes] == ["0", "1", "2"]
    assert all(texts(ax)[0] == "100" for ax in figure.axes)
    assert len(plot_latent_tree_by_class(model, X, y, classes=[1]).axes) == 1
    with pytest.raises(InputError, match="no row of class 7"):
        plot_latent_tree_by_class(model, X, y, classes=[7])


def test_active_nodes_over_training(model):
    ax = plot_active_nodes(model)
    whole, batch = ax.get_lines()
    np.testing.assert_allclose(whole.get_ydata(), [100 * e.active_nodes for e in model.result_.history])
    np.testing.assert_allclose(batch.get_ydata(), [100 * e.active_in_batch for e in model.result_.history])
    assert len(whole.get_xdata()) == model.n_iter_


@pytest.mark.parametrize("max_depth", [-1, 1.5, True])
def test_bad_depth(model, max_depth):
    with pytest.raises(InputError, match="max_depth"):
        plot_latent_tree(model, X, max_depth=max_depth)


def test_the_report_of_a_hardened_tree_is_that_of_its_latent_tree(model):
    """It was refused: "model is a HardenedTree without a tree"."""
    hard = model.harden()
    page = report(hard, X, y, fit_models=False)
    assert page == report(model, X, y, fit_models=False)
    assert hard.sentence in page
