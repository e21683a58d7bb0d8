"""From a tree with the best worst leaf to a result; the same for the search and for mixed-integer programs.

As in `_result.py`, every tree is pruned before it is handed out. Prunings with a better worst leaf, or with one as good
and a smaller loss, refute what was claimed.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import Any, Literal

from treewright._arguments import check_arguments
from treewright.problem import Problem
from treewright.result import LeafAccuracyResult, SolveStatus, StopReason
from treewright.search._prune import best_worst_leaf
from treewright.search._result import ROUNDING, SECONDS_OF_PRUNING, measured, refute
from treewright.tree import Tree, settle_missing, wilson_interval

__all__ = ["Criterion", "leaf_accuracy_result_of", "leaf_value"]

Criterion = Literal["accuracy", "lower_bound"]
AS_GOOD = 2.0**-40  # relative; values as good in the second pass of the engine (target.hpp)
FLOAT = 1e-9  # of a value or a loss: what float64 sums of weights may differ by from the numbers of an engine


def leaf_value(
    correct: float, weight: float, criterion: Criterion = "accuracy", confidence: float = 0.95
) -> float:
    """Return the value of a leaf: its accuracy, or the lower confidence bound of that accuracy.

    Parameters
    ----------
    correct : float
        Weight of the rows that the leaf predicts right, 0 to `weight`.
    weight : float
        Weight of all its rows, above 0; for the bound, that many observations.
    criterion : {"accuracy", "lower_bound"}, default="accuracy"
    confidence : float, default=0.95
        Of the one-sided Wilson bound: with this confidence the leaf's accuracy on new rows is at least the bound, if
        the leaf was not chosen by looking at these rows.

    Returns
    -------
    float

    References
    ----------
    E. B. Wilson (1927). Probable inference, the law of succession, and statistical inference. JASA 22.

    Examples
    --------
    >>> from treewright.search import leaf_value
    >>> leaf_value(9, 10), round(leaf_value(9, 10, "lower_bound"), 3)
    (0.9, 0.652)
    """
    check_arguments(leaf_value, locals(), "correct", "weight")
    if criterion == "accuracy" or confidence == 0.5:
        return correct / weight
    return wilson_interval(correct, weight, 2 * confidence - 1)[0]  # its upper end is not asked for


def leaf_accuracy_result_of(
    problem: Problem,
    tree: Tree,
    *,
    criterion: Criterion,
    confidence: float | None,
    value_proven: bool,
    loss_proven: bool,
    upper_bound: float,
    tolerance: float = FLOAT,
    within: float = 0.0,
    value_alone: bool = False,
    scope: str,
    stop: StopReason | None,
    stats: dict[str, Any],
    options: dict[str, Any],
    notes: tuple[str, ...],
) -> LeafAccuracyResult:
    """Put a tree and what was proven about its worst leaf into a result; value and loss are recomputed from the tree.

    Parameters
    ----------
    problem : Problem
        With plain costs.
    tree : Tree
    criterion : {"accuracy", "lower_bound"}
    confidence : float or None
        Of the lower bound; None for "accuracy".
    value_proven : bool
        Whether no tree has a better worst leaf.
    loss_proven : bool
        Whether it is also proven that no tree with an equally good worst leaf has a smaller loss or, at the same loss,
        fewer leaves.
    upper_bound : float
        No tree has a better worst leaf than this.
    tolerance : float, default=1e-9
        By how much a proof in floating point may be wrong.
    within : float, default=0.0
        By how much a worst leaf may be better than that of this tree although the value is proven; the sentence says
        it.
    value_alone : bool, default=False
        Whether only a proof of the value was requested.
    scope : str
    stop : StopReason or None
        What ended the run early.
    stats, options : dict
    notes : tuple of str

    Returns
    -------
    LeafAccuracyResult
        Without any claim if a pruning of the tree refutes one.

    Warns
    -----
    RefutedProofWarning
        A pruning of the tree is better than was claimed possible.

    Examples
    --------
    >>> from treewright.problem import make_problem
    >>> from treewright.search import leaf_accuracy_result_of, solve
    >>> from treewright.table import table_from
    >>> problem = make_problem(table_from([[20], [30], [40]]), [0, 0, 1], max_depth=1)
    >>> tree = solve(problem).tree
    >>> about = {"scope": "all thresholds", "stop": None, "stats": {}, "options": {}, "notes": ()}
    >>> result = leaf_accuracy_result_of(
    ...     problem, tree, criterion="accuracy", confidence=None, value_proven=True, loss_proven=True, upper_bound=1.0,
    ...     **about,
    ... )
    >>> result.status.name, result.objective
    ('OPTIMAL', 1.0)
    """
    z = NormalDist().inv_cdf(confidence) if criterion == "lower_bound" and confidence is not None else 0.0
    value, accuracy = _worst(tree, problem, criterion, confidence)
    loss = measured(problem, tree)[0]
    pruned = best_worst_leaf(problem, tree, z=z, seconds=SECONDS_OF_PRUNING).tree
    pruned_value, pruned_accuracy = _worst(pruned, problem, criterion, confidence)
    pruned_loss = measured(problem, pruned)[0]
    is_as_good = pruned_value <= value * (1 + AS_GOOD)  # the loss then decides
    if pruned is not tree and pruned_value >= value - ROUNDING and not (is_as_good and pruned_loss > loss):
        most = value + within if value_proven else upper_bound
        note = None
        if pruned_value > most + tolerance:
            note = refute(f"no worst leaf above {most:.9g}", f"one of {pruned_value:.9g}")
        elif loss_proven and pruned_loss < loss - tolerance:
            note = refute(f"no loss below {loss:.9g} with such a worst leaf", f"{pruned_loss:.9g}")
        if note is not None:
            notes = (*notes, note)
            value_proven, loss_proven, upper_bound = False, False, 1.0
        within = max(0.0, within - max(0.0, pruned_value - value))
        tree, value, accuracy, loss = pruned, pruned_value, pruned_accuracy, pruned_loss
    proven = value_proven and (loss_proven or value_alone)
    within = within if value_proven else 0.0
    upper = min(1.0, value + within) if value_proven else max(value, upper_bound)
    constraints = {name: getattr(problem, name) for name in ("max_depth", "min_samples_leaf")}
    return LeafAccuracyResult(
        tree=settle_missing(tree, problem.table.X, problem.sample_weight),
        status=SolveStatus.OPTIMAL if proven else SolveStatus.FEASIBLE,
        objective=value,
        lower_bound=value,
        loss=loss,
        scope=scope,
        stop_reason=None if proven else stop,
        stats=stats
        | {
            "upper_bound": upper,
            "value_proven": value_proven,
            "loss_proven": loss_proven,
            "leaf_accuracy": accuracy,
        }
        | ({"tolerance": within} if within > 0 else {}),
        options={
            "method": "leaf-accuracy",
            "criterion": criterion,
            "confidence": confidence,
            **constraints,
            **options,
        },
        notes=(*problem.notes, *notes),
    )


def _worst(
    tree: Tree, problem: Problem, criterion: Criterion, confidence: float | None
) -> tuple[float, float]:
    """Return the value and the accuracy of the worst leaf, each the smallest."""
    leaves = tree.value[tree.is_leaf]
    per_weight = problem.table.n_rows / problem.total_weight  # observations of the bound
    pairs = list(zip(leaves.max(axis=1).tolist(), leaves.sum(axis=1).tolist(), strict=True))
    accuracy = min(leaf_value(c, w) for c, w in pairs)
    if criterion == "accuracy" or confidence is None:
        return accuracy, accuracy
    return min(leaf_value(c * per_weight, w * per_weight, criterion, confidence) for c, w in pairs), accuracy
