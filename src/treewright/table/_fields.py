"""Convert text fields to typed columns by fixed rules: numbers in any format, true/false, dates and words.

The detected formats are kept, so that later files are read in the same way. The rules are at the top of
`treewright.table._csv`.

The file is longer than 400 lines because it is one class, whose steps depend on the columns that were read before.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright._plural import count_of, plural, some_of
from treewright.errors import InputError
from treewright.table._alike import one_spelling
from treewright.table._centuries import refuse_two_centuries, short_years
from treewright.table._dates import (
    Dates,
    begins_with_year,
    choose_order,
    looks_like_date,
    note_on_dates,
    offered_parts,
    order_of,
    parts_of,
    read_dates,
)
from treewright.table._field_kinds import (
    GLANCE,
    by_rows,
    check_exact,
    has_points,
    is_number,
    na_as_a_word,
    present,
    text_among,
    truth_values,
    words_of,
)
from treewright.table._fillers import filler_days
from treewright.table._formats import MISSING_VALUES, DateFormat, NumberFormat, Reading
from treewright.table._marks import has_flags
from treewright.table._measures import measure_of, without_measure
from treewright.table._numbers import choose_format, evidence_of, looks_like_number, minus_behind, to_numbers
from treewright.table._percentages import of_percentages
from treewright.table._raw import LARGEST_EXACT_INTEGER, RawColumn, as_words, quoted
from treewright.table._text_columns import CsvText
from treewright.table._usual_forms import usual_dates, usual_numbers

if TYPE_CHECKING:
    import polars as pl

__all__ = ["FieldReader"]

MOST_LINES = 5  # that a message names
PLAIN_BLANKS = str.maketrans("\u00a0\u202f", "  ")  # what a message shows in their place
BARE_EXPONENT = r"^[0-9]+E[0-9]+$"
SURE_POINT = r"^[+-]?(?:[0-9]*\.(?:[0-9]{0,2}|[0-9]{4,})|0[0-9]*\.[0-9]*|[0-9]{4,}\.[0-9]*)$"


class FieldReader:
    """Reads the columns of one file and decides their types.

    Parameters
    ----------
    text : CsvText
        The file as columns of text.
    missing : collection of str
        Fields that mean "missing".
    where : str
        Name of the file, for messages.
    decimal : {".", ","} or None
        Decimal mark given by the user.
    day_first : bool or None
        Order of day and month given by the user.
    known : Reading or None
        How an earlier file, such as the training data of a tree, was read; its formats are used unless the user gives
        others.
    numeric : collection of str
        Columns from which the decimal mark of the file is decided: all features.
    words : mapping of str to mapping of str to str
        Words to replace by another word, by column; such a field never means "missing".
    merged : collection of str
        Columns in which words that differ only in capitals, blanks, hyphens or accents are merged.
    missing_in : mapping of str to sequence of str
        Fields that mean "missing" in one column only, by column.
    decimal_in : mapping of str to {".", ","}
        Decimal mark given by the user for a single column, by column.
    dates : mapping of str to DateFormat
        Formats of columns of dates that were settled over more rows than those of this file, by column.

    Attributes
    ----------
    text : CsvText
        The file, without a first row that is not a row of the table (see `leave_out_first_row`).
    missing_values : tuple of str
        `missing`, as given.
    formats : dict of str to NumberFormat or DateFormat
        Formats of the columns read so far, except plain ones.
    notes : list of str
        Sentences about columns that were read in an unusual way.
    decimals : set of str
        Decimal marks of columns read so far that allow no other reading.
    words_read : dict of str to dict of str to str
        For each column of words read so far, the words that were replaced and their replacements.
    blanked : dict of str to dict of str to int
        For each column read so far, the number of rows with each field that was declared missing.
    """

    def __init__(
        self,
        text: CsvText,
        missing: Collection[str],
        where: str,
        *,
        decimal: str | None = None,
        day_first: bool | None = None,
        known: Reading | None = None,
        numeric: Collection[str] = (),
        words: Mapping[str, Mapping[str, str]] | None = None,
        merged: Collection[str] = (),
        missing_in: Mapping[str, Sequence[str]] | None = None,
        decimal_in: Mapping[str, str] | None = None,
        dates: Mapping[str, DateFormat] | None = None,
    ) -> None:
        self.text = text
        self.index = {name: j for j, name in enumerate(text.names)}
        self.missing_values = tuple(missing)
        self._missing = [*missing, ""]
        self._declared = [field for field in missing if field not in MISSING_VALUES]
        self.missing_in = {name: tuple(codes) for name, codes in (missing_in or {}).items()}
        self._some_numbers_are_missing = any(map(is_number, missing))
        self.blanked: dict[str, dict[str, int]] = {}
        self._where = where
        self._decimal = decimal
        self._decimal_in = decimal_in or {}
        self._settled = dates or {}
        self._order = None if day_first is None else ("dmy" if day_first else "mdy")
        self.known = known
        self._numeric = [name for name in numeric if name not in text.refused]
        self.formats: dict[str, NumberFormat | DateFormat] = {}
        self.notes: list[str] = []
        self.filler_dates: list[tuple[str, str, int]] = []
        self.decimals: set[str] = set()
        self._words = words or {}
        self._merged = merged
        self.words_read: dict[str, dict[str, str]] = {}

    def leave_out_first_row(self) -> None:
        """Drop the first row, because it is not a row of the table."""
        columns = tuple(column[1:] for column in self.text.columns)
        self.text = replace(self.text, columns=columns, lines=self.text.lines[1:])

    def words(self, name: str) -> RawColumn:
        """Read a column as declared categories."""
        return as_words(self._categories(name, self._present(name, self._fields(name))))

    def zero_led(self, names: Iterable[str]) -> list[str]:
        """Return the columns in which some fields have leading zeros, as codes have."""
        begins = r"^\s*0[0-9]+\s*$"
        return [name for name in names if self._fields(name).head(GLANCE).str.contains(begins).any()]

    def spellings(self, name: str, value: float) -> list[str]:
        """Return the fields of a column that have the given value, as in the file, the most frequent first."""
        if name not in self.index:  # a part of a date
            return []
        fields = self._present(name, self._fields(name))
        usual, written = usual_numbers(fields, self.text.encoding), self.formats.get(name)
        if isinstance(written, NumberFormat):
            values = to_numbers(usual, written)
        else:  # plain numbers; beside text they may have decimal commas
            bare = without_measure(usual, measure_of(usual.drop_nulls()))
            values = to_numbers(bare.str.replace(",", ".", literal=True), NumberFormat())
        return by_rows(fields.filter((values == value).fill_null(False)))

    def typed(self, name: str) -> list[RawColumn]:
        """Read a column by the rule; dates become several columns."""
        if name in self._settled:
            return self._settled_dates(name, self._settled[name])
        fields = self._fields(name)
        if (plain := self._plain(name, fields)) is not None:
            return [plain]
        fields = self._present(name, fields)
        n_known = len(fields) - fields.null_count()
        if (truth := truth_values(name, fields)) is not None:
            return [truth]
        usual = usual_numbers(fields, self.text.encoding)
        unit = measure_of(usual.drop_nulls())
        bare = without_measure(usual, unit)
        numbers = looks_like_number(bare.drop_nulls())
        if numbers.all():
            return [self._written_numbers(name, usual, self._choose(name, bare, unit), fields)]
        days = usual_dates(usual)
        dates = looks_like_date(days.drop_nulls())
        if dates.all() and (found := self._dates(name, days, fields)) is not None:
            return found
        for like, what in ((numbers, "numbers"), (dates, "dates")):
            flagged = what == "numbers" and has_flags(usual.drop_nulls())
            if n_known < 2 * like.sum() < 2 * n_known or (flagged and like.any()):
                raise self._mixture(name, fields, bare, like, what)
        return [self._categories(name, fields)]

    def numbers(self, name: str, *, is_feature: bool = True) -> RawColumn:
        """Read a column that must hold numbers or true/false, in the format of an earlier reading if there is one."""
        fields = self._fields(name)
        told = self._decimal_in.get(name, self._decimal)
        before = None if self.known is None or told is not None else self._format_before(name)
        if before is None and (plain := self._plain(name, fields)) is not None:
            return plain
        fields = self._present(name, fields)
        if (truth := truth_values(name, fields)) is not None:
            return truth
        amounts = before is not None and bool(before.thousands or before.unit)
        usual = usual_numbers(fields, self.text.encoding, amounts=amounts)
        unit = measure_of(usual.drop_nulls()) if before is None else before.unit
        bare = without_measure(usual, unit)
        like = looks_like_number(bare.drop_nulls())
        if not like.all():
            raise self._mixture(name, fields, bare, like, "numbers", is_feature)
        written = before if before is not None else self._choose(name, bare, unit)
        return self._written_numbers(name, usual, written, fields)

    def as_dates(self, name: str) -> tuple[pl.Series, pl.Series]:
        """Return the fields of a column, null if missing, and the same with dates in their usual form."""
        fields = self._present(name, self._fields(name))
        return fields, usual_dates(usual_numbers(fields, self.text.encoding))

    def has_dates(self, name: str) -> bool:
        """Whether some field of a column looks like a date."""
        import polars as pl

        fields = self._fields(name)
        if fields.cast(pl.Float64, strict=False).null_count() == fields.null_count():
            return False  # plain numbers, the usual case
        if not fields.str.contains(r"\d").any():
            return False
        return bool(looks_like_date(self.as_dates(name)[1].drop_nulls()).any())

    def text_among_dates(self, name: str) -> InputError:
        """Return the error about a column of which some known fields are not dates."""
        fields, days = self.as_dates(name)
        return self._mixture(name, fields, fields, looks_like_date(days.drop_nulls()), "dates")

    def part_of_date(self, name: str, part: str, written: DateFormat) -> RawColumn:
        """Read one part of each date, in the format of the earlier reading."""
        fields = usual_dates(usual_numbers(self._present(name, self._fields(name))))
        if self._order is not None and written.order != "ymd":
            written = DateFormat(self._order, written.mark, written.offered, written.reference)
        dates = read_dates(fields, written)
        self._check_dates(name, fields, dates.days, written)
        return RawColumn(f"{name} ({part})", parts_of(dates, written)[part])

    def labels(self, name: str, faults: list[InputError] | None = None) -> NDArray[Any]:
        """Read the target: integers, numbers or text; missing labels raise an error, or are appended to `faults`."""
        import polars as pl

        try:
            fields = self._complete(name, f"The target {name!r}", of_labels=True)
        except InputError as error:
            if faults is None:
                raise
            faults.append(error)
            fields = self._present(name, self._fields(name)).drop_nulls()
        integers = fields.cast(pl.Int64, strict=False)
        if not integers.null_count():
            return integers.to_numpy().copy()
        numbers = fields.cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy()
        if (np.abs(numbers) < LARGEST_EXACT_INTEGER).all():  # above this, two labels could become equal
            return numbers.copy()
        return np.array(fields.to_list(), dtype=np.str_)

    def weights(self, name: str) -> NDArray[np.float64]:
        """Read row weights: numbers of at least 0, none missing."""
        return self.complete_numbers(name, f"The weight {name!r}", negative=False)

    def complete_numbers(self, name: str, subject: str, *, negative: bool = True) -> NDArray[np.float64]:
        """Read a column that is no feature, as numbers, none missing; `subject` names it where some are."""
        self._complete(name, subject)
        numbers = self.numbers(name, is_feature=False).numbers
        assert numbers is not None  # read as numbers above
        rows = np.flatnonzero(numbers < 0)
        if len(rows) and not negative:
            raise InputError(
                f"{subject} is negative in {count_of(len(rows), 'row')} of {self._where} ({self._lines(rows)}), such "
                f"as {numbers[rows[0]]:g}. Correct these numbers, which are at least 0, or leave "
                f"{'this row' if len(rows) == 1 else 'these rows'} out."
            )
        return numbers

    def _fields(self, name: str) -> pl.Series:
        if name in self.text.refused:
            raise InputError(self.text.refused[name])
        return self.text.columns[self.index[name]]

    def first_fields(self, name: str) -> pl.Series:
        """Return the first fields of a column, stripped; those that mean missing are null."""
        fields = self.text.columns[self.index[name]].head(GLANCE)
        return present(fields, self._blank(name), self._codes(name))[0]

    def _blank(self, name: str) -> list[str]:
        return [field for field in self._missing if field not in self._words.get(name, ())]

    def _codes(self, name: str) -> list[str]:
        declared = (*self._declared, *self.missing_in.get(name, ()))
        return [field for field in declared if field not in self._words.get(name, ())]

    def _present(self, name: str, fields: pl.Series) -> pl.Series:
        """Strip the fields of a column and make the missing ones null; count the fields that were declared missing."""
        known, counted = present(fields, self._blank(name), self._codes(name))
        if self._codes(name):
            self.blanked[name] = counted
        return known

    def _complete(self, name: str, subject: str, of_labels: bool = False) -> pl.Series:
        fields = self._present(name, self._fields(name))
        if fields.null_count():
            rows = np.flatnonzero(fields.is_null().to_numpy())
            one = len(rows) == 1
            advice = f"Leave {'this row' if one else 'these rows'} out, or fill {'it' if one else 'them'} in."
            marks = fields.drop_nulls().unique()
            if of_labels and len(marks) == 1 and not one:
                advice = f"All others hold {marks[0]!r}: if an empty field means 'no', write a word such as 'no' in it."
            raise InputError(
                f"{subject} is missing in {len(rows)} row{'' if one else 's'} of {self._where} "
                f"({self._lines(rows)}). {advice}"
            )
        return fields

    def _categories(self, name: str, fields: pl.Series) -> RawColumn:
        """Read words, and replace those that stand for another word."""
        names = dict(self._words.get(name, {}))
        if name in self._merged:
            names = one_spelling(by_rows(fields)) | names
        if self.known is None and (said := na_as_a_word(name, self._fields(name), fields)):
            self.notes.append(said)
        self.words_read[name] = names
        return words_of(name, fields.replace(names) if names else fields)

    def _plain(self, name: str, fields: pl.Series) -> RawColumn | None:
        """Read numbers as Python writes them, the usual case; None if a field is not, or may have another meaning."""
        import polars as pl

        numbers = fields.cast(pl.Float64, strict=False)
        if numbers.null_count() or self._some_numbers_are_missing or name in self.missing_in:
            fields = self._present(name, fields)
            numbers = fields.cast(pl.Float64, strict=False)
            if numbers.null_count() > fields.null_count():
                return None
        if has_points(fields, numbers):
            if not fields.head(GLANCE).str.contains(SURE_POINT).any():
                written = self._choose(name, self._present(name, fields))
                if not written.is_plain:
                    return self._written_numbers(name, self._present(name, fields), written, fields)
                self._note_exponents(name, fields)
            else:
                self.decimals.add(".")
        values = numbers.fill_null(np.nan).to_numpy() if numbers.null_count() else numbers.to_numpy()
        self._check_numbers(name, values, fields)
        return RawColumn(name, values)

    def _note_exponents(self, name: str, fields: pl.Series) -> None:
        """Say which number a field such as 1E5 is: some codes look so, and most programs write 1e+05 or 1.0E5."""
        found = fields.filter(fields.str.contains(BARE_EXPONENT).fill_null(False))
        if len(found) and self.known is None:
            self.notes.append(
                f"Column {name!r} holds {found[0]!r}, which is read as the number {float(found[0]):.12g}; if it is a "
                "code, declare the column categorical."
            )

    def _choose(self, name: str, fields: pl.Series, unit: str = "") -> NumberFormat:
        """Decide the number format of a column from which a unit of measurement was already removed."""
        evidence = evidence_of(fields)
        if evidence.decimal is not None:
            self.decimals.add(evidence.decimal)
        silent = evidence.is_silent or evidence.decimal is not None
        written = choose_format(
            f"Column {name!r} of {self._where}",
            evidence,
            name=name,
            told=self._decimal_in.get(name, self._decimal),
            elsewhere=None if silent else self._file_decimal,
            separator=self.text.separator,
        )
        if unit:
            return replace(written, unit=unit)
        return of_percentages(name, f"Column {name!r} of {self._where}", fields, written)

    @cached_property
    def _file_decimal(self) -> str | None:
        """Decimal mark of the file if there is no doubt about it: from an earlier reading, or from all features."""
        if self.known is not None and self.known.decimal is not None:
            return self.known.decimal
        found = self._of_numeric(looks_like_number, lambda own: evidence_of(own).decimal) - {None}
        return found.pop() if len(found) == 1 else None

    def _of_numeric(
        self, like: Callable[[pl.Series], pl.Series], found: Callable[[pl.Series], str | None]
    ) -> set[str | None]:
        """Return the results of `found` for all features whose known fields are all `like`."""
        own = (self._present(name, self._fields(name)).drop_nulls().unique() for name in self._numeric)
        usual = (usual_numbers(distinct, self.text.encoding) for distinct in own)
        return {found(distinct) for distinct in usual if len(distinct) and like(distinct).all()}

    def _format_before(self, name: str) -> NumberFormat | None:
        assert self.known is not None  # checked by the caller
        written = self.known.columns.get(name)
        return written if isinstance(written, NumberFormat) else None

    def _written_numbers(
        self, name: str, fields: pl.Series, written: NumberFormat, as_written: pl.Series
    ) -> RawColumn:
        """Read numbers in their usual form; `as_written` has the fields as they are in the file, for messages."""
        values = to_numbers(fields, written)
        odd = values.is_null() & fields.is_not_null()
        if odd.any():
            rows = np.flatnonzero(odd.to_numpy())
            before = "" if self.known is None else ", as when the tree was made"
            these = quoted(as_written.filter(odd).unique(maintain_order=True))
            another = "give decimal_comma=True or decimal_comma=False"
            wrong = f"is not in this format. If the file uses another one, {another}."
            if to_numbers(fields.filter(odd), replace(written, some_without_sign=True)).null_count() == 0:
                wrong = "lacks the % sign. Write it there, so that percentages and shares can be told apart."
            raise InputError(
                f"Column {name!r} of {self._where} is read with {written.in_words()}{before}; {these} "
                f"({self._lines(rows)}) {wrong}"
            )
        if (example := minus_behind(fields)) is not None:
            self.notes.append(f"Column {name!r} has minus signs behind its numbers: {example!r} is negative.")
        bracketed = as_written.filter(as_written.str.starts_with("(") & (values < 0))
        if len(bracketed):
            self.notes.append(f"Column {name!r} has numbers in brackets: {bracketed[0]!r} is negative.")
        if not written.is_plain:
            self.formats[name] = written
            signs = "%" if written.some_without_sign else r"[^0-9.+-]"
            marked = fields.str.contains(signs).fill_null(False)
            plain, shown = values.filter(marked), as_written.filter(marked)
            if not len(shown):
                plain, shown = values.drop_nulls(), as_written.drop_nulls()
            field = str(shown[0]).strip().translate(PLAIN_BLANKS) if len(shown) else ""
            example = f": {field!r} is {plain[0]:.12g}" if field else ""
            said = f"Column {name!r} is read as numbers with {written.in_words()}{example}."
            self.notes.append(said + _without_sign(as_written, values, written, again=self.known is not None))
        numbers = values.fill_null(np.nan).to_numpy()
        self._check_numbers(name, numbers, fields)
        return RawColumn(name, numbers)

    def _dates(self, name: str, fields: pl.Series, as_written: pl.Series) -> list[RawColumn] | None:
        """Read a column of dates as one column per part; None if its dates are not all in one format."""
        order, mark = order_of(fields)
        if order == "":
            return None
        if order is None:
            order = choose_order(
                f"Column {name!r} of {self._where}",
                fields.drop_nulls()[0],
                told=self._order,
                elsewhere=self._file_order,
            )
        dates = read_dates(fields, DateFormat(order, mark))
        written = offered_parts(dates, order, mark)
        self._check_dates(name, as_written, dates.days, written)
        if self.known is None:
            refuse_two_centuries(name, f"Column {name!r} of {self._where}", as_written, dates.days)
        self._note_fillers(name, as_written, dates.days)
        others = begins_with_year(fields).sum() if order != "ymd" else 0
        form = f"{written.in_words()}; in {others:,} rows the year first" if others else written.in_words()
        spelled = as_written.filter((as_written != fields).fill_null(False))
        form = f"{form}; {spelled[0]!r} is {fields.filter(as_written != fields)[0]}" if len(spelled) else form
        short = np.flatnonzero(short_years(as_written).to_numpy())
        if len(short) and not len(spelled):
            last = int(short[dates.days[short].argmax()])
            form = f"{form}; {as_written[last]!r} is {dates.days[last]}"
        return self._parts(name, dates, written, form)

    def _parts(self, name: str, dates: Dates, written: DateFormat, form: str) -> list[RawColumn]:
        self.formats[name] = written
        names = written.names(name)
        self.notes.append(note_on_dates(name, written, form))
        return [RawColumn(names[part], values) for part, values in parts_of(dates, written).items()]

    def _settled_dates(self, name: str, written: DateFormat) -> list[RawColumn]:
        """Read a column of dates in a format that was settled; all of them may be missing."""
        as_written, fields = self.as_dates(name)
        dates = read_dates(fields, written)
        self._check_dates(name, as_written, dates.days, written)
        return self._parts(name, dates, written, written.in_words())

    def _note_fillers(self, name: str, as_written: pl.Series, days: NDArray[np.datetime64]) -> None:
        """Keep the fields of dates that seem to mean "unknown", as the file writes them, with their rows."""
        for day in filler_days(days):
            fields = as_written.filter(days == day)
            self.filler_dates += [(name, field, int((fields == field).sum())) for field in by_rows(fields)]

    @cached_property
    def _file_order(self) -> str | None:
        """Order of day and month in the file, if its columns leave no doubt about it."""
        if self.known is not None:
            kept = {own.order for own in self.known.columns.values() if isinstance(own, DateFormat)} - {"ymd"}
            if len(kept) == 1:
                return kept.pop()
        found = self._of_numeric(looks_like_date, lambda own: order_of(own)[0]) & {"dmy", "mdy"}
        return found.pop() if len(found) == 1 else None

    def _check_dates(
        self, name: str, fields: pl.Series, days: NDArray[np.datetime64], written: DateFormat
    ) -> None:
        odd = np.flatnonzero(np.isnat(days) & fields.is_not_null().to_numpy())
        if len(odd):
            shown = fields[odd.tolist()].unique(maintain_order=True).to_list()
            raise InputError(
                f"Column {name!r} of {self._where} holds dates ({written.in_words()}), but {quoted(shown)} "
                f"({self._lines(odd)}) is not such a date. Correct it, or add it to the missing values."
            )

    def _mixture(
        self,
        name: str,
        fields: pl.Series,
        bare: pl.Series,
        like: pl.Series,
        what: str,
        is_feature: bool = True,
    ) -> InputError:
        """Return the error about text among numbers or dates; `bare` has the fields in usual form without unit."""
        import polars as pl

        known = pl.select(pl.when(like).then(bare.drop_nulls()).otherwise(fields.drop_nulls())).to_series()
        rows = np.flatnonzero(fields.is_not_null().to_numpy())[~like.to_numpy()]
        return text_among(
            name, f"Column {name!r} of {self._where}", known, like, what, self._lines(rows), is_feature
        )

    def _check_numbers(self, name: str, values: NDArray[np.float64], fields: pl.Series) -> None:
        check_exact(name, f"Column {name!r} of {self._where}", values, fields, self.text.lines)

    def _lines(self, rows: NDArray[np.int64]) -> str:
        lines = [str(line) for line in self.text.lines[rows[: MOST_LINES + 1]]]  # the last one is not shown
        return f"{plural(len(rows), 'line')} {some_of(lines, MOST_LINES)}"


def _without_sign(fields: pl.Series, values: pl.Series, written: NumberFormat, *, again: bool) -> str:
    """Return the sentence about percentages without their sign; "" if there are none."""
    bare = ~fields.str.contains("[%\uff05]") & values.is_not_null()
    if not written.some_without_sign or not (n_rows := int(bare.sum())):
        return ""
    field, number = str(fields.filter(bare)[0]).strip(), values.filter(bare)[0]
    have, are = ("field has", "is a percentage") if n_rows == 1 else ("fields have", "are percentages")
    if again:
        return f" {n_rows:,} {have} no % sign and {are}, too, as when the tree was made."
    return (
        f" {n_rows:,} {have} no % sign and, as large as the others, {are}, too: {field!r} is {number:.12g} %."
    )
