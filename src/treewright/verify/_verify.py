"""Check everything that is claimed about a tree against the data, without any code of the methods.

What can be recomputed is recomputed: routes, counts, weights, leaf labels, loss, objective, constraints. The
lower bound cannot be (that is the search's work), but it must hold for every tree that is within the
constraints, and some of those are at hand: all prunings of the tree itself. A pruning has no more depth, no
more leaves and no smaller leaves, so it is feasible if the tree is, and its splits are within the scope. The
cheapest one is found by one pass from the leaves up (the objective is a sum over leaves), and it must not be
below the bound; nor, if the tree is claimed optimal, below the tree.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.errors import InputError
from treewright.problem import Problem
from treewright.result import LeafAccuracyResult, SolveResult, SolveStatus
from treewright.tree import Tree
from treewright.verify._leaf_accuracy import best_worst_leaf, leaf_values, worst_leaf
from treewright.verify._report import Check, VerificationReport
from treewright.verify._route import rows_of_nodes
from treewright.verify._structure import fault_of_splits, fault_of_structure

__all__ = ["verify"]

TOLERANCE = 1e-9  # of sums of real numbers; whole numbers are compared exactly
ROUNDED_VALUE = 4e-6  # of a leaf; methods may round real weights to integers
ROUNDING = 2.0**-30  # a row; methods may round real weights and costs to integers of 2**-31 of their sum


def verify(problem: Problem, claim: SolveResult | Tree) -> VerificationReport:
    """Check a tree, and the result that it comes with, against the data.

    Parameters
    ----------
    problem : Problem
        The training data and the question; from `treewright.problem.make_problem`.
    claim : SolveResult or Tree
        A bare tree claims its structure, counts and leaf labels; a result claims its numbers as well.

    Returns
    -------
    VerificationReport
        ``report.ok`` is the verdict, ``str(report)`` a table. A tree whose arrays are no tree, or that does
        not fit the table, is reported with the checks that could still be made.

    Raises
    ------
    InputError
        `claim` is neither a result nor a tree.

    Notes
    -----
    It is not checked that no better tree exists; see the top of `treewright.verify._verify` for what is.
    Cost: rows times nodes.
    """
    if isinstance(claim, SolveResult):
        tree, result = claim.tree, claim
    elif isinstance(claim, Tree):
        tree, result = claim, None
    else:
        raise InputError(f"claim is a {type(claim).__name__}; give a SolveResult or a Tree.")
    checks = list(_schema_checks(problem, tree))
    if all(check.ok for check in checks):
        facts = _Facts.of(problem, tree)
        checks += _tree_checks(problem, tree, facts)
        checks += _constraint_checks(problem, facts)
        if isinstance(result, LeafAccuracyResult):
            checks += _leaf_accuracy_checks(problem, result, facts)
        elif result is not None:
            checks += _result_checks(problem, result, facts)
    return VerificationReport(tuple(checks), claims_bound=result is not None)


@dataclass(frozen=True)
class _Facts:
    """What the data say about the tree."""

    count: NDArray[np.int64]
    weight: NDArray[np.float64]  # (n_nodes, n_classes)
    prices: NDArray[np.float64]  # cost of predicting each class in each node, as a share of the total
    leaves: NDArray[np.int64]
    depth: int
    loss: float
    objective: float

    @classmethod
    def of(cls, problem: Problem, tree: Tree) -> _Facts:
        passed = rows_of_nodes(tree, problem.table.X)
        count = np.array([len(rows) for rows in passed], dtype=np.int64)
        weight = np.zeros((len(passed), problem.n_classes))
        for node, rows in enumerate(passed):
            for k in range(problem.n_classes):
                weight[node, k] = problem.sample_weight[rows[problem.y[rows] == k]].sum()
        prices = weight @ problem.costs / problem.total_weight
        leaves = np.array([node for node, split in enumerate(tree.splits) if split is None])
        level = [0] * len(passed)
        for node, split in enumerate(tree.splits):
            if split is not None:
                level[tree.children_left[node]] = level[tree.children_right[node]] = level[node] + 1
        loss = float(prices[leaves, tree.prediction[leaves]].sum())
        return cls(
            count=count,
            weight=weight,
            prices=prices,
            leaves=leaves,
            depth=max(level),
            loss=loss,
            objective=loss + problem.cost_complexity * len(leaves),
        )

    def best_pruning(self, problem: Problem, tree: Tree, min_leaf_accuracy: float = 0.0) -> float:
        """Return the least objective of a pruning of which every leaf is right on that share of its weight."""
        best = self.prices.min(axis=1) + problem.cost_complexity
        best[leaf_values(self.weight) < min_leaf_accuracy - TOLERANCE] = np.inf
        for node in reversed(range(len(best))):
            if tree.splits[node] is not None:
                split_up = best[tree.children_left[node]] + best[tree.children_right[node]]
                best[node] = min(best[node], split_up)
        return float(best[0])


def _schema_checks(problem: Problem, tree: Tree) -> Iterator[Check]:
    fault = fault_of_structure(tree)
    yield _plain("structure", fault, "one tree, numbered depth-first", "The arrays of the tree are no tree.")
    want = [(column.name, column.kind, column.categories) for column in tree.columns]
    have = [(column.name, column.kind, column.categories) for column in problem.table.columns]
    fault = ""
    if len(want) != len(have):
        fault = f"{len(have)} columns"
    elif want != have:
        k = next(k for k, (a, b) in enumerate(zip(want, have, strict=True)) if a != b)
        fault = f"column {k} is {have[k][0]!r} ({have[k][1]}) instead of {want[k][0]!r} ({want[k][1]})"
        if have[k][:2] == want[k][:2]:
            fault = f"column {have[k][0]!r} has other categories"
    yield _plain("columns", fault, f"{len(want)} columns", "Give the table that the tree was made from.")
    if tree.classes is None:
        fault = "a regression tree"
    else:
        same = tree.classes.tolist() == problem.classes.tolist()
        fault = "" if same else _labels(problem.classes)
    claimed = "classes" if tree.classes is None else _labels(tree.classes)
    yield _plain("classes", fault, claimed, "The labels of the data are not those of the tree.")
    fault = fault_of_splits(tree)
    yield _plain("splits", fault, "columns, categories, labels that exist", "The tree cannot be applied.")


def _tree_checks(problem: Problem, tree: Tree, facts: _Facts) -> Iterator[Check]:
    n_nodes = len(facts.count)
    wrong = np.flatnonzero(tree.n_node_samples != facts.count)
    fault = ""
    if len(wrong):
        node = int(wrong[0])
        fault = f"node {node}: {tree.n_node_samples[node]}, the data give {facts.count[node]}"
    hint = f"{len(wrong)} nodes hold other rows: a threshold, a count or the table was changed."
    yield _plain("rows in each node", fault, f"{n_nodes} counts", hint)
    off = np.abs(tree.value - facts.weight).max(axis=1) > _tolerance(problem)
    fault = ""
    if off.any():
        node = int(np.argmax(off))
        fault = f"node {node}: {_numbers(tree.value[node])}, the data give {_numbers(facts.weight[node])}"
    hint = "A threshold, a value, the weights or the table was changed."
    yield _plain("class weights in each node", fault, f"{n_nodes} x {problem.n_classes} sums", hint)
    chosen = facts.prices[np.arange(n_nodes), tree.prediction]
    dear = np.flatnonzero(chosen > facts.prices.min(axis=1) + TOLERANCE)
    fault = ""
    if len(dear):
        node = int(dear[0])
        best = problem.classes[int(facts.prices[node].argmin())]
        fault = f"node {node}: {problem.classes[tree.prediction[node]]}, the cheapest is {best}"
    hint = "A node predicts a label that costs more than another one would."
    yield _plain("cheapest label in each node", fault, f"{n_nodes} labels", hint)


def _constraint_checks(problem: Problem, facts: _Facts) -> Iterator[Check]:
    smallest = int(facts.count[facts.leaves].min())
    limit = problem.max_depth
    yield _check(
        "max_depth",
        limit is None or facts.depth <= limit,
        "unlimited" if limit is None else f"<= {limit}",
        str(facts.depth),
        "The tree is deeper than allowed.",
    )
    limit = problem.max_leaf_nodes
    yield _check(
        "max_leaf_nodes",
        limit is None or len(facts.leaves) <= limit,
        "unlimited" if limit is None else f"<= {limit}",
        str(len(facts.leaves)),
        "The tree has more leaves than allowed.",
    )
    yield _check(
        "min_samples_leaf",
        smallest >= problem.min_samples_leaf,
        f">= {problem.min_samples_leaf}",
        str(smallest),
        "A leaf has fewer rows than allowed.",
    )


def _question(problem: Problem, result: SolveResult, *terms: str) -> Iterator[Check]:
    asked = {name: result.options[name] for name in terms if name in result.options}
    here = {name: getattr(problem, name) for name in asked}
    differ = [name for name in asked if asked[name] != here[name]]
    shown = differ or list(asked)[:1]
    if asked:
        yield _check(
            "question",
            not differ,
            ", ".join(f"{name} {asked[name]}" for name in shown),
            ", ".join(f"{name} {here[name]}" for name in shown),
            "The result answers another question than the one given here.",
        )


def _leaf_accuracy_checks(problem: Problem, result: LeafAccuracyResult, facts: _Facts) -> Iterator[Check]:
    yield from _question(problem, result, "max_depth", "min_samples_leaf")
    yield _close("loss", result.loss, facts.loss, "The loss is not that of this tree on these data.")
    question = result.options.get("criterion"), result.options.get("confidence")
    values = leaf_values(facts.weight, *question, problem.table.n_rows)
    worst = worst_leaf(result.tree, values)
    yield _close(
        "worst leaf", result.objective, worst, "The worst leaf of this tree on these data has another value."
    )
    bound = result.upper_bound
    yield _check(
        "worst leaf <= upper_bound",
        worst <= bound + TOLERANCE,
        f"<= {bound:.9g}",
        f"{worst:.9g}",
        "No tree could be this good, yet this one would be above the bound: the bound is wrong.",
    )
    optimal = result.status is not SolveStatus.FEASIBLE
    slack = TOLERANCE if _whole(problem.sample_weight) else ROUNDED_VALUE
    most = worst + slack if optimal else bound
    pruned = best_worst_leaf(result.tree, values)
    yield _check(
        "no pruning is better",
        pruned <= most + TOLERANCE,
        f"<= {most:.9g}",
        f"{pruned:.9g}",
        "Cutting this tree back gives a better worst leaf than was claimed possible.",
    )
    gap = bound - worst
    consistent = not optimal or (gap <= slack and result.stop_reason is None)
    yield _status(result, gap, consistent)


def _result_checks(problem: Problem, result: SolveResult, facts: _Facts) -> Iterator[Check]:
    yield from _question(
        problem, result, "cost_complexity", "max_depth", "max_leaf_nodes", "min_samples_leaf"
    )
    least_accuracy = result.options.get("min_leaf_accuracy")
    if least_accuracy is not None:
        worst = worst_leaf(result.tree, leaf_values(facts.weight))
        yield _check(
            "min_leaf_accuracy",
            worst >= least_accuracy - TOLERANCE,
            f">= {least_accuracy:.9g}",
            f"{worst:.9g}",
            "A leaf is right on less of its weight than allowed.",
        )
    yield _close("loss", result.loss, facts.loss, "The loss is not that of this tree on these data.")
    yield _close(
        "objective",
        result.objective,
        facts.objective,
        "The objective is not loss + cost_complexity * leaves of this tree on these data.",
    )
    bound = float(result.lower_bound)
    yield _check(
        "lower_bound <= objective",
        bound <= facts.objective + TOLERANCE,
        f"{bound:.9g}",
        f"<= {facts.objective:.9g}",
        "No tree could be this good, yet this one would be below the bound: the bound is wrong.",
    )
    optimal = result.status is not SolveStatus.FEASIBLE
    least = max(bound, facts.objective - _slack(problem)) if optimal else bound
    pruned = facts.best_pruning(problem, result.tree, least_accuracy or 0.0)
    yield _check(
        "no pruning is better",
        pruned >= least - TOLERANCE,
        f">= {least:.9g}",
        f"{pruned:.9g}",
        "Cutting this tree back gives a smaller objective than was claimed possible.",
    )
    gap = facts.objective - bound
    consistent = not optimal or (abs(gap) <= _slack(problem) and result.stop_reason is None)
    yield _status(result, gap, consistent)


def _status(result: SolveResult, gap: float, consistent: bool) -> Check:
    return _check(
        "status",
        consistent,
        result.status.value,
        f"gap {gap:.3g}" + (f", {result.stop_reason.value}" if result.stop_reason else ""),
        "A tree is proven optimal only if the search ended and the bound meets the objective.",
    )


def _check(name: str, ok: bool, expected: str, found: str, message: str) -> Check:
    return Check(name, ok, expected, found, "" if ok else message)


def _plain(name: str, fault: str, expected: str, message: str) -> Check:
    return _check(name, not fault, expected, fault or "as claimed", message)


def _close(name: str, claimed: float, found: float, message: str) -> Check:
    return _check(name, abs(claimed - found) <= TOLERANCE, f"{claimed:.9g}", f"{found:.9g}", message)


def _whole(values: NDArray[np.float64]) -> bool:
    return bool((values == np.floor(values)).all())


def _tolerance(problem: Problem) -> float:
    """Whole weights are summed exactly in any order; others up to rounding."""
    return 0.0 if _whole(problem.sample_weight) else TOLERANCE * problem.total_weight


def _slack(problem: Problem) -> float:
    """By how much the bound of a proven optimum may stay below its objective."""
    if _whole(problem.sample_weight) and _whole(problem.costs):
        return TOLERANCE
    return TOLERANCE + ROUNDING * problem.table.n_rows * max(1.0, float(problem.costs.max()))


def _labels(classes: NDArray[np.generic]) -> str:
    shown = [str(label) for label in classes.tolist()]
    return ", ".join(shown[:4]) + (f", ... ({len(shown)})" if len(shown) > 4 else "")


def _numbers(values: NDArray[np.float64]) -> str:
    return "[" + " ".join(f"{value:g}" for value in values[:5]) + (" ...]" if len(values) > 5 else "]")
