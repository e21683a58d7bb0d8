"""Rows of a frame as a model reads them: its columns are found by their names where both have some."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from treewright._plural import first_of
from treewright.errors import InputError

__all__ = ["rows_by_name"]

NUMBERED = re.compile(
    r"(x|f|Column_)[0-9]+"
)  # the names that readers and libraries give to columns without any


def rows_by_name(X: Any, names: Sequence[str], source: str) -> Any:
    """Return the columns of a frame in the order of the names; what is no frame, or has no such names, as it came.

    Parameters
    ----------
    X : array-like or frame of shape (n_rows, n_columns)
    names : sequence of str
        Columns of the model, in order. If they are only numbered, the columns of a frame count by their places.
    source : str
        Whose names these are, for the message.

    Raises
    ------
    InputError
        The frame has other columns.
    """
    own = list(X.columns) if hasattr(X, "columns") else []
    if len(own) != len(names) or not all(isinstance(name, str) for name in own):
        return X
    # LightGBM writes blanks in names as underscores.
    said = [name if name in names else name.replace(" ", "_") for name in own]
    if said == list(names) or all(NUMBERED.fullmatch(name) for name in names):
        return X
    if sorted(said) != sorted(names) or len(set(said)) < len(said):
        raise InputError(
            f"X has the columns {first_of(own)}, but the {source} has {first_of(names)}. Give the same columns, in any "
            "order, or an array."
        )
    return X[[own[said.index(name)] for name in names]]
