"""Tables with typed columns from numpy arrays, pandas and polars frames, and CSV, Parquet and Arrow files.

The modules that read and examine files are loaded on first use, because a search does not need them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from treewright.table._blank import with_blank_column
from treewright.table._containers import names_of_frame as names_of_frame
from treewright.table._encode import encode_column, encode_like
from treewright.table._faults import ColumnFault as ColumnFault
from treewright.table._file_faults import NoRowsError as NoRowsError
from treewright.table._file_faults import together as together
from treewright.table._from_data import NEVER_USED as NEVER_USED
from treewright.table._from_data import read_columns, table_from
from treewright.table._indicators import check_indicators as check_indicators
from treewright.table._order import outside_of_order as outside_of_order
from treewright.table._polars import need_polars
from treewright.table._quantity import is_no_class
from treewright.table._raw import RawColumn
from treewright.table._table import Table
from treewright.table._value_ranks import ValueRanks

if TYPE_CHECKING:
    from treewright.table._column_of_numbers import load_numbers as load_numbers
    from treewright.table._csv import CsvTable, header_of, load_csv, load_leniently, renamed
    from treewright.table._csv import load_part as load_part
    from treewright.table._date_survey import DateSpan as DateSpan
    from treewright.table._date_survey import DateSurvey as DateSurvey
    from treewright.table._dates import note_on_dates as note_on_dates
    from treewright.table._expand_dates import dates_of as dates_of
    from treewright.table._expand_dates import expand_dates
    from treewright.table._finding import Finding
    from treewright.table._formats import DateFormat, NumberFormat, Reading, is_unit
    from treewright.table._formats import joined_missing as joined_missing
    from treewright.table._groupings import load_groups
    from treewright.table._look import joined_words as joined_words
    from treewright.table._look import look, look_at
    from treewright.table._look_result import NONE_LEFT as NONE_LEFT
    from treewright.table._look_result import Look
    from treewright.table._read_settings import read_settings
    from treewright.table._settings import ColumnNote, Settings, settings_of, settings_text
    from treewright.table._spellings import rename_labels, spellings
    from treewright.table._to_frame import to_frame

_HOME = {
    "ColumnNote": "_settings",
    "CsvTable": "_csv",
    "DateFormat": "_formats",
    "DateSpan": "_date_survey",
    "DateSurvey": "_date_survey",
    "Finding": "_finding",
    "Look": "_look_result",
    "NONE_LEFT": "_look_result",
    "NumberFormat": "_formats",
    "Reading": "_formats",
    "Settings": "_settings",
    "dates_of": "_expand_dates",
    "expand_dates": "_expand_dates",
    "header_of": "_csv",
    "is_unit": "_formats",
    "joined_missing": "_formats",
    "joined_words": "_look",
    "load_csv": "_csv",
    "load_groups": "_groupings",
    "load_leniently": "_csv",
    "load_numbers": "_column_of_numbers",
    "load_part": "_csv",
    "look": "_look",
    "look_at": "_look",
    "note_on_dates": "_dates",
    "read_settings": "_read_settings",
    "rename_labels": "_spellings",
    "renamed": "_csv",
    "settings_of": "_settings",
    "settings_text": "_settings",
    "spellings": "_spellings",
    "to_frame": "_to_frame",
}

__all__ = [
    "ColumnNote",
    "CsvTable",
    "DateFormat",
    "Finding",
    "Look",
    "NumberFormat",
    "RawColumn",
    "Reading",
    "Settings",
    "Table",
    "ValueRanks",
    "encode_column",
    "encode_like",
    "expand_dates",
    "header_of",
    "is_no_class",
    "is_unit",
    "load_csv",
    "load_groups",
    "load_leniently",
    "look",
    "look_at",
    "need_polars",
    "read_columns",
    "read_settings",
    "rename_labels",
    "renamed",
    "settings_of",
    "settings_text",
    "spellings",
    "table_from",
    "to_frame",
    "with_blank_column",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'treewright.table' has no attribute {name!r}")
    return getattr(import_module(f"treewright.table.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
