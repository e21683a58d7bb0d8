"""A linear split over codes of words is written nowhere: no reader takes it, and SQL would read the words as 0."""

import numpy as np
import pytest

from treewright.convert import to_json, to_onnx, to_python, to_sql
from treewright.errors import InputError
from treewright.tree import Column, ColumnKind, LinearSplit, grow


@pytest.mark.parametrize("write", [to_json, to_sql, to_python, to_onnx])
def test_sums_of_words_are_refused(write):
    columns = (Column("a", ColumnKind.CONTINUOUS), Column("c", ColumnKind.CATEGORICAL, ("u", "v", "w")))
    X = np.array([[1.0, 0], [2, 1], [3, 2], [4, 0]])
    split = LinearSplit((0, 1), (0.5, -1.0), 0.3, False)
    y, weight = np.array([0, 1, 0, 1]), np.ones(4)
    tree = grow(columns, np.array([0, 1]), [split, None, None], X, y, weight, 1 - np.eye(2))
    with pytest.raises(InputError, match="the column 'c' holds words"):
        write(tree)
