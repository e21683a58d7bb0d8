"""The transforms of torch.func: gradients of functions, of each row by itself, and Jacobians."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch (the extra `latent`) is not installed")

from torch.func import functional_call, grad, jacrev, vmap  # noqa: E402

from treewright.latent import LatentTree, tree_layer  # noqa: E402


def scores(n=6, seed=0):
    return torch.randn(7, n, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


def total(s):
    z, a = tree_layer(s, 2.0)
    weights = torch.arange(z.numel(), dtype=z.dtype).reshape(z.shape)
    return (z * weights).sum() + a.square().sum()


def by_autograd(s):
    s = s.clone().requires_grad_()
    return torch.autograd.grad(total(s), s)[0]


def test_grad_equals_backward():
    torch.testing.assert_close(grad(total)(scores()), by_autograd(scores()), rtol=0, atol=0)


@pytest.mark.parametrize("dim", [0, 1, 2])
def test_vmap_is_a_loop(dim):
    batch = [scores(seed=seed) for seed in range(4)]
    stacked = torch.stack(batch, dim)
    torch.testing.assert_close(
        vmap(total, in_dims=dim)(stacked), torch.stack([total(s) for s in batch]), rtol=0, atol=0
    )
    found = vmap(grad(total), in_dims=dim)(stacked)
    torch.testing.assert_close(found, torch.stack([by_autograd(s) for s in batch]), rtol=0, atol=0)


def test_jacobian_is_row_by_row():
    s = scores(3)
    found = jacrev(lambda s: tree_layer(s, 2.0)[1])(s)
    assert found.shape == (15, 7, 3)
    torch.testing.assert_close(found, torch.autograd.functional.jacobian(lambda s: tree_layer(s, 2.0)[1], s))


def test_gradients_of_each_row_by_the_parameters():
    torch.manual_seed(0)
    tree = LatentTree(5, 3).double()
    x = torch.randn(8, 5, dtype=torch.float64)
    tree.eval()
    tree.fix_pruning(x)
    parameters = {name: p.detach() for name, p in tree.named_parameters()}

    def loss(given, row):
        return functional_call(tree, given, (row[None],)).square().sum()

    found = vmap(grad(loss), in_dims=(None, 0))(parameters, x)
    for i in range(len(x)):
        tree.zero_grad()
        tree(x[i : i + 1]).square().sum().backward()
        torch.testing.assert_close(found["weight"][i], tree.weight.grad)
        torch.testing.assert_close(found["bias"][i], tree.bias.grad)


def test_second_derivatives_are_refused():
    with pytest.raises(NotImplementedError, match="second derivative"):
        grad(lambda s: grad(total)(s).sum())(scores())
    s = scores().requires_grad_()
    with pytest.raises(NotImplementedError, match="second derivative"):
        torch.autograd.grad(total(s), s, create_graph=True)
