"""Import polars, which reads CSV and Parquet files, on first use: tables in memory do not need its 180 MB."""

from __future__ import annotations

from types import ModuleType

from treewright.errors import MissingDependencyError

__all__ = ["need_polars"]


def need_polars(what: str) -> ModuleType:
    """Return polars.

    Parameters
    ----------
    what : str
        What needs polars, for the message, such as the name of a file.

    Returns
    -------
    module

    Raises
    ------
    MissingDependencyError
        If polars is not installed; the message names the extra that installs it.

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
