"""Which sets the grid of near-optimal sets asks for, in which order, and which program is not asked.

A peer that did not end on a set is not run on one that is no smaller and that no setting makes easier: same table,
same definitions, no larger leaf penalty, no smaller epsilon or depth. That a set is no smaller is never taken for
granted, for the bound falls with the optimum, and so a larger depth or a smaller penalty may lose trees (Monk 1, a leaf
of one row, epsilon .1, any label: 354 trees of depth 3, 124 of depth 4):

- at one penalty and one depth, the set within the larger bound contains the other one;
- otherwise our counts of both sets have to say so.

We are run on every set.

Such an answer has no figures, "not_run" and, as "follows", the settings of the run that did not end. It is a fact about
that run, no measurement of this one: a program may be quicker on the larger of two sets.

The order puts every set behind those of which no setting is harder. Any order of that kind runs the same programs: one
is run unless it did not end on such a set before. None runs fewer, since every run that ends is wanted, and of those
that do not, only the least ones are made. Of these orders it is the one by rows x columns^depth, in which most rows are
there soon.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["NOT_RUN", "OURS", "Asked", "Ends", "ended", "wanted"]

NOT_RUN = "a smaller set did not end"
OURS = "treewright"

Row = dict[str, Any]


@dataclass(frozen=True)
class Asked:
    """What a row is asked for."""

    depth: int
    table: str
    price: float
    epsilon: float
    rule: str

    @classmethod
    def of(cls, row: Row) -> Asked:
        """What a stored row was asked for."""
        return cls(*(row[name] for name in cls.__annotations__))

    def no_harder_than(self, other: Asked) -> bool:
        """Whether no setting makes this set harder than the other one of the same table and rule."""
        same = (self.table, self.rule) == (other.table, other.rule)
        return (
            same and self.price >= other.price and self.epsilon <= other.epsilon and self.depth <= other.depth
        )


def wanted(
    tables: Mapping[str, tuple[int, int]],
    prices: Iterable[float],
    epsilons: Iterable[float],
    depths: Iterable[int],
    rules: Sequence[str],
) -> list[Asked]:
    """All sets of tables of so many rows and columns, those first of which no setting is harder."""
    prices, epsilons = sorted(prices, reverse=True), sorted(epsilons)
    work = {
        (rows * columns**depth, name, depth) for name, (rows, columns) in tables.items() for depth in depths
    }
    return [
        Asked(depth, name, price, epsilon, rule)
        for _, name, depth in sorted(work)
        for price in prices
        for epsilon in epsilons
        for rule in rules
    ]


def ended(answer: Row) -> bool:
    """Whether the program counted the trees."""
    return "trees" in answer and "error" not in answer


class Ends:
    """Which programs did not end where, and our counts, from the rows that are there."""

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self.failed: list[tuple[str, Asked]] = []
        self.trees: dict[Asked, int] = {}
        for row in rows:
            for answer in row["answers"]:
                self.hold(Asked.of(row), answer)

    def hold(self, want: Asked, answer: Row) -> None:
        """Remember what a program said."""
        if ended(answer):
            if answer["package"] == OURS:
                self.trees[want] = int(answer["trees"])
        elif "not_run" not in answer:
            self.failed.append((answer["package"], want))

    def no_larger(self, first: Asked, second: Asked) -> bool:
        """Whether the first set is known to have no more trees than the second; both of one table and rule."""
        if (first.price, first.depth) == (second.price, second.depth):
            return first.epsilon <= second.epsilon
        held = self.trees.get(first), self.trees.get(second)
        return held[0] is not None and held[1] is not None and held[0] <= held[1]

    def reason(self, package: str, want: Asked) -> Row | None:
        """Why a program is not run: the settings of a smaller set on which it did not end; None if it is to be run."""
        if package == OURS:
            return None
        for name, before in self.failed:
            if name == package and before.no_harder_than(want) and self.no_larger(before, want):
                place = asdict(before)
                return {"not_run": NOT_RUN, "follows": {n: place[n] for n in ("price", "epsilon", "depth")}}
        return None
