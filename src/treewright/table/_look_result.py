"""What `look` found in a table, and how it reads."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from treewright._plural import count_of, some_of
from treewright.table._alike import one_spelling
from treewright.table._finding import Finding

__all__ = ["NONE_LEFT", "Look"]

SENTENCES = re.compile(r"(?<=[.?]) (?=[A-Z])")
NONE_LEFT = (
    "Without these columns none is left to split on: keep one of them, or add other columns to the file."
)
MANY_ALIKE = 3  # up to this many columns with the same number that may mean missing are reported one by one
RARE = 0.1  # of the rows; with fewer of one of two labels, a tree of a single leaf makes few mistakes
FEWEST_ROWS = 20  # below, shares say little
SHORT = 40  # sentences up to this length may be repeated


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
