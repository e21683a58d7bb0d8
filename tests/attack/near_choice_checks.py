"""What must hold for the tree that a rule chooses among near-optimal ones: compared with a list of all trees."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from attack.case import Case
from attack.checks import Found as FoundTree
from attack.checks import Mismatch, keeps_constraints, predicts_alike
from attack.near_oracle import StatedSet, TooManyTrees, Trees
from attack.splits import left_sets

__all__ = ["near_choice_answers"]

Ranked = tuple[Any, ...]  # what a rule looks at first, then the cost


def near_choice_answers(case: Case) -> Iterator[Mismatch]:
    """Of all trees up to the bound, the chosen one is the cheapest of those that the rule prefers."""
    from treewright.errors import SolverError

    stated = StatedSet(case)
    trees = Trees(stated, sorted(left_sets(case, stated.kept)))
    try:
        every = trees.all()
    except TooManyTrees:
        return
    best = trees.optimum()
    asked = Fraction(best) * (1 + Fraction(repr(case.options.get("epsilon", 0.05))))
    inside = [(tree, leaves, cost) for tree, leaves, cost in every if cost <= asked]
    rule = case.options["choose"]
    try:
        model = case.run()
    except SolverError as error:
        if rule != "small gap" or any(_gap(case, trees, tree) <= _most_gap(case) for tree, *_ in inside):
            yield Mismatch("no tree though there is one", f"{error} The oracle has {len(inside)} trees.")
        return
    if model.near_optimal_.rounding_:  # real weights: trees and labels may come in either order
        return
    found = FoundChoice(case, model.result_)
    yield from keeps_constraints(found)
    yield from predicts_alike(case, model, found)
    own = int(found.loss * stated.unit + trees.price * len(found.groups))
    words = f"{rule}: {found.result.sentence()} The oracle has {len(inside)} trees; the best costs {best}, this {own}."
    if abs(found.result.objective - own / stated.unit) > 1e-9:
        yield Mismatch("the objective is not the tree's", words)
    if rule == "best":
        wanted: Ranked = (best,)
        here: Ranked = (own,)
    elif rule == "fewest leaves":
        wanted = min((leaves, cost) for _, leaves, cost in inside)
        here = (len(found.groups), own)
    elif rule == "fewest columns":
        # A split of the same rows may be one of several columns, so sets of columns are listed by `_columns`.
        columns = _columns(case, stated)
        wanted = min((_fewest(tree, trees.lefts, columns), cost) for tree, _, cost in inside)
        splits = [node["split"] for node in found.walker.content["nodes"]]
        here = (len({split["column"] for split in splits if split}), own)
    else:
        passing = [cost for tree, _, cost in inside if _gap(case, trees, tree) <= _most_gap(case)]
        if not passing:
            yield Mismatch("a tree though none passes", words)
            return
        wanted, here = (min(passing),), (own,)
    if here != wanted:
        yield Mismatch("not the tree that the rule prefers", f"{words} It has {here}, the oracle {wanted}.")


class FoundChoice(FoundTree):
    """The chosen tree; its numbers are decimals, as those of the set."""

    @property
    def stated(self) -> StatedSet:  # type: ignore[override]
        return StatedSet(self.case)


def _most_gap(case: Case) -> Fraction:
    return Fraction(repr(case.options.get("max_gap", 0.05)))


def _gap(case: Case, trees: Trees, tree: Any) -> Fraction:
    """Difference of the weighted shares of the two groups that get the last label."""
    stated = trees.stated
    column = case.columns[case.options["group"]]
    values = [column[i] for i in stated.kept]
    first = values[0]
    shares = []
    for side in (True, False):
        rows = [i for i, v in enumerate(values) if (v == first) is side]
        total = sum((stated.weights[i] for i in rows), Fraction(0))
        last = len(stated.classes) - 1
        said = sum((stated.weights[i] for i in rows if trees.label(tree, i) == last), Fraction(0))
        shares.append(said / total)
    return abs(shares[0] - shares[1])


def _columns(case: Case, stated: StatedSet) -> dict[int, set[int]]:
    """Which columns offer each set of rows; a set and its complement are one split."""
    everything = (1 << len(stated.kept)) - 1
    offers: dict[int, set[int]] = {}
    for j, name in enumerate(case.columns):
        alone = case.but(columns={name: case.columns[name]})
        for left in left_sets(alone, stated.kept):
            for side in (left, everything ^ left):
                offers.setdefault(side, set()).add(j)
    return offers


def _fewest(tree: Any, lefts: list[int], columns: dict[int, set[int]]) -> int:
    """The fewest columns that give a tree: a smallest set that meets the offers of all its splits."""
    asked: list[set[int]] = []

    def walk(node: Any) -> None:
        if isinstance(node, tuple):
            asked.append(columns[lefts[node[0]]])
            walk(node[1])
            walk(node[2])

    walk(tree)
    n_columns = max((max(each) for each in columns.values()), default=-1) + 1
    fits = (
        mask.bit_count()
        for mask in range(1 << n_columns)
        if all(any(mask >> j & 1 for j in each) for each in asked)
    )
    return min(fits)
