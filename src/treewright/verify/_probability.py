"""Check a probability tree and its certificate against the data, without any code of the search."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from treewright.problem import ProbabilityProblem
from treewright.result import ProbabilityResult, SolveResult
from treewright.tree import Tree, TreeKind
from treewright.verify._additive import RELATIVE, Mean, Question, check, same_classes, verify_additive
from treewright.verify._report import Check, VerificationReport

__all__ = ["verify_probability"]

Rows = NDArray[np.int64]


def verify_probability(problem: ProbabilityProblem, claim: SolveResult | Tree) -> VerificationReport:
    """Check a probability tree, or a result with its tree, against the data.

    Parameters
    ----------
    problem : ProbabilityProblem
        The training data and the question; from `treewright.problem.make_probability_problem`.
    claim : ProbabilityResult or Tree
        A tree claims its structure, counts and values; a result claims its numbers as well.

    Returns
    -------
    VerificationReport
        ``report.ok`` is the verdict, ``str(report)`` a table.

    Examples
    --------
    >>> from treewright.problem import make_probability_problem
    >>> from treewright.search import solve_probability
    >>> from treewright.table import table_from
    >>> from treewright.verify import verify_probability
    >>> problem = make_probability_problem(table_from([[20], [30], [40]]), [0, 0, 1], max_depth=1)
    >>> verify_probability(problem, solve_probability(problem)).ok
    True
    """
    question = Question(
        problem,
        TreeKind.CLASSIFICATION,
        ProbabilityResult,
        problem.criterion,
        lambda rows: LOSSES[problem.criterion](_weights(problem, rows)),
        lambda tree, rows: _values(problem, tree, rows),
        means=lambda tree, rows: _scores(problem, tree, rows),
    )
    return verify_additive(question, claim)


def _scores(problem: ProbabilityProblem, tree: Tree, rows: list[Rows]) -> dict[str, Mean]:
    """Return the mean scores on the training rows: of the tree, and of a single leaf."""
    name = {"brier": "brier_score", "log_loss": "log_loss"}[problem.criterion]
    cost, total = LOSSES[problem.criterion], float(problem.sample_weight.sum())
    single = cost(_weights(problem, rows[0])) / total
    leaves = [rows[node] for node in np.flatnonzero(tree.is_leaf) if len(rows[node])]  # no rows, no cost
    score = sum(cost(_weights(problem, here)) / total for here in leaves)
    return {name: Mean(score, single), f"single_leaf_{name}": Mean(single, single)}


def _weights(problem: ProbabilityProblem, rows: Rows) -> NDArray[np.float64]:
    found = np.bincount(problem.y[rows], problem.sample_weight[rows], len(problem.classes))
    return np.asarray(found, dtype=np.float64)


def _gini(weights: NDArray[np.float64]) -> float:
    """Return the weighted Gini impurity, computed for each class from the others' weight, so that nothing cancels."""
    total = weights.sum()
    share = weights / total
    others = np.array([np.delete(weights, k).sum() for k in range(len(weights))])
    return float((share * others).sum())


def _log_loss(weights: NDArray[np.float64]) -> float:
    """Return the log loss of the shares, computed for each class from the others' weight, so that nothing cancels."""
    total = weights.sum()
    others = np.array([np.delete(weights, k).sum() for k in range(len(weights))])
    seen = weights > 0
    with np.errstate(divide="ignore"):  # the logarithm of a share close to 0
        few = np.log1p(-np.minimum(others / total, 0.5))  # for a class with most of the weight
        lacks = np.where(others < weights, few, np.log(np.where(seen, weights / total, 1.0)))
    return float(-(weights * lacks)[seen].sum())


LOSSES = {"brier": _gini, "log_loss": _log_loss}


def _values(problem: ProbabilityProblem, tree: Tree, rows: list[Rows]) -> Iterator[Check]:
    same = same_classes(problem.classes, tree)
    yield same
    if not same.ok:
        return
    fault, class_fault = "", ""
    for node, here in enumerate(rows):
        if len(here) == 0:
            fault = f"node {node} has no rows"
            break
        weights = _weights(problem, here)
        if not np.allclose(weights, tree.value[node], rtol=RELATIVE, atol=0):
            fault = fault or f"node {node}: {weights.tolist()}"
        most = float(weights.max())
        if weights[tree.prediction[node]] < most * (1 - RELATIVE):
            class_fault = class_fault or f"node {node}: class {int(weights.argmax())} has more weight"
    yield check("weights of classes in each node", not fault, f"{len(rows)} nodes", fault)
    yield check("prediction of each node", not class_fault, "the class of most weight", class_fault)
