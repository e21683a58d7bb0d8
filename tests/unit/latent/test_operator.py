"""The layer as an operator: whole compiled and exported graphs, equal to the plain layer in values and gradients."""

import copy

import pytest

torch = pytest.importorskip("torch", reason="PyTorch (the extra `latent`) is not installed")

from treewright.errors import InputError  # noqa: E402
from treewright.latent import LatentTree  # noqa: E402
from treewright.latent._layer import solve_layer  # noqa: E402
from treewright.latent._operator import _OPERATOR, layer_operator  # noqa: E402


def made(**options):
    torch.manual_seed(0)
    return LatentTree(5, 3, **options)


def rows(n=40, seed=1):
    return torch.randn(n, 5, generator=torch.Generator().manual_seed(seed))


def pruned():
    tree = made()
    with torch.no_grad():
        tree.bias[1] += 40.0
    tree.eval()
    tree.fix_pruning(rows())
    return tree.prune_()


@pytest.mark.parametrize(
    "tree", [made(), made(routing="published"), pruned()], ids=["paper", "published", "pruned"]
)
def test_equals_the_plain_layer(tree):
    s = torch.randn(tree.shape.n_splits, 30, dtype=torch.float64, requires_grad=True)
    weights = torch.randn(tree.shape.n_nodes, 30, dtype=torch.float64)
    found = []
    for z, a in (
        solve_layer(s, 2.0, tree.shape, tree.offset),
        layer_operator(s, tree.nodes, tree.depth, 2.0, tree.offset),
    ):
        (gradient,) = torch.autograd.grad((z * weights).sum() + a.square().sum(), s)
        found.append((z, a, gradient))
    for plain, operator in zip(*found, strict=True):
        torch.testing.assert_close(operator, plain, rtol=0, atol=0)


def test_pytorch_finds_no_fault_with_the_operator():
    tree = made()
    s = torch.randn(tree.shape.n_splits, 12, dtype=torch.float64, requires_grad=True)
    torch.library.opcheck(_OPERATOR, (s, tree.nodes, tree.depth, 1.0, 0.5, None))


def test_what_is_not_a_number_is_refused():
    tree = made()
    s = torch.full((tree.shape.n_splits, 2), torch.nan)
    with pytest.raises(InputError, match="NaN or infinity"):
        layer_operator(s, tree.nodes, tree.depth, 1.0, 0.5)


@pytest.mark.parametrize(
    "options", [{}, {"batch_norm": True}, {"pruning": 0.0}], ids=["plain", "norm", "unpruned"]
)
def test_training_compiles_to_one_graph(options):
    """Without a fallback (``fullgraph``); values, stored pruning vector and gradients stay the same."""
    plain = made(**options).train()
    whole = copy.deepcopy(plain)
    compiled = torch.compile(whole, fullgraph=True, backend="aot_eager")
    x = rows()
    weights = torch.randn(len(x), plain.out_features)
    for tree in (plain, compiled):
        (tree(x) * weights).sum().backward()
    torch.testing.assert_close(whole.pruning_vector, plain.pruning_vector)
    for mine, theirs in zip(whole.parameters(), plain.parameters(), strict=True):
        torch.testing.assert_close(mine.grad, theirs.grad)


@pytest.mark.parametrize("tree", [made().eval(), pruned()], ids=["whole", "pruned"])
def test_prediction_is_exported_for_any_number_of_rows(tree):
    n = torch.export.Dim("n", min=2)
    program = torch.export.export(tree, (rows(),), dynamic_shapes={"x": {0: n}})
    for count in (2, 40, 71):
        x = rows(count, seed=count)
        torch.testing.assert_close(program.module()(x), tree(x))
