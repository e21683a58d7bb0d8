"""Formats of the columns of a text file: detected when a file is first read, and stored to read later files.

"1,200" is one number if the comma separates thousands, and another one if it is a decimal comma. Therefore the formats
that `fit` detected are stored with the tree, and every later file is read with them.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from treewright._plural import list_of
from treewright.table._measures import is_measure

__all__ = [
    "CURRENCIES",
    "MISSING_VALUES",
    "DateFormat",
    "NumberFormat",
    "Reading",
    "is_unit",
    "joined_missing",
]

MISSING_VALUES = ("?", "NA", "N/A", "n/a", "<NA>", "#N/A", "NaN", "nan", "NULL", "null")

CURRENCIES = (  # written in letters; signs such as € and $ are recognized by their Unicode category
    "USD", "EUR", "GBP", "CHF", "JPY", "CNY", "INR", "AUD", "CAD", "NZD", "SEK", "NOK", "DKK", "PLN", "CZK", "HUF",
    "RON", "BGN", "RSD", "TRY", "RUB", "UAH", "ILS", "SGD", "HKD", "TWD", "THB", "IDR", "MYR", "PHP", "VND", "AED",
    "SAR", "ZAR", "EGP", "NGN", "KES", "BRL", "MXN", "ARS", "CLP", "COP", "PEN", "KRW", "ISK", "US$", "A$", "C$",
    "NZ$", "R$", "HK$", "NT$", "S$", "zł", "Kč", "kr", "kr.", "Ft", "lei", "лв", "лв.", "руб", "руб.", "грн", "Fr.",
    "SFr.", "Rs", "Rs.", "RM", "円", "元", "원",
)  # fmt: skip

DATE_PARTS = ("year", "month", "weekday", "hour", "age")


def is_unit(text: str) -> bool:
    """Whether a text is a unit that numbers may have: "%", a currency (sign or letters), or a unit of measurement.

    Parameters
    ----------
    text : str

    Returns
    -------
    bool

    Examples
    --------
    >>> from treewright.table import is_unit
    >>> [is_unit(text) for text in ("zł", "€", "%", "kg", "rooms")]
    [True, True, True, True, False]
    """
    sign = len(text) == 1 and unicodedata.category(text) == "Sc"
    return text == "%" or text in CURRENCIES or sign or is_measure(text)


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """Number format of one column.

    Parameters
    ----------
    decimal : {".", ","}, default="."
        Decimal mark.
    thousands : str, default=""
        Separator of thousands: ".", ",", a blank or an apostrophe; "" is none.
    unit : str, default=""
        Currency, "%" or unit of measurement that the numbers may have; it is dropped. "" is none.
    some_without_sign : bool, default=False
        Whether numbers without the sign "%" are percentages, too; otherwise they are not in this format.

    Examples
    --------
    >>> from treewright.table import NumberFormat
    >>> NumberFormat(decimal=",", thousands=".").decimal
    ','
    """

    decimal: str = "."
    thousands: str = ""
    unit: str = ""
    some_without_sign: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether the numbers are written as Python writes them."""
        return self == NumberFormat()

    def in_words(self) -> str:
        """Return the number format in words, such as "a decimal comma and points between thousands".

        Returns
        -------
        str
        """
        parts = [f"a decimal {MARKS[self.decimal]}"] if self.decimal != "." else []
        if self.thousands:
            parts.append(f"{MARKS[self.thousands]}s between thousands")
        if self.unit:
            parts.append(f"the unit {self.unit}")
        return list_of(parts) or "plain digits"


MARKS = {".": "point", ",": "comma", "'": "apostrophe", "’": "apostrophe"} | dict.fromkeys(
    (" ", "\u00a0", "\u202f"), "blank"
)


@dataclass(frozen=True, slots=True)
class DateFormat:
    """Date format of one column, and the parts of a date that the tree can use.

    Parameters
    ----------
    order : {"ymd", "dmy", "mdy"}
        Order of year, month and day.
    mark : {"-", "/", "."}
        Mark between them.
    offered : tuple of str
        Some of "year", "month", "weekday" (1 is Monday), "hour" and "age" (days until `reference`).
    reference : str, default=""
        Day from which ages are counted, as year-month-day: the latest date in the training data.

    Examples
    --------
    >>> from treewright.table import DateFormat
    >>> DateFormat("ymd", "-").order
    'ymd'
    """

    order: str
    mark: str
    offered: tuple[str, ...] = ()
    reference: str = ""

    def names(self, column: str) -> dict[str, str]:
        """Return the name of the column for each part of the date.

        Parameters
        ----------
        column : str
            Name of the column of dates.

        Returns
        -------
        dict of str to str
            From a part (``year``, ``month``, ``weekday``, ``age``, ...) to the name of its column.
        """
        words = {
            "weekday": "weekday, Monday = 1",
            "age": f"age in days on {self.reference}",
        }
        return {part: f"{column} ({words.get(part, part)})" for part in self.offered}

    def in_words(self) -> str:
        """Return the order in words, such as "day/month/year".

        Returns
        -------
        str
        """
        words = {"y": "year", "m": "month", "d": "day"}
        return self.mark.join(words[letter] for letter in self.order)


@dataclass(frozen=True)
class Reading:
    """How one file was read.

    Parameters
    ----------
    separator : str
    encoding : str
    missing_values : tuple of str
        Fields that mean "missing", in addition to the empty field.
    decimal : {".", ","} or None
        Decimal mark of the file if some number decides it; None otherwise.
    columns : mapping of str to NumberFormat or DateFormat
        Formats of the columns that are not plain numbers or words.
    labels : mapping of str to str
        Labels that were replaced, with their replacements, such as "BAD" by "Bad".
    words : mapping of str to mapping of str to str
        The same for the words of columns, by column.
    missing_in : mapping of str to tuple of str
        Fields that mean "missing" in one column only, by column.

    Examples
    --------
    >>> from treewright.table import Reading
    >>> Reading(separator=";", decimal=",").separator
    ';'
    """

    separator: str = ","
    encoding: str = "utf-8"
    missing_values: tuple[str, ...] = MISSING_VALUES
    decimal: str | None = None
    columns: Mapping[str, NumberFormat | DateFormat] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    words: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    missing_in: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def joined_missing(
    before: Mapping[str, Sequence[str]], more: Mapping[str, Sequence[str]]
) -> dict[str, tuple[str, ...]]:
    """Return by column the fields that mean "missing" in one mapping or the other, each field once."""
    return {
        name: tuple(dict.fromkeys((*before.get(name, ()), *more.get(name, ()))))
        for name in {**before, **more}
    }
