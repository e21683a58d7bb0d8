"""Examine a table before a fit: kinds of columns, suspicious values, and the option that settles each finding.

Nothing is changed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright._plural import count_of, kind_of, some_of
from treewright.errors import InputError
from treewright.table._alike import one_spelling
from treewright.table._csv import load_leniently
from treewright.table._csv_columns import parts_by_name
from treewright.table._finding import Finding
from treewright.table._formats import Reading
from treewright.table._from_data import table_from
from treewright.table._leaks import of_leaks
from treewright.table._numbers_as_text import numbers_as_text
from treewright.table._suspicions import (
    dates_as_text,
    of_column,
    of_fault,
    of_labels,
    of_rows,
)
from treewright.table._table import Table
from treewright.tree import ColumnKind

__all__ = ["NONE_LEFT", "Look", "joined_words", "look", "look_at"]

SENTENCES = re.compile(r"(?<=[.?]) (?=[A-Z])")
NONE_LEFT = (
    "Without these columns none is left to split on: keep one of them, or add other columns to the file."
)
MANY_ALIKE = 3  # up to this many columns with the same number that may mean missing are reported one by one
MOST_LOOKS = 4  # times that a file is looked at, once more whenever words are merged or taken as missing
RARE = 0.1  # of the rows; with fewer of one of two labels, a tree of a single leaf makes few mistakes
FEWEST_ROWS = 20  # below, shares say little
SHORT = 40  # sentences up to this length may be repeated
KINDS = {ColumnKind.CONTINUOUS: "numbers", ColumnKind.BINARY: "yes/no", ColumnKind.CATEGORICAL: "words"}


@dataclass(frozen=True, repr=False)
class Look:
    """Result of `look`.

    Parameters
    ----------
    name : str
        Name of the table or file.
    n_rows : int
    kinds : dict of str to tuple of str
        Names of columns for each kind: "numbers", "yes/no", "words", "ordered words".
    labels : tuple of (str, int)
        Labels and their numbers of rows, most frequent first; empty if no target was given.
    target : str or None
        Name of the column of labels.
    notes : tuple of str
        Notes on how numbers and dates were read.
    findings : tuple of Finding
        What a person should know or decide.
    of_file : bool
        Whether findings are printed with command-line options (True) or with Python code (False).
    dates : mapping of str to str
        From a column that holds a part of a date to the file's column of this date.

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
    dates: Mapping[str, str] = field(default_factory=dict)

    def options(self) -> str:
        """Return the command-line options that accept every proposal."""
        return " ".join(dict.fromkeys(finding.option for finding in self.findings if finding.option))

    def open_columns(self) -> list[str]:
        """Return the columns that cannot be read until a person answers a question about them."""
        read = {name for names in self.kinds.values() for name in names} | {self.target}
        asked = (finding.column for finding in self.findings if not finding.action)
        return [name for name in dict.fromkeys(asked) if name is not None and name not in read]

    def summary(self) -> list[str]:
        """Return two lines: columns by kind, and labels with their numbers of rows."""
        kinds = {
            kind: [name for name in names if name not in self.dates] for kind, names in self.kinds.items()
        }
        read = {self.dates[name] for names in self.kinds.values() for name in names if name in self.dates}
        kinds["dates"] = [name for name in dict.fromkeys(self.dates.values()) if name in read]
        columns = "; ".join(
            f"{kind}: {len(names):,} ({some_of(names)})" for kind, names in kinds.items() if names
        )
        lines = [f"{self.name}: {count_of(self.n_rows, 'row')}; {columns or 'no column can be read yet'}."]
        if self.labels:
            shown = ", ".join(f"{label} {rows:,}" for label, rows in self.labels[:8])
            more = f", ... ({len(self.labels)} labels)" if len(self.labels) > 8 else ""
            lines.append(f"Labels in {self.target}: {shown}{more}.")
        return lines

    def _of_a_rare_label(self) -> list[str]:
        """What to expect if nearly all rows have one of two labels: no split may be worth its leaf."""
        merged = one_spelling([label for label, _ in self.labels])
        rows = Counter[str]()
        for label, own in self.labels:
            rows[merged.get(label, label)] += own
        if len(rows) != 2 or rows.total() < FEWEST_ROWS:
            return []
        (often, _), (seldom, few) = rows.most_common()
        if few > RARE * rows.total():
            return []
        return [
            f"Only {few:,} of {rows.total():,} rows are {seldom}. A tree that always says {often} makes no more "
            f"mistakes than these, so the tree with the fewest mistakes may never say {seldom}. If {seldom} matters "
            'more than its number of rows, use balanced weights (class_weight="balanced"), or a tree of '
            "probabilities (OptimalProbabilityTree)."
        ]

    def __repr__(self) -> str:  # a notebook displays this for `look(df)`
        return str(self)

    def __str__(self) -> str:
        lines = [*self.summary(), *self._of_a_rare_label()]
        lines += [f"Read: {text}" for text in self.notes]
        if not self.findings:
            return "\n".join([*lines, "Nothing to decide."])
        lines += ["", "To decide before a fit:"]
        told = _without_likewise(self.findings)
        texts = _told_once(text for _, text, _ in told)
        for number, ((finding, _, n_likewise), text) in enumerate(zip(told, texts, strict=True), 1):
            settled_by = finding.in_file if self.of_file else finding.in_python
            if n_likewise and self.of_file:
                settled_by = f"--fix, or --missing {finding.value} for all columns"
            lines.append(f"{number:>3}. {text}" + (f"\n     {settled_by}" if settled_by else ""))
        return "\n".join(lines)


def _without_likewise(findings: Sequence[Finding]) -> list[tuple[Finding, str, int]]:
    """Return the findings to print; a value that may mean missing in many columns is one, with the others' names."""
    columns: dict[str, list[str]] = {}
    for finding in findings:
        if finding.action == "missing" and finding.is_number:
            columns.setdefault(finding.value, []).append(str(finding.column))
    told = []
    for finding in findings:
        names = columns.get(finding.value, []) if finding.action == "missing" and finding.is_number else []
        if len(names) <= MANY_ALIKE:
            told.append((finding, finding.text, 0))
        elif names[0] == finding.column:
            text = f"{finding.text} Likewise {finding.value} in {len(names) - 1} more columns ({some_of(names[1:])})."
            told.append((finding, text, len(names) - 1))
    return told


def _told_once(texts: Iterable[str]) -> list[str]:
    """Return the texts without long sentences that an earlier text contains; each text keeps its first sentence."""
    told: set[str] = set()
    short = []
    for text in texts:
        first, *rest = SENTENCES.split(text)
        short.append(" ".join([first, *(part for part in rest if part not in told)]))
        told.update(part for part in rest if len(part) > SHORT)
    return short


def look(data: Any, target: str | ArrayLike | None = None, **options: Any) -> Look:
    """Examine a table before a fit: columns by kind, labels, and what a person should know or decide.

    Parameters
    ----------
    data : str, Path or frame
        A CSV, Parquet or Arrow file, or a pandas, polars or pyarrow frame.
    target : str or array-like of shape (n_rows,), default=None
        Name of the column of labels; for a frame it may also be the labels themselves.
    **options
        Options of `load_csv`; for a file only.

    Returns
    -------
    Look
        ``print(look(...))`` shows it as text; ``look(...).findings`` has one entry for each finding.

    Raises
    ------
    InputError
        If the file cannot be read at all, or does not have the column of labels. Faults of single columns are not
        raised; they are findings.

    Examples
    --------
    >>> import pandas as pd
    >>> ages, labels = [30, 50, 40, 60, 20], ["Bad", "good", "BAD", "good"]
    >>> frame = pd.DataFrame({"id": range(40), "age": ages * 8, "y": labels * 10})
    >>> seen = look(frame, target="y")
    >>> [finding.column for finding in seen.findings]
    ['y', 'id']
    >>> seen.options()
    '--merge-labels --ignore id'
    """
    if isinstance(data, (str, Path)):
        if target is not None and not isinstance(target, str):
            raise InputError("target holds labels; for a file give the name of its column of labels.")
        return _look_at_file(Path(data), target, options)
    if options:
        raise InputError(
            f"{', '.join(options)}: only for reading a file; leave such options out for a frame."
        )
    name = target if target is None or isinstance(target, str) else str(getattr(target, "name", None) or "y")
    table, labels, errors = _of_frame(data, target if isinstance(target, str) else None)
    if target is not None and not isinstance(target, str):
        labels = np.asarray(target)
        if labels.shape != (table.n_rows,):
            raise InputError(
                f"target has shape {labels.shape}; give one label for each of the {table.n_rows:,} rows."
            )
    seen = look_at(table, labels, name="The frame", target=name, faults=errors)
    own = [*dates_as_text(table), *numbers_as_text(table)]
    of_frame = {finding.column: finding for finding in own}
    others = [finding for finding in seen.findings if finding.column not in of_frame]
    return replace(seen, of_file=False, findings=(*of_frame.values(), *others))


def joined_words(
    before: Mapping[str, Mapping[str, str]], now: Mapping[str, Mapping[str, str]]
) -> dict[str, dict[str, str]]:
    """Return by column which word each spelling becomes where words that became one become others.

    Parameters
    ----------
    before, now : mapping of str to mapping of str to str

    Returns
    -------
    dict of str to dict of str to str

    Examples
    --------
    >>> from treewright.table import joined_words
    >>> joined_words({"owner": {"YES": "yes"}}, {"owner": {"yes": "Yes"}})
    {'owner': {'yes': 'Yes', 'YES': 'Yes'}}
    """
    words = {name: dict(names) for name, names in now.items()}
    for name, names in before.items():
        own = words.get(name, {})
        words[name] = {**own, **{other: own.get(word, word) for other, word in names.items()}}
    return words


def _look_at_file(path: Path, target: str | None, options: Mapping[str, Any], more: int = MOST_LOOKS) -> Look:
    """Look at a file, and again as it is once the words that are one, or mean missing, are taken for that."""
    csv, faults, codes, spellings = load_leniently(path, target=target, **options)
    seen = look_at(
        csv.table,
        csv.target,
        name=path.name,
        target=target,
        codes=codes,
        faults=faults,
        reading=csv.reading,
    )
    found = [own for one in seen.findings for own in _as_written(one, spellings)]
    seen = replace(seen, findings=tuple(_of_whole_dates(found, seen.dates)))
    settled = [place for place, one in enumerate(seen.findings) if _settles_words(one)]
    if not settled or more == 0:
        return seen
    merges = {one.value: one.words for one in seen.findings if one.action == "merge-words"}
    missing = {name: tuple(fields) for name, fields in (options.get("missing_in") or {}).items()}
    for place in settled:
        one = seen.findings[place]
        if one.action == "missing" and one.column is not None:
            missing[one.column] = (*missing.get(one.column, ()), one.value)
    words = joined_words(options.get("words") or {}, merges)
    after = _look_at_file(path, target, {**options, "words": words, "missing_in": missing}, more - 1)
    left_out = {("merge-words", one.value) for one in after.findings if one.action == "ignore"}
    findings = list(after.findings)
    for place in settled:
        if (seen.findings[place].action, seen.findings[place].value) not in left_out:
            findings.insert(place, seen.findings[place])
    return replace(after, findings=tuple(findings))


def _settles_words(finding: Finding) -> bool:
    """Whether words of a column become one, or missing: what the column then holds is looked at again."""
    return finding.action == "merge-words" or (
        finding.action == "missing" and finding.column is not None and not finding.is_number
    )


def look_at(
    table: Table,
    labels: NDArray[Any] | None,
    *,
    name: str,
    target: str | None = None,
    codes: Sequence[str] = (),
    faults: Sequence[InputError] = (),
    reading: Reading | None = None,
) -> Look:
    """Examine a table that has already been read.

    Parameters
    ----------
    table : Table
    labels : ndarray of shape (n_rows,), or None
        Rows without a label may be left out of it.
    name : str
        Name of the table or file.
    target : str, default=None
        Name of the column of labels.
    codes : sequence of str, default=()
        Numeric columns in which some numbers have leading zeros.
    faults : sequence of InputError, default=()
        Errors of the columns that could not be read.
    reading : Reading, default=None
        How the file was read; it tells which columns are parts of the same date.

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
    kinds: dict[str, list[str]] = {"numbers": [], "yes/no": [], "words": [], "ordered words": []}
    findings = [finding for fault in faults for finding in of_fault(fault)]
    for column, values in zip(table.columns, table.X.T, strict=True):
        kinds["ordered words" if column.ordered else KINDS[column.kind]].append(column.name)
        findings += of_column(column, values, column.name in codes)
    counts: list[tuple[str, int]] = []
    if labels is not None and target is not None:
        if len(labels) == table.n_rows:
            leaks = list(of_leaks(table, labels, target))
            settled = {finding.column for finding in leaks if finding.action}
            findings = [*leaks, *(one for one in findings if one.column not in settled)]
        counts = [(str(label), rows) for label, rows in Counter(labels.tolist()).most_common()]
        findings = [*of_labels(target, labels, counts), *findings]  # first: faults of labels matter most
    findings.sort(key=lambda finding: (not finding.is_fault, bool(finding.action) and finding.is_fault))
    findings += of_rows(table, labels if labels is None or len(labels) == table.n_rows else None)
    ignored = {finding.column for finding in findings if finding.action == "ignore"}
    if table.names and not faults and ignored.issuperset(table.names):
        findings.append(Finding(None, NONE_LEFT))
    return Look(
        name,
        table.n_rows,
        {kind: tuple(names) for kind, names in kinds.items()},
        tuple(counts),
        target,
        table.notes,
        tuple(findings),
        dates={part: date for part, (date, _) in parts_by_name(reading).items()},
    )


def _of_whole_dates(findings: Sequence[Finding], of_dates: Mapping[str, str]) -> list[Finding]:
    """Return findings in which the parts of a date to ignore are one column of the file, with the first part's text."""
    found: list[Finding] = []
    for finding in findings:
        name = of_dates.get(finding.column or "")
        if name is None or finding.action != "ignore":
            found.append(finding)
        elif not any(other.action == "ignore" and other.value == name for other in found):
            text = finding.text.replace(str(finding.column), name, 1)
            found.append(replace(finding, column=name, text=text, value=name))
    return found


def _as_written(finding: Finding, spellings: Callable[[str, float], list[str]]) -> list[Finding]:
    """Return findings for a number that may mean missing as the file writes it, because fields are compared as text."""
    if finding.column is None or finding.action != "missing":
        return [finding]
    try:
        number = float(finding.value)
    except ValueError:  # a word is already as the file writes it
        return [finding]
    return [replace(finding, value=word) for word in spellings(finding.column, number)] or [finding]


def _of_frame(frame: Any, target: str | None) -> tuple[Table, NDArray[Any] | None, list[InputError]]:
    """Read a frame column by column, so that a fault in one column does not hide others."""
    import narwhals as nw

    try:
        own = nw.from_native(frame, eager_only=True)
    except TypeError:
        raise InputError(
            f"data is {kind_of(frame)}; give a path to a CSV, Parquet or Arrow file, or a frame."
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
        return Table((), np.empty((len(own), 0))), labels, faults
    columns = tuple(table.columns[0] for table in tables)
    notes = tuple(text for table in tables for text in table.notes)
    return (
        Table(columns, np.asfortranarray(np.column_stack([table.X for table in tables])), notes),
        labels,
        faults,
    )
