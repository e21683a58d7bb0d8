"""Which splits a tree may use, from the plain table: each as the set of rows that it sends left.

Written from the documentation alone. Numbers: a cut between any two neighbouring values, missing values on either side.
Categories: each against the rest, or the first of an order, missing values on either side. And: is the value known?
"""

from __future__ import annotations

from collections.abc import Iterator

from attack.case import WORDS, Case, Value

__all__ = ["left_sets", "thresholds_of"]


def thresholds_of(values: list[float]) -> list[float]:
    """SplitMatrix between neighbouring values; any number in [a, b) does."""
    distinct = sorted(set(values))
    return distinct[:-1]


def left_sets(case: Case, kept: list[int]) -> list[int]:
    """Return the distinct sets of rows that some split sends left; bit k is the row ``kept[k]``."""
    everything = (1 << len(kept)) - 1
    found: set[int] = set()
    for name, shown in zip(case.columns, case.names, strict=True):
        column = [case.columns[name][i] for i in kept]
        for left in _of_column(case, name, shown, column):
            if 0 < left < everything:
                found.add(min(left, everything ^ left))  # a set and the rest are one split
    return sorted(found)


def _of_column(case: Case, name: str, shown: str, column: list[Value]) -> Iterator[int]:
    missing = _rows(v is None for v in column)
    known = [v for v in column if v is not None]
    sides = (0, missing) if missing else (0,)
    given = case.options.get("thresholds")
    is_bits = {v for v in case.columns[name] if v is not None} == {0, 1}
    is_text = case.is_text(name) or shown in case.options.get("categorical_features", ())
    if isinstance(given, dict) and not is_text and shown not in given and not is_bits:
        return  # "a continuous column that is not named is not split"
    yield missing
    if is_text:
        for category in set(known):
            below = [category] if not case.is_ordered(name) else WORDS[: WORDS.index(str(category)) + 1]
            here = _rows(v is not None and v in below for v in column)
            yield from (here | side for side in sides)
        return
    numbers = [float(v) for v in known]  # type: ignore[arg-type]
    is_given = isinstance(given, dict) and shown in given
    cuts = [float(t) for t in given[shown]] if is_given else thresholds_of(numbers)
    for cut in cuts:
        here = _rows(v is not None and float(v) <= cut for v in column)
        yield from (here | side for side in sides)


def _rows(which: Iterator[bool]) -> int:
    return sum(1 << i for i, yes in enumerate(which) if yes)
