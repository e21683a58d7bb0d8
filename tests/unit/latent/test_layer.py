"""The fused layer is eq. (1) followed by T_lambda: by the slow twins, by the general projection, and by
gradcheck.
"""

import numpy as np
import pytest

from latent_oracle import algorithm_1, scores_to_q

torch = pytest.importorskip("torch", reason="PyTorch (the extra `latent`) is not installed")

from treewright._native import core  # noqa: E402
from treewright.errors import InputError  # noqa: E402
from treewright.latent import prune_traversals, tree_layer  # noqa: E402
from treewright.latent._layer import _tensor_layer, route  # noqa: E402
from treewright.latent._layer import scores_to_q as fast_q  # noqa: E402
from treewright.latent._roots import residual  # noqa: E402
from treewright.latent._shape import MAX_DEPTH, TreeShape, check_depth, complete_shape  # noqa: E402


def tensor_layer(s, pruning, shape=None, offset=0.5):
    return _tensor_layer(s, shape or complete_shape((s.shape[0] + 1).bit_length() - 1), pruning, offset)


PATHS = {"kernel": tree_layer, "tensor": tensor_layer}


def scores(seed, depth, n):
    rng = np.random.default_rng(seed)
    s = rng.normal(size=(2**depth - 1, n)) * rng.choice([0.2, 1.0, 5.0])
    return np.round(2 * s) / 2 if seed % 4 == 1 else s


def some_shapes(depth, seed):
    """Incomplete trees: drop random subtrees."""
    rng = np.random.default_rng(seed)
    alive = np.ones(2 ** (depth + 1) - 1, dtype=bool)
    for t in range(1, len(alive)):
        alive[t] = alive[(t - 1) // 2] and rng.random() < 0.75
    return TreeShape(depth, np.flatnonzero(alive))


@pytest.mark.parametrize("path", PATHS)
def test_equals_eq_1_followed_by_algorithm_1(path):
    """So pooling never happens: the twin pools whenever it finds a violation, beyond rounding."""
    for seed in range(80):
        s = scores(seed, 1 + seed % 4, 1 + seed % 7)
        pruning = float(10 ** np.random.default_rng(seed).uniform(-3, 3))
        z, a = PATHS[path](torch.tensor(s), pruning)
        slow_a, slow_z = algorithm_1(scores_to_q(s), pruning)
        np.testing.assert_allclose(a, slow_a, rtol=0, atol=1e-12)
        np.testing.assert_allclose(z.T, slow_z, rtol=0, atol=1e-12)


def test_node_equations_obey_the_tree_by_themselves():
    """The lemma behind the layer: single-node solutions of q by eq. (1) never rise from parent to child."""
    for seed in range(50):
        s = scores(seed, 5, 40)
        q = scores_to_q(s)
        alone = np.array([algorithm_1(np.repeat(q[:, [t]], 3, 1), 2.0)[0][0] for t in range(q.shape[1])])
        up = (np.arange(1, q.shape[1]) - 1) // 2
        assert (alone[1:] - alone[up]).max() <= 1e-15


def test_lemma_1_traversal_follows_the_splits():
    """Without pruning z is 1 on the nodes that the signs of the splits lead to, and 0 elsewhere."""
    rng = np.random.default_rng(0)
    depth, n = 5, 200
    s = rng.normal(size=(2**depth - 1, n))
    s += np.sign(s) * 0.5  # a margin of 1/2: then z is exactly 0 or 1 (Figure 3)
    z, _ = tree_layer(torch.tensor(s), 0)
    expected = np.zeros((2 ** (depth + 1) - 1, n))
    for i in range(n):
        t = 0
        expected[0, i] = 1
        while t < 2**depth - 1:
            t = 2 * t + 1 if s[t, i] < 0 else 2 * t + 2
            expected[t, i] = 1
    np.testing.assert_array_equal(z, expected)


@pytest.mark.parametrize("path", PATHS)
def test_gradcheck(path):
    for seed, depth in ((0, 1), (2, 2), (3, 3), (6, 4)):
        s = torch.tensor(scores(seed, depth, 6), requires_grad=True)
        assert torch.autograd.gradcheck(lambda s: PATHS[path](s, 0.7), (s,))


@pytest.mark.parametrize("routing", ["paper", "published"])
def test_kernel_equals_tensor_operations_also_for_incomplete_trees(routing):
    offset = 0.5 if routing == "paper" else 0.0
    for seed in range(40):
        shape = some_shapes(1 + seed % 5, seed)
        if shape.n_splits == 0:
            continue
        n = [1, 5, 64, 700][seed % 4]
        s = np.random.default_rng(seed).normal(size=(shape.n_splits, n))
        grads, values = [], []
        for path in ("kernel", "tensor"):
            t = torch.tensor(s, requires_grad=True)
            if path == "kernel":
                z, a = tree_layer(t, 1.5, shape=shape, routing=routing)
            else:
                z, a = tensor_layer(t, 1.5, shape, offset)
            rng = np.random.default_rng(seed)
            loss = (z * torch.tensor(rng.normal(size=z.shape))).sum() + (
                a * torch.tensor(rng.normal(size=a.shape))
            ).sum()
            grads.append(torch.autograd.grad(loss, t)[0])
            values.append(torch.cat([z.flatten(), a]).detach())
        np.testing.assert_allclose(values[0], values[1], rtol=0, atol=1e-13)
        np.testing.assert_allclose(grads[0], grads[1], rtol=0, atol=1e-12)


def test_gradient_equals_the_general_projection_behind_eq_1():
    for seed in (0, 2, 3, 6):
        s = torch.tensor(scores(seed, 4, 90), requires_grad=True)
        z, a = tree_layer(s, 3.0)
        q = fast_q(s, complete_shape(4))
        slow_a, slow_z = prune_traversals(q.t(), 3.0)
        (one,) = torch.autograd.grad((z * z).sum() + a.sum(), s)
        (two,) = torch.autograd.grad((slow_z * slow_z).sum() + slow_a.sum(), s)
        np.testing.assert_allclose(one, two, rtol=0, atol=1e-12)


def test_long_columns_use_a_sampled_start_and_stay_exact():
    s = torch.tensor(np.sort(scores(0, 3, 20000), axis=1))  # sorted rows: the first eighth is a poor sample
    z, a = tree_layer(s, 25.0)
    x = fast_q(s, complete_shape(3)) + 0.5
    inside = a < 1
    assert float(residual(x, 25.0, a)[inside].max()) < 1e-9
    assert torch.equal(z, torch.minimum(x.clamp(min=0), a[:, None]))


def test_fixed_pruning_vector_routes_each_row_by_itself():
    s = torch.tensor(scores(0, 4, 60), requires_grad=True)
    shape = complete_shape(4)
    z, a = tree_layer(s, 5.0)
    again = route(s, a, shape=shape)
    assert torch.equal(z, again)
    for i in (0, 17, 59):
        assert torch.equal(route(s[:, [i]], a, shape=shape), again[:, [i]])
    fixed = a.detach()
    assert torch.autograd.gradcheck(
        lambda s: route(s, fixed, shape=shape), (s[:, :8].detach().requires_grad_(),)
    )


def test_published_routing_is_hard_between_minus_half_and_zero():
    s = torch.tensor([[0.2, -0.2, 1.0]])
    z, a = tree_layer(s, 0.1, routing="published")
    np.testing.assert_allclose(z[1], torch.minimum(torch.tensor([0.0, 0.2, 0.0]), a[1]))
    paper, same_a = tree_layer(s, 0.1)
    assert torch.equal(a, same_a)
    np.testing.assert_allclose(
        paper[1], torch.minimum(torch.tensor([0.3, 0.7, 0.0]), a[1]), rtol=0, atol=1e-7
    )


def test_uncapped_scores_are_eq_1_read_literally():
    s = scores(2, 3, 20)
    np.testing.assert_array_equal(
        fast_q(torch.tensor(s), complete_shape(3), capped=False).T, scores_to_q(s, capped=False)
    )


def test_every_instruction_set_agrees():
    s = torch.tensor(scores(0, 6, 512), dtype=torch.float32)
    results = []
    try:
        for limit in (core.Simd.PLAIN, core.detected_simd()):
            core.set_simd_limit(limit)
            t = s.clone().requires_grad_()
            z, a = tree_layer(t, 10.0)
            (grad,) = torch.autograd.grad(a.sum() + (z * z).sum(), t)
            results.append((z.detach().numpy(), a.detach().numpy(), grad.numpy()))
    finally:
        core.set_simd_limit(core.Simd.AVX512)
    for plain, fast in zip(*results, strict=True):
        np.testing.assert_allclose(plain, fast, rtol=0, atol=2e-6)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_lower_precisions(dtype):
    s = torch.tensor(scores(0, 4, 300), dtype=dtype)
    z, a = tree_layer(s, 4.0)
    exact_z, exact_a = tree_layer(s.double(), 4.0)
    assert z.dtype is dtype
    assert a.dtype is dtype
    tolerance = 1e-6 if dtype is torch.float32 else torch.finfo(dtype).eps
    np.testing.assert_allclose(z.double(), exact_z, rtol=0, atol=tolerance)
    np.testing.assert_allclose(a.double(), exact_a, rtol=0, atol=tolerance)


def test_no_pruning_is_defined():
    z, a = tree_layer(torch.tensor([[0.3, -2.0]]), 0)
    assert a.tolist() == [1.0, 1.0, 1.0]
    np.testing.assert_allclose(z, [[1.0, 1.0], [0.2, 1.0], [0.8, 0.0]], rtol=0, atol=1e-7)


@pytest.mark.parametrize(
    ("s", "pruning", "words"),
    [
        (torch.tensor([[float("nan")]]), 1.0, "NaN"),
        (torch.tensor([[float("-inf")]]), 1.0, "infinity"),
        (torch.tensor([[float("nan")]]), 0.0, "NaN"),
        (torch.zeros(2, 5), 1.0, "one row per split"),
        (torch.zeros(3, 0), 1.0, "at least one row"),
        (torch.zeros(3, 2, dtype=torch.int32), 1.0, "floating"),
        (torch.zeros(3, 2), -2.0, "pruning"),
    ],
)
def test_bad_input(s, pruning, words):
    with pytest.raises(InputError, match=words):
        tree_layer(s, pruning)


def test_bad_routing_and_shape():
    with pytest.raises(InputError, match="routing"):
        tree_layer(torch.zeros(1, 2), 1.0, routing="soft")
    with pytest.raises(InputError, match="one row per split"):
        tree_layer(torch.zeros(3, 2), 1.0, shape=complete_shape(3))


@pytest.mark.parametrize("depth", [0, -1, MAX_DEPTH + 1, 2.5, True, "3", None])
def test_bad_depth(depth):
    with pytest.raises(InputError, match="depth"):
        check_depth(depth)


def test_kernel_refuses_arrays_that_are_not_a_tree():
    z, state, s = np.empty((3, 2)), np.empty((2, 3)), np.zeros((1, 2))
    row = np.array([0, -1, -1], dtype=np.int32)
    for left, right in (
        ([1, -1, -1], [1, -1, -1]),
        ([0, -1, -1], [2, -1, -1]),
        ([1, -1, -1], [-1, -1, -1]),
        ([1, -1, -1], [9, -1, -1]),
    ):
        with pytest.raises(ValueError, match=r"child|parent"):
            core.latent_layer_forward(np.int32(left), np.int32(right), row, s, 1.0, 0.5, False, z, state)
