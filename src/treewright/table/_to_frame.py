"""Convert columns to a data frame of the library that the user works with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from treewright._arguments import check_arguments
from treewright.errors import InputError, MissingDependencyError

__all__ = ["to_frame"]

BACKENDS = ("polars", "pandas", "pyarrow")


def to_frame(
    columns: Mapping[str, Sequence[Any]], backend: Literal["polars", "pandas", "pyarrow"] = "polars"
) -> Any:
    """Return columns as a data frame.

    Parameters
    ----------
    columns : mapping of str to sequence
        Values of each column, all of the same length.
    backend : {"polars", "pandas", "pyarrow"}, default="polars"
        Library of the data frame.

    Returns
    -------
    polars.DataFrame, pandas.DataFrame or pyarrow.Table

    Raises
    ------
    InputError
        If `backend` is none of these names.
    MissingDependencyError
        If the library is not installed; the message names the command that installs it.

    Examples
    --------
    >>> from treewright.table import to_frame
    >>> to_frame({"leaf": [1, 2], "rows": [20, 30]}).shape
    (2, 2)
    """
    check_arguments(to_frame, locals(), "columns")
    if backend not in BACKENDS:
        raise InputError(f"backend={backend!r}; choose one of {', '.join(BACKENDS)}.")
    import narwhals as nw

    try:
        return nw.from_dict(dict(columns), backend=backend).to_native()
    except ImportError as error:
        raise MissingDependencyError(
            f"A frame of {backend} needs {backend}, which is not installed: pip install {backend}."
        ) from error
