"""Peers of latent trees: soft decision trees (Irsoy et al. 2012) and hierarchical clusterings."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import torch
from sklearn.cluster import AgglomerativeClustering, Birch, KMeans

from treewright.latent import dendrogram_purity

__all__ = ["clusterings", "soft_tree"]


class SoftTree(torch.nn.Module):
    """Soft decision tree (Irsoy et al. 2012): sigmoid routing, constant leaves; the probabilistic
    relaxation.
    """

    def __init__(self, features: int, depth: int) -> None:
        super().__init__()
        self.depth = depth
        self.gates = torch.nn.Linear(features, 2**depth - 1)
        self.leaves = torch.nn.Parameter(torch.randn(2**depth) * 0.1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        gate = torch.sigmoid(self.gates(x))
        reach = x.new_ones(len(x), 1)
        for level in range(self.depth):
            g = gate[:, 2**level - 1 : 2 ** (level + 1) - 1]
            reach = torch.stack([reach * (1 - g), reach * g], 2).flatten(1)
        return reach @ self.leaves[:, None]


def soft_tree(X: Any, y: Any, T: Any, depth: int, loss: Any, epochs: int) -> tuple[Any, float]:
    """Train a soft tree as long as ours; return outputs for T and CPU seconds."""
    torch.manual_seed(0)
    model = SoftTree(X.shape[1], depth)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01, fused=True)
    x, target = torch.tensor(X, dtype=torch.float32), torch.tensor(y, dtype=torch.float32)
    start = time.process_time()
    for _ in range(epochs):
        for rows in torch.randperm(len(x)).split(512):
            optimizer.zero_grad(set_to_none=True)
            loss(model(x[rows])[:, 0], target[rows]).backward()
            optimizer.step()
    seconds = time.process_time() - start
    with torch.no_grad():
        return model(torch.tensor(T, dtype=torch.float32))[:, 0].numpy(), seconds


def clusterings(X: Any, y: Any, rest: Any, test: Any, small: bool, seed: int) -> dict[str, float]:
    """Dendrogram purity of test rows under bisecting k-means (HKMeans), and agglomerative trees of these rows."""
    names = np.zeros(len(X), dtype=np.int64)
    for level in range(5):
        for node in range(2**level - 1, 2 ** (level + 1) - 1):
            here = np.flatnonzero(names == node)
            seen = np.intersect1d(here, rest)
            if len(seen) > 2:
                split = KMeans(2, n_init=3, random_state=seed).fit(X[seen])
                names[here] = 2 * node + 1 + split.predict(X[here])
    out = {
        "HKMeans depth 5 (test)": dendrogram_purity(names[test], y[test]),
        "HKMeans depth 5 (test, self pairs)": dendrogram_purity(names[test], y[test], self_pairs=True),
    }
    rows = test if small else test[:2000]
    model = AgglomerativeClustering(1, compute_full_tree=True).fit(X[rows])
    n = len(rows)
    parents = np.full(2 * n - 1, -1)
    for k, (left, right) in enumerate(model.children_):
        parents[[left, right]] = n + k
    out["Ward (test)"] = dendrogram_purity(np.arange(n), y[rows], parents)
    leaves = Birch(threshold=0.5, n_clusters=None).fit(X[rows]).labels_
    out["BIRCH subclusters, flat (test)"] = dendrogram_purity(
        leaves + 1, y[rows], np.r_[-1, np.zeros(leaves.max() + 1, int)]
    )
    return out
