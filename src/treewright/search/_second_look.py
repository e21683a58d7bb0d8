"""After a search with guessed lower bounds that ended before the exact one beside it: did the guess hold?

Step 2a of section 4.3 (McTavish et al. 2022) ends a subproblem at the first subtree that is as good as the
guess. Where the guess is too high, that subtree depends on the order of the search, and another order may
end with a better tree. A short search with a *repaired* guess looks for it: where the tree found is right on a row
that the reference gets wrong, the guess is refuted there by the tree itself; charge the reference no more than the
tree for such rows. This is a lower guess, so Theorem 4.3 holds for it too, and its bound on what can have been lost is
smaller. A tree that refutes no row needs no such search.

Cost: at most a quarter of the steps so far, or `LEAST_STEPS` if that is more.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from treewright.binarize import Cuts
from treewright.guess import ReferenceCosts, reference_costs
from treewright.problem import Problem
from treewright.result import ROUNDING, SolveResult, StopReason
from treewright.search._limits import Limits
from treewright.search._options import SearchOptions
from treewright.search._solve import solve_cuts

__all__ = ["look_again", "repaired"]

LEAST_STEPS = 500
PLAIN_STEPS = 250  # then dives with discrepancies: good trees of hard problems
MOST_SECONDS = 1.0


def look_again(
    result: SolveResult,
    problem: Problem,
    cuts: Cuts,
    reference: ReferenceCosts,
    limits: Limits,
    options: SearchOptions | None,
) -> SolveResult:
    """Search shortly with the guess repaired; the best tree and bound are kept.

    Parameters
    ----------
    result : SolveResult
        Of a guided search that ended.
    problem : Problem
    cuts : Cuts
    reference : ReferenceCosts
        What was guessed.
    limits : Limits
        Of the searches so far and this one together.
    options : SearchOptions or None

    Returns
    -------
    SolveResult
        Never worse than `result`; ``stats`` and ``notes`` say what came of it.
    """
    options = options or SearchOptions()
    lower = repaired(reference, result, problem)
    done = int(result.stats["steps"])
    steps = max(LEAST_STEPS, done // 4)
    if limits.step_limit is not None:
        steps = min(steps, limits.step_limit - done)
    seconds = min(MOST_SECONDS, limits.left())
    if lower is None or steps <= 0 or seconds <= 0:
        return result
    stats = {
        "guessed_objective": result.objective,
        **result.stats,
        "refuted_rows": int(np.count_nonzero(lower.cost < reference.cost)),
    }
    try:
        again = solve_cuts(
            problem,
            cuts,
            limits=Limits(seconds, steps, limits.memory_limit),
            options=replace(options, plain_steps=min(PLAIN_STEPS, options.plain_steps), lattice=False),
            reference=lower,
        )
    except KeyboardInterrupt:  # outside of the engine: the tree is there
        return replace(result, stats={**stats, "interrupted": True})
    if again.stop_reason is StopReason.INTERRUPT:
        stats["interrupted"] = True
    stats |= dict.fromkeys(("steps", "subproblems"), done + again.stats["steps"])
    stats["seconds"] += again.stats["seconds"]
    saved = result.objective - again.objective
    best = again if saved > ROUNDING * abs(result.objective) else result
    bound = min(best.objective, max(result.lower_bound, again.lower_bound))
    notes = result.notes
    if best is again:
        notes = (
            *notes,
            f"The best tree so far was right on {stats['refuted_rows']:,} rows that the reference gets wrong; a short "
            f"search with the guess lowered there found a better tree (by {saved:.6f}), which is kept.",
        )
    return replace(
        result,
        tree=best.tree,
        objective=best.objective,
        loss=best.loss,
        lower_bound=bound,
        stats={**stats, "most_lost_by_guesses": best.objective - bound},
        notes=notes,
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
