"""How a text file was read, as the field `reading` of a model file, and back with every entry checked."""

from __future__ import annotations

import datetime
import re
from typing import Any

from treewright.convert._checked import Checked
from treewright.table import DateFormat, NumberFormat, Reading, is_unit

__all__ = ["checked_reading", "plain_reading"]

DECIMALS = (".", ",")
THOUSANDS = ("", ".", ",", " ", "\u00a0", "\u202f", "'", "’")
ORDERS = ("ymd", "dmy", "mdy")
PARTS = ("year", "month", "weekday", "hour", "age")
MOST_WORDS = 10_000


def plain_reading(reading: Reading) -> dict[str, Any]:
    """Return a reading as JSON values."""
    labels: dict[str, Any] = {"labels": dict(reading.labels)} if reading.labels else {}
    if reading.words:
        labels["words"] = {name: dict(names) for name, names in reading.words.items()}
    if reading.missing_in:
        labels["missing_in"] = {name: list(codes) for name, codes in reading.missing_in.items()}
    return {
        "separator": reading.separator,
        "encoding": reading.encoding,
        "missing_values": list(reading.missing_values),
        "decimal": reading.decimal,
        "columns": {name: _plain_format(written) for name, written in reading.columns.items()},
        **labels,
    }


def checked_reading(value: Checked) -> Reading:
    """Return the reading that JSON values describe.

    Raises
    ------
    ModelFileError
        An entry is not what a reading can hold.
    """
    fields = value.fields(
        "separator",
        "encoding",
        "missing_values",
        "decimal",
        "columns",
        optional=("labels", "words", "missing_in"),
    )
    separator = fields["separator"].text()
    if len(separator) != 1 or separator in '"\r\n' or not separator.isascii():
        fields["separator"].fail("one ASCII character")
    columns = fields["columns"]
    if not isinstance(columns.value, dict):
        columns.fail("an object with one entry per column")
    words = fields["words"] if fields["words"].value is not None else Checked({}, "reading.words")
    if not isinstance(words.value, dict):
        words.fail("an object with one entry per column")
    codes = (
        fields["missing_in"] if fields["missing_in"].value is not None else Checked({}, "reading.missing_in")
    )
    if not isinstance(codes.value, dict):
        codes.fail("an object with one entry per column")
    return Reading(
        labels=_checked_names(fields["labels"], "reading.labels"),
        words={
            Checked(name, f"{words.path}: column").text(): _checked_names(
                Checked(entry, f"{words.path}.{name}"), ""
            )
            for name, entry in words.value.items()
        },
        separator=separator,
        encoding=fields["encoding"].text(),
        missing_values=tuple(word.text() for word in fields["missing_values"].entries(0, MOST_WORDS)),
        missing_in={
            Checked(name, f"{codes.path}: column").text(): tuple(
                word.text() for word in Checked(entry, f"{codes.path}.{name}").entries(0, MOST_WORDS)
            )
            for name, entry in codes.value.items()
        },
        decimal=None if fields["decimal"].value is None else fields["decimal"].choice(*DECIMALS),
        columns={
            Checked(name, f"{columns.path}: column").text(): _checked_format(
                Checked(entry, f"{columns.path}.{name}")
            )
            for name, entry in columns.value.items()
        },
    )


def _checked_names(names: Checked, path: str) -> dict[str, str]:
    """Words that stand for another one; none where the entry is absent."""
    if names.value is None and path:
        names = Checked({}, path)
    if not isinstance(names.value, dict):
        names.fail("an object with the word that each word stands for")
    return {
        Checked(name, f"{names.path}: word").text(): Checked(entry, f"{names.path}.{name}").text()
        for name, entry in names.value.items()
    }


def _plain_format(written: NumberFormat | DateFormat) -> dict[str, Any]:
    if isinstance(written, NumberFormat):
        return {
            "kind": "number",
            "decimal": written.decimal,
            "thousands": written.thousands,
            "unit": written.unit,
            **({"some_without_sign": True} if written.some_without_sign else {}),
        }
    return {
        "kind": "date",
        "order": written.order,
        "mark": written.mark,
        "offered": list(written.offered),
        "reference": written.reference,
    }


def _checked_format(value: Checked) -> NumberFormat | DateFormat:
    if not isinstance(value.value, dict) or "kind" not in value.value:
        value.fail('an object with "kind"')
    if Checked(value.value["kind"], f"{value.path}.kind").choice("number", "date") == "number":
        fields = value.fields("kind", "decimal", "thousands", "unit", optional=("some_without_sign",))
        decimal = fields["decimal"].choice(*DECIMALS)
        thousands = fields["thousands"].choice(*THOUSANDS)
        if thousands == decimal:
            fields["thousands"].fail("another mark than the decimal one")
        unit = fields["unit"].text()
        if unit and not is_unit(unit):
            fields["unit"].fail(
                'empty, "%", a currency sign or its letters, such as EUR or zł, or a unit such as kg'
            )
        bare = fields["some_without_sign"]
        some_without_sign = bare.value is not None and bare.boolean()
        if some_without_sign and unit != "%":
            bare.fail('absent, or false: only for the unit "%"')
        return NumberFormat(decimal, thousands, unit, some_without_sign)
    fields = value.fields("kind", "order", "mark", "offered", "reference")
    reference = fields["reference"].text()
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", reference, re.ASCII) or not _is_day(reference):
        fields["reference"].fail("a day such as 2020-12-31")
    return DateFormat(
        order=fields["order"].choice(*ORDERS),
        mark=fields["mark"].choice("-", "/", "."),
        offered=tuple(part.choice(*PARTS) for part in fields["offered"].entries(0, len(PARTS))),
        reference=reference,
    )


def _is_day(text: str) -> bool:
    try:
        datetime.date.fromisoformat(text)
    except ValueError:
        return False
    return True
