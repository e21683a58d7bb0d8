"""What a complete set proves about its cheapest tree.

A set that is complete up to a bound and not empty holds the best of all trees: every tree that it lacks costs more.
So it settles what the search before it left open because its numbers were rounded. That search may have fewer bits
(29 for the sum of all costs over ranked columns) than the set, whose costs are mostly exact.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from treewright.near_optimal._counts import Counts
from treewright.near_optimal._trees import NearOptimalTrees
from treewright.result import SolveResult, SolveStatus
from treewright.search import is_coarse, measured

__all__ = ["proven_by_set"]


def proven_by_set(best: SolveResult, counts: Counts, least: Fraction, notes: tuple[str, ...]) -> SolveResult:
    """Return the cheapest tree of a complete set with its proof; `best` itself where that has been proven exactly.

    Parameters
    ----------
    best : SolveResult
        Of the search before.
    counts : Counts
        Of a set that is complete up to its bound, and not empty.
    least : Fraction
        Least cost of a tree of the set, in errors.
    notes : tuple of str
        Of the problem and its splits: what `best` says beside them of its rounding is settled.

    Notes
    -----
    Objectives ``f`` and whole numbers ``g`` differ by at most the `rounding` r of the graph. The least g of all trees
    is `least`, so ``f >= least - r`` for every tree.
    """
    if best.status is SolveStatus.OPTIMAL and best.rounding == 0:
        return best
    graph = counts.graph
    tree = NearOptimalTrees(counts=counts, best=best, least=least, asked=least)[0]
    loss, objective = measured(graph.problem, tree)
    bound = float((least - graph.rounding) * graph.unit) if graph.rounding else objective
    proven = not is_coarse(float(graph.rounding * graph.unit), objective)
    # Without rounding no tree costs less than this one; float64 may show as much more of it as its last digit.
    if (graph.rounding and objective > best.objective) or (best.status is SolveStatus.OPTIMAL and not proven):
        return best
    return replace(
        best,
        tree=tree,
        status=SolveStatus.OPTIMAL if proven else SolveStatus.FEASIBLE,
        objective=objective,
        lower_bound=max(0.0, min(objective, max(bound, best.lower_bound))),
        loss=loss,
        notes=notes if proven else best.notes,
    )
