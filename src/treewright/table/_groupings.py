"""Read a column of a file that gives the group of each row; it need not be a feature of the tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._arguments import check_arguments
from treewright.errors import InputError
from treewright.table._csv_columns import check_name
from treewright.table._formats import Reading
from treewright.table._raw import RawColumn
from treewright.table._read_again import field_reader, read_with

__all__ = ["load_groups"]


def load_groups(
    path: str | Path,
    name: str,
    *,
    reading: Reading | None = None,
    separator: str | None = None,
    missing_values: Sequence[str] | None = None,
    encoding: str | None = None,
    decimal_comma: bool | None = None,
    day_first: bool | None = None,
    missing_in: Mapping[str, Sequence[str]] | None = None,
    words: Mapping[str, Mapping[str, str]] | None = None,
    decimal_in: Mapping[str, str] | None = None,
) -> NDArray[Any]:
    r"""Return the group of each row of a CSV file: a number, a word, or the year of a date; None or NaN if missing.

    Words are replaced as the reading or `words` says, and codes with leading zeros stay as they are written.

    Parameters
    ----------
    path : str or Path
        CSV file.
    name : str
        Column of the groups.
    reading : Reading, default=None
        How an earlier file was read; used for everything that this call does not specify.
    separator, missing_values, encoding, decimal_comma, day_first, missing_in, words, decimal_in
        As in `load_csv`.

    Returns
    -------
    ndarray of shape (n_rows,)
        float64 with NaN for a missing group, or objects with None for it.

    Raises
    ------
    InputError
        If the file cannot be read or has no such column.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from treewright.table import load_groups
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "rows.csv"
    ...     _ = path.write_text("age,sex\n20,f\n30,m\n")
    ...     load_groups(path, "sex").tolist()
    ['f', 'm']
    """
    check_arguments(
        load_groups,
        locals(),
        "path",
        "name",
        "reading",
        "separator",
        "missing_values",
        "encoding",
        "missing_in",
        "words",
        "decimal_in",
    )
    text = read_with(reading, path, separator, encoding, [name])
    where = Path(path).name
    check_name(name, text, where)
    reader = field_reader(
        text,
        where,
        reading,
        missing_values=missing_values,
        decimal_comma=decimal_comma,
        day_first=day_first,
        words=words,
        missing_in=missing_in,
        decimal_in=decimal_in,
        numeric=[name],
    )
    if reader.zero_led([name]):
        return _values(reader.words(name))
    try:
        return _values(reader.typed(name)[0])  # the first column made from a date is its year
    except InputError:  # numbers and text in one column
        return _values(reader.words(name))


def _values(column: RawColumn) -> NDArray[Any]:
    if column.codes is not None:
        names = np.array([*map(str, column.words or ()), None], dtype=object)
        return names[np.where(np.isnan(column.codes), len(names) - 1, column.codes).astype(np.int64)]
    assert column.numbers is not None  # there are words, or numbers
    if not column.boolean:
        return column.numbers
    return np.array([None if x != x else "true" if x else "false" for x in column.numbers], dtype=object)
