"""What is proven of shallower trees where a search for deeper ones was stopped, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from treewright.result._solve import ROUNDING, constraints_in_words
from treewright.tree import power_at_most

__all__ = ["is_shallow_note", "shallow_note"]

BEGINNING = "Proven of shallower trees: no tree"  # of each such note


def shallow_note(options: Mapping[str, Any], depth: int, objective: float, left: float = 0.0) -> str:
    """Return the note of a stopped search which says that no tree up to a given depth is better than the one found.

    Parameters
    ----------
    options : mapping
        Of the result: the other limits that the trees had to keep.
    depth : int
        Largest depth for which this is proven.
    objective : float
        Of the tree found.
    left : float, default=0.0
        By how much rounded weights may hide a better one.

    Examples
    --------
    >>> from treewright.result import shallow_note
    >>> shallow_note({}, depth=2, objective=0.1)
    'Proven of shallower trees: no tree of depth at most 2 has a smaller objective than this one.'
    """
    words = f"{BEGINNING}{constraints_in_words({**options, 'max_depth': depth})}"
    if left > ROUNDING * abs(objective):
        return f"{words} is better than this one by more than {power_at_most(left, 2)}."
    return f"{words} has a smaller objective than this one."


def is_shallow_note(note: str) -> bool:
    """Return whether a note says that no shallower tree is better.

    Parameters
    ----------
    note : str

    Examples
    --------
    >>> from treewright.result import is_shallow_note, shallow_note
    >>> is_shallow_note(shallow_note({}, depth=2, objective=0.1)), is_shallow_note("Another note.")
    (True, False)
    """
    return note.startswith(BEGINNING)
