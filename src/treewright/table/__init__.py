"""Typed columns from numpy, pandas, polars and CSV."""

from treewright.table._table import Table

__all__ = ["Table"]
