"""What every formulation hands over: a model, how to read a tree from its values, and the values of a tree."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from treewright.mip._instance import Instance
from treewright.mip._model import Model
from treewright.mip._plan import FullTree, Plan
from treewright.mip._size import Size

__all__ = ["Formulation"]


class Formulation(ABC):
    """A mixed-integer program for trees of one full depth.

    The constructor of a subclass writes the model.

    Parameters
    ----------
    instance : Instance
    depth : int
        Number of splits on each path of the full tree, >= 1.
    tighten : bool
        Use the stronger constraints that its file proves, instead of the printed ones.
    watch : callable, default=None
        Of the `Model`: it may raise while the constraints are written.

    Attributes
    ----------
    model : Model
        Minimised. The value of a tree is `value`, except for rounding.
    tree_variables : ndarray of int64
        What `read` needs of a solution.
    """

    maximises_leaf_accuracy: ClassVar[bool] = False

    def __init__(
        self, instance: Instance, depth: int, tighten: bool, watch: Callable[[int], None] | None = None
    ) -> None:
        self.instance = instance
        self.depth = depth
        self.tighten = tighten
        self.model = Model(watch=watch)
        self.tree_variables = np.empty(0, dtype=np.int64)

    @classmethod
    @abstractmethod
    def size(cls, instance: Instance, depth: int, tighten: bool) -> Size:
        """Count what the constructor would write."""

    @abstractmethod
    def read(self, values: NDArray[np.float64]) -> Plan | None:
        """Return the reduced plan of a solution; `values` are those of `tree_variables`."""

    @abstractmethod
    def write(self, tree: FullTree) -> NDArray[np.float64]:
        """Return values of all variables that stand for a full tree of this depth, feasible if the tree is."""
