"""A frame's columns are told apart by their names, whatever is in them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from treewright.errors import InputError, InputTypeError
from treewright.table import names_of_frame, table_from


class Arrow:
    """What a pyarrow table says of its columns: `columns` are arrays."""

    def __init__(self, names: list[str]) -> None:
        self.column_names, self.columns = names, [np.arange(3)] * len(names)


@pytest.mark.parametrize("kind", [Arrow, lambda names: pd.DataFrame([[1] * len(names)], columns=names)])
def test_columns_with_the_same_values_are_not_twice_there(kind) -> None:
    assert names_of_frame(kind(["a", "b"])) == ("a", "b")
    with pytest.raises(InputError, match="Duplicate column names: 'a'"):
        names_of_frame(kind(["a", "a"]))


def test_frames_and_arrays() -> None:
    assert names_of_frame(pl.DataFrame({"a": [1], "columns": [1]})) == ("a", "columns")
    assert names_of_frame(pd.DataFrame({0: [1], "column_names": [1]})) == ("0", "column_names")
    assert names_of_frame(np.eye(2)) == ()


@pytest.mark.parametrize(
    ("X", "says"),
    [
        ({"a": [1, 2]}, r"a dict\. Make it a frame, such as pandas\.DataFrame\(X\)"),
        (
            np.array([(1, 2.0)], dtype=[("a", int), ("b", float)]),
            r"named fields \(a, b\).*pandas\.DataFrame\(X\)",
        ),
        (Arrow(["a"]), r"an Arrow, which is not a frame.*of DuckDB: X\.pl\(\)"),
    ],
)
def test_what_is_no_table_is_told_how_to_become_one(X, says) -> None:
    with pytest.raises(InputTypeError, match=says):
        table_from(X)
