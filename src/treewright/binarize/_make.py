"""Which splits a tree may use: all of them, a few of each column, given ones, or what a budget allows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright._arguments import check_arguments
from treewright._numbers import is_whole
from treewright._plural import first_of, plural
from treewright.binarize._candidates import (
    ALL,
    CandidateSplits,
    candidates_of,
    known_split,
    scope_of_all,
    threshold_splits,
)
from treewright.binarize._fewer import even_level, fewer_notes
from treewright.binarize._rows import LARGEST_MATRIX, check_size, make_splits
from treewright.binarize._split_matrix import SplitMatrix
from treewright.binarize._thresholds import keep_label_changes
from treewright.errors import InputError
from treewright.table import Table
from treewright.tree import ColumnKind, Split

__all__ = ["auto_splits", "count_splits", "given_splits", "midpoints", "quantiles"]

DEFAULT_MAX_SPLITS = 512


def count_splits(table: Table, candidates: Sequence[CandidateSplits] | None = None) -> tuple[int, int]:
    """Count the splits that `midpoints` would return, without making them.

    Parameters
    ----------
    table : Table
    candidates : sequence of CandidateSplits, default=None
        What `candidates_of` returned for this table, to use it again.

    Returns
    -------
    continuous : int
        Splits of continuous columns.
    others : int
        Splits of binary and categorical columns.

    Examples
    --------
    >>> from treewright.binarize import count_splits
    >>> from treewright.table import table_from
    >>> count_splits(table_from([[20], [30], [40]]))
    (2, 0)
    """
    counts = {True: 0, False: 0}
    for offered, column in zip(candidates or candidates_of(table), table.columns, strict=True):
        counts[column.kind is ColumnKind.CONTINUOUS] += offered.n_splits()
    return counts[True], counts[False]


def midpoints(
    table: Table,
    y: ArrayLike | None = None,
    only_label_changes: bool = False,
    sample_weight: ArrayLike | None = None,
    candidates: Sequence[CandidateSplits] | None = None,
) -> SplitMatrix:
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
    candidates : sequence of CandidateSplits, default=None
        What `candidates_of` returned for this table, instead of `sample_weight`.

    Returns
    -------
    SplitMatrix

    Raises
    ------
    InputError
        `y` is absent or of the wrong length, or the splits would fill more than 4 GiB.

    Examples
    --------
    >>> from treewright.binarize import midpoints
    >>> from treewright.table import table_from
    >>> [split.threshold for split in midpoints(table_from([[20], [30], [40]])).splits]
    [25.0, 35.0]
    """
    check_arguments(midpoints, locals(), "table", "candidates")
    offers = candidates or candidates_of(table, sample_weight)
    check_size(sum(offer.n_splits() for offer in offers), table.n_rows)
    if not only_label_changes:
        return make_splits(table, [offer.splits() for offer in offers], scope_of_all(table))
    if y is None:
        raise InputError("only_label_changes needs y, the class of each row.")
    labels = np.unique(np.asarray(y), return_inverse=True)[1].astype(np.int32)
    if labels.shape != (table.n_rows,):
        raise InputError(
            f"y has shape {labels.shape}, the table has {table.n_rows} rows; give one label per row."
        )
    n_all = sum(offer.n_splits() for offer in offers)
    kept = [_only_label_changes(offer, table, labels) for offer in offers]
    groups = [offer.splits() for offer in kept]
    n_kept = sum(map(len, groups))
    if n_kept == n_all:
        return make_splits(table, groups, scope_of_all(table))
    note = (
        f"Only {n_kept} of {n_all} splits were offered: thresholds where the label changes. Below the root "
        "of a tree with several columns a threshold inside a run of one label can be better."
    )
    return make_splits(
        table, groups, "the thresholds at which the label changes (not all thresholds)", (note,)
    )


def quantiles(
    table: Table,
    n_bins: int,
    sample_weight: ArrayLike | None = None,
    candidates: Sequence[CandidateSplits] | None = None,
) -> SplitMatrix:
    """Cut each column of numbers into at most `n_bins` bins of about equally many rows; keep all categories.

    Parameters
    ----------
    table : Table
    n_bins : int
        At least 2. A column with no more distinct values than bins keeps all its thresholds.
    sample_weight : array-like of shape (n_rows,), default=None
        Positive weights, such as ``problem.sample_weight``; a row of weight 2 counts as two rows. None is 1
        each.
    candidates : sequence of CandidateSplits, default=None
        What `candidates_of` returned for this table, instead of `sample_weight`.

    Returns
    -------
    SplitMatrix

    Raises
    ------
    InputError
        `n_bins` is below 2.

    Examples
    --------
    >>> from treewright.binarize import quantiles
    >>> from treewright.table import table_from
    >>> [split.threshold for split in quantiles(table_from([[x] for x in range(100)]), 4).splits]
    [24.5, 49.5, 74.5]
    """
    check_arguments(quantiles, locals(), "table", "candidates")
    if not is_whole(n_bins) or n_bins < 2:
        raise InputError(f"n_bins={n_bins!r}; give an integer of at least 2.")
    offers = candidates or candidates_of(table, sample_weight)
    levels = [int(n_bins) - 1 if offer.gaps is not None else ALL for offer in offers]
    groups = [offer.splits(level) for offer, level in zip(offers, levels, strict=True)]
    notes = fewer_notes(table, offers, levels)
    most = f"{n_bins - 1} {plural(int(n_bins) - 1, 'quantile')}"
    scope = f"the given splits (at most {most} a column)" if notes else scope_of_all(table)
    return make_splits(table, groups, scope, notes)


def given_splits(
    table: Table,
    thresholds: Mapping[str, Sequence[float]],
    sample_weight: ArrayLike | None = None,
    candidates: Sequence[CandidateSplits] | None = None,
) -> SplitMatrix:
    """Use the thresholds that a person or another model chose.

    Parameters
    ----------
    table : Table
    thresholds : mapping of str to sequence of float
        For each column of numbers its thresholds, in units of the column; ``x <= t`` goes left. A continuous
        column that is not named is not split. Binary and categorical columns keep all their splits.
    sample_weight : array-like of shape (n_rows,), default=None
        Positive weights; they decide only where a missing value of later rows goes. None is 1 for each row.
    candidates : sequence of CandidateSplits, default=None
        What `candidates_of` returned for this table, instead of `sample_weight`.

    Returns
    -------
    SplitMatrix

    Raises
    ------
    InputError
        A name that is not a column of the table, a categorical column, a threshold that is not finite.

    Examples
    --------
    >>> from treewright.binarize import given_splits
    >>> from treewright.table import table_from
    >>> table = table_from([[20.0], [30.0], [40.0]])
    >>> [split.threshold for split in given_splits(table, {table.names[0]: [25.0]}).splits]
    [25.0]
    """
    check_arguments(given_splits, locals(), "table", "thresholds", "candidates")
    kinds = {column.name: column.kind for column in table.columns}
    for name in thresholds:
        if name not in kinds:
            raise InputError(f"thresholds name the column {name!r}; the table has {', '.join(table.names)}.")
        if kinds[name] is ColumnKind.CATEGORICAL:
            raise InputError(
                f"Column {name!r} is categorical and has no thresholds; leave it out: trees split on it in any case."
            )
    groups: list[list[Split]] = []
    unsplit = []
    for offer, column in zip(candidates or candidates_of(table, sample_weight), table.columns, strict=True):
        chosen = column.name in thresholds
        if offer.gaps is None or column.ordered or (column.kind is ColumnKind.BINARY and not chosen):
            groups.append(offer.splits())
            continue
        if not chosen:
            unsplit.append(column.name)
            groups.append([])
            continue
        wanted = _wanted(column.name, thresholds[column.name])
        if not len(wanted):  # a forest's many columns that it does not ask
            groups.append([known_split(offer.position)] if offer.asks_known else [])
            continue
        splits = threshold_splits(offer, *offer.gaps.separating(wanted))
        if offer.asks_known:
            splits.append(known_split(offer.position))
        groups.append(splits)
    notes = (f"No thresholds were given for {first_of(unsplit)}: not split.",) if unsplit else ()
    return make_splits(table, groups, "the given thresholds", notes)


def _wanted(name: str, given: Any) -> NDArray[np.float64]:
    """Return the thresholds that were given for a column, ascending; a single number is one."""
    try:
        wanted = np.unique(np.asarray(given, dtype=np.float64))
    except (TypeError, ValueError):
        wanted = np.array([np.nan])
    if not np.isfinite(wanted).all():
        raise InputError(f"thresholds of column {name!r} must be a list of finite numbers.")
    return wanted


def auto_splits(
    table: Table,
    max_splits: int = DEFAULT_MAX_SPLITS,
    sample_weight: ArrayLike | None = None,
    candidates: Sequence[CandidateSplits] | None = None,
) -> SplitMatrix:
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
    candidates : sequence of CandidateSplits, default=None
        What `candidates_of` returned for this table, instead of `sample_weight`.

    Returns
    -------
    SplitMatrix
        ``scope`` is that of `midpoints` if nothing was left out. Otherwise each column keeps at most `q`
        choices, the largest `q` that fits: thresholds at quantiles, the most frequent categories. ``notes``
        name the columns that lost some.

    Raises
    ------
    InputError
        `max_splits` is below 1.

    Examples
    --------
    >>> from treewright.binarize import auto_splits
    >>> from treewright.table import table_from
    >>> len(auto_splits(table_from([[x] for x in range(100)]), max_splits=10).splits)
    10
    """
    check_arguments(auto_splits, locals(), "table", "candidates")
    if not is_whole(max_splits) or max_splits < 1:
        raise InputError(f"max_splits={max_splits!r}; give an integer of at least 1.")
    offers = candidates or candidates_of(table, sample_weight)
    level = even_level(offers, min(int(max_splits), max(1, 8 * LARGEST_MATRIX // max(1, table.n_rows))))
    notes = fewer_notes(table, offers, [level] * len(offers))
    most = f"{level} quantile{'s or categories' if level > 1 else ' or category'}"
    scope = f"the chosen splits (at most {most} a column)" if notes else scope_of_all(table)
    return make_splits(table, [offer.splits(level) for offer in offers], scope, notes)


def _only_label_changes(offer: CandidateSplits, table: Table, labels: NDArray[np.int32]) -> CandidateSplits:
    if offer.gaps is None:
        return offer
    gaps = keep_label_changes(offer.gaps.every(), table.X[:, offer.position], labels)
    return replace(offer, gaps=gaps)
