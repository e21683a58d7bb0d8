"""How few splits of each column a budget leaves, and the notes that say so."""

from __future__ import annotations

from collections.abc import Sequence

from treewright._plural import first_of, plural
from treewright.binarize._candidates import CandidateSplits
from treewright.table import Table

__all__ = ["even_level", "fewer_notes"]

NAMED = 8  # columns in a note


def even_level(candidates: Sequence[CandidateSplits], max_splits: int) -> int:
    """Return the largest number of choices per column, at least 1, with which all columns stay within so many splits.

    Parameters
    ----------
    candidates : sequence of CandidateSplits
    max_splits : int

    Examples
    --------
    >>> from treewright.binarize import candidates_of, even_level
    >>> from treewright.table import table_from
    >>> even_level(candidates_of(table_from([[x, -x] for x in range(100)])), max_splits=10)
    5
    """
    level = max([offer.n_choices for offer in candidates], default=0)
    if level <= 1:  # columns of zeros and ones, and what is constant: there are no fewer
        return level
    # Columns of as many thresholds have as many splits at every level: of thousands, few are to be counted.
    alike: dict[tuple[int, bool, int], list[CandidateSplits]] = {}
    for offer in candidates:
        alone = -1 if offer.gaps is not None else offer.position
        alike.setdefault((offer.n_choices, offer.asks_known, alone), []).append(offer)

    def n_splits(level: int) -> int:
        return sum(offers[0].n_splits(level) * len(offers) for offers in alike.values())

    if n_splits(level) <= max_splits:
        return level
    low, high = 1, level  # the count grows with the level: bisect for the last level that fits
    while high - low > 1:
        middle = (low + high) // 2
        if n_splits(middle) <= max_splits:
            low = middle
        else:
            high = middle
    return low


def fewer_notes(table: Table, offers: Sequence[CandidateSplits], levels: Sequence[int]) -> tuple[str, ...]:
    """Return which columns lost thresholds or categories, and how many of how many they keep, in words.

    Parameters
    ----------
    table : Table
    offers : sequence of CandidateSplits
    levels : sequence of int
        How many choices each column keeps.

    Examples
    --------
    >>> from treewright.binarize import candidates_of, fewer_notes
    >>> from treewright.table import table_from
    >>> table = table_from([[x] for x in range(100)])
    >>> fewer_notes(table, candidates_of(table), [10])
    ('Not all thresholds were offered, only those at quantiles, in 1 column: x0 (10 of 99).',)
    """
    if all(level >= offer.n_choices for offer, level in zip(offers, levels, strict=True)):
        return ()
    notes = []
    for what, how, of_numbers in (
        ("thresholds", "those at quantiles", True),
        ("categories", "the most frequent ones", False),
    ):
        cut = [
            (offer, level)
            for offer, level in zip(offers, levels, strict=True)
            if (offer.gaps is not None) == of_numbers and level < offer.n_choices
        ]
        if cut:  # of ten thousand columns a few are named
            named = [f"{table.columns[o.position].name} ({level} of {o.n_choices})" for o, level in cut]
            columns = f"{len(cut)} {plural(len(cut), 'column')}: {first_of(named, NAMED)}"
            notes.append(f"Not all {what} were offered, only {how}, in {columns}.")
    return tuple(notes)
