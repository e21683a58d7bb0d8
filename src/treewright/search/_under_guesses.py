"""The certificate of a search with guessed lower bounds: what is conditional, and what is proven anyway."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from treewright.binarize import SplitMatrix
from treewright.guess import ReferenceCosts, most_lost
from treewright.problem import Problem
from treewright.result import SolveResult, SolveStatus
from treewright.search._result import ROUNDING
from treewright.tree import at_most

__all__ = ["rechecked", "under_guesses"]


def under_guesses(
    result: SolveResult,
    problem: Problem,
    split_matrix: SplitMatrix,
    reference: ReferenceCosts,
    least: float,
    slack: float,
) -> SolveResult:
    """Turn what the engine called exact into what it is: optimal if the guesses hold.

    Parameters
    ----------
    result : SolveResult
        With status OPTIMAL where the engine's search ended.
    problem : Problem
    split_matrix : SplitMatrix
    reference : ReferenceCosts
    least : float
        A bound that holds without any guess.
    slack : float
        What integer rounding may have moved.

    Returns
    -------
    SolveResult
        ``lower_bound`` is proven: the objective less the most that Theorem 4.3 of McTavish et al. (2022)
        leaves open, or `least`. Never has status OPTIMAL.
    """
    ended = result.status is SolveStatus.OPTIMAL
    lost = most_lost(reference, split_matrix, problem.y, problem.sample_weight, problem.costs)
    bound = max(0.0, least, result.objective - lost - 2 * slack if ended else 0.0)
    bound = min(bound, result.objective)
    wrong = (
        f"The lower bounds were guessed from a reference that is wrong on {reference.n_wrong:,} of "
        f"{problem.table.n_rows:,} rows (loss {reference.loss:.6f})."
    )
    if ended:
        wrong += (
            " Where a tree is right on such rows the guess is too high; at most "
            f"{at_most(result.objective - bound)} of the objective can have been lost over these splits (Theorem 4.3 "
            "of McTavish et al. 2022)."
        )
    return replace(
        result,
        status=SolveStatus.OPTIMAL_UNDER_GUESSES if ended else SolveStatus.FEASIBLE,
        lower_bound=bound,
        stats={
            **result.stats,
            "reference_loss": reference.loss,
            "reference_wrong_rows": reference.n_wrong,
            "most_lost_by_guesses": result.objective - bound if ended else None,
        },
        notes=(*result.notes, wrong),
    )


def rechecked(
    result: SolveResult, other: SolveResult, problem: Problem, reference: ReferenceCosts, bound: float
) -> SolveResult:
    """Keep the better tree and the higher bound of a conditional search and of its recheck with a lower guess.

    Parameters
    ----------
    result : SolveResult
        Of the search, with its certificate.
    other : SolveResult
        The tree of the recheck.
    problem : Problem
    reference : ReferenceCosts
    bound : float
        What the recheck proves; 0 if it did not end.

    Returns
    -------
    SolveResult
        Never worse than `result`; ``stats`` and ``notes`` say what came of it.
    """
    answers = result.tree.prediction[result.tree.apply(problem.table.X)]
    paid = problem.sample_weight * problem.costs[problem.y, answers]
    refuted = int(np.count_nonzero(paid < reference.cost))
    saved = result.objective - other.objective
    best, notes = result, result.notes
    if saved > ROUNDING * abs(result.objective):
        best = other
        notes = (
            *notes,
            f"The best tree so far was right on {refuted:,} rows that the reference gets wrong; a short "
            f"search with the guess lowered there found a better tree (by {saved:.6f}), which is kept.",
        )
    bound = min(best.objective, max(result.lower_bound, bound))
    return replace(
        result,
        tree=best.tree,
        objective=best.objective,
        loss=best.loss,
        lower_bound=bound,
        stats={
            **result.stats,
            "guessed_objective": result.objective,
            "refuted_rows": refuted,
            "most_lost_by_guesses": best.objective - bound,
        },
        notes=notes,
    )
