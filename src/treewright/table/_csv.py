"""CSV files: every field is read as text and typed by fixed rules, which are the same on every machine.

1. Blanks around fields are removed. A field is missing if it is empty, one of `MISSING_VALUES`, or one of the column's
   own entries in `missing_in`.
2. A column whose known fields are all numbers is numeric (binary if they are only 0 and 1); `nan`, in capitals or not,
   is always missing there. Numbers may have a decimal comma, separators of thousands, a currency, a percent sign or a
   unit (see `treewright.table._measures`). If the fields have only one reading, they are read and a note says how (see
   `treewright.table._numbers`); a column with two possible readings is an error that names both.
3. A column whose known fields are all true/false (in any case) is binary.
4. A column whose known fields are all dates becomes several columns: year, month, weekday, hour, age in days.
5. A column in which more than half of the known fields, but not all, are numbers (or dates) is an error: the others are
   most likely codes for a missing value. The message names the lines and the argument that settles it.
6. Every other column is categorical. `categorical` makes any column categorical.

All columns are examined before an error is raised, so that one message lists all columns with faults.

The file is longer than 400 lines because all options of reading a file are documented in one place, `load_csv`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._arguments import check_arguments
from treewright.errors import InputError
from treewright.table._csv_columns import (
    asked_columns,
    check_name,
    for_fit,
    for_schema,
    known_names,
    parts_by_name,
)
from treewright.table._fields import FieldReader
from treewright.table._file_faults import FileFault
from treewright.table._formats import MISSING_VALUES, DateFormat, Reading
from treewright.table._header_lines import HeaderLines, refuse_header_lines
from treewright.table._order import check_orders, kept_words
from treewright.table._read_again import field_reader, read_with, reading_of
from treewright.table._table import Table
from treewright.table._title_lines import MOST_COLUMNS, refuse_units
from treewright.tree import Column, ColumnKind

__all__ = ["MISSING_VALUES", "CsvTable", "header_of", "load_csv", "load_leniently", "load_part", "renamed"]


@dataclass(frozen=True, eq=False)
class CsvTable:
    r"""Content of a CSV file: features, labels, weights, and how they were read.

    Parameters
    ----------
    table : Table
        The feature columns.
    target : ndarray of shape (n_rows,), or None
        Labels: int64 if all are integers, float64 if all are numbers, otherwise text. None if no target was
        named.
    sample_weight : ndarray of shape (n_rows,), float64, or None
        Row weights; None if no column of weights was named.
    lines : ndarray of shape (n_rows,), int64
        Line of the file on which each row starts, counted from 1.
    separator : str
        The separator that was used.
    reading : Reading
        How the file was read; pass it to `load_csv` to read other files of the same kind in the same way.
    blanked : mapping of str to mapping of str to int
        For each column that was read, the number of rows with each field that the caller declared missing. The usual
        ones, such as "NA", are not counted.
    absent : tuple of str, default=()
        Columns of the schema that the file does not have and that were not needed.
    left_out : tuple of str, default=()
        Columns of the file that are not features, target or weights.
    zero_led : tuple of str, default=()
        Features that were read as numbers although some fields have leading zeros; they may be codes.
    filler_dates : tuple of (str, str, int), default=()
        Columns of dates, with a field that seems to mean "unknown", such as 01.01.1900, and its number of rows.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from treewright.table import load_csv
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "rows.csv"
    ...     _ = path.write_text("age,ill\n20,no\n30,yes\n")
    ...     csv = load_csv(path, target="ill")
    >>> csv.table.names, csv.target.tolist(), csv.separator
    (('age',), ['no', 'yes'], ',')
    """

    table: Table
    target: NDArray[Any] | None
    sample_weight: NDArray[np.float64] | None
    lines: NDArray[np.int64]
    separator: str
    reading: Reading = field(default_factory=Reading)
    blanked: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    absent: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    zero_led: tuple[str, ...] = ()
    filler_dates: tuple[tuple[str, str, int], ...] = ()


def load_csv(
    path: str | Path,
    *,
    target: str | None = None,
    weight: str | None = None,
    ignore: Iterable[str] = (),
    categorical: Iterable[str] = (),
    separator: str | None = None,
    missing_values: Sequence[str] | None = None,
    encoding: str | None = None,
    decimal_comma: bool | None = None,
    day_first: bool | None = None,
    missing_in: Mapping[str, Sequence[str]] | None = None,
    words: Mapping[str, Mapping[str, str]] | None = None,
    merge_words: Iterable[str] = (),
    order: Mapping[str, Sequence[str]] | None = None,
    decimal_in: Mapping[str, str] | None = None,
    columns: Sequence[Column] | None = None,
    needed: Collection[int] | None = None,
    reading: Reading | None = None,
) -> CsvTable:
    r"""Read a CSV file (plain or gzip), or a Parquet or Arrow file, into a typed table.

    Parameters
    ----------
    path : str or Path
        File with one header line (blank lines are skipped), or Parquet or Arrow file.
    target : str, default=None
        Name of the column of labels.
    weight : str, default=None
        Name of a column of row weights.
    ignore : iterable of str, default=()
        Columns that are not features (identifiers, a second target).
    categorical : iterable of str, default=()
        Columns to be read as categories even if they hold numbers.
    separator : str, default=None
        One character; None detects it among comma, semicolon, tab and vertical bar.
    missing_values : sequence of str, default=None
        Fields that mean "missing", in addition to the empty field. They replace the default list (see `Reading`).
    encoding : str, default=None
        Any encoding that Python knows; None is UTF-8, or UTF-16 if the file starts with its byte order mark.
    decimal_comma : bool, default=None
        Whether 1,200 is 1.2 (True) or 1200 (False); None decides from the fields. It applies only to numeric columns
        that can be read either way; text and labels are never changed.
    day_first : bool, default=None
        Whether 03/04/2020 is in April (True) or March (False); None decides from the fields.
    missing_in : mapping of str to sequence of str, default=None
        Fields that mean "missing" in one column only, by column: ``{"age": ["-9"]}``.
    words : mapping of str to mapping of str to str, default=None
        Words to replace by another word, by column: ``{"owner": {"YES": "Yes"}}``. A word listed here is never missing,
        not even NA.
    merge_words : iterable of str, default=()
        Columns in which words that differ only in capitals, blanks, hyphens or accents are merged into the most
        frequent of them.
    order : mapping of str to sequence of str, default=None
        All words of a column from the lowest to the highest, by column: ``{"risk": ["low", "medium", "high"]}``. A
        split then sends all words up to one of them to one side. A word that is not in the list is an error.
    decimal_in : mapping of str to str, default=None
        Decimal mark, "." or ",", of a column whose fields can be read either way, by column: ``{"limit": "."}``. It
        takes precedence over `decimal_comma`.
    columns : sequence of Column, default=None
        Schema of a fitted tree, for predictions: its columns are found by name, in any order, and have the kinds of the
        schema; other columns are ignored.
    needed : collection of int, default=None
        With `columns`, the positions of the columns to read; all others may be absent or hold anything, and are missing
        in the table. None reads all of them.
    reading : Reading, default=None
        How the training file of a tree was read (`CsvTable.reading`). It is used for everything that this call does not
        specify. If its separator does not give the required columns, the separator is detected again.

    Returns
    -------
    CsvTable

    Raises
    ------
    InputError
        If the file cannot be read, rows have different numbers of fields, or a column breaks the rules at the top of
        this module. For an unknown column name, the message lists similar names.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "data.csv"
    >>> _ = path.write_text('income;rate;y\n"52,000";1,5;no\n"1,200,000";,25;yes\n')
    >>> csv = load_csv(path, target="y")
    >>> csv.table.X.tolist()
    [[52000.0, 1.5], [1200000.0, 0.25]]
    >>> csv.reading.columns["income"].thousands
    ','
    """
    check_arguments(
        load_csv,
        locals(),
        "path",
        "target",
        "weight",
        "ignore",
        "categorical",
        "separator",
        "missing_values",
        "encoding",
        "missing_in",
        "words",
        "merge_words",
        "decimal_in",
        "columns",
        "reading",
    )
    return _load(
        path,
        target=target,
        weight=weight,
        ignore=ignore,
        categorical=categorical,
        separator=separator,
        missing_values=missing_values,
        encoding=encoding,
        decimal_comma=decimal_comma,
        day_first=day_first,
        missing_in=missing_in,
        words=words,
        merge_words=merge_words,
        order=order,
        decimal_in=decimal_in,
        columns=columns,
        needed=needed,
        reading=reading,
    )[0]


def load_leniently(
    path: str | Path, *, target: str | None = None, **options: Any
) -> tuple[CsvTable, list[InputError], list[str], Callable[[str, float], list[str]]]:
    r"""Read all columns of a file that can be read, and report the faults of the others instead of raising them.

    Parameters
    ----------
    path : str or Path
    target : str, default=None
        Name of the column of labels.
    **options
        Options of `load_csv` on how the file is read.

    Returns
    -------
    csv : CsvTable
        The columns without faults.
    faults : list of InputError
        The faults of the columns that were left out.
    zero_led : list of str
        Columns of numbers with leading zeros.
    spellings : callable
        From the name of a column and a number to the fields of the file that have this value.

    Raises
    ------
    InputError
        If the file as a whole cannot be read, or an option does not exist.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from treewright.table import load_leniently
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "rows.csv"
    ...     _ = path.write_text("age,ill\n20,no\n30,yes\n")
    ...     csv, faults, zeros, _ = load_leniently(path, target="ill")
    >>> csv.table.n_rows, faults, zeros
    (2, [], [])
    """
    unknown = set(options) - LENIENT_OPTIONS
    if unknown:
        raise InputError(
            f"{', '.join(sorted(unknown))}: unknown; the options are {', '.join(sorted(LENIENT_OPTIONS))}."
        )
    faults: list[InputError] = []
    csv, reader = _load(path, target=target, faults=faults, **options)
    return csv, faults, list(csv.zero_led), reader.spellings


def load_part(path: str | Path, dates: Mapping[str, DateFormat], **options: Any) -> CsvTable:
    r"""Read some rows of a table whose columns of dates were settled over all of its rows.

    Parameters
    ----------
    path : str or Path
    dates : mapping of str to DateFormat
        Format of each column of dates (`DateSurvey`).
    **options
        Options of `load_csv`.

    Returns
    -------
    CsvTable

    Raises
    ------
    InputError
        As for `load_csv`; or if a column of dates holds something else.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from treewright.table import DateFormat, load_part
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "rows.csv"
    ...     _ = path.write_text("day,ill\n2020-04-03,no\n2020-04-05,yes\n")
    ...     csv = load_part(path, {"day": DateFormat("ymd", "-", ("age",), "2020-04-13")}, target="ill")
    >>> csv.table.names, csv.table.X.tolist()
    (('day (age in days on 2020-04-13)',), [[10.0], [8.0]])
    """
    return _load(path, dates=dates, **options)[0]


LENIENT_OPTIONS = {
    "weight", "ignore", "categorical", "separator", "missing_values", "encoding", "decimal_comma", "day_first", "words",
    "merge_words", "missing_in", "order", "decimal_in",
}  # fmt: skip


def _load(
    path: str | Path,
    *,
    target: str | None = None,
    weight: str | None = None,
    ignore: Iterable[str] = (),
    categorical: Iterable[str] = (),
    separator: str | None = None,
    missing_values: Sequence[str] | None = None,
    encoding: str | None = None,
    decimal_comma: bool | None = None,
    day_first: bool | None = None,
    missing_in: Mapping[str, Sequence[str]] | None = None,
    words: Mapping[str, Mapping[str, str]] | None = None,
    merge_words: Iterable[str] = (),
    order: Mapping[str, Sequence[str]] | None = None,
    decimal_in: Mapping[str, str] | None = None,
    columns: Sequence[Column] | None = None,
    needed: Collection[int] | None = None,
    reading: Reading | None = None,
    faults: list[InputError] | None = None,
    dates: Mapping[str, DateFormat] | None = None,
) -> tuple[CsvTable, FieldReader]:
    """Read a file; with a list of `faults`, columns that cannot be read are left out and their faults appended."""
    if any(isinstance(given, str) for given in (ignore, categorical, missing_values, merge_words)):
        raise InputError(
            "ignore, categorical, missing_values and merge_words are lists; put a single name in a list: ['name']."
        )
    ignored, forced, merged = list(ignore), list(categorical), list(merge_words)
    where = Path(path).name
    dated = parts_by_name(reading)
    asked = asked_columns(columns, needed)
    offered = {name: base for name, (base, _) in dated.items()}
    looked_for = [offered.get(name, name) for name in asked]
    text = read_with(
        reading, path, separator, encoding, [*looked_for, *filter(None, (target, weight))], faults
    )
    for name in (*((target,) if target is not None else ()), *((weight,) if weight is not None else ())):
        check_name(name, text, where)
    ignored = [offered.get(name, name) if name not in text.index else name for name in ignored]
    settled, coded, orders = words or {}, missing_in or {}, check_orders(order or {})
    if columns is None:  # the file's own orders, except for columns declared to have none
        orders = {name: own for name, own in text.order.items() if name not in (*forced, target)} | orders
    for name in (*ignored, *forced, *merged, *((*settled, *coded, *orders) if columns is None else ())):
        check_name(name, text, where)
    apart = {target, weight, *ignored}
    categories = {*forced, *orders}
    settled = kept_words(settled, orders)
    features = [name for name in text.names if name not in apart]
    marks = dict(decimal_in or {})
    for name, mark in marks.items():
        if mark not in (".", ","):
            raise InputError(f"decimal_in names {mark!r} for column {name!r}; give '.' or ','.")
        if columns is None:
            check_name(name, text, where)
    reader = field_reader(
        text,
        where,
        reading,
        missing_values=missing_values,
        decimal_comma=decimal_comma,
        day_first=day_first,
        words=settled,
        missing_in=coded,
        numeric=[name for name in features if name not in categories],
        merged=merged,
        decimal_in=marks,
        dates=dates,
    )
    judged = [name for name in features if name not in categories]
    if columns is not None:
        numeric = (name for name, j in asked.items() if columns[j].kind is not ColumnKind.CATEGORICAL)
        judged = [
            name for name in dict.fromkeys(offered.get(name, name) for name in numeric) if name in text.index
        ]
    first_labels = None if target is None else reader.first_fields(target)
    first_fields = [reader.first_fields(name) for name in judged[:MOST_COLUMNS]]
    try:
        without_label = first_labels is not None and first_labels.is_null().head(2).to_list() == [True, False]
        refuse_units(where, first_fields, text.lines, without_label=without_label, names=judged)
        refuse_header_lines(where, first_fields, first_labels, text.lines)
    except FileFault as fault:
        if faults is None:
            raise
        faults.append(fault)
        for _ in range(fault.n_rows if isinstance(fault, HeaderLines) else 1):
            reader.leave_out_first_row()
        text = reader.text
    labels = None if target is None else reader.labels(target, faults)
    if labels is not None and reading is not None:
        labels = renamed(labels, reading.labels)
    weights = None if weight is None else reader.weights(weight)
    if columns is not None:
        X = for_schema(reader, text, where, columns, asked, dated)
        table = Table(tuple(columns), X, tuple(reader.notes))
    else:
        if not features and ignored:
            raise InputError(
                f"{where} has no feature columns left: its columns are {known_names(text)}, and "
                f"{', '.join(map(repr, ignored))} {'is' if len(ignored) == 1 else 'are'} left out. Keep at least one."
            )
        if not features:
            raise InputError(
                f"{where} has no feature columns: with separator {text.separator!r} its columns are "
                f"{known_names(text)}. If that is one long name, the file has another separator; name it."
            )
        table = for_fit(reader, text, where, features, categories, orders, faults)
        for name in dict.fromkeys((*merged, *settled)):
            if name in features and name not in reader.words_read and faults is None:
                raise InputError(
                    f"Column {name!r} of {where} holds no words, so none can be replaced or merged; remove this "
                    "setting, or declare the column categorical."
                )
    now = reading_of(text, reader, reading)
    own = {name: counted for name, counted in reader.blanked.items() if name in (*features, target, weight)}
    names = (column.name for column in columns or () if column.name not in asked)
    lacks = tuple(name for name in names if offered.get(name, name) not in text.index)
    used = (
        {offered.get(column.name, column.name) for column in columns} if columns is not None else {*features}
    )
    used |= {name for name in (target, weight) if name is not None}
    left_out = tuple(name for name in text.names if name not in used)
    zero_led: tuple[str, ...] = ()
    if columns is None:
        zero_led = tuple(reader.zero_led(name for name in table.names if name in reader.index))
    fillers = tuple(reader.filler_dates) if columns is None else ()
    csv = CsvTable(
        table, labels, weights, text.lines, text.separator, now, own, lacks, left_out, zero_led, fillers
    )
    return csv, reader


def header_of(
    path: str | Path,
    separator: str | None = None,
    encoding: str | None = None,
    *,
    reading: Reading | None = None,
    expected: Collection[str] = (),
) -> tuple[str, ...]:
    r"""Return the column names of a CSV file.

    Parameters
    ----------
    path : str or Path
    separator : str, default=None
        One character; None detects it.
    encoding : str, default=None
        None is UTF-8, or UTF-16 if the file starts with its byte order mark.
    reading : Reading, default=None
        How an earlier file of the same kind was read; its separator is used if it gives the columns of `expected`.
    expected : collection of str, default=()
        Columns that the file should have.

    Returns
    -------
    tuple of str

    Raises
    ------
    InputError
        If the file cannot be read, as for `load_csv`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from treewright.table import header_of
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "rows.csv"
    ...     _ = path.write_text("age;ill\n20;no\n")
    ...     header_of(path)
    ('age', 'ill')
    """
    check_arguments(header_of, locals(), "path", "separator", "encoding", "reading", "expected")
    return read_with(reading, path, separator, encoding, list(expected)).names


def renamed(labels: NDArray[Any], names: Mapping[str, str]) -> NDArray[Any]:
    """Return labels, some of them replaced by other names; labels that are numbers are returned unchanged.

    Parameters
    ----------
    labels : ndarray of shape (n_rows,)
    names : mapping of str to str
        From a label to the name that replaces it.

    Returns
    -------
    ndarray of shape (n_rows,)

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.table import renamed
    >>> renamed(np.array(["yes", "Yes", "no"]), {"Yes": "yes"})
    array(['yes', 'yes', 'no'], dtype='<U3')
    """
    if not names or labels.dtype.kind in "biuf":
        return labels
    return np.array([names.get(label, label) for label in map(str, labels.tolist())], dtype=np.str_)
