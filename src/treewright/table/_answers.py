"""Answers of questionnaires that a split of words reads poorly: words in an order, and several answers in one field.

A split of words sets one word apart from all others, so "disagree or less" takes two splits, and of "Excel;Python" it
asks for exactly this combination. Both are told with what to do; nothing is changed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

__all__ = ["in_an_order", "several_in_one_field"]

DEGREES = (  # parts of words from the least to the most; an answer is placed by the longest part that it holds
    ("strongly disagree", "disagree", "neither agree nor disagree", "agree", "strongly agree"),
    ("very dissatisfied", "dissatisfied", "neither satisfied nor dissatisfied", "satisfied", "very satisfied"),
    ("very unlikely", "unlikely", "neither likely nor unlikely", "likely", "very likely"),
    ("very poor", "poor", "fair", "good", "very good", "excellent"),
    ("never", "rarely", "sometimes", "often", "always"),
    ("none", "mild", "moderate", "severe"),
    ("very low", "low", "medium", "high", "very high"),
    ("stimme überhaupt nicht zu", "stimme nicht zu", "teils/teils", "stimme zu", "stimme voll und ganz zu"),
    ("nie", "selten", "manchmal", "oft", "immer"),
    ("sehr unzufrieden", "unzufrieden", "weder noch", "zufrieden", "sehr zufrieden"),
)  # fmt: skip
ORDERS = [{word: place for place, word in enumerate(words)} for words in DEGREES]
BAND = re.compile(  # "18-24", "20k to 40k", "<20k", "55+", "60 and over"
    r"^(?P<less>under|below|less than|up to|unter|bis|<=?|≤)?\s*[$€£]?(?P<from>\d[\d.,]*)\s?(?P<k>k\b)?"
    r"(?:\s*(?:-|–|to|bis)\s*[$€£]?(?P<to>\d[\d.,]*)\s?k?\s*[$€£%]?"
    r"|\s*(?:\+|and (?:over|more|above)|or (?:more|older)|und mehr))?$"
    r"|^(?:over|above|more than|über|>=?|≥)\s*[$€£]?(?P<above>\d[\d.,]*)\s?(?P<above_k>k\b)?\s*$",
    re.IGNORECASE,
)
FEWEST_BANDS = 3
MOST_ORDERED = 40  # different words of a question with answers in an order
SEPARATORS = (";", "|", ",", " / ")
MIXED = 0.3  # of the different words have to hold more than one answer
SHARED = 0.7  # of the answers have to occur in several words


def in_an_order(words: Sequence[str]) -> list[str]:
    """Return the words that have an order, from the least to the most; none if fewer than three have one.

    Examples
    --------
    >>> in_an_order(["Agree", "Strongly agree", "Disagree", "no answer"])
    ['Disagree', 'Agree', 'Strongly agree']
    >>> in_an_order(["25-34", "18-24", "55+", "35-54"])
    ['18-24', '25-34', '35-54', '55+']
    """
    if len(words) > MOST_ORDERED:
        return []
    words = list({word.strip().casefold(): word for word in reversed(words)}.values())
    for places in ORDERS:
        known = [word for word in words if word.strip().casefold() in places]
        if len(known) >= max(FEWEST_BANDS, len(words) - 2):
            return sorted(known, key=lambda word: places[word.strip().casefold()])
    found = {word: match for word in words if (match := BAND.match(word.strip())) is not None}
    found = {word: match for word, match in found.items() if match["to"] is None or _ascends(match)}
    if len(found) < max(FEWEST_BANDS, len(words) - 1) or all(match["to"] is None for match in found.values()):
        return []
    return sorted(found, key=lambda word: _lower_end(found[word]))


def _ascends(band: re.Match[str]) -> bool:
    """Whether a band ends above its beginning; `2020-03` is a month."""
    return _number(band["from"]) < _number(band["to"])


def _number(digits: str) -> float:
    return float(re.sub(r"[.,]", "", digits))


def _lower_end(band: re.Match[str]) -> tuple[float, int]:
    """Where a band begins; one that is open below goes before its own number, one that is open above behind it."""
    thousand = 1000 if band["k"] or band["above_k"] else 1
    return _number(band["from"] or band["above"]) * thousand, -1 if band["less"] else 1 if band[
        "above"
    ] else 0


def several_in_one_field(words: Sequence[str]) -> tuple[str, list[str]]:
    """Return the mark between several answers in one field and the answers, the most frequent first; else "" and none.

    Examples
    --------
    >>> several_in_one_field(["Excel", "Excel;Python", "Python;R", "Excel;R", "Excel;Python;R"])
    (';', ['Excel', 'Python', 'R'])
    """
    for mark in SEPARATORS:
        parts = [[part.strip() for part in word.split(mark) if part.strip()] for word in words]
        counted = Counter(part for own in parts for part in set(own))
        several = sum(len(own) > 1 for own in parts)
        shared = sum(count > 1 for count in counted.values())
        if (
            several >= max(2, MIXED * len(words))
            and 2 < len(counted) < len(words)
            and shared >= SHARED * len(counted)
        ):
            return mark, [answer for answer, _ in counted.most_common()]
    return "", []
