"""What must hold for a probability tree: compared with every tree of a tiny table.

The Brier score is a fraction. The log loss adds up terms ``n log n`` of 50 digits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache, cached_property

from attack.case import Case
from attack.checks import Found, Mismatch
from attack.exact import Stated
from attack.regression_checks import HONEST, additive_answers, walks_alike

__all__ = ["FoundProbability", "probability_answers"]

DIGITS = 50
NOTHING = Fraction(1, 10**40)  # of all weight: a loss of 0


class StatedProbability(Stated):
    """A case whose leaves cost the Brier score or log loss of their shares, as a share of that of one leaf."""

    def weights_of(self, rows: Sequence[int]) -> list[Fraction]:
        """Weight of each class among these rows."""
        of = [Fraction(0) for _ in self.classes]
        for i in rows:
            of[self.labels[i]] += self.weights[i]
        return of

    def lost(self, rows: Sequence[int]) -> Fraction:
        """Loss of a leaf with these rows."""
        of = self.weights_of(rows)
        total = sum(of, Fraction(0))
        if not total:
            return total
        if self.case.options.get("criterion", "brier") == "brier":
            return total - sum(w * w for w in of) / total
        found = _term(total) - sum(map(_term, of), Fraction(0))
        return found if found > NOTHING * total else Fraction(0)

    @cached_property
    def one_leaf(self) -> Fraction:
        return self.lost(range(len(self.kept)))

    def cheapest_label(self, rows: Sequence[int]) -> Fraction:
        return self.lost(rows) / self.one_leaf if self.one_leaf else Fraction(0)


class FoundProbability(Found):
    """One probability tree of the library with its claims."""

    @cached_property
    def stated(self) -> StatedProbability:  # type: ignore[override]
        return StatedProbability(self.case)

    @cached_property
    def loss(self) -> Fraction:  # type: ignore[override]
        return sum((self.stated.cheapest_label(rows) for rows in self.groups.values()), Fraction(0))


def probability_answers(case: Case) -> Iterator[Mismatch]:
    """Compare the tree with the best of all trees, and its values with the weights of its leaves."""
    model = case.run()
    found = FoundProbability(case, model.result_)
    stated, nodes = found.stated, found.walker.content["nodes"]
    said_of = model.predict_proba(case.frame([case.rows[i] for i in stated.kept])).tolist()
    for leaf, rows in found.groups.items():
        of = [float(w) for w in stated.weights_of(rows)]
        said = nodes[leaf]["value"]
        if any(abs(a - b) > 1e-9 * sum(of) for a, b in zip(said, of, strict=True)):
            yield Mismatch("a leaf does not hold the weights of its rows", f"{said!r}, not {of!r}")
        shares = [w / sum(of) for w in of]
        if any(abs(a - b) > 1e-9 for a, b in zip(said_of[rows[0]], shares, strict=True)):
            yield Mismatch(
                "a probability is not the share of its leaf", f"{said_of[rows[0]]}, not {shares!r}"
            )
    yield from walks_alike(found, model, lambda leaf, _: stated.classes[nodes[leaf]["prediction"]])
    if not stated.one_leaf:
        if len(found.groups) != 1 or found.result.loss != 0:
            yield Mismatch("more than one leaf where nothing is lost", found.result.sentence())
        return
    yield from additive_answers(found, HONEST)


@cache
def _term(weight: Fraction) -> Fraction:
    """``n log n``."""
    if not weight:
        return weight
    with localcontext() as context:
        context.prec = DIGITS
        n = Decimal(weight.numerator) / Decimal(weight.denominator)
        return Fraction(n * n.ln())
