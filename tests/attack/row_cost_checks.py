"""What must hold for a tree of given costs of every row and label: compared with every tree, in fractions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from attack.case import Case
from attack.checks import Found, Mismatch
from attack.exact import Stated
from attack.regression_checks import HONEST, additive_answers, walks_alike

__all__ = ["row_cost_answers"]


class StatedRowCosts(Stated):
    """A case whose `y` holds a label and a cost of each class for every row."""

    @cached_property
    def classes(self) -> list[Any]:
        return sorted({label for label, _ in self.case.y})

    @cached_property
    def row_costs(self) -> list[list[Fraction]]:
        return [
            [w * Fraction(c) / self.total for c in self.case.y[i][1]]
            for i, w in zip(self.kept, self.weights, strict=True)
        ]


class FoundRowCosts(Found):
    """One tree with its claims; its loss is the mean cost of the labels that its leaves name."""

    @cached_property
    def stated(self) -> StatedRowCosts:  # type: ignore[override]
        return StatedRowCosts(self.case)


def row_cost_answers(case: Case) -> Iterator[Mismatch]:
    """Compare the tree with the best of all trees; honest figures are shares of the largest costs of all rows."""
    model = case.run()
    found = FoundRowCosts(case, model.result_)
    size = sum(map(max, found.stated.row_costs), found.stated.leaf_penalty + Fraction(1, 10**30))
    yield from additive_answers(found, HONEST * size, size)
    yield from walks_alike(found, model, lambda leaf, _: found.walker.label(leaf))
    # Costs in another unit, the penalty with them: the same objective in that unit. Powers of two round nothing.
    scaled = [(label, tuple(c * 4 for c in costs)) for label, costs in case.y]
    price = float(case.options.get("cost_complexity", 0.01)) * 4
    if found.proven:
        other: Sequence[Any] = scaled
        again = replace(case, y=other, options=dict(case.options) | {"cost_complexity": price}).run().result_
        if again.status.name == "OPTIMAL" and abs(again.objective / 4 - found.result.objective) > float(
            HONEST * size
        ):
            yield Mismatch("another optimum in another unit", f"{found.result.sentence()} {again.sentence()}")
