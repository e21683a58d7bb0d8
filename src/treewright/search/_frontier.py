"""The accuracy-sparsity front: one proven tree for each number of leaves that is worth having."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from numbers import Integral, Real
from typing import Any, overload

from treewright._numbers import is_whole
from treewright.errors import InputError
from treewright.result import SolveResult, SolveStatus, StopReason, asked_to_stop, constraints_in_words
from treewright.tree import at_least, power_at_most
from treewright.tree._display import html_of_table

__all__ = ["Frontier", "check_max_leaves"]

MOST_LEAVES = 1_000_000
SAME = 1e-12  # relative: objectives, and what leaves save, that differ by no more are equal but for their rounding


@dataclass(frozen=True, eq=False, repr=False)
class Frontier(Sequence[SolveResult]):
    """Pareto front of training loss against leaves: a sequence of results, fewest leaves first.

    Each point has fewer leaves than the next and a larger loss. Its result is that of a search with
    ``cost_complexity=0`` and with its number of leaves as ``max_leaf_nodes``, so ``objective`` and ``lower_bound``
    refer to the loss.

    Parameters
    ----------
    limits : tuple of SolveResult
        The best tree with at most 1, 2, ..., `max_leaves` leaves. If one more leaf gains nothing, the tree is the same
        as for the previous limit.
    stop_reason : StopReason or None
        None if every point is proven.
    stats : mapping
        Seconds, subproblems and memory of the whole run.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treewright import accuracy_frontier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> frontier = accuracy_frontier(X, y, max_leaves=4, thresholds=8)
    >>> [point.tree.n_leaves for point in frontier]
    [1, 2, 3, 4]
    >>> frontier.select(0.02).tree.n_leaves
    3
    """

    limits: tuple[SolveResult, ...]
    stop_reason: StopReason | None = None
    stats: Mapping[str, Any] = field(default_factory=dict)

    @property
    def asked_to_stop(self) -> StopReason | None:
        """Whether a user ended the run: INTERRUPT (Ctrl-C), CALLBACK, or None; after the last proof, too."""
        return asked_to_stop(self.stop_reason, self.stats)

    @property
    def points(self) -> tuple[SolveResult, ...]:
        """The points as a tuple."""
        kept = [self.limits[0]]
        for result in self.limits[1:]:
            if result.loss < kept[-1].loss:
                kept.append(result)
        return tuple(kept)

    @property
    def max_leaves(self) -> int:
        """Largest number of leaves that was searched."""
        return len(self.limits)

    @property
    def proven_leaves(self) -> int:
        """Largest number of leaves up to which every point is proven; 0 if none is."""
        proven = 0
        for result in self.limits:
            if result.status is not SolveStatus.OPTIMAL:
                break
            proven += 1
        return proven

    def __repr__(self) -> str:
        losses = f"loss {self.points[0].loss:.4g} to {self.points[-1].loss:.4g}"
        return (
            f"<Frontier: {len(self)} points of 1 to {self.points[-1].tree.n_leaves} leaves, {losses}, proven up to "
            f"{self.proven_leaves} of {self.max_leaves} leaves>"
        )

    def _repr_html_(self) -> str:
        rows = self.records()
        head = ["Leaves", "Depth", "Training loss", "Proof", "Selected by cost_complexity"]
        lines = (
            [
                f"{row['leaves']:,}",
                f"{row['depth']:,}",
                f"{row['loss']:.6g}",
                "proven" if row["proven"] else _open_in_words(row["lower_bound"]),
                _penalties_in_words(row["cost_complexity_from"], row["cost_complexity_to"]),
            ]
            for row in rows
        )
        return html_of_table(
            "Points by number of leaves", self.sentence(), head, lines, len(rows), "records()"
        )

    def __len__(self) -> int:
        return len(self.points)

    @overload
    def __getitem__(self, index: int) -> SolveResult: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[SolveResult, ...]: ...

    def __getitem__(self, index: int | slice) -> SolveResult | tuple[SolveResult, ...]:
        return self.points[index]

    def __iter__(self) -> Iterator[SolveResult]:
        return iter(self.points)

    def at_most(self, leaves: int) -> SolveResult:
        """Return the best tree with at most this many leaves.

        Parameters
        ----------
        leaves : int
            1 to `max_leaves`.

        Raises
        ------
        InputError
            `leaves` is outside that range.
        """
        if not isinstance(leaves, Integral) or not 1 <= leaves <= self.max_leaves:
            raise InputError(
                f"leaves={leaves!r}; the frontier was made for 1 to {self.max_leaves} leaves. Make it again with "
                "a larger max_leaves for more."
            )
        return self.limits[int(leaves) - 1]

    def select(self, cost_complexity: float) -> SolveResult:
        """Return the point of smallest loss + cost_complexity x leaves, with its certificate at that penalty.

        Parameters
        ----------
        cost_complexity : float
            Penalty of one leaf as a fraction of the total weight, >= 0.

        Returns
        -------
        SolveResult
            The best of all trees with at most `max_leaves` leaves; ties go to fewer leaves. It is OPTIMAL if no number
            of leaves can be better, even if the point of that number is not proven itself.

        Raises
        ------
        InputError
            `cost_complexity` is not a number of at least 0.
        """
        leaf_penalty = _checked_penalty(cost_complexity)
        objectives = [point.loss + leaf_penalty * point.tree.n_leaves for point in self.points]
        least = min(objectives)
        chosen, objective = next(
            (point, own)
            for point, own in zip(self.points, objectives, strict=True)
            if own <= least * (1 + SAME)
        )
        # The bound of a limit holds for trees of exactly so many leaves.
        bounds = [result.lower_bound + leaf_penalty * leaves for leaves, result in enumerate(self.limits, 1)]
        proven = all(
            result.status is SolveStatus.OPTIMAL or bound >= least
            for result, bound in zip(self.limits, bounds, strict=True)
        )
        notes = chosen.notes
        if not proven and self.stop_reason is None:  # what left another number of leaves open
            why = (note for point in self.limits if point.is_only_rounded for note in point.notes)
            notes = tuple(dict.fromkeys((*notes, *why)))
        lower_bound = min(objective, *bounds)
        stats = chosen.stats
        if "tolerance" in stats:  # of all numbers of leaves together, not of the chosen one alone
            stats = {**stats, "tolerance": objective - lower_bound if proven else 0.0}
        return replace(
            chosen,
            notes=notes,
            stats=stats,
            status=SolveStatus.OPTIMAL if proven else SolveStatus.FEASIBLE,
            objective=objective,
            lower_bound=lower_bound,
            stop_reason=None if proven else self.stop_reason,
            options={**chosen.options, "cost_complexity": leaf_penalty, "max_leaf_nodes": self.max_leaves},
        )

    def convex_hull(self) -> tuple[SolveResult, ...]:
        """Return the points that some cost_complexity selects, fewest leaves first."""
        hull: list[SolveResult] = []
        for point in self.points:
            while len(hull) > 1 and _saving(hull[-2], hull[-1]) <= _saving(hull[-1], point) * (1 + SAME):
                hull.pop()
            hull.append(point)
        return tuple(hull)

    def penalty_range(self, leaves: int) -> tuple[float, float] | None:
        """Return the leaf penalties that select the point with this many leaves, or None if none does.

        Parameters
        ----------
        leaves : int

        Returns
        -------
        (float, float) or None
            Smallest and largest cost_complexity. The largest is inf for the single leaf. The smallest is 0 for the last
            point; a frontier with more leaves may raise it.
        """
        hull = self.convex_hull()
        sizes = [point.tree.n_leaves for point in hull]
        if leaves not in sizes:
            return None
        at = sizes.index(leaves)
        low = _saving(hull[at], hull[at + 1]) if at + 1 < len(hull) else 0.0
        high = _saving(hull[at - 1], hull[at]) if at > 0 else math.inf
        return low, high

    def records(self) -> list[dict[str, Any]]:
        """Return one row for each point, ready for a data frame.

        Returns
        -------
        list of dict
            ``leaves``, ``depth``, ``loss``, ``lower_bound``, ``gap``, ``proven``, and ``cost_complexity_from`` and
            ``cost_complexity_to``, the penalties that select the point among those of this front (None if none does).
            If some point is not proven, these penalties are not proven either.
        """
        rows = []
        for point in self.points:
            penalties = self.penalty_range(point.tree.n_leaves)
            rows.append(
                {
                    "leaves": point.tree.n_leaves,
                    "depth": point.tree.depth,
                    "loss": point.loss,
                    "lower_bound": point.lower_bound,
                    "gap": point.gap,
                    "proven": point.status is SolveStatus.OPTIMAL,
                    "cost_complexity_from": None if penalties is None else penalties[0],
                    "cost_complexity_to": None if penalties is None else penalties[1],
                }
            )
        return rows

    @property
    def is_only_rounded(self) -> bool:
        """Whether a point lacks its proof only because numbers were rounded: a larger limit would not bring a proof."""
        return self.stop_reason is None and any(
            point.is_only_rounded for point in (*self.points, *self.limits)
        )

    def sentence(self) -> str:
        """Return in one sentence what is proven."""
        last = self.points[-1]
        limits = constraints_in_words(last.options, leave_out=("max_leaf_nodes",))
        if self.stop_reason is None and self.proven_leaves == self.max_leaves:
            losses = f"{self.points[0].loss:.4f}"
            if len(self) > 1:
                losses = f"from {losses} to {last.loss:.4f}"
            smaller = "a smaller training loss"
            if (left := max(map(_left_open, self.limits))) > 0:
                smaller = f"a training loss that is smaller by more than {power_at_most(left)}"
            return (
                f"Proven over {last.scope}: for each number of leaves from 1 to {self.max_leaves} no tree{limits} "
                f"has {smaller} than the one here ({losses})."
            )
        why = f" ({self.stop_reason.value})" if self.stop_reason else ""
        if self.is_only_rounded:
            why = " (numbers were rounded)"
        leaves = "leaf" if self.proven_leaves == 1 else "leaves"
        done = f"up to {self.proven_leaves} {leaves}" if self.proven_leaves else "for no number of leaves"
        return (
            f"Proven over {last.scope}{f' for trees{limits}' if limits else ''} {done} of {self.max_leaves}{why}; "
            "beyond, each point has its own lower bound."
        )


def _left_open(point: SolveResult) -> float:
    """By how much another tree may be better than a proven one, as its own sentence says."""
    tolerance = point.stats.get("tolerance")
    return tolerance if isinstance(tolerance, float) else point.rounding


def _open_in_words(lower_bound: float) -> str:
    """Words for what is known of a point that is not proven; a bound of 0 says nothing."""
    said = at_least(lower_bound)
    return f"none below {said}" if float(said) > 0 else "not proven"


def _penalties_in_words(low: float | None, high: float | None) -> str:
    """Words for a range of penalties, rounded to its inside; "" for a point that none selects."""
    if low is None or high is None:
        return ""
    above, below = (
        f"{Context(prec=4, rounding=rounding).create_decimal(Decimal(end)):g}"
        for end, rounding in ((low, ROUND_CEILING), (high, ROUND_FLOOR))
    )
    if float(above) > float(below):  # a range too narrow for these digits
        above, below = repr(low), repr(high)
    return f"\u2265 {above}" if math.isinf(high) else f"\u2265 {above}, < {below}"  # ties go to fewer leaves


def _checked_penalty(cost_complexity: float) -> float:
    if (
        isinstance(cost_complexity, bool)
        or not isinstance(cost_complexity, Real)
        or not 0 <= float(cost_complexity) < math.inf
    ):
        raise InputError(f"cost_complexity={cost_complexity!r}; give a number of at least 0.")
    return float(cost_complexity)


def _saving(few: SolveResult, many: SolveResult) -> float:
    """Return the loss that each further leaf saves between two points."""
    return (few.loss - many.loss) / (many.tree.n_leaves - few.tree.n_leaves)


def check_max_leaves(max_leaves: Any, name: str = "max_leaves") -> int:
    """Return up to how many leaves a front goes; `name` is what the caller calls it.

    Raises
    ------
    InputError
        It is not an integer of at least 1, or more than a million.
    """
    if not is_whole(max_leaves) or max_leaves < 1:
        raise InputError(f"{name}={max_leaves!r}; give an integer of at least 1, for example 20.")
    if int(max_leaves) > MOST_LEAVES:  # a front has an entry for each
        raise InputError(f"{name}={max_leaves}; give at most {MOST_LEAVES:,}, for example 20.")
    return int(max_leaves)
