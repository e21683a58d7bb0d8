"""Data sets are what they say: counts, rules, and rows that no file was needed for."""

import numpy as np
import pytest

from treewright.datasets import breast_cancer, digits, iris, monks, tic_tac_toe, wine
from treewright.errors import InputError
from treewright.tree import ColumnKind


def rows_of(data):
    """Rows of a categorical table as tuples of words."""
    return [
        tuple(column.categories[int(code)] for column, code in zip(data.table.columns, row, strict=True))
        for row in data.table.X
    ]


def test_tic_tac_toe():
    data = tic_tac_toe()
    boards = rows_of(data)
    assert len(set(boards)) == 958
    assert (data.y == "positive").sum() == 626
    lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
    for board, label in zip(boards, data.y, strict=True):
        won = {mark: any(all(board[i] == mark for i in line) for line in lines) for mark in "xo"}
        assert won["x"] == (label == "positive")
        assert not (won["x"] and won["o"])
        assert won["x"] or won["o"] or "b" not in board
        assert board.count("x") - board.count("o") == (
            0 if won["o"] else 1 if won["x"] or "b" not in board else None
        )
    assert (
        sum("b" not in board and label == "negative" for board, label in zip(boards, data.y, strict=True))
        == 16
    )


@pytest.mark.parametrize(("problem", "positive"), [(1, 216), (2, 142), (3, 228)])
def test_monks(problem, positive):
    data = monks(problem)
    assert len(set(rows_of(data))) == 432
    assert (data.y == "1").sum() == positive
    assert all(column.kind is ColumnKind.CATEGORICAL for column in data.table.columns)
    assert data.table.notes == ()
    for (a1, a2, a3, a4, a5, a6), label in zip(rows_of(data), data.y, strict=True):
        ones = [a1, a2, a3, a4, a5, a6].count("1")
        rule = {
            1: a1 == a2 or a5 == "1",
            2: ones == 2,
            3: (a5, a4) == ("3", "1") or (a5 != "4" and a2 != "3"),
        }
        assert rule[problem] == (label == "1")


def test_monks_number_is_checked():
    with pytest.raises(InputError, match="choose 1, 2 or 3"):
        monks(4)


@pytest.mark.parametrize(
    ("make", "shape", "classes"),
    [(breast_cancer, (569, 30), 2), (wine, (178, 13), 3), (iris, (150, 4), 3), (digits, (1797, 64), 10)],
)
def test_those_of_scikit_learn(make, shape, classes):
    data = make()
    assert data.table.X.shape == shape
    assert len(np.unique(data.y)) == classes
    assert data.y.dtype.kind == "U"
    assert data.name == make.__name__
    assert data.source.startswith("Comes with scikit-learn")
