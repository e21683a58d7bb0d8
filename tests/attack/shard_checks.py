"""What must hold for a tree from shards: its bound for all rows, and its objective over all rows."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from attack.case import Case
from attack.checks import Found, Mismatch, keeps_constraints, limited
from attack.oracle import Oracle

__all__ = ["shard_answers"]

ROUNDED = Fraction(1, 10**9)


def shard_answers(case: Case) -> Iterator[Mismatch]:
    """Compare bound and tree with the oracle's optimum over all rows."""
    best = Oracle(case, None).optimum()
    assert best is not None  # one leaf: `generate` sees to it
    model = case.run()
    found = Found(case, model.result_)
    result = found.result
    words = f"{result.sentence()} The oracle: {float(best.objective)!r} with {best.leaves} leaves."
    yield from keeps_constraints(found)
    if Fraction(result.lower_bound) > best.objective * (1 + found.tolerance):
        yield Mismatch("the lower bound is above the optimum", f"{result.lower_bound!r}; {words}")
    if abs(Fraction(result.objective) - found.objective) > ROUNDED:
        yield Mismatch("the objective is not the tree's", f"{words} The tree has {float(found.objective)!r}")
    if found.proven and found.objective > best.objective * (1 + ROUNDED):
        yield Mismatch("false optimal", words)
    if not found.proven and result.gap <= 0:
        yield Mismatch("no gap and no proof", words)
    if result.stop_reason is not None and not limited(case):
        yield Mismatch("stopped though there is no limit", words)
    said, walked = model.predict(case.frame()).tolist(), found.walker.predict(case.rows)
    if said != walked:
        yield Mismatch("predict differs from the file", f"{said} {walked}")
