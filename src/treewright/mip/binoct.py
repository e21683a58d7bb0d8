"""RBinOCT: regularised BinOCT (Hu, Rudin and Seltzer 2019, Appendix J, equations 27 and 28).

BinOCT (Verwer and Zhang 2019) chooses the threshold of a node by a binary code, so that a column of T thresholds needs
log2(T) binary variables a node, and states once for a set of rows what one row each would say. Row names: (27.k) is the
k-th line below equation 27.

Thresholds. The T thresholds of a column are the leaves of a binary search tree; one bit is asked at each of its nodes,
1 for the upper half, and ``first(b)`` is the first threshold of the upper half of node b. The order of thresholds is
that of their codes. So if all 1-bits on the path into an upper half are set, the threshold is at least first(b)
whatever the other bits are, and rows up to first(b) may not go right (27.4); if all 0-bits on the path into a lower
half are clear, the threshold is below first(b), and rows above the last threshold before it may not go left (27.5).
Together these say the threshold exactly, for the code of each threshold meets one row of each kind that touches it from
either side. Each row names only the table rows that no earlier one on its path did. Rows outside all thresholds of the
chosen column are (27.6).

Where we differ.

* As printed, (27.4) forbids the *left* side to rows of the lower range when all bits are set, which contradicts (27.6),
  by which low rows go left; the bits of the original run downwards. Here they run upwards.
* Big-Ms are the number of table rows in the sum, as in the original ("minimized big-M").
* Every node may choose no column at all ("(stay)" in place of a column) and send its rows right. BinOCT has no such
  choice: then a tree of one leaf would have no solution, and a leaf above the full depth would need a split that
  repeats one above it.
* e_lc counts weight times cost, in the unit of the instance and bounded (`Instance.program_costs`), and is divided by
  the total weight, so that lambda is the leaf penalty as in the exact search. Rows are patterns (rows that differ in
  their label only are routed once). ``min_samples_leaf`` and ``max_leaf_nodes`` are further rows.
* With ``tighten``: (28) is written for each row, ``l_rl <= alpha_l``, which adds up to the printed one. (27.6) is
  written for each row and side with all columns at once: what of a row goes left is at most 1 less the sum of f over
  the columns in which it has the largest value, for a node has one column. On 0/1 columns this is all that routing
  says. (27.7') says that rows that differ in their label only cannot all be right (equivalent points, Theorem B.2).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from treewright.mip._formulation import Formulation
from treewright.mip._instance import Instance
from treewright.mip._plan import NO_CUT, FullTree, Plan, plan_of
from treewright.mip._size import Size

__all__ = ["RBinOCT"]


@dataclass(frozen=True, slots=True)
class _Half:
    """One half of one node of a column's search tree, and the bits that lead into it."""

    bits: tuple[int, ...]  # all 1 for an upper half, all 0 for a lower one
    ranks: tuple[int, int]  # table rows with a rank in this closed interval ...
    upper: bool  # ... may not go right (upper half) or left (lower half)


class RBinOCT(Formulation):
    """Minimise loss + cost_complexity * leaves.

    Parameters
    ----------
    instance : Instance
    depth : int
    tighten : bool
        Use the stronger rows below.
    watch : callable, default=None

    Examples
    --------
    >>> from treewright.mip import make_formulation
    >>> from treewright.problem import make_problem
    >>> from treewright.table import table_from
    >>> problem = make_problem(table_from([[0], [0], [1]]), [0, 0, 1], max_depth=1)
    >>> make_formulation(problem, "binoct").model.variable_names()[0]
    'f[0,0]'
    """

    def __init__(
        self, instance: Instance, depth: int, tighten: bool, watch: Callable[[int], None] | None = None
    ) -> None:
        super().__init__(instance, depth, tighten, watch)
        model, problem = self.model, instance.problem
        n_leaves, n_inner, n_rows = 2**depth, 2**depth - 1, instance.n_patterns
        n_bits = max((len(level) - 2).bit_length() if len(level) > 2 else 0 for level in instance.level)
        self.f = model.variables("f", (n_inner, instance.n_columns), integer=True)
        self.stay = model.variables("stay", (n_inner,), integer=True)
        self.t = model.variables("t", (n_inner, n_bits), integer=True)
        self.p = model.variables("p", (n_leaves, problem.n_classes), integer=True)
        self.reaches = model.variables("l", (n_rows, n_leaves))  # of patterns
        model.unit = instance.unit
        cost = instance.unit / instance.total
        self.e = model.variables("e", (n_leaves, problem.n_classes), upper=np.inf, cost=cost)
        self.alpha = model.variables("alpha", (n_leaves,), integer=True, cost=problem.cost_complexity)
        self.tree_variables = np.concatenate([self.f.ravel(), self.stay, self.t.ravel()])
        model.rows("(27.1)", (n_inner,), [(1, self.f), (1, self.stay)], lower=1, upper=1)
        model.rows("(27.2)", (n_rows,), [(1, self.reaches)], lower=1, upper=1)
        model.rows("(27.3)", (n_leaves,), [(1, self.p)], lower=1, upper=1)
        for node in range(n_inner):
            self._write_node(node)
        self._write_errors()
        if tighten:
            model.rows("(28)", (n_rows, n_leaves), [(1, self.reaches), (-1, self.alpha)], upper=0)
        else:
            model.rows("(28)", (n_leaves,), [(1, self.reaches.T), (-n_rows, self.alpha)], upper=0)
        if problem.min_samples_leaf > 1:
            least = problem.min_samples_leaf
            terms = [(instance.by_pattern(instance.count), self.reaches.T), (-least, self.alpha)]
            model.rows("(min_samples_leaf)", (n_leaves,), terms, lower=0)
        if problem.max_leaf_nodes is not None:
            model.rows("(max_leaf_nodes)", (), [(1, self.alpha)], upper=problem.max_leaf_nodes)

    @classmethod
    def size(cls, instance: Instance, depth: int, tighten: bool) -> Size:
        """Count f, (stay), t, p, l, e and alpha and all rows; those of the halves level by level."""
        problem, n, p = instance.problem, instance.n_patterns, instance.n_columns
        leaves, inner, k = 2**depth, 2**depth - 1, problem.n_classes
        below = depth * leaves // 2  # leaves on one side of a node, over all nodes
        last = [len(level) - 1 for level in instance.level]
        bits = max((m - 1).bit_length() if m > 1 else 0 for m in last)
        terms, blocks = inner * (p + 1) + n * leaves + leaves * k, 3
        terms += n * (2 * below + inner * (2 * p + 1)) if tighten else n * below + inner
        blocks += inner * (2 if tighten else 1)
        for column, most in enumerate(last):
            counts = _rows_of_each_rank(instance, column, most + 1)
            if most == 0:
                terms, blocks = terms + inner, blocks + inner
            elif not tighten:
                terms += int(counts[0] + counts[most]) * below + inner
                blocks += inner
            rows, asked, halves = _halves_in_all(counts)
            terms += rows * below + inner * (halves + asked)
            blocks += inner * halves
        for c, paid in enumerate(problem.costs):
            of_class = int((instance.y == c).sum())
            for v in np.unique(paid[paid > 0]):
                terms += leaves * (of_class + int((paid < v).sum()) + 1)
                blocks += 1
        if tighten:
            terms, blocks = terms + leaves * (k + n), blocks + 1
        terms += 2 * n * leaves if tighten else leaves * (n + 1)
        blocks += 1
        if problem.min_samples_leaf > 1:
            terms, blocks = terms + leaves * (n + 1), blocks + 1
        if problem.max_leaf_nodes is not None:
            terms, blocks = terms + leaves, blocks + 1
        return Size(inner * (p + 1 + bits) + leaves * (2 * k + n + 1), terms, blocks)

    def _write_node(self, node: int) -> None:
        """Equations 27.4 to 27.6 of one inner node, all columns."""
        model, instance = self.model, self.instance
        level = (node + 1).bit_length() - 1
        width = 2 ** (self.depth - level)
        left = np.arange(width // 2) + (node + 1 - 2**level) * width
        right = left + width // 2
        go_left, go_right = self.reaches[:, left], self.reaches[:, right]
        rank = instance.rank[instance.first]
        last = np.array([len(levels) - 1 for levels in instance.level])
        f, stay = self.f[node], self.stay[[node]]
        lowest, highest = rank == 0, (rank == last) & (last > 0)
        if self.tighten:
            n = (instance.n_patterns,)
            many = np.broadcast_to(f, rank.shape)
            model.rows(
                f"(27.6) n={node} left", n, [(1, go_left), (highest, many), (1, np.full(n, stay))], upper=1
            )
            model.rows(f"(27.6) n={node} right", n, [(1, go_right), (lowest & (last > 0), many)], upper=1)
        else:
            most = float(instance.n_patterns)
            model.rows(f"(stay) n={node}", (), [(1, go_left.ravel()), (most, stay)], upper=most)
        for column in range(instance.n_columns):
            low, high = lowest[:, column], highest[:, column]
            if last[column] == 0:  # a constant column separates nothing
                model.rows(f"(constant) n={node} f={column}", (), [(1, f[[column]])], upper=0)
            elif not self.tighten:
                both = float(low.sum() + high.sum())
                outside = np.concatenate([go_left[high].ravel(), go_right[low].ravel()])
                terms = [(1, outside), (both, f[[column]])]
                model.rows(f"(27.6) n={node} f={column}", (), terms, upper=both)
            for half in _halves(0, int(last[column]), (), (), 0):
                rows = (rank[:, column] >= half.ranks[0]) & (rank[:, column] <= half.ranks[1])
                most = float(rows.sum())
                sign = 1.0 if half.upper else -1.0
                bits = self.t[node, list(half.bits)]
                terms = [
                    (1, (go_right if half.upper else go_left)[rows].ravel()),
                    (most, f[[column]]),
                    (sign * most, bits),
                ]
                name = f"({'27.4' if half.upper else '27.5'}) n={node} f={column} b={half.ranks[0]}..{half.ranks[1]}"
                model.rows(name, (), terms, upper=most + (most * len(bits) if half.upper else 0.0))

    def _write_errors(self) -> None:
        """Equation 27.7: what the rows of class c cost in leaf l.

        For each value v among the costs of class c: e_lc >= v (weight of c in l), unless the leaf predicts a class that
        costs less than v. With unit costs that is the printed row.
        """
        instance, costs = self.instance, self.instance.problem.costs
        for c, paid in enumerate(costs):
            rows = instance.y == c
            for v in np.unique(paid[paid > 0]):
                cheaper = self.p[:, paid < v]
                paying = instance.program_costs[rows, int(np.argmax(paid == v))]
                terms = [
                    (paying, self.reaches[instance.pattern[rows]].T),
                    (-float(paying.sum()), cheaper),
                    (-1, self.e[:, c]),
                ]
                self.model.rows(f"(27.7) c={c} v={v:g}", (len(self.p),), terms, upper=0)
        if self.tighten:
            least = instance.by_pattern(instance.program_costs).min(axis=1)
            self.model.rows("(27.7')", (len(self.p),), [(1, self.e), (-least, self.reaches.T)], lower=0)

    def read(self, values: NDArray[np.float64]) -> Plan | None:
        """Return the plan of f, (stay) and t."""
        n_inner, p = self.f.shape
        f = values[: n_inner * p].reshape(n_inner, p)
        stay = values[n_inner * p : n_inner * p + n_inner]
        bits = values[n_inner * p + n_inner :].reshape(n_inner, -1) > 0.5
        column = f.argmax(axis=1)
        cut = np.array(
            [
                NO_CUT
                if stay[node] > 0.5
                else _decode(len(self.instance.level[column[node]]) - 1, bits[node])
                for node in range(n_inner)
            ]
        )
        return plan_of(column, cut, self.instance)

    def write(self, tree: FullTree) -> NDArray[np.float64]:
        """Return the values of a full tree."""
        values = np.zeros(self.model.n_variables)
        instance = self.instance
        for node, (column, cut) in enumerate(zip(tree.column, tree.cut, strict=True)):
            if cut == NO_CUT:
                values[self.stay[node]] = 1
            else:
                values[self.f[node, column]] = 1
                code = _encode(len(instance.level[column]) - 1, int(cut))
                values[self.t[node, : len(code)]] = code
        values[self.reaches[instance.pattern, tree.leaf]] = 1
        weight = np.zeros((2**self.depth, instance.problem.n_classes))
        np.add.at(weight, (tree.leaf, instance.y), instance.weight)
        label = (weight @ instance.problem.costs).argmin(axis=1)
        values[self.p[np.arange(2**self.depth), label]] = 1
        paid = np.zeros_like(weight)
        np.add.at(
            paid,
            (tree.leaf, instance.y),
            instance.program_costs[np.arange(instance.n_rows), label[tree.leaf]],
        )
        values[self.e] = paid
        values[self.alpha[np.unique(tree.leaf)]] = 1
        return values


def _rows_of_each_rank(instance: Instance, column: int, n_ranks: int) -> NDArray[np.int64]:
    """Return how many patterns have each rank of a column."""
    if n_ranks == instance.n_patterns:  # each has one of its own
        return np.ones(n_ranks, dtype=np.int64)
    return np.bincount(instance.ranks[column, instance.some[instance.first]], minlength=n_ranks)


def _halves(low: int, high: int, ones: tuple[int, ...], zeros: tuple[int, ...], bit: int) -> Iterator[_Half]:
    """Yield all halves below the thresholds low <= t < high; threshold t separates ranks t and t + 1."""
    if high - low < 2:
        return
    first = (low + high) // 2
    yield _Half((*ones, bit), (low + 1, first), upper=True)  # ranks up to `low` are named above
    yield _Half((*zeros, bit), (first, high - 1), upper=False)  # ranks from `high` on too
    yield from _halves(low, first, ones, (*zeros, bit), bit + 1)
    yield from _halves(first, high, (*ones, bit), zeros, bit + 1)


def _halves_in_all(counts: NDArray[np.int64]) -> tuple[int, int, int]:
    """Return how many rows, bits and halves `_halves` yields in all for a column with so many rows of each rank."""
    distinct = len(counts) > 0 and counts[0] == 1 and bool((counts == 1).all())
    return _halves_of_distinct(len(counts)) if distinct else _counted_halves(counts)


@lru_cache(maxsize=8)
def _halves_of_distinct(n_ranks: int) -> tuple[int, int, int]:
    """Return `_halves_in_all` of a column in which no two rows are equal; a large table may have many of them."""
    return _counted_halves(np.ones(n_ranks, dtype=np.int64))


def _counted_halves(counts: NDArray[np.int64]) -> tuple[int, int, int]:
    """Return `_halves_in_all` level by level."""
    to = np.concatenate([[0], np.cumsum(counts)])
    low, high = np.zeros(1, dtype=np.int64), np.full(1, len(counts) - 1)
    ones, zeros = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
    rows = asked = halves = 0
    while True:
        open_ = high - low >= 2
        low, high, ones, zeros = low[open_], high[open_], ones[open_], zeros[open_]
        if not len(low):
            return rows, asked, halves
        first = (low + high) // 2
        rows += int((to[first + 1] - to[low + 1]).sum() + (to[high] - to[first]).sum())
        asked += int((ones + zeros + 2).sum())
        halves += 2 * len(low)
        low, high = np.concatenate([low, first]), np.concatenate([first, high])
        ones, zeros = np.concatenate([ones, ones + 1]), np.concatenate([zeros + 1, zeros])


def _decode(n_thresholds: int, bits: NDArray[np.bool_]) -> int:
    low, high, bit = 0, n_thresholds, 0
    while high - low > 1:
        first = (low + high) // 2
        low, high = (first, high) if bits[bit] else (low, first)
        bit += 1
    return low


def _encode(n_thresholds: int, threshold: int) -> list[int]:
    low, high, code = 0, n_thresholds, []
    while high - low > 1:
        first = (low + high) // 2
        code.append(int(threshold >= first))
        low, high = (first, high) if code[-1] else (low, first)
    return code
