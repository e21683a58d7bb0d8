"""The part of the feature space that a statement about an ensemble is for: ranges of columns, whole numbers.

Faithful everywhere is more than most people ask: no age is -3 or 41.5. Within a domain a split ``x <= t`` of a column
with values from `low` to `high` sends all of them left if t >= high, and none if t < low: it is no split there. Of
whole numbers ``x <= t`` asks ``x <= floor(t)``, so thresholds between the same two numbers are one. Both change no
decision inside, and leave fewer cells, which is what the exact methods pay for. A missing value is in every domain.

`restrict` rewrites trees so; the verifier does not use it, but reads the domain and the trees as they came.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.errors import InputError

if TYPE_CHECKING:
    from treewright.convert._ensemble import EnsembleTree

__all__ = ["Domain", "restrict"]


@dataclass(frozen=True, eq=False)
class Domain:
    """Rows whose values lie in a range, column by column, and are whole numbers where that is said.

    Parameters
    ----------
    low, high : ndarray of shape (n_features,), float64
        Both ends belong to it; -inf and inf are no limit. In columns of integers they are moved to the nearest
        integer inside.
    integer : ndarray of shape (n_features,), bool
        Columns of whole numbers.

    Raises
    ------
    InputError
        If the arrays differ in length, or a column has no value.

    Examples
    --------
    >>> from treewright.bornagain import Domain
    >>> domain = Domain.of(["age", "income"], {"age": (0, 120)}, integers=["age"])
    >>> domain.contains([[41.0, 5e4], [41.5, 5e4], [130.0, 5e4]]).tolist()
    [True, False, False]
    """

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    integer: NDArray[np.bool_]

    def __post_init__(self) -> None:
        integer = np.array(self.integer, dtype=np.bool_)
        low, high = (np.array(end, dtype=np.float64) for end in (self.low, self.high))
        if low.ndim != 1 or not low.shape == high.shape == integer.shape:
            raise InputError("low, high and integer of a domain must be lists of one entry per column.")
        low, high = np.where(integer, np.ceil(low), low), np.where(integer, np.floor(high), high)
        empty = np.flatnonzero(~(low <= high) | (low == np.inf) | (high == -np.inf))  # NaN, too
        if len(empty):
            j = int(empty[0])
            raise InputError(
                f"Column {j} of the domain goes from {self.low[j]} to {self.high[j]}, where there is no value; give "
                "low <= high" + (", with a whole number between." if integer[j] else ".")
            )
        for name, value in (("low", low), ("high", high), ("integer", integer)):
            value.flags.writeable = False
            object.__setattr__(self, name, value)

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        ranges: Mapping[str, tuple[float, float]] | None = None,
        *,
        integers: Sequence[str] = (),
    ) -> Domain:
        """Make a domain from names of columns; those that are not named may have any value.

        Parameters
        ----------
        names : sequence of str
            All columns, in order; ``ensemble.feature_names``.
        ranges : mapping from str to (low, high), optional
        integers : sequence of str
            Columns of whole numbers.

        Raises
        ------
        InputError
            If a column does not exist.
        """
        ranges = {} if ranges is None else dict(ranges)
        unknown = [name for name in [*ranges, *integers] if name not in names]
        if unknown:
            raise InputError(f"The domain names the column {unknown[0]!r}; there are: {', '.join(names)}.")
        ends = np.array([ranges.get(name, (-np.inf, np.inf)) for name in names], dtype=np.float64)
        return cls(ends[:, 0], ends[:, 1], np.isin(np.asarray(names, dtype=object), list(integers)))

    @classmethod
    def of_rows(cls, X: ArrayLike) -> Domain:
        """Return the smallest domain with these rows: from least to largest value, whole numbers where all are.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            NaN marks a missing value. A column without any value may have all.

        Raises
        ------
        InputError
            If there are no rows.
        """
        rows = np.asarray(X, dtype=np.float64)
        if rows.ndim != 2 or not len(rows):
            raise InputError(f"X must have rows and columns; got shape {rows.shape}.")
        known = np.isfinite(rows)
        some = known.any(axis=0)
        low = np.where(some, np.where(known, rows, np.inf).min(axis=0), -np.inf)
        high = np.where(some, np.where(known, rows, -np.inf).max(axis=0), np.inf)
        low[(rows == -np.inf).any(axis=0)] = -np.inf
        high[(rows == np.inf).any(axis=0)] = np.inf
        whole = some & (np.where(known, rows, 0.0) == np.round(np.where(known, rows, 0.0))).all(axis=0)
        return cls(low, high, whole)

    def contains(self, X: ArrayLike) -> NDArray[np.bool_]:
        """Say which rows are inside, shape (n_rows,)."""
        return np.asarray(self._inside(np.asarray(X, dtype=np.float64)).all(axis=1))

    def check(self, X: NDArray[np.float64], names: Sequence[str]) -> None:
        """Refuse rows outside, by the first column that has one.

        Raises
        ------
        InputError
        """
        inside = self._inside(X)
        wrong = np.flatnonzero(~inside.all(axis=0))
        if len(wrong):
            j = int(wrong[0])
            value = X[~inside[:, j], j][0]
            raise InputError(
                f"{int((~inside.all(axis=1)).sum())} of {len(X)} rows are outside the domain: column {names[j]!r} has "
                f"{value:.6g}, and {self.words(names, [j])}. Leave such rows out, or give a wider domain."
            )

    def clip(self, column: int, value: float) -> float:
        """Return the value of the domain nearest to a number (a whole one, in a column of these)."""
        return float(min(max(value, self.low[column]), self.high[column]))

    def words(self, names: Sequence[str], columns: Sequence[int] | None = None) -> str:
        """Say what the columns keep to: "age from 0 to 120 (whole numbers), ..."; those without limits are left out."""
        parts = []
        for j in range(len(self.low)) if columns is None else columns:
            low, high = self.low[j], self.high[j]
            ends = f"{names[j]} from {low:.17g} to {high:.17g}"
            if low == -np.inf and high == np.inf:
                ends = f"{names[j]}" + ("" if self.integer[j] else " without limits")
            elif low == -np.inf:
                ends = f"{names[j]} up to {high:.17g}"
            elif high == np.inf:
                ends = f"{names[j]} from {low:.17g}"
            if columns is None and low == -np.inf and high == np.inf and not self.integer[j]:
                continue
            parts.append(f"{ends} (whole numbers)" if self.integer[j] else ends)
        return ", ".join(parts)

    def _inside(self, X: NDArray[np.float64]) -> NDArray[np.bool_]:
        if X.ndim != 2 or X.shape[1] != len(self.low):
            raise InputError(f"X must have shape (n_rows, {len(self.low)}); got {X.shape}.")
        whole = ~self.integer | (np.round(X) == X)
        within = (self.low <= X) & (self.high >= X) & whole
        return np.asarray(within | np.isnan(X))


def restrict(tree: EnsembleTree, domain: Domain, missing: NDArray[np.bool_]) -> EnsembleTree:
    """Return a tree with the same leaf for every row of the domain, without splits that split nothing there.

    Parameters
    ----------
    tree : EnsembleTree
    domain : Domain
    missing : ndarray of shape (n_features,), bool
        Columns in which a value may be missing: a split that sends all values to one side and missing ones to the
        other is kept, as the question whether the value is known (threshold inf).
    """
    nodes: list[
        tuple[int, float, bool, int]
    ] = []  # column, threshold, where missing values go, node it came from
    children: list[list[int]] = []
    stack = [(0, -1, 0)]
    while stack:
        node, parent, place = stack.pop()
        while True:
            f = int(tree.feature[node])
            if f < 0:
                entry, sides = (-1, 0.0, False, node), (-1, -1)
                break
            t = float(np.floor(tree.threshold[node]) if domain.integer[f] else tree.threshold[node])
            missing_left = bool(tree.missing_left[node])
            left, right = int(tree.left[node]), int(tree.right[node])
            if domain.low[f] <= t < domain.high[f]:
                entry, sides = (f, t, missing_left, node), (left, right)
                break
            goes_left = t >= domain.high[f]
            if not missing[f] or missing_left == goes_left:
                node = left if goes_left else right
                continue
            entry = (f, np.inf, False, node)  # known values left, missing ones right
            sides = (left, right) if goes_left else (right, left)
            break
        at = len(nodes)
        nodes.append(entry)
        children.append([0, 0])
        if parent >= 0:
            children[parent][place] = at
        if entry[0] >= 0:
            stack += [(sides[1], at, 1), (sides[0], at, 0)]
    feature, threshold, missing_left_of, source = zip(*nodes, strict=True)
    below = np.array(children, dtype=np.int32)
    return replace(
        tree,
        feature=np.array(feature, dtype=np.int32),
        threshold=np.array(threshold, dtype=np.float64),
        left=below[:, 0].copy(),
        right=below[:, 1].copy(),
        value=np.ascontiguousarray(tree.value[list(source)]),
        missing_left=np.array(missing_left_of, dtype=np.bool_),
    )
