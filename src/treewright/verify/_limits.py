"""Check that a tree keeps the limits of the question."""

from __future__ import annotations

from collections.abc import Iterator

from treewright.problem import Problem
from treewright.verify._facts import Facts
from treewright.verify._report import Check

__all__ = ["limit_checks"]


def limit_checks(problem: Problem, facts: Facts) -> Iterator[Check]:
    """Yield the checks of a tree's depth, number of leaves and smallest leaf against the limits of the question."""
    smallest = int(facts.count[facts.leaves].min())
    depth, leaves, rows = problem.max_depth, problem.max_leaf_nodes, problem.min_samples_leaf
    yield _check("max_depth", depth, facts.depth, "The tree is deeper than allowed.")
    yield _check("max_leaf_nodes", leaves, len(facts.leaves), "The tree has more leaves than allowed.")
    few = smallest < rows
    message = "A leaf has fewer rows than allowed." if few else ""
    yield Check("min_samples_leaf", not few, f">= {rows}", str(smallest), message)


def _check(name: str, most: int | None, found: int, message: str) -> Check:
    ok = most is None or found <= most
    expected = "unlimited" if most is None else f"<= {most}"
    return Check(name, ok, expected, str(found), "" if ok else message)
