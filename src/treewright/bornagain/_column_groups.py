"""What the groups of a domain say about a box of rows: which columns are 0 or 1 because another one is.

A box is given by the ends of its columns, low < x <= high: a column of a group that is 0 has the ends (-inf, 0), one
that is 1 has (0, inf). The ends of the other columns of the group follow, and are kept beside them.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from treewright.convert import Domain

__all__ = ["ColumnGroups"]

Ends = dict[int, tuple[float, float]]
ZERO, ONE = (-math.inf, 0.0), (0.0, math.inf)
NO_GROUP, NO_COLUMN, NOTHING = -1, -1, -2


class ColumnGroups:
    """The groups of a domain, and what they settle in a box.

    Parameters
    ----------
    domain : Domain
    asked : set of int
        Columns that some tree asks about; the ends of others are not kept.
    """

    def __init__(self, domain: Domain, asked: set[int]) -> None:
        self.of = np.full(len(domain.low), NO_GROUP, dtype=np.int64)
        self._able: list[tuple[int, ...]] = []  # the columns that can be 1
        self._asked: list[tuple[int, ...]] = []
        self._n_one_hot = len(domain.one_hot)  # these come first
        for g, group in enumerate(domain.groups):
            self.of[list(group)] = g
            self._able.append(tuple(j for j in group if domain.high[j] >= 1))
            self._asked.append(tuple(j for j in self._able[-1] if j in asked))

    def settled(self, column: int, *, is_one: bool, ends: Ends) -> Ends:
        """Return the ends of the other columns of the group that follow from a column being 1, or 0."""
        g = int(self.of[column])
        if g == NO_GROUP:
            return {}
        if is_one:
            return {j: ZERO for j in self._asked[g] if j != column}
        lasts = self._lasts(g, ends) if g < self._n_one_hot else {}
        return {lasts[column]: ONE} if column in lasts else {}

    def ones(self, ends: Ends) -> dict[int, float]:
        """Return one column of each group that needs a 1 and has none in the ends, with that 1."""
        out = {}
        for able in self._able[: self._n_one_hot]:
            if all(ends.get(j) != ONE for j in able):
                out[next(j for j in able if ends.get(j) != ZERO)] = 1.0
        return out

    def of_halves(self, column: NDArray[np.int64], ends: Ends) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return for both halves of each question, all left halves first, what the cut of its column settles.

        Parameters
        ----------
        column : ndarray of shape (n_questions,), int64
        ends : dict
            Of the box that is cut.

        Returns
        -------
        zeros : ndarray of shape (2 * n_questions,), int64
            The group whose other columns are 0; -2 if there is none.
        one : ndarray of shape (2 * n_questions,), int64
            The column that is 1; -1 if there is none.
        """
        group = self.of[column]
        lasts = {g: self._lasts(g, ends) for g in set(group.tolist()) if 0 <= g < self._n_one_hot}
        one = [
            lasts[g].get(j, NO_COLUMN) if g in lasts else NO_COLUMN
            for j, g in zip(column.tolist(), group.tolist(), strict=True)
        ]
        of_right = np.where(group == NO_GROUP, NOTHING, group)
        return (
            np.append(np.full(len(column), NOTHING), of_right),
            np.append(np.array(one, dtype=np.int64), np.full(len(column), NO_COLUMN)),
        )

    def _lasts(self, g: int, ends: Ends) -> dict[int, int]:
        """Return the columns of a group whose being 0 leaves one that has to be 1, each with that one."""
        left = [j for j in self._able[g] if ends.get(j) != ZERO]
        return {left[0]: left[1], left[1]: left[0]} if len(left) == 2 else {}
