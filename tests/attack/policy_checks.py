"""What must hold for a policy tree: compared with every tree of a tiny table, in whole numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

from attack.case import Case
from attack.checks import Found, Mismatch, limited
from attack.exact import Stated
from attack.regression_checks import HONEST, additive_answers, walks_alike

__all__ = ["FoundPolicy", "policy_answers"]


class StatedPolicy(Stated):
    """A case whose leaves cost the regret of their best action, as a share of the regret of one leaf."""

    @cached_property
    def actions(self) -> list[Any]:
        return self.case.options.get("actions") or list(range(len(self.case.y[0])))

    @property
    def least_regret(self) -> Fraction:
        return self.one_leaf / Fraction(self.unit)

    @cached_property
    def net_regret(self) -> list[list[Fraction]]:
        """Weighted regret of each kept row and action."""
        prices = self.case.options.get("action_costs") or [0] * len(self.actions)
        exact: list[list[Fraction]] = []
        for i, w in zip(self.kept, self.weights, strict=True):
            net = [Fraction(r) - Fraction(c) for r, c in zip(self.case.y[i], prices, strict=True)]
            exact.append([w * (max(net) - value) for value in net])
        return exact

    @cached_property
    def unit(self) -> int:
        return math.lcm(*(v.denominator for row in self.net_regret for v in row))

    @cached_property
    def regret(self) -> list[list[int]]:
        """The same in a common unit."""
        return [[int(v * self.unit) for v in row] for row in self.net_regret]

    def of_actions(self, rows: Sequence[int]) -> list[int]:
        """Regret of each action on these rows."""
        return [sum(self.regret[i][a] for i in rows) for a in range(len(self.actions))]

    @cached_property
    def one_leaf(self) -> int:
        return min(self.of_actions(range(len(self.kept))))

    def cheapest_label(self, rows: Sequence[int]) -> Fraction:
        return Fraction(min(self.of_actions(rows)), self.one_leaf) if self.one_leaf else Fraction(0)


class FoundPolicy(Found):
    """One policy tree of the library with its claims."""

    @cached_property
    def stated(self) -> StatedPolicy:  # type: ignore[override]
        return StatedPolicy(self.case)

    @cached_property
    def loss(self) -> Fraction:  # type: ignore[override]
        stated = self.stated
        if not stated.one_leaf:
            return Fraction(0)
        chosen = {leaf: stated.actions.index(self.walker.label(leaf)) for leaf in self.groups}
        paid = sum(stated.of_actions(rows)[chosen[leaf]] for leaf, rows in self.groups.items())
        return Fraction(paid, stated.one_leaf)


def policy_answers(case: Case) -> Iterator[Mismatch]:
    """Compare the tree with the best of all trees; its objective is that of the actions which its leaves name."""
    model = case.run()
    found = FoundPolicy(case, model.result_)
    if not found.proven and not limited(case):
        yield Mismatch("not proven though there is no limit", found.result.sentence())
    yield from additive_answers(found, HONEST)
    yield from walks_alike(found, model, lambda leaf, _: found.walker.label(leaf))
