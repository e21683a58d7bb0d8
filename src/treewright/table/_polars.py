"""The library that reads CSV and Parquet files, on first use only: tables in memory need none of its 180 MB."""

from __future__ import annotations

from types import ModuleType

from treewright.errors import MissingDependencyError

__all__ = ["need_polars"]


def need_polars(what: str) -> ModuleType:
    """Return polars.

    Parameters
    ----------
    what : str
        What is to be read, for the message: the name of a file.

    Raises
    ------
    MissingDependencyError
        It is not installed; the message names the extra that brings it.

    Examples
    --------
    >>> from treewright.table import need_polars
    >>> need_polars("Reading CSV files").__name__
    'polars'
    """
    try:
        import polars
    except ImportError as error:
        raise MissingDependencyError(
            f"Reading {what} needs polars, which is not installed: pip install polars, or the extra that brings it, "
            "pip install 'treewright[files]'. Tables in memory (numpy, pandas, pyarrow) need neither."
        ) from error
    return polars
