"""Typed columns from numpy, pandas, polars and CSV."""

from treewright.table._csv import CsvTable, header_of, load_csv
from treewright.table._formats import MISSING_VALUES, DateFormat, NumberFormat, Reading
from treewright.table._from_data import encode_like, table_from
from treewright.table._table import Table
from treewright.table._to_frame import to_frame

__all__ = [
    "MISSING_VALUES",
    "CsvTable",
    "DateFormat",
    "NumberFormat",
    "Reading",
    "Table",
    "encode_like",
    "header_of",
    "load_csv",
    "table_from",
    "to_frame",
]
