"""T_lambda equals Algorithm 1, a generic QP method and its own optimality conditions; its Jacobian passes
gradcheck.
"""

import numpy as np
import pytest

from latent_oracle import algorithm_1, kkt_violation, quadratic_program

torch = pytest.importorskip("torch", reason="PyTorch (the extra `latent`) is not installed")

from treewright._native import core  # noqa: E402
from treewright.errors import InputError  # noqa: E402
from treewright.latent import prune_traversals  # noqa: E402
from treewright.latent._projection import _TensorProjection  # noqa: E402

PATHS = {"kernel": prune_traversals, "tensor": _TensorProjection.apply}


def problem(seed, depth=None, n=None):
    """Random scores of every kind that matters: free, tied, negative, children above parents, huge."""
    rng = np.random.default_rng(seed)
    depth = depth or int(rng.integers(1, 4))
    n = n or int(rng.integers(1, 9))
    nodes = 2 ** (depth + 1) - 1
    q = rng.normal(size=(n, nodes)) * rng.choice([0.3, 1.0, 3.0])
    kind = seed % 5
    if kind == 1:
        q = np.round(q * 2) / 2
    elif kind == 2:
        q = -np.abs(q) - 0.5
    elif kind == 3:
        q = q + np.log2(np.arange(nodes) + 1)  # deeper is larger: everything pools
    elif kind == 4:
        q = q * 100
    return q, float(10 ** rng.uniform(-3, 3))


@pytest.mark.parametrize("path", PATHS)
def test_equals_algorithm_1(path):
    for seed in range(150):
        q, pruning = problem(seed)
        a, z = PATHS[path](torch.tensor(q), pruning)
        slow_a, slow_z = algorithm_1(q, pruning)
        np.testing.assert_allclose(a, slow_a, rtol=0, atol=1e-12)
        np.testing.assert_allclose(z, slow_z, rtol=0, atol=1e-12)


def test_equals_a_generic_quadratic_program():
    compared = 0
    for seed in range(280):
        rng = np.random.default_rng(seed)
        q, pruning = problem(seed, depth=int(rng.integers(1, 3)), n=int(rng.integers(1, 6)))
        q, pruning = np.clip(q, -5, 5), float(np.clip(pruning, 0.05, 50))  # within what the solver can do
        found = quadratic_program(q, pruning)
        if found is None:
            continue
        compared += 1
        a, z = prune_traversals(torch.tensor(q), pruning)
        np.testing.assert_allclose(a, found[0], rtol=0, atol=1e-6)
        np.testing.assert_allclose(z, found[1], rtol=0, atol=1e-6)
    assert compared >= 150


@pytest.mark.parametrize("pruning", [1e-9, 0.1, 10.0, 1e4])
@pytest.mark.parametrize(("depth", "n"), [(3, 20000), (6, 3000), (9, 200), (2, 1)])
def test_optimality_conditions_at_scale(depth, n, pruning):
    for kind in range(5):
        q, _ = problem(kind, depth, n)
        a, z = prune_traversals(torch.tensor(q), pruning)
        assert kkt_violation(q, a.numpy(), z.numpy(), pruning) < 1e-12


@pytest.mark.parametrize("path", PATHS)
def test_float32_agrees_with_float64(path):
    for seed in range(40):
        q, pruning = problem(seed, n=64)
        q = q.astype(np.float32)
        a, z = PATHS[path](torch.tensor(q), pruning)
        exact_a, exact_z = prune_traversals(torch.tensor(q.astype(np.float64)), pruning)
        np.testing.assert_allclose(a, exact_a, rtol=0, atol=1e-6)
        np.testing.assert_allclose(z, exact_z, rtol=0, atol=1e-6)


def test_both_paths_give_the_same_gradient():
    for seed in range(60):
        q, pruning = problem(seed, n=12)
        grads = []
        for path in PATHS.values():
            t = torch.tensor(q, requires_grad=True)
            a, z = path(t, pruning)
            rng = np.random.default_rng(seed)
            loss = (a * torch.tensor(rng.normal(size=a.shape))).sum() + (
                z * torch.tensor(rng.normal(size=z.shape))
            ).sum()
            (grad,) = torch.autograd.grad(loss, t)
            grads.append(grad.numpy())
        np.testing.assert_allclose(grads[0], grads[1], rtol=0, atol=1e-10)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("kind", [0, 3])
def test_gradcheck(path, kind):
    for depth in (1, 2, 3):
        q, _ = problem(kind + 5 * depth, depth, 5 if depth < 3 else 3)
        for pruning in (0.3, 2.5) if depth < 3 else (2.5,):
            t = torch.tensor(q, requires_grad=True)
            assert torch.autograd.gradcheck(lambda t, p=pruning: PATHS[path](t, p), (t,))


def test_jacobian_is_the_papers():
    """d a_t / d q_it' = 1 / (lambda |G| + k) within the group's support, else 0, entry by entry."""
    q, _ = problem(3, 2, 6)
    pruning = 1.7
    t = torch.tensor(q, requires_grad=True)
    a, _ = prune_traversals(t, pruning)
    jacobian = torch.autograd.functional.jacobian(lambda t: prune_traversals(t, pruning)[0], t).numpy()
    a = a.detach().numpy()
    for s in range(7):
        group = {s}
        while True:  # nodes tied to s by edges of equal a
            more = {c for c in range(1, 7) if a[c] == a[(c - 1) // 2] and ({c, (c - 1) // 2} & group)}
            grown = group | more | {(c - 1) // 2 for c in more}
            if grown == group:
                break
            group = grown
        support = (q + 0.5 > a[s]) & np.isin(np.arange(7), list(group))
        expected = support / (pruning * len(group) + support.sum()) * (0 < a[s] < 1)
        np.testing.assert_allclose(jacobian[s], expected, rtol=0, atol=1e-14)
    assert any(a[c] == a[(c - 1) // 2] for c in range(1, 7)), "the example must pool"


def test_row_order_does_not_matter():
    q, pruning = problem(0, 4, 300)
    order = np.random.default_rng(1).permutation(300)
    a, z = prune_traversals(torch.tensor(q), pruning)
    permuted_a, permuted_z = prune_traversals(torch.tensor(q[order]), pruning)
    np.testing.assert_allclose(a, permuted_a, rtol=0, atol=1e-14)
    np.testing.assert_allclose(z[order], permuted_z, rtol=0, atol=1e-14)


def test_every_instruction_set_agrees():
    best = core.detected_simd()
    q, pruning = problem(0, 5, 1000)
    results = []
    try:
        for limit in (core.Simd.PLAIN, best):
            core.set_simd_limit(limit)
            t = torch.tensor(q, dtype=torch.float32, requires_grad=True)
            a, z = prune_traversals(t, pruning)
            (grad,) = torch.autograd.grad(a.sum() + (z * z).sum(), t)
            results.append((a.detach().numpy(), z.detach().numpy(), grad.numpy()))
    finally:
        core.set_simd_limit(core.Simd.AVX512)
    for plain, fast in zip(*results, strict=True):
        np.testing.assert_allclose(plain, fast, rtol=0, atol=2e-6)


def test_newton_survives_adversarial_columns():
    """Gaps growing factorially make each Newton step drop one row; both paths still end exactly."""
    for base in (2.0, 10.0):
        x = np.cumprod(np.concatenate([[1.0], np.arange(1, 15) * base]))
        q = np.repeat((x / x[-1])[:, None], 3, axis=1) - 0.5
        for pruning in (1e-12, 1e-3, 1.0):
            slow, _ = algorithm_1(q, pruning)
            for path in PATHS.values():
                a, _ = path(torch.tensor(q), pruning)
                np.testing.assert_allclose(a, slow, rtol=1e-12)


def test_tiny_pruning_keeps_the_gradient():
    """Rounding a up to the largest value must not empty the support."""
    q = torch.full((10, 3), 0.1, dtype=torch.float32, requires_grad=True)
    a, _ = prune_traversals(q, 1e-12)
    (grad,) = torch.autograd.grad(a.sum(), q)
    np.testing.assert_allclose(grad.numpy(), 0.1, rtol=1e-4)


def test_without_pruning_every_node_is_open():
    q = torch.tensor([[1.0, 0.3, -0.9], [1.0, -0.2, 0.2]], requires_grad=True)
    a, z = prune_traversals(q, 0)
    assert a.tolist() == [1.0, 1.0, 1.0]
    np.testing.assert_allclose(z.detach(), np.clip(q.detach().numpy() + 0.5, 0, 1), rtol=0, atol=1e-7)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_computed_in_float32(dtype):
    q, pruning = problem(0, 3, 50)
    half = torch.tensor(q, dtype=dtype)
    a, z = prune_traversals(half, pruning)
    exact_a, exact_z = prune_traversals(half.float(), pruning)
    assert a.dtype is dtype
    assert z.dtype is dtype
    assert torch.equal(a, exact_a.to(dtype))
    assert torch.equal(z, exact_z.to(dtype))


def test_layouts_agree():
    q, pruning = problem(0, 4, 37)
    row_major = torch.tensor(q)
    node_major = torch.tensor(np.ascontiguousarray(q.T)).t()
    strided = torch.tensor(np.repeat(q, 2, axis=0))[::2]
    for other in (node_major, strided):
        for one, two in zip(
            prune_traversals(row_major, pruning), prune_traversals(other, pruning), strict=True
        ):
            assert torch.equal(one, two)


@pytest.mark.parametrize(
    ("q", "pruning", "words"),
    [
        (torch.tensor([[1.0, float("nan"), 0.0]]), 1.0, "NaN"),
        (torch.tensor([[1.0, float("inf"), 0.0]]), 1.0, "infinity"),
        (torch.tensor([[1.0, float("nan"), 0.0]]), 0.0, "NaN"),
        (torch.zeros(2, 3), -1.0, "pruning"),
        (torch.zeros(2, 3), float("nan"), "pruning"),
        (torch.zeros(2, 3), "strong", "pruning"),
        (torch.zeros(2, 4), 1.0, "columns"),
        (torch.zeros(2, 1), 1.0, "columns"),
        (torch.zeros(0, 3), 1.0, "at least one row"),
        (torch.zeros(3), 1.0, "shape"),
        (torch.zeros(2, 3, dtype=torch.int64), 1.0, "floating"),
        (np.zeros((2, 3)), 1.0, "tensor"),
    ],
)
def test_bad_input(q, pruning, words):
    with pytest.raises(InputError, match=words):
        prune_traversals(q, pruning)


def test_no_second_derivative():
    q = torch.zeros(2, 3, requires_grad=True)
    for path in PATHS.values():
        with pytest.raises(NotImplementedError, match="second derivative"):
            torch.autograd.grad(path(q, 1.0)[0].sum(), q, create_graph=True)


def test_on_another_device_nan_spreads():
    a, z = _TensorProjection.apply(torch.tensor([[1.0, float("nan"), 0.0]]), 1.0)
    assert torch.isnan(z).any() or torch.isnan(a).any()
