"""Smallest faithful trees over the boxes of a domain with groups.

The dynamic program of Vidal and Schiffer 2020 (equation 4) over the states of `_group_axes.py`,

    V(box) = 0 if all its cells have one label, else 1 + min over splits of combine(V(one half), V(the other)),

and as in `table.hpp` no box is scanned: if some split has two halves of value 0, the box has one label exactly if the
halves have the same. Every faithful tree of the domain is a tree of such splits (one that sends all rows of its box one
way can be left out), so the minimum is over all of them. Boxes are treated from small to large, all of one size in
chunks of arrays. Time and memory grow with their number, the product of the numbers of states.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.bornagain._group_axes import GroupAxes
from treewright.result import StopReason

__all__ = ["Node", "Smallest", "Stopped", "smallest"]

BYTES_A_BOX = 32  # values, labels, levels and their order, and what sorting takes
MOST_BOXES = 1 << 25  # beyond, minutes go by, and a single step of the preparation takes seconds
CHUNK = 1 << 16  # boxes between two looks at the limits
NEVER = np.int32(1 << 30)
Node = tuple[int, int, int]  # column, plane, label, as `Engine.tree` takes them


class Stopped(Exception):
    """A limit, or the user, ended the dynamic program: no error."""

    def __init__(self, reason: StopReason) -> None:
        super().__init__(reason.value)
        self.reason = reason


class _Program:
    """The dynamic program over all boxes, with its limits."""

    def __init__(self, boxes: GroupAxes, check: Callable[[int], None]) -> None:
        self.boxes, self.check = boxes, check
        axes, shape = boxes.axes, boxes.shape
        self.stride = [math.prod(shape[a + 1 :]) for a in range(len(axes))]
        cells = [len(axis.values) for axis in axes]
        of_cell = boxes.labels(check)
        level, first = np.zeros(1, dtype=np.int16), np.zeros(1, dtype=np.int64)
        for a, axis in enumerate(axes):
            level = (level[:, None] + axis.size[None, :]).ravel()
            first = (first[:, None] + axis.cell[None, :] * math.prod(cells[a + 1 :])).ravel()
        self.label = of_cell[first]
        self.order = np.argsort(level, kind="stable")
        self.ends = np.cumsum(np.bincount(level))

    def halves(self, box: NDArray[np.int64]) -> Iterator[tuple[NDArray[np.bool_], Any, Any]]:
        """For each split: which boxes have it, and the two halves of these."""
        for axis, stride in zip(self.boxes.axes, self.stride, strict=True):
            state = box // stride % len(axis.size)
            for j in range(axis.left.shape[1]):
                one = axis.left[state, j]
                has = one >= 0
                if has.any():
                    here, own = box[has], state[has]
                    yield (
                        has,
                        here + (one[has] - own) * stride,
                        here + (axis.right[own, j] - own) * stride,
                    )

    def values(self, combine: Callable[[Any, Any], Any]) -> NDArray[np.int32]:
        """Least depth (``np.maximum``) or number of splits (``np.add``) of every box, small ones first."""
        value = np.zeros(self.boxes.n_boxes, dtype=np.int32)
        start = int(self.ends[0])  # single cells
        for end in self.ends[1:]:
            for at in range(start, int(end), CHUNK):
                box = self.order[at : min(at + CHUNK, int(end))]
                self.check(len(box))
                best = np.full(len(box), NEVER, dtype=np.int32)
                for has, one, other in self.halves(box):
                    a, b = value[one], value[other]
                    one_label = (a == 0) & (b == 0) & (self.label[one] == self.label[other])
                    best[has] = np.minimum(best[has], np.where(one_label, 0, combine(a, b) + 1))
                value[box] = best
            start = int(end)
        return value

    def within_depth(self, depth: NDArray[np.int32], most: int) -> list[NDArray[np.int32]]:
        """[d] the fewest splits of every box at depth d or less."""
        layers = [np.where(depth == 0, 0, NEVER).astype(np.int32)]
        for d in range(1, most + 1):
            layer = layers[0].copy()
            todo = np.flatnonzero((depth > 0) & (depth <= d))
            for at in range(0, len(todo), CHUNK):
                box = todo[at : at + CHUNK]
                self.check(len(box))
                best = np.full(len(box), NEVER, dtype=np.int32)
                for has, one, other in self.halves(box):
                    both = layers[-1][one].astype(np.int64) + layers[-1][other] + 1
                    best[has] = np.minimum(best[has], np.minimum(both, NEVER)).astype(np.int32)
                layer[box] = best
            layers.append(layer)
        return layers

    def nodes(
        self, is_best: Callable[[int, int, int, int], bool], is_leaf: Callable[[int], bool]
    ) -> list[Node]:
        """Return the nodes of a tree, depth-first; ``is_best(box, one half, the other, depth)`` chooses splits."""
        found: list[Node] = []
        boxes = self.boxes
        free = tuple(axis.unasked for axis in boxes.axes)
        stack = [(boxes.n_boxes - 1, 0, free)]
        while stack:
            box, depth, free = stack.pop()
            if is_leaf(box):
                found.append((-1, 0, int(self.label[box])))
                continue
            a, j, one, other = next(
                split for split in self._splits(box) if is_best(box, split[2], split[3], depth)
            )
            axis = boxes.axes[a]
            column, threshold = axis.asks[box // self.stride[a] % len(axis.size)][j]
            below = free
            if column < 0:  # any of those that are left
                column = free[a][-1]
                below = (*free[:a], free[a][:-1], *free[a + 1 :])
            plane = int(np.searchsorted(boxes.engine.thresholds[column], threshold))
            found.append((column, plane, 0))
            stack += [(other, depth + 1, free), (one, depth + 1, below)]
        return found

    def _splits(self, box: int) -> Iterator[tuple[int, int, int, int]]:
        for a, (axis, stride) in enumerate(zip(self.boxes.axes, self.stride, strict=True)):
            state = box // stride % len(axis.size)
            for j in range(len(axis.asks[state])):
                one, other = int(axis.left[state, j]), int(axis.right[state, j])
                yield a, j, box + (one - state) * stride, box + (other - state) * stride


@dataclass(frozen=True)
class Smallest:
    """A smallest tree: its nodes, and the least depth and leaves (1 and 0 where not asked) of any faithful one."""

    nodes: list[Node]
    depth_bound: int
    leaves_bound: int


def smallest(boxes: GroupAxes, objective: str, memory_limit: float, check: Callable[[int], None]) -> Smallest:
    """Find the smallest faithful tree.

    Parameters
    ----------
    boxes : GroupAxes
    objective : {"depth", "leaves", "depth-leaves", "heuristic"}
        The last means leaves.
    memory_limit : float
        Bytes.
    check : callable
        Gets the number of boxes that are treated next; raises `Stopped` to end the run.

    Raises
    ------
    Stopped
    """
    too_large = boxes.n_boxes * BYTES_A_BOX + boxes.n_cells > memory_limit
    if boxes.too_many or boxes.n_boxes > MOST_BOXES or too_large:
        raise Stopped(StopReason.MEMORY_LIMIT)
    program = _Program(boxes, check)
    top = boxes.n_boxes - 1
    if objective in ("leaves", "heuristic"):
        splits = program.values(np.add)
        nodes = program.nodes(
            lambda box, one, other, _: splits[box] == splits[one] + splits[other] + 1,
            lambda box: splits[box] == 0,
        )
        return Smallest(nodes, 0, int(splits[top]) + 1)
    depth = program.values(np.maximum)
    least = int(depth[top])
    if objective == "depth":
        nodes = program.nodes(
            lambda box, one, other, _: depth[box] == max(depth[one], depth[other]) + 1,
            lambda box: depth[box] == 0,
        )
        return Smallest(nodes, least, 1)
    if boxes.n_boxes * (BYTES_A_BOX + 4 * (least + 2)) > memory_limit:
        raise Stopped(StopReason.MEMORY_LIMIT)
    layers = program.within_depth(depth, least)
    nodes = program.nodes(
        lambda box, one, other, d: (
            layers[least - d][box]
            == layers[least - d - 1][one].astype(np.int64) + layers[least - d - 1][other] + 1
        ),
        lambda box: depth[box] == 0,
    )
    return Smallest(nodes, least, int(layers[-1][top]) + 1)
