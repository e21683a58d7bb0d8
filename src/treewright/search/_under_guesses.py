"""The certificate of a search with guessed lower bounds: what is conditional, and what is proven anyway."""

from __future__ import annotations

from dataclasses import replace

from treewright.binarize import Cuts
from treewright.guess import ReferenceCosts, most_lost
from treewright.problem import Problem
from treewright.result import SolveResult, SolveStatus

__all__ = ["under_guesses"]


def under_guesses(
    result: SolveResult, problem: Problem, cuts: Cuts, reference: ReferenceCosts, least: float, slack: float
) -> SolveResult:
    """Turn what the engine called exact into what it is: optimal if the guesses hold.

    Parameters
    ----------
    result : SolveResult
        With status OPTIMAL where the engine's search ended.
    problem : Problem
    cuts : Cuts
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
    lost = most_lost(reference, cuts, problem.y, problem.sample_weight, problem.costs)
    bound = max(0.0, least, result.objective - lost - 2 * slack if ended else 0.0)
    bound = min(bound, result.objective)
    wrong = (
        f"The lower bounds were guessed from a reference that is wrong on {reference.n_wrong:,} of "
        f"{problem.table.n_rows:,} rows (loss {reference.loss:.6f})."
    )
    if ended:
        wrong += (
            " Where a tree is right on such rows the guess is too high; at most "
            f"{result.objective - bound:.6f} of the objective can have been lost (Theorem 4.3 of McTavish "
            "et al. 2022)."
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
