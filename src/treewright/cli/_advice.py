"""What to try next: options that may bring a proof or a guess sooner, and those that bring more leaves than one."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright._plural import list_of

if TYPE_CHECKING:
    from treewright.problem import TreeProblem
    from treewright.result import SolveResult, StopReason
    from treewright.search import Ended, Limits, Trial

__all__ = [
    "advice",
    "for_more_leaves",
    "for_sooner_guesses",
    "leaves_could_help",
    "round_up",
    "trial_for",
    "why_one_leaf",
]

LEAST_LIMIT = 30.0  # seconds, the default of the command line: the least that is proposed
TRIAL_SECONDS = 2.0  # of one smaller problem
NEARLY_ALL = 0.9  # of a time limit
ROOM = 1.5  # of a time limit, over what reading and search are expected to take
OPTIONS = {"max_leaf_nodes": "max_leaves"}  # of `frontier`, where they are not called like the field


def advice(
    stop: StopReason | None,
    *,
    time_limit: float,
    max_depth: int | None,
    thresholds: str,
    cost_complexity: float | None = None,
    max_leaves: int | None = None,
    rounded: Mapping[str, Any] | None = None,
    proven_depth: int | None = None,
    reading: float = 0.0,
    trial: Trial | None = None,
    depth_as: str = "--max-depth {}",
) -> str:
    """Say which options are likely to bring a proof sooner than those that were given.

    With a `trial` each is tried for a moment, and named with its time (`SmallerProblems.that_end`); with a larger time
    limit, too, if that time and the seconds of `reading` are more than the limit. Where a time limit leaves nothing to
    judge by, the smallest problem is named, and where reading took the time, none. `depth_as` says how a depth is asked
    for; `proven_depth` is one that the run itself has proven. Where nothing but rounded numbers is in the way, more
    time brings no proof: `rounded` has the options of such a result.
    """
    from treewright.result import StopReason, after_rounding
    from treewright.search import SmallerProblems

    limit_options = {StopReason.STEP_LIMIT: "--step-limit", StopReason.MEMORY_LIMIT: "--memory-limit"}
    if rounded is not None:
        return (
            "Not proven optimal, because numbers were rounded: more time brings no proof. What may bring one: "
            f"{after_rounding(rounded, _criterion)}."
        )

    if stop is StopReason.TIME_LIMIT and reading >= NEARLY_ALL * time_limit:
        enough = round_up(max(10 * reading, LEAST_LIMIT))
        return (
            f"Not proven optimal: reading took {reading:.1f} s, and --time-limit {time_limit:g} counts it, so that "
            f"hardly any time was left to search. With more time: --time-limit {enough:g}."
        )

    smaller = SmallerProblems.of(
        max_depth=max_depth,
        thresholds=int(thresholds) if thresholds.isdigit() else thresholds,
        cost_complexity=cost_complexity,
        max_leaf_nodes=max_leaves,
    )
    named = [_as_option(change, depth_as) for change in smaller.others]
    if smaller.depths:
        named.insert(0, depth_as.format(4 if max_depth is None else max_depth - 1))
    said = "Not proven optimal." if max_leaves is None else "Not all proven."
    timed_out = stop is StopReason.TIME_LIMIT
    ended: list[tuple[dict[str, Any], Ended | None]] = []
    longer: list[float] = []  # time limits for these; 0 where that of the run is enough
    if trial is not None and timed_out and named:
        with suppress(KeyboardInterrupt):  # everything has been said and saved but this
            ended = smaller.that_end(trial, proven_depth)
    if ended:
        longer = [_longer_limit(found, reading, time_limit) for _, found in ended]
        given = [
            _with_time(_as_option(change, depth_as), found, limit)
            for (change, found), limit in zip(ended, longer, strict=True)
        ]
        said += f" A proof, of that smaller problem, comes with {list_of(given, 'or')}."
    elif named:
        if timed_out and smaller.smallest:
            named = [_as_option(smaller.smallest, depth_as)]
        said += f" A proof, of a smaller problem, is likely to come sooner with {list_of(named, 'or')}."
    if stop in limit_options:
        said += f"{' Or raise' if named else ' Raise'} {limit_options[stop]}."
    if timed_out and math.isfinite(time_limit):
        said += f" With more time: --time-limit {max(10 * max(time_limit, *longer, 0.0), LEAST_LIMIT):g}."
    return said


def _longer_limit(found: Ended | None, reading: float, time_limit: float) -> float:
    """Return the time limit for a smaller problem that needs more than the run had; 0 if it does not."""
    needed = 0.0 if found is None else reading + max(found.seconds, found.longest)
    return round_up(ROOM * needed) if needed > time_limit else 0.0


def _with_time(option: str, found: Ended | None, limit: float) -> str:
    """Return options with their time, and with a time limit above 0."""
    if found is None:
        return f"{option} (proven in this run)"
    more = f" --time-limit {limit:g}" if limit else ""
    return f"{option}{more} ({found.in_words()})"


def _as_option(change: Mapping[str, Any], depth_as: str) -> str:
    """Return a change of the question as options of the command line."""
    return " ".join(
        depth_as.format(value)
        if name == "max_depth"
        else f"--{OPTIONS.get(name, name).replace('_', '-')} {value:g}"
        for name, value in change.items()
    )


def trial_for(
    problem: TreeProblem,
    search: Callable[[Any, Any, Limits], Any],
    limits: Limits,
    loss: float,
    thresholds: Any = None,
) -> Trial:
    """Return what tries smaller problems after a run that found this loss, each for a thirtieth of its time limit."""
    from treewright.search import trial_of

    limit = math.inf if limits.time_limit is None else limits.time_limit
    each = min(TRIAL_SECONDS, limit / 30)
    return trial_of(problem, search, limits, thresholds=thresholds, loss=loss, each=each, total=limit / 5)


def for_sooner_guesses(of_any_size: bool, time_limit: float) -> str:
    """Say what to try where a run ended before anything was guessed.

    Parameters
    ----------
    of_any_size : bool
        Whether the size of the reference was to be chosen on held-out rows.
    time_limit : float
    """
    said = "Nothing was guessed: the run ended before the reference had learned anything."
    if of_any_size:
        said += " One of a given size, such as --n-estimators 40, learns sooner: no size is chosen on held-out rows."
    if math.isfinite(time_limit):
        said += f" With more time: --time-limit {max(10 * time_limit, LEAST_LIMIT):g}."
    return said


def round_up(seconds: float) -> float:
    """Return the next of 1, 2, 5, 10, 20, 50, ...

    Parameters
    ----------
    seconds : float
        Above 0.
    """
    power = 10.0 ** max(0, math.floor(math.log10(seconds)))
    return next(power * digit for digit in (1, 2, 5, 10) if power * digit >= seconds)


def leaves_could_help(problem: TreeProblem, loss: float) -> bool:
    """Whether a single leaf loses something, and the limits and the rows allow to split it."""
    allowed = problem.max_depth != 0 and problem.max_leaf_nodes != 1
    enough = 2 * problem.min_samples_leaf <= problem.table.n_rows
    return loss > 0 and allowed and enough and any(len(np.unique(x)) > 1 for x in problem.table.X.T)


def why_one_leaf(problem: TreeProblem, result: SolveResult) -> str:
    """Say why a tree without a proof is a single leaf; "" of other trees, and where no other tree is possible."""
    from treewright.result import why_stopped_at_one_leaf

    said = why_stopped_at_one_leaf(result) if leaves_could_help(problem, result.loss) else ""
    return f" {said}" if said else ""


def for_more_leaves(cost_complexity: float, of_labels: bool, errors: bool = True) -> str:
    """Say why a proven tree is a single leaf, and which options may bring more leaves.

    Parameters
    ----------
    cost_complexity : float
        Above 0.
    of_labels : bool
        Whether the leaves predict labels, and the penalty is a share of their weight.
    errors : bool
        Of labels: whether the loss is that of errors or costs, which classes may weigh and `frontier` knows; for F1 a
        weight of classes would be another measure.
    """
    costs = f"--cost-complexity {cost_complexity:g}"
    if of_labels:
        costs = f"{100 * cost_complexity:g}% of the total weight ({costs})"
    said = (
        f"The best tree is a single leaf: further leaves cost {costs} each, and save no more than that. A smaller "
        f"penalty, such as --cost-complexity {cost_complexity / 10:g}, may bring more leaves."
    )
    if of_labels and errors:
        said += (
            " If the rarer label matters more: --class-weight balanced. What each further leaf is worth: treewright "
            "frontier, with the same options."
        )
    return said


def _criterion(name: str) -> str:
    return f"--criterion {name.replace('_', '-')}"
