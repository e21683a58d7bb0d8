"""Trees without splits that decide nothing."""

from __future__ import annotations

import numpy as np

from treewright.tree._split import Split
from treewright.tree._tree import LEAF, Tree

__all__ = ["merge_equal_leaves"]


def merge_equal_leaves(tree: Tree) -> Tree:
    """Merge sibling leaves that predict the same class, again and again; every prediction stays.

    Parameters
    ----------
    tree : Tree
        A classification tree.

    Returns
    -------
    Tree
        `tree` itself if there is nothing to merge.
    """
    is_leaf = tree.is_leaf.copy()
    prediction = tree.prediction.copy()
    for node in range(tree.node_count - 1, -1, -1):  # children come after parents
        if is_leaf[node]:
            continue
        left, right = int(tree.children_left[node]), int(tree.children_right[node])
        if is_leaf[left] and is_leaf[right] and prediction[left] == prediction[right]:
            is_leaf[node] = True
            prediction[node] = prediction[left]
    if np.array_equal(is_leaf, tree.is_leaf):
        return tree
    kept: list[int] = []
    stack = [0]
    while stack:
        node = stack.pop()
        kept.append(node)
        if not is_leaf[node]:
            stack += [int(tree.children_right[node]), int(tree.children_left[node])]
    number = {node: position for position, node in enumerate(kept)}
    children = [
        np.array([LEAF if is_leaf[node] else number[int(side[node])] for node in kept], dtype=np.int32)
        for side in (tree.children_left, tree.children_right)
    ]
    splits: tuple[Split | None, ...] = tuple(None if is_leaf[node] else tree.splits[node] for node in kept)
    return Tree(
        columns=tree.columns,
        classes=tree.classes,
        splits=splits,
        children_left=children[0],
        children_right=children[1],
        prediction=prediction[kept],
        value=tree.value[kept],
        n_node_samples=tree.n_node_samples[kept],
    )
