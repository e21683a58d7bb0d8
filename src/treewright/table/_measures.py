"""Units of measurement that people write after numbers, such as kg, mg/l, °C and months.

A column with fields such as `78,5 kg` is numeric if all its fields have the same unit or none. A column with several
units (`500 g` and `2 kg`) stays categorical, because numbers with different units cannot be compared. A single letter,
such as the h of `12h`, may be part of a code: it counts as a unit only if every field has a blank before it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from treewright.table._marks import has_flags

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "MEASURES",
    "VALUE_AND_UNIT",
    "is_measure",
    "measure_of",
    "measures_in",
    "parts_of_unit",
    "without_measure",
]

MEASURES = frozenset(
    """
    ‰ ° °c °f mm cm dm m km mi ft inch µm nm mm2 cm2 m2 km2 ha sqm sqft m3 ml cl dl l µl fl µg ng pg mg g kg
    t lb lbs oz mol mmol µmol nmol pmol meq iu ms s sec min h hr hrs hz khz mhz bpm mmhg pa hpa kpa mpa bar mbar psi
    acre mile yd gal gallon j kj mj kcal cal w kw mw wh kwh mwh v mv kv ma ohm ppm ppb db lx kb mb gb mph kmh rpm
    second minute hour day week month year percent point score count piece pcs number people person degree
    sekunde minuten stunde stunden tag tage woche wochen monat monate jahr jahre prozent punkt punkte stück stk anzahl
    yr yrs wk wks mo mos mth mths mois ans année jour heure años meses días
    歳 岁 세 年 ヶ月 か月 カ月 个月 月 日 人 件 回 時間 分 万円 千円 百万円 億円 万元 億元 亿元
    """.casefold().split()
)
GLANCE = 1000  # first fields to examine: at least one has the unit if more than half of all fields do
PER = re.compile(r"\s*(?:[/*·^]|\bper\b|\bpro\b)\s*|\s+")
BLANKS = r"[ \x{a0}\x{202f}]"
VALUE = r"[+\-\x{2212}]?(?:[0-9](?:[0-9.,'’ \x{a0}\x{202f}]*[0-9.,])?|[.,][0-9]+)"
VALUE_AND_UNIT = rf"^{VALUE}({BLANKS}*)([^\s\d.,;:<>+\-'’(][^\s;:<>]*)$"


def is_measure(word: str) -> bool:
    """Whether a word is a unit of measurement, or a combination of units.

    Examples
    --------
    >>> [is_measure(word) for word in ("kg", "mg/l", "kg/m²", "°C", "months", "rooms")]
    [True, True, True, True, True, False]
    """
    return bool(word) and not word[0].isdigit() and parts_of_unit(word.casefold(), MEASURES)


def parts_of_unit(plain: str, units: frozenset[str]) -> bool:
    """Whether a word in lower case is one of the given units, or a product or quotient of them."""
    parts = [part for part in PER.split(plain) if part and not part.isdigit()]
    return plain in units or (bool(parts) and all(_is_plain(part, units) for part in parts))


def _is_plain(part: str, units: frozenset[str]) -> bool:
    bare = re.sub(r"[²³]|(?<=[^\W\d_])[23]$", "", part).rstrip(".")
    return bare in units or (len(bare) > 3 and bare.removesuffix("s") in units)


def measure_of(known: pl.Series) -> str:
    """Return the unit that more than half of the fields have, if no field has another one; otherwise "".

    Parameters
    ----------
    known : Series
        Fields that are not missing, stripped.

    Returns
    -------
    str

    Examples
    --------
    >>> import polars
    >>> measure_of(polars.Series(["78,5 kg", "91 kg", "-99"])), measure_of(polars.Series(["500 g", "2 kg", "1 kg"]))
    ('kg', '')
    """
    if not known.head(GLANCE).str.contains(VALUE_AND_UNIT).any():  # a column of words, the usual case
        return ""
    if has_flags(known):
        return ""
    units = measures_in(known)
    with_one = known.str.contains(VALUE_AND_UNIT).sum()
    return units[0] if len(units) == 1 and 2 * with_one > len(known) else ""


def measures_in(known: pl.Series) -> list[str]:
    """Return the units of measurement behind some of the fields, sorted; none if anything else stands behind a number.

    Parameters
    ----------
    known : Series
        Fields that are not missing, stripped. Those without a number and a word behind it do not count.

    Returns
    -------
    list of str

    Examples
    --------
    >>> import polars
    >>> [measures_in(polars.Series(fields)) for fields in (["500 g", "2 kg", "3"], ["3", "2a"])]
    [['g', 'kg'], []]
    """
    units = [str(unit) for unit in known.str.extract(VALUE_AND_UNIT, 2).drop_nulls().unique()]
    letters = [unit for unit in units if len(unit) == 1 and unit.isascii() and unit.isalpha()]
    glued = bool(letters) and known.str.contains(rf"^{VALUE}[{''.join(letters)}]$").any()
    return sorted(units) if all(map(is_measure, units)) and not glued else []


def without_measure(fields: pl.Series, unit: str) -> pl.Series:
    """Return fields without the unit after their numbers; fields that are not numbers with this unit stay unchanged."""
    return fields.str.replace(rf"^({VALUE}){BLANKS}*{re.escape(unit)}$", "$1") if unit else fields
