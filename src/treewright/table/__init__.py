"""Typed columns from numpy, pandas, polars and CSV."""

from treewright.table._csv import CsvTable, load_csv
from treewright.table._from_data import encode_like, table_from
from treewright.table._table import Table
from treewright.table._to_frame import to_frame

__all__ = ["CsvTable", "Table", "encode_like", "load_csv", "table_from", "to_frame"]
