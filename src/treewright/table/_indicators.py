"""Whether there is memory for one column per category, which some methods make of text.

A column of names or numbers of customers has nearly as many categories as rows, and the square of the rows does not fit
into any machine. Better than an error of numpy in the middle of a fit is one that names the column.
"""

from __future__ import annotations

from collections.abc import Sequence

from treewright._memory import available_memory, bytes_in_words
from treewright.errors import InputError
from treewright.tree import Column, ColumnKind

__all__ = ["check_indicators"]


def check_indicators(columns: Sequence[Column], n_rows: int, bytes_each: int) -> None:
    """Refuse a table whose text columns, with one column per category, exceed the free memory of the machine.

    Parameters
    ----------
    columns : sequence of Column
    n_rows : int
    bytes_each : int
        Bytes of a cell of the columns that are made.

    Raises
    ------
    InputError
        The message names the column with the most categories.
    """
    of_text = [c for c in columns if c.kind is ColumnKind.CATEGORICAL and not c.ordered]
    needed = n_rows * sum(len(column.categories) for column in of_text) * bytes_each
    free = available_memory() if needed else None
    if free is None or needed <= free:
        return
    most = max(of_text, key=lambda column: len(column.categories))
    raise InputError(
        f"Each value of a text column becomes a column of numbers here, which takes {bytes_in_words(needed)} for "
        f"{n_rows:,} rows; the machine has {bytes_in_words(free)} free. Leave out text columns of many values, such as "
        f"{most.name!r:.60} with {len(most.categories):,}, or replace their rare values by one word."
    )
