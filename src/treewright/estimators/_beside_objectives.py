"""Which parameters of `OptimalTreeClassifier` an objective of its own leaves no room for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from treewright.errors import InputError

__all__ = ["refuse_beside_f1", "refuse_beside_row_costs"]


def refuse_beside_row_costs(estimator: Any) -> None:
    """Refuse parameters that would be overlooked where every row has costs of its own."""
    unused = {
        "objective": estimator.objective != "accuracy",
        "thresholds": estimator.thresholds not in ("auto", "all"),
    }
    why = "cannot be used with row_costs, which say what every prediction costs and are minimised over all thresholds"
    _refuse(estimator, unused, why)


def refuse_beside_f1(estimator: Any) -> None:
    """Refuse parameters that would be overlooked where the largest F1 is asked for."""
    unused = {"thresholds": isinstance(estimator.thresholds, str) and estimator.thresholds == "guess"}
    why = 'cannot be used with objective="f1", which sets the costs of both kinds of errors itself'
    _refuse(estimator, unused, why)


def _refuse(estimator: Any, unused: Mapping[str, bool], why: str) -> None:
    """Refuse what both leave no room for, and what is `unused` beside one of them."""
    of_both = {
        "costs": estimator.costs is not None,
        "min_leaf_accuracy": estimator.min_leaf_accuracy is not None,
        "max_depth": estimator.max_depth == "guess",
        "guess_lower_bounds": estimator.guess_lower_bounds,
    }
    for name, is_set in {**of_both, **unused}.items():
        if is_set:
            raise InputError(f"{name}={getattr(estimator, name)!r} {why}; leave one of the two out.")
