"""Which splits a tree may use: all of them, a few of each column, given ones, or what a budget allows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.binarize._cuts import Cuts
from treewright.binarize._offer import Offer, offer_of, threshold_splits
from treewright.binarize._thresholds import keep_label_changes
from treewright.errors import InputError
from treewright.table import Table
from treewright.tree import CategorySplit, ColumnKind, Split, ThresholdSplit

__all__ = ["auto_cuts", "count_splits", "given_cuts", "midpoints", "quantiles"]

DEFAULT_MAX_SPLITS = 512
LARGEST_MATRIX = 4 * 2**30  # bytes; beyond it asking for "all midpoints" is a mistake, not a wish
ALL = 2**62  # a level that keeps every choice


def count_splits(table: Table) -> tuple[int, int]:
    """Count the splits that `midpoints` would return, without making them.

    Parameters
    ----------
    table : Table

    Returns
    -------
    continuous : int
        Splits of continuous columns.
    others : int
        Splits of binary and categorical columns.
    """
    counts = {True: 0, False: 0}
    for offer, column in zip(_offers(table, None), table.columns, strict=True):
        counts[column.kind is ColumnKind.CONTINUOUS] += offer.n_splits(ALL)
    return counts[True], counts[False]


def midpoints(
    table: Table,
    y: ArrayLike | None = None,
    only_label_changes: bool = False,
    sample_weight: ArrayLike | None = None,
) -> Cuts:
    """Return every split of the table: all midpoints between distinct values, every category against the rest.

    Parameters
    ----------
    table : Table
    y : array-like of shape (n_rows,), default=None
        Class of each row; needed for `only_label_changes`.
    only_label_changes : bool, default=False
        Keep a threshold only where its two neighbouring values do not have all rows in one and the same
        class. Keeps the optimum for a single split and for a table of one column, but NOT in general (the
        proof and the counter-example are named in `treewright.binarize._thresholds`); the scope says so.
    sample_weight : array-like of shape (n_rows,), default=None
        Positive weights; they decide only where a missing value of later rows goes. None is 1 for each row.

    Returns
    -------
    Cuts

    Raises
    ------
    InputError
        `y` is absent or of the wrong length, or the splits would fill more than 4 GiB.
    """
    offers = _offers(table, sample_weight)
    if not only_label_changes:
        return make_cuts(table, [offer.splits(ALL) for offer in offers], scope_of_all(table))
    if y is None:
        raise InputError("only_label_changes needs y, the class of each row.")
    labels = np.unique(np.asarray(y), return_inverse=True)[1].astype(np.int32)
    if labels.shape != (table.n_rows,):
        raise InputError(
            f"y has shape {labels.shape}, the table has {table.n_rows} rows; give one label a row."
        )
    n_all = sum(offer.n_splits(ALL) for offer in offers)
    kept = [_only_label_changes(offer, table, labels) for offer in offers]
    groups = [offer.splits(ALL) for offer in kept]
    n_kept = sum(map(len, groups))
    if n_kept == n_all:
        return make_cuts(table, groups, scope_of_all(table))
    note = (
        f"Only {n_kept} of {n_all} splits were offered: thresholds where the label changes. Below the root "
        "of a tree with several columns a threshold inside a run of one label can be better."
    )
    return make_cuts(table, groups, "the thresholds at which the label changes (not all thresholds)", (note,))


def quantiles(table: Table, n_bins: int, sample_weight: ArrayLike | None = None) -> Cuts:
    """Cut each column of numbers into at most `n_bins` bins of about equally many rows; keep all categories.

    Parameters
    ----------
    table : Table
    n_bins : int
        At least 2. A column with no more distinct values than bins keeps all its thresholds.
    sample_weight : array-like of shape (n_rows,), default=None
        Positive weights, such as ``problem.sample_weight``; a row of weight 2 counts as two rows. None is 1
        each.

    Returns
    -------
    Cuts

    Raises
    ------
    InputError
        `n_bins` is below 2.
    """
    if isinstance(n_bins, bool) or not isinstance(n_bins, (int, np.integer)) or n_bins < 2:
        raise InputError(f"n_bins={n_bins!r}; give an integer of at least 2.")
    offers = _offers(table, sample_weight)
    levels = [int(n_bins) - 1 if offer.gaps is not None else ALL for offer in offers]
    groups = [offer.splits(level) for offer, level in zip(offers, levels, strict=True)]
    notes = _notes(table, offers, levels)
    scope = f"the given cuts (at most {n_bins - 1} quantiles a column)" if notes else scope_of_all(table)
    return make_cuts(table, groups, scope, notes)


def given_cuts(
    table: Table, thresholds: Mapping[str, Sequence[float]], sample_weight: ArrayLike | None = None
) -> Cuts:
    """Use the thresholds that a person or another model chose.

    Parameters
    ----------
    table : Table
    thresholds : mapping of str to sequence of float
        For each column of numbers its thresholds, in units of the column; ``x <= t`` goes left. A continuous
        column that is not named is not split. Binary and categorical columns keep all their splits.
    sample_weight : array-like of shape (n_rows,), default=None
        Positive weights; they decide only where a missing value of later rows goes. None is 1 for each row.

    Returns
    -------
    Cuts

    Raises
    ------
    InputError
        A name that is no column of the table, a categorical column, a threshold that is not finite.
    """
    for name in thresholds:
        if name not in table.names:
            raise InputError(f"thresholds name the column {name!r}; the table has {', '.join(table.names)}.")
        if table.columns[table.names.index(name)].kind is ColumnKind.CATEGORICAL:
            raise InputError(
                f"Column {name!r} is categorical and has no thresholds; leave it out, it is split anyway."
            )
    groups: list[list[Split]] = []
    unsplit = []
    for offer, column in zip(_offers(table, sample_weight), table.columns, strict=True):
        gaps = offer.gaps
        if gaps is None or (column.kind is ColumnKind.BINARY and column.name not in thresholds):
            groups.append(offer.splits(ALL))
            continue
        if column.name not in thresholds:
            unsplit.append(column.name)
            groups.append([])
            continue
        wanted = np.unique(np.asarray(thresholds[column.name], dtype=np.float64))
        if wanted.ndim != 1 or not np.isfinite(wanted).all():
            raise InputError(f"thresholds of column {column.name!r} must be a list of finite numbers.")
        gap = np.searchsorted(gaps.below, wanted, side="right") - 1  # the gap that holds each threshold
        useful = (gap >= 0) & (wanted < (gaps.above[-1] if len(gaps) else -np.inf))  # separates known rows
        splits = threshold_splits(offer.position, wanted[useful], gaps.keep(gap[useful]))
        if offer.asks_known:
            splits.append(ThresholdSplit(offer.position, np.inf, missing_left=False))
        groups.append(splits)
    notes = (f"No thresholds were given for {listed(unsplit)}: not split.",) if unsplit else ()
    return make_cuts(table, groups, "the given thresholds", notes)


def auto_cuts(
    table: Table, max_splits: int = DEFAULT_MAX_SPLITS, sample_weight: ArrayLike | None = None
) -> Cuts:
    """Use every split if they fit the budget, otherwise equally many of each column, and say which.

    Parameters
    ----------
    table : Table
    max_splits : int, default=512
        Largest number of splits offered. Only if the table has more columns than that is it exceeded: each
        column that varies keeps one split at least.
    sample_weight : array-like of shape (n_rows,), default=None
        Positive weights, such as ``problem.sample_weight``; a row of weight 2 counts as two rows. None is 1
        each.

    Returns
    -------
    Cuts
        ``scope`` is that of `midpoints` if nothing was left out. Otherwise each column keeps at most `q`
        choices, the largest `q` that fits: thresholds at quantiles, the most frequent categories. ``notes``
        name the columns that lost some.

    Raises
    ------
    InputError
        `max_splits` is below 1.
    """
    if isinstance(max_splits, bool) or not isinstance(max_splits, (int, np.integer)) or max_splits < 1:
        raise InputError(f"max_splits={max_splits!r}; give an integer of at least 1.")
    offers = _offers(table, sample_weight)
    budget = min(int(max_splits), max(1, LARGEST_MATRIX // max(1, table.n_rows)))
    level = max([offer.n_choices for offer in offers], default=0)
    if sum(offer.n_splits(level) for offer in offers) > budget:
        low, high = 1, level  # the count grows with the level: bisect for the last level that fits
        while high - low > 1:
            middle = (low + high) // 2
            if sum(offer.n_splits(middle) for offer in offers) <= budget:
                low = middle
            else:
                high = middle
        level = low
    notes = _notes(table, offers, [level] * len(offers))
    scope = (
        f"the chosen cuts (at most {level} quantiles or categories a column)"
        if notes
        else scope_of_all(table)
    )
    return make_cuts(table, [offer.splits(level) for offer in offers], scope, notes)


def _offers(table: Table, sample_weight: ArrayLike | None) -> list[Offer]:
    weight = None
    if sample_weight is not None:
        weight = np.asarray(sample_weight, dtype=np.float64)
        if weight.shape != (table.n_rows,) or not (weight > 0).all():
            raise InputError(
                f"sample_weight must hold {table.n_rows} positive numbers, one a row; `make_problem` checks "
                "weights and leaves out the rows of weight zero."
            )
        if (weight == weight[0]).all():
            weight = None  # the same shares, by a faster sort
    return [offer_of(table.X[:, j], j, column, weight) for j, column in enumerate(table.columns)]


def _only_label_changes(offer: Offer, table: Table, labels: NDArray[np.int32]) -> Offer:
    if offer.gaps is None:
        return offer
    gaps = keep_label_changes(offer.gaps, table.X[:, offer.position], labels)
    return replace(offer, gaps=gaps)


def make_cuts(table: Table, groups: Sequence[list[Split]], scope: str, notes: tuple[str, ...] = ()) -> Cuts:
    """Put the splits of all columns together and send every row through every split."""
    splits = [split for group in groups for split in group]
    n_bytes = len(splits) * table.n_rows
    if n_bytes > LARGEST_MATRIX:
        raise InputError(
            f"{len(splits)} splits on {table.n_rows} rows need {n_bytes / 2**30:.1f} GiB; the limit is "
            f"{LARGEST_MATRIX // 2**30} GiB. Use quantiles or auto_cuts, which keep fewer, or round the "
            "column."
        )
    goes_right = np.empty((len(splits), table.n_rows), dtype=np.uint8)
    row = 0
    for j, group in enumerate(groups):
        if not group:
            continue
        x = table.X[:, j]
        missing = np.flatnonzero(np.isnan(x)) if table.columns[j].has_missing else None
        for split in group:
            out = goes_right[row].view(np.bool_)
            if isinstance(split, ThresholdSplit):
                np.greater(x, split.threshold, out=out)
            else:
                assert isinstance(split, CategorySplit)  # offers hold these two kinds
                np.not_equal(x, split.left[0], out=out)
            if missing is not None:
                goes_right[row][missing] = not split.missing_left  # as in `Split.goes_left`; tested
            row += 1
    return Cuts(tuple(splits), goes_right, scope, (*table.notes, *notes))


def scope_of_all(table: Table) -> str:
    """Say over which trees a proof is that looked at every split of the table."""
    kinds = {column.kind for column in table.columns}
    categories = "all single categories against the rest"
    if ColumnKind.CATEGORICAL not in kinds:
        return "all thresholds" if ColumnKind.CONTINUOUS in kinds else "all splits of the 0/1 columns"
    return f"all thresholds and {categories}" if ColumnKind.CONTINUOUS in kinds else categories


def _notes(table: Table, offers: Sequence[Offer], levels: Sequence[int]) -> tuple[str, ...]:
    """Say which columns lost thresholds or categories, and how many of how many they keep."""
    notes = []
    for what, how, of_numbers in (
        ("thresholds", "at quantiles", True),
        ("categories", "the most frequent", False),
    ):
        cut = [
            f"{table.columns[offer.position].name} ({level} of {offer.n_choices})"
            for offer, level in zip(offers, levels, strict=True)
            if (offer.gaps is not None) == of_numbers and offer.n_splits(level) < offer.n_splits(ALL)
        ]
        if cut:
            notes.append(
                f"Not all {what} were offered, only those {how}, in {len(cut)} columns: {listed(cut)}."
            )
    return tuple(notes)


def listed(names: Sequence[str], limit: int = 8) -> str:
    """List names for a note: the first few, and how many more."""
    return ", ".join(names[:limit]) + (f" and {len(names) - limit} more" if len(names) > limit else "")
