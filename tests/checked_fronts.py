"""Fronts of tiny problems against the oracle's least loss for every number of leaves."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from tiny_problems import TOLERANCE, TinyProblem, check
from treewright import Frontier

__all__ = ["check_front", "optima_of"]


def optima_of(problem: TinyProblem, max_leaves: int) -> list[Fraction]:
    """The oracle's loss for at most 1, 2, ... leaves."""
    return [
        problem.but(cost_complexity=0.0, max_leaf_nodes=leaves).optimum()
        for leaves in range(1, max_leaves + 1)
    ]


def check_front(problem: TinyProblem, frontier: Frontier, optima: list[Fraction]) -> None:
    """Each limit's result against the oracle for that many leaves."""
    assert frontier.max_leaves == len(optima)
    for leaves, (result, optimum) in enumerate(zip(frontier.limits, optima, strict=True), 1):
        check(problem.but(cost_complexity=0.0, max_leaf_nodes=leaves), result, optimum)
        assert result.options["max_leaf_nodes"] == leaves
    for few, many in pairwise(frontier.limits):
        assert many.loss <= few.loss + TOLERANCE
    for few, many in pairwise(frontier):
        assert few.tree.n_leaves < many.tree.n_leaves
        assert many.loss < few.loss
