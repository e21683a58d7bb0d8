"""CSV files: every field is read as text and typed by one written-down rule, the same on every machine.

1. Fields are stripped of blanks around them. An empty field or one of `MISSING_VALUES` is missing.
2. A column whose known fields are all decimal numbers holds numbers (0 and 1 only: binary); `nan`, in any case, is
   missing there whatever the list says.
3. A column whose known fields are all true/false (in any case) is binary.
4. A column of which more than half of the known fields are numbers, but not all, is an error: most likely a code
   for a missing value. The message names the lines and says which argument settles it.
5. A column of numbers with decimal commas is an error that names the argument `decimal_comma`.
6. Every other column is categorical. `categorical` makes any column categorical.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import InputError
from treewright.table._csv_text import CsvText, read_text
from treewright.table._from_data import assemble, encode_column
from treewright.table._raw import LARGEST_EXACT_INTEGER, RawColumn, as_words, quoted
from treewright.table._table import Table
from treewright.tree import Column, ColumnKind

if TYPE_CHECKING:
    import polars as pl

__all__ = ["MISSING_VALUES", "CsvTable", "load_csv"]

MISSING_VALUES = ("?", "NA", "N/A", "n/a", "<NA>", "#N/A", "NaN", "nan", "NULL", "null")


@dataclass(frozen=True, eq=False)
class CsvTable:
    """What a CSV file holds.

    Parameters
    ----------
    table : Table
        The feature columns.
    target : ndarray of shape (n_rows,), or None
        Labels: int64 if all are integers, float64 if all are numbers, otherwise text. None if no target was
        named.
    sample_weight : ndarray of shape (n_rows,), float64, or None
    lines : ndarray of shape (n_rows,), int64
        Line of the file on which each row starts, counted from 1.
    separator : str
        The separator that was used.
    """

    table: Table
    target: NDArray[Any] | None
    sample_weight: NDArray[np.float64] | None
    lines: NDArray[np.int64]
    separator: str


def load_csv(
    path: str | Path,
    *,
    target: str | None = None,
    weight: str | None = None,
    ignore: Iterable[str] = (),
    categorical: Iterable[str] = (),
    separator: str | None = None,
    missing_values: Sequence[str] = MISSING_VALUES,
    encoding: str = "utf-8",
    decimal_comma: bool = False,
    columns: Sequence[Column] | None = None,
) -> CsvTable:
    """Read a CSV file (plain or gzip) into a typed table.

    Parameters
    ----------
    path : str or Path
        File with one header line. Blank lines are passed over.
    target : str, default=None
        Name of the column of labels.
    weight : str, default=None
        Name of a column of row weights.
    ignore : iterable of str, default=()
        Columns that are not features (identifiers, a second target).
    categorical : iterable of str, default=()
        Columns to be read as categories even if they hold numbers.
    separator : str, default=None
        One character; None finds it among comma, semicolon, tab and bar.
    missing_values : sequence of str
        Fields that mean "missing", besides the empty field. Replaces the default list.
    encoding : str, default="utf-8"
        Any encoding that Python knows; nothing is guessed.
    decimal_comma : bool, default=False
        Whether 1,5 means one and a half (in columns of numbers, not in labels).
    columns : sequence of Column, default=None
        Read for this schema (predicting with a fitted tree): its columns are found by name, in any order,
        others are left aside, and their kinds are those of the schema.

    Returns
    -------
    CsvTable

    Raises
    ------
    InputError
        The file cannot be read, is not rectangular, or a column is not what it should be; see the rules at
        the top of this module. An unknown column name is answered with the nearest ones.
    """
    text = read_text(path, separator, encoding)
    where = Path(path).name
    ignored, forced = list(ignore), list(categorical)
    if isinstance(ignore, str) or isinstance(categorical, str) or isinstance(missing_values, str):
        raise InputError(
            "ignore, categorical and missing_values are lists of names; put the single one in a list."
        )
    for name in (*((target,) if target is not None else ()), *((weight,) if weight is not None else ())):
        _check_name(name, text, where)
    for name in (*ignored, *forced):
        _check_name(name, text, where)
    reader = _Reader(text, frozenset(missing_values), where, decimal_comma)
    apart = {target, weight, *ignored}
    labels = None if target is None else reader.labels(target)
    weights = None if weight is None else reader.weights(weight)
    if columns is not None:
        absent = [column.name for column in columns if column.name not in text.names]
        if absent:
            raise InputError(
                f"{where} lacks columns that the tree needs: {quoted(absent)}. It has {_known(text)}."
            )
        X = np.empty((len(text.lines), len(columns)), dtype=np.float64, order="F")
        for j, column in enumerate(columns):
            as_text = column.kind is ColumnKind.CATEGORICAL
            X[:, j] = encode_column(reader.column(column.name, as_text, strict=not as_text), column)
        return CsvTable(Table(tuple(columns), X), labels, weights, text.lines, text.separator)
    features = [name for name in text.names if name not in apart]
    if not features:
        raise InputError(
            f"{where} has no feature columns: with separator {text.separator!r} its columns are "
            f"{_known(text)}. If that is one long name, the separator is another; name it."
        )
    table = assemble([reader.column(name, name in forced) for name in features])
    unnamed = tuple(
        f"Column {j} of {where} has no name in the header and is called 'unnamed_{j}'; if it numbers the "
        "rows, ignore it."
        for j, name in enumerate(text.names, start=1)
        if name == f"unnamed_{j}" and name in features
    )
    table = Table(table.columns, table.X, (*table.notes, *unnamed))
    return CsvTable(table, labels, weights, text.lines, text.separator)


class _Reader:
    """Types the text columns of one file."""

    def __init__(self, text: CsvText, missing: frozenset[str], where: str, decimal_comma: bool) -> None:
        self._text = text
        self._missing = [*missing, ""]
        self._some_numbers_are_missing = any(map(_is_decimal, missing))
        self._where = where
        self._decimal_comma = decimal_comma

    def column(self, name: str, categorical: bool = False, strict: bool = False) -> RawColumn:
        """Type one column by the rules above; `strict` accepts numbers and truth values only."""
        import polars as pl

        fields = self._fields(name)
        if categorical:
            return as_words(_words(name, self._known(fields)))
        if self._decimal_comma:
            fields = fields.str.replace(",", ".", literal=True)
        numbers = fields.cast(pl.Float64, strict=False)
        if numbers.null_count() or self._some_numbers_are_missing:
            fields = self._known(fields)
            numbers = fields.cast(pl.Float64, strict=False)
            if numbers.null_count() > fields.null_count():
                return self._not_all_numbers(name, fields, numbers, strict)
        values = numbers.fill_null(np.nan).to_numpy() if numbers.null_count() else numbers.to_numpy()
        self._check_numbers(name, values, fields)
        return RawColumn(name, values)

    def labels(self, name: str) -> NDArray[Any]:
        """Read the target: integers, numbers or text, none missing."""
        import polars as pl

        fields = self._complete(name, "target")
        integers = fields.cast(pl.Int64, strict=False)
        if not integers.null_count():
            return integers.to_numpy().copy()
        numbers = fields.cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy()
        if (np.abs(numbers) < LARGEST_EXACT_INTEGER).all():  # beyond, two labels could become one
            return numbers.copy()
        return np.array(fields.to_list(), dtype=np.str_)

    def weights(self, name: str) -> NDArray[np.float64]:
        """Read row weights: numbers, none missing."""
        self._complete(name, "weight")
        numbers = self.column(name, strict=True).numbers
        assert numbers is not None  # strict columns are numbers
        return numbers

    def _fields(self, name: str) -> pl.Series:
        return self._text.columns[self._text.names.index(name)]

    def _known(self, fields: pl.Series) -> pl.Series:
        """Strip the fields and make the missing ones null."""
        import polars as pl

        stripped = fields.str.strip_chars()
        return pl.select(pl.when(stripped.is_in(self._missing).not_()).then(stripped)).to_series()

    def _complete(self, name: str, what: str) -> pl.Series:
        fields = self._known(self._fields(name))
        if fields.null_count():
            rows = np.flatnonzero(fields.is_null().to_numpy())
            raise InputError(
                f"The {what} {name!r} is missing in {len(rows)} rows of {self._where} (lines "
                f"{self._lines(rows)}). Leave these rows out, or fill them in."
            )
        return fields

    def _not_all_numbers(self, name: str, fields: pl.Series, numbers: pl.Series, strict: bool) -> RawColumn:
        """Truth values, categories, or the error about text among numbers."""
        text = numbers.is_null() & fields.is_not_null()
        n_known, n_text = len(fields) - fields.null_count(), int(text.sum())
        if n_text == n_known:
            lower = fields.str.to_lowercase()
            if lower.is_in(["true", "false"]).sum() == n_known:
                values = np.where(
                    fields.is_null().to_numpy(), np.nan, (lower == "true").fill_null(False).to_numpy()
                )
                return RawColumn(name, values.astype(np.float64), boolean=True)
        if fields.filter(text).str.contains(r"^[+-]?\d*,\d+$").all():
            raise InputError(
                f"Column {name!r} of {self._where} holds numbers with a decimal comma, such as "
                f"{fields.filter(text)[0]!r}. Read the file with decimal_comma=True, or declare the column "
                "categorical."
            )
        if strict or 2 * n_text < n_known:
            rows = np.flatnonzero(text.to_numpy())
            offending = fields.filter(text).unique(maintain_order=True).to_list()
            raise InputError(
                f"Column {name!r} of {self._where} holds numbers, but {n_text} of {n_known} fields are text: "
                f"{quoted(offending)} (lines {self._lines(rows)}). If they mean missing, add them to the "
                "missing values; if the column is no quantity, declare it categorical."
            )
        return _words(name, fields)

    def _check_numbers(self, name: str, values: NDArray[np.float64], fields: pl.Series) -> None:
        """Refuse infinities and integers that float64 would change."""
        large = np.flatnonzero(np.abs(values) >= LARGEST_EXACT_INTEGER)
        for row in large.tolist():
            field = str(fields[row]).strip()
            if np.isinf(values[row]):
                raise InputError(
                    f"Column {name!r} of {self._where} holds {field[:40]!r} in line "
                    f"{self._text.lines[row]}: infinite, or too large for float64. Replace it by a finite "
                    "number, or add it to the missing values."
                )
            digits = field.lstrip("+-")
            if digits.isdigit() and int(values[row]) != int(field):
                raise InputError(
                    f"Column {name!r} of {self._where} holds the integer {field[:40]} in line "
                    f"{self._text.lines[row]}; beyond 2**53 neighbouring integers cannot be told apart. If "
                    "it is an identifier, ignore the column or declare it categorical."
                )

    def _lines(self, rows: NDArray[np.int64], limit: int = 5) -> str:
        shown = ", ".join(str(line) for line in self._text.lines[rows[:limit]])
        return shown + (", ..." if len(rows) > limit else "")


def _words(name: str, fields: pl.Series) -> RawColumn:
    """Code the texts of a column; null is missing."""
    import polars as pl

    words = tuple(sorted(fields.drop_nulls().unique().to_list()))
    if not words:
        return RawColumn(name, np.full(len(fields), np.nan))
    codes = fields.replace_strict(list(words), list(range(len(words))), default=None, return_dtype=pl.Float64)
    return RawColumn(name, words=words, codes=codes.fill_null(np.nan).to_numpy())


def _is_decimal(field: str) -> bool:
    """Whether a field is a decimal number (not inf, nan, or Python's 1_000)."""
    try:
        return bool(np.isfinite(float(field))) and "_" not in field
    except ValueError:
        return False


def _check_name(name: str, text: CsvText, where: str) -> None:
    if name in text.names:
        return
    folded = {known.casefold(): known for known in text.names}
    near = [
        folded[match] for match in difflib.get_close_matches(name.casefold(), list(folded), n=3, cutoff=0.5)
    ]
    hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
    single = len(text.names) == 1
    more = (
        f" With separator {text.separator!r} there is a single column; is it another separator?"
        if single
        else ""
    )
    raise InputError(f"{where} has no column {name!r}.{hint} Its columns are {_known(text)}.{more}")


def _known(text: CsvText) -> str:
    return quoted([name[:60] for name in text.names], 20)
