"""Rows sent through splits: a bit for every row and split."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np
from numpy.typing import NDArray

from treewright.binarize._split_matrix import SplitMatrix
from treewright.binarize._value_ranks import thresholds_below
from treewright.errors import InputError
from treewright.table import Table
from treewright.tree import CategorySplit, Split, ThresholdSplit

__all__ = ["LARGEST_MATRIX", "check_size", "make_splits"]

LARGEST_MATRIX = 4 * 2**30  # bytes; beyond it asking for "all midpoints" is a mistake, not a wish
BLOCK_CELLS = 2**16  # of rows and splits that are compared at once
MANY_THRESHOLDS = 16  # of one column: then a value is looked up among them once


def make_splits(
    table: Table, groups: Sequence[list[Split]], scope: str, notes: tuple[str, ...] = ()
) -> SplitMatrix:
    """Put the splits of all columns together and send every row through every split.

    Parameters
    ----------
    table : Table
    groups : sequence of list of Split
        Threshold and category splits of each column of the table.
    scope : str
        Which splits these are, in words.
    notes : tuple of str, default=()

    Returns
    -------
    SplitMatrix

    Raises
    ------
    InputError
        They would fill more than 4 GiB.

    Examples
    --------
    >>> from treewright.binarize import make_splits
    >>> from treewright.table import table_from
    >>> from treewright.tree import ThresholdSplit
    >>> make_splits(table_from([[20], [30], [40]]), [[ThresholdSplit(0, 35.0)]], "one split").splits
    (ThresholdSplit(column=0, threshold=35.0, missing_left=False),)
    """
    splits = tuple(split for group in groups for split in group)
    check_size(len(splits), table.n_rows)
    block = max(1, BLOCK_CELLS // max(1, table.n_rows))
    if len(splits) <= block and all(len(group) <= 1 for group in groups) and _are_plain(table, splits):
        # As of columns of zeros and ones: all at once, for numpy's calls take longer than the rows of a small table.
        x = table.X[:, [split.column for split in splits]].T
        packed = np.packbits(_goes_right(splits, x), axis=1, bitorder="little")
        return SplitMatrix(splits, packed, table.n_rows, scope, (*table.notes, *notes))
    packed = np.empty((len(splits), (table.n_rows + 7) // 8), dtype=np.uint8)
    row = 0
    for j, group in enumerate(groups):
        x = table.X[:, j]
        missing = np.isnan(x) if group and table.columns[j].has_missing else None
        if len(group) >= MANY_THRESHOLDS and all(isinstance(split, ThresholdSplit) for split in group):
            _pack_thresholds(
                cast("Sequence[ThresholdSplit]", group), x, missing, packed[row : row + len(group)]
            )
            row += len(group)
            continue
        for start in range(0, len(group), block):
            some = group[start : start + block]
            right = _goes_right(some, x)
            if missing is not None:  # as in `Split.goes_left`; tested
                right[:, missing] = np.array([[not split.missing_left] for split in some])
            packed[row : row + len(some)] = np.packbits(right, axis=1, bitorder="little")
            row += len(some)
    return SplitMatrix(splits, packed, table.n_rows, scope, (*table.notes, *notes))


def _pack_thresholds(
    group: Sequence[ThresholdSplit],
    x: NDArray[np.float64],
    missing: NDArray[np.bool_] | None,
    packed: NDArray[np.uint8],
) -> None:
    """Send rows through many thresholds of one column: from one to the next only the rows between them change."""
    thresholds = np.array([split.threshold for split in group])
    order = np.argsort(thresholds, kind="stable")
    # Right of so many thresholds; a missing value of all.
    above = thresholds_below(x, thresholds[order])
    changed = np.zeros_like(packed)
    changed[0] = np.packbits(above > 0, bitorder="little")
    rows = np.flatnonzero((above > 0) & (above < len(group)))
    bits = np.left_shift(1, rows % 8).astype(np.uint8)
    np.bitwise_or.at(changed, (above[rows], rows // 8), bits)
    for k in range(1, len(changed)):  # a fifth of what `bitwise_xor.accumulate` takes
        np.bitwise_xor(changed[k - 1], changed[k], out=changed[k])
    packed[order] = changed
    if missing is not None:
        left = np.array([split.missing_left for split in group])
        packed[left] &= ~np.packbits(missing, bitorder="little")


def _are_plain(table: Table, splits: Sequence[Split]) -> bool:
    """Whether all are thresholds of columns without missing values."""
    return len(splits) > 0 and all(
        isinstance(split, ThresholdSplit) and not table.columns[split.column].has_missing for split in splits
    )


def _goes_right(group: Sequence[Split], x: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Send known values through splits of their column, or each row of `x` through a split: one row per split."""
    thresholds = [split.threshold for split in group if isinstance(split, ThresholdSplit)]
    if len(thresholds) == len(group):
        return x > np.array(thresholds).reshape(-1, 1)
    right = np.empty((len(group), len(x)), dtype=np.bool_)
    for here, split in zip(right, group, strict=True):
        if isinstance(split, ThresholdSplit):
            np.greater(x, split.threshold, out=here)
        else:
            assert isinstance(split, CategorySplit)  # candidates are of these two kinds
            low, high = split.left[0], split.left[-1]  # one category, or ordered ones without a gap
            np.logical_or(x < low, x > high, out=here)
    return right


def check_size(n_splits: int, n_rows: int) -> None:
    """Refuse splits that would not fit, before any is made."""
    n_bytes = n_splits * ((n_rows + 7) // 8)
    if n_bytes > LARGEST_MATRIX:
        raise InputError(
            f"{n_splits} splits on {n_rows} rows need {n_bytes / 2**30:.1f} GiB; the limit is "
            f"{LARGEST_MATRIX // 2**30} GiB. Use quantiles or auto_splits, which keep fewer, or round the column."
        )
