"""Numbers as people write them: find the decimal mark of a column, and the value of each field.

"1,200" has two readings, and neither is chosen without evidence. First, a field with only one reading decides its
column (`1,5`, `0,125` and `1500,250` have a decimal comma; `1,234,567` and `1,234.5` do not). Second, the other columns
of the file decide. Third, the habits of writers decide:

- people who write commas between thousands write `1,500`, so a plain `1500`, or `1e-05`, in a column with `1,200` is
  evidence for decimal commas;
- people who keep all decimals write `950,000`, and people who drop zeros write `1,2`, so a plain `950` in a column with
  `1,200` is evidence for thousands;
- people who use decimal commas do not separate fields by commas.

Accounting systems write the minus sign after an amount: `1.234,50-`. It is read only with two or three decimals, since
`2-` may be a grade.

Amounts of money rarely have three decimals. Therefore the other columns of the file do not turn `$92,486` into 92.486,
which may be an amount in the format of another country; only the column itself decides, or a currency without decimals
(yen). And a file with semicolons most often has decimal commas, so `52.000` may have a point between thousands there.

If none of these decides, an error names both readings, and the user must say which one is right.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from treewright._plural import list_of
from treewright.errors import InputError
from treewright.table._faults import OpenQuestion
from treewright.table._formats import CURRENCIES, NumberFormat

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Evidence", "choose_format", "evidence_of", "looks_like_number", "minus_behind", "to_numbers"]

UNIT = rf"(?:{'|'.join(map(re.escape, sorted(CURRENCIES, key=len, reverse=True)))}|\p{{Sc}}|%)"
BLANKS = r"[ \x{a0}\x{202f}]"
GROUP_MARKS = (" ", "\u00a0", "\u202f", "'", "’")  # separators of thousands that are never decimal marks
DIGITS = r"[0-9](?:[0-9.,'’ \x{a0}\x{202f}]*[0-9.,])?|[.,][0-9]+"
NUMBER = rf"^([+-]?)({UNIT}?){BLANKS}*([+-]?)((?:{DIGITS})(?:[eE][+-]?[0-9]+)?){BLANKS}*({UNIT}?)$"
AMOUNT = r"[0-9](?:[0-9.,'’ \x{a0}\x{202f}]*[0-9])?[.,][0-9]{2,3}"
BEHIND = rf"^({UNIT}?{BLANKS}*{AMOUNT}){BLANKS}*-({BLANKS}*{UNIT}?)$"
EXPONENT = r"(?:[eE][+-]?[0-9]+)?"
REPEATED = 4  # if fields occur at least this many times on average, only the distinct ones are examined
WITHOUT_DECIMALS = {"¥", "JPY", "円", "₩", "KRW", "원", "₫", "VND", "IDR", "Ft", "HUF", "ISK", "CLP"}


def _grouped(mark: str, least: int) -> str:
    """Return the pattern of groups of three digits, or of Indian groups of two digits before the last three."""
    m = re.escape(mark) if mark in ".'" else mark
    return rf"[1-9][0-9]{{0,2}}(?:{m}[0-9]{{3}}){{{least},}}|[1-9][0-9]?(?:{m}[0-9]{{2}})+{m}[0-9]{{3}}"


SHAPES = {
    "short": r"^[0-9]{1,3}$",
    "long": r"^(?:[0-9]{4,}|[0-9]+[eE][+-]?[0-9]+)$",  # 1e-05: its writer has no thousands separators
    "comma_three": r"^[1-9][0-9]{0,2},[0-9]{3}$",
    "point_three": r"^[1-9][0-9]{0,2}\.[0-9]{3}$",
    "comma_decimal": rf"^[0-9]*,[0-9]+{EXPONENT}$",  # except comma_three
    "point_decimal": rf"^(?:[0-9]*\.[0-9]+{EXPONENT}|[0-9]+\.{EXPONENT})$",  # except point_three
    "comma_groups": rf"^(?:(?:{_grouped(',', 2)})(?:\.[0-9]*)?|[1-9][0-9]{{0,2}},[0-9]{{3}}\.[0-9]*)$",
    "point_groups": rf"^(?:(?:{_grouped('.', 2)})(?:,[0-9]*)?|[1-9][0-9]{{0,2}}\.[0-9]{{3}},[0-9]*)$",
}


@dataclass(frozen=True)
class Evidence:
    """Evidence about the number format of one column.

    Parameters
    ----------
    examples : dict of str to str
        One field of each shape that occurs, by the name of the shape.
    units : tuple of str
        Currencies and "%" that occur.
    group_marks : tuple of str
        Blanks and apostrophes that occur between thousands.
    zero_after_comma, zero_after_point : bool
        Whether a field with three digits after its only mark ends in 0.
    """

    examples: dict[str, str]
    units: tuple[str, ...]
    group_marks: tuple[str, ...]
    zero_after_comma: bool
    zero_after_point: bool

    @property
    def decimal(self) -> str | None:
        """Decimal mark if the fields allow only one reading; None if they allow both or contradict each other."""
        point, comma = self.for_point, self.for_comma
        if (point is None) == (comma is None):
            return None
        return "." if point is not None else ","

    @property
    def for_point(self) -> str | None:
        """Example of a field that cannot be read with a decimal comma."""
        return next((self.examples[s] for s in ("point_decimal", "comma_groups") if s in self.examples), None)

    @property
    def for_comma(self) -> str | None:
        """Example of a field that cannot be read with a decimal point."""
        return next((self.examples[s] for s in ("comma_decimal", "point_groups") if s in self.examples), None)

    @property
    def is_silent(self) -> bool:
        """Whether no field holds a point or a comma."""
        return not any(shape not in ("short", "long") for shape in self.examples)


def looks_like_number(fields: pl.Series) -> pl.Series:
    """Return for each field whether some reading makes it a number."""
    import polars as pl

    distinct = fields.unique()
    if REPEATED * len(distinct) < len(fields):
        return fields.is_in(distinct.filter(looks_like_number(distinct)).to_list()).fill_null(False)
    core = _core(fields)
    known = pl.Series([False] * len(core), dtype=pl.Boolean)
    for pattern in SHAPES.values():
        known = known | core.str.contains(pattern)
    return known.fill_null(False)


def evidence_of(fields: pl.Series) -> Evidence:
    """Return the evidence of all known fields of a column; fields that are not numbers are ignored."""
    distinct = fields.drop_nulls().unique(maintain_order=True)
    core = _core(distinct)
    examples: dict[str, str] = {}
    matches: dict[str, pl.Series] = {}
    for shape, pattern in SHAPES.items():
        found = core.str.contains(pattern).fill_null(False)
        if shape.endswith("_decimal"):
            found = found & ~matches[shape.replace("decimal", "three")]
        matches[shape] = found
        if found.any():
            examples[shape] = distinct.filter(found)[0]
    known = core.is_not_null()
    signed = _sign_first(distinct)
    unit = signed.str.extract(NUMBER, 2) + signed.str.extract(NUMBER, 5)
    raw = signed.filter(known).str.extract(NUMBER, 4)
    return Evidence(
        examples=examples,
        units=tuple(sorted(set(unit.drop_nulls().to_list()) - {""})),
        group_marks=tuple(mark for mark in GROUP_MARKS if raw.str.contains(mark, literal=True).any()),
        zero_after_comma=bool(core.filter(matches["comma_three"]).str.ends_with("0").any()),
        zero_after_point=bool(core.filter(matches["point_three"]).str.ends_with("0").any()),
    )


def choose_format(
    column: str, evidence: Evidence, *, name: str, told: str | None, elsewhere: str | None, separator: str
) -> NumberFormat:
    """Return the number format of a column.

    Parameters
    ----------
    column : str
        The column and its file, as the subject of messages.
    evidence : Evidence
    name : str
        Name of the column, for the advice in messages.
    told : {".", ","} or None
        Decimal mark given by the user; it decides if the fields allow both.
    elsewhere : {".", ","} or None
        Decimal mark of the other columns of the file, if there is no doubt about it.
    separator : str
        Separator of the file.

    Returns
    -------
    NumberFormat

    Raises
    ------
    InputError
        If the fields contradict each other, or allow two readings and nothing decides.
    """
    found = evidence.examples
    if evidence.for_point is not None and evidence.for_comma is not None:
        raise OpenQuestion(
            f"{column} mixes two ways to write numbers: {evidence.for_point!r} has a decimal point (or commas between "
            f"thousands), {evidence.for_comma!r} a decimal comma. Use one form throughout the file, or declare "
            "the column categorical."
        )
    decimal = evidence.decimal or told or _of_money(evidence)
    if decimal is None:
        if _is_money(evidence) and (example := _three_decimals(evidence, elsewhere, separator)) is not None:
            why = f"amounts of money such as {example!r} rarely have three decimals, as they would here"
            raise _two_readings(column, name, evidence, why)
        habit = _habit(evidence)
        if habit is not None and elsewhere is not None and habit != elsewhere:
            raise _two_readings(
                column,
                name,
                evidence,
                "the other numbers of the file and those of this column contradict each other",
            )
        decimal = elsewhere or habit or _default(evidence, separator)
    if decimal is None:
        raise _two_readings(column, name, evidence, "no other number of the file decides")
    other = "," if decimal == "." else "."
    grouped = ("comma_three", "comma_groups") if decimal == "." else ("point_three", "point_groups")
    marks = list(evidence.group_marks)
    if any(shape in found for shape in grouped):
        marks.append(other)
    if len({"'" if mark in "'’" else " " if mark not in ".," else mark for mark in marks}) > 1:
        raise InputError(
            f"{column} has several marks between thousands ({', '.join(map(repr, marks))}). Use one of them in the "
            "file, or declare the column categorical."
        )
    return NumberFormat(decimal, marks[0] if marks else "", _unit(column, evidence))


def _of_money(evidence: Evidence) -> str | None:
    """Return the decimal mark of a column of money from the column alone; None if it does not decide.

    Many files contain amounts in the format of another country, which only a currency with the numbers shows. Prices
    with three decimals (fuel) show no habit of writing thousands (see `_habit`), so the user must decide.
    """
    if not _is_money(evidence):
        return None
    if set(evidence.units) <= WITHOUT_DECIMALS and ("comma_three" in evidence.examples) != (
        "point_three" in evidence.examples
    ):
        return "." if "comma_three" in evidence.examples else ","
    return _habit(evidence)


def _is_money(evidence: Evidence) -> bool:
    return bool(evidence.units) and "%" not in evidence.units


def _three_decimals(evidence: Evidence, elsewhere: str | None, separator: str) -> str | None:
    """Return an amount that would have three decimals by the other columns, or by default; None if there is none."""
    decimal = elsewhere or _default(evidence, separator)
    return evidence.examples.get("comma_three" if decimal == "," else "point_three") if decimal else None


def _habit(evidence: Evidence) -> str | None:
    """Return the decimal mark by the habits of writers, for fields that all allow both; None if these do not decide."""
    found = evidence.examples
    if ("comma_three" in found) == ("point_three" in found):
        return None
    mark, other = (",", ".") if "comma_three" in found else (".", ",")
    zero = evidence.zero_after_comma if mark == "," else evidence.zero_after_point
    thousands = "short" in found and zero  # as decimals, these would be two different habits
    if thousands and "long" not in found:
        return other
    if "long" in found and not thousands:
        return mark
    return None


def _default(evidence: Evidence, separator: str) -> str | None:
    """Return the decimal mark if nothing else decides: for plain decimals, and for files separated by commas."""
    found = evidence.examples
    contradicted = "short" in found and "long" in found  # evidence for both readings
    if "comma_three" not in found:
        doubtful = separator == ";" or (contradicted and evidence.zero_after_point)
        return None if "point_three" in found and doubtful else "."
    return "." if separator == "," and "point_three" not in found and "long" not in found else None


def _two_readings(column: str, name: str, evidence: Evidence, why: str) -> OpenQuestion:
    found = evidence.examples
    field = found.get("comma_three", found.get("point_three", ""))
    mark = "," if "," in field else "."
    digits = _bare(field)
    readings = {mark: digits.replace(mark, "."), ("." if mark == "," else ","): digits.replace(mark, "")}
    return OpenQuestion(
        f"{column} can be read in two ways: {field!r} is {readings['.']} with decimal points, or {readings[',']} with "
        f"decimal commas, and {why}. Give decimal_comma=False for decimal points, decimal_comma=True for decimal "
        f"commas in all such columns; or for this one alone decimal_in={{{name!r}: '.'}}, or ','."
    )


def _unit(column: str, evidence: Evidence) -> str:
    if not evidence.units:
        return ""
    if len(evidence.units) > 1:
        raise OpenQuestion(
            f"{column} mixes the units {list_of(map(repr, evidence.units))}; numbers of different units cannot "
            "be compared. Write one unit, in one way, in the file, or declare the column categorical."
        )
    return evidence.units[0]


def to_numbers(fields: pl.Series, written: NumberFormat) -> pl.Series:
    """Return the values of the fields as float64; null for fields that are null or do not have this format."""
    import polars as pl

    if written.is_plain:
        values = fields.cast(pl.Float64, strict=False)
        if values.null_count() == fields.null_count():
            return values
        return _sign_first(fields).cast(pl.Float64, strict=False)
    d = re.escape(written.decimal)
    core = rf"(?:[0-9]+{d}?[0-9]*|{d}[0-9]+){EXPONENT}"
    if written.thousands:
        marks = [written.thousands]
        if written.thousands not in ".,":
            marks = ["'", "’"] if written.thousands in "'’" else [" ", "\u00a0", "\u202f"]
        grouped = "|".join(f"(?:{_grouped(mark, 1)})(?:{d}[0-9]*)?" for mark in marks)
        core = rf"(?:{core}|{grouped})"
    unit = f"(?:{re.escape(written.unit)})?" if written.unit else ""
    pattern = rf"^([+-]?){unit}{BLANKS}*([+-]?)({core}){BLANKS}*{unit}$"
    text = _sign_first(fields)
    if written.unit == "%" and not written.some_without_sign:
        text = pl.select(pl.when(text.str.contains("%", literal=True)).then(text)).to_series()
    digits = text.str.extract(pattern, 3).str.replace_all(rf"[^0-9eE{d}+-]", "")
    sign = text.str.extract(pattern, 1) + text.str.extract(pattern, 2)
    if written.decimal == ",":
        digits = digits.str.replace(",", ".", literal=True)
    values = digits.cast(pl.Float64, strict=False)
    return pl.select(pl.when(sign == "-").then(-values).when(sign.is_in(["", "+"])).then(values)).to_series()


def minus_behind(fields: pl.Series) -> str | None:
    """Return a field with the minus sign after its number; None if there is none."""
    found = fields.filter(fields.str.contains(BEHIND).fill_null(False))
    return str(found[0]) if len(found) else None


def _sign_first(fields: pl.Series) -> pl.Series:
    """Replace the typographic minus sign by a hyphen, and move one after an amount to the front."""
    return fields.str.replace("\u2212", "-", literal=True).str.replace(BEHIND, "-${1}${2}")


def _core(fields: pl.Series) -> pl.Series:
    """Return the digits and marks of each field, without unit and without blanks and apostrophes between thousands."""
    import polars as pl

    text = _sign_first(fields)
    core = text.str.extract(NUMBER, 4)
    both = (text.str.extract(NUMBER, 2) != "") & (text.str.extract(NUMBER, 5) != "")
    core = pl.select(pl.when(~both).then(core)).to_series()
    marked = core.str.contains(r"[ '’\x{a0}\x{202f}]")
    if not marked.any():
        return core
    well = core.str.contains(
        rf"^[1-9][0-9]{{0,2}}(?:(?:{BLANKS}[0-9]{{3}})+|(?:['’][0-9]{{3}})+)(?:[.,][0-9]*)?$"
    )
    bare = core.str.replace_all(r"[ '’\x{a0}\x{202f}]", "")
    # After grouped thousands a comma or point is the decimal mark. A digit is appended, so that it is read as such.
    ending = bare.str.replace(r"([.,])([0-9]*)$", "${1}${2}5")
    return pl.select(pl.when(~marked).then(core).when(well).then(ending)).to_series()


def _bare(field: str) -> str:
    found = re.search(r"[0-9][0-9.,]*", field)
    return found.group() if found else field
