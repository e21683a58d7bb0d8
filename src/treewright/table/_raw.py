"""One column before its kind is decided: numbers, or words as codes.

All readers (arrays, frames, lists, CSV) produce this form, so that the same values give the same column, whatever the
container. Nothing is guessed and nothing is lost: a value that float64 cannot hold (an integer beyond 2**53), an
infinity, or a mixture of numbers and text is an error that names the column.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import InputError, InputTypeError
from treewright.table._faults import ColumnFault

__all__ = ["RawColumn", "as_words", "dates_error", "from_numeric", "from_objects", "quoted", "text_of_number"]

LARGEST_EXACT_INTEGER = 2**53  # float64 holds every integer up to this one exactly, but not the next
_TIMES: dict[str, tuple[type, ...]] = {
    "durations": (
        datetime.timedelta,
        np.timedelta64,
    ),  # timedelta64 first, because numpy derives it from an integer type
    "times of day": (datetime.time,),
    "dates": (datetime.date, np.datetime64),
}
_PANDAS_TIMES = {"dates": ("NaTType", "Period")}  # names of types, so that pandas need not be imported
_TIMES_AS_NUMBERS = {
    "dates": "X = treewright.table.expand_dates(X) replaces the dates of a data frame by numbers: year, month, "
    "weekday, hour and age in days. For new rows: treewright.table.expand_dates(X_new, like=X).",
    "durations": "Turn them into numbers of one unit, such as days: {0} = {0}.dt.total_seconds() / 86400 in pandas.",
    "times of day": "Turn them into numbers, such as the hour: {0} = [time.hour for time in {0}].",
}

_OF_POLARS = {
    "durations": "Turn them into numbers of one unit, such as days: "
    "X = X.with_columns(polars.col({0!r}).dt.total_seconds() / 86400).",
    "times of day": "Turn them into numbers, such as the hour: X = X.with_columns(polars.col({0!r}).dt.hour()).",
}


@dataclass(frozen=True)
class RawColumn:
    """The numbers or words of one column; exactly one of `numbers` and `codes` is set.

    Parameters
    ----------
    name : str
    numbers : ndarray of shape (n_rows,), float64, or None
        NaN is missing; known values are finite.
    boolean : bool
        Whether the numbers were booleans in the container.
    words : tuple of str
        Distinct words, sorted.
    codes : ndarray of shape (n_rows,), float64, or None
        Position of each row's word in `words`; NaN is missing.
    declared : bool
        Whether the user or the container declares the column as categorical.
    order : tuple of str, default=()
        The words from the lowest to the highest, if the user or the container declares an order.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.table import RawColumn
    >>> RawColumn("town", words=("Bern", "Ulm"), codes=np.array([0.0, 1.0, 0.0])).words
    ('Bern', 'Ulm')
    """

    name: str
    numbers: NDArray[np.float64] | None = None
    boolean: bool = False
    words: tuple[str, ...] = ()
    codes: NDArray[np.float64] | None = None
    declared: bool = False
    order: tuple[str, ...] = ()


def quoted(values: Iterable[object], limit: int = 5) -> str:
    """Return a list of values for a message: the first few, each as Python's `repr` writes it."""
    shown = [repr(value.item() if isinstance(value, np.generic) else value) for value in values]
    return ", ".join(shown[:limit]) + (f", ... ({len(shown)} in all)" if len(shown) > limit else "")


def text_of_number(value: float, boolean: bool = False) -> str:
    """Return the name of a number that is used as a category: `3`, not `3.0`; `true`, not `1`."""
    if boolean:
        return "true" if value else "false"
    return str(int(value)) if value == int(value) else repr(float(value))


def from_numeric(name: str, values: NDArray[Any]) -> RawColumn:
    """Read a numpy array of booleans, integers or floats (NaN is missing).

    Raises
    ------
    InputError
        If the array has complex numbers, dates, infinities, or integers beyond 2**53.
    """
    kind = values.dtype.kind
    if kind == "c":
        raise InputError(
            f"Complex data not supported: column {name!r} holds complex numbers; split it into real columns."
        )
    if kind in "mM":
        raise dates_error(name, "dates" if kind == "M" else "durations")
    if kind in "iu" and len(values):
        low, high = int(values.min()), int(values.max())
        if max(-low, high) > LARGEST_EXACT_INTEGER:
            raise integer_error(name, low if -low > high else high)
    numbers = np.asarray(values, dtype=np.float64)
    if kind == "f":
        check_finite(name, numbers)
    return RawColumn(name, numbers, boolean=kind == "b")


def from_objects(name: str, values: Sequence[Any]) -> RawColumn:
    """Read Python objects: text, numbers and booleans; None, NaN and pandas' NA are missing.

    Raises
    ------
    InputError
        If there are numbers and text in one column, or a number that `from_numeric` refuses.
    InputTypeError
        If a cell is neither text nor a number.
    """
    words = _words_alone(values)
    if words is not None:
        return _of_words(name, words, values)
    kinds = {cell: _cell_kind(name, cell) for cell in set(map(type, values))}
    found = set(kinds.values())
    if "complex" in found:
        raise InputError(
            f"Complex data not supported: column {name!r} holds complex numbers; split it into real columns."
        )
    for what in _TIMES:
        if what in found:
            raise dates_error(name, what)
    if any(issubclass(cell, Decimal) for cell in kinds):  # a signaling NaN raises in any operation
        values = [None if isinstance(v, Decimal) and v.is_nan() else v for v in values]
        kinds[type(None)] = "missing"
        found.add("missing")
    if "text" in found:
        distinct = set(values)  # NaN is found by identity
        if any(kinds[type(v)] in ("number", "boolean") and v == v for v in distinct):  # NaN != NaN
            others = list(
                dict.fromkeys(v for v in values if kinds[type(v)] in ("number", "boolean") and v == v)
            )
            texts = list(dict.fromkeys(v for v in values if kinds[type(v)] == "text"))
            if len(values) > 2 and [v for v in values if kinds[type(v)] == "text"] == list(values[:1]):
                raise InputError(
                    f"Column {name!r} holds numbers but for its first cell, {texts[0]!r:.60}: the first row seems to "
                    "be the header, as below merged titles of a spreadsheet. Read it as that: "
                    "pandas.read_excel(path, header=1)."
                )
            raise InputError(
                f"Column {name!r} mixes numbers (such as {quoted(others[:3])}) and text (such as "
                f"{quoted(texts[:3])}). Make all cells numbers (missing ones None or NaN), or all text."
            )
        return _of_words(name, {v: str(v) if kinds[type(v)] == "text" else None for v in distinct}, values)
    known = [None if kinds[type(v)] == "missing" else v for v in values] if "missing" in found else values
    cells = np.empty(len(values), dtype=object)
    cells[:] = known
    try:
        numbers = cells.astype(np.float64)  # None becomes NaN
    except OverflowError:
        raise integer_error(name, max((int(v) for v in known if isinstance(v, Integral)), key=abs)) from None
    for row in np.flatnonzero(np.abs(numbers) >= LARGEST_EXACT_INTEGER):
        if isinstance(cells[row], Integral) and abs(int(cells[row])) > LARGEST_EXACT_INTEGER:
            raise integer_error(name, int(cells[row]))
    check_finite(name, numbers)
    return RawColumn(name, numbers, boolean="boolean" in found and "number" not in found)


def _words_alone(values: Sequence[Any]) -> dict[Any, str | None] | None:
    """Return the text of each distinct cell, with None for a missing one; None if some cell is not text.

    A cell that equals a text counts as that text, so the types of a million cells need not be checked.
    """
    if not len(values) or type(values[0]) is not str:
        return None
    try:
        distinct = set(values)  # NaN is found by identity
    except TypeError:  # a list, say
        return None
    words: dict[Any, str | None] = {v: v if type(v) is str else None for v in distinct}
    others = (v for v, word in words.items() if word is None and v is not None)
    return words if all(type(v) is float and v != v for v in others) else None


def _of_words(name: str, words: Mapping[Any, str | None], values: Sequence[Any]) -> RawColumn:
    """Return a column of text from the word of each distinct cell; None is missing."""
    known = tuple(sorted({word for word in words.values() if word is not None}))
    code = {word: float(k) for k, word in enumerate(known)}
    position = {v: np.nan if word is None else code[word] for v, word in words.items()}
    codes = np.fromiter(map(position.__getitem__, values), dtype=np.float64, count=len(values))
    return RawColumn(name, words=known, codes=codes)


def as_words(raw: RawColumn) -> RawColumn:
    """Return a column as declared categories; numbers become their names."""
    if raw.numbers is None:
        return replace(raw, declared=True)
    missing = np.isnan(raw.numbers)
    distinct, inverse = np.unique(raw.numbers[~missing], return_inverse=True)
    texts = [text_of_number(value, raw.boolean) for value in distinct.tolist()]
    words = tuple(sorted(texts))
    position = {word: float(k) for k, word in enumerate(words)}
    codes = np.full(len(raw.numbers), np.nan)
    codes[~missing] = np.array([position[text] for text in texts], dtype=np.float64)[inverse]
    return RawColumn(raw.name, words=words, codes=codes, declared=True)


def check_finite(name: str, numbers: NDArray[np.float64]) -> None:
    """Raise an error for infinities; NaN is a missing value and is accepted.

    An infinity in a table is nearly always a division by zero. It has no midpoint with the next value, and JSON cannot
    represent it. It is therefore refused here, and no later step has to consider it.
    """
    if np.isfinite(numbers).all():
        return
    rows = np.flatnonzero(np.isinf(numbers))
    if len(rows):
        n_rows = "1 row" if len(rows) == 1 else f"{len(rows)} rows"
        raise InputError(
            f"Column {name!r} contains infinity ({n_rows}, the first is row {rows[0]}, counted from 0). Replace it by "
            "a finite number or by a missing value: X = X.replace([numpy.inf, -numpy.inf], numpy.nan) in pandas, "
            "X = numpy.where(numpy.isinf(X), numpy.nan, X) for an array."
        )


def _cell_kind(name: str, cell: type) -> str:
    if cell is type(None) or cell.__name__ == "NAType":  # pandas.NA, without importing pandas
        return "missing"
    if issubclass(cell, str):
        return "text"
    if issubclass(cell, (bool, np.bool_)):
        return "boolean"
    for what, types in _TIMES.items():
        if issubclass(cell, types) or cell.__name__ in _PANDAS_TIMES.get(what, ()):
            return what
    if issubclass(cell, (Real, Decimal)):
        return "number"
    if issubclass(cell, (complex, np.complexfloating)):
        return "complex"
    advice = f"Turn such cells into one of these first, such as text: X[{name!r}].astype(str) in pandas."
    if cell.__name__ == "Interval":  # of pandas.cut and pandas.qcut
        advice += (
            f" If they are categories, as pandas.cut makes such columns, X[{name!r}] = "
            f"X[{name!r}].cat.rename_categories(str) keeps their order, too; or give the numbers that were cut."
        )
    if issubclass(cell, (list, tuple, set, frozenset, np.ndarray)):
        answers = f"pandas.get_dummies(X[{name!r}].dropna().explode(), dtype=float).groupby(level=0).max()"
        advice = (
            f"Make a yes/no column of each answer, such as {answers}.reindex(X.index) in pandas (first X = "
            "X.reset_index(drop=True) if labels of the index repeat), or leave the column out."
        )
    raise InputTypeError(
        f"Column {name!r} holds a cell of type {cell.__name__!r}; the argument must be a string or a number "
        f"(or None or NaN for a missing value). {advice}"
    )


def dates_error(name: str, what: str, *, of_polars: bool = False) -> ColumnFault:
    """Return the error about a column of `what`: "dates", "durations" or "times of day"."""
    if of_polars and what in _OF_POLARS:
        advice = _OF_POLARS[what].format(name)
    else:
        advice = _TIMES_AS_NUMBERS[what].format(f"X[{name!r}]")
    return ColumnFault(f"Column {name!r} holds {what}. {advice}", name)


def integer_error(name: str, value: int) -> ColumnFault:
    text = (
        str(value)
        if abs(value) < 10**40
        else f"about {'-' if value < 0 else ''}10**{len(str(abs(value))) - 1}"
    )
    return ColumnFault(
        f"Column {name!r} holds the integer {text}; beyond 2**53 neighbouring integers are one number in float64. If "
        "it is an identifier, leave the column out, or turn it into text; otherwise rescale it.",
        name,
        "ignore",
    )
