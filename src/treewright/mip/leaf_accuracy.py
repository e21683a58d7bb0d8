"""Figure 4 of Nemecek, Pevny and Marecek (2023), equations 2 to 22: the tree whose worst leaf is best.

Beside routing (11 to 21, `_routing`) there is a share s_it that row i has in leaf t: all equal to r_t inside the leaf,
0 outside, and summing to 1 in a leaf that is used. S_it is the share if the leaf predicts the row's class. Q is at
most the sum of S_it in every used leaf.

Where we differ.

* Shares are multiplied by the total weight W. As printed, r_t = 1 / n_t is forced; with 10,000 rows it is about 1e-4,
  and the solver's tolerance of 1e-6 on each row can inflate Q by 1e-2. Scaled, r_t is W / W_t >= 1, and the same
  tolerance moves Q by at most 1e-6 or so.
* Rows carry weights: a share counts times the weight of its row, so r_t is 1 over the weight of the leaf. The printed
  s <= 1 says that a leaf weighs at least one row; here, at least the lightest one.
* ``tighten`` (on by default) uses what a leaf's size says. A used leaf weighs at least W_min, the weight of the
  lightest `min_samples_leaf` rows, so r_t <= R = W / W_min takes the place of the printed big-M (in these units W over
  the lightest row). Then the products s_it = r_t z_it get their full envelope (McCormick), for 1 <= r_t <= R where the
  leaf is used:

  (4)  s <= R z            (5)  s >= r - R (1 - z)
  (6)  s <= r, instead of s <= r + (1 - z): where z = 0 equation 4 makes s = 0 <= r
  (6') s <= r - (l - z), for there r >= 1, so that r - s = r (1 - z) >= 1 - z

  (The fourth side, s >= z, follows from (5) with r >= 1 where z is whole; written out it only cost time.)

  (9') Of the rows of one pattern (equal but for their labels) those of one class can be right in a leaf: the sum of S
  is at most that of s, each pattern counted with its heaviest class (equivalent points, Hu et al. 2019, Theorem B.2).

  As printed, a fractional z leaves (5) and (6) slack; all shares then sit on rows of the right class, and the bound
  stays 1 until z is nearly integral.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from treewright.mip._instance import Instance
from treewright.mip._plan import FullTree
from treewright.mip._routing import Routing
from treewright.mip._size import Size

__all__ = ["LeafAccuracy", "largest_share"]


class LeafAccuracy(Routing):
    """Maximise the smallest accuracy of a leaf; the model minimises 1 - Q.

    Parameters
    ----------
    instance : Instance
    depth : int
    tighten : bool
    watch : callable, default=None

    Examples
    --------
    >>> from treewright.mip import make_formulation
    >>> from treewright.problem import make_problem
    >>> from treewright.table import table_from
    >>> problem = make_problem(table_from([[0], [0], [1]]), [0, 0, 1], max_depth=1)
    >>> make_formulation(problem, "leaf_accuracy").model.variable_names()[0]
    'z[0,0]'
    """

    maximises_leaf_accuracy: ClassVar[bool] = True

    def __init__(
        self, instance: Instance, depth: int, tighten: bool, watch: Callable[[int], None] | None = None
    ) -> None:
        super().__init__(instance, depth, tighten, watch)
        model, weight, total = self.model, instance.weight, instance.total
        n_leaves = 2**depth
        rows, cells = (instance.n_rows, n_leaves), (instance.n_patterns, n_leaves)
        most = largest_share(instance, tighten)
        model.offset = 1.0
        self.q = model.variables("Q", (), cost=-1.0)
        self.r = model.variables("r", (n_leaves,), upper=most)
        self.s = model.variables("s", cells, upper=most)  # of patterns
        self.right = model.variables("S", rows, upper=most)
        z, s, r, right = self.z, self.s, self.r, self.right
        own_class = self.c[instance.y]  # sum over k of Y_ik c_kt is the one variable of the row's class
        share = weight / total
        model.rows(
            "(3)", (n_leaves,), [(1, np.full(n_leaves, self.q)), (-share, right.T), (1, self.l)], upper=1
        )
        model.rows("(4)", cells, [(1, s), (-most, z)], upper=0)
        model.rows("(5)", cells, [(1, r), (-1, s), (most, z)], upper=most)
        if tighten:
            model.rows("(6)", cells, [(1, r), (-1, s)], lower=0)
            model.rows("(6')", cells, [(1, r), (-1, s), (-1, self.l), (1, z)], lower=0)
        else:
            model.rows("(6)", cells, [(1, r), (-1, s), (-most, z)], lower=-most)
        own = instance.by_pattern(share)
        model.rows("(7)", (n_leaves,), [(1, self.l), (-own, s.T)], lower=0, upper=0)
        own_s = s[instance.pattern]
        model.rows("(8)", rows, [(1, right), (-1, own_s)], upper=0)
        model.rows("(9)", rows, [(1, right), (-most, own_class)], upper=0)
        model.rows("(10)", rows, [(1, right), (-1, own_s), (-most, own_class)], lower=-most)
        if tighten:
            of_class = np.zeros((instance.n_rows, instance.problem.n_classes))
            of_class[np.arange(instance.n_rows), instance.y] = share
            best = instance.by_pattern(of_class).max(axis=1)
            model.rows("(9')", (n_leaves,), [(share, right.T), (-best, s.T)], upper=0)

    @classmethod
    def size(cls, instance: Instance, depth: int, tighten: bool) -> Size:
        """Count routing, Q, r, s and S and the rows (3) to (10)."""
        routing, leaves = super().size(instance, depth, tighten), 2**depth
        rows, n = instance.n_rows, instance.n_patterns
        terms = (rows + 2) + 5 * n + (6 if tighten else 3) * n + (1 + n) + 7 * rows + tighten * (rows + n)
        return Size(
            routing.variables + 1 + leaves * (1 + n + rows),
            routing.terms + leaves * terms,
            routing.blocks + 8 + 2 * tighten,
        )

    def write(self, tree: FullTree) -> NDArray[np.float64]:
        """Return the values of a full tree; Q is the smallest accuracy of its leaves."""
        values = super().write(tree)
        instance = self.instance
        size = np.bincount(tree.leaf, weights=instance.weight, minlength=2**self.depth)
        is_right = self.labels(tree)[tree.leaf] == instance.y
        correct = np.bincount(tree.leaf, weights=instance.weight * is_right, minlength=2**self.depth)
        used = size > 0
        shares = instance.total / size[used]
        values[self.r[used]] = shares
        own = instance.total / size[tree.leaf]
        values[self.s[instance.pattern, tree.leaf]] = own
        values[self.right[np.arange(instance.n_rows), tree.leaf]] = own * is_right
        values[self.q] = (correct[used] / size[used]).min()
        return values


def largest_share(instance: Instance, tighten: bool) -> float:
    """Return R, the largest coefficient of the program: the weight of all rows over the least that a leaf can have."""
    least_rows = instance.problem.min_samples_leaf if tighten else 1
    return instance.total / _weight_of_lightest(least_rows, instance)


def _weight_of_lightest(n_rows: int, instance: Instance) -> float:
    """Weight of the lightest `n_rows` input rows: no leaf of so many rows has less."""
    problem = instance.problem
    weight = np.sort(problem.sample_weight)[:n_rows] * (problem.table.n_rows / problem.total_weight)
    return float(weight.sum()) * (1 - 1e-9)  # room for the rounding of the sum
