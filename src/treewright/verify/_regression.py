"""Check a regression tree and its certificate against the data, without any code of the search.

What can be recomputed is recomputed in plain sums of centred squares: routes, counts, means, loss, objective,
constraints. The lower bound must hold for every tree that can be cut out of the tree itself: splits made leaves, or
replaced by one of their sides.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from treewright.problem import RegressionProblem
from treewright.result import RegressionResult, SolveResult, SolveStatus
from treewright.tree import Tree
from treewright.verify._report import Check, VerificationReport
from treewright.verify._route import goes_right, rows_of_nodes
from treewright.verify._structure import fault_of_splits, fault_of_structure
from treewright.verify._words import fault_of_fields, is_number

__all__ = ["verify_regression"]

RELATIVE = 1e-9  # of sums of real numbers in different order
HALF_OF_LARGEST = float(np.finfo(np.float64).max) / 2
LARGEST_TOLERANCE = 1e-8  # of a proof, as a share of the loss of one leaf
LIMITS = ("cost_complexity", "max_depth", "max_leaf_nodes", "min_samples_leaf")


def verify_regression(problem: RegressionProblem, claim: SolveResult | Tree) -> VerificationReport:
    """Check a regression tree, and the result that it comes with, against the data.

    Parameters
    ----------
    problem : RegressionProblem
        The training data and the question; from `treewright.problem.make_regression_problem`.
    claim : RegressionResult or Tree

    Returns
    -------
    VerificationReport
        ``report.ok`` is the verdict, ``str(report)`` a table.
    """
    tree, result = (claim.tree, claim) if isinstance(claim, SolveResult) else (claim, None)
    checks = list(_schema_checks(problem, tree))
    if result is not None:
        fault = fault_of_fields(result) or (
            "" if isinstance(result, RegressionResult) else "not a regression result"
        )
        if not fault and not is_number(result.stats.get("tolerance")):
            fault = f"stats: tolerance is {result.stats.get('tolerance')!r:.60}"
        checks.append(_check("fields of the certificate", not fault, "all that its sentence needs", fault))
    if all(check.ok for check in checks):
        rows = rows_of_nodes(tree, problem.table.X)
        checks += _tree_checks(problem, tree, rows)
        if isinstance(result, RegressionResult):
            checks += _result_checks(problem, result, rows)
    return VerificationReport(tuple(checks), claims_bound=result is not None)


def _schema_checks(problem: RegressionProblem, tree: Tree) -> Iterator[Check]:
    fault = fault_of_structure(tree)
    yield _check("structure", not fault, "one tree, numbered depth-first", fault)
    if fault:
        return
    fault = "" if tree.classes is None else "a classification tree"
    yield _check("kind", not fault, "a regression tree", fault)
    want = [(column.name, column.kind, column.categories) for column in problem.table.columns]
    have = [(column.name, column.kind, column.categories) for column in tree.columns]
    fault = "" if want == have else f"{len(have)} columns, names or kinds that differ"
    yield _check("columns", not fault, f"{len(want)} columns", fault)
    fault = fault_of_splits(tree)
    yield _check("splits", not fault, "columns and categories that exist", fault)


def _tree_checks(problem: RegressionProblem, tree: Tree, rows: list[NDArray[np.int64]]) -> Iterator[Check]:
    count = np.array([len(here) for here in rows])
    wrong = np.flatnonzero(tree.n_node_samples != count)
    fault = f"node {wrong[0]}: {count[wrong[0]]} rows" if len(wrong) else ""
    yield _check("rows in each node", not fault, f"{len(count)} counts", fault)
    half_scale = float(np.ptp(problem.y / 2)) or float(np.ptp(problem.y)) or 1.0  # halves cannot overflow
    off = ""
    for node, here in enumerate(rows):
        if len(here) == 0:
            off = f"node {node} has no rows"
            break
        mean = _mean(problem, here)
        if not abs(mean / 2 - tree.value[node, 0] / 2) <= RELATIVE * max(half_scale, abs(mean / 2)):
            off = f"node {node}: the mean is {mean:.9g}, the tree says {tree.value[node, 0]:.9g}"
            break
    yield _check("mean of each node", not off, f"{len(count)} means", off)
    leaves = tree.is_leaf
    for name, found, limit in (
        ("max_depth", tree.depth, problem.max_depth),
        ("max_leaf_nodes", int(leaves.sum()), problem.max_leaf_nodes),
    ):
        yield _check(
            name, limit is None or found <= limit, "unlimited" if limit is None else f"<= {limit}", str(found)
        )
    smallest = int(count[leaves].min())
    yield _check(
        "min_samples_leaf",
        smallest >= problem.min_samples_leaf,
        f">= {problem.min_samples_leaf}",
        str(smallest),
    )


def _result_checks(
    problem: RegressionProblem, result: RegressionResult, rows: list[NDArray[np.int64]]
) -> Iterator[Check]:
    differ = [
        name
        for name in LIMITS
        if name not in result.options or result.options[name] != getattr(problem, name)
    ]
    fault = ", ".join(
        f"{name} {result.options.get(name)!r} instead of {getattr(problem, name)!r}" for name in differ
    )
    yield _check("question", not fault, "the limits that were asked for", fault)
    criterion = result.options.get("criterion")
    yield _check("criterion", criterion == "squared_error", "squared_error", repr(criterion))
    one_leaf = _loss(problem, np.arange(problem.table.n_rows))
    tree = result.tree
    leaf_cost = _leaf_cost(problem, one_leaf)
    n_leaves = tree.n_leaves
    objective = sum(leaf_cost(rows[node]) for node in np.flatnonzero(tree.is_leaf))
    loss = objective - problem.cost_complexity * n_leaves
    for name, claimed, found in (("loss", result.loss, loss), ("objective", result.objective, objective)):
        yield _check(name, abs(claimed - found) <= RELATIVE, f"{claimed:.12g}", f"{found:.12g}")
    bound, tolerance = float(result.lower_bound), float(result.stats["tolerance"])
    optimal = result.status is SolveStatus.OPTIMAL
    most = LARGEST_TOLERANCE if optimal else math.inf  # only a proof may leave open no more
    yield _check("tolerance", 0 <= tolerance <= most, f"0 to {most:g}", f"{tolerance:.3g}")
    yield _check(
        "lower_bound <= objective", bound <= objective + RELATIVE, f"<= {objective:.12g}", f"{bound:.12g}"
    )
    least = _best_part(problem, tree, rows, leaf_cost)
    yield _check(
        "no pruning and no subtree is better",
        least >= max(bound - RELATIVE, objective - tolerance - RELATIVE),
        f">= {objective:.12g}",
        f"{least:.12g}",
    )
    gap = objective - bound
    consistent = not optimal or (gap <= tolerance + RELATIVE and result.stop_reason is None)
    consistent &= result.status is not SolveStatus.OPTIMAL_UNDER_GUESSES
    yield _check("status", consistent, result.status.value, f"gap {gap:.3g}")


LeafCost = Callable[[NDArray[np.int64]], float]


def _leaf_cost(problem: RegressionProblem, one_leaf: float) -> LeafCost:
    def cost(rows: NDArray[np.int64]) -> float:
        return problem.cost_complexity + (_loss(problem, rows) / one_leaf if one_leaf > 0 else 0.0)

    return cost


def _best_part(
    problem: RegressionProblem, tree: Tree, rows: list[NDArray[np.int64]], leaf_cost: LeafCost
) -> float:
    """Return the least cost of a tree whose splits are kept, made leaves, or replaced by a pruning of one side."""

    def pruned(node: int, here: NDArray[np.int64]) -> float:
        if len(here) == 0:
            return 0.0  # such a leaf is left out
        split = tree.splits[node]
        if split is None:
            return float(leaf_cost(here))
        right = goes_right(split, problem.table.X, here)
        sides = pruned(int(tree.children_left[node]), here[~right]) + pruned(
            int(tree.children_right[node]), here[right]
        )
        return min(float(leaf_cost(here)), sides)

    best = np.zeros(tree.node_count)
    for node in reversed(range(tree.node_count)):
        best[node] = leaf_cost(rows[node])
        if tree.splits[node] is None:
            continue
        left, right = int(tree.children_left[node]), int(tree.children_right[node])
        best[node] = min(
            best[node], best[left] + best[right], pruned(left, rows[node]), pruned(right, rows[node])
        )
    return float(best[0])


def _mean(problem: RegressionProblem, rows: NDArray[np.int64]) -> float:
    """Return the weighted mean; differences of the largest targets are taken of their halves."""
    y, weight = problem.y[rows], problem.sample_weight[rows]
    by = 1.0 if np.abs(y).max() < HALF_OF_LARGEST else 0.5
    origin = y[0] * by
    return float((origin + (weight / weight.sum() * (y * by - origin)).sum()) / by)


def _loss(problem: RegressionProblem, rows: NDArray[np.int64]) -> float:
    """Return the weighted sum of squared errors of a leaf, in units that cannot overflow."""
    unit = float(np.abs(problem.y / 2).max()) or 1.0
    centred = (problem.y[rows] - _mean(problem, rows)) / unit
    return float((problem.sample_weight[rows] * centred**2).sum())


def _check(name: str, ok: bool, expected: str, found: str) -> Check:
    return Check(
        name,
        bool(ok),
        expected,
        "as claimed" if ok and not found else found,
        "" if ok else MESSAGES.get(name, ""),
    )


MESSAGES = {
    "objective": "The objective is not loss + cost_complexity * leaves of this tree on these data.",
    "loss": "The loss is not that of this tree on these data.",
    "question": "The sentence speaks of other trees than were asked about.",
    "columns": "Give the table that the tree was made from.",
    "no pruning and no subtree is better": "A part of this tree in place of the whole has a smaller objective.",
    "lower_bound <= objective": "No tree could be this good, yet this one would be: the bound is wrong.",
    "status": "A tree is proven optimal only if the search ended and the bound meets the objective.",
}
