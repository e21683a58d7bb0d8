"""What must hold for a tree of largest F1: compared with every tree of a tiny table, in fractions; what verify says.

The oracle lists, for every set of rows, depth and number of leaves, the pairs of true and false positives that no other
tree beats in both. It knows nothing of ratios, costs or rounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache, cached_property
from typing import Any

from attack.case import Case
from attack.checks import Found, Mismatch, check_result, limited, offered, predicts_alike
from attack.exact import Stated
from attack.oracle import Answer
from attack.splits import left_sets

__all__ = ["FoundF1", "Parts", "f1_answers", "parts_of_trees"]

Parts = tuple[Fraction, Fraction]  # weights of true and of false positives


class FoundF1(Found):
    """One tree of largest F1 with its claims."""

    @cached_property
    def positive(self) -> Fraction:
        return sum(
            (w for w, k in zip(self.stated.weights, self.stated.labels, strict=True) if k == 1), Fraction(0)
        )

    @cached_property
    def parts(self) -> Parts:
        right, false = Fraction(0), Fraction(0)
        for leaf, rows in self.groups.items():
            if self.stated.classes.index(self.walker.label(leaf)) == 1:
                a, b = parts_of(self.stated, rows)
                right, false = right + a, false + b
        return right, false

    @cached_property
    def loss(self) -> Fraction:  # type: ignore[override]
        return self.lost(self.parts, 0)

    @cached_property
    def objective(self) -> Fraction:  # type: ignore[override]
        return self.lost(self.parts, len(self.groups))

    def lost(self, parts: Parts, leaves: int) -> Fraction:
        """1 - F1 where each leaf counts as weight predicted wrong."""
        right, false = parts
        if right == 0:
            return Fraction(1)
        wrong = self.positive - right + false + self.stated.leaf_penalty * self.stated.total * leaves
        return wrong / (2 * right + wrong)


def parts_of(stated: Stated, rows: Sequence[int]) -> Parts:
    """Weights of the positive and of the negative rows among these."""
    of = [Fraction(0), Fraction(0)]
    for i in rows:
        of[stated.labels[i]] += stated.weights[i]
    return of[1], of[0]


def f1_answers(case: Case) -> Iterator[Mismatch]:
    """Compare the tree with the best of all trees, and verify what is claimed of it, and what is not true."""
    model = case.run()
    found = FoundF1(case, model.result_)
    best = largest(found)
    yield from check_result(found, best)
    yield from predicts_alike(case, model, found)
    result = model.result_
    if abs(Fraction(result.loss) - found.loss) > Fraction(1, 10**9):
        yield Mismatch("the loss is not the tree's", f"{result.loss!r}, the tree has {float(found.loss)!r}")
    yield from verified_f1(case, result)
    if not found.proven and limited(case):
        given = case.options.get("max_depth")
        simple = case.but(options=dict(case.options) | {"max_depth": 1 if given is None else min(1, given)})
        least = largest(FoundF1(simple, result)).objective
        if found.objective > least * (1 + found.tolerance):
            yield Mismatch("worse than one split", f"{result.sentence()} One split: {float(least)!r}")


def largest(found: FoundF1) -> Answer:
    """The smallest objective of all trees within the limits of the case, and the fewest leaves that reach it."""
    answers = [
        (found.lost(parts, leaves), leaves) for leaves, front in fronts_of_trees(found) for parts in front
    ]
    return Answer(*min(answers))


def parts_of_trees(found: FoundF1) -> tuple[Parts, ...]:
    """What trees within the limits of the case get right and wrong, where no other tree is better in both."""
    return undominated([parts for _, front in fronts_of_trees(found) for parts in front])


def fronts_of_trees(found: FoundF1) -> Iterator[tuple[int, tuple[Parts, ...]]]:
    """The same of the trees of exactly 1, 2, ... leaves."""
    stated, case = found.stated, found.case
    n = len(stated.kept)
    given = offered(case)
    splits = left_sets(case, stated.kept) if given is None else given
    most = min(case.options.get("max_leaf_nodes") or n, n)

    @cache
    def front(rows: int, depth: int, leaves: int) -> tuple[Parts, ...]:
        """Of trees of exactly so many leaves."""
        if leaves == 1:
            both = parts_of(stated, [i for i in range(n) if rows >> i & 1])
            return undominated([both, (Fraction(0), Fraction(0))])
        if depth == 0:
            return ()
        listed: list[Parts] = []
        for left in splits:
            a, b = rows & left, rows & ~left
            if min(a.bit_count(), b.bit_count()) < max(1, stated.min_samples_leaf):
                continue
            for on_left in range(1, leaves):
                for p in front(a, depth - 1, on_left):
                    for q in front(b, depth - 1, leaves - on_left):
                        listed.append((p[0] + q[0], p[1] + q[1]))
        return undominated(listed)

    for leaves in range(1, most + 1):
        yield leaves, front((1 << n) - 1, min(stated.max_depth, n), leaves)


def undominated(parts: Sequence[Parts]) -> tuple[Parts, ...]:
    """Those that no other one equals or beats in both weights."""
    kept: list[Parts] = []
    for right, false in sorted(set(parts), key=lambda one: (-one[0], one[1])):
        if not kept or false < kept[-1][1]:
            kept.append((right, false))
    return tuple(kept)


def verified_f1(case: Case, result: Any) -> Iterator[Mismatch]:
    """A true certificate passes `verify_f1`; one that claims more does not."""
    from treewright.problem import make_f1_problem
    from treewright.table import table_from
    from treewright.verify import verify_f1

    names = ("cost_complexity", "max_depth", "max_leaf_nodes", "min_samples_leaf", "class_weight")
    asked = {name: case.options[name] for name in names if name in case.options}
    table = table_from(case.frame(), categorical_features=case.options.get("categorical_features"))
    problem = make_f1_problem(table, list(case.y), sample_weight=case.weight, **asked)
    report = verify_f1(problem, result)
    if not report.ok:
        yield Mismatch("verify refuses a true certificate", str(report))
        return
    false: dict[str, Any] = {"max_depth": replace(result, options={**result.options, "max_depth": 17})}
    if result.objective > 1e-6:
        false["objective"] = replace(result, objective=result.objective * 0.99, lower_bound=0.0)
        false["lower_bound"] = replace(result, lower_bound=min(1.0, result.objective * 1.01) + 1e-3)
    if result.loss > 1e-6:
        false["loss"] = replace(result, loss=result.loss * 0.99)
    for name, claim in false.items():
        if verify_f1(problem, claim).ok:
            yield Mismatch(f"verify does not notice: {name}", claim.sentence())
