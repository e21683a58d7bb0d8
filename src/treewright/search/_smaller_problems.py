"""Smaller problems that are likely to end with a proof, and when: what to propose once time is over.

Each is searched over samples of its rows for a moment (`forecast_search`). All of them together take a share of the
time limit, or under a short limit a small part of a second, so that the proposal does not take longer than the run.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from treewright.errors import TreewrightError
from treewright.problem import TreeProblem
from treewright.search._forecast import forecast_search
from treewright.search._limits import Limits

__all__ = ["Ended", "SmallerProblems", "Trial", "time_in_words", "trial_of"]

DEEPEST = 5  # that is tried where there was no limit of depth
SHALLOWEST = 2
LEAST_HORIZON = 30.0  # seconds; a problem that ends by then is worth proposing, however short the limit was
LEAST_EACH = 0.02  # seconds; enough for a sample of 64 rows and some larger ones
LEAST_SMALL = 0.04  # for the smallest depth, which is to be named where nothing else can be
LEAST_TOTAL = 0.06
MOST_OVER = 2.0  # of the total; what took so long leaves no time for the smallest depth either
LATE = 0.5  # of the total; what ends so much after its limit is not tried again in smaller
EASY = 0.5  # of the loss of the run; a sample whose best tree has less is easier than the table
ROUGH = 2.0  # a range whose end is so many times the estimate is said


class Ended(NamedTuple):
    """How long a smaller problem takes.

    Parameters
    ----------
    seconds : float
    tried : bool
        Whether it was searched to its end; else the seconds come from searches over samples of the rows.
    longest : float
        Upper end of the likely range.
    rows, of_rows : int
        Of the largest sample, and of the table.
    likely : bool
        Whether it is likely to end while somebody waits: within the time limit, or within half a minute.

    Examples
    --------
    >>> from treewright.search import Ended
    >>> Ended(3.2, tried=False, longest=9.0, rows=512, of_rows=20_000).in_words()
    'about 3 s, perhaps up to 9 s, judging by 512 of the 20,000 rows'
    """

    seconds: float
    tried: bool = True
    longest: float = 0.0
    rows: int = 0
    of_rows: int = 0
    likely: bool = True

    def in_words(self) -> str:
        """Return it as what stands in brackets after a setting."""
        about = f"about {time_in_words(self.seconds)}"
        if self.tried:
            return f"{about}, tried just now"
        if self.longest > ROUGH * max(self.seconds, 0.1):
            about += f", perhaps up to {time_in_words(self.longest)}"
        return f"{about}, judging by {self.rows:,} of the {self.of_rows:,} rows"


Trial = Callable[[dict[str, Any]], "Ended | None"]


def time_in_words(seconds: float) -> str:
    """Return "0.4 s", "12 s", "3 minutes" or "2 hours".

    Parameters
    ----------
    seconds : float

    Examples
    --------
    >>> from treewright.search import time_in_words
    >>> time_in_words(200.0)
    '3 minutes'
    """
    if seconds < 1.95:
        return f"{max(seconds, 0.1):.1f} s"
    for size, unit in ((86_400.0, "days"), (3_600.0, "hours"), (60.0, "minutes")):
        if seconds >= 1.95 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"


@dataclass(frozen=True)
class SmallerProblems:
    """Changes of a question that make its problem smaller.

    Parameters
    ----------
    depths : tuple of int
        Below the limit of depth, from the smallest.
    others : tuple of dict
        Changes of one field each.

    Examples
    --------
    >>> from treewright.search import SmallerProblems
    >>> SmallerProblems.of(max_depth=4, thresholds="auto", cost_complexity=0.01)
    SmallerProblems(depths=(2, 3), others=({'thresholds': 16}, {'cost_complexity': 0.02}))
    """

    depths: tuple[int, ...]
    others: tuple[dict[str, Any], ...]

    @classmethod
    def of(
        cls,
        *,
        max_depth: int | None,
        thresholds: object = None,
        cost_complexity: float | None = None,
        max_leaf_nodes: int | None = None,
    ) -> SmallerProblems:
        """Return those of a question; `thresholds` is None where it cannot be chosen."""
        others: list[dict[str, Any]] = []
        if thresholds in ("auto", "all"):
            others.append({"thresholds": 16})
        elif isinstance(thresholds, int) and thresholds > 4:
            others.append({"thresholds": thresholds // 2})
        if cost_complexity is not None and 0 < cost_complexity < 0.1:
            others.append({"cost_complexity": float(f"{2 * cost_complexity:g}")})
        if max_leaf_nodes is not None and max_leaf_nodes > 4:
            others.append({"max_leaf_nodes": max_leaf_nodes // 2})
        return cls(
            tuple(range(SHALLOWEST, 1 + (DEEPEST if max_depth is None else max_depth - 1))), tuple(others)
        )

    def that_end(
        self, trial: Trial, proven_depth: int | None = None
    ) -> list[tuple[dict[str, Any], Ended | None]]:
        """Return the changes that are likely to end with a proof, with their time.

        Of depths the largest is returned: they are tried from the smallest, which takes least, to one that does not
        end. `proven_depth` is one that the run itself has proven; it is tried alone, and its time is None if that does
        not end at once. Where no change is likely to end, a much smaller problem is returned, whatever it takes.
        """
        found: list[tuple[dict[str, Any], Ended | None]]
        if proven_depth is not None and proven_depth >= 1:
            found = [({"max_depth": proven_depth}, trial({"max_depth": proven_depth}))]
        else:
            found = self._deepest(trial)
        for change in self.others:
            ended = trial(change)
            if ended is not None and ended.likely:
                found.append((change, ended))
        last = self.smallest
        if not found and last:
            ended = trial(last)
            return [] if ended is None else [(last, ended)]
        return found

    def _deepest(self, trial: Trial) -> list[tuple[dict[str, Any], Ended | None]]:
        last: list[tuple[dict[str, Any], Ended | None]] = []
        for depth in self.depths:
            ended = trial({"max_depth": depth})
            if ended is None or not ended.likely:
                break
            last = [({"max_depth": depth}, ended)]
        return last

    @property
    def smallest(self) -> dict[str, Any]:
        """The change to a much smaller problem: depth 2, and 8 bins of each column; empty if neither is a change."""
        last: dict[str, Any] = {"max_depth": SHALLOWEST} if self.depths else {}
        if any(change.get("thresholds", 0) >= 8 for change in self.others):
            last["thresholds"] = 8
        return last


def trial_of(
    problem: TreeProblem,
    search: Callable[[Any, Any, Limits], Any],
    limits: Limits,
    *,
    thresholds: Any = None,
    loss: float = 0.0,
    each: float,
    total: float,
) -> Trial:
    """Return what tries a smaller problem for a moment.

    Parameters
    ----------
    problem : TreeProblem
    search : callable
        ``search(problem, thresholds, limits)``.
    limits : Limits
        Of the run: what is tried keeps to its memory and threads, and is `likely` if it ends within its time or within
        half a minute.
    thresholds : object
        Of the run.
    loss : float
        Of the tree that the run has found. Samples that a tree fits far better than that are easier than the table,
        and nothing is concluded from them.
    each, total : float
        Seconds for one trial and for all of them, or what a few samples take. Where the run itself
        ended a good part of that later than its limit, as on very large tables, each trial would be as late: nothing
        is tried.

    Examples
    --------
    >>> from treewright.problem import make_problem
    >>> from treewright.search import Limits, solve, trial_of
    >>> from treewright.table import table_from
    >>> problem = make_problem(table_from([[20], [30], [40]]), [0, 0, 1])
    >>> trial = trial_of(problem, lambda some, cuts, limits: solve(some, cuts, limits=limits), Limits(1.0),
    ...                  thresholds="auto", each=1.0, total=3.0)
    >>> trial({"max_depth": 1}).tried
    True
    """
    each, total = max(each, LEAST_EACH), LEAST_TOTAL + total
    begun = time.perf_counter()
    spent = 0.0 if limits.begun is None else begun - limits.begun
    late = limits.time_limit is not None and spent - limits.time_limit > LATE * total
    horizon = max(LEAST_HORIZON, math.inf if limits.time_limit is None else limits.time_limit)

    def trial(change: Mapping[str, Any]) -> Ended | None:
        # The last that is left is tried even where the others took all the time.
        small = "max_depth" in change and change["max_depth"] <= SHALLOWEST
        if late or time.perf_counter() - begun >= (MOST_OVER if small else 1.0) * total:
            return None
        fields = dict(change)
        offered = fields.pop("thresholds", thresholds)

        def sampled(some: Any, within: Limits) -> Any:
            return search(some, offered, replace(limits, time_limit=within.time_limit, begun=within.begun))

        try:
            found = forecast_search(
                replace(problem, **fields), sampled, seconds=max(each, LEAST_SMALL) if small else each
            )
        except TreewrightError:  # a few rows can lack what the question asks for, such as an event
            return None
        last = found.trials[-1]
        if last.ended and last.rows == found.rows:
            return Ended(found.seconds)
        base = next((sample for sample in reversed(found.trials) if sample.ended), None)
        if base is None or base.loss < EASY * loss:
            return None
        return Ended(
            found.seconds, False, found.longest, base.rows, found.rows, likely=found.longest <= horizon
        )

    return trial
