"""`treewright fit --objective leaf-accuracy`: the tree whose worst leaf is most accurate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treewright.errors import InputError

if TYPE_CHECKING:
    from treewright.problem import Problem
    from treewright.result import LeafAccuracyResult
    from treewright.search import Guesses

__all__ = [
    "LEAF_ACCURACY",
    "MAX_DEPTH",
    "MIN_SAMPLES_LEAF",
    "THRESHOLDS",
    "refuse_others",
    "search_leaf_accuracy",
]

LEAF_ACCURACY = "leaf-accuracy"
MAX_DEPTH = 4  # as in LeafAccuracyTreeClassifier
MIN_SAMPLES_LEAF = "0.05"
THRESHOLDS = "16"


def refuse_others(
    cost_complexity: float | None, max_leaf_nodes: int | None, cost: list[str] | None, guesses: Guesses
) -> None:
    """Refuse options that this objective has no use for."""
    if cost_complexity is not None or max_leaf_nodes is not None or cost:
        raise InputError(
            "--objective leaf-accuracy takes none of --cost-complexity, --max-leaf-nodes, --cost; leave them out."
        )
    if guesses.depth or guesses.lower_bounds:
        raise InputError("--objective leaf-accuracy can guess thresholds only: --guess thresholds.")


def search_leaf_accuracy(
    problem: Problem, thresholds: Any, guesses: Guesses, criterion: str, confidence: float, **how: Any
) -> LeafAccuracyResult:
    """Search with the options of the command line."""
    from treewright.search import solve_leaf_accuracy, thresholds_from_reference

    if guesses.thresholds:
        thresholds = thresholds_from_reference(problem, guesses.reference, limits=how["limits"].started())
    return solve_leaf_accuracy(
        problem,
        thresholds,
        criterion=criterion.replace("-", "_"),  # type: ignore[arg-type]  # solve_leaf_accuracy checks it
        confidence=confidence,
        **how,
    )
