"""What must hold for a survival tree: compared with every tree of a tiny table.

Hazards are fractions. Logarithms have 50 digits, each correctly rounded, so that a deviance of at most 20 events is off
by less than 1e-45 of one event.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property

from attack.case import Case
from attack.checks import Found, Mismatch
from attack.exact import Stated
from attack.logarithm import logarithm
from attack.regression_checks import HONEST, additive_answers, walks_alike

__all__ = ["FoundSurvival", "survival_answers"]

EPSILON = Fraction(1, 10**14)  # of one event: hazards are float64 numbers in the library
NOTHING = Fraction(1, 10**40)  # of one event: a deviance of 0
LEVELS = 2**20
TOO_SMALL = Fraction(1, 10**6)


class StatedSurvival(Stated):
    """A case whose leaves cost half the deviance of one hazard ratio, as a share of that of one leaf."""

    @cached_property
    def all_weights(self) -> list[Fraction]:
        """Weights as stated if they are multiples of a power of two, else in 2**20 levels of the largest."""
        given = [1.0] * self.case.n_rows if self.case.weight is None else [float(w) for w in self.case.weight]
        exact = [Fraction(w) for w in given]
        unit = min(Fraction(1, w.denominator) for w in exact)
        common = max(w // unit for w in exact)
        if common.bit_length() <= 40 and sum(exact) / unit <= 2**40:
            return exact
        return [Fraction(round(w / max(given) * LEVELS)) for w in given]

    @cached_property
    def events(self) -> list[bool]:
        return [bool(self.case.y[i][0]) for i in self.kept]

    @cached_property
    def hazard(self) -> list[Fraction]:
        """Cumulative hazard of all kept rows at the time of each (Nelson and Aalen)."""
        times = [self.case.y[i][1] for i in self.kept]
        found: dict[float, Fraction] = {}
        total = Fraction(0)
        for moment in sorted(set(times)):
            here = zip(times, self.weights, self.events, strict=True)
            dying = sum((w for t, w, event in here if t == moment and event), Fraction(0))
            at_risk = sum((w for t, w in zip(times, self.weights, strict=True) if t >= moment), Fraction(0))
            total += dying / at_risk
            found[moment] = total
        return [found[t] for t in times]

    def ratio(self, rows: Sequence[int]) -> Fraction:
        """Hazard ratio of a leaf."""
        seen = sum((self.weights[i] for i in rows if self.events[i]), Fraction(0))
        return seen / sum((self.weights[i] * self.hazard[i] for i in rows), Fraction(0)) if seen else seen

    @cached_property
    def log_hazard(self) -> list[Fraction]:
        return [
            logarithm(h) if seen else Fraction(0) for h, seen in zip(self.hazard, self.events, strict=True)
        ]

    def deviance(self, rows: Sequence[int]) -> Fraction:
        """Half the deviance of one leaf."""
        seen = [i for i in rows if self.events[i]]
        if not seen:
            return Fraction(0)
        of_ratio = logarithm(self.ratio(rows))
        return -sum((self.weights[i] * (of_ratio + self.log_hazard[i]) for i in seen), Fraction(0))

    @cached_property
    def seen(self) -> Fraction:
        return sum((w for w, event in zip(self.weights, self.events, strict=True) if event), Fraction(0))

    @cached_property
    def hazard_error(self) -> Fraction:
        """By how much of itself the smallest hazard may be rounded: 60 bits for the sum of weights times hazards."""
        unit = min(Fraction(1, w.denominator) for w in self.weights)
        whole = [int(w / unit) for w in self.weights]
        even = math.gcd(*whole)
        whole = [w // (even & -even) for w in whole]
        total = sum(w * h for w, h in zip(whole, self.hazard, strict=True))
        smallest = min((h for h in self.hazard if h), default=Fraction(0))
        return Fraction(2) ** (math.frexp(float(total))[1] - 60) / smallest if smallest else Fraction(0)

    @cached_property
    def one_leaf(self) -> Fraction:
        whole = self.deviance(range(len(self.kept)))
        return whole if whole > NOTHING * self.seen else Fraction(0)

    def cheapest_label(self, rows: Sequence[int]) -> Fraction:
        return self.deviance(rows) / self.one_leaf if self.one_leaf else Fraction(0)


class FoundSurvival(Found):
    """One survival tree of the library with its claims."""

    @cached_property
    def stated(self) -> StatedSurvival:  # type: ignore[override]
        return StatedSurvival(self.case)

    @cached_property
    def loss(self) -> Fraction:  # type: ignore[override]
        return sum((self.stated.cheapest_label(rows) for rows in self.groups.values()), Fraction(0))


def survival_answers(case: Case) -> Iterator[Mismatch]:
    """Compare the tree with the best of all trees, and its values with the hazard ratios of its leaves."""
    model = case.run()
    found = FoundSurvival(case, model.result_)
    stated, nodes = found.stated, found.walker.content["nodes"]
    for leaf, rows in found.groups.items():
        ratio = float(stated.ratio(rows))
        if abs(nodes[leaf]["value"][0] - ratio) > (1e-9 + 2 * float(stated.hazard_error)) * max(1.0, ratio):
            yield Mismatch(
                "a leaf is not the ratio of its rows", f"{nodes[leaf]['value'][0]!r}, not {ratio!r}"
            )
    yield from walks_alike(found, model, found.walker.number)
    if not stated.one_leaf:
        if len(found.groups) != 1 or found.result.loss != 0:
            yield Mismatch("more than one leaf where nothing is lost", found.result.sentence())
        return
    rounding = (EPSILON + 4 * stated.hazard_error) * stated.seen / stated.one_leaf
    if rounding < TOO_SMALL:
        yield from additive_answers(found, HONEST + rounding)
