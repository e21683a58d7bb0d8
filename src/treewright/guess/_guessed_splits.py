"""Guessed thresholds as splits of the table: what the search takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright._plural import first_of
from treewright.binarize import SplitMatrix, make_splits
from treewright.guess._faithful import FaithfulTree, faithful_tree
from treewright.guess._reference import Input, Reference
from treewright.guess._thresholds import Elimination, InputThreshold, eliminate_columns
from treewright.table import Table
from treewright.tree import CategorySplit, Split, ThresholdSplit, split_at

__all__ = ["GuessedSplits", "guess_splits"]


@dataclass(frozen=True, eq=False)
class GuessedSplits:
    """The splits that a reference suggests, and how well it performs with them.

    Parameters
    ----------
    split_matrix : SplitMatrix
    elimination : Elimination
    faithful : FaithfulTree or None
        The tree t' of Theorem 4.1.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.guess import guess_splits, make_reference, named_reference
    >>> from treewright.table import table_from
    >>> y = np.array([0, 0, 1], dtype=np.int32)
    >>> table, model = table_from([[20], [30], [40]]), named_reference("gbdt", n_estimators=5)
    >>> found = guess_splits(make_reference(model, table, y, np.array([0, 1]), np.ones(3)), table, y, np.ones(3))
    >>> found.faithful.n_leaves
    2
    """

    split_matrix: SplitMatrix
    elimination: Elimination
    faithful: FaithfulTree | None


def guess_splits(
    reference: Reference,
    table: Table,
    y: NDArray[np.int32],
    weight: NDArray[np.float64],
    *,
    tolerance: float = 0.0,
    is_over: Callable[[], bool] | None = None,
) -> GuessedSplits:
    """Choose the splits that a tree may use by column elimination.

    Parameters
    ----------
    reference : Reference
    table : Table
    y : ndarray of shape (n_rows,), int32
    weight : ndarray of shape (n_rows,), float64
    tolerance : float, default=0
        Largest allowed decrease of the ensemble's training accuracy.
    is_over : callable, default=None
        When it returns True, no more thresholds are removed.

    Returns
    -------
    GuessedSplits

    Raises
    ------
    InputError
        The reference uses no threshold that separates rows.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.guess import guess_splits, make_reference, named_reference
    >>> from treewright.table import table_from
    >>> y = np.array([0, 0, 1], dtype=np.int32)
    >>> table, model = table_from([[20], [30], [40]]), named_reference("gbdt", n_estimators=5)
    >>> reference = make_reference(model, table, y, np.array([0, 1]), np.ones(3))
    >>> [split.threshold for split in guess_splits(reference, table, y, np.ones(3)).split_matrix.splits]
    [35.0]
    """
    found = eliminate_columns(reference, y, weight, tolerance=tolerance, is_over=is_over)
    groups: list[list[Split]] = [[] for _ in table.columns]
    for threshold in found.kept:
        source = reference.inputs[threshold.position]
        ordered = table.columns[source.column].ordered
        for split in _splits(source, threshold, table.X[:, source.column], ordered):
            if split not in groups[source.column]:
                groups[source.column].append(split)
    unsplit = [column.name for column, group in zip(table.columns, groups, strict=True) if not group]
    n_left, n_before = len(found.kept), len(found.kept) + len(found.removed)
    notes = [
        f"The reference uses {n_before} threshold{'' if n_before == 1 else 's'}; {n_left} "
        f"{'was' if n_left == 1 else 'were'} kept by column elimination "
        f"({100 * (1 - found.error_after):.2f}% right with them, {100 * (1 - found.error_before):.2f}% with "
        "all).",
        "The search over all thresholds was not tried; leave the guess of thresholds out to try it.",
    ]
    if found.was_stopped:
        notes.append(
            "A limit ended column elimination before it was complete: with a larger one fewer thresholds may be kept."
        )
    if unsplit:
        notes.append(f"No splits on {first_of(unsplit)}: the reference needs no threshold there.")
    n_kept = sum(map(len, groups))
    scope = f"the {n_kept} guessed threshold{'' if n_kept == 1 else 's'} (not all thresholds)"
    return GuessedSplits(
        make_splits(table, groups, scope, tuple(notes)),
        found,
        faithful_tree(found.columns, found.predictions),
    )


def _splits(source: Input, threshold: InputThreshold, x: NDArray[np.float64], ordered: bool) -> list[Split]:
    """Return our split for a threshold of the reference; missing values go where it sends them."""
    missing = np.isnan(x)
    known = x[~missing]
    if source.category is not None:
        of_it = 2 * int((known == source.category).sum()) >= len(known)
        return [CategorySplit(source.column, (source.category,), missing_left=not missing.any() and of_it)]
    left = known <= threshold.threshold
    if missing.any() and (left.all() or not left.any()):
        return [ThresholdSplit(source.column, np.inf, missing_left=False)]  # known or missing
    sides = [2 * int(left.sum()) >= len(known)]
    if source.missing_left is not None:
        sides = [source.missing_left]
    elif missing.any():  # a fitted reference that learned the direction by itself: offer both
        sides = [True, False]
    return [split_at(source.column, threshold.threshold, side, ordered=ordered) for side in sides]
