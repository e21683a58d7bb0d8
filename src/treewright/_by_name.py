"""Columns of a frame that are named as the labels they are for: the names say which is which, not their order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import InputError

__all__ = ["by_name", "column_names"]

UNNAMED = ("{}", "column_{}")  # columns of a frame made without names: pandas, polars


def column_names(values: Any) -> list[Any] | None:
    """Return the names of the columns of a frame, or of the numbers of a pandas Series; None of anything else."""
    for attribute in ("column_names", "columns"):  # the first is pyarrow's
        names = getattr(values, attribute, None)
        if names is not None:
            return list(names)
    return list(values.keys()) if hasattr(values, "keys") else None


def by_name(
    numbers: NDArray[np.float64],
    names: Sequence[Any] | None,
    labels: Sequence[Any],
    name: str,
    *,
    others: bool = True,
) -> NDArray[np.float64]:
    """Return numbers in the order of labels.

    Parameters
    ----------
    numbers : ndarray of shape (n_rows, n_labels) or (n_labels,)
    names : sequence of length n_labels, or None
        Of the columns; None, and those that a frame has if none are given, leave the order as it is.
    labels : sequence of length n_labels
        All different. They are compared with names as text: ``True`` is ``"True"``.
    name : str
        Of the parameter, for the message.
    others : bool, default=True
        Whether names none of which is a label leave the order as it is, too.

    Raises
    ------
    InputError
        Only some names are labels, or none with ``others=False``.
    """
    if names is None:
        return numbers
    named, wanted = ([_spelled(each) for each in some] for some in (names, labels))
    if named == wanted:
        return numbers
    if set(named) == set(wanted):
        return np.take(numbers, [named.index(label) for label in wanted], axis=-1)
    unnamed = any(named == [form.format(k) for k in range(len(named))] for form in UNNAMED)
    if unnamed or (others and not set(named) & set(wanted)):
        return numbers
    raise InputError(
        f"{name} has the names {', '.join(named[:10])}, which are to be {', '.join(wanted[:10])}: give these, in any "
        "order, or an array without names in this order."
    )


def _spelled(label: Any) -> str:
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)
