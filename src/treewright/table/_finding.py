"""A finding: something about a table that a person should know or decide before a fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["Finding"]


@dataclass(frozen=True)
class Finding:
    """Something about a table that a person should know or decide before a fit.

    Parameters
    ----------
    column : str or None
        Name of the column; None is the table as a whole.
    text : str
        The observation, as a sentence.
    action : {"ignore", "categorical", "missing", "merge-words", "merge-labels", "encoding", "dates", "order", ""}
        Option that settles it. For "dates" in a frame this is a call in Python, and "order" is set in `columns.yaml`.
        "" if the file must be corrected, or if nothing must be done.
    value : str
        Value of the option: the column, or the field that means missing in it; "" if the option takes no value. If
        there is no option, the column whose use in `columns.yaml` settles it.
    words : mapping of str to str
        For merging, from each other spelling to the word that replaces it.
    order : tuple of str
        Words of the column, from the lowest to the highest.
    is_number : bool
        Whether the value that means missing is a number and not a word.
    is_fault : bool
        Whether the file as a whole cannot be read until this is settled; if there is no action, by correcting the file.

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
    order: tuple[str, ...] = ()
    is_number: bool = False
    is_fault: bool = False

    @property
    def option(self) -> str:
        """The command-line option that settles it, such as ``--ignore id``."""
        if self.action in ("dates", "order"):
            return ""
        value = f"{self.column}={self.value}" if self.action == "missing" else self.value
        return f"--{self.action} {_shell(value) if value else ''}".rstrip() if self.action else ""

    @property
    def in_file(self) -> str:
        """How to settle it for a file: a command-line option, or an entry in ``columns.yaml``."""
        if self.action != "order":
            return self.option
        return f"--fix, or in columns.yaml, columns: {self.column}: {{order: [{', '.join(self.order)}]}}"

    @property
    def in_python(self) -> str:
        """How to settle it for a pandas frame X with labels y, such as ``X = X.drop(columns=['id'])``."""
        own = f"X[{self.column!r}]"
        value = self.value if self.is_number else repr(self.value)
        return {
            "": "",
            "dates": f"{own} = pandas.to_datetime({own}{self.value}), then X = treewright.table.expand_dates(X)",
            "order": f"{own} = pandas.Categorical({own}, {list(self.order)!r}, ordered=True)",
            "encoding": f"encoding={self.value!r}",
            "ignore": f"X = X.drop(columns=[{self.value!r}])",
            "categorical": f"categorical_features=[{self.value!r}]",
            "missing": f"{own} = {own}.mask({own} == {value})",
            "merge-words": f"{own} = {own}.replace({dict(self.words)!r})",
            "merge-labels": f"y = y.replace({dict(self.words)!r})",
        }[self.action]


def _shell(word: str) -> str:
    import shlex

    return shlex.quote(word)
