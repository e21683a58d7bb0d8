"""Check everything that is claimed about a tree against the data, without any code of the methods.

Routes, counts, weights, leaf labels, loss, objective and constraints are recomputed. Every statement of the
certificate's sentence is compared with the question (`_words`). The lower bound cannot be recomputed, because that is
what the search does. But it must hold for every tree within the constraints, and some of these can be made from the
tree itself by removing splits (`_subtrees`). None of them may be below the bound. Nor may the tree be worse than one of
them, because no search has a reason to return such a tree; only a person who chose the tree may have one.

Longer than 400 lines because the checks of both kinds of results share the tolerances at its end.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from treewright._arguments import check_arguments
from treewright._plural import kind_of
from treewright.errors import InputError
from treewright.problem import Problem
from treewright.result import LeafAccuracyResult, SolveResult, SolveStatus
from treewright.tree import Tree
from treewright.verify._counts import check_of_counts
from treewright.verify._facts import TOLERANCE, Facts, is_whole
from treewright.verify._leaf_accuracy import leaf_values, worst_leaf
from treewright.verify._limits import limit_checks
from treewright.verify._missing_side import missing_checks, unchecked_of
from treewright.verify._report import Check, VerificationReport
from treewright.verify._scope import is_latent, scope_check
from treewright.verify._shallow import shallow_checks
from treewright.verify._structure import fault_of_splits, fault_of_structure
from treewright.verify._subtrees import Objective, best_pruning, best_subtree
from treewright.verify._words import (
    MOST_LOST,
    fault_of_fields,
    fault_of_kind,
    has_any_label,
    is_number,
    question_checks,
)

__all__ = ["verify"]

LAST_BITS = 2.0**-50  # of a difference of two values that are at most 1
OF_SUMS = 1e-12  # relative change of a sum of real numbers in another order
AS_GOOD = 1e-13  # two computations of one value differ by less, two shares of whole numbers by more
ROUNDED_VALUE = 4e-6  # error of a leaf's value: methods may round real weights to integers
LARGEST_ROUNDING = 1e-4  # share of an objective: nothing may be called optimal with a larger rounding error
SMALL_SUM = 2.0**29  # up to this sum, methods use whole weights times costs without rounding
ROUNDING = 2.0**-30  # per row: methods may round real weights and costs to integers of 2**-31 of their sum


def verify(
    problem: Problem, claim: SolveResult | Tree, *, min_leaf_accuracy: float | None = None
) -> VerificationReport:
    """Check a tree, or a result with its tree, against the data.

    Parameters
    ----------
    problem : Problem
        The training data and the question; from `treewright.problem.make_problem`.
    claim : SolveResult or Tree
        A tree claims its structure, counts and leaf labels; a result claims its numbers as well.
    min_leaf_accuracy : float, default=None
        Smallest accuracy of a leaf, between 0 and 1, if it was part of the question: the share of a leaf's weight that
        is predicted correctly.

    Returns
    -------
    VerificationReport
        ``report.ok`` is the verdict, ``str(report)`` a table. If the arrays are not a valid tree, the tree does not fit
        the table, or fields of the result have wrong types, the report contains only the checks that were still
        possible.

    Raises
    ------
    InputError
        If `claim` is neither a result nor a tree.

    Notes
    -----
    The checker does not prove that no better tree exists. It recomputes the tree's numbers, compares the certificate
    with the question, and checks the lower bound on all trees that can be made from this one by removing splits.
    The cost is rows times nodes, plus rows times the square of the depth.

    Examples
    --------
    >>> from treewright.problem import make_problem
    >>> from treewright.search import solve
    >>> from treewright.table import table_from
    >>> from treewright.verify import verify
    >>> problem = make_problem(table_from([[20], [30], [40]]), [0, 0, 1])
    >>> verify(problem, solve(problem)).ok
    True
    """
    check_arguments(verify, locals(), "problem")
    if isinstance(claim, SolveResult):
        tree, result = claim.tree, claim
    elif isinstance(claim, Tree):
        tree, result = claim, None
    else:
        raise InputError(f"claim is {kind_of(claim)}; give a SolveResult or a Tree.")
    checks = list(_schema_checks(problem, tree))
    if result is not None:
        fault = fault_of_kind(result) or fault_of_fields(result)
        hint = "The sentence of the certificate depends on it."
        checks.append(_plain("fields of the certificate", fault, "all that its sentence needs", hint))
    unchecked: tuple[str, ...] = ()
    if all(check.ok for check in checks):
        unchecked = unchecked_of(claim)
        facts = Facts.of(problem, tree)
        any_label = result is not None and has_any_label(result)
        checks += _tree_checks(problem, tree, facts, any_label)
        checks += limit_checks(problem, facts)
        if result is not None:
            checks += missing_checks(problem.table, result, problem.sample_weight, facts.rows)
            checks += question_checks(problem, result, min_leaf_accuracy)
            checks.append(scope_check(problem, result))
            checks += shallow_checks(result, problem.max_depth)
            hint = "The loss is not that of this tree on these data."
            checks.append(_close("loss", result.loss, facts.loss, hint, _scale_of_loss(problem)))
            if isinstance(result, LeafAccuracyResult):
                checks += _leaf_accuracy_checks(problem, result, facts)
            else:
                checks += _result_checks(problem, result, facts)
    return VerificationReport(tuple(checks), result is not None, unchecked)


def _schema_checks(problem: Problem, tree: Tree) -> Iterator[Check]:
    fault = fault_of_structure(tree)
    yield _plain("structure", fault, "one tree, numbered depth-first", "The arrays of the tree are no tree.")
    if fault:
        return
    want = [(column.name, column.kind, column.categories, column.ordered) for column in tree.columns]
    have = [(column.name, column.kind, column.categories, column.ordered) for column in problem.table.columns]
    fault = ""
    if len(want) != len(have):
        fault = f"{len(have)} columns"
    elif want != have:
        k = next(k for k, (a, b) in enumerate(zip(want, have, strict=True)) if a != b)
        fault = f"column {k} is {have[k][0]!r} ({have[k][1]}) instead of {want[k][0]!r} ({want[k][1]})"
        if have[k][:2] == want[k][:2]:
            fault = f"column {have[k][0]!r} has other categories"
    yield _plain("columns", fault, f"{len(want)} columns", "Give the table that the tree was made from.")
    if tree.classes is None or not tree.predicts_classes:
        fault = f"a {tree.kind.value} tree"
    else:
        same = tree.classes.tolist() == problem.classes.tolist()
        fault = "" if same else _labels(problem.classes)
    claimed = "classes" if tree.classes is None else _labels(tree.classes)
    yield _plain("classes", fault, claimed, "The labels of the data are not those of the tree.")
    fault = fault_of_splits(tree)
    yield _plain("splits", fault, "columns, categories, labels that exist", "The tree cannot be applied.")


def _tree_checks(problem: Problem, tree: Tree, facts: Facts, any_label: bool) -> Iterator[Check]:
    n_nodes = len(facts.count)
    yield check_of_counts(tree, facts.count)
    near = np.abs(tree.value - facts.weight) <= _tolerance(problem) * facts.weight
    off = ~near.all(axis=1)
    fault = ""
    if off.any():
        node = int(np.argmax(off))
        fault = f"node {node}: {_numbers(tree.value[node])}, the data give {_numbers(facts.weight[node])}"
    hint = "A threshold, a value, the weights or the table was changed."
    yield _plain("class weights in each node", fault, f"{n_nodes} x {problem.n_classes} sums", hint)
    chosen = facts.prices[np.arange(n_nodes), tree.prediction]
    least = facts.prices.min(axis=1)
    is_dear = chosen > least + TOLERANCE * _scale_of_loss(problem) + OF_SUMS * least
    if any_label:  # the labels of leaves may be any; their cost is part of the loss
        is_dear[facts.leaves] = False
    dear = np.flatnonzero(is_dear)
    fault = ""
    if len(dear):
        node = int(dear[0])
        best = problem.classes[int(facts.prices[node].argmin())]
        fault = f"node {node}: {problem.classes[tree.prediction[node]]}, the cheapest is {best}"
    hint = "A node predicts a label that costs more than another one would."
    n_labels = n_nodes - len(facts.leaves) if any_label else n_nodes
    yield _plain(
        f"cheapest label in each {'split' if any_label else 'node'}", fault, f"{n_labels} labels", hint
    )


def _leaf_accuracy_checks(problem: Problem, result: LeafAccuracyResult, facts: Facts) -> Iterator[Check]:
    criterion, confidence = result.options.get("criterion"), result.options.get("confidence")
    per_weight = problem.table.n_rows / problem.total_weight  # observations per weight, for confidence bounds

    def lost(weight: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(1.0 - leaf_values(weight, criterion, confidence, per_weight), dtype=np.float64)

    worst = worst_leaf(result.tree, leaf_values(facts.weight, criterion, confidence, per_weight))
    hint = "The worst leaf of this tree on these data has another value."
    yield _close("worst leaf", result.objective, worst, hint)
    accuracy = worst_leaf(result.tree, leaf_values(facts.weight))
    hint = "The worst leaf of this tree on these data has another accuracy."
    yield _close("accuracy of the worst leaf", float(result.stats["leaf_accuracy"]), accuracy, hint)
    yield _close(
        "lower_bound",
        result.lower_bound,
        worst,
        "The objective of the tree itself is a lower bound on the best worst leaf.",
    )
    bound = result.upper_bound
    yield _check(
        "worst leaf <= upper_bound",
        worst <= bound + TOLERANCE,
        f"<= {bound:.9g}",
        f"{worst:.9g}",
        "The worst leaf of this tree is above the bound, so the bound is wrong.",
    )
    slack = TOLERANCE if is_whole(problem.sample_weight) else ROUNDED_VALUE
    by_solver = "formulation" in result.options
    most = ROUNDED_VALUE if by_solver or not is_whole(problem.sample_weight) else slack
    left = result.rounding  # as the sentence states it
    yield _check(
        "tolerance",
        left <= most,
        f"0 to {most:g}",
        f"{left:.3g}",
        "A proof of the worst leaf may not leave so much open.",
    )
    worst_leaf_of = Objective(lost, max)
    pruned = 1.0 - best_pruning(result.tree, facts, worst_leaf_of)
    yield _check(
        "no pruning is better",
        pruned <= bound + TOLERANCE,
        f"<= {bound:.9g}",
        f"{pruned:.9g}",
        "Cutting this tree back gives a better worst leaf than was claimed possible.",
    )
    subtree = 1.0 - best_subtree(problem, result.tree, facts, worst_leaf_of)
    yield _check(
        "no subtree is better",
        subtree <= min(bound + TOLERANCE, worst + slack + left),
        f"<= {worst:.9g}",
        f"{subtree:.9g}",
        "A part of this tree in place of the whole has a better worst leaf.",
    )
    if result.stats["loss_proven"]:
        yield _loss_check(problem, result, facts, worst)
    gap = bound - worst
    optimal = result.status is not SolveStatus.FEASIBLE
    consistent = not optimal or (result.stop_reason is None and result.stats["value_proven"])
    apart = min(1.0, result.objective + left) - bound  # the sentence states what the bound leaves open
    stated = abs(apart) <= left * TOLERANCE + LAST_BITS and gap <= left + slack
    consistent &= not result.stats["value_proven"] or stated
    consistent &= not result.stats["loss_proven"] or bool(result.stats["value_proven"])
    # Integer programs optimize only the value, and nothing else proves it alone.
    consistent &= not optimal or result.stats["loss_proven"] is not by_solver
    yield _status(result, gap, consistent)


def _loss_check(problem: Problem, result: SolveResult, facts: Facts, worst: float) -> Check:
    """Check that no tree made from this one has fewer errors and a worst leaf that is as good."""
    criterion, confidence = result.options.get("criterion"), result.options.get("confidence")
    per_weight = problem.table.n_rows / problem.total_weight

    def costs(weight: NDArray[np.float64]) -> NDArray[np.float64]:
        cost = (weight @ problem.costs).min(axis=1) / problem.total_weight
        cost[leaf_values(weight, criterion, confidence, per_weight) < worst - AS_GOOD] = np.inf
        return np.asarray(cost, dtype=np.float64)

    subtree = best_subtree(problem, result.tree, facts, Objective(costs, lambda a, b: a + b))
    return _check(
        "no subtree has a smaller loss",
        subtree >= facts.loss - _slack(problem),
        f">= {facts.loss:.9g}",
        f"{subtree:.9g}",
        "A part of this tree in place of the whole is wrong on fewer rows, at a worst leaf as good.",
    )


def _result_checks(problem: Problem, result: SolveResult, facts: Facts) -> Iterator[Check]:
    least_accuracy = result.options.get("min_leaf_accuracy")
    least_accuracy = float(least_accuracy) if is_number(least_accuracy) else 0.0
    if "min_leaf_accuracy" in result.options:
        worst = worst_leaf(result.tree, leaf_values(facts.weight))
        yield _check(
            "min_leaf_accuracy",
            worst >= least_accuracy - TOLERANCE,
            f">= {least_accuracy:.9g}",
            f"{worst:.9g}",
            "A leaf is right on less of its weight than allowed.",
        )
    scale = _scale(problem)
    near = TOLERANCE * scale + OF_SUMS * facts.objective
    yield _close(
        "objective",
        result.objective,
        facts.objective,
        "The objective is not loss + cost_complexity * leaves of this tree on these data.",
        scale,
    )
    bound = float(result.lower_bound)
    yield _check(
        "lower_bound <= objective",
        bound <= facts.objective + near,
        f"{bound:.9g}",
        f"<= {facts.objective:.9g}",
        "The objective of this tree is below the bound, so the bound is wrong.",
    )

    def costs(weight: NDArray[np.float64]) -> NDArray[np.float64]:
        cost = (weight @ problem.costs).min(axis=1) / problem.total_weight + problem.cost_complexity
        cost[leaf_values(weight) < least_accuracy - AS_GOOD] = np.inf
        return np.asarray(cost, dtype=np.float64)

    total = Objective(costs, lambda a, b: a + b)
    pruned = best_pruning(result.tree, facts, total)
    yield _check(
        "no pruning is better",
        pruned >= bound - near,
        f">= {bound:.9g}",
        f"{pruned:.9g}",
        "Cutting this tree back gives a smaller objective than was claimed possible.",
    )
    if is_latent(result):  # nothing was searched: the only bound is that every tree has a leaf
        yield _check(
            "lower_bound of any tree",
            bound <= problem.cost_complexity + near,
            f"<= {problem.cost_complexity:.9g}",
            f"{bound:.9g}",
            "Nothing is proven over linear splits but that every tree has a leaf.",
        )
    else:
        subtree = best_subtree(problem, result.tree, facts, total)
        least = bound if result.is_chosen or _is_solved(result) else facts.objective
        yield _check(
            "no subtree is better",
            subtree >= max(bound - near, least - _slack(problem)),
            f">= {least:.9g}",
            f"{subtree:.9g}",
            "A part of this tree in place of the whole has a smaller objective"
            + (" than was claimed possible." if result.is_chosen else "."),
        )
    gap = facts.objective - bound
    proven = result.status is SolveStatus.OPTIMAL
    consistent = not proven or abs(gap) <= near + _rounding(problem, facts.objective, _is_solved(result))
    consistent &= result.status is SolveStatus.FEASIBLE or result.stop_reason is None
    if result.status is SolveStatus.OPTIMAL_UNDER_GUESSES:
        consistent &= abs(float(result.stats[MOST_LOST]) - gap) <= near
    yield _status(result, gap, consistent)


def _status(result: SolveResult, gap: float, consistent: bool) -> Check:
    return _check(
        "status",
        consistent,
        result.status_in_words,
        f"objective and bound are {gap:.3g} apart"
        + (f", {result.stop_reason.value}" if result.stop_reason else ""),
        "A tree is proven optimal only if the search ended and the bound meets the objective.",
    )


def _check(name: str, ok: bool, expected: str, found: str, message: str) -> Check:
    return Check(name, ok, expected, found, "" if ok else message)


def _plain(name: str, fault: str, expected: str, message: str) -> Check:
    return _check(name, not fault, expected, fault or "as claimed", message)


def _close(name: str, claimed: float, found: float, message: str, scale: float = 1.0) -> Check:
    near = abs(claimed - found) <= TOLERANCE * scale + OF_SUMS * abs(found)
    return _check(name, near, f"{claimed:.9g}", f"{found:.9g}", message)


def _scale(problem: Problem) -> float:
    """Return the largest possible objective, at most 1; it is far below 1 for costs of 1e-12 without a leaf penalty."""
    return min(1.0, float(problem.costs.max()) + problem.cost_complexity)


def _scale_of_loss(problem: Problem) -> float:
    return min(1.0, float(problem.costs.max()))


def _tolerance(problem: Problem) -> float:
    """Return the relative error of sums of weights: whole weights are exact in any order, others are rounded."""
    return 0.0 if is_whole(problem.sample_weight) else TOLERANCE


def _slack(problem: Problem) -> float:
    """Return how far the bound of a proven optimum may be below its objective."""
    scale = _scale(problem)
    if is_whole(problem.sample_weight) and is_whole(problem.costs):
        return TOLERANCE * scale
    return TOLERANCE * scale + ROUNDING * problem.table.n_rows * max(scale, float(problem.costs.max()))


def _is_solved(result: SolveResult) -> bool:
    """Whether a solver proved the tree optimal, which leaves open what it tolerates."""
    return result.options.get("method") == "mip" and result.status is SolveStatus.OPTIMAL


def _rounding(problem: Problem, objective: float, by_solver: bool) -> float:
    """Return the largest gap that a proof may leave; the certificate's sentence states the gap.

    Whole numbers with a small sum are searched without rounding. Others may have been rounded. A solver of
    mixed-integer programs has a tolerance whatever the numbers are.
    """
    whole = is_whole(problem.sample_weight) and is_whole(problem.costs)
    if not by_solver and whole and problem.total_weight * problem.costs.max() < SMALL_SUM:
        return 0.0
    return LARGEST_ROUNDING * objective


def _labels(classes: NDArray[np.generic]) -> str:
    shown = [str(label) for label in classes.tolist()]
    return ", ".join(shown[:4]) + (f", ... ({len(shown)})" if len(shown) > 4 else "")


def _numbers(values: NDArray[np.float64]) -> str:
    return "[" + " ".join(f"{value:g}" for value in values[:5]) + (" ...]" if len(values) > 5 else "]")
