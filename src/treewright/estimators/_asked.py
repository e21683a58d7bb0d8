"""What the estimators of additive losses ask of a search: limits, penalty and switches, read in one place."""

from __future__ import annotations

from typing import Any, Protocol

from treewright.errors import InputError
from treewright.search import Limits, RankedOptions

__all__ = ["Asks", "limits_of", "penalty_and_limits", "ranked_options"]


class Asks(Protocol):
    """Parameters that these estimators share; their meaning stands in each docstring."""

    cost_complexity: float
    max_depth: int | None
    max_leaf_nodes: int | None
    min_samples_leaf: int | float
    time_limit: float | None
    step_limit: int | None
    memory_limit: int | None
    search_options: Any


def limits_of(estimator: Asks, n_jobs: int | None = 1) -> Limits:
    """Return the limits of a fit, whose clock runs from now, with so many threads for one search."""
    return Limits(estimator.time_limit, estimator.step_limit, estimator.memory_limit, n_jobs=n_jobs).started()


def penalty_and_limits(estimator: Asks) -> dict[str, Any]:
    """Return the leaf penalty and the constraints, for the maker of the problem, which checks them."""
    names = ("cost_complexity", "max_depth", "max_leaf_nodes", "min_samples_leaf")
    return {name: getattr(estimator, name) for name in names}


def ranked_options(options: Any) -> RankedOptions | None:
    """Return the switches of the search over all thresholds.

    Raises
    ------
    InputError
        They are something else.
    """
    if options is not None and not isinstance(options, RankedOptions):
        raise InputError(f"search_options={options!r}; give a treewright.search.RankedOptions or None.")
    return options
