"""The module: traversals, initialisation, stored pruning vector, and dropping dead parts without a trace."""

import copy

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch (the extra `latent`) is not installed")

from treewright.errors import InputError  # noqa: E402
from treewright.latent import LatentTree, LatentTreeNetwork, tree_layer  # noqa: E402


def rows(n=200, d=5, seed=0):
    return torch.randn(n, d, generator=torch.Generator().manual_seed(seed))


def made(depth=4, seed=0, **options):
    torch.manual_seed(seed)
    return LatentTree(5, depth, **options)


def with_dead_nodes(**options):
    """A tree of which some nodes reach no row: biases far off."""
    tree = made(**options)
    with torch.no_grad():
        tree.bias[1] += 40.0  # everything goes right at node 1: node 3 and all below are dead
        tree.bias[6] -= 40.0  # everything goes left at node 6
    tree.eval()
    tree.fix_pruning(rows())
    return tree


def test_training_solves_the_batch_and_evaluation_does_not_depend_on_it():
    tree, x = made(pruning=3.0), rows()
    z = tree(x)
    expected_z, expected_a = tree_layer(tree.scores(x), 3.0)
    assert torch.equal(z, expected_z.t())
    assert torch.equal(tree.pruning_vector, expected_a)
    tree.eval()
    together = tree(x)
    one_by_one = torch.cat([tree(x[[i]]) for i in range(20)])
    torch.testing.assert_close(together[:20], one_by_one, rtol=0, atol=1e-6)
    order = torch.randperm(200)
    torch.testing.assert_close(tree(x[order]), together[order], rtol=0, atol=1e-6)


def test_fix_pruning_scales_lambda_to_the_rows():
    """Twice the rows, all doubled, at the same batch size: the same vector."""
    tree, x = made(pruning=20.0), rows()
    once = tree.fix_pruning(x, batch_size=100).clone()
    twice = tree.fix_pruning(torch.cat([x, x]), batch_size=100)
    torch.testing.assert_close(once, twice, rtol=0, atol=1e-6)
    alone = tree.fix_pruning(x)
    assert not torch.allclose(once, alone, atol=1e-3)


@pytest.mark.parametrize(
    "options", [{}, {"splits": "elu"}, {"batch_norm": True}, {"splits": "elu", "batch_norm": True}]
)
def test_initialize_balances_the_tree_and_keeps_the_parameter(options):
    tree, x = made(**options), rows(4000)
    bias = tree.bias
    optimizer = torch.optim.SGD(tree.parameters(), lr=0.1)
    tree.initialize(x)
    assert tree.bias is bias
    tree.eval()
    s = tree.scores(x)
    torch.testing.assert_close(s[0].mean(), torch.zeros(()), rtol=0, atol=1e-4)
    left = s[0] < 0
    torch.testing.assert_close(s[1][left].mean(), torch.zeros(()), rtol=0, atol=1e-4)
    torch.testing.assert_close(s[2][~left].mean(), torch.zeros(()), rtol=0, atol=1e-4)
    shares = torch.bincount(tree.leaf(x), minlength=31)[15:] / 4000
    assert shares.max() < 0.25, "rows should spread over the 16 leaves"
    before = bias.detach().clone()
    tree.train()
    tree(x).square().sum().backward()
    optimizer.step()
    assert not torch.equal(before, tree.bias.detach()), "an optimizer made before trains the bias"


def test_leaf_follows_the_signs():
    tree, x = made(), rows()
    tree.eval()
    s = tree.scores(x)
    for i in range(50):
        t = 0
        while t < 15:
            t = 2 * t + 1 if s[t, i] < 0 else 2 * t + 2
        assert int(tree.leaf(x[[i]])[0]) == t


def test_leaf_stays_above_pruned_children():
    tree, x = with_dead_nodes(), rows()
    reached = set(tree.leaf(x).tolist())
    assert reached <= set(tree.active_nodes.tolist())


@pytest.mark.parametrize("options", [{}, {"batch_norm": True}, {"splits": "elu"}, {"routing": "published"}])
def test_pruned_tree_equals_the_unpruned_one(options):
    tree, x = with_dead_nodes(**options), rows()
    other = rows(50, seed=9)
    network = LatentTreeNetwork(tree, 3, hidden_layers=(4,)).eval()
    small = copy.deepcopy(network).prune_()
    assert 0 < len(tree.active_nodes) < 31
    assert small.tree.shape.n_nodes == len(tree.active_nodes)
    assert sum(p.numel() for p in small.parameters()) < sum(p.numel() for p in network.parameters())
    for given in (x, other):
        torch.testing.assert_close(small.tree(given), tree(given), rtol=0, atol=1e-6)
        torch.testing.assert_close(small(given), network(given), rtol=0, atol=1e-6)
        assert torch.equal(small.tree.leaf(given), tree.leaf(given))
    np.testing.assert_array_equal(small.tree.active_nodes, tree.active_nodes)


@pytest.mark.parametrize("threshold", [0.2, 0.5])
def test_a_threshold_changes_no_traversal_by_more(threshold):
    tree, x = made(depth=5, pruning=30.0), rows()
    tree.initialize(x)
    tree.eval()
    tree.fix_pruning(x)
    small = copy.deepcopy(tree).prune_(threshold)
    assert small.shape.n_nodes < tree.shape.n_nodes
    assert (small.pruning_vector[1:] > threshold).all()
    assert (small(x) - tree(x)).abs().max() <= threshold
    with pytest.raises(InputError, match="threshold"):
        tree.prune_(1.0)


def test_pruned_tree_can_be_trained_on():
    tree = with_dead_nodes()
    tree.prune_().train()
    z = tree(rows())
    z.square().sum().backward()
    assert tree.bias.grad is not None
    assert torch.isfinite(tree.weight.grad).all()


def test_pruned_custom_splits():
    module = torch.nn.Sequential(torch.nn.Linear(5, 8), torch.nn.Tanh(), torch.nn.Linear(8, 15))
    tree = with_dead_nodes(splits=module)
    small = copy.deepcopy(tree).prune_()
    assert small.shape.n_nodes < tree.shape.n_nodes
    torch.testing.assert_close(small(rows()), tree(rows()), rtol=0, atol=1e-6)


def test_state_of_a_pruned_tree_loads_into_a_new_one():
    tree = with_dead_nodes(batch_norm=True).prune_()
    network = LatentTreeNetwork(tree, 2).eval()
    fresh = LatentTreeNetwork(made(seed=5, batch_norm=True), 2).eval()
    fresh.load_state_dict(network.state_dict())
    assert torch.equal(fresh(rows()), network(rows()))
    with pytest.raises(InputError, match="another tree"):
        made(depth=2, batch_norm=True).load_state_dict(
            tree.state_dict() | {"nodes": torch.tensor([0, 1, 20])}, strict=False
        )


def test_uncapped_tree_is_eq_1_read_literally():
    from latent_oracle import algorithm_1, scores_to_q

    tree, x = made(depth=3, pruning=2.0, capped=False), rows(40) * 3
    tree.double()
    z = tree(x.double())
    q = scores_to_q(tree.scores(x.double()).detach().numpy(), capped=False)
    slow_a, slow_z = algorithm_1(q, 2.0)
    np.testing.assert_allclose(tree.pruning_vector, slow_a, rtol=0, atol=1e-12)
    np.testing.assert_allclose(z.detach(), slow_z, rtol=0, atol=1e-12)
    tree.eval()
    np.testing.assert_allclose(tree(x.double()).detach(), slow_z, rtol=0, atol=1e-12)


def test_traverse_leaves_the_mode_alone():
    tree, x = made(), rows()
    tree(x)
    stored = tree.pruning_vector.clone()
    z = tree.traverse(x[:3])
    assert tree.training
    assert torch.equal(stored, tree.pruning_vector)
    assert torch.equal(z, tree.eval()(x[:3]))


def test_gradients_reach_layers_below_and_above():
    torch.manual_seed(0)
    below, tree, above = torch.nn.Linear(3, 5), LatentTree(5, 3), torch.nn.Linear(15, 1)
    above(tree(torch.relu(below(rows(60, 3))))).square().mean().backward()
    for module in (below, tree, above):
        assert all(p.grad is not None and torch.isfinite(p.grad).all() for p in module.parameters())
        assert any(p.grad.abs().max() > 0 for p in module.parameters())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"depth": 0}, "depth"),
        ({"depth": 64}, "depth"),
        ({"pruning": -1}, "pruning"),
        ({"splits": "curved"}, "splits"),
        ({"routing": "soft"}, "routing"),
        ({"in_features": 0}, "in_features"),
    ],
)
def test_bad_parameters(options, words):
    with pytest.raises(InputError, match=words):
        LatentTree(**{"in_features": 4, "depth": 3, **options})


def test_bad_rows():
    tree = made()
    for x in (torch.zeros(3, 4), torch.zeros(0, 5), torch.zeros(5)):
        with pytest.raises(InputError, match="shape"):
            tree(x)
    with pytest.raises(InputError, match="NaN"):
        tree(torch.full((3, 5), torch.nan))
    with pytest.raises(InputError, match="two rows"):
        made(batch_norm=True)(rows(1))
    with pytest.raises(InputError, match="must return shape"):
        made(splits=torch.nn.Linear(5, 3))(rows())


def test_batch_of_one_and_constant_columns():
    tree = made()
    assert torch.isfinite(tree(rows(1))).all()
    tree.initialize(torch.ones(10, 5))
    assert torch.isfinite(tree(torch.ones(10, 5))).all()


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float64])
def test_other_precisions(dtype):
    tree = made(dtype=dtype)
    z = tree(rows().to(dtype))
    assert z.dtype is dtype
    z.sum().backward()
    assert torch.isfinite(tree.weight.grad).all()
