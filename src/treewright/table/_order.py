"""Ordered words, from the lowest to the highest: check the order given for a column, and encode the words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from treewright.errors import InputError
from treewright.table._faults import ColumnFault
from treewright.table._formats import MISSING_VALUES
from treewright.table._raw import RawColumn, quoted

__all__ = ["check_orders", "codes_in_order", "kept_words", "outside_of_order"]


def check_orders(order: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """Return the words of each column from the lowest to the highest, after checking them.

    Raises
    ------
    InputError
        If the order of a column is not a list of at least two different words.
    """
    if not isinstance(order, Mapping):
        raise InputError(
            f"order={order!r:.60}; give the words of each column from the lowest to the highest, such as "
            "{'risk': ['low', 'medium', 'high']}."
        )
    for name, words in order.items():
        listed = isinstance(words, (list, tuple)) and all(isinstance(word, str) for word in words)
        if not listed or len(words) < 2 or len(set(words)) < len(words):
            raise InputError(
                f"order of column {name!r}: {words!r:.60}; give two or more different words, from the lowest to the "
                "highest, such as ['low', 'medium', 'high']."
            )
    return {name: tuple(words) for name, words in order.items()}


def kept_words(
    words: Mapping[str, Mapping[str, str]], orders: Mapping[str, Sequence[str]]
) -> dict[str, Mapping[str, str]]:
    """Return the replacements of words by column; words of an order that usually mean missing are kept as words."""
    kept = dict(words)
    for name, order in orders.items():
        own = {word: word for word in order if word in MISSING_VALUES}
        if own:
            kept[name] = {**own, **words.get(name, {})}
    return kept


def codes_in_order(raw: RawColumn) -> NDArray[np.float64]:
    """Return the position of each row's word in the order of its column; NaN if missing.

    Raises
    ------
    ColumnFault
        If a word is not in the order.
    """
    assert raw.codes is not None  # only words have an order
    place = {word: float(k) for k, word in enumerate(raw.order)}
    used = np.unique(raw.codes[~np.isnan(raw.codes)]).astype(int).tolist()
    outside = [raw.words[k] for k in used if raw.words[k] not in place]
    if outside:
        raise ColumnFault(outside_of_order(raw.name, outside, raw.order), raw.name)
    lookup = np.array([*(place.get(word, np.nan) for word in raw.words), np.nan])
    return np.asarray(lookup[np.where(np.isnan(raw.codes), len(raw.words), raw.codes).astype(np.int64)])


def outside_of_order(name: str, outside: Iterable[str], order: Iterable[str]) -> str:
    """Return the message about words that are not in the order of their column."""
    return (
        f"Column {name!r} holds words that are not in its order: {quoted(outside)}. The order is {quoted(order)}. Add "
        "them to the order, declare them missing, or replace them by words of the order."
    )
