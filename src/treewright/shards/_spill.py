"""The rows of a shard on disk: blocks of arrays in numpy's own format, one after the other in one file.

A block holds each of its columns in the narrowest type that is exact (`_narrow`): a byte a value for codes and small
whole numbers, four for single precision.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.shards._narrow import KINDS, kind_of, widened
from treewright.sources import Schema

__all__ = ["Block", "Rows", "append_rows", "load_rows"]


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


@dataclass(frozen=True, eq=False)
class Block:
    """Some rows, each column in a narrow type.

    Parameters
    ----------
    columns : list of ndarray of shape (n_rows,)
        What `narrowed` returned.
    y : ndarray of shape (n_rows,), int32
    weight : ndarray of shape (n_rows,), float64, or None
    """

    columns: list[NDArray[Any]]
    y: NDArray[np.int32]
    weight: NDArray[np.float64] | None

    @property
    def nbytes(self) -> int:
        """Bytes of its columns and labels."""
        return sum(column.nbytes for column in self.columns) + self.y.nbytes

    def take(self, rows: slice) -> Block:
        """Return some of the rows, without copying them."""
        weight = None if self.weight is None else self.weight[rows]
        return Block([column[rows] for column in self.columns], self.y[rows], weight)


def append_rows(path: Path, block: Block) -> int:
    """Append rows to the file of a shard, and return the bytes written.

    Parameters
    ----------
    path : Path
    block : Block

    Raises
    ------
    OSError
        No space is left, or the folder is gone.
    """
    kinds = np.array([kind_of(column) for column in block.columns], dtype=np.uint8)
    n_rows = len(block.y)
    with path.open("ab") as file:
        before = file.tell()
        np.save(file, kinds)
        for kind, dtype in enumerate(KINDS):
            own = [column for column in block.columns if column.dtype == dtype]
            _save_stacked(file, own, n_rows, KINDS[kind])
        np.save(file, block.y.astype(np.min_scalar_type(int(block.y.max(initial=0)))))
        np.save(file, np.empty(0) if block.weight is None else block.weight)
        return file.tell() - before


def _save_stacked(file: Any, columns: Sequence[NDArray[Any]], n_rows: int, dtype: Any) -> None:
    """Write what `np.save` writes of the stacked columns, without a copy of them all."""
    array = np.dtype(dtype)
    header = {
        "descr": np.lib.format.dtype_to_descr(array),
        "fortran_order": False,
        "shape": (len(columns), n_rows),
    }
    np.lib.format.write_array_header_1_0(file, header)
    for column in columns:
        file.write(np.ascontiguousarray(column).data)


def load_rows(
    paths: Sequence[Path],
    schema: Schema,
    labels: NDArray[np.int32],
    keep: NDArray[np.bool_],
    columns: Collection[int] | None = None,
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
    columns : collection of int, default=None
        Those that are needed, all others may hold anything; None is all.
    """
    blocks: list[Block] = []
    for path in paths:
        with path.open("rb") as file:
            size = path.stat().st_size
            while file.tell() < size:
                blocks.append(_next_block(file))
    n_rows = sum(len(block.y) for block in blocks)
    wanted = range(len(schema.columns)) if columns is None else sorted(columns)
    X = np.empty((n_rows, len(schema.columns)), dtype=np.float64, order="F")
    start = 0
    for block in blocks:
        end = start + len(block.y)
        for j in wanted:
            X[start:end, j] = widened(block.columns[j], len(KINDS) - 1)
        start = end
    y = labels[np.concatenate([block.y for block in blocks])]
    weights = [block.weight for block in blocks if block.weight is not None]
    weight = np.concatenate(weights) if weights else None
    schema.recode(X, wanted)
    if not keep.all():
        kept = keep[y]
        X, y, weight = np.asfortranarray(X[kept]), y[kept], None if weight is None else weight[kept]
    return Rows(X, y, weight)


def _next_block(file: Any) -> Block:
    kinds, *matrices, y, weight = (np.load(file, allow_pickle=False) for _ in range(3 + len(KINDS)))
    rows = [iter(matrix) for matrix in matrices]
    return Block([next(rows[kind]) for kind in kinds.tolist()], y, weight if len(weight) else None)
