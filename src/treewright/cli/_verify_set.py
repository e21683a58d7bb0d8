"""`treewright verify` of a set: its rows, its best tree, a sample of its trees, and on small tables its counts."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright._plural import count_of
from treewright.cli._output import say
from treewright.cli._set_claims import fault_of_claims

if TYPE_CHECKING:
    from treewright.near_optimal import NearOptimalTrees
    from treewright.problem import Problem
    from treewright.table import Table

__all__ = ["claimed_problem", "is_set", "set_holds_on"]

SAMPLE = 100  # trees that are recomputed
LIMITS = ("cost_complexity", "max_depth", "max_leaf_nodes", "min_samples_leaf")
MOST_SETS = 20_000  # of rows that a plain count goes through, at most


def is_set(path: Path) -> bool:
    """Return whether a file says that it is a set of near-optimal trees."""
    try:
        with open(path, encoding="utf-8-sig", errors="replace") as file:
            return '"treewright-near-optimal"' in file.read(200)
    except OSError:
        return False  # whoever reads it next says why


def claimed_problem(found: NearOptimalTrees, rows: Table, labels: NDArray[Any]) -> Problem:
    """Return the question of a set whose file does not hold it, with the rows of a table; say what is claimed in it."""
    from treewright.problem import make_problem

    own = found.graph.problem
    problem = make_problem(rows, labels, **{name: getattr(own, name) for name in LIMITS})
    if own.rows is not None and own.rows.max() < rows.n_rows:  # the others have no weight
        problem = problem.take(own.rows)
    said = "its limits and its penalty of a leaf"
    if len(problem.y) == len(own.y) and not (
        np.array_equal(own.sample_weight, problem.sample_weight) and np.array_equal(own.costs, problem.costs)
    ):
        problem = replace(problem, sample_weight=own.sample_weight, costs=own.costs)
        said += ", the weights of its rows and its costs"
    say(f"The file does not hold the question, so {said} are those that the set claims.")
    return problem


def set_holds_on(found: NearOptimalTrees, problem: Problem) -> bool:
    """Recompute from the table what a set claims, say what was done, and return whether all holds."""
    from treewright.verify import verify as check

    if fault := _other_rows(found, problem):
        say(f"The set is of other rows, or of another question: {fault}.")
        return False
    say("The rows of the set are those of the file.")
    if fault := fault_of_claims(found, problem):
        say(f"The set claims what it does not hold: {fault}.")
        return False
    report = check(problem, found.best)
    say(str(report))
    holds = report.ok
    drawn = [found.rank(tree) for tree in found.sample(SAMPLE, random_state=0)] if found else []
    places = sorted({place for place in drawn if place is not None})
    wrong = [place for place in places if not _tree_holds(found, problem, place)]
    count, one = count_of(len(places), "tree"), len(places) == 1
    say(
        f"{count} of the set {'was' if one else 'were'} recomputed from the rows"
        + (
            f"; number {wrong[0] + 1} is not what the set says."
            if wrong
            else f", and {'is' if one else 'are'} what the set says."
        )
    )
    return _counts_hold(found, problem) and holds and not wrong


def _other_rows(found: NearOptimalTrees, problem: Problem) -> str | None:
    own = found.graph.problem
    if own.table.X.shape != problem.table.X.shape:
        return f"{own.table.n_rows:,} instead of {problem.table.n_rows:,}"
    if not np.array_equal(own.table.X, problem.table.X, equal_nan=True):
        return "some values differ"
    if not np.array_equal(own.y, problem.y):
        return "some labels differ"
    if not np.array_equal(own.sample_weight, problem.sample_weight) or not np.array_equal(
        own.costs, problem.costs
    ):
        return "some weights or costs differ"
    for name in LIMITS:
        if getattr(own, name) != getattr(problem, name):
            return f"{name} is {getattr(own, name)}, and the question says {getattr(problem, name)}"
    return None


def _tree_holds(found: NearOptimalTrees, problem: Problem, place: int) -> bool:
    """Recompute the objective of a tree of the set by hand."""
    result = found.result(place)
    tree = result.tree
    label = tree.prediction[tree.apply(problem.table.X)]
    paid = float(np.sum(problem.sample_weight * problem.costs[problem.y, label])) / problem.total_weight
    objective = paid + problem.cost_complexity * tree.n_leaves
    within = objective <= found.bound_ * (1 + 1e-12) + 1e-12 + found.rounding_
    return within and abs(objective - result.objective) <= 1e-9 * max(1.0, objective)


def _counts_hold(found: NearOptimalTrees, problem: Problem) -> bool:
    """Count all trees again with plain code, where the table is small enough and no rule was asked."""
    from treewright.verify import count_near_optimal

    graph = found.graph
    depth = problem.max_depth
    small = depth is not None and len(graph.split_matrix.splits) ** depth * 2**depth <= MOST_SETS
    paid = problem.sample_weight[:, None] * problem.costs[problem.y]
    are_whole = all(np.array_equal(numbers, np.round(numbers)) for numbers in (problem.sample_weight, paid))
    if found.rules or not small or not are_whole:
        say(
            "The counts were not recomputed: this is done for small tables, whole weights and costs, and sets without "
            "rules."
        )
        return True
    bound = found.membership.budget * graph.unit * Fraction(round(problem.total_weight))
    again = count_near_optimal(
        problem,
        graph.split_matrix.splits,
        max_objective=bound,
        any_label=graph.any_label,
        redundant_splits=graph.redundant,
    )
    counted: dict[int, int] = {}
    for size in found.table():
        counted[size.n_leaves] = counted.get(size.n_leaves, 0) + size.n_trees
    right = again == dict(sorted(counted.items()))
    total = sum(again.values())
    say(
        f"All trees were counted again, one set of rows after the other: {total:,}"
        + (", as the set says." if right else f" instead of {found.n_trees_:,}.")
    )
    return right
