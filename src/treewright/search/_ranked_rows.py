"""A problem as the engine over ranked columns has it: whole numbers and ranks.

Units. One unit of integer weight times cost is ``unit = 2**k``, and one leaf costs
``leaf = (round(leaf_penalty * 2**(k - t)) << t) + 1``: the lowest ``t`` bits count leaves, so that among trees of equal
cost the one with the fewest leaves wins.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from treewright._native import core
from treewright.problem import Problem
from treewright.search._integers import IntegerCosts, integer_costs, is_coarse
from treewright.search._ranks import RankedColumn, rank_matrix, ranked_columns
from treewright.search._space import RankedSpace

__all__ = ["RankedRows", "RankedUnits", "ranked_rows"]

ROOM = 2**29  # of the sum of integer costs: 32-bit lanes of the kernel


@dataclass(frozen=True, eq=False)
class RankedUnits:
    """Units of the engine's costs (see the top of this file)."""

    integers: IntegerCosts
    base: int  # that every tree pays, in integer weight times cost
    unit: int
    leaf: int
    tie_bits: int

    @staticmethod
    def make(problem: Problem, integers: IntegerCosts | None = None) -> RankedUnits:
        """Return the units of a problem, for whole numbers that the engine can hold."""
        integers = integers or integer_costs(problem, ROOM)
        cheapest = integers.costs.min(axis=1)
        span = integers.costs.max(axis=1) - cheapest  # what a row of each class can pay beyond that
        total = int((integers.weight * span[problem.y]).sum())
        n = problem.table.n_rows
        most_leaves = n if problem.max_depth is None else min(n, 2 ** min(problem.max_depth, 62))
        tie_bits = most_leaves.bit_length()
        unit_bits = 58 - max(total, 1).bit_length()
        # A penalty above the loss of any leaf is as good as this: no split pays.
        leaf_penalty = min(problem.cost_complexity / integers.unit, float(total + 1))
        leaf = round(leaf_penalty * 2.0 ** (unit_bits - tie_bits))
        base = int((integers.weight * cheapest[problem.y]).sum())
        return RankedUnits(integers, base, 2**unit_bits, (leaf << tie_bits) + 1, tie_bits)

    def objective(self, cost: float) -> float:
        """Return the objective of an engine cost, to within what `slack` says."""
        return (cost / self.unit + self.base) * self.integers.unit

    def finer(self, problem: Problem, objective: float) -> RankedUnits | None:
        """Return units that round less, if these hide too much of a best tree's `objective`; None if there are none.

        Rows that cost more than that tree need not be told apart (`integer_costs`). With its objective U and the
        slack s of the finer units, a tree T that is best by them has ``f'(T) <= U + 2 s`` for the lowered losses f'.
        A row that was lowered still costs ``2 U`` or more, so for ``2 s < U`` T pays for none: its loss is not lowered.
        """
        if not is_coarse(self.integers.slack, objective):
            return None
        finer = RankedUnits.make(problem, integer_costs(problem, ROOM, 2 * objective))
        slack = finer.integers.slack
        return finer if 2 * slack < objective and 2 * slack <= self.integers.slack else None

    def same_loss(self, lower: int, upper: int) -> bool:
        """Whether no tree has less loss than one that costs `upper`, if none costs less than `lower`; no leaf penalty.

        A leaf then costs one, only to choose among equal trees, and all leaves together less than one unit u of loss.
        The best tree with loss e u costs less than (e + 1) u and at least `lower`, so e >= floor(lower / u).
        """
        return 2**self.tie_bits <= self.unit and lower // self.unit == upper // self.unit

    @property
    def error_of_leaf(self) -> float:
        """By how much a leaf may be charged too much or too little, in integer weight times cost."""
        return float((1 + 2**self.tie_bits / 2) / self.unit)

    def slack(self, n_leaves: float) -> float:
        """Return how far rounding may move the objective of a tree of so many leaves."""
        return float(self.integers.slack + n_leaves * self.error_of_leaf * self.integers.unit)


@dataclass(frozen=True, eq=False)
class RankedRows:
    """A problem in the units of the engine, and its columns as the engine has them.

    Parameters
    ----------
    units : RankedUnits
    ranked : list of RankedColumn
    native : RankedProblem
        Of the compiled core.
    """

    units: RankedUnits
    ranked: list[RankedColumn]
    native: core.RankedProblem

    def in_units(self, problem: Problem, units: RankedUnits) -> RankedRows:
        """Return the same columns in other units."""
        return replace(self, units=units, native=_native(problem, self.ranked, units))


def ranked_rows(problem: Problem, space: RankedSpace, integers: IntegerCosts | None = None) -> RankedRows:
    """Return a problem as the engine has it.

    Parameters
    ----------
    problem : Problem
    space : RankedSpace
    integers : IntegerCosts or None, default=None
        None are those that the engine can hold at any rate.
    """
    units = RankedUnits.make(problem, integers)
    ranked = ranked_columns(problem.table, space.candidates or None)
    return RankedRows(units, ranked, _native(problem, ranked, units))


def _native(problem: Problem, ranked: list[RankedColumn], units: RankedUnits) -> core.RankedProblem:
    return core.RankedProblem(
        rank=rank_matrix(ranked, problem.table.n_rows),
        y=problem.y,
        weight=units.integers.weight,
        costs=units.integers.costs,
        unit=units.unit,
        leaf=units.leaf,
        min_leaf=min(problem.min_samples_leaf, problem.table.n_rows + 1),
    )
