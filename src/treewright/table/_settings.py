"""`columns.yaml`: settings of the columns of a file, kept next to it and edited by hand.

An example:

    about: {purpose: ..., owner: ..., contact: ...}   # shown in the report
    encoding: cp1252                  # absent: UTF-8
    separator: ";"                    # absent: detected
    decimal: comma                    # or point; absent: decided from the numbers
    dates: day-first                  # or month-first
    missing: ["-999"]                 # fields that mean missing in all columns, in addition to the usual ones
    columns:
      Kunden-Nr.: {use: ignore}       # or quantity (the default), category
      zip: {use: category}
      owner: {words: {YES: Yes}}      # a spelling, and the word that replaces it
      region: {words: {NA: NA}}       # here NA is a word, although it usually means missing
      risk: {order: [low, medium, high]}    # all words, from the lowest to the highest
      limit: {decimal: point}         # or comma: decimal mark of this column if its fields can be read either way
      age: {missing: ["-9"]}          # fields that mean missing in this column only
      NumInq6M:                       # how the report shows the column
        name: inquiries
        description: inquiries about a loan in the last six months
        unit: per half year
        change: only-down             # or any (the default), never, only-up: how a person can change the value
        codes: {"-9": no record}      # numbers that are codes, and their meaning
    labels:
      BAD: Bad                        # a spelling, and the label that replaces it
    label-names:
      Bad: not repaid                 # how the report shows a label

All values are read as text, so that `no` stays a word and `007` keeps its zeros.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from treewright.errors import InputError
from treewright.table._formats import Reading

if TYPE_CHECKING:
    from treewright.table._look_result import Look

__all__ = ["ColumnNote", "Settings", "settings_of", "settings_text"]

CHANGES = ("any", "never", "only-up", "only-down")


@dataclass(frozen=True)
class ColumnNote:
    """How a column is shown in reports.

    Parameters
    ----------
    name : str, default=""
        Name in the report; "" is the name in the file.
    description, unit : str, default=""
        Meaning of the column, and unit of its numbers.
    change : {"any", "never", "only-up", "only-down"}, default="any"
        How a person can change the value of the column.
    codes : mapping of str to str
        Numbers that are codes, with their meaning, such as "-9" for "no record".

    Raises
    ------
    InputError
        There is no such `change`.

    Examples
    --------
    >>> from treewright.table import ColumnNote
    >>> ColumnNote(name="Age", unit="years").unit
    'years'
    """

    name: str = ""
    description: str = ""
    unit: str = ""
    change: str = "any"
    codes: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.change not in CHANGES:
            raise InputError(f"change={self.change!r}; choose one of {', '.join(CHANGES)}.")


@dataclass(frozen=True)
class Settings:
    """Settings of the columns of a file, the content of a `columns.yaml`.

    Parameters
    ----------
    ignore, categorical, missing : tuple of str
        As in `load_csv`; `missing` is in addition to the usual words for missing values.
    decimal_comma, day_first : bool or None
        As in `load_csv`.
    encoding, separator : str or None
        As in `load_csv`.
    words : mapping of str to mapping of str to str
        Words to replace by another word, by column.
    labels : mapping of str to str
        Labels to replace by another label.
    notes : mapping of str to ColumnNote
        How columns are shown in reports, by column.
    label_names : mapping of str to str
        How labels are shown in reports, by label.
    missing_in : mapping of str to tuple of str
        Fields that mean missing in one column only, by column.
    about : mapping of str to str
        Texts about the table, with the keys "purpose", "owner", "contact", "date", "period", "source" and "limits".
    quantity : tuple of str
        Columns that a person has declared as quantities, even if they look like codes.
    order : mapping of str to tuple of str
        Words of a column from the lowest to the highest, by column.
    decimal_in : mapping of str to str
        Decimal mark of a column, by column.

    Examples
    --------
    >>> from treewright.table import Settings, settings_text
    >>> settings = Settings(ignore=("id",), categorical=("grade",))
    >>> "grade" in settings_text(settings)
    True
    """

    ignore: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    decimal_comma: bool | None = None
    day_first: bool | None = None
    encoding: str | None = None
    separator: str | None = None
    words: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    notes: Mapping[str, ColumnNote] = field(default_factory=dict)
    label_names: Mapping[str, str] = field(default_factory=dict)
    missing_in: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    about: Mapping[str, str] = field(default_factory=dict)
    quantity: tuple[str, ...] = ()
    order: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    decimal_in: Mapping[str, str] = field(default_factory=dict)

    def reading_options(self, reading: Reading | None = None) -> dict[str, Any]:
        """Return the options of `load_csv`, `load_groups` and `look` that say how a file is read.

        Columns to leave out, categories, orders of words and labels are not among them: where a tree is given, it has
        settled these.

        Parameters
        ----------
        reading : Reading, default=None
            How an earlier file was read; what meant "missing" there still does.

        Returns
        -------
        dict of str to object

        Examples
        --------
        >>> from treewright.table import Settings
        >>> options = Settings(missing=("-9",), decimal_comma=True).reading_options()
        >>> options["decimal_comma"], "-9" in options["missing_values"]
        (True, True)
        """
        known = (reading or Reading()).missing_values
        return {
            "separator": self.separator,
            "missing_values": (*known, *self.missing) if self.missing else None,
            "encoding": self.encoding,
            "decimal_comma": self.decimal_comma,
            "day_first": self.day_first,
            "missing_in": self.missing_in,
            "words": self.words,
            "decimal_in": self.decimal_in,
        }


def settings_of(
    seen: Look,
    *,
    ignore: Iterable[str] = (),
    categorical: Iterable[str] = (),
    missing: Iterable[str] = (),
    missing_in: Mapping[str, Sequence[str]] | None = None,
    decimal_comma: bool | None = None,
    day_first: bool | None = None,
    encoding: str | None = None,
    separator: str | None = None,
    decimal_in: Mapping[str, str] | None = None,
) -> Settings:
    """Return the settings that accept every proposal of a `Look`.

    Parameters
    ----------
    seen : Look
        Result of `look` or `look_at`.
    ignore, categorical, missing, missing_in, decimal_comma, day_first, encoding, separator, decimal_in
        Earlier settings, with which `seen` was made; they are kept.

    Returns
    -------
    Settings

    Examples
    --------
    >>> from treewright.table import look_at, settings_of, table_from
    >>> seen = look_at(table_from([[20, 1], [30, 0]]), None, name="rows")
    >>> settings_of(seen, ignore=["id"]).ignore
    ('id',)
    """

    def values(action: str, before: Iterable[str]) -> tuple[str, ...]:
        proposed = (finding.value for finding in seen.findings if finding.action == action)
        return tuple(dict.fromkeys((*before, *proposed)))

    codes = {name: tuple(before) for name, before in (missing_in or {}).items()}
    for finding in seen.findings:
        if finding.action == "missing" and finding.column is not None:
            before = codes.get(finding.column, ())
            codes[finding.column] = tuple(dict.fromkeys((*before, finding.value)))
    return Settings(
        values("ignore", ignore),
        values("categorical", categorical),
        tuple(dict.fromkeys(missing)),
        decimal_comma,
        day_first,
        encoding or next(iter(values("encoding", ())), None),
        separator,
        words={finding.value: finding.words for finding in seen.findings if finding.action == "merge-words"},
        labels={
            other: label
            for finding in seen.findings
            if finding.action == "merge-labels"
            for other, label in finding.words.items()
        },
        missing_in=codes,
        order={
            finding.column: finding.order
            for finding in seen.findings
            if finding.action == "order" and finding.column is not None
        },
        decimal_in=dict(decimal_in or {}),
    )


def settings_text(settings: Settings) -> str:
    """Return settings as the text of a `columns.yaml`.

    Parameters
    ----------
    settings : Settings

    Returns
    -------
    str

    Examples
    --------
    >>> from treewright.table import Settings, settings_text
    >>> "id" in settings_text(Settings(ignore=("id",)))
    True
    """
    import yaml

    content: dict[str, Any] = {}
    if settings.about:
        content["about"] = dict(settings.about)
    if settings.encoding is not None:
        content["encoding"] = settings.encoding
    if settings.separator is not None:
        content["separator"] = settings.separator
    if settings.decimal_comma is not None:
        content["decimal"] = "comma" if settings.decimal_comma else "point"
    if settings.day_first is not None:
        content["dates"] = "day-first" if settings.day_first else "month-first"
    if settings.missing:
        content["missing"] = list(settings.missing)
    content["columns"] = {name: {"use": "ignore"} for name in settings.ignore}
    content["columns"] |= {name: {"use": "category"} for name in settings.categorical}
    content["columns"] |= {name: {"use": "quantity"} for name in settings.quantity}
    for name, names in settings.words.items():
        content["columns"].setdefault(name, {})["words"] = dict(names)
    for name, order in settings.order.items():
        content["columns"].setdefault(name, {})["order"] = list(order)
    for name, mark in settings.decimal_in.items():
        content["columns"].setdefault(name, {})["decimal"] = "comma" if mark == "," else "point"
    for name, codes in settings.missing_in.items():
        content["columns"].setdefault(name, {})["missing"] = list(codes)
    for name, note in settings.notes.items():
        words = {"name": note.name, "description": note.description, "unit": note.unit}
        entry = content["columns"].setdefault(name, {})
        entry |= {key: word for key, word in words.items() if word}
        entry |= {"change": note.change} if note.change != "any" else {}
        entry |= {"codes": dict(note.codes)} if note.codes else {}
    if settings.labels:
        content["labels"] = dict(settings.labels)
    if settings.label_names:
        content["label-names"] = dict(settings.label_names)
    text: str = yaml.safe_dump(content, allow_unicode=True, sort_keys=False, default_flow_style=None)
    return f"# Settings of the columns: use is quantity, category or ignore.\n{text}"
