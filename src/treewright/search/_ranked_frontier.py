"""The front of classification trees over all thresholds, by searches at leaf penalties over ranked columns.

How it is made is in `_front_by_penalties.py`; here is what a bound at a penalty says of a loss. A proof at a penalty p
is one of ``loss + p * leaves``, up to the rounding of p and of float64, called e below. Next to weights of 3e9 a row of
weight 1 is a loss of 3e-10: a comparison "up to 1e-9" would call trees proven that get such rows wrong. So:

- Where weights and costs are whole numbers of some unit u, so is every loss. A loss of at least v is then one of at
  least ``u * ceil(v / u)``, and a proof is one without any tolerance. Where e is u or more nothing is gained, and the
  point is searched without a penalty.
- Where they had to be rounded, by s in sum, the proof of a search leaves 2 s of the loss open, as every search says
  (`_integers.py`). That must be little of the loss itself, not only of loss and penalties: else the point is open, and
  is searched without a penalty, in finer units (`_solve_ranked.py`).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.problem import Problem
from treewright.result import SolveResult, StopReason, note_of_rounding
from treewright.search._choose_engine import Choice
from treewright.search._counted import counted_tree
from treewright.search._front_by_penalties import front_by_penalties
from treewright.search._frontier import Frontier
from treewright.search._integers import is_coarse
from treewright.search._limits import Limits, ProgressCallback
from treewright.search._options import RankedOptions
from treewright.search._prunings import best_prunings
from treewright.search._result import LEAVES_NOT_PROVEN, measured
from treewright.search._solve_ranked import rounding_of_ranked, solve_ranked
from treewright.search._space import RankedSpace
from treewright.tree import Tree

__all__ = ["ranked_frontier"]

FLOAT = 1e-14  # relative, of objectives as float64 sums


def ranked_frontier(
    problem: Problem,
    choice: Choice,
    *,
    limits: Limits,
    options: RankedOptions | None = None,
    progress: ProgressCallback | None = None,
) -> Frontier:
    """Find for each number of leaves the tree of least loss over ranked columns.

    Parameters
    ----------
    problem : Problem
        ``max_leaf_nodes`` says up to how many leaves.
    choice : Choice
        With a ranked space.
    limits : Limits
        Of the whole run, with the time running.
    options : RankedOptions, default=None
    progress : callable, default=None
        Is told the state of the search that runs.
    """
    assert isinstance(choice.space, RankedSpace)  # of this engine
    losses = _Losses(problem, choice.space, options)
    stats = {"engine": choice.engine, "engine_reason": choice.why}
    return front_by_penalties(problem, losses, limits=limits, progress=progress, stats=stats)


class _Losses:
    """Losses of classification trees, as shares of the total weight; see the top of this file."""

    def __init__(self, problem: Problem, space: RankedSpace, options: RankedOptions | None) -> None:
        self.problem, self.space, self.options = problem, space, options
        self.rounding = rounding_of_ranked(problem)
        exact = self.rounding.slack == 0
        self.noise = 0.5 * self.rounding.unit if exact else FLOAT * float(problem.costs.max())

    def search(
        self, problem: Problem, limits: Limits | None = None, progress: ProgressCallback | None = None
    ) -> SolveResult:
        return solve_ranked(problem, self.space, limits=limits, options=self.options, progress=progress)

    def prunings(self, result: SolveResult, max_leaves: int) -> list[tuple[float, Tree]]:
        found = best_prunings(result.tree, self.problem.table.X, self._leaf_loss, max_leaves)
        trees = [
            counted_tree(self.problem, splits) for splits, _ in found if len(splits) != result.tree.node_count
        ]
        return [(measured(self.problem, tree)[0], tree) for tree in trees]

    def _leaf_loss(self, rows: NDArray[np.intp]) -> float:
        of = self.problem
        weight = np.bincount(of.y[rows], weights=of.sample_weight[rows], minlength=of.n_classes)
        return float((weight @ of.costs).min() / of.total_weight)

    def bounds(
        self, result: SolveResult, leaf_penalty: float, sizes: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        left = self.rounding.leaf * (sizes + result.tree.n_leaves) if leaf_penalty > 0 else 0.0
        left = left + FLOAT * (result.objective + leaf_penalty * sizes)
        bounds = result.lower_bound - leaf_penalty * sizes - left
        if self.rounding.slack == 0:
            bounds = self.rounding.unit * np.ceil(bounds / self.rounding.unit)
        return np.asarray(bounds)

    def is_proven(self, loss: float, bound: float) -> bool:
        left = loss - bound
        if self.rounding.slack == 0:
            return left <= self.noise
        rounded = 2 * self.rounding.slack + 2 * FLOAT + 2 * self.rounding.leaf * self.problem.table.n_rows
        return left <= rounded and not is_coarse(left / 2, loss)

    def point(
        self,
        best: SolveResult,
        leaves: int,
        bounds: NDArray[np.float64],
        proven: bool,
        stop: StopReason | None,
    ) -> dict[str, Any]:
        notes = (*self.problem.notes, *self.space.notes)
        fewer = best.tree.n_leaves - 1
        if not proven and stop is None:
            left = best.loss - max(0.0, float(bounds[leaves]))
            notes = (*notes, note_of_rounding("The weights and costs", max(left / 2, math.ulp(1.0))))
        elif proven and fewer > 0 and bounds[fewer] <= best.loss + self.noise:
            notes = (*notes, LEAVES_NOT_PROVEN)
        return {"stats": best.stats, "options": best.options, "notes": notes}
