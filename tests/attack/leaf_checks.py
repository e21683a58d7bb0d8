"""What must hold for the best worst leaf and for the front of all numbers of leaves: compared with the oracle."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

from attack.case import Case
from attack.checks import (
    Found,
    Mismatch,
    check_result,
    keeps_constraints,
    leaf_accuracy,
    limited,
    offered,
    predicts_alike,
)
from attack.oracle import HAIR, Answer, Oracle

__all__ = ["compare_leaf", "front_answers", "leaf_answers"]

TIED = Fraction(1, 10**14)  # of an objective: what a penalty in float64 moves a tie by
AS_GOOD = Fraction(1, 2**40)  # relative; of bounds that count as equal (docs/methods/leaf_accuracy.md)
VALUE = 1e-9  # of a Wilson bound, whose roots two programs compute in two ways


def leaf_answers(case: Case) -> Iterator[Mismatch]:
    """Compare the tree with the best worst leaf with the oracle's: value, then errors, then leaves."""
    yield from compare_leaf(case, case.run())


def compare_leaf(case: Case, model: Any) -> Iterator[Mismatch]:
    """Compare the tree of a fitted model that was asked for what the case says."""
    confidence = case.options.get("confidence", 0.95)
    criterion = case.options.get("criterion", "lower_bound")  # the default
    wilson = criterion == "lower_bound" and confidence != 0.5
    oracle = Oracle(case, offered(case))
    best = oracle.best_worst_leaf(confidence if wilson else None)
    found = Found(case, model.result_)
    assert best is not None  # one leaf is always allowed: `generate` sees to it
    value, accuracy, cheapest = best
    result, stated = found.result, found.stated
    yield from keeps_constraints(found)
    yield from predicts_alike(case, model, found)
    worst = min(leaf_accuracy(stated, rows) for rows in found.groups.values())
    if abs(float(worst) - model.leaf_accuracy_) > HAIR:
        yield Mismatch(
            "leaf_accuracy_ is not the tree's", f"{model.leaf_accuracy_!r}, the tree has {float(worst)!r}"
        )
    own = oracle.worst_value(list(found.groups.values()), confidence if wilson else None)
    if abs(own - result.objective) > VALUE:
        yield Mismatch(
            "the objective is not the tree's", f"objective {result.objective!r}, the tree has {own!r}"
        )
    if abs(float(found.loss) - result.loss) > VALUE:
        yield Mismatch(
            "the loss is not the tree's", f"loss {result.loss!r}, the tree has {float(found.loss)!r}"
        )
    if result.upper_bound < value - (VALUE if wilson else HAIR):
        yield Mismatch(
            "the upper bound is below the optimum", f"{result.upper_bound!r}, the oracle has {value!r}"
        )
    claims = result.stats
    # 1.9 + 0.8 is 2.7: decimals count as what they stand for, and their float64 numbers differ in the last place.
    decimals = any(w.denominator > 1 for w in stated.weights)
    same = accuracy * (1 - found.tolerance) if decimals else accuracy
    if criterion == "lower_bound":  # compared as real numbers, also at .5, where it is the accuracy
        same = min(same, accuracy * (1 - AS_GOOD))
    lacks = own < value - VALUE if wilson else worst < same
    most = f"{value!r}, loss {float(cheapest.objective)!r} with {cheapest.leaves} leaves"
    words = f"{result.sentence()} The oracle: {most}."
    if claims["value_proven"] and lacks and not (stated.is_rounded and own > value - HAIR):
        yield Mismatch("false optimal", words)
    if claims["loss_proven"] and not lacks:
        if not wilson and stated.has_real_weights and stated.may_be_multiples and worst == accuracy:
            # If they were read so, nothing is a tie.
            _, _, cheapest = oracle.best_worst_leaf(exactly=True) or best
        if found.loss > cheapest.objective * (1 + found.tolerance):
            yield Mismatch("false optimal", words)
        elif found.loss == cheapest.objective and len(found.groups) > cheapest.leaves:
            yield Mismatch("more leaves than needed", words)
    if not found.proven and not limited(case):
        yield Mismatch("not proven though there is no limit", words)
    if not found.proven and limited(case) and result.stop_reason is None:
        yield Mismatch("not proven, and no reason given", words)


def front_answers(case: Case) -> Iterator[Mismatch]:
    """Compare every point of the front with the oracle's, and the tree that a price selects."""
    most = case.options["max_leaves"]
    oracle = Oracle(case, offered(case))
    exactly = oracle.by_leaves(most)
    front = case.run()
    if front.max_leaves != most:
        yield Mismatch("a front of another length", f"{front.max_leaves}, asked for {most}")
    for k in range(1, most + 1):
        options = [(loss, j) for j, loss in enumerate(exactly[:k], 1) if loss is not None]
        best = Answer(*min(options))
        at_k = case.but(options=dict(case.options) | {"max_leaf_nodes": k})
        yield from check_result(Found(at_k, front.at_most(k)), best)
    points = [point.tree.n_leaves for point in front]
    if points != sorted(set(points)):
        yield Mismatch("the front is out of order", f"points of {points} leaves")
    for price in (Fraction(1, 64), Fraction(1, 8)):
        options = [(loss + price * j, j) for j, loss in enumerate(exactly, 1) if loss is not None]
        at_price = replace(
            case, method="optimal", options=dict(case.options) | {"cost_complexity": float(price)}
        )
        chosen: Any = front.select(float(price))
        yield from check_result(
            Found(at_price.but(options=at_price.options | {"max_leaf_nodes": most}), chosen),
            Answer(*min(options)),
        )
    if not any(point.rounding for point in front):  # which may decide a tie
        yield from _ties(front, [(loss, j) for j, loss in enumerate(exactly, 1) if loss is not None])


def _ties(front: Any, points: list[tuple[Fraction, int]]) -> Iterator[Mismatch]:
    """At the penalty at which the two ends of the front cost the same, the fewest leaves are selected."""
    (single, few), (least, many) = points[0], min(points)
    if many == few or front.proven_leaves < front.max_leaves:
        return
    price = float((single - least) / (many - few))
    cost = [loss + Fraction(price) * j for loss, j in points]
    fewest = next(j for (_, j), own in zip(points, cost, strict=True) if own <= min(cost) * (1 + TIED))
    chosen = front.select(price).tree.n_leaves
    if chosen > fewest:
        yield Mismatch("a tie goes to more leaves", f"penalty {price!r}: {chosen} leaves, {fewest} do")
