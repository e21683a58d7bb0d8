"""The numbers of a case as fractions: weights, costs, the price of a leaf; from the documentation alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from attack.case import Case

__all__ = ["Stated"]

DECIMALS = 6  # places of a weight that is read as a decimal


@dataclass(frozen=True)
class Stated:
    """A case, with every weight and cost exact."""

    case: Case

    @cached_property
    def classes(self) -> list[int | str | bool]:
        return sorted(set(self.case.y))

    @cached_property
    def all_weights(self) -> list[Fraction]:
        """Weight of every row times that of its class. Products are those of float64, as in any program."""
        case = self.case
        plain = [1.0] * case.n_rows if case.weight is None else [float(w) for w in case.weight]
        class_weight = case.options.get("class_weight")
        if isinstance(class_weight, dict):
            plain = [w * float(class_weight.get(label, 1.0)) for w, label in zip(plain, case.y, strict=True)]
        weights = [Fraction(w) for w in plain]
        if class_weight == "balanced" or case.options.get("objective") == "balanced_accuracy":
            totals = dict.fromkeys(self.classes, Fraction(0))
            for w, label in zip(weights, case.y, strict=True):
                totals[label] += w
            if all(w.denominator == 1 for w in weights):
                weights = [w and w / totals[label] for w, label in zip(weights, case.y, strict=True)]
            else:  # quotients of real numbers: as good as float64 has them (`is_rounded`)
                weights = [
                    w and Fraction(float(w / totals[label])) for w, label in zip(weights, case.y, strict=True)
                ]
        return weights

    @cached_property
    def is_rounded(self) -> bool:
        """Whether the statement of the problem itself needs rounding: real numbers, balanced."""
        balanced = (
            self.case.options.get("class_weight") == "balanced"
            or self.case.options.get("objective") == "balanced_accuracy"
        )
        return balanced and self.case.weight is not None and any(float(w) % 1 for w in self.case.weight)

    @cached_property
    def has_decimals(self) -> bool:
        """Whether all weights are decimals of a few places, and stand for these."""
        plain = [float(w) for w in self.weights]
        return any(
            all(round(w * 10**places) / 10**places == w for w in plain)
            and sum(round(w * 10**places) for w in plain) < 2**53
            for places in range(DECIMALS + 1)
        )

    @cached_property
    def has_real_weights(self) -> bool:
        """Whether some weight is neither a whole number nor a decimal: the last bits of a sum mean nothing then."""
        return not self.has_decimals and any(w.denominator != 1 for w in self.weights)

    @cached_property
    def may_be_multiples(self) -> bool:
        """Whether all weights may be read as multiples of one number, which makes them exact: 1.5 and .75, balanced."""
        least = min(w for w in self.weights)
        ratios = {w / least for w in self.weights}
        return all(abs(r.limit_denominator(10**6) / r - 1) <= Fraction(1, 2**50) for r in ratios)

    @cached_property
    def kept(self) -> list[int]:
        """Rows that count: weight zero is a row that is not there."""
        return [i for i, w in enumerate(self.all_weights) if w > 0]

    @cached_property
    def weights(self) -> list[Fraction]:
        return [self.all_weights[i] for i in self.kept]

    @cached_property
    def labels(self) -> list[int]:
        """Position of the label of each kept row."""
        return [self.classes.index(self.case.y[i]) for i in self.kept]

    @cached_property
    def total(self) -> Fraction:
        return sum(self.weights, Fraction(0))

    @cached_property
    def costs(self) -> list[list[Fraction]]:
        given = self.case.options.get("costs")
        n = len(self.classes)
        if given is None:
            return [[Fraction(int(i != j)) for j in range(n)] for i in range(n)]
        return [[Fraction(float(c)) for c in row] for row in given]

    @cached_property
    def row_costs(self) -> list[list[Fraction]]:
        """What predicting each class costs for each kept row, as a share of the total weight."""
        return [
            [w * c / self.total for c in self.costs[k]]
            for w, k in zip(self.weights, self.labels, strict=True)
        ]

    @cached_property
    def leaf_penalty(self) -> Fraction:
        if self.case.method in ("leaf", "frontier"):
            return Fraction(0)
        return Fraction(
            float(self.case.options.get("cost_complexity", 0.0 if self.case.method == "mip" else 0.01))
        )

    @cached_property
    def min_samples_leaf(self) -> int:
        given = self.case.options.get("min_samples_leaf", 0.05 if self.case.method == "leaf" else 1)
        if isinstance(given, float):  # a share of the rows, rounded up; 0.1 is read as the decimal
            return math.ceil(Fraction(repr(given)) * len(self.kept))
        return given

    @property
    def max_depth(self) -> int:
        defaults = {
            "leaf": 4,
            "mip": 2,
            "regression": 3,
            "policy": 3,
            "survival": 3,
            "probability": 3,
            "regression front": 3,
            "shards": 3,
            "near choice": 3,
            "roc": 3,
            "several outputs": 3,
        }
        given = self.case.options.get("max_depth", defaults.get(self.case.method))
        return len(self.kept) if given is None else given

    @cached_property
    def whole_weights(self) -> tuple[list[int], Fraction]:
        """Weights as whole numbers, and how much weight one unit is; 0.1 is read as the decimal."""
        weights = [Fraction(repr(float(w))) for w in self.weights] if self.has_decimals else self.weights
        unit = Fraction(1, math.lcm(*(w.denominator for w in weights)))
        whole = [int(w / unit) for w in weights]
        common = math.gcd(*whole)
        return [w // common for w in whole], unit * common

    def loss(self, leaves: Sequence[tuple[Sequence[int], int]]) -> Fraction:
        """Loss of a tree given as its leaves: positions in `kept`, and the predicted class."""
        return sum((self.row_costs[i][k] for rows, k in leaves for i in rows), Fraction(0))

    def cheapest_label(self, rows: Sequence[int]) -> Fraction:
        """Loss of these rows (positions in `kept`) as one leaf."""
        return min(sum((self.row_costs[i][k] for i in rows), Fraction(0)) for k in range(len(self.classes)))
