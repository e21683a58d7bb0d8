"""What a file of a near-optimal set says beside its trees: unit, bound, optimum, rules and splits."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from treewright.near_optimal import NearOptimalTrees
    from treewright.problem import Problem

__all__ = ["fault_of_claims"]

NEAR = 1e-9  # of sums of real numbers
NAME = r"(?:'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")"  # as Python writes text
RULE = re.compile(rf"(without|with no columns but|with the first split on) ({NAME}(?:(?: or |, ){NAME})*)")
USES = re.compile(rf"with a split on {NAME}(?: and {NAME})*")
LEAVES = re.compile(r"of at most (\d{1,9}) (?:leaf|leaves)")
LIKE = "beginning like the given tree"


def fault_of_claims(found: NearOptimalTrees, problem: Problem) -> str:
    """Return the first claim of a set that does not agree with its rows or its own graph, or an empty string."""
    return (
        _fault_of_unit(found, problem)
        or _fault_of_bounds(found, problem)
        or _fault_of_rules(found)
        or _fault_of_splits(found, problem)
    )


def _fault_of_unit(found: NearOptimalTrees, problem: Problem) -> str:
    """A single leaf costs in units what it costs by the rows."""
    graph = found.graph
    by_class = np.bincount(problem.y, problem.sample_weight, problem.n_classes)
    paid = by_class @ problem.costs / problem.total_weight
    told = [float((graph.base + int(errors)) * graph.unit) for errors in graph.leaf_errors[0]]
    slack = NEAR * (float(paid.max()) + problem.cost_complexity) + found.rounding_
    penalty = float(graph.leaf_penalty * graph.unit)
    if np.abs(paid - told).max() > slack or abs(penalty - problem.cost_complexity) > slack:
        return "the unit of its costs is not that of the rows"
    return ""


def _fault_of_bounds(found: NearOptimalTrees, problem: Problem) -> str:
    """The graph reaches as far as the set claims, or as any tree, and the least objective is that of the best tree."""
    from treewright.result import SolveStatus

    graph = found.graph
    if found.membership.budget >= 0 and len(graph.arrays["budget"]):
        reach = (
            Fraction(int(graph.arrays["budget"][0]) + 1, 2 ** int(graph.arrays["unit_shift"])) + graph.base
        )
        # Of a run that was stopped before its set began, the search for the best tree proved the bound.
        by_search = found.best.status is not SolveStatus.OPTIMAL and found.bound_ <= found.best.lower_bound
        is_beyond = float(reach * graph.unit) < _dearest(problem) * (1 - NEAR)
        if found.membership.budget > reach and is_beyond and not by_search:
            return f"it claims all trees up to {found.bound_:.9g}, and has them up to {float(reach * graph.unit):.9g}"
    least = float(found.least * graph.unit)
    best = found.best
    apart = abs(least - best.objective) > NEAR * abs(best.objective) + found.rounding_
    if best.status is SolveStatus.OPTIMAL and apart:
        return f"the least objective is said to be {least:.9g}, and the best tree has {best.objective:.9g}"
    if best.scope != graph.split_matrix.scope:
        return f"its splits are {graph.split_matrix.scope:.60}, those of the best tree {best.scope:.60}"
    return ""


def _dearest(problem: Problem) -> float:
    """Return an objective that no tree exceeds: the dearest label for every row, and as many leaves as there may be."""
    paid = problem.sample_weight @ problem.costs.max(axis=1)[problem.y] / problem.total_weight
    most = problem.table.n_rows if problem.max_leaf_nodes is None else problem.max_leaf_nodes
    by_depth = math.inf if problem.max_depth is None else 2.0 ** min(problem.max_depth, 100)
    return float(paid + problem.cost_complexity * min(most, problem.table.n_rows, by_depth))


def _fault_of_rules(found: NearOptimalTrees) -> str:
    """The words of the rules say which splits its trees may use, and how many leaves."""
    splits, names = found.graph.split_matrix.splits, found.graph.problem.table.names
    every = frozenset(range(len(splits)))
    open_splits = root_splits = every
    most_leaves = found.graph.problem.max_leaf_nodes
    leaves = [] if most_leaves is None else [most_leaves]
    for rule in found.rules:
        if limit := LEAVES.fullmatch(rule):
            leaves.append(int(limit[1]))
        elif said := RULE.fullmatch(rule):
            named = {ast.literal_eval(name) for name in re.findall(NAME, said[2])}
            asked = frozenset(s for s in every if names[splits[s].column] in named)
            if not named <= set(names):
                return f"a rule names a column that it has not: {rule:.60}"
            if said[1] == "with the first split on":
                root_splits &= asked
            else:
                open_splits &= every - asked if said[1] == "without" else asked
        elif not (USES.fullmatch(rule) or rule == LIKE):
            return f"a rule that is none: {rule:.60}"
    member = found.membership
    if (every if member.open_splits is None else member.open_splits) != open_splits:
        return "its rules are about other splits than its trees"
    if (every if member.root_splits is None else member.root_splits) != root_splits:
        return "its rules are about other first splits than those of its trees"
    if member.max_leaves != (min(leaves) if leaves else None):
        return "its rules are about other numbers of leaves than its trees"
    return ""


def _fault_of_splits(found: NearOptimalTrees, problem: Problem) -> str:
    """Every split that the scope promises, and a tree may have, is there: it divides the known values alike."""
    from treewright.tree import ColumnKind

    matrix, X, least = found.graph.split_matrix, problem.table.X, problem.min_samples_leaf
    everything = matrix.scope.startswith(("all thresholds", "all single", "all splits"))
    if "most frequent" in matrix.scope or not (everything or matrix.scope.startswith("the given splits")):
        return ""
    for j, column in enumerate(problem.table.columns):
        by_word = column.kind is ColumnKind.CATEGORICAL and not column.ordered
        if not (by_word or everything):
            continue
        known = X[~np.isnan(X[:, j])]
        values = np.unique(known[:, j])
        if len(values) < 2:
            continue
        has = {_side(split.goes_left(known)) for split in matrix.splits if split.column == j}
        is_left = known[:, j] == values[:, None] if by_word else known[:, j] <= values[:-1, None]
        left = is_left.sum(axis=1)
        sides = np.sort([left, len(known) - left], axis=0)  # those without a value may go to either
        allowed = (sides[0] + len(X) - len(known) >= least) & (sides[1] >= least)
        if not {_side(side) for side in is_left[allowed]} <= has:
            return f"it lacks a split of {column.name!r:.60}"
    return ""


def _side(left: Iterable[bool]) -> bytes:
    """Return a division of rows in two, the same whichever side is called left."""
    side = np.asarray(left, dtype=np.bool_)
    return (side if side[0] else ~side).tobytes()
