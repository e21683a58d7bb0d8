"""What a near-optimal set is: its trees by size, its bound, and what is proven, in words."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import cached_property

from treewright._plural import count_of, list_of
from treewright.near_optimal._answers import Size
from treewright.near_optimal._counts import Cell, Counts
from treewright.near_optimal._graph import Membership, SetGraph
from treewright.near_optimal._watch import TimeOver, Watch, not_counted
from treewright.result import SolveResult, SolveStatus, StopReason, constraints_in_words
from treewright.tree._display import html_of_table

__all__ = ["DescribedSet"]

DIGITS, MOST_DIGITS = 6, 17
HAIR = Decimal("1e-15")  # relative: the rounding of float64


@dataclass(frozen=True, eq=False, repr=False)
class DescribedSet:
    """The graph of a set with the bound and the rules that its trees keep; see `NearOptimalTrees`.

    Parameters
    ----------
    counts : Counts
        The graph, which trees of it belong to this set, and the number of subtrees at each node.
    best : SolveResult
        The optimal tree with its certificate.
    least : Fraction
        Objective of `best`, in errors.
    asked : Fraction
        The bound that was requested, in errors.
    stop_reason : StopReason or None
        What ended the run before the bound was reached; the set is then complete up to `bound_`, which is smaller.
    rules : tuple of str, default=()
        The restrictions given to `where`, in words.
    """

    counts: Counts
    best: SolveResult
    least: Fraction
    asked: Fraction
    stop_reason: StopReason | None = None
    rules: tuple[str, ...] = ()

    @property
    def graph(self) -> SetGraph:
        """All trees up to the bound, sharing their subtrees."""
        return self.counts.graph

    @property
    def membership(self) -> Membership:
        """Which trees of the graph belong to this set."""
        return self.counts.membership

    @cached_property
    def _cells(self) -> list[tuple[Fraction, Cell, int]]:
        """Objective in errors, leaves and errors, and number of trees, in the order of the set."""
        graph = self.graph
        leaf, one = graph.leaf_penalty.as_integer_ratio()
        ordered = sorted(  # whole numbers are compared much faster than fractions
            (one * (graph.base + errors) + leaf * leaves, (leaves, errors), count)
            for (leaves, errors), count in self.counts.cells(0).items()
        )
        return [(Fraction(cost, one), cell, count) for cost, cell, count in ordered]

    def _count_within(self, watch: Watch) -> None:
        """Count the trees now, unless that is done."""
        try:
            self.counts.make_within(watch)
        except TimeOver:
            raise not_counted() from None

    @cached_property
    def n_trees_(self) -> int:
        """How many trees are in the set: exact, however large."""
        return sum(count for _, _, count in self._cells)

    @property
    def bound_(self) -> float:
        """Largest objective of a tree in the set; the set is complete up to it.

        nan if a run was stopped before it had proven anything: `status_` says so.
        """
        budget, graph = self.membership.budget, self.graph
        return float((budget - graph.rounding) * graph.unit) if budget >= 0 else math.nan

    @property
    def rounding_(self) -> float:
        """By how much the objective of a tree of the set may be above `bound_`.

        0 where weights and costs are whole numbers, decimals or balanced: then all is exact. Other real numbers are
        rounded, at the most to what 57 bits show of their sum. No tree up to `bound_` is missing even then; but some
        above it by so little may be in the set, and trees whose objectives differ by so little count as if equal, or
        in either order.
        """
        return float(2 * self.graph.rounding * self.graph.unit)

    @property
    def status_(self) -> str:
        """Either "complete", or up to which objective the set is complete and why."""
        if self.stop_reason is None:
            return "complete"
        asked = float((self.asked - self.graph.rounding) * self.graph.unit)
        if self.membership.budget < 0:
            return f"not known: nothing was proven up to any objective ({self.stop_reason.value})"
        how_far = "below" if self.graph.empty else "up to"
        how_far += f" an objective of {self._bound_in_words}"
        return f"complete {how_far} instead of {asked:.6g} ({self.stop_reason.value})"

    @cached_property
    def _bound_in_words(self) -> str:
        """The bound in six digits, or as many as say the same of every tree.

        Rounded up to a number that lets no other tree in: so both that these trees keep it and that the set is complete
        up to it hold as they are written. Where there is only the knowledge that nothing lies below, rounded down.
        """
        value = Decimal(self.bound_)
        if self.graph.empty:
            return f"{Context(prec=DIGITS, rounding=ROUND_FLOOR).create_decimal(value):g}"
        for digits in range(DIGITS, MOST_DIGITS):
            rounded = Context(prec=digits).create_decimal(value)
            if abs(rounded - value) <= value * HAIR:  # 0.3 that float64 has as 0.30000000000000004
                said = max(self.membership.budget * self.graph.unit, Fraction(rounded))
            else:
                rounded = Context(prec=digits, rounding=ROUND_CEILING).create_decimal(value)
                said = Fraction(rounded)
            if self._same_trees(said / self.graph.unit):
                return f"{float(rounded):.{digits}g}"
        return repr(self.bound_)

    def _same_trees(self, budget: Fraction) -> bool:
        """Whether another bound, in errors, lets in trees of the same leaves and errors."""
        own, graph = self.membership, self.graph
        if graph.leaf_penalty == 0:
            return (budget - graph.base) // 1 == (own.budget - graph.base) // 1
        return replace(own, budget=budget).max_errors(graph) == own.max_errors(graph)

    def sentence(self) -> str:
        """Say in plain sentences what the set is and what is proven.

        Returns
        -------
        str
            Of an empty set: that there is no such tree, which is a proof as far as the set is complete.

        Examples
        --------
        >>> from treewright import near_optimal_trees
        >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "yes", "yes", "yes"]
        >>> trees = near_optimal_trees(X, y, cost_complexity=0.05, max_depth=2, epsilon=1.0)
        >>> trees.where(max_leaves=2, uses="x0").sentence().split(", ")[1].split(";")[0]
        "no tree with a split on 'x0' and of at most 2 leaves has an objective of at most 0.3"
        """
        if self.membership.budget < 0:
            return f"The set is {self.status_}; the least that was found is {self.best.objective:.6g}, not proven."
        n = self.n_trees_
        trees = "no tree" if n == 0 else "1 tree" if n == 1 else f"{n:,} trees"
        if self.rules:
            trees += f" {' and '.join(self.rules)}"  # as `verify` expects them in stored notes
        bound = f"{'below' if self.graph.empty else 'of at most'} {self._bound_in_words}"
        within = f"{'have' if n > 1 else 'has'} an objective {bound}"
        among = f"all trees{constraints_in_words(self.best.options)}{self._also()} over {self.best.scope}"
        said = f"Among {among}, {trees} {within}"
        if self.rules and n:
            said += f", the best of them {float(self._cells[0][0] * self.graph.unit):.6g}"
        proven = (
            f"the least of all is {float(self.least * self.graph.unit):.6g}, proven"
            if self.best.status is SolveStatus.OPTIMAL
            else f"the least that was found is {self.best.objective:.6g}, not proven"
        )
        rounded = (
            f" Weights were rounded: trees up to {self.rounding_:.2g} above the bound may be among them."
            if self.rounding_
            else ""
        )
        return f"{said}; {proven}. The set is {self.status_}.{rounded}"

    def _also(self) -> str:
        """Words for the trees that count besides those of the usual rules."""
        also = ["any label in each leaf"] if self.graph.any_label else []
        also += ["redundant splits"] if self.graph.redundant else []
        return f" (with {list_of(also)})" if also else ""

    def table(self) -> list[Size]:
        """Return how many trees there are of each size and loss.

        Returns
        -------
        list of Size
            Best objective first; at equal objectives fewer leaves first. The numbers of trees add up to
            `n_trees_`.

        Examples
        --------
        >>> from treewright import near_optimal_trees
        >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "yes", "yes", "yes"]
        >>> trees = near_optimal_trees(X, y, cost_complexity=0.05, max_depth=2, epsilon=1.0)
        >>> [(size.n_leaves, size.loss, size.n_trees) for size in trees.table()]
        [(3, 0.0, 2), (1, 0.25, 1)]
        """
        graph = self.graph
        return [
            Size(leaves, float((graph.base + errors) * graph.unit), float(cost * graph.unit), count)
            for cost, (leaves, errors), count in self._cells
        ]

    def __len__(self) -> int:
        if self.n_trees_ >= 2**63:
            raise OverflowError("The number of trees is too large for len(); use n_trees_.")
        return self.n_trees_

    def __bool__(self) -> bool:
        return self.n_trees_ > 0

    def __repr__(self) -> str:
        return (
            f"<NearOptimalTrees: {count_of(self.n_trees_, 'tree')} up to {self.bound_:.6g}, {self.status_}>"
        )

    def _repr_html_(self) -> str:
        sizes = [] if self.membership.budget < 0 else self.table()
        lines = (
            [f"{size.n_leaves:,}", f"{size.loss:.6g}", f"{size.objective:.6g}", f"{size.n_trees:,}"]
            for size in sizes
        )
        head = ["Leaves", "Training loss", "Objective", "Trees"]
        return html_of_table("Trees by size and loss", self.sentence(), head, lines, len(sizes), "table()")
