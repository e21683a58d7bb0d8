"""Check the claim of a stopped search that no shallower tree is better.

That no such tree exists is known only to the search, as with every bound. What is checked: the depth is a number below
the depth limit, the gap that rounding leaves is small, and the note states exactly this claim with the limits of the
question.
"""

from __future__ import annotations

from collections.abc import Iterator

from treewright.result import SolveResult, SolveStatus, is_shallow_note, shallow_note
from treewright.verify._report import Check
from treewright.verify._words import is_number

__all__ = ["shallow_checks"]

LARGEST_ROUNDING = 1e-4  # share of an objective: nothing may be called proven with a larger rounding error


def shallow_checks(result: SolveResult, max_depth: int | None, tolerance: float = 0.0) -> Iterator[Check]:
    """Yield the checks of a result's claim about shallower trees; none if it makes no such claim.

    Parameters
    ----------
    result : SolveResult
        Its fields must have the right types.
    max_depth : int or None
        Depth limit of the question.
    tolerance : float, default=0.0
        Gap that a proof may leave in any case.
    """
    said = [note for note in result.notes if is_shallow_note(note)]
    if "proven_depth" not in result.stats and not said:
        return
    depth, left = result.stats.get("proven_depth"), result.stats.get("proven_depth_rounding", 0.0)
    fault = ""
    if not isinstance(depth, int) or isinstance(depth, bool) or depth < 0:
        fault = f"proven_depth is {depth!r:.60}"
    elif max_depth is not None and depth >= max_depth:
        fault = f"depth {depth!s:.20}, the limit is {max_depth}"
    elif result.status is not SolveStatus.FEASIBLE:
        fault = f"a tree that is {result.status.value}"
    elif not is_number(left) or not 0 <= left <= max(LARGEST_ROUNDING * abs(result.objective), tolerance):
        fault = f"proven_depth_rounding is {left!r:.60}"
    elif said != [shallow_note(result.options, depth, result.objective, float(left))]:
        fault = f"{len(said)} notes about it, or other words"
    message = "The note on shallower trees must say what was proven: a depth below the limit, in these words."
    yield Check(
        "shallower trees",
        not fault,
        f"depth at most {depth!s:.20}",
        fault or "said as claimed",
        message if fault else "",
    )
