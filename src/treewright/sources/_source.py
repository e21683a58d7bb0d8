"""What every source offers: its rows, piece by piece, in an order that is the same on every pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from treewright.errors import InputError, InputTypeError
from treewright.table import RawColumn, read_columns

__all__ = ["PIECE_ROWS", "Piece", "Roles", "Source", "lacking", "piece_of_frame", "stamp_of"]

PIECE_ROWS = 1 << 16  # rows read at a time
LARGEST_WHOLE = 2.0**53  # up to which float64 holds all whole numbers


@dataclass(frozen=True)
class Roles:
    """Which columns are what; all others are features.

    Parameters
    ----------
    target : str or None
        Column of labels; None if there is none (predicting) or the labels are given apart.
    weight : str or None
        Column of row weights.
    ignore : tuple of str
        Columns that are not features.
    categorical : tuple of str
        Columns of numbers to be read as categories.
    only : frozenset of str or None, default=None
        The features that are read, which need not be there; None is all.

    Examples
    --------
    >>> from treewright.sources import Roles
    >>> Roles(target="ill", ignore=("id",)).weight is None
    True
    """

    target: str | None = None
    weight: str | None = None
    ignore: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    only: frozenset[str] | None = None

    @property
    def apart(self) -> frozenset[str]:
        """The columns that are not features."""
        return frozenset({*self.ignore, *filter(None, (self.target, self.weight))})


@dataclass(frozen=True, eq=False)
class Piece:
    """Some rows of a source.

    Parameters
    ----------
    columns : tuple of RawColumn
        The features, before their kinds are decided.
    labels : ndarray of shape (n_rows,), or None
    weight : ndarray of shape (n_rows,), float64, or None
    origin : str
        Where the rows come from, for messages: a file, or what was given.
    notes : tuple of str
        What is to be said about how they were read.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.sources import Roles, open_source
    >>> pieces = open_source(np.array([[20.0], [30.0]]), [0, 1]).pieces(Roles())
    >>> [(len(piece.columns), piece.labels.tolist()) for piece in pieces]
    [(1, [0, 1])]
    """

    columns: tuple[RawColumn, ...]
    labels: NDArray[Any] | None
    weight: NDArray[np.float64] | None
    origin: str
    notes: tuple[str, ...] = ()

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        first = self.columns[0]
        values = first.numbers if first.numbers is not None else first.codes
        return 0 if values is None else len(values)


@dataclass(frozen=True, eq=False)
class EncodedRows:
    """Some rows in the encoding of a tree.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_columns), float64
        NaN in the columns that the tree does not split on.
    labels : ndarray of shape (n_rows,), or None
    weight : ndarray of shape (n_rows,), float64, or None
    """

    X: NDArray[np.float64]
    labels: NDArray[Any] | None
    weight: NDArray[np.float64] | None


class Source(Protocol):
    """Rows that can be read again and again, in the same order.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.sources import Source, open_source
    >>> source: Source = open_source(np.array([[20.0], [30.0]]), [0, 1])
    """

    @property
    def name(self) -> str:
        """What the source is, in a few words."""
        ...

    @property
    def count(self) -> int:
        """Number of rows, or an estimate where only reading all of them would tell."""
        ...

    @property
    def counts_exactly(self) -> bool:
        """Whether `count` is no estimate."""
        ...

    def stamp(self) -> object:
        """Return what differs as soon as a file was changed; None where nothing is known."""
        ...

    def pieces(self, roles: Roles) -> Iterator[Piece]:
        """Yield all rows.

        Parameters
        ----------
        roles : Roles

        Raises
        ------
        InputError
            A column does not exist or cannot be read; the message names the file.
        """
        ...


def piece_of_frame(frame: Any, roles: Roles, origin: str) -> Piece:
    """Read some rows of an eager frame.

    Parameters
    ----------
    frame : frame of pandas, polars or pyarrow
    roles : Roles
    origin : str
    """
    import narwhals as nw

    frame = nw.from_native(frame, eager_only=True)
    known = list(frame.columns)
    for name in (*filter(None, (roles.target, roles.weight)), *roles.ignore, *roles.categorical):
        if name not in known:
            raise InputError(
                f"{origin} has no column {name!r}. Its columns are {', '.join(map(repr, known[:20]))}."
            )
    features = [name for name in known if name not in roles.apart]
    features = [name for name in features if roles.only is None or name in roles.only]
    if not features and roles.only:
        raise InputError(lacking(origin, sorted(roles.only)))
    if not features:
        raise InputError(f"{origin} has no feature columns besides {', '.join(sorted(roles.apart))}.")
    try:
        columns = read_columns(
            frame.select(features).to_native(),
            categorical_features=[name for name in roles.categorical if name in features],
        )
    except InputError as error:
        kind = InputTypeError if isinstance(error, InputTypeError) else InputError
        raise kind(f"{origin}: {error}") from None
    labels = None if roles.target is None else _labels(frame[roles.target], origin)
    weight = None if roles.weight is None else _weights(frame[roles.weight], origin)
    return Piece(columns, labels, weight, origin)


def lacking(origin: str, names: Sequence[str]) -> str:
    """Return the message about rows without columns that a tree splits on."""
    return f"{origin} lacks columns that the tree needs: {', '.join(map(repr, names))}."


def _labels(series: Any, origin: str) -> NDArray[Any]:
    if series.is_null().any():
        raise InputError(
            f"{origin}: the target {series.name!r} is missing in {int(series.is_null().sum())} of the rows read. Leave "
            "rows without a label out."
        )
    if series.dtype.is_integer() or series.dtype.is_float():
        return np.asarray(series.to_numpy())
    if series.dtype.is_decimal():
        numbers = _floats(series)
        is_whole = (numbers == np.floor(numbers)).all() and np.abs(numbers).max(initial=0.0) < LARGEST_WHOLE
        return numbers.astype(np.int64) if is_whole else numbers
    values = series.to_list()
    if values and isinstance(values[0], bool):
        return np.array(values, dtype=np.bool_)
    return np.array([str(value) for value in values], dtype=np.str_)


def _weights(series: Any, origin: str) -> NDArray[np.float64]:
    if not series.dtype.is_numeric() or series.is_null().any():
        raise InputError(f"{origin}: the weight column {series.name!r} must hold a number in every row.")
    return _floats(series)


def _floats(series: Any) -> NDArray[np.float64]:
    import narwhals as nw

    return np.asarray(series.cast(nw.Float64).to_numpy(), dtype=np.float64)


def stamp_of(files: Sequence[Path]) -> object:
    """Return the sizes and the times of the last change of files."""
    try:
        return tuple((str(file), file.stat().st_size, file.stat().st_mtime_ns) for file in files)
    except OSError as error:
        raise InputError(f"{error.filename} cannot be read any more: {error.strerror}.") from None
