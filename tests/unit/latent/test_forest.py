"""Several latent trees side by side: each is a tree of its own, and a linear predictor over them is a sum."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch (the extra `latent`) is not installed")

from treewright.errors import InputError  # noqa: E402
from treewright.latent import LatentForest, LatentTree, LatentTreeNetwork, TrainOptions, train  # noqa: E402

X = torch.randn(200, 4, generator=torch.Generator().manual_seed(0))


def forest(n_trees=3, depth=3, **options):
    torch.manual_seed(0)
    made = LatentForest(4, depth, n_trees, **options)
    made.initialize(X)
    return made


@pytest.mark.parametrize("training", [True, False])
def test_traversals_are_those_of_the_trees(training):
    made = forest().train(training)
    torch.testing.assert_close(made(X), torch.cat([tree(X) for tree in made.trees], dim=1))
    torch.testing.assert_close(made.compact(X).t(), made(X))
    assert made(X).shape == (200, made.out_features) == (200, 45)


def test_trees_differ():
    z = forest()(X)
    assert not torch.allclose(z[:, :15], z[:, 15:30])


def test_each_tree_has_its_own_pruning():
    made = forest(pruning=20.0)
    a = made.fix_pruning(X, batch_size=50)
    for k, tree in enumerate(made.trees):
        alone = LatentTree(4, 3, pruning=20.0)
        alone.load_state_dict(tree.state_dict())
        torch.testing.assert_close(a[15 * k : 15 * (k + 1)], alone.fix_pruning(X, batch_size=50))
    np.testing.assert_array_equal(made.active_nodes, np.flatnonzero(a.numpy() > 0))


def test_a_linear_predictor_is_a_sum_over_the_trees():
    made = forest().eval()
    network = LatentTreeNetwork(made, 2, tree_only=True).eval()
    parts = [tree(X) @ network.z_weight[:, 15 * k : 15 * (k + 1)].t() for k, tree in enumerate(made.trees)]
    torch.testing.assert_close(network(X), network.first_bias + sum(parts))


def test_pruning_dead_nodes_changes_no_output():
    made = forest()
    with torch.no_grad():
        made.trees[1].bias[0] = 50.0  # all rows go right at the root of this tree
    made.fix_pruning(X)
    network = LatentTreeNetwork(made, 2).eval()
    before, n_nodes = network(X), len(made.nodes)
    network.prune_()
    assert len(made.nodes) == network.z_weight.shape[1] == len(made.active_nodes) < n_nodes
    torch.testing.assert_close(network(X), before)
    other = LatentTreeNetwork(forest(), 2).eval()
    other.load_state_dict(network.state_dict())
    torch.testing.assert_close(other(X), before)


def test_the_trees_are_trained_together():
    y = ((X[:, :1] * X[:, 1:2]) > 0).float()
    network = LatentTreeNetwork(forest(), 1)
    before = [tree.weight.detach().clone() for tree in network.tree.trees]
    loss = torch.nn.functional.binary_cross_entropy_with_logits
    result = train(network, X, y, loss, TrainOptions(epochs=60, batch_size=50, learning_rate=0.05))
    assert result.history[-1].validation_loss < 0.5 * result.history[0].validation_loss
    for tree, old in zip(network.tree.trees, before, strict=True):
        assert not torch.allclose(tree.weight, old)


@pytest.mark.parametrize("n_trees", [0, -1, 2.0, True, "3"])
def test_refuses_what_is_no_number_of_trees(n_trees):
    with pytest.raises(InputError, match="n_trees must be an integer from 1 to"):
        LatentForest(4, 3, n_trees)


def test_refuses_a_module_of_splits():
    with pytest.raises(InputError, match="copies of one module"):
        LatentForest(4, 3, 2, splits=torch.nn.Linear(4, 7))


def test_more_trees_than_there_is_room_for() -> None:
    """Ten million trees were made one after the other, which no limit could end."""
    with pytest.raises(InputError, match="from 1 to 4,096"):
        LatentForest(4, 3, 10**7)
    with pytest.raises(InputError, match="nodes"):
        LatentForest(4, 18, 5)
