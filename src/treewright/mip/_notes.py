"""What a reader of a certificate must know about the run of a solver."""

from __future__ import annotations

import math

from treewright.mip._instance import Instance
from treewright.mip._strategies import Solution

__all__ = ["notes_of"]


def notes_of(
    instance: Instance, solution: Solution, cost: float, tolerance: float, scaling: str
) -> list[str]:
    """Return notes on what the solver found, or did not find.

    Parameters
    ----------
    instance : Instance
    solution : Solution
    cost : float
        Of its tree.
    tolerance : float
        Of the solver, in units of that.
    scaling : {"rank", "range"}
    """
    outcome = solution.runs[-1].outcome
    notes = [outcome.note] if outcome.note else []
    if solution.source == "cart":
        none = not any(run.outcome.incumbents for run in solution.runs)
        than = "without any tree" if none else "with no better tree than CART's"
        notes.append(f"{outcome.solver} ended ({outcome.words}) {than}; this one is CART's.")
    if solution.source == "start":
        notes.append(f"{outcome.solver} found nothing better than its start; this tree is CART's.")
    claimed = min((objective for _, objective, _ in solution.runs[-1].trees), default=math.inf)
    if claimed < cost - tolerance:
        notes.append(
            f"{outcome.solver} claims an objective of {claimed:.6g}, but no tree it found has one below {cost:.6g} on "
            "the data: its tolerances made it miscount rows. The objective reported here is recomputed from the tree."
        )
    if scaling == "range" and instance.narrow:
        notes.append(
            "Some values are so near to each other that the solver's tolerance cannot distinguish them: columns "
            f'{", ".join(instance.narrow)}. The rows were routed again by the tree itself; scaling="rank" avoids this.'
        )
    return notes
