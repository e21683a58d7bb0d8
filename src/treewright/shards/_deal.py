"""One pass over a source: every row is dealt to a shard at random and written to the shard's file.

A piece of the source is shuffled and its rows are dealt out in turn, each piece beginning where the last one ended, so
that shards differ by one row at most and all of them get rows from everywhere in the source. The bounds do not need
this: any partition of the rows proves something. But rows that lie sorted would make shards whose best trees have
nothing to do with each other, and the bound would be far from any tree.
"""

from __future__ import annotations

import errno
import itertools
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import InputError
from treewright.shards._exact import exact_sums
from treewright.shards._labels import LabelBook
from treewright.shards._spill import Rows, append_rows
from treewright.sources import Piece, Roles, Schema, SchemaBuilder, Source

__all__ = ["Deal", "Shard", "deal"]

BUFFER = 64 << 20  # bytes of rows held before they are written
MOST_NOTES = 20
SMALLEST_WEIGHT, LARGEST_WEIGHT = 2.0**-400, 2.0**400


@dataclass(frozen=True)
class Shard:
    """Rows on disk.

    Parameters
    ----------
    paths : tuple of Path
        Of the files that are read as one.
    class_weight : tuple of (int or Fraction)
        Sum of the sample weights of each class, in the final order of classes.
    class_rows : tuple of int
        Rows of each class.
    """

    paths: tuple[Path, ...]
    class_weight: tuple[Any, ...]
    class_rows: tuple[int, ...]

    def joined(self, other: Shard) -> Shard:
        """Return both as one shard."""
        weights = zip(self.class_weight, other.class_weight, strict=True)
        rows = zip(self.class_rows, other.class_rows, strict=True)
        return Shard(
            self.paths + other.paths, tuple(a + b for a, b in weights), tuple(a + b for a, b in rows)
        )


@dataclass(frozen=True, eq=False)
class Deal:
    """All rows of a source, on disk.

    Parameters
    ----------
    shards : list of Shard
        Without empty ones.
    schema : Schema
    classes : ndarray
        Sorted labels.
    labels : ndarray of int32
        Final class of each provisional one.
    n_read : int
        Rows of the source.
    n_weightless : int
        Rows of weight zero, which were left out.
    n_bytes : int
        Of all files.
    notes : tuple of str
    """

    shards: list[Shard]
    schema: Schema
    classes: NDArray[Any]
    labels: NDArray[np.int32]
    n_read: int
    n_weightless: int
    n_bytes: int
    notes: tuple[str, ...] = ()


@dataclass
class _Buffer:
    """Rows that wait to be written, and what is known of the files."""

    folder: Path
    n_shards: int
    waiting: list[list[Rows]] = field(init=False)
    held: int = 0
    written: int = 0

    def __post_init__(self) -> None:
        self.waiting = [[] for _ in range(self.n_shards)]

    def path(self, shard: int) -> Path:
        return self.folder / f"shard-{shard:06d}.rows"

    def add(self, shard: int, rows: Rows) -> None:
        self.waiting[shard].append(rows)
        self.held += rows.X.nbytes + rows.y.nbytes
        if self.held > BUFFER:
            self.flush()

    def flush(self) -> None:
        for shard, parts in enumerate(self.waiting):
            if parts:
                self.written += append_rows(self.path(shard), parts)
                parts.clear()
        self.held = 0


def deal(
    source: Source,
    roles: Roles,
    *,
    shard_rows: int,
    folder: Path,
    seed: int,
    shuffle: bool = True,
) -> Deal:
    """Read a source once and deal its rows to shards.

    Parameters
    ----------
    source : Source
    roles : Roles
        Names the column of labels, unless the source brings labels of its own.
    shard_rows : int
        Rows of a shard, about.
    folder : Path
        Empty; the files of the shards are written to it.
    seed : int
    shuffle : bool, default=True
        False cuts the rows as they lie.

    Returns
    -------
    Deal

    Raises
    ------
    InputError
        A column, a label or a weight cannot be used; the source changed while it was read; no space is left.
    """
    count, stamp = source.count, source.stamp()
    if count == 0:
        raise InputError(f"{source.name} has no rows.")
    n_shards = max(1, -(-count // shard_rows))
    rng = np.random.default_rng(seed)
    schema, book, buffer = SchemaBuilder(), LabelBook(), _Buffer(folder, n_shards)
    tallies: list[_Tally] = [_Tally() for _ in range(n_shards)]
    n_read = n_weightless = dealt = 0
    said: dict[str, str] = {}  # the origin of each note
    try:
        for piece in source.pieces(roles):
            if n_read == 0:
                _check_space(folder, len(piece.columns), count)
            rows, left_out = _rows_of(piece, schema, book)
            n_read += piece.n_rows
            for note in piece.notes:
                said.setdefault(note, piece.origin)
            n_weightless += left_out
            for shard, part in _parts(rows, n_shards, dealt, count, rng if shuffle else None):
                tallies[shard].add(part)
                buffer.add(shard, part)
            dealt += len(rows.y)
        buffer.flush()
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise InputError(
                f"No space is left in {folder.parent} for the shards, after {n_read:,} of {count:,} rows. Name a "
                "folder with more space (spill_folder=...)."
            ) from None
        raise
    if source.stamp() != stamp or (source.counts_exactly and n_read != count):
        raise InputError(
            f"{source.name} changed while it was read ({count:,} rows before, {n_read:,} read). Run again when "
            "no program is writing to it."
        )
    if dealt == 0:
        raise InputError(
            f"All {n_read:,} rows of {source.name} have weight zero; there is nothing to learn from."
        )
    classes, final = book.finish()
    shards = [
        Shard((buffer.path(k),), *tally.finish(final)) for k, tally in enumerate(tallies) if any(tally.rows)
    ]
    return Deal(shards, schema.finish(), classes, final, n_read, n_weightless, buffer.written, _notes(said))


def _notes(said: dict[str, str]) -> tuple[str, ...]:
    """Return what was said of pieces, each once, with the first piece that it was said of."""
    notes = [f"{origin}: {note}" for note, origin in said.items()]
    more = (f"{len(notes) - MOST_NOTES} more such notes.",) if len(notes) > MOST_NOTES else ()
    return (*notes[:MOST_NOTES], *more)


@dataclass
class _Tally:
    """Rows and weight of each provisional class in a shard."""

    rows: list[int] = field(default_factory=list)
    weight: list[Any] = field(default_factory=list)

    def add(self, part: Rows) -> None:
        n = int(part.y.max()) + 1
        self.rows += [0] * (n - len(self.rows))
        self.weight += [0] * (n - len(self.weight))
        for k, (count, weight) in enumerate(
            zip(
                np.bincount(part.y, minlength=n),
                exact_sums(part.y.astype(np.int64), part.weight, n),
                strict=True,
            )
        ):
            self.rows[k] += int(count)
            self.weight[k] += weight

    def finish(self, final: NDArray[np.int32]) -> tuple[tuple[Any, ...], tuple[int, ...]]:
        rows: list[int] = [0] * len(final)
        weight: list[Any] = [0] * len(final)
        for k, position in enumerate(final[: len(self.rows)].tolist()):
            rows[position] += self.rows[k]
            weight[position] += self.weight[k]
        return tuple(weight), tuple(rows)


def _rows_of(piece: Piece, schema: SchemaBuilder, book: LabelBook) -> tuple[Rows, int]:
    """Encode a piece; return its rows of positive weight, and how many have none."""
    if piece.labels is None:
        raise InputError("The labels are missing: give the name of the column of labels.")
    X = schema.encode(piece)
    y = book.encode(piece.labels, piece.origin)
    if piece.weight is None:
        return Rows(X, y, None), 0
    weight = np.asarray(piece.weight, dtype=np.float64)
    positive = weight > 0
    odd = ~((weight >= SMALLEST_WEIGHT) & (weight <= LARGEST_WEIGHT)) & (weight != 0)
    if odd.any():
        raise InputError(
            f"{piece.origin} has a row of weight {weight[odd][0]:g}; weights must be finite numbers of at least 0, and "
            f"those above 0 between {SMALLEST_WEIGHT:.0e} and {LARGEST_WEIGHT:.0e}."
        )
    if not positive.all():
        X, y, weight = X[positive], y[positive], weight[positive]
    return Rows(X, y, weight), int((~positive).sum())


def _parts(
    rows: Rows, n_shards: int, dealt: int, count: int, rng: np.random.Generator | None
) -> list[tuple[int, Rows]]:
    """Cut rows into the parts of the shards."""
    n = len(rows.y)
    if n == 0:
        return []
    if n_shards == 1:
        return [(0, rows)]
    if rng is None:  # as they lie
        shard = np.minimum((dealt + np.arange(n)) * n_shards // count, n_shards - 1)
    else:
        order = rng.permutation(n)
        rows = Rows(rows.X[order], rows.y[order], None if rows.weight is None else rows.weight[order])
        shard = np.sort((dealt + np.arange(n)) % n_shards)
    borders = [0, *(np.flatnonzero(np.diff(shard)) + 1).tolist(), n]
    return [
        (
            int(shard[start]),
            Rows(
                rows.X[start:end], rows.y[start:end], None if rows.weight is None else rows.weight[start:end]
            ),
        )
        for start, end in itertools.pairwise(borders)
    ]


def _check_space(folder: Path, n_columns: int, count: int) -> None:
    """Refuse a source that cannot fit even in single precision."""
    need, free = count * (4 * n_columns + 4), shutil.disk_usage(folder).free
    if need > free:
        raise InputError(
            f"The shards need between {need / 1e9:,.1f} and {2 * need / 1e9:,.1f} GB in {folder.parent}, which has "
            f"{free / 1e9:,.1f} GB left. Name a folder with more space (spill_folder=...)."
        )
