"""A small table of binary columns with labels that two of them nearly decide, as arrays and as a CSV file."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["written", "yes_no_rows"]


def yes_no_rows() -> tuple[NDArray[Any], NDArray[Any]]:
    """Return 90 rows of five columns, and their labels 0 and 1."""
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, (90, 5))
    y = np.where(rng.random(90) < 0.2, X[:, 2], X[:, 0] & X[:, 1])
    return X, y


def written(path: Path, X: NDArray[Any], y: NDArray[Any]) -> Path:
    """Write the rows with columns a to e and the labels "no" and "yes" in y."""
    rows = np.column_stack([X, np.array(["no", "yes"])[y]]).tolist()
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([["a", "b", "c", "d", "e", "y"], *rows])
    return path
