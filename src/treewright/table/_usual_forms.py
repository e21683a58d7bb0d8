r"""Rewrite unusual forms of numbers and dates into the usual form with the same meaning.

- Accountants write a negative amount in brackets: `(1,535.87)`, `($500)`. A single `(2)` may be a reference to a
  remark, so brackets are read only in a column of amounts: one in which some field has decimals, thousands separators
  or a currency.
- East Asian input methods write full-width digits and signs: `５９`, `１２％`. In Shift JIS the yen sign has the code
  of the backslash, so that `¥12,300` is decoded as `\12,300`.
- Arabic, Persian and Indian scripts have digits of their own: `٤٤`, `۱٬۲۵۰٫۵`, `४४`, `١٢٪`.
- `12,000/-` is an Indian amount without paise; `93'466.-` and `1.250,– €` are amounts without Rappen and cents.
- `05-Mar-2021`, `March 5, 2021`, `5 mars 2021`, `2021年3月5日` and `令和3年3月5日` can only be dates, and become
  `2021-03-05`.
- Clocks of twelve hours (`3/5/2021, 3:30 PM`), days of the week before dates and time zones behind them are rewritten,
  too; what is no date then remains what it was.

Words are not affected: the caller keeps the original fields, and uses the rewritten ones only for numbers and dates.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from treewright.table._formats import CURRENCIES

if TYPE_CHECKING:
    import polars as pl

__all__ = ["MONTH", "usual_dates", "usual_numbers"]

OTHER_DIGITS = (
    r"[\p{Nd}٫٬٪--[0-9０-９]]"  # also the decimal mark, the mark of thousands and the sign of percent
)
WIDE = r"[\x{ff01}-\x{ff5e}\x{ffe5}\x{ffe6}]"
SHIFT_JIS = ("cp932", "ms932", "shift_jis", "shiftjis", "sjis", "shift-jis")
LETTERS = "|".join(
    sorted((name.replace(".", r"\.").replace("$", r"\$") for name in CURRENCIES), key=len)[::-1]
)
SIGN = rf"(?:{LETTERS}|\p{{Sc}}|%)?"
BLANKS = r"[ \x{a0}\x{202f}]*"
DIGITS = r"[0-9][0-9.,'’ \x{a0}\x{202f}]*|[.,][0-9]+"
IN_BRACKETS = (
    rf"^({SIGN}{BLANKS})\({BLANKS}({SIGN}{BLANKS}(?:{DIGITS}){BLANKS}{SIGN}){BLANKS}\)({BLANKS}{SIGN})$"
)
AMOUNT = r"^[^0-9]*[0-9][0-9.,'’ \x{a0}\x{202f}]*[.,][0-9]{2,3}[^0-9]*$|\p{Sc}|[A-Z]{3}"
WITHOUT_CENTS = r"^(.*[0-9])/[-=]$"
DASHED_CENTS = r"^(.*[0-9])([.,])(?:--?|–|—)([ \x{a0}\x{202f}]*(?:\p{Sc}|[A-Z]{3})?)$"
MONTHS = {
    # English, German, French, Spanish, Italian, Portuguese, Dutch; three letters match all words that begin with them
    1: "jan january januar jän jänner janvier janv ene enero gen gennaio janeiro januari",
    2: "feb february februar février févr fév fevrier febrero febbraio fev fevereiro februari",
    3: "mar march mär märz mrz mars marzo março marco mrt maart",
    4: "apr april avr avril abr abril aprile",
    5: "may mai mayo mag maggio maio mei",
    6: "jun june juni juin junio giu giugno junho",
    7: "jul july juli juillet juil julio lug luglio julho",
    8: "aug august août aout ago agosto augustus",
    9: "sep sept september septembre septiembre set settembre setembro",
    10: "oct october okt oktober octobre octubre ott ottobre out outubro",
    11: "nov november novembre noviembre novembro",
    12: "dec december dez dezember déc décembre decembre dic diciembre dicembre dezembro",
}
MONTH = {word: month for month, words in MONTHS.items() for word in words.split()}
WORD = r"(\p{L}{3,10})\.?"
CLOCK = r"((?:[ T][0-9].*)?)"
DAY_FIRST = (
    rf"^([0-9]{{1,2}})(?:st|nd|rd|th)?\.?[ /-]*(?:de )?{WORD}[ ,/-]*(?:de )?([0-9]{{4}}|[0-9]{{2}}){CLOCK}$"
)
MONTH_FIRST = rf"^{WORD}[ -]*([0-9]{{1,2}})(?:st|nd|rd|th)?,? *([0-9]{{4}}){CLOCK}$"
ERAS = {"明治": 1868, "大正": 1912, "昭和": 1926, "平成": 1989, "令和": 2019}  # their first years
OF_ERA = rf"^({'|'.join(ERAS)})([0-9]{{1,2}}|元)年"
TWELVE_HOURS = r"^(.*[0-9])[ ]([0-9]{1,2})(:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?)[ ]?([AaPp])\.?[Mm]\.?$"
BEFORE_CLOCK = r"^(.*[0-9])(?:,[ ]+|[ ]{2,})([0-9]{1,2}:[0-9]{2})"
ZONE = r"(:[0-9]{2}(?:\.[0-9]+)?)[ ]([+-][0-9]{2}:?[0-9]{2}|UTC|GMT|Z)$"
WEEKDAYS = (  # as MONTHS; but not "mar", which is March as well
    "mon|tue|tues|wed|weds|thu|thur|thurs|fri|sat|sun|monday|tuesday|wednesday|thursday|friday|saturday|sunday|"
    "mo|di|mi|do|fr|sa|so|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag|"
    "lun|mer|jeu|ven|sam|dim|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|"
    "mié|jue|vie|sáb|dom|lunes|martes|miércoles|jueves|viernes|sábado|domingo|"
    "gio|sab|lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica|"
    "maandag|dinsdag|woensdag|donderdag|vrijdag|zaterdag|zondag|(?:segunda|terça|quarta|quinta|sexta)(?:-feira)?"
)
WEEKDAY = rf"^(?i:{WEEKDAYS})[.,]*[ ]+([^\W_].*[0-9].*)$"
SIGNS = r"^([0-9]{4})[年년][ ]*([0-9]{1,2})[月월][ ]*([0-9]{1,2})[日일]"
GLANCE = 1000  # first fields to examine: some have the form if it is common in the column
PIVOT = 69  # two-digit years from 69 are in the 20th century, as in POSIX


def usual_numbers(fields: pl.Series, encoding: str = "utf-8", *, amounts: bool = False) -> pl.Series:
    r"""Return fields with numbers in their usual form; the same series if there is nothing to change.

    Parameters
    ----------
    fields : Series
        Stripped; null is missing.
    encoding : str, default="utf-8"
        Encoding of the file: in Shift JIS a backslash before a number is a yen sign.
    amounts : bool, default=False
        Whether the column is known to hold amounts, so that brackets mean negative numbers.

    Returns
    -------
    Series

    Examples
    --------
    >>> import polars
    >>> usual_numbers(polars.Series(["(1,535.87)", "200", "(35)"])).to_list()
    ['-1,535.87', '200', '-35']
    >>> usual_numbers(polars.Series(["５９", "7", "(2)"])).to_list()
    ['59', '7', '(2)']
    >>> usual_numbers(polars.Series(["٤٤", "۱٬۲۵۰٫۵", "१२"])).to_list()
    ['44', '1,250.5', '12']
    >>> usual_numbers(polars.Series(["93'466.-", "91'033", "1.250,– €"])).to_list()
    ["93'466.00", "91'033", '1.250,00 €']
    """
    found = fields
    if found.str.contains(WIDE).any():
        found = _replaced(found, WIDE, lambda field: "".join(map(_narrow, field)))
    if found.str.contains(OTHER_DIGITS).any():
        found = _replaced(found, OTHER_DIGITS, lambda field: "".join(map(_western, field)))
    if encoding.lower().startswith(SHIFT_JIS):
        found = found.str.replace(r"^([+-]?)\\([0-9])", "${1}¥${2}")
    if found.str.contains(WITHOUT_CENTS).any():
        found = found.str.replace(WITHOUT_CENTS, "$1")
    if found.str.contains(DASHED_CENTS).any():
        found = found.str.replace(DASHED_CENTS, "${1}${2}00${3}")
    if found.str.contains(IN_BRACKETS).any() and (amounts or found.str.contains(AMOUNT).any()):
        found = found.str.replace(IN_BRACKETS, "-$1$2$3")
    return found


def usual_dates(fields: pl.Series) -> pl.Series:
    """Return fields in which dates with a named month, or with signs for year, month and day, are year-month-day.

    Examples
    --------
    >>> import polars
    >>> usual_dates(polars.Series(["05-Mar-2021", "12. Jänner 2022", "2021年3月5日", "31.12.2021", "Nov 7"])).to_list()
    ['2021-03-05', '2022-01-12', '2021-3-5', '31.12.2021', 'Nov 7']
    >>> usual_dates(polars.Series(["3/5/2021, 3:30 PM", "3/5/2021 12:05 a.m.", "2021-03-05 15:30:00 UTC"])).to_list()
    ['3/5/2021 15:30', '3/5/2021 00:05', '2021-03-05 15:30:00Z']
    >>> usual_dates(polars.Series(["令和3年5月1日", "平成元年12月31日", "Fri, 5 Mar 2021"])).to_list()
    ['2021-5-1', '1989-12-31', '2021-03-05']
    """
    import polars as pl

    found = _usual_clocks(fields)
    if found.head(GLANCE).str.contains(WEEKDAY).any():
        found = found.str.replace(WEEKDAY, "$1")
    if found.str.contains(OF_ERA).any():
        found = _replaced(found, OF_ERA, _of_christian_era)
    if found.str.contains(SIGNS).any():
        found = found.str.replace(SIGNS, "$1-$2-$3")
    for pattern, (day, month) in ((DAY_FIRST, (1, 2)), (MONTH_FIRST, (2, 1))):
        if not found.head(GLANCE).str.contains(pattern).any():
            continue
        numbers = found.str.extract(pattern, month).str.to_lowercase()
        known = numbers.drop_nulls().unique()
        names = [word for word in known if word in MONTH]
        months = numbers.replace_strict(
            names, [f"{MONTH[word]:02d}" for word in names], default=None, return_dtype=pl.String
        )
        years = found.str.extract(pattern, 3)
        short = years.cast(pl.Int64, strict=False)
        years = pl.select(
            pl.when(years.str.len_chars() == 2)
            .then((short + pl.when(short >= PIVOT).then(1900).otherwise(2000)).cast(pl.String))
            .otherwise(years)
        ).to_series()
        days = found.str.extract(pattern, day).str.zfill(2)
        whole = years + "-" + months + "-" + days + found.str.extract(pattern, 4).fill_null("")
        found = (
            pl.select(pl.when(whole.is_null()).then(found).otherwise(whole)).to_series().alias(fields.name)
        )
    return found


def _usual_clocks(fields: pl.Series) -> pl.Series:
    """Return fields in which times behind dates have 24 hours, one blank before them and their zone behind them."""
    import polars as pl

    found = fields
    if found.head(GLANCE).str.contains(BEFORE_CLOCK).any():
        found = found.str.replace(BEFORE_CLOCK, "$1 $2")
    if found.head(GLANCE).str.contains(ZONE).any():
        found = found.str.replace(ZONE, "$1$2").str.replace(r"(:[0-9]{2}(?:\.[0-9]+)?)(?:UTC|GMT)$", "${1}Z")
    if not found.head(GLANCE).str.contains(TWELVE_HOURS).any():
        return found
    hour = found.str.extract(TWELVE_HOURS, 2).cast(pl.Int64)
    late = found.str.extract(TWELVE_HOURS, 4).str.to_lowercase() == "p"
    own = (
        pl.select(pl.when(late).then(hour % 12 + 12).otherwise(hour % 12))
        .to_series()
        .cast(pl.String)
        .str.zfill(2)
    )
    whole = found.str.extract(TWELVE_HOURS, 1) + " " + own + found.str.extract(TWELVE_HOURS, 3)
    of_twelve = ((hour >= 1) & (hour <= 12)).fill_null(False)
    return pl.select(pl.when(of_twelve).then(whole).otherwise(found)).to_series().alias(fields.name)


def _of_christian_era(field: str) -> str:
    era, rest = field[:2], field[2:]
    year, _, rest = rest.partition("年")
    return f"{ERAS[era] + (1 if year == '元' else int(year)) - 1}年{rest}"


def _narrow(letter: str) -> str:
    return {"￥": "¥", "￦": "₩"}.get(letter) or unicodedata.normalize("NFKC", letter)


def _western(letter: str) -> str:
    if letter.isdecimal():
        return str(unicodedata.decimal(letter))
    return {"٫": ".", "٬": ",", "٪": "%"}.get(letter, letter)


def _replaced(fields: pl.Series, pattern: str, change: object) -> pl.Series:
    distinct = fields.drop_nulls().unique()
    odd = distinct.filter(distinct.str.contains(pattern)).to_list()
    return fields.replace(odd, [change(field) for field in odd])  # type: ignore[operator]
