"""Columns of dates in a table of several files, or of one that is read in blocks: one format of each over all rows.

The parts of a date that vary, the day from which ages are counted, and the order of day and month depend on all rows.
So all parts of the table are read for them before its rows are used: every part adds the orders that its fields allow
and the range of each part of a date, in both orders where the order is open. The result does not depend on the order in
which the parts come. Only columns in which some field looked like a date at a glance are read.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.errors import InputError
from treewright.table._centuries import are_two_centuries, short_years, two_centuries
from treewright.table._dates import Dates, choose_order, looks_like_date, order_of, parts_of, read_dates
from treewright.table._expand_dates import dates_of
from treewright.table._fields import FieldReader
from treewright.table._formats import DATE_PARTS, DateFormat, Reading
from treewright.table._raw import quoted
from treewright.table._read_again import field_reader, read_with

if TYPE_CHECKING:
    import polars as pl

__all__ = ["DateSpan", "DateSurvey"]

OPEN = "open"  # the fields allow both orders of day and month
SEVERAL = "several"  # the fields contradict each other
TELLING = ("dmy", "mdy", SEVERAL, OPEN, "ymd")  # forms that contradict another one come first
VARYING = tuple(part for part in DATE_PARTS if part != "age")  # parts that are offered only if they vary
WITH_POINTS = r"^([0-9]{1,2})\.([0-9]{1,2})\."


@dataclass
class DateSpan:
    """The latest of some dates, and the least and greatest number of each part.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.table import DateSpan
    >>> span = DateSpan()
    >>> span.add({"year": 2020.0, "month": 1.0}, {"year": 2020.0, "month": 3.0}, np.datetime64("2020-03-05"))
    >>> span.format("ymd", "-")
    DateFormat(order='ymd', mark='-', offered=('month', 'age'), reference='2020-03-05')
    """

    latest: np.datetime64 | None = None
    least: dict[str, float] = field(default_factory=dict)
    greatest: dict[str, float] = field(default_factory=dict)

    def add(
        self, least: Mapping[str, float], greatest: Mapping[str, float], latest: np.datetime64 | None
    ) -> None:
        """Add other dates; parts that none of them has are absent."""
        if latest is not None:
            self.latest = latest if self.latest is None else max(self.latest, latest)
        for part in least:
            self.least[part] = min(least[part], self.least.get(part, np.inf))
            self.greatest[part] = max(greatest[part], self.greatest.get(part, -np.inf))

    def add_dates(self, dates: Dates) -> None:
        """Add the dates of a column, of which some may be missing."""
        least, greatest = {}, {}
        for part, values in parts_of(dates, DateFormat("ymd", "-", VARYING)).items():
            known = values[~np.isnan(values)]
            if len(known):
                least[part], greatest[part] = float(known.min()), float(known.max())
        days = dates.days[~np.isnat(dates.days)]
        self.add(least, greatest, days.max() if len(days) else None)

    def add_frame(self, frame: Any, column: str) -> None:
        """Add the dates of a column of an eager frame; one without any value has no type."""
        import narwhals as nw

        dates = dates_of(nw.from_native(frame, eager_only=True)[column])
        if dates is not None:
            self.add_dates(dates)

    def format(self, order: str, mark: str) -> DateFormat:
        """Return the format with the parts that vary and the age, counted from the latest date."""
        offered = tuple(
            part
            for part in DATE_PARTS
            if part == "age" or (part in self.least and self.least[part] < self.greatest[part])
        )
        return DateFormat(order, mark, offered, str(self.latest or "1970-01-01"))


@dataclass
class _Column:
    """What is known of a column so far."""

    example: str = ""  # a field whose day and month could be swapped
    forms: dict[tuple[str, str], str] = field(default_factory=dict)  # order and mark: where it came first
    spans: dict[str, DateSpan] = field(default_factory=lambda: {"dmy": DateSpan(), "mdy": DateSpan()})
    others: str = ""  # where fields are no dates, and what they are
    short: bool = False  # whether some years have two digits

    def see(self, days: pl.Series, origin: str) -> None:
        order, mark = _order_of(days.drop_nulls())
        self.forms.setdefault((order, mark), origin)
        if order == OPEN and not self.example:
            self.example = str(days.drop_nulls()[0])
        if order == SEVERAL:
            return
        for own in self.spans if order in ("ymd", OPEN) else (order,):
            self.spans[own].add_dates(read_dates(days, DateFormat("ymd" if order == "ymd" else own, mark)))

    @property
    def orders(self) -> set[str]:
        """The orders of day and month that the fields of some part allow alone."""
        own = {order for order, _ in self.forms if order in ("dmy", "mdy")}
        return own or {"dmy" for order, mark in self.forms if (order, mark) == (OPEN, ".")}

    def finish(self, name: str, of: str, told: str | None, elsewhere: str | None) -> DateFormat | None:
        if not self.forms or all(order == SEVERAL for order, _ in self.forms):
            return None  # read as text, as in a single file
        if self.others:
            raise InputError(
                f"Column {name!r} holds dates in {next(iter(self.forms.values()))}, but {self.others}. Make it dates "
                "everywhere, declare it categorical, or leave it out."
            )
        with_order = [form for form in self.forms if form[0] != "ymd"]
        if (SEVERAL in dict(with_order)) or len({mark for _, mark in with_order}) > 1 or len(self.orders) > 1:
            two = sorted(self.forms, key=lambda form: TELLING.index(form[0]))
            told_of = [f"{_in_words(*form)} in {self.forms[form]}" for form in two[:2]]
            raise InputError(
                f"The dates of column {name!r} are {', but '.join(told_of)}. Write them in one way in all files, "
                "such as 2024-12-31, declare the column categorical, or leave it out."
            )
        if not with_order:
            self._check_years(name, of, self.spans["dmy"])
            return self.spans["dmy"].format(*next(iter(self.forms)))
        order = next(iter(self.orders), None)
        if order is None:
            order = choose_order(
                f"Column {name!r} of {of}", self.example, told=told, elsewhere=elsewhere, where="any file"
            )
        self._check_years(name, of, self.spans[order])
        return self.spans[order].format(order, with_order[0][1])

    def _check_years(self, name: str, of: str, span: DateSpan) -> None:
        years = [years.get("year", np.nan) for years in (span.least, span.greatest)]
        if self.short and are_two_centuries(*years):
            read = f"some would be dates of {years[0]:.0f}, and others of {years[1]:.0f}"
            raise two_centuries(name, f"Column {name!r} of {of}", read)


class DateSurvey:
    r"""Reads the parts of a table for its columns of dates.

    Parameters
    ----------
    of : str
        The table, for messages.
    reading : Reading or None
        How files of this kind were read before; columns of dates that it knows keep their format.
    apart : collection of str
        Columns that are not read as dates: labels, weights, and what is left out or declared categorical.
    options : mapping of str to object
        Options of `load_csv` that say how a file is read (`Settings.reading_options`).

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from treewright.table import DateSurvey, Settings
    >>> survey = DateSurvey("rows", None, ["y"], Settings().reading_options())
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name, day in (("a", "03.04.2020"), ("b", "05.04.2020")):
    ...         path = Path(folder) / f"{name}.csv"
    ...         _ = path.write_text(f"day,y\n{day},0\n")
    ...         survey.glance(path)
    ...         survey.add(path, path.name)
    >>> survey.finish()["day"].reference
    '2020-04-05'
    """

    def __init__(
        self, of: str, reading: Reading | None, apart: Collection[str], options: Mapping[str, Any]
    ) -> None:
        self._names: set[str] = set()  # columns that may hold dates
        self._all = False
        self._of = of
        self._reading = reading
        self._options = dict(options)
        kept = {} if reading is None else reading.columns
        self._kept = {own.order for own in kept.values() if isinstance(own, DateFormat)} - {"ymd"}
        self._apart = {*apart, *(name for name, own in kept.items() if isinstance(own, DateFormat))}
        self._columns: dict[str, _Column] = {}

    @property
    def is_open(self) -> bool:
        """Whether some column may hold dates, so that all parts have to be read."""
        return self._all or bool(self._names)

    def glance(self, path: Path) -> None:
        """Read the first rows of a part, or some others, and note the columns that may hold dates."""
        reader = self._open(path, [])
        self._names |= {
            name for name in {*reader.text.names} - self._apart - self._names if reader.has_dates(name)
        }

    def suspect_all(self) -> None:
        """Note that any column may hold dates, where a glance failed."""
        self._all = True

    def add(self, path: Path, origin: str) -> None:
        """Read the columns that may hold dates in a part.

        Raises
        ------
        InputError
            If the part cannot be read, or more than half of a column, but not all of it, are dates.
        """
        import polars as pl

        reader = self._open(path, sorted(self._names))
        names = {*reader.text.names} - self._apart
        for name in sorted(names if self._all else names & self._names):
            fields, days = reader.as_dates(name)
            known = days.drop_nulls()
            if known.is_empty():
                continue
            column = self._columns.setdefault(name, _Column())
            like = looks_like_date(known)
            if like.all():
                column.short |= self._reading is None and bool(short_years(fields).any())
                column.see(days, origin)
            elif 2 * like.sum() > len(known):
                raise reader.text_among_dates(name)
            elif not column.others:
                numbers = fields.drop_nulls().cast(pl.Float64, strict=False).null_count() == 0
                odd = fields.drop_nulls().filter(~like)
                column.others = f"{'numbers' if numbers else 'text'} such as {quoted(odd[:1])} in {origin}"

    def finish(self) -> dict[str, DateFormat]:
        """Return the format of each column of dates.

        Raises
        ------
        InputError
            If a column holds dates in one part and no dates, or dates of another format, in another; or nothing decides
            the order of day and month.
        """
        day_first = self._options.get("day_first")
        told = None if day_first is None else ("dmy" if day_first else "mdy")
        orders = self._kept or {order for column in self._columns.values() for order in column.orders}
        elsewhere = next(iter(orders)) if len(orders) == 1 else None
        found = {
            name: column.finish(name, self._of, told, elsewhere)
            for name, column in sorted(self._columns.items())
        }
        return {name: written for name, written in found.items() if written is not None}

    def _open(self, path: Path, names: list[str]) -> FieldReader:
        options = dict(self._options)
        text = read_with(self._reading, path, options.pop("separator"), options.pop("encoding"), names)
        return field_reader(text, path.name, self._reading, numeric=names, **options)


def _order_of(known: pl.Series) -> tuple[str, str]:
    """Return the order and mark of dates; that days are first where the mark is a point leaves the order open."""
    order, mark = order_of(known)
    if mark == "." and order == "dmy":
        order, _ = order_of(known.str.replace(WITH_POINTS, "${1}/${2}/"))
    return OPEN if order is None else order or SEVERAL, mark


def _in_words(order: str, mark: str) -> str:
    if order == SEVERAL:
        return "written in several ways"
    if order == OPEN:
        return f"numbers with {mark!r} between them"
    return DateFormat(order, mark).in_words()
