"""What a table seems to hold, before anything is fitted to it: kinds, suspicions, and the one word that settles each.

Every suspicion is a heuristic that looks at the values and sometimes at the name; nothing is changed by looking. The
thresholds are chosen to stay silent on ordinary quantities.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.errors import InputError
from treewright.table._alike import groups_alike, one_spelling
from treewright.table._csv import load_leniently
from treewright.table._fields import TextAmong
from treewright.table._fillers import filler_numbers, filler_words
from treewright.table._from_data import table_from
from treewright.table._quantity import MANY_LABELS, is_quantity
from treewright.table._raw import text_of_number
from treewright.table._table import Table
from treewright.tree import Column, ColumnKind

__all__ = ["Finding", "Look", "look", "look_at"]

FEWEST_ROWS = 20  # below, values differ from row to row by chance
NEARLY_ALL = 0.98  # of the rows
MANY_CATEGORIES = 50
SHOWN = 3
ID_NAME = re.compile(r"(^|[^a-z])(id|uuid|guid|key|nr|no|number|nummer|index|unnamed_\d+)\.?$", re.IGNORECASE)
CODE_NAME = re.compile(
    r"(^|[^a-z])(zip|plz|postal|postcode|postleitzahl|code|branch|branche|filiale|store|region|area|district|bezirk|kreis|county|precinct|department|dept|"
    r"industry|sector|naics|sic|category|kategorie|gruppe|product|produkt|artikel)s?"
    r"(code)?([^a-z]|$)",
    re.IGNORECASE,
)
DATE = re.compile(r"^(\d{4}-\d{1,2}-\d{1,2}([ T].*)?|\d{1,2}([./-])\d{1,2}\3\d{2,4})$")
KINDS = {ColumnKind.CONTINUOUS: "numbers", ColumnKind.BINARY: "yes/no", ColumnKind.CATEGORICAL: "words"}


@dataclass(frozen=True)
class Finding:
    """One thing that a person should know or settle.

    Parameters
    ----------
    column : str or None
        None is the table as a whole.
    text : str
        What was seen, as a sentence.
    action : {"ignore", "categorical", "missing", "merge-words", "merge-labels", "dates", ""}
        The option that settles it; "dates", of frames only, needs a call; "" if it is settled in the file, or needs
        nothing.
    value : str
        What the option takes: the column, or the field that means missing in it; "" if it takes nothing.
    words : mapping of str to str
        Merging: the word that each other spelling becomes.
    is_number : bool
        Whether the value that means missing is a number, not a word.

    Examples
    --------
    >>> from treewright.table import Finding
    >>> Finding("id", "Column 'id' numbers the rows.", action="ignore", value="id").action
    'ignore'
    """

    column: str | None
    text: str
    action: str = ""
    value: str = ""
    words: Mapping[str, str] = field(default_factory=dict)
    is_number: bool = False

    @property
    def option(self) -> str:
        """The option of the command line, such as ``--ignore id``."""
        if self.action == "dates":
            return ""
        value = f"{self.column}={self.value}" if self.action == "missing" else self.value
        return f"--{self.action} {_shell(value) if value else ''}".rstrip() if self.action else ""

    @property
    def in_python(self) -> str:
        """What settles it for a frame X of pandas and its labels y, such as ``X = X.drop(columns=['id'])``."""
        own = f"X[{self.column!r}]"
        value = self.value if self.is_number else repr(self.value)
        return {
            "": "",
            "dates": f"{own} = pandas.to_datetime({own}{self.value}), then X = treewright.table.expand_dates(X)",
            "ignore": f"X = X.drop(columns=[{self.value!r}])",
            "categorical": f"categorical_features=[{self.value!r}]",
            "missing": f"{own} = {own}.mask({own} == {value})",
            "merge-words": f"{own} = {own}.replace({dict(self.words)!r})",
            "merge-labels": f"y = y.replace({dict(self.words)!r})",
        }[self.action]


@dataclass(frozen=True)
class Look:
    """What `look` saw.

    Parameters
    ----------
    name : str
        What the table is called.
    n_rows : int
    kinds : dict of str to tuple of str
        Column names by "numbers", "yes/no", "words".
    labels : tuple of (str, int)
        Labels and their rows, most frequent first; empty without a target.
    target : str or None
    notes : tuple of str
        How numbers and dates were read.
    findings : tuple of Finding
    of_file : bool
        Whether what settles a finding is shown as an option of the command line, not as Python.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.table import look_at, table_from
    >>> seen = look_at(table_from([[20], [30], [40]]), np.array(["yes", "Yes", "no"]), name="patients", target="ill")
    >>> [finding.action for finding in seen.findings]
    ['merge-labels', '']
    """

    name: str
    n_rows: int
    kinds: dict[str, tuple[str, ...]]
    labels: tuple[tuple[str, int], ...] = ()
    target: str | None = None
    notes: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = field(default=())
    of_file: bool = True

    def options(self) -> str:
        """Return the options of the command line that accept every proposal."""
        return " ".join(dict.fromkeys(finding.option for finding in self.findings if finding.action))

    def summary(self) -> list[str]:
        """Return two lines: columns by kind, labels with their rows."""
        columns = "; ".join(
            f"{kind}: {len(names):,} ({_some(names)})" for kind, names in self.kinds.items() if names
        )
        lines = [f"{self.name}: {_count(self.n_rows, 'row')}; {columns}."]
        if self.labels:
            shown = ", ".join(f"{label} {rows:,}" for label, rows in self.labels[:8])
            more = f", ... ({len(self.labels)} labels)" if len(self.labels) > 8 else ""
            lines.append(f"Labels in {self.target}: {shown}{more}.")
        return lines

    def __str__(self) -> str:
        lines = self.summary()
        lines += [f"Read: {text}" for text in self.notes]
        if not self.findings:
            return "\n".join([*lines, "Nothing to decide."])
        lines += ["", "To decide before a fit:"]
        for number, finding in enumerate(self.findings, 1):
            settled_by = finding.option if self.of_file else finding.in_python
            lines.append(f"{number:>3}. {finding.text}" + (f"\n     {settled_by}" if settled_by else ""))
        return "\n".join(lines)


def look(data: Any, target: str | ArrayLike | None = None, **options: Any) -> Look:
    """Look at a table before a fit: columns by kind, labels, and what needs a decision.

    Parameters
    ----------
    data : str, Path or frame
        A CSV file, or a pandas, polars or pyarrow frame.
    target : str or array-like of shape (n_rows,), default=None
        Name of the column of labels; for a frame the labels may stand apart.
    **options
        For a file: those of `load_csv`.

    Returns
    -------
    Look
        ``print(look(...))`` is for people; ``look(...).findings`` has one entry for each thing to settle.

    Raises
    ------
    InputError
        The file cannot be read at all, or there is no such column. Columns with faults of their own are findings.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"id": range(40), "age": [30, 50] * 20, "y": ["Bad", "good", "BAD", "good"] * 10})
    >>> seen = look(frame, target="y")
    >>> [finding.column for finding in seen.findings]
    ['y', 'id']
    >>> seen.options()
    '--merge-labels --ignore id'
    """
    if isinstance(data, (str, Path)):
        if target is not None and not isinstance(target, str):
            raise InputError("target holds labels; for a file give the name of its column of labels.")
        csv, faults, codes, spellings = load_leniently(data, target=target, **options)
        seen = look_at(csv.table, csv.target, name=Path(data).name, target=target, codes=codes, faults=faults)
        return replace(
            seen, findings=tuple(own for one in seen.findings for own in _as_written(one, spellings))
        )
    if options:
        raise InputError(f"{', '.join(options)}: options of reading a file; a frame has been read already.")
    name = target if target is None or isinstance(target, str) else str(getattr(target, "name", None) or "y")
    table, labels, errors = _of_frame(data, target if isinstance(target, str) else None)
    if target is not None and not isinstance(target, str):
        labels = np.asarray(target)
        if labels.shape != (table.n_rows,):
            raise InputError(
                f"target has shape {labels.shape}; give one label for each of the {table.n_rows:,} rows."
            )
    seen = look_at(table, labels, name="The frame", target=name, faults=errors)
    dates = {finding.column: finding for finding in _dates_as_text(table)}
    others = [finding for finding in seen.findings if finding.column not in dates]
    return replace(seen, of_file=False, findings=(*dates.values(), *others))


def look_at(
    table: Table,
    labels: NDArray[Any] | None,
    *,
    name: str,
    target: str | None = None,
    codes: Sequence[str] = (),
    faults: Sequence[InputError] = (),
) -> Look:
    """Look at a table that has been read.

    Parameters
    ----------
    table : Table
    labels : ndarray of shape (n_rows,), or None
    name : str
    target : str, default=None
        Name of the column of labels.
    codes : sequence of str, default=()
        Columns of numbers of which some are written with leading zeros.
    faults : sequence of InputError, default=()
        Columns that could not be read.

    Returns
    -------
    Look

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.table import look_at, table_from
    >>> seen = look_at(table_from([[20], [30], [40]]), np.array(["no", "no", "yes"]), name="patients", target="ill")
    >>> seen.n_rows, seen.labels
    (3, (('no', 2), ('yes', 1)))
    """
    kinds: dict[str, list[str]] = {"numbers": [], "yes/no": [], "words": []}
    findings = [finding for fault in faults for finding in _of_fault(fault)]
    for column, values in zip(table.columns, table.X.T, strict=True):
        kinds[KINDS[column.kind]].append(column.name)
        findings += _of_column(column, values, column.name in codes)
    counts: list[tuple[str, int]] = []
    if labels is not None and target is not None:
        counts = [(str(label), rows) for label, rows in Counter(labels.tolist()).most_common()]
        findings = [*_of_labels(target, labels, counts), *findings]  # what is wrong here makes all else idle
    findings += _of_rows(table, labels)
    return Look(
        name,
        table.n_rows,
        {kind: tuple(names) for kind, names in kinds.items()},
        tuple(counts),
        target,
        table.notes,
        tuple(findings),
    )


def _of_fault(fault: InputError) -> Iterator[Finding]:
    """What is wrong with a column; of numbers among text, also which of them may mean missing."""
    if not isinstance(fault, TextAmong):
        yield Finding(None, str(fault))
        return
    if fault.word is None:
        yield Finding(None, str(fault))
    else:
        yield Finding(fault.column, str(fault), "missing", fault.word)
    yield from _filler_numbers(fault.column, *np.unique(fault.numbers, return_counts=True))


def _as_written(finding: Finding, spellings: Callable[[str, float], list[str]]) -> list[Finding]:
    """A number that may mean missing, as the file writes it: what means missing is compared as text."""
    if finding.column is None or finding.action != "missing":
        return [finding]
    try:
        number = float(finding.value)
    except ValueError:  # a word, which is as the file writes it
        return [finding]
    return [replace(finding, value=word) for word in spellings(finding.column, number)] or [finding]


def _of_column(column: Column, values: NDArray[np.float64], leading_zeros: bool) -> Iterator[Finding]:
    """At most one suspicion for each column, the strongest; and variants of its words."""
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
    if len(distinct) == 1:  # a split can ask whether there is a value
        return
    words = column.kind is ColumnKind.CATEGORICAL
    every = len(distinct) >= NEARLY_ALL * len(known) >= NEARLY_ALL * FEWEST_ROWS  # a few rows may be repeated
    whole = not words and len(known) > 0 and bool((known == np.floor(known)).all())
    dense = whole and every and distinct[-1] - distinct[0] < 2 * len(distinct)
    many = len(distinct) > MANY_CATEGORIES and 5 * len(distinct) > len(known)
    shown = ", ".join(_word(column, value) for value in known[:SHOWN])
    if every and (words or dense or (whole and ID_NAME.search(name))):
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
    elif whole and many and ID_NAME.search(name):
        text = (
            f"{name} has {len(distinct):,} different numbers ({shown}, ...), and its name suggests that it identifies "
            "something: what a tree learns from it does not carry over to new rows."
        )
        yield Finding(name, text, "ignore", name)
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
        yield from _variants(
            name, [column.categories[int(code)] for code in distinct[by_rows]], "merge-words", name
        )


def _dates_as_text(table: Table) -> Iterator[Finding]:
    """Columns of a frame whose words are all dates: a file's are read as dates, a frame's have to be made so."""
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
    """Values that seem to mean "unknown"."""
    if column.kind is ColumnKind.CATEGORICAL:
        held = {column.categories[int(code)]: int(count) for code, count in zip(distinct, rows, strict=True)}
        for word in filler_words(list(held)):
            text = (
                f"{column.name} holds the word {word!r} in {_count(held[word], 'row')}: does it mean missing?"
            )
            yield Finding(column.name, text, "missing", word)
    else:
        yield from _filler_numbers(column.name, distinct, rows)


def _filler_numbers(name: str, distinct: NDArray[np.float64], rows: NDArray[np.int64]) -> Iterator[Finding]:
    for word, count, why in filler_numbers(distinct, rows):
        text = f"{name} holds {word} in {_count(count, 'row')}, {why}: does it mean missing?"
        yield Finding(name, text, "missing", word, is_number=True)


def _variants(name: str, words: Sequence[str], action: str, value: str = "") -> Iterator[Finding]:
    """Words that differ only in capitals, blanks or accents, the most frequent first."""
    groups = groups_alike(words)
    if groups:
        shown = "; ".join(" = ".join(map(repr, group)) for group in groups[:SHOWN])
        own = "class" if action == "merge-labels" else "category"
        text = f"{name} writes the same word in several ways ({shown}). Each is a {own} of its own."
        yield Finding(name, text, action, value, one_spelling(words))


def _of_labels(target: str, labels: NDArray[Any], counts: Sequence[tuple[str, int]]) -> Iterator[Finding]:
    if is_quantity(labels):
        text = (
            f"The target {target} has {len(counts):,} different numbers: it seems to be a quantity. To predict the "
            "number, use OptimalTreeRegressor; to predict a class, make it two or a few classes in the file, such as "
            "above and below a limit."
        )
        yield Finding(target, text)
    elif labels.dtype.kind not in "biuf":
        yield from _variants(target, [label for label, _ in counts], "merge-labels")
    for label in _unknown_labels(labels, counts):
        where = _count(dict(counts)[label], "row")
        text = f"The target {target} has the label {label} in {where}: if it means unknown, leave these rows out."
        yield Finding(target, text)
    rare = [label for label, rows in counts if rows < 5]
    if rare and len(counts) <= MANY_LABELS:
        text = (
            f"The target {target} has {_some(rare)} in fewer than 5 rows: too few for training and testing."
        )
        yield Finding(target, text)


def _unknown_labels(labels: NDArray[Any], counts: Sequence[tuple[str, int]]) -> list[str]:
    if len(counts) < 3:  # one of two labels is a class, whatever it is called
        return []
    if labels.dtype.kind in "if":
        return [
            word for word, _, _ in filler_numbers(*np.unique(labels.astype(np.float64), return_counts=True))
        ]
    return filler_words([label for label, _ in counts])


def _of_rows(table: Table, labels: NDArray[Any] | None) -> Iterator[Finding]:
    if table.n_rows == 0 or not table.columns:
        return
    codes = table.X
    if labels is not None:
        codes = np.column_stack([codes, np.unique(labels, return_inverse=True)[1].astype(np.float64)])
    rows = np.ascontiguousarray(np.nan_to_num(codes, nan=np.inf)).view(f"V{8 * codes.shape[1]}").ravel()
    repeated = table.n_rows - len(np.unique(rows))
    if repeated and (20 * repeated < table.n_rows or _is_fine(table)):
        verb = "repeats" if repeated == 1 else "repeat"
        text = f"{_count(repeated, 'row')} {verb} an earlier one in every column. Is that intended?"
        yield Finding(None, text)


def _is_fine(table: Table) -> bool:
    """Whether some column has so many values that hardly any two rows are equal by chance."""
    return any(4 * len(np.unique(x)) > table.n_rows for x in table.X.T)


def _of_frame(frame: Any, target: str | None) -> tuple[Table, NDArray[Any] | None, list[InputError]]:
    """Read a frame column by column, so that one fault hides no other."""
    import narwhals as nw

    try:
        own = nw.from_native(frame, eager_only=True)
    except TypeError:
        raise InputError(
            f"data is a {type(frame).__name__}; give a path to a CSV file, or a frame."
        ) from None
    if target is not None and target not in own.columns:
        raise InputError(
            f"There is no column {target!r}; the columns are {', '.join(map(repr, own.columns[:20]))}."
        )
    labels = None if target is None else np.asarray(own[target].to_list())
    names = [name for name in own.columns if name != target]
    tables, faults = [], []
    for name in names:
        try:
            tables.append(table_from(own.select(name).to_native()))
        except InputError as error:
            faults.append(error)
    if not tables:
        raise InputError("No column could be read: " + " ".join(map(str, faults)))
    columns = tuple(table.columns[0] for table in tables)
    notes = tuple(text for table in tables for text in table.notes)
    return (
        Table(columns, np.asfortranarray(np.column_stack([table.X for table in tables])), notes),
        labels,
        faults,
    )


def _word(column: Column, value: float) -> str:
    if column.kind is ColumnKind.CATEGORICAL:
        return column.categories[int(value)][:40]
    return text_of_number(float(value))


def _some(names: Sequence[str], limit: int = 6) -> str:
    shown = ", ".join(name if len(name) <= 60 else f"{name[:57]}..." for name in names[:limit])
    return shown + (", ..." if len(names) > limit else "")


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _shell(word: str) -> str:
    import shlex

    return shlex.quote(word)
