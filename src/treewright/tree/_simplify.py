"""Simplify a tree: drop splits that do not change a prediction, and leaves that no training row reaches."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treewright.tree._split import Split
from treewright.tree._tree import LEAF, Tree

__all__ = ["merge_equal_leaves", "prune_empty_leaves", "reduce_tree"]


def reduce_tree(tree: Tree) -> Tree:
    """Drop leaves without training rows, then merge sibling leaves of the same class until none are left.

    Parameters
    ----------
    tree : Tree
        A classification tree.

    Returns
    -------
    Tree
        `tree` itself if there is nothing to reduce. Predictions of training rows stay the same, and the smallest
        accuracy of a leaf never decreases: the accuracy of a merged leaf is a weighted mean of the two that it
        replaces.

    References
    ----------
    J. Nemecek, T. Pevny, J. Marecek (2023). Improving the Validity of Decision Trees as Explanations. Section 3.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.table import table_from
    >>> from treewright.tree import ThresholdSplit, grow, reduce_tree
    >>> table, y = table_from([[20], [30], [40]]), np.array([0, 0, 0], dtype=np.int32)
    >>> splits = [ThresholdSplit(0, 35.0), None, ThresholdSplit(0, 90.0), None, None]
    >>> tree = grow(table.columns, np.array(["no", "yes"]), splits, table.X, y, np.ones(3), 1.0 - np.eye(2))
    >>> tree.n_leaves, reduce_tree(tree).n_leaves
    (3, 1)
    """
    return merge_equal_leaves(prune_empty_leaves(tree))


def merge_equal_leaves(tree: Tree) -> Tree:
    """Merge sibling leaves that predict the same class until none are left; every prediction stays the same.

    Parameters
    ----------
    tree : Tree
        A classification tree.

    Returns
    -------
    Tree
        `tree` itself if there is nothing to merge.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.table import table_from
    >>> from treewright.tree import ThresholdSplit, grow, merge_equal_leaves
    >>> table, y = table_from([[20], [30], [40]]), np.array([0, 0, 0], dtype=np.int32)
    >>> splits = [ThresholdSplit(0, 35.0), None, None]
    >>> tree = grow(table.columns, np.array(["no", "yes"]), splits, table.X, y, np.ones(3), 1.0 - np.eye(2))
    >>> tree.n_leaves, merge_equal_leaves(tree).n_leaves
    (2, 1)
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
    return _rebuilt(tree, np.arange(tree.node_count), is_leaf, prediction)


def prune_empty_leaves(tree: Tree) -> Tree:
    """Replace every split that has no training row on one side by the subtree on its other side.

    Predictions of training rows stay the same. A new row that would have gone to the empty side now gets the prediction
    of the other side, which is based on training rows.

    Parameters
    ----------
    tree : Tree

    Returns
    -------
    Tree
        `tree` itself if no node is empty. A tree without any rows is returned as it is.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.table import table_from
    >>> from treewright.tree import ThresholdSplit, grow, prune_empty_leaves
    >>> table, y = table_from([[20], [30], [40]]), np.array([0, 0, 1], dtype=np.int32)
    >>> splits = [ThresholdSplit(0, 35.0), None, ThresholdSplit(0, 90.0), None, None]
    >>> tree = grow(table.columns, np.array(["no", "yes"]), splits, table.X, y, np.ones(3), 1.0 - np.eye(2))
    >>> tree.n_leaves, prune_empty_leaves(tree).n_leaves
    (3, 2)
    """
    count = tree.n_node_samples
    if count[0] == 0 or (count > 0).all():
        return tree
    stands_for = np.arange(tree.node_count)  # for each node the one that takes its place
    for node in range(tree.node_count - 1, -1, -1):
        if tree.splits[node] is None:
            continue
        left, right = int(tree.children_left[node]), int(tree.children_right[node])
        if count[left] == 0 or count[right] == 0:
            stands_for[node] = stands_for[right if count[left] == 0 else left]
    return _rebuilt(tree, stands_for, tree.is_leaf, tree.prediction)


def _rebuilt(
    tree: Tree, stands_for: NDArray[np.int64], is_leaf: NDArray[np.bool_], prediction: NDArray[np.int32]
) -> Tree:
    """Return the tree of the remaining nodes, numbered depth-first.

    A node is replaced by the one in `stands_for`; nodes below one in `is_leaf` are dropped.
    """
    kept: list[int] = []
    stack = [int(stands_for[0])]
    while stack:
        node = stack.pop()
        kept.append(node)
        if not is_leaf[node]:
            stack += [int(stands_for[side[node]]) for side in (tree.children_right, tree.children_left)]
    number = {node: position for position, node in enumerate(kept)}
    children = [
        np.array(
            [LEAF if is_leaf[node] else number[int(stands_for[side[node]])] for node in kept], dtype=np.int32
        )
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
        kind=tree.kind,
        lines=None
        if tree.lines is None
        else tuple(tree.lines[node] if is_leaf[node] else None for node in kept),
    )
