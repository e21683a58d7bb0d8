"""OCT: Bertsimas and Dunn, "Optimal classification trees" (2017): the tree of smallest misclassification.

Routing is that of `_routing` (equations 11 to 21 in the numbering of Nemecek et al. 2023). The objective is the
original one: L_t is the cost of leaf t, at least the cost of its class and freed by a big-M from those of all others,

    L_t >= sum_i w_i cost(y_i, k) z_it - M_k (1 - c_kt),        M_k = sum_i w_i cost(y_i, k).

With unit costs that is their N_t - N_kt - n (1 - c_kt). Here costs are in the unit of the instance and bounded
(`Instance.program_costs`). The leaf penalty is paid for a used leaf, not for a split (there is no d_t here): with
``cost_complexity`` the objective is that of the exact search.

With ``tighten`` also (L'), L_t >= sum over patterns p of min_k cost(p, k) z_pt: rows that differ in their label only
cannot all be right (equivalent points, Hu et al. 2019, Theorem B.2).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from treewright.mip._instance import Instance
from treewright.mip._plan import FullTree
from treewright.mip._routing import Routing
from treewright.mip._size import Size

__all__ = ["OCT"]


class OCT(Routing):
    """Minimise loss + cost_complexity * leaves.

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
    >>> make_formulation(problem, "oct").model.variable_names()[0]
    'z[0,0]'
    """

    def __init__(
        self, instance: Instance, depth: int, tighten: bool, watch: Callable[[int], None] | None = None
    ) -> None:
        super().__init__(instance, depth, tighten, watch)
        model, n_leaves = self.model, 2**depth
        row_cost = instance.by_pattern(instance.program_costs)
        model.unit = instance.unit
        most = row_cost.sum(axis=0)
        self.loss = model.variables("L", (n_leaves,), upper=np.inf, cost=instance.unit / instance.total)
        for k in range(instance.problem.n_classes):
            terms = [(1, self.loss), (-row_cost[:, k], self.z.T), (-most[k], self.c[k])]
            model.rows(f"(L) k={k}", (n_leaves,), terms, lower=-most[k])
        if tighten:
            model.rows("(L')", (n_leaves,), [(1, self.loss), (-row_cost.min(axis=1), self.z.T)], lower=0)

    @classmethod
    def size(cls, instance: Instance, depth: int, tighten: bool) -> Size:
        """Count routing, L and the rows (L)."""
        routing, leaves = super().size(instance, depth, tighten), 2**depth
        k, n = instance.problem.n_classes, instance.n_patterns
        terms = leaves * (k * (n + 2) + tighten * (n + 1))
        return Size(routing.variables + leaves, routing.terms + terms, routing.blocks + k + tighten)

    def write(self, tree: FullTree) -> NDArray[np.float64]:
        """Return the values of a full tree."""
        values = super().write(tree)
        paid = self.instance.program_costs[np.arange(self.instance.n_rows), self.labels(tree)[tree.leaf]]
        values[self.loss] = np.bincount(tree.leaf, weights=paid, minlength=2**self.depth)
        return values
