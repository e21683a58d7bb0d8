"""Suspicious columns, labels and rows: heuristics that use the values and sometimes the name of a column.

The thresholds are chosen such that ordinary quantities give no finding.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._plural import count_of, some_of
from treewright.errors import InputError
from treewright.table._alike import groups_alike, one_spelling
from treewright.table._answers import in_an_order, several_in_one_field
from treewright.table._compound import as_joined_dates, as_stored_dates
from treewright.table._faults import ColumnFault
from treewright.table._field_kinds import TextAmong
from treewright.table._file_faults import FileFault
from treewright.table._fillers import filler_numbers, filler_words
from treewright.table._finding import Finding
from treewright.table._numbers_in_words import of_numbers_inside, of_units
from treewright.table._quantity import MANY_LABELS, is_quantity
from treewright.table._raw import text_of_number
from treewright.table._table import Table
from treewright.tree import Column, ColumnKind

__all__ = [
    "dates_as_text",
    "of_column",
    "of_dates",
    "of_fault",
    "of_labels",
    "of_rows",
]

FEWEST_ROWS = 20  # with fewer rows, all values may differ by chance
NEARLY_ALL = 0.98  # share of the rows
MANY_CATEGORIES = 50
MOST_COMPARED = 10_000  # words, the most frequent, that are compared with each other
SHOWN = 3
ID_NAME = re.compile(
    r"(^|[^a-z])(id|uuid|guid|key|\w*nr|no|number|\w*nummer|numer|numero|número|index|unnamed_\d+|__index_level_\d+__)\.?$",
    re.IGNORECASE,
)
ID_BEGINS = re.compile(  # "Nr PPE"; but "No. of rooms" is a count
    r"^(id|nr|no|numer|numéro|número)\.?[ _-]+(?!(?:of|der|des|de)[ _-])", re.IGNORECASE
)
KNOWN_IDS = re.compile(
    r"(^|[^a-z])(iban|ssn|nip|pesel|regon|vin|imei|isbn|ean|phone|telephone|telefon|tel|mobile|fax)([^a-z]|$)",
    re.IGNORECASE,
)
MERGED = (3, 0.25)  # fewest values, and their largest share of the rows
TIME_OF_DAY = re.compile(r"^([01]?\d|2[0-3]):[0-5]\d(:[0-5]\d)?( ?[AP]\.?M\.?)?$", re.IGNORECASE)
CODE_NAME = re.compile(
    r"(^|[^a-z])(zip|plz|postal|postcode|postleitzahl|code|branch|branche|filiale|store|region|district|bezirk|kreis|county|precinct|department|dept|"
    r"industry|sector|naics|sic|category|kategorie|gruppe|product|produkt|artikel|familienstand|marital|gender|geschlecht|nationality|nationalität|"
    r"religion|ethnicity|occupation|beruf)s?"
    r"(code)?([^a-z]|$)",
    re.IGNORECASE,
)
DATE = re.compile(r"^(\d{4}-\d{1,2}-\d{1,2}([ T].*)?|\d{1,2}([./-])\d{1,2}\3\d{2,4}( \d{1,2}:\d{2}.*)?)$")


def of_fault(fault: InputError) -> Iterator[Finding]:
    """Yield the findings of a column that cannot be read, and of numbers in it that may mean missing."""
    if isinstance(fault, FileFault) and fault.option is not None:
        yield Finding(None, str(fault), *fault.option, is_fault=True)
    elif not isinstance(fault, ColumnFault):
        yield Finding(None, str(fault), is_fault=True)
    elif not isinstance(fault, TextAmong) or not fault.words:
        yield Finding(fault.column, str(fault), fault.action, fault.column if fault.action else "")
    else:
        first, *others = fault.words
        yield Finding(fault.column, str(fault), "missing", first)
        for word in others:
            text = f"{fault.column} holds {word!r} among its numbers, too: does it mean missing?"
            yield Finding(fault.column, text, "missing", word)
    if isinstance(fault, TextAmong) and fault.action != "categorical":
        yield from _filler_numbers(fault.column, *np.unique(fault.numbers, return_counts=True))


def of_column(column: Column, values: NDArray[np.float64], leading_zeros: bool) -> Iterator[Finding]:
    """Yield at most one suspicion about a column, the strongest one, and spellings of its words to merge."""
    name = column.name
    known = values[~np.isnan(values)]
    distinct, rows = np.unique(known, return_counts=True)
    if len(known) == 0 and len(values):
        yield Finding(name, f"{name} is empty in every row: no split can use it.", "ignore", name)
        return
    if len(distinct) == 1 and len(known) == len(values):
        yield Finding(
            name,
            f"{name} has one value only ({_word(column, distinct[0])}): no split can use it.",
            "ignore",
            name,
        )
        return
    if len(distinct) == 1:  # such a column is useful: a split can separate known from missing values
        return
    words = column.kind is ColumnKind.CATEGORICAL
    every = len(distinct) >= NEARLY_ALL * len(known) >= NEARLY_ALL * FEWEST_ROWS  # a few rows may be repeated
    whole = not words and len(known) > 0 and bool((known == np.floor(known)).all())
    dense = whole and every and distinct[-1] - distinct[0] < 2 * len(distinct)
    many = len(distinct) > MANY_CATEGORIES and 5 * len(distinct) > len(known)
    first = distinct[np.argsort(np.unique(known, return_index=True)[1])]  # in the order of the rows
    shown = ", ".join(_word(column, value) for value in first[:SHOWN])
    named = bool(ID_NAME.search(name) or ID_BEGINS.search(name) or KNOWN_IDS.search(name))
    if merged := _as_merged_cells(values, name):
        yield Finding(name, merged)
        return
    if words and (measured := of_units(column, distinct, shown, many)):
        yield measured
        return
    if words and many and (times := _times_as_words(column, distinct)):
        yield Finding(name, f"{name} holds {times}, or leave the column out.", "ignore", name)
        return
    if words and not column.ordered and (inside := of_numbers_inside(column, known, many)):
        yield inside
        return
    if whole and (dates := as_stored_dates(name, distinct) or as_joined_dates(name, distinct)):
        yield Finding(name, dates)
        return
    if every and (words or dense or (whole and named)):
        rows_said = "every row" if len(distinct) == len(known) else "nearly every row"
        text = f"{name} differs in {rows_said} ({shown}, ...): it seems to identify the rows."
        yield Finding(name, text, "ignore", name)
    elif not words and (leading_zeros or (whole and len(distinct) > 2 and CODE_NAME.search(name))):
        why = "some values begin with 0" if leading_zeros else "its name says so"
        text = f"{name} is read as a quantity ({shown}, ...), but seems to be a code: {why}."
        if many:
            text += (
                f" It has {len(distinct):,} values in {len(known):,} rows, too few rows to learn from each."
            )
        yield Finding(name, text, "ignore" if many else "categorical", name)
    elif whole and many and named and not name.startswith("unnamed_"):
        text = (
            f"{name} has {len(distinct):,} different numbers ({shown}, ...), and its name suggests that it identifies "
            "something: what a tree learns from it does not carry over to new rows."
        )
        yield Finding(name, text, "ignore", name)
    elif (
        words
        and (mark := several_in_one_field(named_words := [column.categories[int(c)] for c in distinct]))[0]
    ):
        yield _of_several_answers(name, *mark, named_words)
    elif words and many:
        text = (
            f"{name} has {len(distinct):,} different words in {len(known):,} rows ({shown}, ...): too few rows "
            "for each to learn from. Group them in the file, or leave the column out."
        )
        yield Finding(name, text, "ignore", name)
    else:
        yield from _fillers(column, distinct, rows)
    if words:
        by_rows = np.argsort(-rows, kind="stable")
        frequent_first = [column.categories[int(code)] for code in distinct[by_rows[:MOST_COMPARED]]]
        if not column.ordered:  # what may mean missing is asked of each spelling
            fillers = filler_words(frequent_first)
            frequent_first = [word for word in frequent_first if word not in fillers]
        if not column.ordered and len(distinct) <= MOST_COMPARED:  # no scale has more words
            yield from _of_an_order(name, frequent_first)
        yield from _variants(name, frequent_first, "merge-words", name)


def _of_several_answers(name: str, mark: str, answers: Sequence[str], words: Sequence[str]) -> Finding:
    between = f"{mark} " if any(f"{mark} " in word for word in words) else mark
    made = (
        f"a yes/no column of each answer in the file (pandas: frame[{name!r}].str.get_dummies({between!r}))"
    )
    text = (
        f"{name} holds several answers in one field, with {mark!r} between them ({some_of(answers, SHOWN)}): each of "
        f"the {len(words):,} combinations is a word of its own. "
    )
    if any(word.strip() in answers for word in words):
        return Finding(name, f"{text}Make {made}, or leave the column out.", "ignore", name)
    return Finding(
        name, f"{text}To let a split use a single answer, make {made}; otherwise keep it as it is."
    )


def _of_an_order(name: str, words: Sequence[str]) -> Iterator[Finding]:
    """Yield a finding for words with an order that was not given; of several spellings the most frequent counts."""
    merged = one_spelling(words)
    own = [word for word in words if word not in merged]
    ordered = in_an_order(own)
    if not ordered:
        return
    others = [word for word in own if word not in ordered]
    text = (
        f"{name} holds words in an order ({' < '.join(ordered[:SHOWN])}{' < ...' if ordered[SHOWN:] else ''}). Without "
        "the order a split can only separate one word from all others; with it, the lower words from the higher ones."
    )
    if others:
        which = f"Its other words ({some_of(others, SHOWN)}) are on no known scale: add them to the order, or make"
        yield Finding(name, f"{text} {which} them missing.")
    else:
        yield Finding(name, text, "order", order=tuple(ordered))


def _as_merged_cells(values: NDArray[np.float64], name: str) -> str:
    """Return the text about a column that has values only in the first row of each block; "" if it is not like that."""
    filled = np.flatnonzero(~np.isnan(values))
    known = values[filled]
    sparse = MERGED[0] <= len(filled) <= MERGED[1] * len(values)
    if not sparse or filled[0] != 0 or (known != np.floor(known)).any() or (np.diff(known) == 0).any():
        return ""
    return (
        f"{name} has a value in {len(filled):,} of {len(values):,} rows, always different from the one before, with "
        "empty fields below it, as merged cells are saved. If they were merged, fill the values down in the file. "
        "Otherwise keep it as it is."
    )


def _times_as_words(column: Column, distinct: NDArray[np.float64]) -> str:
    """Return the text about words that are all dates or all times, with what to do; "" if they are not."""
    shown = ", ".join(column.categories[int(code)] for code in distinct[:SHOWN])
    if all(TIME_OF_DAY.match(column.categories[int(code)]) for code in distinct):
        return (
            f"times of day ({shown}, ...), and each is a word of its own. Write them as numbers in the file, such as "
            "22.5 for 22:30"
        )
    if all(DATE.match(column.categories[int(code)]) for code in distinct):
        return (
            f"dates that are written in several ways ({shown}, ...), so each is a word of its own. Write them in one "
            "way in the file"
        )
    return ""


def dates_as_text(table: Table) -> Iterator[Finding]:
    """Yield columns of a frame whose words are all dates; unlike those of a file, the user must convert them."""
    for column in table.columns:
        words = column.categories
        if column.kind is ColumnKind.CATEGORICAL and len(words) > 1 and all(map(DATE.match, words)):
            shown = ", ".join(words[:SHOWN])
            text = f"{column.name} holds dates as text ({shown}, ...): each day is a word of its own."
            parts = [re.split(r"[./-]", word)[:2] for word in words if not word[:4].isdigit()]
            first, second = (max((int(part[k]) for part in parts), default=0) for k in (0, 1))
            if parts and first <= 12 and second <= 12 and "." not in words[0]:
                text += " Add dayfirst=True where the day comes first."
            day_first = bool(parts) and (first > 12 or "." in words[0])
            yield Finding(column.name, text, "dates", ", dayfirst=True" if day_first else "")


def _fillers(column: Column, distinct: NDArray[np.float64], rows: NDArray[np.int64]) -> Iterator[Finding]:
    """Yield findings for values that seem to mean "unknown"."""
    if column.kind is ColumnKind.CATEGORICAL:
        held = {column.categories[int(code)]: int(count) for code, count in zip(distinct, rows, strict=True)}
        for word in filler_words(list(held)):
            text = f"{column.name} holds the word {word!r} in {count_of(held[word], 'row')}: does it mean missing?"
            yield Finding(column.name, text, "missing", word)
    else:
        yield from _filler_numbers(column.name, distinct, rows)


def _filler_numbers(name: str, distinct: NDArray[np.float64], rows: NDArray[np.int64]) -> Iterator[Finding]:
    for word, count, why in filler_numbers(distinct, rows):
        text = f"{name} holds {word} in {count_of(count, 'row')}, {why}: does it mean missing?"
        yield Finding(name, text, "missing", word, is_number=True)


def _variants(name: str, words: Sequence[str], action: str, value: str = "") -> Iterator[Finding]:
    """Yield groups of words that differ only in capitals, blanks, hyphens or accents, the most frequent first."""
    groups = groups_alike(words)
    if groups:
        shown = "; ".join(" = ".join(map(repr, group)) for group in groups[:SHOWN])
        own = "class" if action == "merge-labels" else "category"
        text = f"{name} writes the same word in several ways ({shown}). Each is a {own} of its own."
        yield Finding(name, text, action, value, one_spelling(words))


def of_dates(fillers: Sequence[tuple[str, str, int]]) -> Iterator[Finding]:
    """Yield findings for dates that seem to mean "unknown": columns of dates, their fields and their rows."""
    for name, word, rows in fillers:
        where = f"in {count_of(rows, 'row')}, far from all other dates"
        text = f"{name} holds the date {word} {where}: does it mean missing?"
        yield Finding(name, text, "missing", word)


def of_labels(target: str, labels: NDArray[Any], counts: Sequence[tuple[str, int]]) -> Iterator[Finding]:
    if len(counts) == 1:
        ((label, _),) = counts
        yield Finding(target, f"The target {target} is {label} in every row: there is nothing to predict.")
        return
    broken = _not_whole(labels)
    if is_quantity(labels):
        text = (
            f"The target {target} has {len(counts):,} different numbers: it seems to be a quantity. To predict the "
            "number, use OptimalTreeRegressor; to predict a class, make it two or a few classes in the file, such as "
            "above and below a limit."
        )
        yield Finding(target, text)
    elif broken:
        text = (
            f"The target {target} holds numbers that are not whole, such as {broken}: they are no classes. To predict "
            "the number, use OptimalTreeRegressor; to predict a class, make it two or a few classes in the file, such "
            "as above and below a limit."
        )
        yield Finding(target, text)
    elif labels.dtype.kind not in "biuf":
        yield from _variants(target, [label for label, _ in counts], "merge-labels")
    for label in _unknown_labels(labels, counts):
        where = count_of(dict(counts)[label], "row")
        text = f"The target {target} has the label {label} in {where}: if it means unknown, leave these rows out."
        yield Finding(target, text)
    rows = Counter[str]()
    alike = {} if labels.dtype.kind in "biuf" else one_spelling([label for label, _ in counts])
    for label, own in counts:
        rows[alike.get(label, label)] += own
    rare = [label for label, own in rows.items() if own < 5]
    if rare and len(rows) <= MANY_LABELS and not broken:
        text = (
            f"The target {target} has {some_of(rare)} in fewer than 5 rows: too few for training and testing."
        )
        yield Finding(target, text)


def _not_whole(labels: NDArray[Any]) -> str:
    """Return one of the numbers that a classifier refuses because they are not whole; "" if there is none."""
    if labels.dtype.kind != "f":
        return ""
    broken = labels[np.isfinite(labels) & (labels != np.floor(labels))]
    return text_of_number(float(broken[0])) if len(broken) else ""


def _unknown_labels(labels: NDArray[Any], counts: Sequence[tuple[str, int]]) -> list[str]:
    if len(counts) < 3:  # with two labels, each is a class, whatever its name
        return []
    if labels.dtype.kind in "if":
        return [
            word for word, _, _ in filler_numbers(*np.unique(labels.astype(np.float64), return_counts=True))
        ]
    return filler_words([label for label, _ in counts])


def of_rows(table: Table, labels: NDArray[Any] | None) -> Iterator[Finding]:
    if table.n_rows == 0 or not table.columns:
        return
    codes = table.X
    if labels is not None:
        codes = np.column_stack([codes, np.unique(labels, return_inverse=True)[1].astype(np.float64)])
    rows = np.ascontiguousarray(np.nan_to_num(codes, nan=np.inf)).view(f"V{8 * codes.shape[1]}").ravel()
    repeated = table.n_rows - len(np.unique(rows))
    if repeated and (20 * repeated < table.n_rows or _is_fine(table)):
        verb = "repeats" if repeated == 1 else "repeat"
        text = f"{count_of(repeated, 'row')} {verb} an earlier one in every column. Is that intended?"
        yield Finding(None, text)


def _is_fine(table: Table) -> bool:
    """Whether some column has so many different values that two rows are hardly ever equal by chance."""
    return any(4 * len(np.unique(x)) > table.n_rows for x in table.X.T)


def _word(column: Column, value: float) -> str:
    if column.kind is ColumnKind.CATEGORICAL:
        return column.categories[int(value)][:40]
    return text_of_number(float(value))
