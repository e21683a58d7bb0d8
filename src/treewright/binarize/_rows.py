"""Rows sent through splits: a bit for every row and split."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from treewright.binarize._split_matrix import SplitMatrix
from treewright.binarize._value_ranks import threshold_bits
from treewright.errors import InputError
from treewright.table import Table
from treewright.tree import CategorySplit, Split, ThresholdSplit

__all__ = ["LARGEST_MATRIX", "check_size", "make_splits"]

LARGEST_MATRIX = 4 * 2**30  # bytes; beyond it asking for "all midpoints" is a mistake, not a wish


def make_splits(
    table: Table, groups: Sequence[list[Split]], scope: str, notes: tuple[str, ...] = ()
) -> SplitMatrix:
    """Put the splits of all columns together. The rows are sent through them when `packed` is first asked for.

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
    bits = partial(_bits, table, splits)
    return SplitMatrix(splits, bits, table.n_rows, scope, (*table.notes, *notes))


def _bits(table: Table, splits: Sequence[Split]) -> NDArray[np.uint8]:
    """Send every row through every split."""
    thresholds = [split for split in splits if isinstance(split, ThresholdSplit)]
    of_numbers = threshold_bits(table, thresholds)
    if len(thresholds) == len(splits):
        return of_numbers
    packed = np.empty((len(splits), (table.n_rows + 7) // 8), dtype=np.uint8)
    is_threshold = np.array([isinstance(split, ThresholdSplit) for split in splits])
    packed[is_threshold] = of_numbers
    others = [split for split in splits if isinstance(split, CategorySplit)]
    for number, split in zip(np.flatnonzero(~is_threshold).tolist(), others, strict=True):
        packed[number] = np.packbits(_goes_right(table, split), bitorder="little")
    return packed


def _goes_right(table: Table, split: CategorySplit) -> NDArray[np.bool_]:
    """Send every row through a split of categories: a single one on the left, or ordered ones without a gap."""
    x = table.X[:, split.column]
    right = (x < split.left[0]) | (x > split.left[-1])
    if table.columns[split.column].has_missing and not split.missing_left:
        right |= np.isnan(x)
    return right


def check_size(n_splits: int, n_rows: int) -> None:
    """Refuse splits that would not fit, before any is made."""
    n_bytes = n_splits * ((n_rows + 7) // 8)
    if n_bytes > LARGEST_MATRIX:
        raise InputError(
            f"{n_splits} splits on {n_rows} rows need {n_bytes / 2**30:.1f} GiB; the limit is "
            f"{LARGEST_MATRIX // 2**30} GiB. Use quantiles or auto_splits, which keep fewer, or round the column."
        )
