"""The files of shards."""

from __future__ import annotations

import io

import numpy as np
import pytest

from treewright.shards._narrow import KINDS
from treewright.shards._spill import _save_stacked


@pytest.mark.parametrize("n_columns", [0, 1, 5])
@pytest.mark.parametrize("n_rows", [0, 1, 700])
@pytest.mark.parametrize("kind", range(len(KINDS)))
def test_columns_are_written_as_numpy_writes_their_stack(kind: int, n_rows: int, n_columns: int) -> None:
    matrix = np.random.default_rng(0).integers(0, 100, (n_columns, n_rows)).astype(KINDS[kind])
    columns = [np.repeat(column, 2)[::2] for column in matrix]  # not contiguous
    ours, theirs = io.BytesIO(), io.BytesIO()
    _save_stacked(ours, columns, n_rows, KINDS[kind])
    np.save(theirs, matrix)
    assert ours.getvalue() == theirs.getvalue()
