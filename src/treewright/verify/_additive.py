"""The common part of the checkers of trees with additive losses; it uses no code of the search.

A loss is additive if it is a sum over the leaves of a number that depends only on the leaf's rows. Then the loss, the
objective and the limits can be recomputed by routing the rows. The lower bound must also hold for every tree that can
be made from this one by turning splits into leaves or replacing them by the subtree on one of their sides.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.result import SolveResult, SolveStatus
from treewright.tree import Tree, TreeKind
from treewright.verify._counts import check_of_counts
from treewright.verify._missing_side import missing_checks, unchecked_of
from treewright.verify._report import Check, VerificationReport
from treewright.verify._route import goes_right, rows_of_nodes
from treewright.verify._scope import fault_of_whole_scope
from treewright.verify._shallow import shallow_checks
from treewright.verify._structure import fault_of_splits, fault_of_structure
from treewright.verify._words import fault_of_fields, is_number

__all__ = ["RELATIVE", "Mean", "Question", "check", "verify_additive"]

RELATIVE = 1e-9  # relative difference of sums of the same real numbers in another order
LAST_BITS = 2.0**-50  # relative rounding error of a difference of two numbers
LARGEST_TOLERANCE = 1e-8  # largest gap that a proof may leave, as a share of the loss of a single leaf
NOT_ASKED = {"min_leaf_accuracy": None, "n_outputs": None, "quantile": None, "action_costs": None}
LIMITS = ("cost_complexity", "max_depth", "max_leaf_nodes", "min_samples_leaf")

Rows = NDArray[np.int64]


class Mean(NamedTuple):
    """A statistic that is reported beside the loss, and the size of the numbers that it was summed from."""

    value: float
    scale: float


@dataclass(frozen=True)
class Question:
    """Description of a loss for the checker.

    Parameters
    ----------
    problem : RegressionProblem, PolicyProblem or SurvivalProblem
        The training data and the question, with `table`, `cost_complexity` and the limits.
    kind : TreeKind
        Kind of the trees with this loss.
    result : type
        Class of their results.
    criterion : str
        Required value of ``options["criterion"]`` in a result.
    loss : callable
        Loss of one leaf with the given rows.
    values : callable
        Checks the values of the nodes of a tree, given the rows of each.
    unit : float or None, default=None
        Unit in which losses are reported; None is the loss of a single leaf.
    scale : float, default=1.0
        Size of losses in that unit; the allowed rounding error is proportional to it.
    options : mapping, default={}
        Other options of a result and their required values; None for an option that a result must not have.
    means : callable, default=none
        From a tree and the rows of its nodes to the statistics that are reported beside the loss.
    """

    problem: Any
    kind: TreeKind
    result: type[SolveResult]
    criterion: str
    loss: Callable[[Rows], float]
    values: Callable[[Tree, list[Rows]], Iterator[Check]]
    unit: float | None = None
    scale: float = 1.0
    options: Mapping[str, Any] = field(default_factory=dict)
    means: Callable[[Tree, list[Rows]], Mapping[str, Mean]] = lambda tree, rows: {}

    def leaf_cost(self) -> Callable[[Rows], float]:
        """Return the function from the rows of a leaf to its cost: its share of the objective."""
        one_leaf = self.unit or self.loss(np.arange(self.problem.table.n_rows))
        leaf_penalty = self.problem.cost_complexity

        def cost(rows: Rows) -> float:
            lost = self.loss(rows) / one_leaf if one_leaf > 0 and len(rows) else 0.0
            return float(leaf_penalty + lost)

        return cost


def verify_additive(question: Question, claim: SolveResult | Tree) -> VerificationReport:
    """Check a tree, or a result with its tree, against the data."""
    tree, result = (claim.tree, claim) if isinstance(claim, SolveResult) else (claim, None)
    checks = list(_schema_checks(question, tree))
    if result is not None:
        fault = fault_of_fields(result) or (
            "" if isinstance(result, question.result) else f"not a {question.kind.value} result"
        )
        if not fault and not is_number(result.stats.get("tolerance")):
            fault = f"stats: tolerance is {result.stats.get('tolerance')!r:.60}"
        checks.append(check("fields of the certificate", not fault, "all that its sentence needs", fault))
    unchecked: tuple[str, ...] = ()
    if all(check.ok for check in checks):
        unchecked = unchecked_of(claim)
        rows = rows_of_nodes(tree, question.problem.table.X)
        checks += _tree_checks(question, tree, rows)
        if isinstance(result, question.result):
            problem = question.problem
            checks += missing_checks(problem.table, result, problem.sample_weight, rows)
            checks += _result_checks(question, result, rows)
            most = LARGEST_TOLERANCE * question.scale
            checks += shallow_checks(result, question.problem.max_depth, most)
    return VerificationReport(tuple(checks), result is not None, unchecked)


def _schema_checks(question: Question, tree: Tree) -> Iterator[Check]:
    fault = fault_of_structure(tree)
    yield check("structure", not fault, "one tree, numbered depth-first", fault)
    if fault:
        return
    fault = "" if tree.kind is question.kind else f"a {tree.kind.value} tree"
    yield check("kind", not fault, f"a {question.kind.value} tree", fault)
    columns = question.problem.table.columns
    want = [(column.name, column.kind, column.categories, column.ordered) for column in columns]
    have = [(column.name, column.kind, column.categories, column.ordered) for column in tree.columns]
    fault = "" if want == have else f"{len(have)} columns, names or kinds that differ"
    yield check("columns", not fault, f"{len(want)} columns", fault)
    fault = fault_of_splits(tree)
    yield check("splits", not fault, "columns and categories that exist", fault)


def _tree_checks(question: Question, tree: Tree, rows: list[Rows]) -> Iterator[Check]:
    problem = question.problem
    count = np.array([len(here) for here in rows])
    yield check_of_counts(tree, count)
    yield from question.values(tree, rows)
    leaves = tree.is_leaf
    for name, found, limit in (
        ("max_depth", tree.depth, problem.max_depth),
        ("max_leaf_nodes", int(leaves.sum()), problem.max_leaf_nodes),
    ):
        yield check(
            name, limit is None or found <= limit, "unlimited" if limit is None else f"<= {limit}", str(found)
        )
    smallest = int(count[leaves].min())
    yield check(
        "min_samples_leaf",
        smallest >= problem.min_samples_leaf,
        f">= {problem.min_samples_leaf}",
        str(smallest),
    )


def _result_checks(question: Question, result: SolveResult, rows: list[Rows]) -> Iterator[Check]:
    problem, tree, slack = question.problem, result.tree, RELATIVE * question.scale
    differ = [
        name
        for name in LIMITS
        if name not in result.options or result.options[name] != getattr(problem, name)
    ]
    fault = ", ".join(
        f"{name} {result.options.get(name)!r} instead of {getattr(problem, name)!r}" for name in differ
    )
    yield check("question", not fault, "the limits that were asked for", fault)
    criterion = result.options.get("criterion")
    yield check("criterion", criterion == question.criterion, question.criterion, repr(criterion))
    for name, asked in {**NOT_ASKED, **question.options}.items():
        said = result.options.get(name)
        if asked is not None or said is not None:
            yield check(name, said == asked, repr(asked), f"{said!r:.60}")
    fault = fault_of_whole_scope(problem.table.columns, result)
    yield check("scope", not fault, f"{result.scope:.60}", fault)
    for name, mean in question.means(tree, rows).items():
        told = result.stats.get(name)
        near = is_number(told) and abs(float(told) - mean.value) <= RELATIVE * mean.scale
        yield check(name, near, f"{told!r:.60}", f"{mean.value:.12g}")
    leaf_cost = question.leaf_cost()
    objective = sum(leaf_cost(rows[node]) for node in np.flatnonzero(tree.is_leaf))
    loss = objective - problem.cost_complexity * tree.n_leaves
    for name, claimed, found in (("loss", result.loss, loss), ("objective", result.objective, objective)):
        yield check(name, abs(claimed - found) <= slack, f"{claimed:.12g}", f"{found:.12g}")
    bound, tolerance = float(result.lower_bound), float(result.stats["tolerance"])
    optimal = result.status is SolveStatus.OPTIMAL
    # A proof of optimality must not leave a larger gap. If leaves cost more than all rows, rounding grows with them.
    most = LARGEST_TOLERANCE * max(question.scale, objective) if optimal else math.inf
    yield check("tolerance", 0 <= tolerance <= most, f"0 to {most:g}", f"{tolerance:.3g}")
    yield check(
        "lower_bound <= objective", bound <= objective + slack, f"<= {objective:.12g}", f"{bound:.12g}"
    )
    least = _best_part(question, tree, rows, leaf_cost)
    yield check(
        "no pruning and no subtree is better",
        least >= max(bound - slack, objective - tolerance - slack),
        f">= {objective:.12g}",
        f"{least:.12g}",
    )
    gap = objective - bound
    consistent = not optimal or (gap <= tolerance + slack and result.stop_reason is None)
    left = result.objective - bound  # a proof must not leave more than its stated tolerance
    consistent &= not optimal or left <= tolerance * (1 + RELATIVE) + LAST_BITS * abs(result.objective)
    consistent &= result.status is not SolveStatus.OPTIMAL_UNDER_GUESSES
    yield check("status", consistent, result.status.value, f"objective and bound are {gap:.3g} apart")


def _best_part(question: Question, tree: Tree, rows: list[Rows], leaf_cost: Callable[[Rows], float]) -> float:
    """Return the least cost of a tree whose splits are kept, made leaves, or replaced by a pruning of one side."""
    X = question.problem.table.X

    def pruned(node: int, here: Rows) -> float:
        if len(here) == 0:
            return 0.0  # a leaf without rows costs nothing
        split = tree.splits[node]
        if split is None:
            return leaf_cost(here)
        right = goes_right(split, X, here)
        sides = pruned(int(tree.children_left[node]), here[~right]) + pruned(
            int(tree.children_right[node]), here[right]
        )
        return min(leaf_cost(here), sides)

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


def check(name: str, ok: bool, expected: str, found: str) -> Check:
    """Return one line of the report."""
    return Check(
        name,
        bool(ok),
        expected,
        "as claimed" if ok and not found else found,
        "" if ok else MESSAGES.get(name, ""),
    )


def same_classes(classes: NDArray[Any], tree: Tree) -> Check:
    """Return whether a tree, whose structure was checked, has the labels of the data."""
    assert tree.classes is not None
    same = tree.classes.tolist() == classes.tolist()
    return check("classes", same, f"{len(classes)} classes", "" if same else str(tree.classes.tolist()))


MESSAGES = {
    "scope": "The scope must name the splits of this table.",
    "objective": "The objective is not loss + cost_complexity * leaves of this tree on these data.",
    "loss": "The loss is not that of this tree on these data.",
    "question": "The sentence is about other trees than the question.",
    "columns": "Give the table that the tree was made from.",
    "no pruning and no subtree is better": "A part of this tree in place of the whole has a smaller objective.",
    "lower_bound <= objective": "The objective of this tree is below the bound, so the bound is wrong.",
    "status": "A tree is proven optimal only if the search ended and the bound meets the objective.",
}
