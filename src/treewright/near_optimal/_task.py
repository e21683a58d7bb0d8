"""How the compiled core is asked for the graphs of a set, one budget after the other."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from treewright._native import core
from treewright.binarize import SplitMatrix
from treewright.near_optimal._graph import SetGraph
from treewright.near_optimal._nothing import LeafRules
from treewright.near_optimal._problems import NativeProblem
from treewright.near_optimal._units import Units, most_leaves
from treewright.problem import Problem

__all__ = ["Task"]

COST_BITS = 58  # of all costs together, in the integers of the search
SPARE_BITS = 2  # costs below 2^60 are below what the search takes for infinite
RANKED_BITS = 59  # of a budget, over ranked columns
FINE = 2**10  # by less than this part of an error rounded prices may move a tree of the set
MOST_SHIFT = 32


@dataclass(frozen=True, eq=False)
class Task:
    """What stays the same for all budgets."""

    problem: Problem
    split_matrix: SplitMatrix
    asked: NativeProblem
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
        problem, left = self.problem, min(budget, self.largest) - self.asked.native.base_cost
        leaf_penalty = self.units.leaf_penalty
        n_leaves = problem.table.n_rows
        if leaf_penalty > 0:
            n_leaves = max(1, min(n_leaves, int(left // leaf_penalty)))
        if problem.max_leaf_nodes is not None:
            n_leaves = min(n_leaves, problem.max_leaf_nodes)
        depth = min(n_leaves - 1, len(self.split_matrix.splits))
        if problem.max_depth is not None:
            depth = min(depth, problem.max_depth)
        shift, price = self._cost_units()
        # The price is no lower than the exact one, or rounded down: by more than that no tree of the set costs more.
        above = max(Fraction(0), price - leaf_penalty * 2**shift) * n_leaves
        native = self.asked.native.near_optimal(
            leaf_penalty=price,
            unit_shift=shift,
            budget=int((left * 2**shift + above) // 1),
            max_depth=max(depth, 0),
            **self.asked.numbers,
            **how,
        )
        return SetGraph(
            problem, self.split_matrix, native, native.arrays(), self.units.unit, leaf_penalty,
            self.asked.native.base_cost, self.rules.any_label, self.rules.redundant, how["memory_limit"],
            rounding=self.units.rounding,
        )  # fmt: skip

    def _cost_units(self) -> tuple[int, int]:
        """Return the bits that one error is shifted by, and what a leaf costs: those of the search, if budgets fit."""
        problem, native, exact = self.problem, self.asked.native, self.units.leaf_penalty
        errors = float(problem.costs.max()) / float(self.units.unit)
        room = COST_BITS - int(2 * errors + problem.table.n_rows + self.largest).bit_length()
        shift, price = native.unit_shift, native.leaf_penalty
        above = price - exact * 2**shift
        if isinstance(native, core.BinaryProblem):
            fits = shift <= room + SPARE_BITS and 0 <= above <= 2
        else:  # its costs fit already; prices are rounded by bits that count leaves
            fits = shift + int(self.largest + 1).bit_length() <= RANKED_BITS
            fits = fits and abs(above) * most_leaves(problem) <= Fraction(2**shift, FINE)
        if fits:
            return shift, price
        shift = max(0, min(MOST_SHIFT, room))
        return shift, int(exact * 2**shift // 1)
