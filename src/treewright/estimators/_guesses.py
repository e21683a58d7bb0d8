"""From the parameters of an estimator to what is guessed, and warnings about guesses that were poor."""

from __future__ import annotations

import warnings
from typing import Any

from treewright.errors import InputError, PoorGuessWarning
from treewright.result import SolveResult
from treewright.search import Guesses

__all__ = ["guesses_of", "warn_of_poor_guess"]


def guesses_of(estimator: Any) -> Guesses:
    """Read `thresholds`, `max_depth`, `guess_lower_bounds`, `reference` and `guess_tolerance`.

    Parameters
    ----------
    estimator : object

    Returns
    -------
    Guesses

    Raises
    ------
    InputError
        A reference or a tolerance that nothing uses, or a value of another type.
    """
    if not isinstance(estimator.guess_lower_bounds, bool):
        raise InputError(f"guess_lower_bounds={estimator.guess_lower_bounds!r}; give True or False.")
    if isinstance(estimator.max_depth, str) and estimator.max_depth != "guess":
        raise InputError(f'max_depth={estimator.max_depth!r}; give an integer, "guess" or None.')
    guesses = Guesses(
        thresholds=isinstance(estimator.thresholds, str) and estimator.thresholds == "guess",
        depth=isinstance(estimator.max_depth, str),
        lower_bounds=estimator.guess_lower_bounds,
        reference=estimator.reference,
        tolerance=estimator.guess_tolerance,
    )
    if estimator.reference is not None and not guesses.any:
        raise InputError(
            'reference was given, but nothing is guessed from it; add thresholds="guess", '
            'max_depth="guess" or guess_lower_bounds=True, or leave reference out.'
        )
    if estimator.guess_tolerance != 0 and not guesses.thresholds:
        raise InputError(
            f'guess_tolerance={estimator.guess_tolerance!r} is for thresholds="guess", but '
            f"thresholds={estimator.thresholds!r}."
        )
    return guesses


def warn_of_poor_guess(result: SolveResult, stacklevel: int) -> None:
    """Warn if the reference is no better than a leaf, or if its lower bounds are known to have cost something."""
    stats = result.stats
    if stats.get("guess_is_poor"):
        warnings.warn(
            f"The reference is right on {100 * stats['reference_accuracy']:.2f}% of the training weight, "
            "no better than a single leaf; what was guessed from it is worth little. Give a better "
            "reference.",
            PoorGuessWarning,
            stacklevel=stacklevel,
        )
    elif (stats.get("guessed_objective") or 0.0) > result.objective + 1e-12:
        warnings.warn(
            "The guessed lower bounds do not hold: they led to objective "
            f"{stats['guessed_objective']:.6f}, and a short search without them, or with lower ones, found "
            f"{result.objective:.6f}, which was kept. Use a better reference, or guess_lower_bounds=False with "
            "a longer time_limit.",
            PoorGuessWarning,
            stacklevel=stacklevel,
        )
