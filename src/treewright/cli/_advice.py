"""What to try next: options that bring a proof sooner, and those that bring more leaves than one."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from treewright.problem import TreeProblem
    from treewright.result import StopReason

__all__ = ["advice", "for_more_leaves", "leaves_could_help"]


def advice(
    stop: StopReason | None,
    *,
    time_limit: float,
    max_depth: int | None,
    thresholds: str,
    cost_complexity: float | None = None,
    max_leaves: int | None = None,
    rounded: bool = False,
    trial: Callable[[dict[str, Any]], float | None] | None = None,
) -> str:
    """Say which options bring a proof sooner than those that were given.

    With a `trial` each is tried for a moment: it takes the fields of the problem that change, and returns the seconds
    that a proof took, or None. Where nothing but `rounded` numbers is in the way, no option brings one.
    """
    from treewright.result import StopReason

    if rounded:
        return (
            "Not proven optimal, because numbers were rounded: more time brings no proof. Weights, costs or targets "
            "that differ less in size, or fewer digits of them, may."
        )

    sooner: list[tuple[str, dict[str, Any]]] = []
    if max_depth is None or max_depth > 2:
        depth = 4 if max_depth is None else max_depth - 1
        sooner.append((f"--max-depth {depth}", {"max_depth": depth}))
    if not thresholds.isdigit() or int(thresholds) > 4:
        bins = int(thresholds) // 2 if thresholds.isdigit() else 16
        sooner.append((f"--thresholds {bins}", {"thresholds": bins}))
    if cost_complexity is not None and 0 < cost_complexity < 0.1:
        sooner.append(
            (f"--cost-complexity {2 * cost_complexity:g}", {"cost_complexity": 2 * cost_complexity})
        )
    if max_leaves is not None and max_leaves > 4:
        sooner.append((f"--max-leaves {max_leaves // 2}", {"max_leaf_nodes": max_leaves // 2}))
    said = "Not proven optimal." if max_leaves is None else "Not all proven."
    tried = [] if trial is None or stop is not StopReason.TIME_LIMIT else sooner
    ended = [] if trial is None else _that_end(tried, trial)
    if tried and trial is not None and not ended and (not thresholds.isdigit() or int(thresholds) > 8):
        smaller = (
            {"max_depth": 2, "thresholds": 8} if max_depth is None or max_depth > 3 else {"thresholds": 8}
        )
        said_as = " ".join(f"--{name.replace('_', '-')} {value}" for name, value in smaller.items())
        ended = _that_end([(said_as, smaller)], trial)
    if ended:
        each = " or ".join(f"{text} (about {max(seconds, 0.1):.1f} s)" for text, seconds in ended)
        said += f" A proof, of that smaller problem, comes with {each}: tried just now."
    elif sooner:
        said += f" A proof comes sooner with {' or '.join(text for text, _ in sooner)}."
    if stop is StopReason.TIME_LIMIT and math.isfinite(time_limit):
        said += f" With more time: --time-limit {10 * time_limit:g}."
    return said


def _that_end(
    changes: Sequence[tuple[str, dict[str, Any]]], trial: Callable[[dict[str, Any]], float | None]
) -> list[tuple[str, float]]:
    """Try each change; return those that end with a proof, and their seconds."""
    timed = [(text, trial(change)) for text, change in changes]
    return [(text, seconds) for text, seconds in timed if seconds is not None]


def leaves_could_help(problem: TreeProblem, loss: float) -> bool:
    """Whether a single leaf loses something, and the limits and the rows allow to split it."""
    allowed = problem.max_depth != 0 and problem.max_leaf_nodes != 1
    enough = 2 * problem.min_samples_leaf <= problem.table.n_rows
    return loss > 0 and allowed and enough and any(len(np.unique(x)) > 1 for x in problem.table.X.T)


def for_more_leaves(cost_complexity: float, of_labels: bool) -> str:
    """Say why a proven tree is a single leaf, and which options may bring more leaves.

    Parameters
    ----------
    cost_complexity : float
        Above 0.
    of_labels : bool
        Whether the leaves predict labels, which may be weighted.
    """
    costs = f"--cost-complexity {cost_complexity:g}"
    if of_labels:
        costs = f"{100 * cost_complexity:g}% of the total weight ({costs})"
    said = (
        f"The best tree is a single leaf: further leaves cost {costs} each, and save no more than that. A smaller "
        f"penalty, such as --cost-complexity {cost_complexity / 10:g}, may bring more leaves."
    )
    if of_labels:
        said += (
            " If the rarer label matters more: --class-weight balanced. What each further leaf is worth: treewright "
            "frontier, with the same options."
        )
    return said
