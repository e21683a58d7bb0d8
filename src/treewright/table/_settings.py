"""`columns.yaml`: what a person settled about the columns of a file, kept beside it and edited by hand.

The file is small and plain:

    decimal: comma                    # or point; absent: by the evidence of the numbers
    dates: day-first                  # or month-first
    missing: ["-999"]                 # fields that mean missing, besides the usual ones
    columns:
      Kunden-Nr.: {use: ignore}       # or quantity (the default), category
      zip: {use: category}
    labels:
      BAD: Bad                        # another spelling, and the label that it stands for

It is read as text throughout, so that `no` stays a word and `007` keeps its zeros.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from treewright.errors import InputError
from treewright.table._look import Look
from treewright.table._spellings import spellings

__all__ = ["Settings", "read_settings", "settings_of", "settings_text"]

MOST_BYTES = 1 << 20
USES = ("quantity", "category", "ignore")
DECIMALS = {"comma": True, "point": False}
DATES = {"day-first": True, "month-first": False}


@dataclass(frozen=True)
class Settings:
    """What was settled about the columns of a file.

    Parameters
    ----------
    ignore, categorical, missing : tuple of str
        As in `load_csv`; `missing` are words besides the usual ones.
    decimal_comma, day_first : bool or None
        As in `load_csv`.
    labels : mapping of str to str
        The label that each other spelling stands for.
    """

    ignore: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    decimal_comma: bool | None = None
    day_first: bool | None = None
    labels: Mapping[str, str] = field(default_factory=dict)


def settings_of(
    seen: Look,
    *,
    ignore: Iterable[str] = (),
    categorical: Iterable[str] = (),
    missing: Iterable[str] = (),
    decimal_comma: bool | None = None,
    day_first: bool | None = None,
) -> Settings:
    """Return the settings that accept every proposal of a look.

    Parameters
    ----------
    seen : Look
    ignore, categorical, missing, decimal_comma, day_first
        What was settled before, with which the look was made.

    Returns
    -------
    Settings
    """

    def values(action: str, before: Iterable[str]) -> tuple[str, ...]:
        proposed = (finding.value for finding in seen.findings if finding.action == action)
        return tuple(dict.fromkeys((*before, *proposed)))

    return Settings(
        values("ignore", ignore),
        values("categorical", categorical),
        values("missing", missing),
        decimal_comma,
        day_first,
        spellings(np.repeat([label for label, _ in seen.labels], [rows for _, rows in seen.labels]))
        if seen.labels
        else {},
    )


def settings_text(settings: Settings) -> str:
    """Return settings as the text of a `columns.yaml`.

    Parameters
    ----------
    settings : Settings

    Returns
    -------
    str
    """
    import yaml

    content: dict[str, Any] = {}
    if settings.decimal_comma is not None:
        content["decimal"] = "comma" if settings.decimal_comma else "point"
    if settings.day_first is not None:
        content["dates"] = "day-first" if settings.day_first else "month-first"
    if settings.missing:
        content["missing"] = list(settings.missing)
    content["columns"] = {name: {"use": "ignore"} for name in settings.ignore}
    content["columns"] |= {name: {"use": "category"} for name in settings.categorical}
    if settings.labels:
        content["labels"] = dict(settings.labels)
    text: str = yaml.safe_dump(content, allow_unicode=True, sort_keys=False, default_flow_style=None)
    return f"# What was settled about the columns: use is quantity, category or ignore.\n{text}"


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
        The file cannot be read, is no YAML, or holds what it cannot; the message names the entry.
    """
    import yaml

    where = Path(path).name
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"Cannot read {path}: {error.strerror or error}.") from error
    if len(data) > MOST_BYTES:
        raise InputError(f"{where} has more than {MOST_BYTES >> 20} MiB; settings of columns are small.")
    try:
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(data, Loader=yaml.BaseLoader)):
            raise InputError(f"{where} holds a YAML alias (*); write the entry out.")
        content = yaml.load(data, Loader=yaml.BaseLoader) or {}  # BaseLoader: text, lists and mappings only
    except (yaml.YAMLError, RecursionError) as error:
        raise InputError(f"{where} is no YAML: {' '.join(str(error).split())[:200]}") from None
    fields = _mapping(content, where, "decimal", "dates", "missing", "columns", "labels")
    uses = {
        name: _one_of(
            _mapping(entry, f"{where}, column {name!r}", "use").get("use", "quantity"), USES, where, name
        )
        for name, entry in _mapping(fields.get("columns") or {}, f"{where}, columns").items()
    }
    missing = fields.get("missing") or []
    if not isinstance(missing, list) or not all(isinstance(word, str) for word in missing):
        raise InputError(f"{where}, missing: give a list of words, such as ['-999'].")
    labels = _mapping(fields.get("labels") or {}, f"{where}, labels")
    if not all(isinstance(label, str) for label in labels.values()):
        raise InputError(f"{where}, labels: give one label for each spelling, such as BAD: Bad.")
    return Settings(
        labels=labels,
        ignore=tuple(name for name, use in uses.items() if use == "ignore"),
        categorical=tuple(name for name, use in uses.items() if use == "category"),
        missing=tuple(missing),
        decimal_comma=_choice(fields, "decimal", DECIMALS, where),
        day_first=_choice(fields, "dates", DATES, where),
    )


def _mapping(value: Any, where: str, *known: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError(f"{where}: {str(value)[:40]!r} is no mapping; give entries of the form name: value.")
    unknown = [name for name in value if known and name not in known]
    if unknown:
        raise InputError(f"{where} has an entry {str(unknown[0])[:40]!r}; there are {', '.join(known)}.")
    return value


def _one_of(value: Any, accepted: tuple[str, ...], where: str, name: str) -> str:
    if value not in accepted:
        raise InputError(f"{where}, {name}: {str(value)[:40]!r}; choose one of {', '.join(accepted)}.")
    return str(value)


def _choice(fields: Mapping[str, Any], name: str, accepted: Mapping[str, bool], where: str) -> bool | None:
    if name not in fields:
        return None
    return accepted[_one_of(fields[name], tuple(accepted), where, name)]
