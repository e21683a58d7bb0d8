"""The rows of a shard on disk: blocks of arrays in numpy's own format, one after the other in one file.

A column whose values in a block are all exact in float32 is stored so, which halves the space of codes, small integers
and single precision.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from treewright.sources import Schema

__all__ = ["Rows", "append_rows", "load_rows"]


@dataclass(frozen=True, eq=False)
class Rows:
    """Some rows.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_columns), float64, Fortran order
    y : ndarray of shape (n_rows,), int32
    weight : ndarray of shape (n_rows,), float64, or None
        Sample weights; None is 1 each.
    """

    X: NDArray[np.float64]
    y: NDArray[np.int32]
    weight: NDArray[np.float64] | None


def append_rows(path: Path, parts: Sequence[Rows]) -> int:
    """Append rows to the file of a shard, and return the bytes written.

    Parameters
    ----------
    path : Path
    parts : sequence of Rows
        At least one; all with weights, or none.

    Raises
    ------
    OSError
        No space is left, or the folder is gone.
    """
    X = np.concatenate([part.X for part in parts])
    single = X.astype(np.float32)
    narrow = ((single == X) | np.isnan(X)).all(axis=0)
    weights = [part.weight for part in parts if part.weight is not None]
    with path.open("ab") as file:
        before = file.tell()
        np.save(file, narrow)
        np.save(file, np.asfortranarray(single[:, narrow]))
        np.save(file, np.asfortranarray(X[:, ~narrow]))
        np.save(file, np.concatenate([part.y for part in parts]))
        np.save(file, np.concatenate(weights) if weights else np.empty(0))
        return file.tell() - before


def load_rows(
    paths: Sequence[Path], schema: Schema, labels: NDArray[np.int32], keep: NDArray[np.bool_]
) -> Rows:
    """Read shards back, in the final codes of columns and labels.

    Parameters
    ----------
    paths : sequence of Path
        Of the shards that are read as one.
    schema : Schema
    labels : ndarray of int32
        Final class of each provisional one.
    keep : ndarray of shape (n_classes,), bool
        Classes whose rows count; those of others are left out.
    """
    blocks: list[Rows] = []
    for path in paths:
        with path.open("rb") as file:
            size = path.stat().st_size
            while file.tell() < size:
                blocks.append(_next_block(file))
    n_rows = sum(len(block.y) for block in blocks)
    X = np.empty((n_rows, len(schema.columns)), dtype=np.float64, order="F")
    start = 0
    for block in blocks:
        X[start : start + len(block.y)] = block.X
        start += len(block.y)
    y = labels[np.concatenate([block.y for block in blocks])]
    weights = [block.weight for block in blocks if block.weight is not None]
    weight = np.concatenate(weights) if weights else None
    schema.recode(X)
    if not keep.all():
        kept = keep[y]
        X, y, weight = np.asfortranarray(X[kept]), y[kept], None if weight is None else weight[kept]
    return Rows(X, y, weight)


def _next_block(file: object) -> Rows:
    narrow, single, double, y, weight = (np.load(file, allow_pickle=False) for _ in range(5))  # type: ignore[arg-type]
    X = np.empty((len(y), len(narrow)), dtype=np.float64, order="F")
    X[:, narrow] = single
    X[:, ~narrow] = double
    return Rows(X, y, weight if len(weight) else None)
