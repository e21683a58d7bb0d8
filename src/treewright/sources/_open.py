"""From what a person has to a `Source`: one function that looks at the type and names what can be read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright._arguments import refuse_lossy
from treewright._plural import kind_of
from treewright.errors import InputError, InputTypeError
from treewright.sources._source import PIECE_ROWS, Piece, Roles, Source, piece_of_frame
from treewright.table import Reading, Settings, names_of_frame, read_columns

__all__ = ["open_source"]

READABLE = (
    "an array or frame (numpy, pandas, polars), a polars LazyFrame, a path of Parquet or CSV files or their folder, a "
    "DuckDB relation, a Dask DataFrame or an Arrow dataset"
)


def open_source(
    source: Any,
    y: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    *,
    settings: Settings | None = None,
    reading: Reading | None = None,
) -> Source:
    """Return the rows of `source`, to be read in pieces.

    Parameters
    ----------
    source : path, array or frame
        A file or folder of Parquet or CSV files, a list of such files, a numpy array, a frame of pandas, polars or
        pyarrow, a polars LazyFrame, a DuckDB relation, a Dask DataFrame, a pyarrow dataset; or what this function
        returned.
    y : array-like of shape (n_rows,), default=None
        Labels, where no column of the source holds them; for arrays and frames in memory.
    sample_weight : array-like of shape (n_rows,), default=None
        Likewise weights.
    settings : Settings, default=None
        Of files: what was settled about their columns (`columns.yaml`).
    reading : Reading, default=None
        How the rows were read that the tree was made from; of sources other than files only the dates matter.

    Returns
    -------
    Source

    Raises
    ------
    InputError
        There is nothing at the path, or arrays were given beside a source that is not an array or frame.
    InputTypeError
        The source is of no kind that can be read.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.sources import open_source
    >>> type(open_source(np.array([[20.0], [30.0]]), [0, 1])).__name__
    'MemorySource'
    """
    if isinstance(source, (str, os.PathLike)) or (
        isinstance(source, (list, tuple))
        and source
        and all(isinstance(part, (str, os.PathLike)) for part in source)
    ):
        from treewright.sources._files import source_of_files

        found: Source = source_of_files(source, settings, reading)
    elif hasattr(source, "pieces") and hasattr(source, "stamp"):
        found = source
    elif hasattr(source, "collect") and hasattr(source, "collect_schema"):
        from treewright.sources._streams import LazySource

        found = LazySource(source, reading)
    elif hasattr(source, "npartitions") and hasattr(source, "compute"):
        from treewright.sources._streams import DaskSource

        found = DaskSource(source, reading)
    elif hasattr(source, "fetchdf") and hasattr(source, "aggregate"):
        from treewright.sources._streams import DuckSource

        found = DuckSource(source, reading)
    elif hasattr(source, "to_batches") and hasattr(source, "count_rows"):
        from treewright.sources._streams import ArrowSource

        found = ArrowSource(source, reading)
    else:
        return _in_memory(source, y, sample_weight)
    if y is not None or sample_weight is not None:
        raise InputError(
            f"Labels and weights given as arrays belong to arrays and frames in memory; for {found.name} name the "
            "columns that hold them."
        )
    return found


def _in_memory(source: Any, y: ArrayLike | None, sample_weight: ArrayLike | None) -> Source:
    if isinstance(source, (list, tuple)) and not source:
        raise InputError(f"source is an empty {type(source).__name__}; give {READABLE}.")
    if isinstance(source, list):
        source = np.array(source, dtype=object)
    if isinstance(source, np.ndarray) and source.ndim != 2:
        raise InputError(f"Expected a table with rows and columns, got {source.ndim} dimension(s).")
    if not isinstance(source, np.ndarray) and not hasattr(source, "columns"):
        raise InputTypeError(f"source is {kind_of(source)}, which cannot be read; give {READABLE}.")
    refuse_lossy("source", source)
    if not isinstance(source, np.ndarray):
        names_of_frame(source)  # refuses names that are there twice
    n_rows = len(source)
    if n_rows == 0:
        raise InputError("The source has no rows.")
    return MemorySource(source, _column("y", y, n_rows), _column("sample_weight", sample_weight, n_rows))


def _column(name: str, values: ArrayLike | None, n_rows: int) -> NDArray[Any] | None:
    if values is None:
        return None
    refuse_lossy(name, values)
    column = np.asarray(values)
    if column.shape != (n_rows,):
        raise InputError(f"{name} has shape {column.shape}, expected ({n_rows},): one value per row.")
    return column


@dataclass(frozen=True, eq=False)
class MemorySource:
    """An array or frame in memory; its slices are read one after the other.

    Parameters
    ----------
    X : ndarray or frame
    y, sample_weight : ndarray or None
    """

    X: Any
    y: NDArray[Any] | None = None
    sample_weight: NDArray[Any] | None = None
    counts_exactly = True

    @property
    def name(self) -> str:
        """What the source is."""
        return "the table"

    @property
    def count(self) -> int:
        """Number of rows."""
        return len(self.X)

    def stamp(self) -> object:
        """Return None: nobody else writes to it."""
        return None

    def pieces(self, roles: Roles) -> Iterator[Piece]:
        """Yield all rows."""
        for start in range(0, self.count, PIECE_ROWS):
            rows = slice(start, start + PIECE_ROWS)
            if isinstance(self.X, np.ndarray):
                piece = self._of_array(self.X[rows], roles)
            else:
                piece = piece_of_frame(_slice(self.X, rows), roles, self.name)
            labels = piece.labels if self.y is None else self.y[rows]
            weight = piece.weight if self.sample_weight is None else self.sample_weight[rows]
            yield Piece(piece.columns, labels, weight, self.name)

    def _of_array(self, rows: NDArray[Any], roles: Roles) -> Piece:
        if roles.apart:
            raise InputError(
                f"An array has no column names, so {sorted(roles.apart)[0]!r} cannot be found; give labels and weights "
                "as arrays, or a frame."
            )
        columns = read_columns(rows, categorical_features=list(roles.categorical))
        return Piece(columns, None, None, self.name)


def _slice(frame: Any, rows: slice) -> Any:
    import narwhals as nw

    return nw.from_native(frame, eager_only=True)[rows].to_native()
