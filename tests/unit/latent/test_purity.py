"""Dendrogram purity equals its definition, pair by pair."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch (the extra `latent`) is not installed")

from treewright.errors import InputError  # noqa: E402
from treewright.latent import dendrogram_purity  # noqa: E402


def by_definition(nodes, labels, parent, self_pairs=False):
    """Mean over pairs of one class of the purity of their lowest common ancestor."""

    def ancestors(t):
        path = [t]
        while parent(t) >= 0:
            t = parent(t)
            path.append(t)
        return path

    paths = [ancestors(t) for t in nodes]
    total, pairs = 0.0, 0
    for i in range(len(nodes)):
        for j in range(len(nodes)) if self_pairs else range(i):
            if labels[i] == labels[j]:
                lowest = next(t for t in paths[i] if t in paths[j])
                below = [k for k in range(len(nodes)) if lowest in paths[k]]
                total += np.mean([labels[k] == labels[i] for k in below])
                pairs += 1
    return total / pairs


@pytest.mark.parametrize("seed", range(12))
def test_equals_the_definition(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 40))
    nodes = rng.integers(0, 2 ** int(rng.integers(1, 6)), n)  # inner nodes too
    labels = rng.integers(0, int(rng.integers(1, 5)), n)
    assert dendrogram_purity(nodes, labels) == pytest.approx(
        by_definition(nodes, labels, lambda t: (t - 1) // 2 if t else -1), abs=1e-12
    )


@pytest.mark.parametrize("seed", range(4))
def test_with_self_pairs_as_published(seed):
    rng = np.random.default_rng(seed)
    nodes, labels = rng.integers(0, 31, 25), rng.integers(0, 3, 25)
    expected = by_definition(nodes, labels, lambda t: (t - 1) // 2 if t else -1, self_pairs=True)
    assert dendrogram_purity(nodes, labels, self_pairs=True) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_equals_the_definition_on_any_tree(seed):
    rng = np.random.default_rng(seed)
    n_nodes = 12
    number = rng.permutation(n_nodes)  # parents are not numbered before their children
    parents = np.full(n_nodes, -1)
    for k in range(1, n_nodes):
        parents[number[k]] = number[rng.integers(0, k)]
    nodes, labels = rng.integers(0, n_nodes, 30), rng.integers(0, 3, 30)
    assert dendrogram_purity(nodes, labels, parents) == pytest.approx(
        by_definition(nodes, labels, lambda t: parents[t]), abs=1e-12
    )


def test_known_values():
    assert dendrogram_purity([7, 7, 8, 8], [0, 0, 1, 1]) == 1.0
    assert dendrogram_purity([0, 0, 0, 0], [0, 0, 1, 1]) == 0.5  # one node holds all


def test_memory_does_not_grow_with_pairs():
    n = 200_000  # 2 x 10^10 pairs
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, n)
    assert dendrogram_purity(labels + 1, labels) == 1.0
    assert dendrogram_purity(rng.integers(3, 7, n), labels) == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize(
    ("nodes", "labels", "parents", "words"),
    [
        ([0, 1], [0], None, "equal length"),
        ([0.5, 1.0], [0, 0], None, "integers"),
        ([-1, 1], [0, 0], None, ">= 0"),
        ([1, 2], [0, 1], None, "at least two"),
        ([0, 5], [0, 0], [-1, 0], "parents"),
        ([0, 1], [0, 0], [1, 0], "one tree"),
        ([0, 1], [0, 0], [-1, -1], "one tree"),
    ],
)
def test_bad_input(nodes, labels, parents, words):
    with pytest.raises(InputError, match=words):
        dendrogram_purity(nodes, labels, parents)
