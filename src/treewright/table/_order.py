"""Columns of words in an order, from the least to the most: what the order may be, and its codes."""

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
    """Return the words of each column from the least to the most.

    Raises
    ------
    InputError
        No list of words, fewer than two, or one that stands there twice.
    """
    if not isinstance(order, Mapping):
        raise InputError(
            f"order={order!r:.60}; give the words of each column from the least to the most, such as "
            "{'risk': ['low', 'medium', 'high']}."
        )
    for name, words in order.items():
        listed = isinstance(words, (list, tuple)) and all(isinstance(word, str) for word in words)
        if not listed or len(words) < 2 or len(set(words)) < len(words):
            raise InputError(
                f"order of column {name!r}: {words!r:.60}; give two or more different words, from the least to the "
                "most, such as ['low', 'medium', 'high']."
            )
    return {name: tuple(words) for name, words in order.items()}


def kept_words(
    words: Mapping[str, Mapping[str, str]], orders: Mapping[str, Sequence[str]]
) -> dict[str, Mapping[str, str]]:
    """Return what each word of a column stands for; one of an order that usually means missing stands for itself."""
    kept = dict(words)
    for name, order in orders.items():
        own = {word: word for word in order if word in MISSING_VALUES}
        if own:
            kept[name] = {**own, **words.get(name, {})}
    return kept


def codes_in_order(raw: RawColumn) -> NDArray[np.float64]:
    """Return the place of each word in the order of its column; NaN = missing.

    Raises
    ------
    ColumnFault
        A word that the order lacks.
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
    """The error about words that the order of their column lacks."""
    return (
        f"Column {name!r} holds words that its order lacks: {quoted(outside)}. The order is {quoted(order)}. Add them "
        "to the order, declare them missing, or replace them by words of the order."
    )
