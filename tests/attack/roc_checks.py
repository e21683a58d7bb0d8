"""What must hold for a ROC frontier: compared with the weights of errors of every tree of a tiny table, in fractions.

The oracle lists what all trees get right and wrong (`f1_checks.parts_of_trees`); it knows nothing of
prices or searches.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise

from attack.case import Case
from attack.checks import Mismatch, keeps_constraints, limited
from attack.f1_checks import FoundF1, Parts, parts_of_trees

__all__ = ["roc_answers"]

RATE = 1e-9  # of a rate, which is a sum of float64 weights
TOLD = 1e-6  # of the area: the most that a proven frontier leaves open

Point = tuple[float, float]  # false and true positive rate


def roc_answers(case: Case) -> Iterator[Mismatch]:
    """Every point is its tree's, no tree lies above a line, and a proven frontier is the hull of all trees."""
    frontier = case.run()
    points: list[Point] = []
    for point in frontier:
        found = FoundF1(case, point.tree)  # a file of the tree alone
        yield from keeps_constraints(found)
        at = _rates(found, found.parts)
        points.append(at)
        told = (point.false_positive_rate, point.true_positive_rate)
        if max(abs(a - b) for a, b in zip(at, told, strict=True)) > RATE:
            yield Mismatch("a point is not its tree's", f"{told}, the tree has {at}")
    words = f"{frontier!r} {frontier.sentence()}"
    parts = parts_of_trees(found)
    reached = [_rates(found, one) for one in parts] + [(0.0, 0.0), (1.0, 1.0)]
    for x, y in reached:
        if y > float(frontier.upper([x])[0]) + RATE:
            yield Mismatch("a tree is above the upper curve", f"{words} A tree reaches {x!r}, {y!r}.")
            break
    best = _area(_hull(reached))
    if best > frontier.auc_bound + RATE:
        yield Mismatch("the bound on the AUC is false", f"{words} The hull of all trees has {best!r}.")
    if frontier.status.name == "OPTIMAL":
        lacks = best - _area(points)
        if lacks > frontier.stats["tolerance"] + RATE or frontier.auc_bound - best > TOLD + RATE:
            yield Mismatch(
                "false optimal", f"{words} Of the hull of all trees, {best!r}, {lacks!r} is missing."
            )
    elif not limited(case) and not any("were rounded for the search" in note for note in frontier.notes):
        yield Mismatch("not proven though there is no limit", words)
    if _area(points) > best + RATE:
        yield Mismatch("better than the optimum", f"{words} The hull of all trees has {best!r}.")


def _rates(found: FoundF1, parts: Parts) -> Point:
    """False and true positive rate of weights of true and false positives."""
    right, false = parts
    negative = sum(found.stated.weights, Fraction(0)) - found.positive
    return float(false / negative), float(right / found.positive)


def _hull(points: Sequence[Point]) -> list[Point]:
    """Corners of the upper hull, from the left."""
    hull: list[Point] = []
    for x, y in sorted(set(points)):
        while len(hull) > 1 and (hull[-1][1] - hull[-2][1]) * (x - hull[-2][0]) <= (y - hull[-2][1]) * (
            hull[-1][0] - hull[-2][0]
        ):
            hull.pop()
        hull.append((x, y))
    return hull


def _area(points: Sequence[Point]) -> float:
    """The area under a curve of straight lines."""
    return sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in pairwise(points))
