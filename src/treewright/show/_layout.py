"""Where the boxes of a tree go, without knowing how they are drawn.

Each node has a block: its box, and above it (before it, if the tree grows to the right) the label of the edge
that leads to it. All blocks of one depth stand in one band, so blocks of different depths cannot meet. Within
a band, two neighbouring subtrees are pushed together until at some depth their blocks are `gap` apart (the
contours of Reingold and Tilford, 1981), so blocks of one depth cannot meet either. Edges run only in the
space between two bands and along the label of their own block. A parent stands midway between its children.
Cost: nodes times depth.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from treewright.tree import Tree

__all__ = ["Layout", "Size", "arrange"]


@dataclass(frozen=True, slots=True)
class Size:
    """Extent of a box and of the label on the edge into it, in points.

    Parameters
    ----------
    along, across : float
        Of the box, in the direction in which the tree grows and at right angles to it.
    label_along, label_across : float
    """

    along: float
    across: float
    label_along: float = 0.0
    label_across: float = 0.0


@dataclass(frozen=True, slots=True)
class Layout:
    """Positions in points; `along` grows from the root to the leaves, `across` from left to right children.

    Parameters
    ----------
    band_start, band_box : tuple of float, one a depth
        Where the band begins (its labels), and where its boxes begin.
    centre : tuple of float, one per node
        Middle of the block across.
    length, breadth : float
        Extent of the whole picture.
    """

    band_start: tuple[float, ...]
    band_box: tuple[float, ...]
    centre: tuple[float, ...]
    length: float
    breadth: float


def arrange(tree: Tree, sizes: Sequence[Size], gap_along: float, gap_across: float) -> Layout:
    """Place all blocks; `gap_along` is left between bands, `gap_across` between blocks of one band."""
    depth = tree.node_depth.tolist()
    half = [max(size.across, size.label_across) / 2 for size in sizes]
    offset = [0.0] * tree.node_count  # of a child against its parent
    low: list[list[float]] = [[] for _ in half]  # contour of a subtree by depth below its root
    high: list[list[float]] = [[] for _ in half]
    for node in reversed(range(tree.node_count)):  # children come after parents
        if tree.splits[node] is None:
            low[node], high[node] = [-half[node]], [half[node]]
            continue
        left, right = int(tree.children_left[node]), int(tree.children_right[node])
        apart = max(h - lo for h, lo in zip(high[left], low[right], strict=False)) + gap_across
        offset[left], offset[right] = -apart / 2, apart / 2
        low[node] = [-half[node], *_outer(low[left], low[right], offset[left], offset[right], min)]
        high[node] = [half[node], *_outer(high[left], high[right], offset[left], offset[right], max)]
        low[left] = low[right] = high[left] = high[right] = []
    origin = -min(low[0])
    centre = [origin] * tree.node_count
    for node in range(tree.node_count):
        if tree.splits[node] is not None:
            for child in (int(tree.children_left[node]), int(tree.children_right[node])):
                centre[child] = centre[node] + offset[child]
    band_start, band_box = [], []
    position = 0.0
    for level in range(max(depth) + 1):
        members = [sizes[node] for node in range(tree.node_count) if depth[node] == level]
        band_start.append(position)
        position += max(size.label_along for size in members)
        band_box.append(position)
        position += max(size.along for size in members) + gap_along
    return Layout(
        tuple(band_start), tuple(band_box), tuple(centre), position - gap_along, origin + max(high[0])
    )


def _outer(
    left: list[float],
    right: list[float],
    left_offset: float,
    right_offset: float,
    pick: Callable[[float, float], float],
) -> list[float]:
    """Contour of two subtrees side by side."""
    both = [pick(a + left_offset, b + right_offset) for a, b in zip(left, right, strict=False)]
    rest = [a + left_offset for a in left[len(both) :]] or [b + right_offset for b in right[len(both) :]]
    return both + rest
