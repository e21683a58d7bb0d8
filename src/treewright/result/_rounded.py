"""What may bring a proof where a search ended, but its numbers were rounded too far for one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["after_rounding"]

# Computed logarithms have an error however few digits the numbers have; squares of whole numbers have none.
WITHOUT_LOGARITHMS = {"poisson": "squared_error", "gamma": "squared_error", "log_loss": "brier"}


def _as_argument(criterion: str) -> str:
    return f"criterion={criterion!r}"


def after_rounding(options: Mapping[str, Any], named: Callable[[str], str] = _as_argument) -> str:
    """Say what may bring a proof, in words that go on from "give".

    Parameters
    ----------
    options : mapping
        Of the result.
    named : callable, default=as an argument of Python
        From a criterion to the words that ask for it.

    Examples
    --------
    >>> from treewright.result._rounded import after_rounding
    >>> after_rounding({"criterion": "poisson"})
    "criterion='squared_error', which needs no logarithms"
    >>> after_rounding({})
    'weights, costs or targets that differ less in size, or fewer digits of them'
    """
    simpler = WITHOUT_LOGARITHMS.get(str(options.get("criterion")))
    if simpler is not None:
        return f"{named(simpler)}, which needs no logarithms"
    return "weights, costs or targets that differ less in size, or fewer digits of them"
