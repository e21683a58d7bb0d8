"""Positions of labels from a file or from a user among the classes of a tree."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import InputError

__all__ = ["label_positions"]

SHOWN_UNKNOWN, SHOWN_KNOWN = 5, 20  # how many labels an error message lists


def label_positions(
    labels: NDArray[Any], classes: NDArray[Any], who: str, advice: str = ""
) -> NDArray[np.int64]:
    """Return the position of each label among `classes`.

    Parameters
    ----------
    labels : ndarray of shape (n,)
    classes : ndarray of shape (n_classes,)
        All different, in any order.
    who : str
        Beginning of the error message, such as "y holds".
    advice : str, default=""
        End of the error message: what to do.

    Returns
    -------
    ndarray of shape (n,), int64

    Raises
    ------
    InputError
        If a label is not among `classes`, or has another type than they have; the message ends with `advice`.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.tree import label_positions
    >>> label_positions(np.array(["yes", "no"]), np.array(["no", "yes"]), "the file holds")
    array([1, 0])
    """
    known = {label: k for k, label in enumerate(classes.tolist())}
    given = labels.tolist()
    positions = np.array([known.get(label, -1) for label in given], dtype=np.int64)
    if (positions < 0).any():
        unknown = sorted({repr(given[row]) for row in np.flatnonzero(positions < 0).tolist()})
        message = (
            f"{who} labels that are not known here: {', '.join(unknown[:SHOWN_UNKNOWN])}. Known are "
            f"{', '.join(map(repr, list(known)[:SHOWN_KNOWN]))}."
        )
        raise InputError(f"{message} {advice}" if advice else message)
    return positions
