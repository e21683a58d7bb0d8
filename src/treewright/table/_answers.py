"""Answers of questionnaires that categorical splits use poorly: ordered words, and several answers in one field.

A split of words without a known order separates one word from all others. So "disagree or less" takes two splits, and a
split on "Excel;Python" separates exactly this combination. Both cases are reported with what to do; nothing is changed.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Sequence

__all__ = ["in_an_order", "several_in_one_field"]

DEGREES = (  # scales from the lowest to the highest degree; | separates alternative words for the same degree
    ("strongly disagree", "disagree", "somewhat disagree|slightly disagree",
     "neither agree nor disagree|neutral|undecided", "somewhat agree|slightly agree", "agree", "strongly agree"),
    ("extremely dissatisfied", "very dissatisfied", "dissatisfied|moderately dissatisfied",
     "somewhat dissatisfied|slightly dissatisfied", "neither satisfied nor dissatisfied|neutral",
     "somewhat satisfied|slightly satisfied", "satisfied|moderately satisfied", "very satisfied",
     "extremely satisfied"),
    ("very unsatisfied", "unsatisfied", "neither satisfied nor unsatisfied|neutral", "satisfied", "very satisfied"),
    ("extremely unlikely", "very unlikely", "unlikely|moderately unlikely", "somewhat unlikely|slightly unlikely",
     "neither likely nor unlikely|neutral", "somewhat likely|slightly likely", "likely|moderately likely",
     "very likely", "extremely likely"),
    ("very poor", "poor", "fair", "good", "very good", "excellent"),
    ("very bad", "bad", "neutral|average|ok", "good", "very good", "excellent"),
    ("never", "rarely|seldom", "sometimes", "about half the time", "often|most of the time", "always"),
    ("none", "mild", "moderate", "severe"),
    ("xxs", "xs", "s", "m", "l", "xl", "xxl", "xxxl"),
    ("very small", "small", "medium", "large", "very large"),
    ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x"),
    ("1st", "2nd", "3rd", "4th", "5th", "6th", "7th", "8th", "9th", "10th"),
    ("★", "★★", "★★★", "★★★★", "★★★★★"),
    ("very low", "low", "medium|moderate|average", "high", "very high"),
    ("stimme überhaupt nicht zu", "stimme nicht zu", "teils/teils|neutral", "stimme zu", "stimme voll und ganz zu"),
    ("trifft nicht zu", "trifft eher nicht zu", "teils/teils|neutral", "trifft eher zu", "trifft zu"),
    ("nie", "selten", "manchmal", "oft", "immer"),
    ("sehr unzufrieden", "unzufrieden", "weder noch|teils/teils|neutral", "zufrieden", "sehr zufrieden"),
    ("sehr schlecht", "schlecht", "mittel|mittelmäßig|neutral", "gut", "sehr gut"),
    ("sehr niedrig|sehr gering", "niedrig|gering", "mittel", "hoch", "sehr hoch"),
)  # fmt: skip
ORDERS = [{word: place for place, same in enumerate(words) for word in same.split("|")} for words in DEGREES]
NUMBERED = re.compile(r"^\d{1,2} ?[-–.:)=] ?(?=[^\W\d])")  # "1 - strongly agree"; numbers alone are no order
BAND = re.compile(  # "18-24", "20k to 40k", "<20k", "55+", "60 and over"
    r"^(?P<less>under|below|less than|up to|unter|bis|<=?|≤)?\s*[$€£]?(?P<from>\d[\d.,]*)\s?(?P<k>k\b)?"
    r"(?:\s*(?:-|–|to|bis)\s*[$€£]?(?P<to>\d[\d.,]*)\s?(?P<to_k>k\b)?\s*[$€£%]?"
    r"|\s*(?:\+|and (?:over|more|above)|or (?:more|older)|und mehr))?$"
    r"|^(?:over|above|more than|über|>=?|≥)\s*[$€£]?(?P<above>\d[\d.,]*)\s?(?P<above_k>k\b)?\s*$",
    re.IGNORECASE,
)
ENDS = ("from", "to", "above")
FEWEST_BANDS = 3
MOST_ORDERED = 40  # largest number of different words of a question with ordered answers
SEPARATORS = (";", "|", ",", " / ")
ONE_NUMBER = re.compile(r"^[<>+-]?\d+,\d+ ?[^\d,;|]+$")  # "38,2 °C": the comma does not separate answers
MIXED = 0.3  # share of the different words that must hold more than one answer
SHARED = 0.7  # share of the answers that must occur in several words


def in_an_order(words: Sequence[str]) -> list[str]:
    """Return the words that belong to a known scale, from the lowest to the highest; none if fewer than three do.

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
        known = [word for word in words if _degree(word) in places]
        distinct = {places[_degree(word)] for word in known}
        if len(known) >= max(FEWEST_BANDS, len(words) - 2) and len(distinct) == len(known):
            return sorted(known, key=lambda word: places[_degree(word)])
    bands = {word: match for word in words if (match := BAND.match(word.strip())) is not None}
    if len(bands) < max(FEWEST_BANDS, len(words) - 1) or all(match["to"] is None for match in bands.values()):
        return []
    marks = _decimal_marks([match[end] for match in bands.values() for end in ENDS if match[end]])
    ends = {word: _ends(match, marks) for word, match in bands.items()}
    ordered = sorted(ends, key=lambda word: ends[word])
    pairs = itertools.pairwise(ordered)
    if any(not low < high for low, high in ends.values()) or any(ends[a][1] > ends[b][0] for a, b in pairs):
        return []  # months such as 2020-03, or scores such as 2-1; comparisons with NaN are false
    return ordered


def _degree(word: str) -> str:
    """Return a word as the scales write it."""
    return NUMBERED.sub("", word.strip()).casefold()


def _decimal_marks(numbers: Sequence[str]) -> str:
    """Return the marks that must be decimal: followed by a number of digits other than three, or after a single 0."""
    return "".join(
        mark
        for mark in ",."
        if any(re.search(rf"^0?[{mark}]|[{mark}](?:\d{{1,2}}|\d{{4,}})$", n) for n in numbers)
    )


def _ends(band: re.Match[str], decimal_marks: str) -> tuple[float, float]:
    """Return the two ends of a band; an open end is infinite, and a `k` after the band may belong to both ends."""

    def number(end: str) -> float:
        try:
            return float(
                band[end].translate({ord(mark): "." if mark in decimal_marks else "" for mark in ",."})
            )
        except ValueError:  # several decimal marks: not a number
            return float("nan")

    if band["above"]:
        return number("above") * (1000 if band["above_k"] else 1), float("inf")
    low = number("from") * (1000 if band["k"] else 1)
    if band["less"]:
        return -float("inf"), low
    if band["to"] is None:
        return low, float("inf")
    high = number("to")
    if band["to_k"]:
        low *= 1000 if not band["k"] and low < high else 1  # 20-40k, but 900-1k
        high *= 1000
    return low, high


def several_in_one_field(words: Sequence[str]) -> tuple[str, list[str]]:
    """Return the separator of several answers in one field, and the answers, the most frequent first.

    If fields do not hold several answers, the separator is "" and the list is empty.

    Examples
    --------
    >>> several_in_one_field(["Excel", "Excel;Python", "Python;R", "Excel;R", "Excel;Python;R"])
    (';', ['Excel', 'Python', 'R'])
    """
    for mark in SEPARATORS:
        if mark == "," and any(map(ONE_NUMBER.match, words)):
            continue
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
