"""Every engine that finds the smallest objective, behind one face, so that a law is tested on all of them.

A law takes the argument `engine` (marked with `every_engine`) and skips nothing: `Engine.takes` says which problems an
engine answers, and `Engine.fitting` turns any problem into one of these.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest

from tiny_problems import TinyProblem
from treewright import SolveResult
from treewright.search import (
    BinaryOptions,
    Limits,
    solve,
    solve_frontier,
    solve_ranked,
    solve_with_leaf_accuracy,
)
from treewright.search._limits import ProgressCallback

__all__ = ["ENGINES", "Engine", "every_engine"]

Solver = Callable[[TinyProblem, Limits | None, ProgressCallback | None], SolveResult]


@dataclass(frozen=True)
class Engine:
    """One way to the smallest objective over 0/1 columns."""

    name: str
    solver: Solver
    needs_depth: bool = False  # and takes neither costs nor a limit of leaves, and weights of a few decimals
    in_threads: bool = False  # luck decides its steps, and what a limit leaves

    def __str__(self) -> str:
        return self.name

    def fitting(self, problem: TinyProblem) -> TinyProblem:
        """The same problem, without what the engine refuses."""
        if not self.needs_depth:
            return problem
        depth = 3 if problem.max_depth is None else problem.max_depth
        decimals = np.maximum(np.rint(problem.weight * 100), 1) / 100
        costs = 1.0 - np.eye(len(problem.costs))
        return problem.but(max_depth=depth, max_leaf_nodes=None, costs=costs, weight=decimals)

    def solve(
        self, problem: TinyProblem, limits: Limits | None = None, progress: ProgressCallback | None = None
    ) -> SolveResult:
        return self.solver(problem, limits, progress)


def _cuts(problem: TinyProblem, limits: Limits | None, progress: ProgressCallback | None) -> SolveResult:
    stated, cuts = problem.stated()
    return solve(stated, cuts, limits=limits, progress=progress)


def _threads(problem: TinyProblem, limits: Limits | None, progress: ProgressCallback | None) -> SolveResult:
    """From the first step on, which also asks for the first of equal trees."""
    stated, cuts = problem.stated()
    limits = replace(limits or Limits(), n_jobs=3)
    return solve(stated, cuts, limits=limits, options=BinaryOptions(alone_steps=0), progress=progress)


def _ranked(problem: TinyProblem, limits: Limits | None, progress: ProgressCallback | None) -> SolveResult:
    return solve_ranked(problem.stated()[0], limits=limits, progress=progress)


def _front(problem: TinyProblem, limits: Limits | None, progress: ProgressCallback | None) -> SolveResult:
    """All numbers of leaves at once, and the point that the price of a leaf selects."""
    stated, cuts = problem.stated()
    most = problem.max_leaf_nodes or problem.n_rows
    front = solve_frontier(replace(stated, max_leaf_nodes=most), cuts, limits=limits, progress=progress)
    return front.select(problem.cost_complexity)


def _leaf_accuracy(
    problem: TinyProblem, limits: Limits | None, progress: ProgressCallback | None
) -> SolveResult:
    """Every leaf right on at least none of its rows: no constraint."""
    stated, cuts = problem.stated()
    return solve_with_leaf_accuracy(stated, cuts, 0.0, limits=limits, progress=progress)


ENGINES = (
    Engine("binary", _cuts),
    Engine("binary in threads", _threads, in_threads=True),
    Engine("ranked", _ranked),
    Engine("front", _front),
    Engine("leaf-accuracy", _leaf_accuracy, needs_depth=True),
)
every_engine = pytest.mark.parametrize("engine", ENGINES, ids=str)
