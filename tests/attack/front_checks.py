"""Probability trees and the front of regression trees: compared with every tree of a tiny table, in fractions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property

from attack.case import Case
from attack.checks import Found, Mismatch
from attack.exact import Stated
from attack.regression_checks import HONEST, FoundRegression, additive_answers, walks_alike

__all__ = ["FoundProbability", "probability_answers", "regression_front_answers"]


class StatedProbability(Stated):
    """A case whose leaves cost their weighted Gini impurity, as a share of that of one leaf."""

    def impurity(self, rows: Sequence[int]) -> Fraction:
        """Weight of each class by the share of the others, of these rows (positions in `kept`)."""
        of_class = [Fraction(0)] * len(self.classes)
        for i in rows:
            of_class[self.labels[i]] += self.weights[i]
        total = sum(of_class, Fraction(0))
        return sum((w * (total - w) / total for w in of_class), Fraction(0)) if total else total

    @cached_property
    def one_leaf(self) -> Fraction:
        return self.impurity(range(len(self.kept)))

    def cheapest_label(self, rows: Sequence[int]) -> Fraction:
        return self.impurity(rows) / self.one_leaf if self.one_leaf else Fraction(0)


class FoundProbability(Found):
    """One probability tree of the library with its claims."""

    @cached_property
    def stated(self) -> StatedProbability:  # type: ignore[override]
        return StatedProbability(self.case)

    @cached_property
    def loss(self) -> Fraction:  # type: ignore[override]
        return sum((self.stated.cheapest_label(rows) for rows in self.groups.values()), Fraction(0))


def probability_answers(case: Case) -> Iterator[Mismatch]:
    """Compare the tree with the best of all trees, and its probabilities with the shares of its leaves."""
    model = case.run()
    found = FoundProbability(case, model.result_)
    yield from additive_answers(found, HONEST)
    yield from walks_alike(found, model, found.walker.label)
    stated = found.stated
    said = model.predict_proba(case.frame([case.rows[i] for i in stated.kept])).tolist()
    for rows in found.groups.values():
        weight = sum(stated.weights[i] for i in rows)
        for k in range(len(stated.classes)):
            share = sum((stated.weights[i] for i in rows if stated.labels[i] == k), Fraction(0)) / weight
            if abs(said[rows[0]][k] - float(share)) > HONEST:
                yield Mismatch(
                    "a probability is not the share of its leaf", f"{said[rows[0]]}, {float(share)!r}"
                )
                return


def regression_front_answers(case: Case) -> Iterator[Mismatch]:
    """Compare every point of the front with the best tree of so many leaves."""
    most = case.options["max_leaves"]
    front = case.run()
    if front.max_leaves != most:
        yield Mismatch("a front of another length", f"{front.max_leaves}, asked for {most}")
    options = {k: v for k, v in case.options.items() if k != "max_leaves"} | {"cost_complexity": 0.0}
    for k in range(1, most + 1):
        at_k = case.but(method="regression", options=options | {"max_leaf_nodes": k})
        yield from additive_answers(FoundRegression(at_k, front.at_most(k)), HONEST)
    points = [point.tree.n_leaves for point in front]
    if points != sorted(set(points)):
        yield Mismatch("the front is out of order", f"points of {points} leaves")
