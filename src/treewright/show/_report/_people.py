"""The tree in the words of people: names of columns and labels from the settings in the place of those of the file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from treewright.table import ColumnNote, Settings
from treewright.tree import Tree

__all__ = ["ColumnWords", "column_words", "in_words_of_people", "label_words"]


@dataclass(frozen=True, slots=True)
class ColumnWords:
    """What the page says about one column.

    Parameters
    ----------
    name : str
        What people read.
    own : str
        Name in the file; "" if it is the same.
    description, unit, change : str
    codes : dict of float to str
    """

    name: str
    own: str
    description: str
    unit: str
    change: str
    codes: dict[float, str]


def column_words(tree: Tree, settings: Settings) -> list[ColumnWords]:
    """Return the words of all columns of a tree, in order; names stay different from each other."""
    found = []
    for column in tree.columns:
        note = settings.notes.get(column.name, ColumnNote())
        name = note.name or column.name
        codes = {float(code): words for code, words in note.codes.items()}
        own = column.name if note.name else ""
        found.append(ColumnWords(name, own, note.description, note.unit, note.change, codes))
    names = [words.name for words in found]
    return [
        replace(words, name=f"{words.name} [{words.own}]")
        if words.own and names.count(words.name) > 1
        else words
        for words in found
    ]


def label_words(tree: Tree, settings: Settings) -> list[str]:
    """Return what people read in the place of each label."""
    assert tree.classes is not None  # the report is of classification trees
    return [settings.label_names.get(str(label), str(label)) for label in tree.classes.tolist()]


def in_words_of_people(tree: Tree, words: Sequence[ColumnWords], labels: Sequence[str]) -> Tree:
    """Return the tree with other names; splits, counts and decisions are the same."""
    columns = tuple(replace(column, name=said.name) for column, said in zip(tree.columns, words, strict=True))
    classes: Any = np.array(labels, dtype=object)
    return replace(tree, columns=columns, classes=classes)
