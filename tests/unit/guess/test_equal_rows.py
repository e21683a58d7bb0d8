"""Sets of equal rows, beside a dictionary."""

import numpy as np
import pytest

from treewright.guess._equal_rows import number_equal_rows


@pytest.mark.parametrize("n_columns", [0, 1, 7, 8, 63, 64, 65, 130])
@pytest.mark.parametrize("n_rows", [1, 2, 200])
def test_equal_rows_have_equal_numbers(n_columns: int, n_rows: int) -> None:
    rng = np.random.default_rng(n_columns)
    columns = rng.integers(0, 2, (n_columns, 40)).astype(np.uint8)[:, rng.integers(0, 40, n_rows)]
    numbers = number_equal_rows(columns)
    by_row: dict[bytes, int] = {}
    for row, number in zip(columns.T, numbers.tolist(), strict=True):
        assert by_row.setdefault(row.tobytes(), number) == number
    assert sorted(by_row.values()) == list(range(len(by_row)))
