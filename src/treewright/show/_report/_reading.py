"""What the page says of the file that a tree was made from: units of its numbers, words and codes that were changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from treewright.table import ColumnNote, NumberFormat, Reading, Settings

__all__ = ["reading_facts", "with_units"]

MOST_WORDS = 12  # merged spellings that are named, of labels and of each column


def with_units(settings: Settings, reading: Reading | None) -> Settings:
    """Return the settings with the unit that a file writes behind its numbers, where nobody gave another one."""
    notes = dict(settings.notes)
    for name, kind in ({} if reading is None else reading.columns).items():
        note = notes.get(name, ColumnNote())
        if isinstance(kind, NumberFormat) and kind.unit and not note.unit:
            notes[name] = replace(note, unit=kind.unit)
    return replace(settings, notes=notes)


def reading_facts(reading: Reading | None) -> list[tuple[str, str]]:
    """Return, for an auditor, which labels and words were taken for one and which fields for missing."""
    if reading is None:
        return []
    said = []
    if reading.labels:
        said.append(("Labels taken for one", _merged(reading.labels)))
    words = [f"{column}: {_merged(merged)}" for column, merged in reading.words.items() if merged]
    if words:
        said.append(("Words taken for one", "; ".join(words)))
    missing = [f"{column}: {_quoted(fields)}" for column, fields in reading.missing_in.items() if fields]
    added = [field for field in reading.missing_values if field not in Reading().missing_values]
    if added:
        missing.append(f"every column: {_quoted(added)}")
    if missing:
        said.append(("Fields taken as missing", "; ".join(missing)))
    return said


def _merged(stands_for: Mapping[str, str]) -> str:
    """Return such as `'No', 'no' are 'NO'` for each word that stands for others."""
    groups: dict[str, list[str]] = {}
    for other, first in list(stands_for.items())[:MOST_WORDS]:
        groups.setdefault(first, []).append(other)
    more = len(stands_for) - MOST_WORDS
    said = [
        f"{_quoted(others)} {'is' if len(others) == 1 else 'are'} '{first}'"
        for first, others in groups.items()
    ]
    return ", ".join(said) + (f", and {more:,} more" if more > 0 else "")


def _quoted(words: Iterable[str]) -> str:
    return ", ".join(f"'{word}'" for word in words)
