"""The tables of a benchmark: read once, hashed, kept as .npz files that every worker loads.

Rows, noise and cuts are made with fixed seeds; the hash of the arrays goes into the results, so that two runs
can be told to be of the same data.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Dataset",
    "cut_columns",
    "duplicated",
    "folds",
    "jittered",
    "noisy",
    "read_csv",
    "resampled",
    "stored",
    "widened",
]

CACHE = Path(__file__).resolve().parent / ".cache"


@dataclass(frozen=True)
class Dataset:
    """A table on disk that every worker can load.

    Parameters
    ----------
    name : str
        As shown in tables.
    arrays : Path
        The .npz file with X and y.
    sha256 : str
        First 16 hexadecimal digits of the hash of X and y.
    n_rows, n_columns : int
    """

    name: str
    arrays: Path
    sha256: str
    n_rows: int
    n_columns: int


def read_csv(path: Path, separator: str | None = None) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Read a numeric table; the label is the column `label` if there is one, else the last column.

    Parameters
    ----------
    path : Path
        Plain or gzip text with a header.
    separator : str or None, default=None
        None takes the semicolon if the header has one, else the comma.
    """
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt") as lines:
        header = lines.readline().rstrip("\n")
        separator = separator or (";" if ";" in header else ",")
        table = np.loadtxt(lines, delimiter=separator, ndmin=2)
    names = [name.strip('"') for name in header.split(separator)]
    at = names.index("label") if "label" in names else len(names) - 1
    return np.delete(table, at, axis=1), table[:, at].astype(np.int64)


def as_binary(X: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Return a 0/1 table as bytes; refuse anything else."""
    if not np.isin(X, (0, 1)).all():
        raise ValueError("The table has values other than 0 and 1; use cut_columns first.")
    return X.astype(np.uint8)


def cut_columns(X: NDArray[np.float64], n_columns: int) -> NDArray[np.uint8]:
    """Turn numeric columns into `n_columns` binary columns ``x <= quantile``, the same for every solver.

    Medians of all columns come first, then quartiles, octiles and so on; cuts that repeat an earlier column,
    its complement or a constant are left out. Fewer columns come back if there are no more distinct cuts.
    """
    kept: list[NDArray[np.bool_]] = []
    seen: set[bytes] = set()
    level = 1
    while len(kept) < n_columns and level <= 8:
        for j in range(X.shape[1]):
            for k in range(1, 2**level, 2):
                cut = X[:, j] <= np.quantile(X[:, j], k / 2**level, method="lower")
                packed = np.packbits(cut).tobytes()
                if cut.all() or not cut.any() or packed in seen or len(kept) == n_columns:
                    continue
                seen |= {packed, np.packbits(~cut).tobytes()}
                kept.append(cut)
        level += 1
    return np.stack(kept, axis=1).astype(np.uint8)


def duplicated(
    X: NDArray[np.uint8], y: NDArray[np.int64], times: int
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return the table `times` times over: no new distinct row."""
    return np.tile(X, (times, 1)), np.tile(y, times)


def noisy(
    X: NDArray[np.uint8], y: NDArray[np.int64], times: int, seed: int = 0, flip: float = 0.05
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return the table and ``times - 1`` copies whose cells are each flipped with probability `flip`."""
    X_many, y_many = duplicated(X, y, times)
    flips = np.random.default_rng(seed).random(X_many.shape) < flip
    flips[: len(X)] = False
    return X_many ^ flips.astype(np.uint8), y_many


def resampled(
    X: NDArray[np.uint8], y: NDArray[np.int64], n_rows: int, seed: int = 0, flip: float = 0.05
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Draw `n_rows` rows with replacement and flip each cell with probability `flip`."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(len(X), size=n_rows)
    return X[rows] ^ (rng.random((n_rows, X.shape[1])) < flip).astype(np.uint8), y[rows]


def jittered(
    X: NDArray[np.float64], y: NDArray[np.int64], n_rows: int, seed: int = 0, share: float = 0.05
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Draw `n_rows` rows with replacement and add normal noise of `share` of each column's spread.

    No two rows are equal afterwards, and nearly every value is a threshold of its own.
    """
    rng = np.random.default_rng(seed)
    rows = rng.integers(len(X), size=n_rows)
    return X[rows] + share * X.std(axis=0) * rng.standard_normal((n_rows, X.shape[1])), y[rows]


def widened(X: NDArray[np.float64], n_columns: int, seed: int = 0, share: float = 0.5) -> NDArray[np.float64]:
    """Return `n_columns` columns: those of the table, then copies of them with noise of `share` of their spread."""
    rng = np.random.default_rng(seed)
    copies = [X]
    while sum(c.shape[1] for c in copies) < n_columns:
        copies.append(X + share * X.std(axis=0) * rng.standard_normal(X.shape))
    return np.hstack(copies)[:, :n_columns]


def folds(
    X: NDArray[np.generic], y: NDArray[np.int64], n_folds: int = 5, seed: int = 0
) -> list[NDArray[np.bool_]]:
    """Return for each fold which rows are tested: every class is dealt out evenly, in random order."""
    rng = np.random.default_rng(seed)
    fold = np.empty(len(y), dtype=np.int64)
    dealt = 0
    for label in np.unique(y):
        members = rng.permutation(np.flatnonzero(y == label))
        fold[members] = (dealt + np.arange(len(members))) % n_folds
        dealt += len(members)
    return [fold == k for k in range(n_folds)]


def stored(
    name: str,
    load: Callable[[], tuple[NDArray[np.generic], NDArray[np.int64]]],
    cache: Path | None = None,
    tested: NDArray[np.bool_] | None = None,
) -> Dataset:
    """Load a table and keep it as an .npz file for the workers; rows of `tested` are kept for testing."""
    X, y = load()
    parts = {"X": X, "y": y}
    if tested is not None:
        parts = {"X": X[~tested], "y": y[~tested], "X_test": X[tested], "y_test": y[tested]}
    parts = {part: np.ascontiguousarray(values) for part, values in parts.items()}
    X, y = parts["X"], parts["y"]
    content = b"".join(values.tobytes() for values in parts.values())
    digest = hashlib.sha256(repr((X.shape, X.dtype.str)).encode() + content).hexdigest()[:16]
    folder = cache or CACHE
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{digest}.npz"
    if not path.exists():
        np.savez(path, **parts)
    return Dataset(name, path, digest, X.shape[0], X.shape[1])
