"""Decision rules in words, read back: which rows meet the conditions, by the words alone.

Names and words may hold everything, so a text may have several readings; one that has is not judged.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from attack.case import Value
from attack.command_line.probe_file import as_word

__all__ = ["NUMBER", "Unclear", "read_conditions"]

NUMBER = r"-?\d[\d.]*(?:e[+-]?\d+)?"
Test = Callable[[Sequence[Value]], bool]


class Unclear(Exception):
    """The text can be read in several ways, or in none that this reader knows."""


def read_conditions(text: str, columns: Sequence[dict[str, Any]]) -> Test:
    """Return whether a row meets all conditions of a text such as ``40 < age <= 60 and town in {Bern, Ulm}``.

    Raises
    ------
    Unclear
        There is not exactly one reading.
    """
    readings = list(_readings(text, columns, frozenset()))
    if len(readings) != 1:
        raise Unclear(f"{len(readings)} readings of {text!r}")
    tests = readings[0]
    return lambda row: all(test(row) for test in tests)


def _readings(text: str, columns: Sequence[dict[str, Any]], used: frozenset[int]) -> Iterator[list[Test]]:
    for j, column in enumerate(columns):
        if j in used:
            continue
        for test, end in _conditions(text, j, column):
            if end == len(text):
                yield [test]
            elif text.startswith(" and ", end):
                for rest in _readings(text[end + len(" and ") :], columns, used | {j}):
                    yield [test, *rest]


def _conditions(text: str, j: int, column: dict[str, Any]) -> Iterator[tuple[Test, int]]:
    """Each condition on a column that a text may begin with, and where it ends."""
    name = re.escape(column["name"])
    patterns: list[tuple[str, Callable[[re.Match[str]], Callable[[Value], bool]]]] = [
        (f"{name} is known", lambda found: lambda value: True),
        (f"{name} is missing", lambda found: lambda value: False),
    ]
    if column["kind"] == "categorical":
        patterns += _of_words(name, column["categories"])
    else:
        patterns += [
            (f"(?P<low>{NUMBER}) < {name} <= (?P<high>{NUMBER})", _between),
            (f"{name} <= (?P<high>{NUMBER})", _between),
            (f"{name} > (?P<low>{NUMBER})", _between),
            (f"{name} = (?P<bit>[01])", lambda found: lambda value: (float(value) > 0.5) == (found["bit"] == "1")),
        ]  # fmt: skip
    for pattern, meaning in patterns:
        found = re.match(pattern, text)
        if found is None:
            continue
        passes, missing = meaning(found), pattern.endswith(" is missing")
        for more, also in (("", missing), (" or missing", True), (" and known", False)):
            end = found.end() + len(more)
            if text.startswith(more, found.end()):
                yield _test(j, passes, also), end


def _test(j: int, passes: Callable[[Value], bool], missing: bool) -> Test:
    return lambda row: missing if row[j] is None else passes(row[j])


def _between(found: re.Match[str]) -> Callable[[Any], bool]:
    ends = found.groupdict()
    low, high = ends.get("low"), ends.get("high")
    return lambda value: (
        (low is None or float(value) > float(low)) and (high is None or float(value) <= float(high))
    )


def _of_words(name: str, words: Sequence[str]) -> list[tuple[str, Any]]:
    one = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    some = rf"\{{(?P<set>(?:{one})(?:, (?:{one}))*)\}}"

    def listed(found: re.Match[str]) -> set[str]:
        return set(re.findall(rf"(?:^|, )({one})(?=, |$)", found["set"]))

    def placed(low: str | None, high: str | None) -> Callable[[Any], bool]:
        first = 0 if low is None else words.index(low)
        last = len(words) - 1 if high is None else words.index(high)
        return lambda value: first <= words.index(str(as_word(value))) <= last

    return [
        (f"{name} = (?P<one>{one})", lambda found: lambda value: as_word(value) == found["one"]),
        (f"{name} != (?P<one>{one})", lambda found: lambda value: as_word(value) != found["one"]),
        (f"{name} in {some}", lambda found: lambda value: as_word(value) in listed(found)),
        (f"{name} not in {some}", lambda found: lambda value: as_word(value) not in listed(found)),
        (f"{name} at most (?P<high>{one})", lambda found: placed(None, found["high"])),
        (f"{name} at least (?P<low>{one})", lambda found: placed(found["low"], None)),
        (f"{name} from (?P<low>{one}) to (?P<high>{one})", lambda found: placed(found["low"], found["high"])),
    ]
