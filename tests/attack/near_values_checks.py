"""What must hold for a small tree near a model's numbers: rows counted anew, its size compared with all trees.

The model is whatever the estimator trained; its numbers on the table are the question. Distances are compared in
float64 with a slack of 1e-9 of the tolerance and 1e-15 of the number (the documentation's). The oracle adds the slack,
too, so that rounded numbers that lie at the tolerance are near for both; its counts are a pair only for the last bits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from attack.case import Case
from attack.checks import Found, Mismatch, limited
from attack.cv_checks import part_of
from attack.regression_checks import walks_alike
from attack.splits import left_sets

__all__ = ["fewest_outside", "near_values_answers"]

SLACK = Fraction(1, 10**9)  # of the tolerance
ROUNDING = Fraction(1, 2**50)  # of a number
LAST_BITS = Fraction(1, 2**51)  # of both


def near_values_answers(case: Case) -> Iterator[Mismatch]:
    """Count the rows that are near, and find by recursion over all trees how many leaves they need."""
    model = case.run()
    result = model.result_
    kept = [int(i) for i in model.rows_]
    found = Found(part_of(case, kept), result)
    said = model.estimator_.predict(case.frame())
    u = [float(said[i]) for i in kept]
    n, tolerance = len(kept), Fraction(model.tolerance_)
    nodes = found.walker.content["nodes"]
    words = f"{result.sentence()} Tolerance {float(tolerance)!r}, numbers {u!r}."
    yield from walks_alike(found, model, lambda leaf, _: nodes[leaf]["value"][0])
    counts = [
        sum(
            abs(Fraction(nodes[leaf]["value"][0]) - Fraction(u[i])) <= width(tolerance, u[i], sign)
            for leaf, rows in found.groups.items()
            for i in rows
        )
        for sign in (-1, 1)
    ]
    if not counts[0] <= result.stats["rows_alike"] <= counts[1]:
        yield Mismatch("another number of rows is near", f"{counts}; {words}")
    depth, most = case.options.get("max_depth", 3), case.options.get("max_leaves", 16)
    if found.walker.depth() > depth or len(found.groups) > most:
        yield Mismatch("the tree is too large", words)
    if result.objective != len(found.groups) or result.lower_bound > result.objective:
        yield Mismatch("the objective is not the tree's leaves", words)
    if not found.proven and not limited(case):
        yield Mismatch("not proven though there is no limit", words)
    allowed = int(case.options.get("share", 0.1) * n + 1e-9)
    outside = n - result.stats["rows_alike"]
    yield from _verified(case, kept, u, result)
    cuts = left_sets(case, kept)
    tight, loose = (fewest_outside(cuts, u, tolerance, depth, min(most, n), sign) for sign in (-1, 1))
    if outside < loose[-1]:
        yield Mismatch("more rows are near than any tree has", f"{loose}; {words}")
    needed = 1 + next((k for k, rows in enumerate(tight) if rows <= allowed), len(tight))
    if result.lower_bound > needed:
        yield Mismatch("the lower bound is above the optimum", f"{tight}; {words}")
    if not found.proven:
        return
    goal = max(allowed, loose[-1])
    least = 1 + next(k for k, rows in enumerate(loose) if rows <= goal)
    largest = 1 + next(k for k, rows in enumerate(tight) if rows <= max(allowed, tight[-1]))
    if not least <= len(found.groups) <= largest:
        yield Mismatch("false optimal", f"{least} to {largest} leaves; {words}")
    if outside > tight[len(found.groups) - 1]:
        yield Mismatch("as many leaves are near on more rows", f"{tight}; {words}")


def _verified(case: Case, kept: list[int], numbers: list[float], result: Any) -> Iterator[Mismatch]:
    from treewright.table import table_from
    from treewright.verify import verify_near_values

    table = table_from(case.frame(), categorical_features=case.options.get("categorical_features"))
    report = verify_near_values(numbers, table.take(np.array(kept)), result)
    if not report.ok:
        yield Mismatch("the verifier refuses a true claim", str(report))


def width(tolerance: Fraction, number: float, sign: int) -> Fraction:
    """The tolerance with its slack, a little smaller or a little larger."""
    size = abs(Fraction(number))
    return tolerance * (1 + SLACK) + size * ROUNDING + sign * LAST_BITS * (tolerance + size)


def fewest_outside(
    cuts: Sequence[int], numbers: Sequence[float], tolerance: Fraction, depth: int, most: int, sign: int
) -> list[int]:
    """[leaves - 1] the fewest rows further than the tolerance, of all trees of at most so many leaves."""
    u = [Fraction(v) for v in numbers]
    n = len(u)
    wide = [width(tolerance, v, sign) for v in numbers]
    # A leaf's best number may be the upper end of a row's own range, so each such end is tried.
    held = [sum(1 << i for i in range(n) if abs(u[j] + wide[j] - u[i]) <= wide[i]) for j in range(n)]

    @cache
    def least(rows: int, depth: int, leaves: int) -> int:
        best = min((rows & ~mask).bit_count() for mask in held)
        if depth and leaves > 1 and best:
            for cut in cuts:
                a, b = rows & cut, rows & ~cut
                if a and b:
                    best = min(
                        best,
                        *(least(a, depth - 1, k) + least(b, depth - 1, leaves - k) for k in range(1, leaves)),
                    )
        return best

    return [least((1 << n) - 1, min(depth, n), k) for k in range(1, most + 1)]
