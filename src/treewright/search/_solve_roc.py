"""Which pairs of false and true positive rates trees can reach: a search for each corner of their convex hull.

A tree with labels in its leaves has a weight of false positives, FP, and one of false negatives, FN. Take two trees A
and B with FP(A) < FP(B) and FN(A) > FN(B), and the costs ``a = FN(A) - FN(B)`` of a false positive and
``b = FP(B) - FP(A)`` of a false negative, at which both cost the same. An exact search for the least ``a FP + b FN``
either finds a cheaper tree, which is a corner between them, or proves that no tree lies below their line. Begun with
the leaves of either label, this ends, for there are finitely many trees, with all corners of the hull of all trees. A
search that is stopped, or whose numbers were rounded, still proves ``a FP + b FN >= L`` for every tree: one more line
beyond which nothing lies.

**The bound on the AUC.** Let a tree have any scores in its leaves. Every point of its ROC curve is a mixture of two
trees of the same splits, whose leaves have the positive label where the score is above some value. Labels change
neither depth nor leaves nor their rows, so these two satisfy the same limits, and every line that was proven. Lines
hold for mixtures. So the curve lies below ``1 - max(0, (L - a FP) / b)`` at every FP, and the area under it is at most
the area under that.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from treewright.errors import InputError
from treewright.problem import Problem
from treewright.result import SolveResult, SolveStatus, StopReason, note_of_rounding, told_to_stop
from treewright.search._choose_engine import choose_engine
from treewright.search._costs_in_weights import costs_in_weights
from treewright.search._counted import counted_tree
from treewright.search._kept import kept_result
from treewright.search._limits import Limits, ProgressCallback
from treewright.search._options import BinaryOptions, RankedOptions
from treewright.search._roc import RocFrontier, RocLine, RocPoint
from treewright.search._searches import Searches
from treewright.search._solve import search_chosen
from treewright.search._space import Thresholds
from treewright.tree import Tree, settle_missing

__all__ = ["solve_roc"]

PARTS = 2  # of what is left of a limit: a search that is not the last one known has one
FLOAT = 1e-13  # relative, of sums of real weights
TOLD = 1e-6  # of the area: the most that a proven frontier leaves open
LARGEST_RATIO = 1e100  # of two weights
LARGEST_EXACT = 2.0**53  # float64 holds every whole number up to here


@dataclass(frozen=True, eq=False)
class _Corner:
    """A tree with its weights of false positives and false negatives."""

    tree: Tree
    false_positive: float
    false_negative: float


@dataclass(frozen=True, order=True)
class _Side:
    """Two neighbouring corners, the larger of the area that may lie below their line first."""

    rank: float
    number: int
    left: _Corner = field(compare=False)
    right: _Corner = field(compare=False)

    @property
    def prices(self) -> tuple[float, float]:
        """Costs of a false positive and of a false negative; whole numbers where the weights are."""
        a = self.left.false_negative - self.right.false_negative
        b = self.right.false_positive - self.left.false_positive
        if a.is_integer() and b.is_integer():
            common = math.gcd(int(a), int(b))
            return a / common, b / common
        return a / max(a, b), b / max(a, b)


def solve_roc(
    problem: Problem,
    thresholds: Thresholds = "auto",
    *,
    limits: Limits | None = None,
    options: BinaryOptions | RankedOptions | None = None,
    progress: ProgressCallback | None = None,
) -> RocFrontier:
    """Find the corners of the region of the ROC plane that trees can reach, and lines beyond which there is no tree.

    Parameters
    ----------
    problem : Problem
        A problem of two classes; its costs and leaf penalty are ignored.
    thresholds : "auto", "all", int or mapping, default="auto"
        As in `treewright.search.solve`.
    limits : Limits, default=None
        Of all searches together; With None the only limit is the machine's memory.
    options : BinaryOptions or RankedOptions, default=None
        As in `treewright.search.solve`.
    progress : callable, default=None
        Called about 20 times a second with a `Progress`, whose objective and bound are 1 - AUC: that of the corners so
        far, and a lower bound for every tree. If it returns True, the search stops.

    Returns
    -------
    RocFrontier

    Raises
    ------
    InputError
        There are not exactly two classes with rows of positive weight.
    SolverError
        No tree meets the constraints.

    Examples
    --------
    >>> from treewright.problem import make_problem
    >>> from treewright.search import solve_roc
    >>> from treewright.table import table_from
    >>> frontier = solve_roc(make_problem(table_from([[1], [2], [3], [4]]), [0, 1, 0, 1], max_depth=1))
    >>> [(point.false_positive_rate, point.true_positive_rate) for point in frontier]
    [(0.0, 0.0), (0.0, 0.5), (0.5, 1.0), (1.0, 1.0)]
    """
    limits = (limits or Limits()).started()
    run = _Run(problem, Searches(limits, progress))
    choice = choose_engine(run.asked(1.0, 1.0), thresholds, options, limits=limits)
    run.scope, run.notes = choice.space.scope, (*problem.notes, *choice.space.notes)
    try:
        while run.open and run.stop is None:
            side = heapq.heappop(run.open)
            asked = run.asked(*side.prices)
            within, before = run.share(), run.searches.steps
            found = search_chosen(choice, options, asked, within, run.report(), ungrouped=True)
            run.take(side, asked, found)
            if found.stop_reason is StopReason.STEP_LIMIT and within.step_limit is not None:
                # One that ends before its first step has used them.
                run.searches.steps = max(run.searches.steps, before + within.step_limit)
            run.stop_after(found)
    except KeyboardInterrupt:  # between two searches, which keep their trees; a side may be lost
        run.stop = run.cut = StopReason.INTERRUPT
    return kept_result(run.frontier)


@dataclass
class _Run:
    """Corners and lines so far, and the sides that no search has looked at."""

    problem: Problem
    searches: Searches
    corners: list[_Corner] = field(init=False)
    open: list[_Side] = field(default_factory=list)
    lines: list[RocLine] = field(default_factory=list)
    stop: StopReason | None = None  # of the run
    cut: StopReason | None = None  # of a search, which had a share of the limits
    scope: str = ""
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        of_class = np.bincount(self.problem.y, weights=self.problem.sample_weight, minlength=2)
        if len(of_class) > 2 or not of_class.all():
            raise InputError(
                f"y has {len(self.problem.classes)} classes, {int((of_class > 0).sum())} of them with rows of positive "
                "weight; a ROC curve needs two."
            )
        weighing = self.problem.sample_weight[self.problem.sample_weight > 0]
        if not weighing.max() / weighing.min() < LARGEST_RATIO:
            raise InputError(
                f"sample_weight ranges from {weighing.min():g} to {weighing.max():g}: the costs of two kinds of errors "
                "would not be floating-point numbers. Leave out the rows that weigh next to nothing."
            )
        self.negative, self.positive = map(float, of_class)
        leaf = counted_tree(self.at(1.0, 1.0), [None])
        none, all_ = (self.corner(replace(leaf, prediction=np.full(1, k, dtype=np.int32))) for k in (0, 1))
        self.corners = [none, all_]
        self.open_side(none, all_)

    def at(self, a: float, b: float) -> Problem:
        """Return the problem where a false positive costs a and a false negative b, without a leaf penalty."""
        return replace(self.problem, costs=np.array([[0.0, a], [b, 0.0]]), cost_complexity=0.0)

    def asked(self, a: float, b: float) -> Problem:
        """Return the same as a problem of errors."""
        return costs_in_weights(self.at(a, b))

    def corner(self, tree: Tree) -> _Corner:
        """Return a tree with what it gets wrong."""
        leaf, yes = tree.is_leaf, tree.prediction == 1
        false, missed = tree.value[leaf & yes, 0].sum(), tree.value[leaf & ~yes, 1].sum()
        return _Corner(tree, float(false), float(missed))

    def open_side(self, left: _Corner, right: _Corner) -> None:
        """Note a side to be looked at, where something can lie below it: rates are never below 0."""
        area = (left.false_negative - right.false_negative) * (right.false_positive - left.false_positive)
        if left.false_positive < right.false_positive and left.false_negative > right.false_negative:
            heapq.heappush(self.open, _Side(-area, len(self.corners), left, right))

    def share(self) -> Limits:
        """Return the limits of the next search: all that is left for the last side, else a share of it."""
        left = self.searches.left()
        return left.part(PARTS) if self.open else left

    def report(self) -> ProgressCallback | None:
        """Return `progress` as a search calls it."""
        if self.searches.progress is None:
            return None
        frontier = self.frontier()
        return self.searches.report((1 - _area(frontier.points), 1 - frontier.auc_bound))

    def take(self, side: _Side, asked: Problem, found: SolveResult) -> None:
        """Take the answer of a search for what lies below a side."""
        self.searches.add(found)
        a, b = side.prices
        X, weight = self.problem.table.X, self.problem.sample_weight  # costs are in those of the search
        tree = counted_tree(self.at(a, b), found.tree.splits)
        tree = settle_missing(tree, X, weight)
        corner = self.corner(tree)
        cost = [Fraction(a) * Fraction(c.false_positive) + Fraction(b) * Fraction(c.false_negative)
                for c in (corner, side.left, side.right)]  # fmt: skip
        total = asked.total_weight
        whole = total < LARGEST_EXACT and bool((asked.sample_weight % 1 == 0).all())
        if whole and found.status is SolveStatus.OPTIMAL and found.lower_bound == found.objective:
            least = float(cost[0])
        else:
            least = (found.lower_bound - FLOAT) * total
        price = b * self.positive
        self.lines.append(RocLine(a * self.negative / price, least / price))
        known = {(c.false_positive, c.false_negative) for c in self.corners}
        if cost[0] < min(cost[1:]) and (corner.false_positive, corner.false_negative) not in known:
            self.corners.append(corner)
            self.open_side(side.left, corner)
            self.open_side(corner, side.right)

    def stop_after(self, found: SolveResult) -> None:
        """Look whether the run is over."""
        reason = found.stop_reason or found.asked_to_stop
        if reason in (StopReason.INTERRUPT, StopReason.CALLBACK):
            self.stop = reason
        else:
            self.stop = self.searches.used_up()
        self.cut = reason or self.cut

    def frontier(self) -> RocFrontier:
        """Put corners and lines together."""
        made = RocFrontier(
            points=tuple(
                RocPoint(c.false_positive / self.negative, 1 - c.false_negative / self.positive, c.tree)
                for c in _hull(self.corners)
            ),
            lines=tuple(self.lines),
            status=SolveStatus.FEASIBLE,
            scope=self.scope,
            options={
                name: getattr(self.problem, name)
                for name in ("max_depth", "max_leaf_nodes", "min_samples_leaf")
            },
            stop_reason=self.stop or self.cut,
            stats={**self.searches.stats(), **told_to_stop(self.stop)},
            notes=tuple(dict.fromkeys(self.notes)),
        )
        left = max(0.0, made.auc_bound - _area(made.points))  # rounded weights leave something open
        if self.open or (self.cut is not None and left > TOLD):
            return made
        made = replace(made, stop_reason=None, stats={**made.stats, "tolerance": left})
        if left <= TOLD:
            return replace(made, status=SolveStatus.OPTIMAL)
        return replace(made, notes=(*made.notes, note_of_rounding("The weights", left)))


def _hull(corners: list[_Corner]) -> list[_Corner]:
    """Return the corners of the lower left of the hull, fewest false positives first, in exact arithmetic."""
    hull: list[_Corner] = []
    for c in sorted(corners, key=lambda c: (c.false_positive, -c.false_negative)):
        while len(hull) > 1 and _is_above(hull[-2], hull[-1], c):
            hull.pop()
        hull.append(c)
    return hull


def _is_above(left: _Corner, middle: _Corner, right: _Corner) -> bool:
    """Whether the middle one lies on or above the line between the others."""
    x0, x1, x2 = (Fraction(c.false_positive) for c in (left, middle, right))
    y0, y1, y2 = (Fraction(c.false_negative) for c in (left, middle, right))
    return (x1 - x0) * (y2 - y0) <= (x2 - x0) * (y1 - y0)


def _area(points: tuple[RocPoint, ...]) -> float:
    """Return the area under a curve of points."""
    x, y = ([getattr(p, name) for p in points] for name in ("false_positive_rate", "true_positive_rate"))
    return float(np.trapezoid(y, x))
