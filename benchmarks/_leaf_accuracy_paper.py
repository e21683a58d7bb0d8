"""What Nemecek et al. (2023) print about the data sets that are rebuilt here: Tables 1, 2, 8 and 9."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

__all__ = ["PAPER", "PAPER_TABLE_1", "Paper", "authors_rows"]


@dataclass(frozen=True)
class Paper:
    """What the paper says about a data set: Tables 8 and 9, out-of-sample means over ten splits.

    Parameters
    ----------
    table : int
        8 (categorical) or 9 (numerical).
    row : str
    n_rows, n_columns : int
        Table 2.
    leaf_cart, leaf_proposed : float
        Leaf accuracy.
    hybrid_cart, hybrid_proposed, xgboost : float
        Accuracy.
    """

    table: int
    row: str
    n_rows: int
    n_columns: int
    leaf_cart: float
    leaf_proposed: float
    hybrid_cart: float
    hybrid_proposed: float
    xgboost: float


PAPER = {
    "compas": Paper(8, "compas-two-years", 4966, 11, 0.4504, 0.5711, 0.6714, 0.6772, 0.6807),
    "credit": Paper(8, "default-of-credit-card-clients", 13272, 21, 0.4471, 0.5246, 0.7110, 0.7117, 0.7184),
    "electricity": Paper(8, "electricity", 38474, 8, 0.6392, 0.6250, 0.8859, 0.8781, 0.8861),
    "eye": Paper(8, "eye_movements", 7608, 23, 0.4202, 0.4109, 0.6303, 0.6449, 0.6677),
    "bank": Paper(9, "bank-marketing", 10578, 7, 0.4861, 0.5837, 0.8001, 0.8003, 0.8044),
    "california": Paper(9, "california", 20634, 8, 0.5593, 0.6861, 0.8827, 0.8914, 0.8997),
    "diabetes": Paper(9, "Diabetes130US", 71090, 7, 0.4630, 0.5204, 0.6028, 0.6051, 0.6059),
    "heloc": Paper(9, "heloc", 10000, 22, 0.4881, 0.6722, 0.7128, 0.7188, 0.7183),
    "magic": Paper(9, "MagicTelescope", 13376, 10, 0.5168, 0.6835, 0.8478, 0.8518, 0.8605),
    "pol": Paper(9, "pol", 10082, 26, 0.6073, 0.6550, 0.9810, 0.9811, 0.9915),
}

# Table 1: min, mean and max over data sets of the paper's model less another one.
PAPER_TABLE_1 = {
    ("leaf accuracy", "CART", "categorical"): (-0.0142, 0.0569, 0.1206),
    ("leaf accuracy", "CART", "numerical"): (-0.0061, 0.0770, 0.1841),
    ("hybrid accuracy", "CART", "categorical"): (-0.0078, 0.0040, 0.0147),
    ("hybrid accuracy", "CART", "numerical"): (-0.0244, 0.0004, 0.0087),
    ("hybrid accuracy", "XGBoost", "categorical"): (-0.0228, -0.0095, -0.0036),
    ("hybrid accuracy", "XGBoost", "numerical"): (-0.0276, -0.0108, 0.0005),
}

# The authors' files, and the end of the names of their columns: the gradual strategy has those of each depth.
AUTHORS = {
    "warm": ("warmstart_base_results.csv.gz", ""),
    "direct": ("direct_base_results.csv.gz", ""),
    **{f"gradual, depth {depth}": ("gradual_base_results.csv.gz", str(depth)) for depth in (1, 2, 3, 4)},
    "OCT, warm": ("OCT_base_results.csv.gz", ""),
}


def authors_rows(folder: Path) -> list[dict[str, Any]]:
    """Return means over the splits and data sets of the authors' result files; the warm start began with CART."""
    found = []
    for method, (file, end) in AUTHORS.items():
        results = pl.read_csv(folder / file)
        for kind in ("categorical", "numerical"):
            rows = results.filter(pl.col("DataType") == kind)
            columns = {
                "worst leaf, test, before": f"TestLeafAcc{end}",
                "worst leaf, test": f"ReducedTestLeafAcc{end}",
                "accuracy, test": f"ReducedTestAcc{end}",
                "leaves removed": f"RemovedLeaves{end}",
                "memory, GB": "MemRSS",
                "bound": f"ObjBound{end}",
            }
            means = {name: rows[column].mean() for name, column in columns.items()}
            sets = rows["DatasetName"].n_unique()
            found.append({"method": method, "data": kind, "data sets": sets, "runs": len(rows), **means})
            if method == "warm":
                start = {
                    "worst leaf, test, before": "StartTestLeafAcc",
                    "worst leaf, test": "StartReducedTestLeafAcc",
                }
                start["accuracy, test"] = "StartReducedTestAcc"
                begun = {name: rows[column].mean() for name, column in start.items()}
                told = {"method": "its start, CART", "data": kind, "data sets": sets, "runs": len(rows)}
                found.append({**told, **begun, "leaves removed": None, "memory, GB": None, "bound": None})
    return found
