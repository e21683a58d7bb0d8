"""One thing about a table that a person should know or settle before a fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["Finding"]


@dataclass(frozen=True)
class Finding:
    """One thing that a person should know or decide.

    Parameters
    ----------
    column : str or None
        None is the table as a whole.
    text : str
        What was seen, as a sentence.
    action : {"ignore", "categorical", "missing", "merge-words", "merge-labels", "encoding", "dates", "order", ""}
        The option that settles it. "dates" has none, because a frame needs a call; "order" is set in `columns.yaml`. ""
        if it has to be settled in the file, or if nothing has to be done.
    value : str
        What the option takes: the column, or the field that means missing in it; "" if it takes nothing. Without an
        option, the column whose use in `columns.yaml` answers the question.
    words : mapping of str to str
        Merging: the word that each other spelling becomes.
    order : tuple of str
        The words of the column, from the least to the most.
    is_number : bool
        Whether the value that means missing is a number, not a word.
    is_fault : bool
        Whether the file as a whole cannot be read before it is settled; without an action, in the file itself.

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
        """The option of the command line, such as ``--ignore id``."""
        if self.action in ("dates", "order"):
            return ""
        value = f"{self.column}={self.value}" if self.action == "missing" else self.value
        return f"--{self.action} {_shell(value) if value else ''}".rstrip() if self.action else ""

    @property
    def in_file(self) -> str:
        """What settles it for a file: an option of the command line, or an entry of ``columns.yaml``."""
        if self.action != "order":
            return self.option
        return f"--fix, or in columns.yaml, columns: {self.column}: {{order: [{', '.join(self.order)}]}}"

    @property
    def in_python(self) -> str:
        """What settles it for a frame X of pandas and its labels y, such as ``X = X.drop(columns=['id'])``."""
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
