"""The kind of a column's fields: numbers as Python writes them, true/false, words, or text among numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from treewright._plural import count_of
from treewright.errors import InputError
from treewright.table._dates import looks_like_date
from treewright.table._faults import ColumnFault
from treewright.table._fillers import filler_words
from treewright.table._marks import has_flags, of_marks
from treewright.table._measures import VALUE_AND_UNIT, measures_in
from treewright.table._raw import LARGEST_EXACT_INTEGER, RawColumn, quoted

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "GLANCE",
    "TextAmong",
    "are_codes",
    "by_rows",
    "check_exact",
    "has_points",
    "is_decimal",
    "is_number",
    "na_as_a_word",
    "present",
    "text_among",
    "truth_values",
    "words_of",
]

BEYOND = re.compile(r"^[<>≤≥]=? ?[0-9]|^[0-9][0-9.,]* ?\+$")  # beyond what is measured: <0.6, 3+
BRACKETED = re.compile(r"\(\s*\d+\s*\)")
CODE = re.compile(r"^[A-Z]{1,3}[-./]?[0-9][0-9A-Za-z./-]*$")  # V27, V45.81, B-12; not "ca 50", "h10"
SLIP = re.compile(r"^[OI][0-9.,]+$")  # a typing or scanning error: O5 for 05, I2 for 12
CODES_SHARE = 0.01  # share of the fields; fewer codes may be typing errors
NOT_AVAILABLE = ("NA", "N/A", "n/a")  # can also mean "North America" or "not applicable"
FREQUENT = 0.1  # share of the rows
FEWEST_CODES = 3
SAYS_A_VALUE = re.compile(
    r"[0-9]|^(none|nil|zero|no|new|free|all|full|max|min|inf|low|high|null)$", re.IGNORECASE
)
VERSION = r"^[0-9]{1,3}(\.[0-9]{1,3}){1,3}$"  # 1.7.5; a date with a typing error may look like it, too
VERSIONS_SHARE = 0.1  # of the fields: so many are no typing errors
WHOLE = r"^([+-]?[0-9]+)[.,]0{1,2}$"  # three zeros may be thousands
MOST_ENDLESS = 3  # most infinite fields named in one message
GLANCE = 1000  # first fields to examine: they usually contain a decimal point if the column has any


def present(
    fields: pl.Series, missing: Sequence[str], declared: Sequence[str]
) -> tuple[pl.Series, dict[str, int]]:
    """Strip fields and make the missing ones null; return them, and the number of rows of each declared code.

    A whole number declared as a code also matches its form with decimals: -9 matches -9.0, as some programs write it.
    """
    import polars as pl

    stripped = fields.str.strip_chars()
    absent = stripped.is_in(missing)
    counted = {}
    plain = stripped.str.replace(WHOLE, "$1") if declared else stripped
    for code in declared:
        rows = (stripped == code) | (plain == re.sub(WHOLE, r"\1", code))
        if count := int(rows.sum()):
            counted[code] = count
        absent |= rows
    return pl.select(pl.when(absent.not_()).then(stripped)).to_series(), counted


def by_rows(fields: pl.Series) -> list[str]:
    """Return the different fields that are not missing, the most frequent first.

    Parameters
    ----------
    fields : Series
        Null is missing.

    Returns
    -------
    list of str
    """
    counted = fields.drop_nulls().value_counts(sort=True, name="rows")
    found: list[str] = counted.sort(["rows", fields.name], descending=[True, False])[fields.name].to_list()
    return found


def na_as_a_word(column: str, fields: pl.Series, known: pl.Series) -> str:
    """Return a note if NA, which is read as missing, may be a word: it is frequent, or among two-letter codes.

    Parameters
    ----------
    column : str
        Name of the column.
    fields : Series
        Fields as they are in the file.
    known : Series
        The same fields, null if missing.

    Returns
    -------
    str
        Empty if NA is most likely a missing value.
    """
    stripped = fields.str.strip_chars()
    counted = {word: int(((stripped == word) & known.is_null()).sum()) for word in NOT_AVAILABLE}
    word = max(counted, key=lambda word: counted[word])
    rows = counted[word]
    codes = known.n_unique() > FEWEST_CODES and known.drop_nulls().str.contains(r"^[A-Z]{2}$").all()
    if not rows or not (codes or rows >= FREQUENT * len(fields)):
        return ""
    said = (
        f"Column {column!r} holds {word} in {rows:,} row{'' if rows == 1 else 's'}, and it is read as missing"
    )
    if codes:
        said += f", though the other fields are codes of two letters ({', '.join(by_rows(known)[:3])}, ...)"
    return f"{said}. To keep it as a word, add words: {{{word}: {word}}} to the column in columns.yaml."


class TextAmong(ColumnFault):
    """A column with text among numbers or dates, or with infinite numbers; its `words` most likely mean missing.

    `numbers` are the numbers of the `column`, one of which may mean missing, too. If `codes` is True, the column most
    likely holds codes, some of which happen to be numbers.
    """

    def __init__(
        self,
        message: str,
        column: str,
        words: tuple[str, ...],
        numbers: NDArray[np.float64] | None = None,
        codes: bool = False,
    ) -> None:
        super().__init__(message, column, "missing" if words else "categorical" if codes else "")
        self.words = words
        self.numbers = np.empty(0) if numbers is None else numbers


def text_among(
    column: str,
    subject: str,
    known: pl.Series,
    like: pl.Series,
    what: str,
    lines: str,
    is_feature: bool = True,
) -> InputError:
    """Return the error about text among numbers or dates.

    Parameters
    ----------
    column : str
    subject : str
        The column and its file, as the subject of the message.
    known : Series
        Fields that are not missing.
    like : Series
        Mask of the fields that are numbers, or dates.
    what : {"numbers", "dates"}
    lines : str
        Lines of the other fields, in words.
    is_feature : bool, default=True
        Whether fields may be missing, and the column may hold categories. Weights, targets, times, events and rewards
        are numbers in every row.

    Returns
    -------
    TextAmong
    """
    offending = known.filter(~like).unique(maintain_order=True)
    n_text = len(known) - int(like.sum())
    if n_text == len(known):
        if what == "numbers" and looks_like_date(known).all():
            return InputError(
                f"{subject} must hold {what}, but holds dates such as {quoted(offending)} ({lines}). If the time "
                "between two dates is meant, add a column with this time to the file, for example in days."
            )
        return InputError(
            f"{subject} must hold {what}, but holds text such as {quoted(offending)} ({lines}). Is it the right "
            "column?"
        )
    or_category = "; if the column is not a quantity, declare the column categorical." if is_feature else "."
    flagged = what == "numbers" and has_flags(known)
    unit = [] if flagged else measures_in(known)
    if what == "numbers" and len(unit) == 1 and known.filter(~like).str.contains(VALUE_AND_UNIT).all():
        it = "it" if n_text == 1 else "them"
        return TextAmong(
            f"{subject} holds numbers, {n_text} of {len(known)} with the unit {unit[0]!r} behind {it} and the others "
            f"without: {quoted(offending)} ({lines}). Write the unit behind all of them or behind none, if they are "
            f"quantities of one unit{or_category}",
            column,
            words=(),
            numbers=_plain_numbers(known.filter(like)),
        )
    held, advice = of_marks(offending.to_list()) if what == "numbers" else ("", "")
    if held:
        return TextAmong(
            f"{subject} holds {held}, in {n_text} of {len(known)} fields: {quoted(offending)} ({lines}). "
            f"{advice}{or_category}",
            column,
            words=(),
            numbers=_plain_numbers(known.filter(like)),
        )
    one = n_text == 1
    these = "is text" if one else "are text"
    limits = [text for text in offending if BEYOND.match(text)]
    marked = [text for text in offending if of_marks([text])[0]]
    codes = what == "numbers" and n_text >= CODES_SHARE * len(known) and are_codes(offending)
    more = ""
    if limits and what == "numbers":
        more = (
            f" {limits[0]!r} says that the value is beyond a limit: write a number for it, such as the limit."
        )
    elif flagged and marked:
        more = f" {marked[0]!r} holds a mark of a laboratory, for a high or low value: delete such marks in the file."
    elif what == "numbers" and all(BRACKETED.fullmatch(text) for text in offending):
        more = (
            f" {offending[0]!r} may be a negative amount, as accountants write it, or the mark of a remark: if it is "
            f"an amount, write -{offending[0].strip(' ()')} in the file."
        )
    elif codes:
        more = f" Fields such as {offending[0]!r} look like codes, and then the numbers are codes, too."
    if what == "dates":
        these = "is not a date" if one else "are not dates"
        if n_text >= VERSIONS_SHARE * len(known) and known.str.contains(VERSION).all():
            codes, more = True, " They look like version numbers, and then the others are no dates, either."
    if is_feature:
        means, them = ("it means", "it") if one else ("they mean", "them")
        advice = f"If {means} missing, add {them} to the missing values{or_category}"
    else:
        advice = f"Write {'a number' if one else 'numbers'} there, or leave {'this row' if one else 'these rows'} out."
    return TextAmong(
        f"{subject} holds {what}, but {n_text} of {len(known)} fields {these}: {quoted(offending)} ({lines}). "
        f"{advice}{more}",
        column=column,
        words=_that_mean_missing(offending),
        numbers=_plain_numbers(known.filter(like)) if what == "numbers" else None,
        codes=codes,
    )


def are_codes(texts: Iterable[str]) -> bool:
    """Whether texts look like codes, such as V27 and B-12, and not like typing errors."""
    texts = list(texts)
    return bool(texts) and all(map(CODE.match, texts)) and not all(map(SLIP.match, texts))


def _that_mean_missing(texts: pl.Series) -> tuple[str, ...]:
    """Return the texts that most likely mean missing: the only text, or several words that all say "unknown".

    A text with a digit, such as `<0.6`, `3+` or `V27`, states a value, and a text such as `none` may be 0. These are
    never returned.
    """
    known = filler_words(texts.to_list())
    words = tuple(text for text in texts if text in known or not SAYS_A_VALUE.search(text))
    return words if len(texts) == 1 or len(known) == len(words) else ()


def check_exact(
    column: str, subject: str, values: NDArray[np.float64], fields: pl.Series, lines: NDArray[np.int64]
) -> None:
    """Raise an error for infinite numbers, and for integers that float64 would change."""
    large = np.flatnonzero(np.abs(values) >= LARGEST_EXACT_INTEGER)
    endless = large[np.isinf(values[large])].tolist()
    if endless:
        rows = Counter(str(fields[row]).strip() for row in endless)
        held = ", ".join(
            f"{field[:40]!r} in {count_of(n, 'row')}" for field, n in rows.most_common(MOST_ENDLESS)
        )
        held += ", ..." if len(rows) > MOST_ENDLESS else ""
        where, first = f"{held} (the first in line {lines[endless[0]]})", str(fields[endless[0]]).strip()
        if len(endless) == 1:
            where = f"{first[:40]!r} in line {lines[endless[0]]}"
        these = "it" if len(rows) == 1 else "them"
        raise TextAmong(
            f"{subject} holds {where}: infinite, or too large for float64. Replace {these} by finite numbers, or add "
            f"{these} to the missing values.",
            column,
            tuple(rows),
            values[np.isfinite(values)],
        )
    for row in large.tolist():
        field = str(fields[row]).strip()
        digits = field.lstrip("+-")
        if digits.isdigit() and int(values[row]) != int(field):
            raise ColumnFault(
                f"{subject} holds the integer {field[:40]} in line {lines[row]}; beyond 2**53 neighbouring integers "
                "cannot be told apart. If it is an identifier, ignore the column or declare it categorical.",
                column,
                "ignore",
            )


def has_points(fields: pl.Series, numbers: pl.Series) -> bool:
    """Whether some plain number has a point (or an exponent); fast for tables with many columns and rows."""
    import polars as pl

    head = numbers.head(GLANCE).to_numpy()
    if (np.floor(head) < head).any():
        return True
    return fields.cast(pl.Int64, strict=False).null_count() > numbers.null_count()


def truth_values(name: str, fields: pl.Series) -> RawColumn | None:
    """Return a column of true and false; None if some field is neither."""
    lower = fields.head(GLANCE).str.to_lowercase()
    if lower.is_in(["true", "false"]).sum() < len(lower) - lower.null_count() or fields.null_count() == len(
        fields
    ):
        return None
    lower = fields.str.to_lowercase()
    if lower.is_in(["true", "false"]).sum() < len(fields) - fields.null_count():
        return None
    values = np.where(fields.is_null().to_numpy(), np.nan, (lower == "true").fill_null(False).to_numpy())
    return RawColumn(name, values.astype(np.float64), boolean=True)


def words_of(name: str, fields: pl.Series) -> RawColumn:
    """Return a column of text as codes of its words; null is missing."""
    import polars as pl

    words = tuple(sorted(fields.drop_nulls().unique().to_list()))
    if not words:
        return RawColumn(name, np.full(len(fields), np.nan))
    codes = fields.replace_strict(list(words), list(range(len(words))), default=None, return_dtype=pl.Float64)
    return RawColumn(name, words=words, codes=codes.fill_null(np.nan).to_numpy())


def _plain_numbers(fields: pl.Series) -> NDArray[np.float64]:
    """Return the fields that are numbers as Python writes them, or with a decimal comma."""
    import polars as pl

    pointed = fields.str.replace(",", ".", literal=True)
    return pointed.cast(pl.Float64, strict=False).drop_nulls().to_numpy()


def is_number(field: str) -> bool:
    """Whether a field is a decimal number, or infinite (not nan, or Python's 1_000)."""
    try:
        return not np.isnan(float(field)) and "_" not in field
    except ValueError:
        return False


def is_decimal(field: str) -> bool:
    """Whether a field is a decimal number (not inf, nan, or Python's 1_000)."""
    return is_number(field) and bool(np.isfinite(float(field)))
