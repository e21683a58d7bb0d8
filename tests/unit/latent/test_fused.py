"""The layer's kernels for a graphics processor against those of the CPU; TRITON_INTERPRET=1 runs them without one."""

import os

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch (the extra `latent`) is not installed")
pytest.importorskip("triton", reason="needs Triton, which comes with PyTorch's builds for CUDA")

from treewright.latent import LatentTree, tree_layer  # noqa: E402
from treewright.latent._fused import fused_backward, fused_forward, is_fused  # noqa: E402
from treewright.latent._kernels import layer_backward, layer_forward  # noqa: E402
from treewright.latent._shape import TreeShape, complete_shape  # noqa: E402

ON_DEVICE = torch.cuda.is_available()
DEVICE = "cuda" if ON_DEVICE else "cpu"
pytestmark = pytest.mark.skipif(
    not ON_DEVICE and os.environ.get("TRITON_INTERPRET") != "1", reason="needs a graphics processor"
)
needs_device = pytest.mark.skipif(not ON_DEVICE, reason="needs a graphics processor")
TOLERANCE = {torch.float32: 3e-6, torch.float64: 1e-13}


def shape_of(rng, depth, whole):
    """The complete tree, or one without some subtrees."""
    if whole:
        return complete_shape(depth)
    alive = np.ones(2 ** (depth + 1) - 1, dtype=bool)
    for t in range(3, len(alive)):
        alive[t] = alive[(t - 1) // 2] and rng.random() < 0.75
    return TreeShape(depth, np.flatnonzero(alive))


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("seed", range(24))
def test_equals_the_kernels_of_the_cpu(seed, dtype):
    rng = np.random.default_rng(seed)
    shape = shape_of(rng, 1 + seed % 5, seed % 3 != 2)
    n = 5000 if seed == 7 else int(rng.integers(1, 300))
    s = torch.tensor(rng.normal(size=(shape.n_splits, n)) * rng.choice([0.2, 1, 5]), dtype=dtype)
    s = torch.round(2 * s) / 2 if seed % 5 == 1 else s  # ties, which go to the ancestor
    pruning, offset = float(10 ** rng.uniform(-3, 3)), (0.5, 0.0)[seed % 2]
    fixed = torch.tensor(rng.random(shape.n_nodes), dtype=dtype) if seed % 6 == 0 else None
    z, state = layer_forward(s, shape, pruning, offset, fixed)
    there = None if fixed is None else fixed.to(DEVICE)
    z_there, state_there = fused_forward(s.to(DEVICE), shape, pruning, offset, there)
    near = {"rtol": TOLERANCE[dtype], "atol": TOLERANCE[dtype]}
    torch.testing.assert_close(z_there.cpu(), z, **near)
    torch.testing.assert_close(state_there[0].cpu(), state[0], **near)
    grads = torch.tensor(rng.normal(size=z.shape), dtype=dtype), torch.zeros(shape.n_nodes, dtype=dtype)
    if fixed is None:
        grads[1].copy_(torch.tensor(rng.normal(size=shape.n_nodes), dtype=dtype))
    expected = layer_backward(s, shape, offset, state, *grads)
    found = fused_backward(s.to(DEVICE), shape, offset, state.to(DEVICE), *(g.to(DEVICE) for g in grads))
    scale = float(expected.abs().max()) + 1
    torch.testing.assert_close(found.cpu() / scale, expected / scale, **near)


def test_a_row_that_is_not_a_number_stays_one():
    s = torch.zeros(3, 6, dtype=torch.float64)
    s[1, 2] = torch.nan
    z, _ = fused_forward(s.to(DEVICE), complete_shape(2), 1.0, 0.5, None)
    below = z.isnan().cpu()
    assert below[[3, 4], 2].all()
    assert not below[:, [0, 1, 3, 4, 5]].any()


def test_deep_trees_go_by_tensor_operations():
    s = torch.zeros(2**11 - 1, 1)
    assert not is_fused(s.to(DEVICE), complete_shape(11))


@needs_device
@pytest.mark.parametrize("depth", [2, 4, 6])
def test_a_tree_on_the_device_is_that_of_the_cpu(depth):
    torch.manual_seed(depth)
    x = torch.randn(200, 5)
    tree = LatentTree(5, depth, pruning=2.0).double()
    answers = []
    for device in ("cpu", "cuda"):
        tree = tree.to(device)
        rows = x.to(device).double().requires_grad_()
        z = tree(rows)
        answers.append((z.detach().cpu(), torch.autograd.grad((z * z).sum(), rows)[0].cpu()))
    for here, there in zip(*answers, strict=True):
        torch.testing.assert_close(here, there, rtol=1e-9, atol=1e-9)


@needs_device
def test_half_precision_is_computed_in_single():
    s = torch.randn(15, 64, device="cuda")
    for dtype in (torch.float16, torch.bfloat16):
        z, a = tree_layer(s.to(dtype), 1.0)
        exact, exact_a = tree_layer(s.to(dtype).float(), 1.0)
        assert z.dtype is dtype
        torch.testing.assert_close(z, exact.to(dtype))
        torch.testing.assert_close(a, exact_a.to(dtype))
