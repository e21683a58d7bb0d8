"""Reduction (empty leaves pruned, equal siblings merged) never lowers accuracy or leaf accuracy."""

import numpy as np
import pytest

from treewright.leaf_accuracy import leaf_accuracy_score
from treewright.tree import (
    Column,
    ColumnKind,
    Split,
    ThresholdSplit,
    Tree,
    grow,
    merge_equal_leaves,
    reduce_tree,
)


def full_tree(rng: np.random.Generator, X: np.ndarray, y: np.ndarray, depth: int) -> Tree:
    """Random thresholds, many of them outside the data: empty leaves, useless splits, equal siblings."""

    def splits(left: int) -> list[Split | None]:
        if left == 0 or rng.random() < 0.1:
            return [None]
        here = ThresholdSplit(int(rng.integers(X.shape[1])), float(rng.integers(-1, 5)) + 0.5)
        return [here, *splits(left - 1), *splits(left - 1)]

    columns = [Column(f"x{j}", ColumnKind.CONTINUOUS) for j in range(X.shape[1])]
    n_classes = int(y.max()) + 1
    return grow(columns, np.arange(n_classes), splits(depth), X, y, np.ones(len(y)), 1 - np.eye(n_classes))


@pytest.mark.parametrize("seed", range(200))
def test_reduction(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (int(rng.integers(1, 40)), 2)).astype(float)
    y = rng.integers(0, int(rng.integers(2, 4)), len(X)).astype(np.int32)
    tree = full_tree(rng, X, y, 4)
    small = reduce_tree(tree)
    assert np.array_equal(small.predict(X), tree.predict(X))
    assert leaf_accuracy_score(small, X, y) >= leaf_accuracy_score(tree, X, y)
    assert small.n_leaves <= tree.n_leaves
    assert (small.n_node_samples > 0).all()
    assert reduce_tree(small) is small
    assert merge_equal_leaves(small) is small
    leaf = small.apply(X)
    assert np.array_equal(
        np.bincount(leaf, minlength=small.node_count)[small.is_leaf], small.n_node_samples[small.is_leaf]
    )
    parents = np.flatnonzero(~small.is_leaf)
    assert all(0 < small.children_left[p] < small.children_right[p] < small.node_count for p in parents)
