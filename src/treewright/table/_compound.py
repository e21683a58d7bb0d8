"""Numbers in a form that is not read: two in one field, out of ten, 1.2k, quarters, days as spreadsheets count them.

Each such word would be a category of its own, and a split could only separate one of them from all others.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from treewright.table._usual_forms import MONTH

__all__ = ["as_joined_dates", "as_stored_dates", "numbers_inside"]

DATE_NAME = re.compile(
    r"(^|[^a-z])(date|dates|datum|fecha|datetime|\w+datum|\w+[_ ]date)([^a-z]|$)", re.IGNORECASE
)
STORED_DAYS = (10_000, 60_000)  # 1927-05-18 to 2064-04-08
FIRST_DAY = np.datetime64("1899-12-30", "D")
JOINED_YEARS = (1850, 2200)
JOINED_TIMES = {0: "%Y%m%d", 4: "%Y%m%d%H%M", 6: "%Y%m%d%H%M%S"}  # by the digits of the time of day
FEWEST_DAYS = 20  # different numbers
FEWEST = 3  # different words: with fewer, each is most likely a name
SHOWN = 3
_NUMBER = r"[0-9]+(?:[.,][0-9]+)?"
PAIR = re.compile(  # 120/80, 40x60, 120/80 mmHg
    rf"^({_NUMBER}) ?([/x×*:]) ?({_NUMBER})(?: ?(?:mmHg|mm|cm|m|in|px))?$", re.IGNORECASE
)
SHORT = re.compile(
    r"^[-+]?[$€£]?[0-9]+(?:[.,][0-9]+)? ?(k|m|mio\.?|mn|mrd\.?|bn|million|billion|tsd\.?)?$", re.IGNORECASE
)
SIDED = re.compile(r"^[$€£]?[0-9][0-9.,' ]* ?(CR|DR|Cr|Dr|H|S|Haben|Soll)\.?$")  # amounts of accountants
RATE = re.compile(r"^([$€£¥]?) ?[0-9][0-9.,]* ?([/]|per|pro) ?([^\W\d_]{1,12}\.?)$")  # $310/mo
_HOURS = r"[0-9]+ ?h(?:ours?|rs?)?\.?"
LASTING = re.compile(  # 5h 14m, 14h55, 2d 5h, 1:20:35, PT1H20M
    rf"^(?:{_HOURS} ?[0-9]+ ?(?:m(?:in)?\.?)?|[0-9]+ ?d(?:ays?)?,? ?{_HOURS}|[0-9]+:[0-5][0-9]:[0-5][0-9]"
    r"|PT(?=[0-9])(?:[0-9]+H)?(?:[0-9]+M)?(?:[0-9.]+S)?)$",
    re.IGNORECASE,
)
AGED = re.compile(  # 3 yrs 2 mos, 15 J. 7 M.
    r"^[0-9]+ ?(?:y|yrs?|years?|J|Jahre?)\.?,? ?[0-9]+ ?(?:m|mos?|mths?|months?|Mon|Monate?)\.?$",
    re.IGNORECASE,
)
_YEAR = r"(?:19|20)[0-9]{2}"
_NAME = "|".join(MONTH)
_MONTH = r"(?:0?[1-9]|1[0-2])"
PERIODS = {
    "school or fiscal years": re.compile(  # 2019/20, 2019-2020
        rf"^(?:{'|'.join(f'{year}[/–-](?:{year + 1}|{(year + 1) % 100:02d})' for year in range(1950, 2050))})$"
    ),
    "quarters": re.compile(rf"^(?:Q[1-4][ ./-]?{_YEAR}|{_YEAR}[ ./-]?Q[1-4])$", re.IGNORECASE),
    "weeks": re.compile(rf"^(?:{_YEAR}-?W[0-9]{{2}}|(?:KW|W) ?[0-9]{{1,2}}[ ./-]{_YEAR})$", re.IGNORECASE),
    "months": re.compile(
        rf"^(?:{_MONTH}[./-]{_YEAR}|{_YEAR}[./-]{_MONTH}|(?:{_NAME})(?:\.?[ -]{_YEAR}|-[0-9]{{2}}))$",
        re.IGNORECASE,
    ),
}


def numbers_inside(words: Sequence[str]) -> tuple[str, str]:
    """Return what words hold that could be numbers, and what to write in the file; two empty texts if nothing.

    Parameters
    ----------
    words : sequence of str
        All words of a column, in any order.

    Returns
    -------
    held, advice : str

    Examples
    --------
    >>> numbers_inside(["127/61", "160/68", "141/74"])[1]
    'Make a column of each number in the file'
    >>> numbers_inside(["127/61 mmHg", "160/68 mmHg", "141/74 mmHg"])[1]
    'Make a column of each number in the file'
    >>> numbers_inside(["7/10", "3/10", "9/10"])[0]
    "numbers with '/10' behind them (7/10, 3/10, 9/10)"
    >>> numbers_inside(["Q1 2023", "Q4 2022", "Q2 2023"])[0]
    'quarters (Q1 2023, Q4 2022, Q2 2023)'
    >>> numbers_inside(["$310/mo", "$95/mo", "$0/mo"])[0]
    "numbers with '$' before and '/mo' behind them ($310/mo, $95/mo, $0/mo)"
    >>> numbers_inside(["A/B", "7/10", "3/10"])
    ('', '')
    """
    if len(words) < FEWEST:
        return "", ""
    shown = f"({', '.join(words[:SHOWN])}{', ...' if words[SHOWN:] else ''})"
    for name, pattern in PERIODS.items():
        if all(map(pattern.match, words)):
            return f"{name} {shown}", f"Write the first day of each of these {name} as a date in the file"
    pairs = [match for match in map(PAIR.match, words) if match is not None]
    if len(pairs) == len(words) and len({match[2] for match in pairs}) == 1:
        behind = {match[2] + match[3] for match in pairs}
        if len(behind) == 1:
            text = behind.pop()
            return (
                f"numbers with {text!r} behind them {shown}",
                f"Write the numbers alone in the file (replace {text!r} by nothing)",
            )
        if pairs[0][2] == ":":
            return f"times {shown}", "Write them as numbers in the file, such as 95 minutes for 1:35"
        return f"two numbers in one field {shown}", "Make a column of each number in the file"
    if all(map(LASTING.match, words)):
        return f"times {shown}", "Write them as numbers in the file, such as 95 minutes for 1h 35m"
    if all(map(AGED.match, words)):
        return (
            f"years and months {shown}",
            "Write the months as numbers in the file, such as 38 for 3 years 2 months",
        )
    rates = {match.groups() for match in map(RATE.match, words) if match is not None}
    if len(rates) == 1 and all(map(RATE.match, words)):
        before, mark, each = rates.pop()
        per = f"{mark}{each}" if mark == "/" else f"{mark} {each}"
        held = f"numbers with {f'{before!r} before and ' if before else ''}{per!r} behind them {shown}"
        return held, "Write the numbers alone in the file"
    sided = {match[1] for match in map(SIDED.match, words) if match is not None}
    if all(map(SIDED.match, words)) and len(sided) == 2:
        held = f"amounts with {' or '.join(map(repr, sorted(sided)))} behind them {shown}"
        return held, "Write them as positive and negative numbers in the file"
    shorts = [match for match in map(SHORT.match, words) if match is not None]
    marks = sorted({match[1] for match in shorts if match[1]})
    if len(shorts) == len(words) and marks not in ([], ["m"]):  # "m" may be metres
        held = f"numbers with {' and '.join(map(repr, marks))} behind them {shown}"
        return held, "Write them with all their digits in the file, such as 1200 for 1.2k"
    return "", ""


def as_stored_dates(name: str, distinct: NDArray[np.float64]) -> str:
    """Return the text about whole numbers that are days as spreadsheets count them; "" if they are not."""
    if not DATE_NAME.search(name) or "(age in days" in name or len(distinct) < FEWEST_DAYS:
        return ""
    low, high = float(distinct[0]), float(distinct[-1])
    if not STORED_DAYS[0] <= low < high <= STORED_DAYS[1]:
        return ""
    first, last = (FIRST_DAY + int(day) for day in (low, high))
    return (
        f"{name} holds whole numbers from {low:.0f} to {high:.0f}, as spreadsheets store dates (here {first} to "
        f"{last}). If they are dates, give the column the format of a date in the spreadsheet and save it again, so "
        "that splits can use year, month and weekday."
    )


def as_joined_dates(name: str, distinct: NDArray[np.float64]) -> str:
    """Return the text about whole numbers that are year, month and day without marks; "" if one of them is no date.

    Parameters
    ----------
    name : str
    distinct : ndarray of shape (n_values,)
        Distinct values of the column, ascending, all whole.

    Returns
    -------
    str

    Examples
    --------
    >>> days = [20240100 + day for day in range(1, 32)]
    >>> as_joined_dates("due", np.array(days))[:47]
    'due holds whole numbers that are dates without '
    >>> as_joined_dates("due", np.array([*days, 20240132]))
    ''
    """
    if len(distinct) < FEWEST_DAYS:
        return ""
    fits = {}  # the days of each form that has years of this age
    for digits in JOINED_TIMES:
        whole = distinct.astype(np.int64) // 10**digits
        if whole[0] >= JOINED_YEARS[0] * 10_000 and whole[-1] < JOINED_YEARS[1] * 10_000:
            fits[digits] = whole
    if not fits:
        return ""
    ((digits, whole),) = fits.items()
    times = distinct.astype(np.int64) % 10**digits
    year, month, day = whole // 10_000, whole // 100 % 100, whole % 100
    if not ((month >= 1) & (month <= 12) & (day >= 1)).all():
        return ""
    begins = (year - 1970).astype("datetime64[Y]").astype("datetime64[M]") + (month - 1)
    if (begins.astype("datetime64[D]") + (day - 1) >= (begins + 1).astype("datetime64[D]")).any():
        return ""
    if digits and (times // 10 ** (digits - 2) >= 24).any():
        return ""
    if any((times // 10**place % 100 >= 60).any() for place in range(0, digits - 2, 2)):
        return ""
    field = str(int(distinct[-1]))
    marked = f"{field[:4]}-{field[4:6]}-{field[6:8]}"
    if field[8:]:
        marked += " " + ":".join(field[place : place + 2] for place in range(8, len(field), 2))
    return (
        f"{name} holds whole numbers that are dates without marks ({field} is {marked}): as numbers, the last day of a "
        f"month is far from the first of the next. Write them with marks in the file, such as {marked} "
        f"(pandas: pandas.to_datetime(frame[{name!r}].astype('Int64').astype('string'), "
        f"format={JOINED_TIMES[digits]!r})), so that splits can use year, month and weekday."
    )
