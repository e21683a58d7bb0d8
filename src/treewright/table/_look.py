"""Examine a table before a fit: kinds of columns, suspicious values, and the option that settles each finding.

Nothing is changed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright._arguments import refuse_lossy
from treewright._plural import kind_of
from treewright.errors import InputError
from treewright.table._csv import load_leniently
from treewright.table._csv_columns import parts_by_name
from treewright.table._finding import Finding
from treewright.table._formats import Reading
from treewright.table._from_data import table_from
from treewright.table._leaks import of_leaks
from treewright.table._look_result import NONE_LEFT, Look
from treewright.table._numbers_as_text import numbers_as_text
from treewright.table._suspicions import (
    dates_as_text,
    of_column,
    of_dates,
    of_fault,
    of_labels,
    of_rows,
)
from treewright.table._table import Table
from treewright.tree import ColumnKind

__all__ = ["joined_words", "look", "look_at"]

MOST_LOOKS = 4  # times that a file is looked at, once more whenever words are merged or taken as missing
KINDS = {ColumnKind.CONTINUOUS: "numbers", ColumnKind.BINARY: "yes/no", ColumnKind.CATEGORICAL: "words"}


def look(data: Any, target: str | ArrayLike | None = None, **options: Any) -> Look:
    """Examine a table before a fit: columns by kind, labels, and what a person should know or decide.

    Parameters
    ----------
    data : str, Path or frame
        A CSV, Parquet or Arrow file, or a pandas, polars or pyarrow frame.
    target : str or array-like of shape (n_rows,), default=None
        Name of the column of labels; for a frame it may also be the labels themselves.
    **options
        Options of `load_csv`; for a file only. With `outcome`, the name of a column of numbers or times to predict,
        columns that are recorded together with it are found, and nothing is said of labels.

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
        refuse_lossy("target", target)
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
    outcome = options.get("outcome")
    how = {name: value for name, value in options.items() if name != "outcome"}
    csv, faults, codes, spellings = load_leniently(path, target=outcome if target is None else target, **how)
    seen = look_at(
        csv.table,
        None if target is None else csv.target,
        name=path.name,
        target=target,
        codes=codes,
        faults=faults,
        reading=csv.reading,
        filler_dates=csv.filler_dates,
        outcome=None if outcome is None or csv.target is None else (outcome, csv.target),
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
    filler_dates: Sequence[tuple[str, str, int]] = (),
    outcome: tuple[str, NDArray[Any]] | None = None,
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
    filler_dates : sequence of (str, str, int), default=()
        Columns of dates, with a field that seems to mean "unknown" and its number of rows.
    outcome : (str, ndarray of shape (n_rows,)), default=None
        Name and values of a target that has no labels, such as times; rows without a value may be left out of it.

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
    dates = {part: date for part, (date, _) in parts_by_name(reading).items()}
    for column, values in zip(table.columns, table.X.T, strict=True):
        kinds["ordered words" if column.ordered else KINDS[column.kind]].append(column.name)
        own = of_column(column, values, column.name in codes)
        findings += [one for one in own if column.name not in dates or one.action != "missing"]
    findings += of_dates(filler_dates)
    counts: list[tuple[str, int]] = []
    if labels is not None and target is not None:
        outcome = (target, labels)
    if outcome is not None and len(outcome[1]) == table.n_rows:
        leaks = list(of_leaks(table, outcome[1], outcome[0]))
        settled = {finding.column for finding in leaks if finding.action}
        findings = [*leaks, *(one for one in findings if one.column not in settled)]
    if labels is not None and target is not None:
        counts = [(str(label), rows) for label, rows in Counter(labels.tolist()).most_common()]
        if len(counts) != 1 or len(labels) == table.n_rows:  # an empty field may be the other label
            findings = [*of_labels(target, labels, counts), *findings]  # first: faults of labels matter most
    findings.sort(key=lambda finding: (not finding.is_fault, bool(finding.action) and finding.is_fault))
    told = outcome is not None and len(outcome[1]) == table.n_rows
    findings += of_rows(table, outcome[1] if outcome is not None and told else None)
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
        dates=dates,
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
