"""The front of regression trees: every point compared with every tree of a tiny table, in fractions."""

from __future__ import annotations

from collections.abc import Iterator

from attack.case import Case
from attack.checks import Mismatch
from attack.regression_checks import HONEST, FoundRegression, additive_answers

__all__ = ["regression_front_answers"]


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
