"""How the compiled core is asked for the graphs of a set, one budget after the other."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from treewright._native import core
from treewright.binarize import SplitMatrix
from treewright.near_optimal._graph import SetGraph
from treewright.near_optimal._nothing import LeafRules
from treewright.near_optimal._units import Units
from treewright.problem import Problem

__all__ = ["Task"]

COST_BITS = 58  # of all costs together, in the integers of the search
SPARE_BITS = 2  # costs below 2^60 are below what the search takes for infinite
MOST_SHIFT = 32


@dataclass(frozen=True, eq=False)
class Task:
    """What stays the same for all budgets."""

    problem: Problem
    split_matrix: SplitMatrix
    native: core.BinaryProblem | core.NearOptimalRankedProblem
    units: Units
    rules: LeafRules
    largest: Fraction  # budget that will be asked, or more than any tree costs; all are in its units, for one search
    notes: tuple[str, ...]

    @property
    def stated(self) -> tuple[Problem, SplitMatrix, Units, LeafRules]:
        """What a set without trees is made of."""
        return self.problem, self.split_matrix, self.units, self.rules

    def graph(self, budget: Fraction, **how: Any) -> SetGraph:
        """Return the graph of all trees within a budget, complete or not."""
        problem, left = self.problem, min(budget, self.largest) - self.native.base_cost
        leaf_penalty = self.units.leaf_penalty
        most_leaves = problem.table.n_rows
        if leaf_penalty > 0:
            most_leaves = max(1, min(most_leaves, int(left // leaf_penalty)))
        if problem.max_leaf_nodes is not None:
            most_leaves = min(most_leaves, problem.max_leaf_nodes)
        depth = min(most_leaves - 1, len(self.split_matrix.splits))
        if problem.max_depth is not None:
            depth = min(depth, problem.max_depth)
        shift, price = self._cost_units()
        # The price is no lower than the exact one, or rounded down: by more than that no tree of the set costs more.
        above = max(Fraction(0), price - leaf_penalty * 2**shift) * most_leaves
        native = self.native.near_optimal(
            leaf_penalty=price,
            unit_shift=shift,
            budget=int((left * 2**shift + above) // 1),
            max_depth=max(depth, 0),
            **how,
        )
        return SetGraph(
            problem, self.split_matrix, native, native.arrays(), self.units.unit, leaf_penalty, self.native.base_cost,
            self.rules.any_label, self.rules.redundant, how["memory_limit"], rounding=self.units.rounding,
        )  # fmt: skip

    def _cost_units(self) -> tuple[int, int]:
        """Return the bits that one error is shifted by, and what a leaf costs: those of the search, if budgets fit."""
        leaf_penalty = self.units.leaf_penalty
        errors = float(self.problem.costs.max()) / float(self.units.unit)
        room = COST_BITS - int(2 * errors + self.problem.table.n_rows + self.largest).bit_length()
        if isinstance(self.native, core.BinaryProblem):
            shift, price = self.native.unit_shift, self.native.leaf_penalty
            if shift <= room + SPARE_BITS and 0 <= price - leaf_penalty * 2**shift <= 2:
                return shift, price
        shift = max(0, min(MOST_SHIFT, room))
        return shift, int(leaf_penalty * 2**shift // 1)
