"""Which nodes a latent tree has: complete to a depth at first, fewer after its dead parts are dropped.

Nodes are named by their place in the complete tree, breadth first: the root is 0, the children of t are 2t+1
(left) and 2t+2 (right). A `TreeShape` keeps the names of the nodes that are there; arrays of a model are
ordered by *position* in that list. A node with at least one child present has a split, whose scores are one
row of s.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._numbers import is_whole
from treewright.errors import InputError
from treewright.latent._torch import torch

__all__ = ["MAX_DEPTH", "TreeShape", "check_depth", "complete_shape"]

MAX_DEPTH = 20  # 2**21 - 1 nodes; a column of one float each is then 8 MB a row of input


def check_depth(depth: Any) -> int:
    """Return `depth` if a tree can have it, else raise InputError."""
    if not is_whole(depth) or not 1 <= depth <= MAX_DEPTH:
        raise InputError(
            f"depth must be an integer from 1 to {MAX_DEPTH} (a tree has 2**(depth+1) - 1 nodes); "
            f"got {depth!r}."
        )
    return int(depth)


@dataclass(frozen=True, eq=False)
class TreeShape:
    """The nodes of a tree.

    Parameters
    ----------
    depth : int
        Depth of the complete tree that gives the names.
    nodes : ndarray of shape (n_nodes,), int64
        Names of the nodes present, ascending; starts with the root 0, and contains the parent of every node.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.latent import TreeShape
    >>> shape = TreeShape(2, np.array([0, 1, 2, 3, 4]))  # the right child of the root has no children
    >>> shape.n_nodes, shape.n_splits, shape.is_complete
    (5, 2, False)
    """

    depth: int
    nodes: NDArray[np.int64]

    @property
    def n_nodes(self) -> int:
        """Number of nodes present."""
        return len(self.nodes)

    @cached_property
    def n_splits(self) -> int:
        """Number of nodes with a child: rows of the score matrix."""
        return int(self.inner.sum())

    @cached_property
    def is_complete(self) -> bool:
        """Whether all nodes of the depth are present."""
        return bool(self.n_nodes == 2 ** (self.depth + 1) - 1)

    @cached_property
    def left(self) -> NDArray[np.int32]:
        """Position of each node's left child, -1 if absent."""
        return self._find(2 * self.nodes + 1)

    @cached_property
    def right(self) -> NDArray[np.int32]:
        """Position of each node's right child, -1 if absent."""
        return self._find(2 * self.nodes + 2)

    @cached_property
    def inner(self) -> NDArray[np.bool_]:
        """Whether each node has a child."""
        return np.asarray((self.left >= 0) | (self.right >= 0))

    @cached_property
    def score_row(self) -> NDArray[np.int32]:
        """Row of the score matrix of each node, -1 without a child."""
        return np.where(self.inner, np.cumsum(self.inner) - 1, -1).astype(np.int32)

    @cached_property
    def node_depth(self) -> NDArray[np.int64]:
        """Number of splits above each node."""
        return np.asarray(np.floor(np.log2(self.nodes + 1)), dtype=np.int64)

    @cached_property
    def parent(self) -> NDArray[np.int64]:
        """Position of each node's parent; 0 for the root."""
        return np.searchsorted(self.nodes, np.maximum(self.nodes - 1, 0) // 2)

    @cached_property
    def side(self) -> NDArray[np.int64]:
        """-1 for a left child, +1 for a right child (and the root): the sign of the parent's score in q."""
        return np.where(self.nodes % 2 == 1, -1, 1)

    def keep(self, alive: NDArray[np.bool_]) -> TreeShape:
        """Return the shape of the nodes that are kept; the root stays.

        Parameters
        ----------
        alive : ndarray of shape (n_nodes,), bool
            Which nodes these are.

        Returns
        -------
        TreeShape
        """
        alive = alive.copy()
        alive[0] = True
        return TreeShape(self.depth, self.nodes[alive])

    def levels(self, device: torch.device) -> list[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]:
        """Return for each level from the second what its nodes hang on.

        Parameters
        ----------
        device : torch.device
            Where the tensors are.

        Returns
        -------
        list of (Tensor, Tensor, Tensor)
            Position of the parent in the level above, score row, and side, of shape (k, 1).
        """
        levels: list[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]
        levels = self.on_device("levels", device, _make_levels)
        return levels

    def on_device(
        self, name: str, device: torch.device, make: Callable[[TreeShape, torch.device], Any]
    ) -> Any:
        """Return what `make` makes of the shape for a device, made once for each.

        Parameters
        ----------
        name : str
            What it is called; a second question with the same name and device gets the same answer.
        device : torch.device
        make : callable
            Called with this shape and the device.

        Returns
        -------
        object
            What `make` returned.
        """
        key = name, str(device)
        if key not in self._on_devices:
            self._on_devices[key] = make(self, device)
        return self._on_devices[key]

    @cached_property
    def _on_devices(self) -> dict[tuple[str, str], Any]:
        return {}

    def _find(self, names: NDArray[np.int64]) -> NDArray[np.int32]:
        at = np.searchsorted(self.nodes, names)
        present = self.nodes[np.minimum(at, len(self.nodes) - 1)] == names
        return np.where(present, at, -1).astype(np.int32)


def _make_levels(
    shape: TreeShape, device: torch.device
) -> list[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]:
    found = []
    for level in range(1, int(shape.node_depth.max()) + 1):
        here = np.flatnonzero(shape.node_depth == level)
        above = int(np.flatnonzero(shape.node_depth == level - 1)[0])
        parent = shape.parent[here]
        found.append(
            (
                torch.as_tensor(parent - above, device=device),
                torch.as_tensor(shape.score_row[parent].astype(np.int64), device=device),
                torch.as_tensor(shape.side[here], device=device)[:, None],
            )
        )
    return found


@lru_cache(maxsize=32)
def complete_shape(depth: int) -> TreeShape:
    """Return the complete tree of a depth."""
    return TreeShape(depth, np.arange(2 ** (check_depth(depth) + 1) - 1))
