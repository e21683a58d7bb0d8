"""Check a born-again tree and its certificate against the ensemble: sizes, bounds, and equal predictions.

The certificate claims nothing about labels, so no table is needed. That no smaller faithful tree exists is proven by
the method and cannot be recomputed; its bounds are compared with the tree.
"""

from __future__ import annotations

from collections.abc import Iterator

from treewright.convert import Ensemble
from treewright.result import BornAgainResult, SolveStatus
from treewright.verify._domain_check import domain_check, same_as_claimed
from treewright.verify._faithful import check_faithful
from treewright.verify._report import Check, VerificationReport
from treewright.verify._structure import fault_of_splits, fault_of_structure
from treewright.verify._words import fault_of_fields, is_number

__all__ = ["verify_born_again"]

# What each objective minimizes: the bound on it must be equal to the tree's own number if the tree is called optimal.
PROVEN = {
    "depth": ("depth",),
    "leaves": ("leaves",),
    "depth-leaves": ("depth", "leaves"),
    "heuristic": ("leaves",),
}
OF_ROWS = (
    "Not checked: what nodes say of training rows, and the labels of splits; no decision depends on them."
)


def verify_born_again(ensemble: Ensemble, result: BornAgainResult) -> VerificationReport:
    """Check a born-again tree and its certificate against the ensemble.

    Parameters
    ----------
    ensemble : Ensemble
    result : BornAgainResult
        Result for the whole ensemble. A tree that was pruned with rows agrees with the ensemble only on those rows, and
        cannot be verified here.

    Returns
    -------
    VerificationReport
        Contains a check for every statement of the certificate's sentence.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from treewright.bornagain import Ensemble, solve
    >>> from treewright.verify import verify_born_again
    >>> forest = RandomForestClassifier(3, max_depth=1, random_state=0).fit([[1], [2], [3], [4]], [0, 0, 1, 1])
    >>> ensemble = Ensemble.from_model(forest)
    >>> verify_born_again(ensemble, solve(ensemble)).ok
    True
    """
    tree = result.tree
    checks = []
    fault = fault_of_structure(tree) or fault_of_splits(tree)
    checks.append(
        _check("structure", fault, "one tree, numbered depth-first", "The arrays of the tree are no tree.")
    )
    fault = fault_of_fields(result) or _fault_of_stats(result)
    hint = "The sentence of the certificate depends on it."
    checks.append(_check("fields of the certificate", fault, "all that its sentence needs", hint))
    if all(check.ok for check in checks):
        checks += _size_checks(ensemble, result)
        faithful = check_faithful(tree, ensemble)
        fault = "" if faithful.faithful else faithful.sentence()
        checks.append(
            _check("decides like the ensemble", fault, ensemble.scope, "The tree is of another ensemble.")
        )
    return VerificationReport(tuple(checks), claims_bound=True, unchecked=(OF_ROWS,))


def _fault_of_stats(result: BornAgainResult) -> str:
    if result.options.get("objective") not in tuple(PROVEN):
        return f"options: objective is {result.options.get('objective')!r:.60}"
    for name in ("ensemble_trees", "ensemble_leaves", "depth_lower_bound", "leaves_lower_bound"):
        if not is_number(result.stats.get(name)):
            return f"stats: {name} is {result.stats.get(name)!r:.60}"
    return ""


def _size_checks(ensemble: Ensemble, result: BornAgainResult) -> Iterator[Check]:
    tree, stats, objective = result.tree, result.stats, str(result.options["objective"])
    size = {"depth": tree.depth, "leaves": tree.n_leaves}
    yield same_as_claimed("scope", result.scope, ensemble.scope)
    yield domain_check(ensemble, result)
    yield same_as_claimed("trees of the ensemble", stats["ensemble_trees"], len(ensemble.trees))
    yield same_as_claimed("leaves of the ensemble", stats["ensemble_leaves"], ensemble.n_leaves)
    yield same_as_claimed("loss", result.loss, 0)
    value = size["depth" if objective == "depth" else "leaves"]
    yield same_as_claimed("objective", result.objective, value)
    for name, here in size.items():
        bound = stats[f"{name}_lower_bound"]
        # With "depth-leaves" the bound on leaves holds for trees of the least depth; this one may be deeper.
        other = objective == "depth-leaves" and name == "leaves" and tree.depth > stats["depth_lower_bound"]
        fault = f"{here}" if bound > here and not other else ""
        yield _check(
            f"{name}_lower_bound", fault, f"at least {bound}", "This tree is smaller: the bound is wrong."
        )
    fault = "" if result.lower_bound <= value else f"{value}"
    yield _check(
        "lower_bound", fault, f"at least {result.lower_bound:g}", "This tree is smaller: the bound is wrong."
    )
    fault = ""
    if result.status is SolveStatus.OPTIMAL_UNDER_GUESSES:
        fault = "nothing is guessed"
    elif result.status is SolveStatus.OPTIMAL:
        open_ = [name for name in PROVEN[objective] if stats[f"{name}_lower_bound"] != size[name]]
        open_ += [] if result.lower_bound == value else ["objective"]
        open_ += [] if result.stop_reason is None else [result.stop_reason.value]
        fault = ", ".join(open_)
    hint = "A tree is proven least only if the search ended and the bounds meet its size."
    yield _check("status", fault, result.status.value, hint)


def _check(name: str, fault: str, expected: str, message: str) -> Check:
    return Check(name, not fault, expected, fault or "as claimed", message if fault else "")
