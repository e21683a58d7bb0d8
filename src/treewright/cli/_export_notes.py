"""What exported code expects of its fields, where `fit` read those of its file in another form.

`predict` reads "12,5 %" as 12.5, -9 as missing and "BAD" as "Bad", as the model file says. The same tree as SQL or C
gets the fields from somebody else, and would compare -9 with its threshold without a word.
"""

from __future__ import annotations

from treewright._plural import some_of
from treewright.table import DateFormat, NumberFormat, Reading
from treewright.tree import Tree

__all__ = ["fields_expected"]

MOST_WORDS = 6  # spellings of words that are named for one column


def fields_expected(tree: Tree, reading: Reading | None) -> list[str]:
    """Return, for each column that the tree asks about, what its fields have to be if they are not as in the file.

    Parameters
    ----------
    tree : Tree
    reading : Reading or None
        How the file was read; None if the tree was not made from one.

    Returns
    -------
    list of str

    Examples
    --------
    >>> from treewright import OptimalTreeClassifier
    >>> tree = OptimalTreeClassifier().fit([[20], [30], [40]], [0, 0, 1]).tree_
    >>> fields_expected(tree, Reading(columns={"x0": NumberFormat(decimal=",")}, missing_in={"x0": ("-9",)}))
    ["x0: numbers as code writes them (the file has a decimal comma), and missing in place of '-9'"]
    """
    if reading is None:
        return []
    everywhere = tuple(word for word in reading.missing_values if word not in Reading().missing_values)
    parts = {
        new: (old, part)
        for old, dates in reading.columns.items()
        if isinstance(dates, DateFormat)
        for part, new in dates.names(old).items()
    }
    said = []
    for name in (tree.columns[column].name for column in sorted(tree.asked)):
        written = reading.columns.get(name)
        own = []
        if isinstance(written, NumberFormat) and not written.is_plain:
            own.append(f"numbers as code writes them (the file has {written.in_words()})")
        if name in parts:
            own.append(f"a number, the {parts[name][1]} of {parts[name][0]}")
        if missing := dict.fromkeys((*reading.missing_in.get(name, ()), *everywhere)):
            own.append(f"missing in place of {some_of([*map(repr, missing)], MOST_WORDS)}")
        own += [
            f"{word!r} in place of {some_of([*map(repr, others)], MOST_WORDS)}"
            for word, others in _merged(reading, name).items()
        ]
        if own:
            said.append(f"{name}: {', and '.join(own)}")
    return said


def _merged(reading: Reading, name: str) -> dict[str, list[str]]:
    """The other spellings of each word of a column."""
    others: dict[str, list[str]] = {}
    for spelling, word in reading.words.get(name, {}).items():
        others.setdefault(word, []).append(spelling)
    return others
