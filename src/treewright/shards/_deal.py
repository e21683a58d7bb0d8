"""One pass over a source: every row is dealt to a shard at random and written to the shard's file.

A block of the source is shuffled and its rows are dealt out in turn, each block beginning where the last one ended, so
that shards differ by one row at most and all of them get rows from everywhere in the source. The bounds do not need
this: any partition of the rows proves something. But rows that lie sorted would make shards whose best trees have
nothing to do with each other, and the bound would be far from any tree.
"""

from __future__ import annotations

import errno
import itertools
import shutil
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._arguments import numbers_of
from treewright._plural import first_of
from treewright.errors import InputError
from treewright.shards._exact import exact_sums
from treewright.shards._labels import LabelBook
from treewright.shards._narrow import kind_of, narrowed, widened
from treewright.shards._spill import Block, append_rows
from treewright.sources import Coding, Piece, Roles, Schema, SchemaBuilder, Source

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
    weighted : bool
        Whether rows have weights of their own.
    notes : tuple of str
    """

    shards: list[Shard]
    schema: Schema
    classes: NDArray[Any]
    labels: NDArray[np.int32]
    n_read: int
    n_weightless: int
    n_bytes: int
    weighted: bool
    notes: tuple[str, ...] = ()


@dataclass
class _Buffer:
    """Rows that wait to be dealt: a block of many pieces is dealt at once, for each part that is written takes time.

    Parameters
    ----------
    folder : Path
    n_shards : int
    count : int
        Rows of the source, about.
    rng : Generator or None
        None deals the rows as they lie.
    """

    folder: Path
    n_shards: int
    count: int
    rng: np.random.Generator | None
    tallies: list[_Tally] = field(init=False)
    waiting: list[Block] = field(default_factory=list)
    held: int = 0
    dealt: int = 0
    written: int = 0
    weighted: bool = False

    def __post_init__(self) -> None:
        self.tallies = [_Tally() for _ in range(self.n_shards)]

    def path(self, shard: int) -> Path:
        return self.folder / f"shard-{shard:06d}.rows"

    def add(self, block: Block) -> None:
        if len(block.y) == 0:
            return
        self.waiting.append(block)
        self.weighted |= block.weight is not None
        self.held += block.nbytes
        if self.held > BUFFER:
            self.flush()

    def flush(self) -> None:
        """Deal what waits and write it to the files of the shards."""
        n = sum(len(block.y) for block in self.waiting)
        if n == 0:
            return
        order = np.arange(n) if self.rng is None else self.rng.permutation(n)
        whole = _joined(self.waiting, order)
        self.waiting.clear()
        self.held = 0
        place = self.dealt + np.arange(n)
        if self.rng is None:
            shard = np.minimum(place * self.n_shards // self.count, self.n_shards - 1)
        else:
            shard = np.sort(place % self.n_shards)
        borders = [0, *(np.flatnonzero(np.diff(shard)) + 1).tolist(), n]
        for start, end in itertools.pairwise(borders):
            part, own = whole.take(slice(start, end)), int(shard[start])
            self.tallies[own].add(part)
            self.written += append_rows(self.path(own), part)
        self.dealt += n


def _joined(blocks: list[Block], order: NDArray[np.int64]) -> Block:
    """Return blocks as one, its rows in the given order; a column at a time, for memory."""
    columns = []
    for own in zip(*(block.columns for block in blocks), strict=True):
        kind = max(map(kind_of, own))
        parts = [widened(column, kind) for column in own]
        columns.append((parts[0] if len(parts) == 1 else np.concatenate(parts)).take(order))
    weights = [block.weight for block in blocks if block.weight is not None]
    return Block(
        columns,
        np.concatenate([block.y for block in blocks])[order],
        np.concatenate(weights)[order] if weights else None,
    )


def deal(
    source: Source,
    roles: Roles,
    *,
    shard_rows: int,
    folder: Path,
    seed: int,
    shuffle: bool = True,
    codings: Mapping[str, Coding] | None = None,
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
    codings : mapping of str to Coding, default=None
        As in `SchemaBuilder`.

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
    schema, book = SchemaBuilder(codings), LabelBook()
    buffer = _Buffer(folder, n_shards, count, np.random.default_rng(seed) if shuffle else None)
    n_read = n_weightless = 0
    said: dict[str, str] = {}  # the origin of each note
    try:
        for piece in source.pieces(roles):
            block, left_out = _block_of(piece, schema, book)
            if n_read == 0 and len(block.y):
                _check_space(folder, count * block.nbytes / len(block.y))
            n_read += piece.n_rows
            for note in piece.notes:
                said.setdefault(note, piece.origin)
            n_weightless += left_out
            buffer.add(block)
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
    if n_read == 0:
        raise InputError(f"{source.name} has no rows.")
    if buffer.dealt == 0:
        raise InputError(
            f"All {n_read:,} rows of {source.name} have weight zero; there is nothing to learn from."
        )
    classes, final = book.finish()
    shards = [
        Shard((buffer.path(k),), *tally.finish(final))
        for k, tally in enumerate(buffer.tallies)
        if any(tally.rows)
    ]
    known = schema.finish()
    return Deal(
        shards,
        known,
        classes,
        final,
        n_read,
        n_weightless,
        buffer.written,
        buffer.weighted,
        (
            *_without_rows(source),
            *_given_twice(source),
            *_in_names_of_folders(source, known, roles),
            *_notes(said),
        ),
    )


def _given_twice(source: Source) -> tuple[str, ...]:
    """Return the note on files that were named more than once, as by a list of a folder and of a file in it."""
    times = Counter(file.resolve() for file in getattr(source, "files", ()))
    again = [file.name for file, n in times.items() if n > 1]
    if not again:
        return ()
    return (
        f"Given more than once, so that their rows count as often: {first_of(again, MOST_NOTES, 'file')}.",
    )


def _in_names_of_folders(source: Source, schema: Schema, roles: Roles) -> tuple[str, ...]:
    """Return the notes on columns that only the names of folders hold, such as `year=2024`, and that were not read."""
    values: dict[str, set[str]] = {}
    for file in getattr(source, "files", ()):
        for part in file.parts[:-1]:
            name, equals, value = part.partition("=")
            if name and equals:
                values.setdefault(name, set()).add(value)
    read = {column.name for column in schema.columns} | roles.apart
    return tuple(
        f"The names of folders hold a column {name!r} ({first_of(sorted(f'{name}={v}' for v in own), 2)}), which is in "
        "no file and was not read. Write it into the files if the tree may use it."
        for name, own in values.items()
        if len(own) > 1 and name not in read
    )


def _without_rows(source: Source) -> tuple[str, ...]:
    """Return the note on files of the source that have none."""
    files = list(getattr(source, "without_rows", ()))
    if not files:
        return ()
    return (f"{first_of(files, MOST_NOTES, 'file')} {'has' if len(files) == 1 else 'have'} no rows.",)


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

    def add(self, part: Block) -> None:
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


def _block_of(piece: Piece, schema: SchemaBuilder, book: LabelBook) -> tuple[Block, int]:
    """Encode a piece; return its rows of positive weight, and how many have none."""
    if piece.labels is None:
        raise InputError("The labels are missing: give the name of the column of labels.")
    columns = schema.encode(piece)
    y = book.encode(piece.labels, piece.origin)
    weight, n_left_out = None, 0
    if piece.weight is not None:
        weight = numbers_of("sample_weight", piece.weight)
        positive = weight > 0
        odd = ~((weight >= SMALLEST_WEIGHT) & (weight <= LARGEST_WEIGHT)) & (weight != 0)
        if odd.any():
            raise InputError(
                f"{piece.origin} has a row of weight {weight[odd][0]:g}; weights must be finite numbers of at least 0, "
                f"and those above 0 between {SMALLEST_WEIGHT:.0e} and {LARGEST_WEIGHT:.0e}."
            )
        if not positive.all():
            columns, y, weight = [x[positive] for x in columns], y[positive], weight[positive]
            n_left_out = int((~positive).sum())
    return Block([narrowed(x) for x in columns], y, weight), n_left_out


def _check_space(folder: Path, need: float) -> None:
    """Refuse a source that cannot fit if all of its rows are like the first ones."""
    free = shutil.disk_usage(folder).free
    if need > free:
        raise InputError(
            f"The shards need about {_size(need)} in {folder.parent}, which has {_size(free)} left. Name a folder with "
            "more space (spill_folder=...)."
        )


def _size(n_bytes: float) -> str:
    return f"{n_bytes / 1e9:,.1f} GB" if n_bytes >= 1e9 else f"{n_bytes / 1e6:,.1f} MB"
