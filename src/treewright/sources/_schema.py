"""One schema over all pieces of a source, and the codes of its words while it is still being read.

Kinds are decided by the rule of `treewright.table.table_from`, over all rows: numbers that are 0 and 1 only are binary,
other numbers continuous, words categorical with sorted categories. Which words there are is known after the last piece,
so words get provisional codes in the order in which they come, and `Schema.recode` turns these into the final ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._plural import list_of
from treewright.errors import InputError
from treewright.sources._source import Piece
from treewright.table import RawColumn, outside_of_order
from treewright.tree import Column, ColumnKind

__all__ = ["Coding", "Schema", "SchemaBuilder"]

AGE = " (age in days on "  # in the name of a column that was made of dates


@dataclass(frozen=True, eq=False)
class Schema:
    """The columns of a source, and how provisional codes become final ones.

    Parameters
    ----------
    columns : tuple of Column
    lookups : tuple of (ndarray or None)
        For a column of words, the final code of each provisional one; for numbers with a coding, the value that
        stands for each code; None for other numbers.

    Examples
    --------
    >>> import pandas as pd
    >>> from treewright.sources import Roles, SchemaBuilder, open_source
    >>> builder = SchemaBuilder()
    >>> for piece in open_source(pd.DataFrame({"tree": ["oak", "ash"]}), [0, 1]).pieces(Roles()):
    ...     _ = builder.encode(piece)
    >>> builder.finish().columns[0].categories  # sorted, whatever comes first
    ('ash', 'oak')
    """

    columns: tuple[Column, ...]
    lookups: tuple[NDArray[np.float64] | None, ...]

    def recode(self, X: NDArray[np.float64], columns: Iterable[int] | None = None) -> None:
        """Replace the provisional codes in columns of a matrix, in place.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_columns), float64
            Changed in place; missing values stay.
        columns : iterable of int, default: all
            Positions of the columns.
        """
        for j in range(len(self.lookups)) if columns is None else columns:
            lookup = self.lookups[j]
            if lookup is not None:
                missing = np.isnan(X[:, j])
                X[:, j] = np.append(lookup, np.nan)[np.where(missing, len(lookup), X[:, j]).astype(np.int64)]


@dataclass(frozen=True, eq=False)
class Coding:
    """How the numbers of a column become codes of one byte, and what stands for each code.

    Parameters
    ----------
    code : callable
        From known and missing numbers to uint8, 255 for a missing one.
    values : ndarray of shape (n_codes,), float64
        `Schema.recode` puts them in the place of codes.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.sources import Coding
    >>> Coding(lambda x: (x > 30).astype(np.uint8), np.array([30.0, 31.0])).code(np.array([20.0, 40.0]))
    array([0, 1], dtype=uint8)
    """

    code: Callable[[NDArray[np.float64]], NDArray[np.uint8]]
    values: NDArray[np.float64]


@dataclass
class _Open:
    """What is known of a column so far."""

    name: str
    words: dict[str, int] = field(default_factory=dict)
    order: tuple[str, ...] = ()
    numbers_in: str = ""  # the first piece with a known number
    words_in: str = ""
    all_boolean: bool = True
    zero: bool = False
    one: bool = False
    other: bool = False
    missing: bool = False
    coding: Coding | None = None

    def encode(self, raw: RawColumn, origin: str) -> NDArray[Any]:
        if raw.numbers is not None:
            self._see_numbers(raw, origin)
            return raw.numbers if self.coding is None else self.coding.code(raw.numbers)
        codes = raw.codes
        assert codes is not None  # RawColumn: one of the two is set
        missing = np.isnan(codes)
        self.missing |= bool(missing.any())
        if raw.words and not self.words_in:
            self.words_in = origin
        self._refuse_mixture()
        if self.order and raw.order and raw.order != self.order:
            raise InputError(f"Column {self.name!r} of {origin} has its words in another order than before.")
        self.order = self.order or raw.order
        own = np.array([*(self.words.setdefault(w, len(self.words)) for w in raw.words), np.nan])
        return np.asarray(own[np.where(missing, len(raw.words), codes).astype(np.int64)])

    def _see_numbers(self, raw: RawColumn, origin: str) -> None:
        numbers = raw.numbers
        assert numbers is not None
        n_missing = int(np.count_nonzero(np.isnan(numbers)))
        self.missing |= n_missing > 0
        if n_missing == len(numbers):
            return
        self.numbers_in = self.numbers_in or origin
        self._refuse_mixture()
        self.all_boolean &= raw.boolean
        if not self.other:
            first = float(numbers[0])  # most columns that are not 0 and 1 say so at once
            self.other = not (np.isnan(first) or first in (0.0, 1.0))
        if not self.other:
            zeros, ones = (int(np.count_nonzero(numbers == value)) for value in (0, 1))
            self.zero |= zeros > 0
            self.one |= ones > 0
            self.other = zeros + ones + n_missing < len(numbers)

    def _refuse_mixture(self) -> None:
        if self.numbers_in and self.words_in:
            raise InputError(
                f"Column {self.name!r} holds numbers in {self.numbers_in} and text in {self.words_in}. Make it one "
                "of the two everywhere, declare it categorical, or leave it out."
            )

    def finish(self) -> tuple[Column, NDArray[np.float64] | None]:
        if self.words_in:
            words = self.order or tuple(sorted(self.words))
            if outside := [word for word in self.words if word not in words]:
                raise InputError(outside_of_order(self.name, outside, words))
            position = {word: k for k, word in enumerate(words)}
            lookup = np.array([position[word] for word in self.words], dtype=np.float64)
            kind = ColumnKind.CATEGORICAL
            return Column(self.name, kind, words, self.missing, bool(self.order)), lookup
        if self.coding is not None:
            return Column(self.name, ColumnKind.CONTINUOUS, (), self.missing), self.coding.values
        if self.numbers_in and self.all_boolean:
            return Column(self.name, ColumnKind.BINARY, ("false", "true"), self.missing), None
        binary = self.zero and self.one and not self.other
        return Column(
            self.name, ColumnKind.BINARY if binary else ColumnKind.CONTINUOUS, (), self.missing
        ), None


class SchemaBuilder:
    """Reads pieces into matrices and learns the schema on the way.

    Parameters
    ----------
    codings : mapping of str to Coding, default=None
        Columns of numbers, neither 0 and 1 only nor of one value, of which only codes are wanted.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.sources import Roles, SchemaBuilder, open_source
    >>> builder = SchemaBuilder()
    >>> for piece in open_source(np.array([[20.0, 1.0], [30.0, 0.0]]), [0, 1]).pieces(Roles()):
    ...     _ = builder.encode(piece)
    >>> [column.kind.value for column in builder.finish().columns]
    ['continuous', 'binary']
    """

    def __init__(self, codings: Mapping[str, Coding] | None = None) -> None:
        self._codings = codings or {}
        self._columns: list[_Open] = []
        self._first = ""

    def encode(self, piece: Piece) -> list[NDArray[Any]]:
        """Return the rows of a piece as numbers, words in provisional codes.

        Parameters
        ----------
        piece : Piece

        Returns
        -------
        list of ndarray of shape (n_rows,), float64
            Its columns; those with a coding are uint8, 255 for a missing value.

        Raises
        ------
        InputError
            The piece has other columns than those before, or numbers where these had text.
        """
        if not self._columns:
            self._columns = [_Open(raw.name, coding=self._codings.get(raw.name)) for raw in piece.columns]
            self._first = piece.origin
        came, known = [raw.name for raw in piece.columns], [column.name for column in self._columns]
        if came != known:
            raise InputError(_difference(came, known, piece.origin, self._first))
        return [
            column.encode(raw, piece.origin) for column, raw in zip(self._columns, piece.columns, strict=True)
        ]

    def finish(self) -> Schema:
        """Return the schema of all pieces."""
        columns, lookups = zip(*(column.finish() for column in self._columns), strict=True)
        return Schema(columns, lookups)


def _difference(came: Sequence[str], known: Sequence[str], origin: str, first: str) -> str:
    lacking = [name for name in known if name not in came]
    added = [name for name in came if name not in known]
    if dates := [name.split(AGE)[0] for name in (*lacking, *added) if AGE in name]:
        return (
            f"Column {dates[0]!r} holds dates in one of {first} and {origin} and none in the other, and none were seen "
            "at a glance at all files, so that it was not read as dates everywhere. Leave it out, or declare it "
            "categorical."
        )
    if lacking or added:
        said = [f"lacks the column {lacking[0]!r}"] if lacking else []
        said += [f"has the column {added[0]!r}"] if added else []
        return f"{origin} {list_of(said)}, other than {first}. All files must have the same columns."
    place = next(k for k, (a, b) in enumerate(zip(came, known, strict=True)) if a != b)
    return (
        f"{origin} has its columns in another order than {first}: column {place} (counted from 0) is {came[place]!r} "
        f"instead of {known[place]!r}."
    )
