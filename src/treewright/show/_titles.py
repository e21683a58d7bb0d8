"""Trees in the words of people: columns, codes, units and labels as `columns.yaml` has them, not the file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, overload

import numpy as np

from treewright._arguments import check_arguments
from treewright.result import SolveResult
from treewright.table import ColumnNote, Settings, read_settings
from treewright.tree import Column, ColumnKind, Tree

__all__ = ["ColumnWords", "column_words", "in_words_of_people", "label_words", "settings_from", "with_titles"]


@dataclass(frozen=True, slots=True)
class ColumnWords:
    """What is said about one column.

    Parameters
    ----------
    name : str
        What people read.
    own : str
        Name in the file; "" if it is the same.
    description, unit, change : str
    codes : dict of float to str
        Of a column of numbers.
    categories : tuple of str
        Of a column of categories, and of two values if these have names.
    """

    name: str
    own: str
    description: str
    unit: str
    change: str
    codes: dict[float, str]
    categories: tuple[str, ...] = ()


@overload
def with_titles(tree: Tree, settings: Settings | str | Path | None) -> Tree: ...


@overload
def with_titles(tree: SolveResult, settings: Settings | str | Path | None) -> SolveResult: ...


def with_titles(tree: Tree | SolveResult, settings: Settings | str | Path | None) -> Tree | SolveResult:
    """Return a tree with the names of columns, codes and labels from `columns.yaml`; its decisions do not change.

    Numbers of a column with a unit are written as number, space, unit: ``duration <= 12 months``.

    Parameters
    ----------
    tree : Tree or SolveResult
        A result keeps what is shown beside its tree, such as the costs of actions.
    settings : Settings, path of a columns.yaml, or None
        None returns the tree unchanged.

    Returns
    -------
    Tree or SolveResult
        As `tree`. For pictures and text only: new rows have the names of the file.

    Raises
    ------
    InputError
        The settings cannot be read.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.show import to_text
    >>> from treewright.table import ColumnNote
    >>> from treewright.tree import ThresholdSplit, grow
    >>> tree = grow(
    ...     [Column("s1", ColumnKind.BINARY)],
    ...     np.array([0, 1]),
    ...     [ThresholdSplit(0, 0.5), None, None],
    ...     np.array([[0.0], [1.0], [1.0]]),
    ...     np.array([0, 1, 1], dtype=np.int32),
    ...     np.ones(3),
    ...     1.0 - np.eye(2),
    ... )
    >>> names = ColumnNote("smoker", codes={"0": "no", "1": "yes"})
    >>> print(to_text(with_titles(tree, Settings(notes={"s1": names}, label_names={"1": "readmitted"}))))
    ├─ smoker = no   → 0           100% of 1 row
    └─ smoker = yes  → readmitted  100% of 2 rows
    """
    check_arguments(with_titles, locals(), "settings")
    known = settings_from(settings)
    if not (known.notes or known.label_names):
        return tree
    if isinstance(tree, SolveResult):
        return replace(tree, tree=with_titles(tree.tree, known))
    labels = None if tree.classes is None else label_words(tree, known)
    return in_words_of_people(tree, column_words(tree, known), labels)


def settings_from(settings: Settings | str | Path | None) -> Settings:
    """Return settings, read from their file if need be; none are empty ones."""
    return settings if isinstance(settings, Settings) else read_settings(settings) if settings else Settings()


def column_words(tree: Tree, settings: Settings) -> list[ColumnWords]:
    """Return the words of all columns of a tree, in order; names stay different from each other."""
    found = []
    for column in tree.columns:
        note = settings.notes.get(column.name, ColumnNote())
        name = note.name or column.name
        names = _categories(column, note)
        codes = {} if names else {float(code): words for code, words in note.codes.items()}
        own = column.name if note.name not in ("", column.name) else ""
        found.append(ColumnWords(name, own, note.description, note.unit, note.change, codes, names))
    names_said = [words.name for words in found]
    return [
        replace(words, name=f"{words.name} [{words.own}]")
        if words.own and names_said.count(words.name) > 1
        else words
        for words in found
    ]


def _categories(column: Column, note: ColumnNote) -> tuple[str, ...]:
    """Return what the values of a column of categories, or of two values, are called; names stay different."""
    if column.kind is ColumnKind.CONTINUOUS or not note.codes:
        return column.categories
    own = column.categories or ("0", "1")
    names = [_named(value, note) for value in own]
    return tuple(
        f"{name} [{value}]" if names.count(name) > 1 and name != value else name
        for name, value in zip(names, own, strict=True)
    )


def _named(value: str, note: ColumnNote) -> str:
    """A code as it is written in the settings, or as the same number: "007" is no 7."""
    if value in note.codes:
        return note.codes[value]
    if value != value.strip() or (
        value.lstrip("-").startswith("0") and value.lstrip("-").isdigit() and len(value) > 1
    ):
        return value
    same = [
        word
        for code, word in note.codes.items()
        if value.lstrip("-").isdigit() and float(code) == float(value)
    ]
    return same[0] if same else value


def label_words(tree: Tree, settings: Settings) -> list[str]:
    """Return what people read in the place of each label."""
    assert tree.classes is not None  # checked by the callers
    return [settings.label_names.get(str(label), str(label)) for label in tree.classes.tolist()]


def in_words_of_people(tree: Tree, words: Sequence[ColumnWords], labels: Sequence[str] | None) -> Tree:
    """Return the tree with other names and with units; splits, counts and decisions are the same."""
    columns = tuple(
        replace(column, name=said.name, categories=said.categories, unit=said.unit)
        for column, said in zip(tree.columns, words, strict=True)
    )
    classes: Any = tree.classes if labels is None else np.array(labels, dtype=object)
    return replace(tree, columns=columns, classes=classes)
