"""After a search with guessed lower bounds: was the guess needed, and did it hold?

Step 2a of section 4.3 (McTavish et al. 2022) ends a subproblem at the first subtree that is as good as the
guess. Where the guess is too high, that subtree depends on the order of the search, and another order may
end with a better tree. Two short searches beside the guided one look for it:

1. Exact, without the guess. If it ends, the guess was not needed.
2. Else with a *repaired* guess. Where the tree found is right on a row that the reference gets wrong, the
   guess is refuted there by the tree itself; charge the reference no more than the tree for such rows.
   This is a lower guess, so Theorem 4.3 holds for it too, and its bound on what can have been lost is
   smaller. A tree that refutes no row needs no such search.

Cost: each takes at most a quarter of the guided search's steps, or `LEAST_STEPS` if that is more, so that a
long guided search is not made half as long again. The dense program is tried only where that is as short.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from treewright.binarize import Cuts
from treewright.guess import ReferenceCosts, reference_costs
from treewright.problem import Problem
from treewright.result import SolveResult, SolveStatus, StopReason
from treewright.search._limits import Limits
from treewright.search._options import SearchOptions
from treewright.search._solve import solve_cuts

__all__ = ["look_again", "repaired"]

LEAST_STEPS = 500
PLAIN_STEPS = {"exact": 300, "repaired": 250}  # then dives with discrepancies: good trees of hard problems
MOST_STATES = 400_000  # of the dense program: the time of some thousand steps
MOST_GROUPING = 500_000  # distinct rows x columns squared, the time to find the groups of the dense program
MOST_SECONDS = 1.0
WORTH = 1e-12  # a smaller difference of objectives is rounding


def look_again(
    result: SolveResult,
    problem: Problem,
    cuts: Cuts,
    reference: ReferenceCosts,
    limits: Limits,
    options: SearchOptions | None,
) -> SolveResult:
    """Search shortly without the guess and with a repaired one; the best tree and bound are kept.

    Parameters
    ----------
    result : SolveResult
        Of a guided search that ended.
    problem : Problem
    cuts : Cuts
    reference : ReferenceCosts
        What was guessed.
    limits : Limits
        Of the guided search and the two short ones together (steps: of each).
    options : SearchOptions or None

    Returns
    -------
    SolveResult
        Never worse than `result`; ``stats`` and ``notes`` say what came of it.
    """
    options = options or SearchOptions()
    left = MOST_SECONDS
    left = min(left, limits.left())
    if left <= 0:
        return result
    steps = max(LEAST_STEPS, int(result.stats["subproblems"]) // 4)
    if limits.step_limit is not None:
        steps = min(steps, limits.step_limit)
    size = result.stats["distinct_rows"] * result.stats["distinct_columns"] ** 2
    exact = solve_cuts(
        problem,
        cuts,
        limits=Limits(left, steps, limits.memory_limit),
        options=replace(
            options,
            plain_steps=min(PLAIN_STEPS["exact"], options.plain_steps),
            row_prices=False,
            lattice=options.lattice and size <= MOST_GROUPING,
            lattice_states=min(MOST_STATES, options.lattice_states),
        ),
    )
    ended = exact.status is SolveStatus.OPTIMAL
    best = exact if exact.objective < result.objective - WORTH else result
    bound = max(result.lower_bound, exact.lower_bound)
    stats = {
        **result.stats,
        "guessed_objective": result.objective,
        "exact_objective": exact.objective if ended else None,
        "exact_seconds": exact.stats["seconds"],
    }
    interrupted = exact.stop_reason is StopReason.INTERRUPT
    left -= exact.stats["seconds"]
    lower = repaired(reference, best, problem)
    if not ended and not interrupted and left > 0 and lower is not None:
        again = solve_cuts(
            problem,
            cuts,
            limits=Limits(left, steps, limits.memory_limit),
            options=replace(
                options, plain_steps=min(PLAIN_STEPS["repaired"], options.plain_steps), lattice=False
            ),
            reference=lower,
        )
        best = again if again.objective < best.objective - WORTH else best
        bound = max(bound, again.lower_bound)
        interrupted = again.stop_reason is StopReason.INTERRUPT
        stats["refuted_rows"] = int(np.count_nonzero(lower.cost < reference.cost))
    bound = min(bound, best.objective)
    saved = result.objective - best.objective
    if ended and saved > 0:
        note = (
            "You did not need the guess: the exact search ended too, and its tree, kept here, is better by "
            f"{saved:.6f}."
        )
    elif ended:
        note = "You did not need the guess: the exact search ended too, with the same objective."
    elif best is exact:
        note = f"A short search without the guess found a better tree (by {saved:.6f}), which is kept."
    elif best is not result:
        note = (
            f"The best tree so far was right on {stats['refuted_rows']:,} rows that the reference gets wrong; a short "
            f"search with the guess lowered there found a better tree (by {saved:.6f}), which is kept."
        )
    else:
        note = f"A short search without the guess did not end; it proves that no tree is below {bound:.6f}."
    if interrupted:
        stats["interrupted"] = True
    return replace(
        result,
        tree=best.tree,
        objective=best.objective,
        loss=best.loss,
        lower_bound=bound,
        stats={**stats, "most_lost_by_guesses": best.objective - bound},
        notes=(*result.notes, note),
    )


def repaired(reference: ReferenceCosts, found: SolveResult, problem: Problem) -> ReferenceCosts | None:
    """Return the guess that charges no row more than the tree found pays; None where it never does.

    Parameters
    ----------
    reference : ReferenceCosts
    found : SolveResult
    problem : Problem
    """
    answers = found.tree.prediction[found.tree.apply(problem.table.X)]
    refuted = problem.costs[problem.y, answers] < problem.costs[problem.y, reference.predictions]
    if not refuted.any():
        return None
    return reference_costs(
        np.where(refuted, answers, reference.predictions).astype(np.int32),
        problem.y,
        problem.sample_weight,
        problem.costs,
    )
