"""The tic-tac-toe endgame table, made by playing all games.

The UCI table holds every board on which a game can end if "x" plays first: three in a row, or no empty
square. There are 255168 games but only 958 such boards, 626 of them won by x. They are re-created here by a
search over boards, so no file is needed; a test compares them with a published copy.
"""

from __future__ import annotations

import numpy as np

from treewright.datasets._dataset import Dataset
from treewright.table import table_from

__all__ = ["tic_tac_toe"]

ROWS, COLUMNS = ("top", "middle", "bottom"), ("left", "middle", "right")
SQUARES = tuple(f"{row}-{column}" for row in ROWS for column in COLUMNS)
LINES = (
    *((3 * i, 3 * i + 1, 3 * i + 2) for i in range(3)),
    *((i, i + 3, i + 6) for i in range(3)),
    (0, 4, 8),
    (2, 4, 6),
)


def tic_tac_toe() -> Dataset:
    """Return all 958 end positions of tic-tac-toe; positive means that x, who began, has won.

    Returns
    -------
    Dataset
        958 rows, 9 categorical columns with values b (blank), o and x; 626 positive rows.

    References
    ----------
    D. Aha (1991). Tic-Tac-Toe Endgame. UCI Machine Learning Repository.

    Examples
    --------
    >>> data = tic_tac_toe()
    >>> data.table.n_rows, int((data.y == "positive").sum())
    (958, 626)
    """
    boards = sorted(_end_positions(), reverse=True)
    y = np.array(["positive" if _has_line(board, "x") else "negative" for board in boards])
    return Dataset(
        "tic-tac-toe",
        table_from([list(board) for board in boards], feature_names=SQUARES),
        y,
        "Every board on which a game of tic-tac-toe can end, x first; positive if x has three in a row.",
        "All games played out; equal to the UCI table Tic-Tac-Toe Endgame (Aha, 1991).",
    )


def _end_positions() -> set[str]:
    """Boards that end a game, as nine letters, found from the empty board by single moves."""
    ends: set[str] = set()
    seen = {"b" * 9}
    pending = ["b" * 9]
    while pending:
        board = pending.pop()
        mover = "x" if board.count("x") == board.count("o") else "o"
        for square in range(9):
            if board[square] != "b":
                continue
            after = board[:square] + mover + board[square + 1 :]
            if after in seen:
                continue
            seen.add(after)
            if _has_line(after, mover) or "b" not in after:
                ends.add(after)
            else:
                pending.append(after)
    return ends


def _has_line(board: str, player: str) -> bool:
    return any(all(board[square] == player for square in line) for line in LINES)
