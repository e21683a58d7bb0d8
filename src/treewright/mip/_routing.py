"""Equations 11 to 21: which leaf each row falls into, and which class each leaf predicts.

Source: Bertsimas and Dunn, "Optimal classification trees", Machine Learning 106 (2017), as printed in Figure 4 of
Nemecek et al. (2023), that is without the variables d_t: every inner node splits, and an unused one sends its rows
right. Both formulations over scaled values (leaf accuracy and OCT) stand on these rows.

Where we differ.

* Rows are patterns (rows that differ in their label only are routed once); (16) counts what they stand for.
* With ``tighten``, (12) and (13) are written once for a row i and an inner node m, with the leaves of one side summed:
  ``a_m x_i >= b_m - (1 - sum_{t right of m} z_it)``. Safe: by (14) the sum is 0 or 1, and it is 1 exactly if one of the
  printed rows is active. Stronger: the sum is at least each of its terms. There are 2**d - 1 of them for each row
  and side, instead of d * 2**(d-1).
* With ``tighten``, (13') says that a row goes left at most as far as the node's column is one in which it has not the
  largest value. By (13) it must: a row at 1 is left of no b <= 1.
* Figure 4 says "i-th largest" in the definition of epsilon, which would make the difference negative; the i-th smallest
  is meant. Table 3 gives |A_L(t)|, |A_R(t)| <= d - 1; a leaf with all turns on one side has d.
* By (13) a row at the largest value can never go left of its column (b <= 1). No tree is lost: a node with all rows on
  one side has them on the right.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from treewright.mip._formulation import Formulation
from treewright.mip._instance import Instance
from treewright.mip._plan import NO_CUT, FullTree, Plan, plan_of
from treewright.mip._size import Size

__all__ = ["Routing"]


class Routing(Formulation):
    """The variables z, l, c, a, b and rows (11) to (21); subclasses add an objective.

    Parameters
    ----------
    instance : Instance
    depth : int
    tighten : bool
    watch : callable, default=None
    """

    def __init__(
        self, instance: Instance, depth: int, tighten: bool, watch: Callable[[int], None] | None = None
    ) -> None:
        super().__init__(instance, depth, tighten, watch)
        model, problem = self.model, instance.problem
        n, p, n_leaves, n_inner = instance.n_patterns, instance.n_columns, 2**depth, 2**depth - 1
        self.z = model.variables("z", (n, n_leaves), integer=True)  # of patterns
        leaf_penalty = 0.0 if self.maximises_leaf_accuracy else problem.cost_complexity
        self.l = model.variables("l", (n_leaves,), integer=True, cost=leaf_penalty)
        self.c = model.variables("c", (problem.n_classes, n_leaves), integer=True)
        self.a = model.variables("a", (p, n_inner), integer=True)
        self.b = model.variables("b", (n_inner,))
        self.tree_variables = np.concatenate([self.a.ravel(), self.b])
        model.rows("(11)", (n_leaves,), [(1, self.l), (-1, self.c.T)], lower=0, upper=0)
        self._write_sides()
        model.rows("(14)", (n,), [(1, self.z)], lower=1, upper=1)
        model.rows("(15)", (n, n_leaves), [(1, self.z), (-1, self.l)], upper=0)
        least = problem.min_samples_leaf
        model.rows(
            "(16)", (n_leaves,), [(instance.by_pattern(instance.count), self.z.T), (-least, self.l)], lower=0
        )
        model.rows("(17)", (n_inner,), [(1, self.a.T)], lower=1, upper=1)
        if problem.max_leaf_nodes is not None:
            model.rows("(max_leaf_nodes)", (), [(1, self.l)], upper=problem.max_leaf_nodes)

    @classmethod
    def size(cls, instance: Instance, depth: int, tighten: bool) -> Size:
        """Count z, l, c, a and b and the rows (11) to (21); subclasses add their own."""
        problem, n, p = instance.problem, instance.n_patterns, instance.n_columns
        leaves, inner, k = 2**depth, 2**depth - 1, problem.n_classes
        below = depth * leaves // 2  # leaves on one side of a node, over all nodes
        # (12), (13) and (13') of a node; or (12) and (13) of a node and a leaf below it
        sides = n * (inner * (3 * p + 2) + 3 * below) if tighten else 2 * n * below * (p + 2)
        bounded = problem.max_leaf_nodes is not None
        terms = leaves * (1 + k) + sides + 3 * n * leaves + leaves * (n + 1) + inner * p + leaves * bounded
        blocks = 5 + (3 * inner if tighten else 2 * below) + bounded
        return Size((n + 1 + k) * leaves + (p + 1) * inner, terms, blocks)

    def _write_sides(self) -> None:
        """Equations 12 and 13, for each inner node and what lies below it on either side."""
        x, epsilon = self.instance.x[self.instance.first], self.instance.epsilon
        n, widest = self.instance.n_patterns, float(epsilon.max())
        for node in range(len(self.b)):
            level = (node + 1).bit_length() - 1
            width = 2 ** (self.depth - level)  # leaves below the node
            first = (node + 1 - 2**level) * width
            left = np.arange(first, first + width // 2)
            right = left + width // 2
            a = np.broadcast_to(self.a[:, node], (n, self.instance.n_columns))
            b = np.full(n, self.b[node])
            for group in [right] if self.tighten else right[:, None]:
                name = f"(12){'' if self.tighten else f' t={group[0]}'} m={node}"
                self.model.rows(name, (n,), [(x, a), (-1, b), (-1, self.z[:, group])], lower=-1)
            for group in [left] if self.tighten else left[:, None]:
                name = f"(13){'' if self.tighten else f' t={group[0]}'} m={node}"
                terms = [(x + epsilon, a), (-1, b), (1 + widest, self.z[:, group])]
                self.model.rows(name, (n,), terms, upper=1 + widest)
            if self.tighten:
                below = x < 1.0
                terms = [(1, self.z[:, left]), (-1.0 * below, a)]
                self.model.rows(f"(13') m={node}", (n,), terms, upper=0)

    def read(self, values: NDArray[np.float64]) -> Plan | None:
        """Return the plan of ``a`` and ``b``.

        A row at x goes left by (13) if x + epsilon <= b and right by (12) if x >= b. Values are at least epsilon
        apart, so halfway between is where the tolerance of both has the most room.
        """
        p, n_inner = self.a.shape
        column = values[: p * n_inner].reshape(p, n_inner).argmax(axis=0)
        threshold = values[p * n_inner :] - self.instance.epsilon[column] / 2
        cut = np.array(
            [np.searchsorted(self.instance.level[j], t) - 1 for j, t in zip(column, threshold, strict=True)]
        )
        return plan_of(column, cut, self.instance)

    def write(self, tree: FullTree) -> NDArray[np.float64]:
        """Return the values of z, l, c, a and b; the other variables are 0."""
        values = np.zeros(self.model.n_variables)
        values[self.z[self.instance.pattern, tree.leaf]] = 1
        used = np.unique(tree.leaf)
        values[self.l[used]] = 1
        values[self.c[self.labels(tree)[used], used]] = 1
        for node, (column, cut) in enumerate(zip(tree.column, tree.cut, strict=True)):
            values[self.a[column, node]] = 1
            if cut != NO_CUT:
                values[self.b[node]] = self.instance.level[column][cut + 1]
        return values

    def labels(self, tree: FullTree) -> NDArray[np.int64]:
        """Return the cheapest class of each leaf."""
        label_costs = np.zeros((2**self.depth, self.instance.problem.n_classes))
        np.add.at(label_costs, tree.leaf, self.instance.row_costs)
        return np.asarray(label_costs.argmin(axis=1))
