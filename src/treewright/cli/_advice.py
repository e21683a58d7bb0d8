"""What to try next: options that bring a proof sooner, and those that bring more leaves than one."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from treewright.problem import TreeProblem
    from treewright.result import StopReason

__all__ = ["Ended", "Trial", "advice", "for_more_leaves", "leaves_could_help"]

DEEPEST = 5  # that is tried where there was no limit of depth
SHALLOWEST = 2


class Ended(NamedTuple):
    """How long a smaller problem takes.

    Parameters
    ----------
    seconds : float
    tried : bool
        Whether it was searched to its end; else the seconds come from searches over samples of the rows.
    """

    seconds: float
    tried: bool = True

    def in_words(self) -> str:
        """Return it as what stands in brackets after an option."""
        how = "tried just now" if self.tried else "judging by samples of the rows"
        return f"about {max(self.seconds, 0.1):.1f} s, {how}"


Trial = Callable[[dict[str, Any]], "Ended | None"]


def advice(
    stop: StopReason | None,
    *,
    time_limit: float,
    max_depth: int | None,
    thresholds: str,
    cost_complexity: float | None = None,
    max_leaves: int | None = None,
    rounded: bool = False,
    proven_depth: int | None = None,
    trial: Trial | None = None,
) -> str:
    """Say which options bring a proof sooner than those that were given.

    With a `trial` each is tried for a moment: it takes the fields of the problem that change, and says how long a proof
    takes, or None if it is not likely to end. Of depths the largest is named that ends; `proven_depth` is one that the
    run itself has proven. Where nothing but `rounded` numbers is in the way, no option brings a proof.
    """
    from treewright.result import StopReason

    if rounded:
        return (
            "Not proven optimal, because numbers were rounded: more time brings no proof. Weights, costs or targets "
            "that differ less in size, or fewer digits of them, may."
        )

    depths = list(range(SHALLOWEST, 1 + (DEEPEST if max_depth is None else max_depth - 1)))
    others: list[tuple[str, dict[str, Any]]] = []
    if not thresholds.isdigit() or int(thresholds) > 4:
        bins = int(thresholds) // 2 if thresholds.isdigit() else 16
        others.append((f"--thresholds {bins}", {"thresholds": bins}))
    if cost_complexity is not None and 0 < cost_complexity < 0.1:
        others.append(
            (f"--cost-complexity {2 * cost_complexity:g}", {"cost_complexity": 2 * cost_complexity})
        )
    if max_leaves is not None and max_leaves > 4:
        others.append((f"--max-leaves {max_leaves // 2}", {"max_leaf_nodes": max_leaves // 2}))
    sooner = [text for text, _ in others]
    if depths:
        sooner.insert(0, f"--max-depth {4 if max_depth is None else max_depth - 1}")
    said = "Not proven optimal." if max_leaves is None else "Not all proven."
    ended: list[str] = []
    if trial is not None and stop is StopReason.TIME_LIMIT and sooner:
        ended = _deepest_that_ends(depths, proven_depth, trial) + _those_that_end(others, trial)
        if not ended and (not thresholds.isdigit() or int(thresholds) > 8):
            smaller = {"max_depth": 2, "thresholds": 8} if depths else {"thresholds": 8}
            said_as = " ".join(f"--{name.replace('_', '-')} {value}" for name, value in smaller.items())
            ended = _those_that_end([(said_as, smaller)], trial)
    if ended:
        said += f" A proof, of that smaller problem, comes with {' or '.join(ended)}."
    elif sooner:
        said += f" A proof comes sooner with {' or '.join(sooner)}."
    if stop is StopReason.TIME_LIMIT and math.isfinite(time_limit):
        said += f" With more time: --time-limit {10 * time_limit:g}."
    return said


def _deepest_that_ends(depths: Sequence[int], proven: int | None, trial: Trial) -> list[str]:
    """Return the largest depth that ends, in words: tried from the smallest, which takes least, to one that does not.

    The depth that the run has proven is tried alone, for its time.
    """
    if proven is not None:
        found = trial({"max_depth": proven})
        return [f"--max-depth {proven} ({'proven in this run' if found is None else found.in_words()})"]
    last: list[str] = []
    for depth in depths:
        found = trial({"max_depth": depth})
        if found is None:
            break
        last = [f"--max-depth {depth} ({found.in_words()})"]
    return last


def _those_that_end(changes: Sequence[tuple[str, dict[str, Any]]], trial: Trial) -> list[str]:
    """Try each change; return those that end with a proof, with their time."""
    timed = [(text, trial(change)) for text, change in changes]
    return [f"{text} ({found.in_words()})" for text, found in timed if found is not None]


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
