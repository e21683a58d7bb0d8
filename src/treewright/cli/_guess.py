"""The options of `treewright fit` that say what to guess, and from which reference model."""

from __future__ import annotations

from typing import Any

from treewright.errors import InputError

__all__ = ["read_guesses"]

GUESSED = ("thresholds", "depth", "bounds")


def read_guesses(
    guess: str,
    *,
    reference: str | None,
    n_estimators: int | None,
    reference_depth: int | None,
    tolerance: float | None,
    thresholds: str,
    max_depth: int | None,
) -> Any:
    """Read what to guess; each option that nothing would use is refused.

    Parameters
    ----------
    guess : str
        Comma-separated parts of "thresholds,depth,bounds", or "" for nothing.
    reference : str or None
        Name of the reference model; None is "gbdt".
    n_estimators, reference_depth : int or None
        Its size; None is 40 trees, and depth 1. Without a name and a size, a size is chosen on held-out rows.
    tolerance : float or None
        Largest fall of its training accuracy in column elimination; None is 0.
    thresholds : str
        Value of ``--thresholds``, which must be its default if thresholds are guessed.
    max_depth : int or None
        Value of ``--max-depth``, which must be None if the depth is guessed.

    Returns
    -------
    Guesses

    Raises
    ------
    InputError
        An unknown part or reference, or options that contradict each other.
    """
    from treewright.guess import named_reference
    from treewright.search import Guesses

    parts = [part.strip() for part in guess.split(",") if part.strip()]
    unknown = [part for part in parts if part not in GUESSED]
    if unknown:
        raise InputError(f"--guess names {unknown[0]!r}; give a comma-separated part of {','.join(GUESSED)}.")
    given = {
        "--reference": reference,
        "--n-estimators": n_estimators,
        "--reference-depth": reference_depth,
        "--guess-tolerance": tolerance,
    }
    unused = [option for option, value in given.items() if value is not None]
    if unused and not parts:
        raise InputError(f"{unused[0]} is given, but nothing is guessed; add --guess {','.join(GUESSED)}.")
    if tolerance is not None and "thresholds" not in parts:
        raise InputError("--guess-tolerance is for guessed thresholds; add --guess thresholds.")
    if "thresholds" in parts and thresholds != "auto":
        raise InputError(f"--guess thresholds and --thresholds {thresholds} contradict each other; give one.")
    if "depth" in parts and max_depth is not None:
        raise InputError(f"--guess depth and --max-depth {max_depth} contradict each other; give one.")
    if not parts:
        return Guesses()
    return Guesses(
        thresholds="thresholds" in parts,
        depth="depth" in parts,
        lower_bounds="bounds" in parts,
        reference=None
        if (reference, n_estimators, reference_depth) == (None, None, None)
        else named_reference(
            reference or "gbdt",
            40 if n_estimators is None else n_estimators,
            1 if reference_depth is None else reference_depth,
        ),
        tolerance=tolerance or 0.0,
    )
