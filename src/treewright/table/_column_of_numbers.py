"""Read a column of a file that holds a number in every row and is no feature: times, events, rewards, costs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.table._csv_columns import check_name
from treewright.table._formats import Reading
from treewright.table._read_again import field_reader, read_with

__all__ = ["load_numbers"]


def load_numbers(
    path: Path,
    name: str,
    *,
    reading: Reading | None = None,
    separator: str | None = None,
    encoding: str | None = None,
    negative: bool = True,
    **options: Any,
) -> tuple[NDArray[np.float64], list[str]]:
    """Return a column of a CSV file as numbers, and sentences about an unusual way in which they are written.

    Parameters
    ----------
    path : Path
    name : str
    reading : Reading, default=None
        How the rest of the file, or an earlier file, was read.
    separator, encoding, **options
        As in `load_csv`; `Settings.reading_options` gives them.
    negative : bool, default=True
        Whether numbers may be below 0.

    Raises
    ------
    InputError
        If the file cannot be read, or the column lacks a number in some row.
    """
    text = read_with(reading, path, separator, encoding, [name])
    check_name(name, text, path.name)
    others = [other for other in text.names if other != name]
    reader = field_reader(text, path.name, reading, numeric=others, **options)
    return reader.complete_numbers(name, f"Column {name!r}", negative=negative), reader.notes
