"""Typed columns from numpy, pandas, polars and CSV."""

from treewright.table._csv import CsvTable, load_csv
from treewright.table._from_data import encode_like, table_from
from treewright.table._table import Table

__all__ = ["CsvTable", "Table", "encode_like", "load_csv", "table_from"]
