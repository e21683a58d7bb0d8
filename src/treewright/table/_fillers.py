"""Values that most likely mean "unknown": numbers far from all others, and words with this meaning.

A column may have several such numbers. Each is compared only with the ordinary values, so that one code cannot hide
another. Negative codes are judged together as a set; so are consecutive numbers that end at a code, as 997 and 998 end
at 999.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from treewright.table._raw import text_of_number

__all__ = ["filler_days", "filler_numbers", "filler_words"]

FILLERS = (-1.0, -9.0, -99.0, -999.0, -9999.0, 99.0, 999.0, 9999.0, 99999.0, 999999.0)
FEWEST_VALUES = 5  # fewest distinct values, including those that mean missing
APART = 1 / 4  # distance from the other values, as a share of their range
CODES = (9.0, 99.0, -9.0, -99.0, 999.0, -999.0)  # "unknown" in columns with a few codes such as 1 and 2
MOST_CODES = 5
MOST_ANSWERS = 11  # scales of answers such as 0 to 10
MOST_CODES_IN_A_RUN = 3  # consecutive codes such as 997, 998 and 999
REFUSALS = {
    -7.0,
    -8.0,
    -9.0,
    -97.0,
    -98.0,
    -99.0,
    -997.0,
    -998.0,
    -999.0,
}  # codes in surveys, which often use several of them
OFTEN = 0.01  # share of the rows: a -1 that means unknown is at least this frequent
EARLIEST_DAYS = {  # what programs and people write where no date is known, and where their calendars begin
    "0001-01-01", "1000-01-01", "1583-01-01", "1600-01-01", "1601-01-01", "1700-01-01", "1753-01-01", "1800-01-01",
    "1850-01-01", "1899-12-30", "1899-12-31", "1900-01-01", "1900-01-02", "1901-01-01", "1904-01-01", "1970-01-01",
    "1980-01-01",
}  # fmt: skip
LATEST_DAYS = {
    "2049-12-31", "2050-12-31", "2069-12-31", "2078-12-31", "2079-06-06", "2099-01-01", "2099-12-31", "2100-01-01",
    "2100-12-31", "2199-12-31", "2200-12-31", "2222-12-31", "2500-12-31",
}  # fmt: skip
ENDLESS_YEAR = np.datetime64("2900-01-01", "D")  # no one knows of a day after it: 2999-12-31, 9999-12-31
DAYS_APART = 365  # fewest days between a day that means "unknown" and the others
WORDS = {
    "unknown", "not known", "not available", "not recorded", "missing", "unbekannt", "nicht bekannt", "keine angabe",
    "k.a.", "k. a.", "n.v.", "n. v.", "n.a.", "inconnu", "onbekend", "desconocido", "brak", "brak danych", "b.d.",
    "-", "--", "---", ".", "n.b.", "n. b.", "n.d.", "not done", "nicht bestimmt", "prefer not to say",
    "don't know", "don’t know", "do not know", "dont know", "refused", "no answer", "no response",
    "prefer not to answer", "not stated", "not specified", "undisclosed", "declined to answer", "rather not say",
    "can't say", "not answered", "weiss nicht", "keine antwort", "ne sait pas", "no sabe", "no contesta", "non so",
    "keine angaben", "weiß nicht", "nicht erfasst", "non renseigné", "non communiqué", "n.c.", "nc", "sconosciuto",
    "sconosciuta", "desconocida", "desconhecido", "desconhecida", "não informado", "s/d", "sin dato", "sin datos",
    "okänd", "ukjent", "ukendt", "tuntematon", "neznámý", "ismeretlen", "bilinmiyor", "неизвестно", "нет данных",
    "不明", "未回答", "未知", "未填", "無回答", "모름", "미상",
    # programs: R, pandas, dumps of databases, pivot tables
    "na_character_", "na_integer_", "na_real_", "nat", "\\n", "(null)", "<null>", "[null]", "(blank)", "(empty)",
    "(leer)",
    # errors of spreadsheets, in English and German
    "#div/0!", "#value!", "#ref!", "#name?", "#num!", "#null!", "#wert!", "#bezug!", "#zahl!", "#nv",
} | {f".{letter}" for letter in "abcdefghijklmnopqrstuvwxyz_"}  # fmt: skip
"""The last ones are the missing values of Stata and SAS, which distinguish reasons."""


NUMBERED = re.compile(
    r"^\(?-?\d{1,4}\)?(?: ?[-–.:)=] ?| )(?=[^\W\d])"
)  # as exports of labelled codes write them: "9. Refused"
BEHIND_NUMBERS = {"dk", "na", "n/a", "iap", "inap", "not applicable", "no opinion", "not asked"}


def filler_numbers(distinct: NDArray[np.float64], rows: NDArray[np.int64]) -> Iterator[tuple[str, int, str]]:
    """Yield each number that seems to mean "unknown".

    Parameters
    ----------
    distinct : ndarray of shape (n_values,)
        Distinct values of the column, ascending.
    rows : ndarray of shape (n_values,), int64
        Number of rows with each value.

    Yields
    ------
    number : str
    n_rows : int
    reason : str
        Why it seems to mean "unknown".
    """
    negative = distinct < 0
    if _are_refusals(distinct, rows):
        why = f"one of its {'few' if _are_answers(distinct[~negative]) else 'only'} negative values"
        for value, count in zip(distinct[negative].tolist(), rows[negative].tolist(), strict=True):
            yield text_of_number(value), int(count), why
        distinct, rows = distinct[~negative], rows[~negative]
    far = _far_from_the_others(distinct.tolist())
    for place in far:
        if rows[place] > 1:
            yield text_of_number(float(distinct[place])), int(rows[place]), "far from all other values"
    near = [place for place in range(len(distinct)) if place not in far]
    for place in (near[0], near[-1]) if len(near) > 1 else ():
        others = distinct[[other for other in near if other != place]]
        why = _why(float(distinct[place]), others, float(rows[place] / rows.sum())) if rows[place] > 1 else ""
        if why:
            yield text_of_number(float(distinct[place])), int(rows[place]), why


def _are_answers(values: NDArray[np.float64]) -> bool:
    return 2 <= len(values) <= MOST_ANSWERS and bool((values == np.floor(values)).all())


def _are_refusals(distinct: NDArray[np.float64], rows: NDArray[np.int64]) -> bool:
    """Whether the negative values are several codes and nothing else.

    If the other values are few answers of a scale, that is enough. If they are quantities, negative values may be
    differences: then each code must be repeated, and all together must be as frequent as a -1 that means unknown.
    """
    negative = distinct < 0
    if negative.sum() < 2 or not set(distinct[negative].tolist()) <= REFUSALS:
        return False
    if _are_answers(distinct[~negative]):
        return True
    often = rows[negative].min() > 1 and rows[negative].sum() >= OFTEN * rows.sum()
    return bool(often) and len(distinct) - negative.sum() >= FEWEST_VALUES - 1


def _may_be_code(value: float, values: Sequence[float]) -> bool:
    """Whether a value is a usual code, or in a run of values that ends at one, as 997 and 998 end at 999."""
    return value in FILLERS or any(
        code in values and 0 < abs(code) - abs(value) < MOST_CODES_IN_A_RUN and code * value > 0
        for code in FILLERS
        if abs(code) >= 99
    )


def _far_from_the_others(values: list[float]) -> list[int]:
    """Return the positions of values that are far from the others, from the outermost inward, low ones first."""
    low, high = 0, len(values)  # values[low:high] are ordinary
    while low < high and _may_be_code(values[low], values):
        low += 1
    while low < high and _may_be_code(values[high - 1], values):
        high -= 1
    if len(values) < FEWEST_VALUES or high - low < 2:
        return []
    while True:  # a value close to the ordinary ones becomes one of them
        span = max(APART * (values[high - 1] - values[low]), 1.0)
        if low > 0 and values[low] - values[low - 1] <= span:
            low -= 1
        elif high < len(values) and values[high] - values[high - 1] <= span:
            high += 1
        else:
            return [*range(low), *reversed(range(high, len(values)))]


def _why(value: float, rest: NDArray[np.float64], share: float) -> str:
    """Return why a lowest or highest value that is not far from the others may mean "unknown"; "" if nothing does."""
    many = value in FILLERS and len(rest) >= FEWEST_VALUES - 1
    if many and value < 0 <= rest[0] and (value <= -9 or share >= OFTEN):
        return "its only negative value"
    few = value in CODES and 2 <= len(rest) < MOST_CODES and float(np.abs(rest - value).min()) >= 3
    if few and rest[0] in (0, 1) and bool((np.diff(rest) == 1).all()):
        return f"beside the codes {rest[0]:g} to {rest[-1]:g}"
    return ""


def filler_days(days: NDArray[np.datetime64]) -> list[np.datetime64]:
    """Return the days that seem to mean "unknown" or "for ever": usual ones, far from all others.

    Parameters
    ----------
    days : ndarray of shape (n_rows,), datetime64[D]
        NaT is missing.

    Examples
    --------
    >>> days = np.array(["2021-03-05", "1900-01-01", "2023-07-01", "1900-01-01", "9999-12-31"], dtype="datetime64[D]")
    >>> [str(day) for day in filler_days(days)]
    ['1900-01-01', '9999-12-31']
    """
    distinct, rows = np.unique(days[~np.isnat(days)], return_counts=True)
    low, high = 0, len(distinct)  # distinct[low:high] are ordinary
    while low < high and str(distinct[low]) in EARLIEST_DAYS and rows[low] > 1:
        low += 1
    while low < high and (
        distinct[high - 1] >= ENDLESS_YEAR or (str(distinct[high - 1]) in LATEST_DAYS and rows[high - 1] > 1)
    ):
        high -= 1
    if high - low < 2:
        return []
    apart = max(DAYS_APART, APART * float((distinct[high - 1] - distinct[low]).astype(np.int64)))
    early = low > 0 and (distinct[low] - distinct[low - 1]).astype(np.int64) > apart
    late = high < len(distinct) and (distinct[high] - distinct[high - 1]).astype(np.int64) > apart
    return [*(distinct[:low] if early else ()), *(distinct[high:] if late else ())]


def filler_words(words: Sequence[str]) -> list[str]:
    """Return the words that mean "unknown".

    Examples
    --------
    >>> filler_words(["yes", "no", "Unknown", "k.A."])
    ['Unknown', 'k.A.']
    >>> filler_words(["1. Very happy", "2. Not too happy", "8. DK", "9. Refused"])
    ['8. DK', '9. Refused']
    >>> filler_words(["TX", "NC", "VA", "CA", "NY", "OH"])
    []
    """
    numbered = [word for word in words if NUMBERED.match(word)]
    coded = set(numbered) if 2 * len(numbered) > len(words) else set()
    marks = any(set(word) == {"+"} for word in words)  # beside "+" and "++", "-" is a result
    codes = _are_two_letter_codes(words)  # beside VA and TX, NC is North Carolina
    return [
        word
        for word in words
        if (
            word.casefold() in WORDS
            or (word in coded and NUMBERED.sub("", word).casefold() in WORDS | BEHIND_NUMBERS)
        )
        and not (marks and set(word) == {"-"})
        and not (codes and _is_two_letter_code(word))
    ]


def _are_two_letter_codes(words: Sequence[str]) -> bool:
    """Whether most words are codes as of states and countries; SI and NO beside NC are answers."""
    others = [word for word in words if word.casefold() not in WORDS]
    codes = sum(map(_is_two_letter_code, others))
    return codes >= FEWEST_VALUES and 2 * codes > len(others)


def _is_two_letter_code(word: str) -> bool:
    return len(word) == 2 and word.isalpha() and word.isupper()
