"""Columns of a frame that hold numbers as text: unlike those of a file, they must be converted by the user.

The test is that of the reader of files: most of the column's different words are numbers, perhaps with a currency, a
unit or thousands separators. The call of pandas that is proposed has been tried on all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from importlib.util import find_spec

from treewright._plural import some_of
from treewright.errors import InputError
from treewright.table._field_kinds import are_codes
from treewright.table._finding import Finding
from treewright.table._formats import NumberFormat
from treewright.table._measures import measures_in, without_measure
from treewright.table._numbers import choose_format, evidence_of, looks_like_number, to_numbers
from treewright.table._percentages import of_percentages
from treewright.table._table import Table
from treewright.table._usual_forms import usual_numbers
from treewright.tree import ColumnKind

__all__ = ["numbers_as_text"]

NUMBER_AS_TEXT = re.compile(  # "10%", "$62,745", "1 200 CHF"
    r"^([^\w\s.,+\-\u2212]?|[A-Z]{3} ?)[ ]?([+\-\u2212]?(?:[0-9]{1,3}(?:[ ,.'\u00a0][0-9]{3})+|[0-9]+)(?:[.,][0-9]+)?)"
    r"[ ]?([^\w\s.,]?|[A-Z]{3})$"
)
COMMA_DECIMAL, POINT_DECIMAL = (re.compile(rf"{mark}\d{{1,2}}(?!\d)\D*$") for mark in (",", r"\."))
FEWEST_NUMBERS = 3
SHOWN = 3


def numbers_as_text(table: Table) -> Iterator[Finding]:
    """Yield columns whose words are all or mostly numbers, with the call that converts them, if there is one."""
    for column in table.columns:
        words = column.categories
        if column.kind is not ColumnKind.CATEGORICAL or len(words) < FEWEST_NUMBERS:
            continue
        text = _by_reader(column.name, words) or _by_pattern(column.name, words)
        if text:
            yield Finding(column.name, text)


def _by_reader(name: str, words: Sequence[str]) -> str:
    """Return the text about words if the reader of files takes more than half for numbers of one format; else ""."""
    if find_spec("polars") is None:
        return ""
    import polars as pl

    fields = pl.Series([word.strip() for word in words], dtype=pl.String)
    usual = usual_numbers(fields)
    units = measures_in(usual)
    unit = units[0] if len(units) == 1 else ""
    bare = without_measure(usual, unit)
    like = looks_like_number(bare)
    others = fields.filter(~like).to_list()
    if (
        len(words) - len(others) < max(FEWEST_NUMBERS, len(others) + 1)
        or bare.str.contains(r"^[+-]?0\d").any()
        or are_codes(others)
    ):
        return ""
    held, own = fields.filter(like).to_list(), f"X[{name!r}]"
    said = f"{name} holds numbers as text ({some_of(held, SHOWN)}), and each is a word of its own."
    evidence = evidence_of(bare.filter(like))
    money = bool(evidence.units) and "%" not in evidence.units  # amounts rarely have three decimals
    try:
        written = choose_format(
            name, evidence, name=name, told=None, elsewhere=None, separator="," if money else ";"
        )
        written = of_percentages(name, name, bare.filter(like), written)
    except InputError:  # two readings, or several units
        return (
            _by_pattern(name, words)
            or f"{said} If they are quantities, make {own} numbers of one unit first."
        )
    if any(letter.isdecimal() and not letter.isascii() for word in held for letter in word):
        return f"{said} {_by_float(own, words, usual.to_list())}"
    call = _call(name, held, to_numbers(bare.filter(like), written).to_list(), unit, written)
    if not call:
        return ""
    if not others:
        return f"{said} If they are quantities: {call})."
    lost = f"other words ({some_of(others, SHOWN)}) become missing"
    return f"{said} If they are quantities, convert them; {lost}: {call}, errors='coerce')."


def _by_float(own: str, words: Sequence[str], usual: Sequence[str]) -> str:
    """Return what to do with digits of other scripts, which Python's `float` reads and pandas does not."""
    try:
        same = all(float(word) == float(number) for word, number in zip(words, usual, strict=True))
    except ValueError:
        same = False
    if same:
        return f"If they are quantities: {own} = {own}.map(float, na_action='ignore')."
    return f"If they are quantities, make {own} numbers first: pandas reads no digits of this script."


def _call(name: str, words: Sequence[str], numbers: Sequence[float], unit: str, written: NumberFormat) -> str:
    """Return the call of pandas without its end, if it converts every word to its number; else ""."""
    marks = [re.escape(mark) for mark in dict.fromkeys((written.thousands, written.unit or unit)) if mark]
    pattern = "|".join([r"\s", *marks])
    for word, number in zip(words, numbers, strict=True):
        plain = re.sub(pattern, "", word)
        try:
            same = float(plain.replace(",", ".") if written.decimal == "," else plain) == number
        except ValueError:
            same = False
        if not same:
            return ""
    quote = '"' if "'" in pattern else "'"
    own = f"X[{name!r}]"
    made = f"{own}.str.replace(r{quote}{pattern}{quote}, '', regex=True)" if marks else own
    if written.decimal == ",":
        made += ".str.replace(',', '.')"
    return f"{own} = pandas.to_numeric({made}"


def _by_pattern(name: str, words: Sequence[str]) -> str:
    """Return the text about words that are all numbers, with different units or in a format that no call converts."""
    found = [NUMBER_AS_TEXT.match(word.strip()) for word in words]
    if not all(found) or any(re.match(r"0\d", word.strip()) for word in words):  # a code
        return ""
    units = {"".join(match.group(1, 3)) for match in found if match is not None}
    text = f"{name} holds numbers as text ({', '.join(words[:SHOWN])}, ...), and each is a word of its own"
    text += ", with different units or none." if len(units) > 1 else "."
    own = f"X[{name!r}]"
    number = f"{own}.str.replace('\u2212', '-')" if any("\u2212" in word for word in words) else own
    behind = any(unit.endswith(("-", "\u2212")) for unit in units)
    if (
        len(units) == 1
        and not behind
        and any(map(COMMA_DECIMAL.search, words))
        and not any(map(POINT_DECIMAL.search, words))
    ):
        keep, point = "r'[^0-9,+-]', '', regex=True", "',', '.'"
        number = f"{number}.str.replace({keep}).str.replace({point})"
        return f"{text} If they are quantities: {own} = pandas.to_numeric({number})."
    decimals = any(re.search(r",\d+$", match.group(2)) for match in found if match is not None)
    if behind or len(units) > 1 or decimals:
        return f"{text} If they are quantities, make {own} numbers of one unit first."
    keep = "r'[^0-9.+-]', '', regex=True"
    return f"{text} If they are quantities: {own} = pandas.to_numeric({number}.str.replace({keep}))."
