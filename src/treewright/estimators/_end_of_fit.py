"""What every `fit` for an additive loss does with its result."""

from __future__ import annotations

import warnings

from sklearn.exceptions import ConvergenceWarning

from treewright.estimators._interrupt import settle_interrupt
from treewright.result import SolveResult, SolveStatus

__all__ = ["end_of_fit"]


def end_of_fit(result: SolveResult, stacklevel: int = 3) -> None:
    """Warn the caller of `fit` where nothing is proven, and pass Ctrl-C on to a loop over fits.

    Parameters
    ----------
    result : SolveResult
    stacklevel : int, default=3
        Of the warning: the caller of the function that calls this one.
    """
    if result.status is SolveStatus.FEASIBLE:
        warnings.warn(
            f"{result.sentence()} Raise time_limit, or make the problem smaller: a smaller max_depth or a larger "
            "cost_complexity.",
            ConvergenceWarning,
            stacklevel=stacklevel,
        )
    settle_interrupt(result.stop_reason)
