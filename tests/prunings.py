"""The trees that differ from a given one by one inner node that is a leaf, or its child, instead."""

from __future__ import annotations

from collections.abc import Sequence

from treewright.tree import Split

__all__ = ["end_of", "prunings"]


def end_of(splits: Sequence[Split | None], node: int) -> int:
    """Where the subtree of a node ends."""
    if splits[node] is None:
        return node + 1
    return end_of(splits, end_of(splits, node + 1))


def prunings(splits: list[Split | None]) -> list[list[Split | None]]:
    """Every tree with a leaf or a child in the place of one inner node."""
    out = []
    for node, split in enumerate(splits):
        if split is None:
            continue
        right, end = end_of(splits, node + 1), end_of(splits, node)
        for part in ([None], splits[node + 1 : right], splits[right:end]):
            out.append([*splits[:node], *part, *splits[end:]])
    return out
