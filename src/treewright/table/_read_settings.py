"""Read a `columns.yaml` and check its entries; a message names the first entry that is not valid."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from treewright._arguments import check_arguments
from treewright.errors import InputError
from treewright.table._order import check_orders
from treewright.table._settings import CHANGES, ColumnNote, Settings

__all__ = ["read_settings"]

MOST_BYTES = 1 << 20
USES = ("quantity", "category", "ignore")
ABOUT = ("purpose", "owner", "contact", "date", "period", "source", "limits")
DECIMALS = {"comma": True, "point": False}
DATES = {"day-first": True, "month-first": False}
USE_FIELDS = ("use", "words", "missing", "order", "decimal")
NOTE_FIELDS = ("name", "description", "unit", "change", "codes")


def read_settings(path: str | Path) -> Settings:
    """Read a `columns.yaml`.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    Settings

    Raises
    ------
    InputError
        If the file cannot be read, is not YAML, or has an entry that is not valid; the message names the entry.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from treewright.table import Settings, read_settings, settings_text
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "columns.yaml"
    ...     _ = path.write_text(settings_text(Settings(ignore=("id",))))
    ...     read_settings(path).ignore
    ('id',)
    """
    check_arguments(read_settings, locals(), "path")
    import yaml

    where = Path(path).name
    try:
        data = Path(path).read_bytes()
    except IsADirectoryError as error:
        raise InputError(f"Cannot read {path}: it is a folder. Name a file, such as columns.yaml.") from error
    except OSError as error:
        raise InputError(f"Cannot read {path}: {error.strerror or error}.") from error
    if len(data) > MOST_BYTES:
        raise InputError(f"{where} has more than {MOST_BYTES >> 20} MiB; settings of columns are small.")
    try:
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(data, Loader=yaml.BaseLoader)):
            raise InputError(f"{where} holds a YAML alias (*); write the entry out.")
        content = yaml.load(data, Loader=yaml.BaseLoader) or {}  # BaseLoader: text, lists and mappings only
    except (yaml.YAMLError, RecursionError) as error:
        raise InputError(f"{where} is not YAML: {' '.join(str(error).split())[:200]}") from None
    known = (
        "about",
        "encoding",
        "separator",
        "decimal",
        "dates",
        "missing",
        "columns",
        "labels",
        "label-names",
    )
    fields = _mapping(content, where, *known)
    columns = {
        name: _mapping(entry, f"{where}, column {name!r}", *USE_FIELDS, *NOTE_FIELDS)
        for name, entry in _mapping(fields.get("columns") or {}, f"{where}, columns").items()
    }
    uses = {name: _one_of(entry.get("use", "quantity"), USES, where, name) for name, entry in columns.items()}
    order = {
        name: _list(entry["order"], f"{where}, column {name!r}, order")
        for name, entry in columns.items()
        if "order" in entry
    }
    for name in order:
        if columns[name].get("use", "category") == "quantity":
            raise InputError(
                f"{where}, column {name!r}: a quantity has no order of words; leave out use or order."
            )
    labels = _mapping(fields.get("labels") or {}, f"{where}, labels")
    if not all(isinstance(label, str) for label in labels.values()):
        raise InputError(f"{where}, labels: give one label for each spelling, such as BAD: Bad.")
    return Settings(
        notes={
            name: _note(entry, f"{where}, column {name!r}")
            for name, entry in columns.items()
            if entry.keys() - set(USE_FIELDS)
        },
        label_names=_words(fields.get("label-names"), f"{where}, label-names"),
        about=_words(fields.get("about"), f"{where}, about", *ABOUT),
        labels=labels,
        words={
            name: _words(entry["words"], f"{where}, column {name!r}, words")
            for name, entry in columns.items()
            if "words" in entry
        },
        encoding=_text(fields, "encoding", where),
        separator=_text(fields, "separator", where),
        ignore=tuple(name for name, use in uses.items() if use == "ignore"),
        categorical=tuple(name for name, use in uses.items() if use == "category"),
        quantity=tuple(name for name, entry in columns.items() if entry.get("use") == "quantity"),
        missing=_list(fields.get("missing"), f"{where}, missing"),
        missing_in={
            name: _list(entry["missing"], f"{where}, column {name!r}, missing")
            for name, entry in columns.items()
            if entry.get("missing")
        },
        decimal_comma=_choice(fields, "decimal", DECIMALS, where),
        day_first=_choice(fields, "dates", DATES, where),
        order=check_orders(order),
        decimal_in={
            name: "," if _choice(entry, "decimal", DECIMALS, f"{where}, column {name!r}") else "."
            for name, entry in columns.items()
            if "decimal" in entry
        },
    )


def _note(entry: dict[str, Any], where: str) -> ColumnNote:
    said = _words({key: entry[key] for key in ("name", "description", "unit") if key in entry}, where)
    codes = _words(entry.get("codes"), f"{where}, codes")
    for code in codes:
        try:
            float(code)
        except ValueError:
            raise InputError(
                f"{where}, codes: {code[:40]!r} is not a number; give numbers and what they mean: {{'-9': no record}}."
            ) from None
    return ColumnNote(
        said.get("name", ""),
        said.get("description", ""),
        said.get("unit", ""),
        _one_of(entry.get("change", "any"), CHANGES, where, "change"),
        codes,
    )


def _text(fields: Mapping[str, Any], name: str, where: str) -> str | None:
    return _words({name: fields[name]}, where)[name] if name in fields else None


def _list(value: Any, where: str) -> tuple[str, ...]:
    """Return a list of words; an absent entry is an empty list."""
    if not isinstance(value or [], list) or not all(isinstance(word, str) for word in value or ()):
        raise InputError(f"{where}: give a list of words, such as ['-999'].")
    return tuple(value or ())


def _words(value: Any, where: str, *known: str) -> dict[str, str]:
    """Return a mapping from words to words; an absent entry is an empty mapping."""
    found = _mapping(value or {}, where, *known)
    for name, word in found.items():
        if not isinstance(word, str):
            raise InputError(f"{where}, {str(name)[:40]}: give one line of text.")
    return found


def _mapping(value: Any, where: str, *known: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError(
            f"{where}: {str(value)[:40]!r} is not a mapping; give entries of the form name: value."
        )
    unknown = [name for name in value if known and name not in known]
    if unknown:
        meant = get_close_matches(str(unknown[0])[:40], known, 1)
        raise InputError(
            f"{where} has an unknown entry {str(unknown[0])[:40]!r}; "
            f"{f'did you mean {meant[0]!r}? Known' if meant else 'known'} are {', '.join(known)}."
        )
    return value


def _one_of(value: Any, accepted: tuple[str, ...], where: str, name: str) -> str:
    if value not in accepted:
        raise InputError(f"{where}, {name}: {str(value)[:40]!r}; choose one of {', '.join(accepted)}.")
    return str(value)


def _choice(fields: Mapping[str, Any], name: str, accepted: Mapping[str, bool], where: str) -> bool | None:
    if name not in fields:
        return None
    return accepted[_one_of(fields[name], tuple(accepted), where, name)]
