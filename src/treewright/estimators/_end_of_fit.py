"""What every `fit` of one exact search does with its result."""

from __future__ import annotations

import warnings

from sklearn.exceptions import ConvergenceWarning

from treewright.estimators._interrupt import settle_interrupt
from treewright.result import SolveResult, SolveStatus

__all__ = ["end_of_fit"]


def end_of_fit(result: SolveResult, smaller: str = "a smaller max_depth or a larger cost_complexity") -> None:
    """Warn the caller of `fit`, which calls this, where nothing is proven, and pass Ctrl-C on to a loop over fits.

    Parameters
    ----------
    result : SolveResult
    smaller : str
        What makes the problem smaller.
    """
    if result.status is SolveStatus.FEASIBLE:
        advice = f"Raise time_limit, or make the problem smaller: {smaller}."
        if result.is_only_rounded:
            advice = (
                "The search ended, and more time brings no proof: give weights, costs or targets that differ less in "
                "size, or fewer digits of them."
            )
        warnings.warn(f"{result.sentence()} {advice}", ConvergenceWarning, stacklevel=3)
    settle_interrupt(result.asked_to_stop)
