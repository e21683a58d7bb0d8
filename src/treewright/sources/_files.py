"""Parquet and CSV files, alone or in folders."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from treewright._plural import first_of
from treewright.errors import InputError
from treewright.sources._settled import SettledSource, with_reading
from treewright.sources._source import PIECE_ROWS, Piece, Roles, Source, stamp_of
from treewright.sources._typed_dates import formats_of_dates, piece_with_dates, without_missing_dates
from treewright.table import DateFormat, Reading, Settings, need_polars

__all__ = ["ParquetSource", "source_of_files"]

PLACES = 32  # of a sample
PARQUET = (".parquet", ".pq")
CSV = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt", ".txt.gz")
PACKED = (".7z", ".bz2", ".gz", ".lz4", ".xz", ".zip", ".zst")


def source_of_files(source: Any, settings: Settings | None = None, reading: Reading | None = None) -> Source:
    """Return the source of a path, a folder or a list of paths.

    Parameters
    ----------
    source : str, path, or list of these
    settings : Settings, default=None
        What was settled about the columns.
    reading : Reading, default=None
        How files of this kind were read before.

    Raises
    ------
    InputError
        Nothing is there, files of both kinds, or of none that can be read.
    MissingDependencyError
        polars is not installed.
    """
    given = [Path(part) for part in source] if isinstance(source, (list, tuple)) else [Path(source)]
    files = [file for path in given for file in _files_of(path)]
    kinds = {_kind(file) for file in files}
    if len(kinds) > 1:
        raise InputError(
            f"{given[0]} holds Parquet and CSV files; name those of one kind, such as a list of paths."
        )
    name = str(given[0]) if len(given) == 1 else f"{len(files)} files ({given[0].name}, ...)"
    need_polars(name)
    if kinds == {"parquet"}:
        kept = {} if reading is None else reading.columns
        dates = {column: own for column, own in kept.items() if isinstance(own, DateFormat)}
        settled = with_reading(settings, reading)
        return SettledSource(ParquetSource(tuple(files), name, dates, settled), settled)
    from treewright.sources._csv import CsvSource

    return CsvSource(tuple(files), name, settings or Settings(), reading)


def _files_of(path: Path) -> list[Path]:
    if path.is_file():
        if not _kind(path):
            raise InputError(
                f"{path} is neither a Parquet nor a CSV file by its name ({', '.join(PARQUET + CSV)})."
            )
        return [path]
    if not path.is_dir():
        raise InputError(f"There is no file or folder {path}.")
    every = [file for file in sorted(path.rglob("*")) if file.is_file() and not _is_hidden(file, path)]
    if packed := [file for file in every if not _kind(file) and _is_packed(file)]:
        raise InputError(
            f"The folder {path} holds {first_of([str(file.relative_to(path)) for file in packed], 3, 'packed file')}, "
            "whose rows would be left out: of packed files only CSV files in gzip are read. Unpack what belongs to the "
            "table, and move the rest elsewhere; or give a list of the files to be read."
        )
    files = [file for file in every if _kind(file)]
    if not files:
        raise InputError(f"The folder {path} holds no Parquet or CSV files ({', '.join(PARQUET + CSV)}).")
    return files


def _is_hidden(file: Path, folder: Path) -> bool:
    """Whether a file is, or lies in, what other programs keep for themselves: `.ipynb_checkpoints`, `_delta_log`."""
    return any(part[0] in "._" for part in file.relative_to(folder).parts)


def _is_packed(file: Path) -> bool:
    return file.name.lower().endswith(PACKED) and bool(_kind(file.with_suffix("")))


def _kind(path: Path) -> str:
    lower = path.name.lower()
    return "parquet" if lower.endswith(PARQUET) else "csv" if lower.endswith(CSV) else ""


@dataclass(eq=False)
class ParquetSource:
    """Parquet files with the same columns.

    Parameters
    ----------
    files : tuple of Path
    name : str
    known : mapping of str to DateFormat
        Formats of columns of dates that an earlier reading states.
    settings : Settings
        Dates that mean missing; all else is settled later (`SettledSource`).

    Attributes
    ----------
    dates : dict of str to DateFormat
        Formats of the columns of dates, those that were found when rows were read included.
    """

    files: tuple[Path, ...]
    name: str
    known: Mapping[str, DateFormat] = field(default_factory=dict)
    settings: Settings = field(default_factory=Settings)
    counts_exactly = True

    def __post_init__(self) -> None:
        self.dates = dict(self.known)
        self._settled: object = None  # the files and roles of which these are the dates

    @cached_property
    def _lengths(self) -> list[int]:
        import polars as pl

        lengths = []
        for file in self.files:
            try:
                lengths.append(int(pl.scan_parquet(file).select(pl.len()).collect().item()))
            except (pl.exceptions.PolarsError, OSError) as error:
                raise InputError(f"{file} cannot be read as Parquet: {error}.") from None
        return lengths

    @property
    def count(self) -> int:
        """Number of rows, from the footers of the files."""
        return sum(self._lengths)

    @property
    def without_rows(self) -> list[str]:
        """Names of the files that have none."""
        return [file.name for file, length in zip(self.files, self._lengths, strict=True) if length == 0]

    def stamp(self) -> object:
        """Return sizes and times of the files."""
        return stamp_of(self.files)

    def pieces(self, roles: Roles) -> Iterator[Piece]:
        """Yield all rows, file by file."""
        self._settle_dates(roles)
        for file, length in zip(self.files, self._lengths, strict=True):
            seen = 0
            for frame in self._frames(file, length):
                seen += len(frame)
                if len(frame):
                    yield self._piece(frame, roles, file.name)
            if seen != length:
                raise InputError(
                    f"{file} changed while it was read; run again when no program is writing to it."
                )

    def sample(self, roles: Roles, n_rows: int, rng: np.random.Generator) -> Iterator[Piece]:
        """Yield about so many rows, from places drawn at random; all rows if there are no more.

        Parameters
        ----------
        roles : Roles
        n_rows : int
        rng : Generator
        """
        import polars as pl

        if self.count <= n_rows:
            yield from self.pieces(roles)
            return
        self._settle_dates(roles)
        ends = np.cumsum(self._lengths)
        each = -(-n_rows // PLACES)
        for start in np.sort(rng.integers(0, self.count - each + 1, PLACES)).tolist():
            k = int(np.searchsorted(ends, start, side="right"))
            first = start - int(ends[k]) + self._lengths[k]
            try:
                frame = pl.scan_parquet(self.files[k]).slice(first, each).collect()
            except (pl.exceptions.PolarsError, OSError) as error:
                raise InputError(f"{self.files[k]} cannot be read as Parquet: {error}.") from None
            yield self._piece(frame, roles, self.files[k].name)

    def _piece(self, frame: Any, roles: Roles, origin: str) -> Piece:
        return piece_with_dates(frame, roles, origin, self.dates, self._missing_in)

    def _missing_in(self, name: str) -> tuple[str, ...]:
        return (*self.settings.missing, *self.settings.missing_in.get(name, ()))

    def _settle_dates(self, roles: Roles) -> None:
        """Find the formats of the columns of dates over all rows; for a tree, those that it knows are all it needs."""
        settled = (self.stamp(), roles)
        if settled == self._settled:
            return
        self.dates, self._settled = dict(self.known), settled
        if roles.only is not None:
            return
        import polars as pl

        schemas = []
        for file in self.files:
            try:
                schemas.append(pl.scan_parquet(file).collect_schema())
            except (pl.exceptions.PolarsError, OSError) as error:
                raise InputError(f"{file} cannot be read as Parquet: {error}.") from None
        self.dates |= formats_of_dates(
            [file.name for file in self.files],
            schemas,
            lambda k, names: (
                without_missing_dates(frame, self._missing_in)
                for frame in self._frames(self.files[k], self._lengths[k], names)
            ),
            {*roles.apart, *self.known},
            roles.categorical,
        )

    def _frames(self, file: Path, length: int, names: Sequence[str] | None = None) -> Iterator[Any]:
        """Yield all rows of a file, of all columns or some."""
        import polars as pl

        try:
            rows = pl.scan_parquet(file)
            yield from batches(rows if names is None else rows.select(names), length)
        except (pl.exceptions.PolarsError, OSError) as error:
            raise InputError(f"{file} cannot be read as Parquet: {error}.") from None


def batches(lazy: Any, length: int) -> Iterator[Any]:
    """Yield the rows of a lazy frame of known length, in order.

    Parameters
    ----------
    lazy : polars.LazyFrame
    length : int
    """
    if hasattr(lazy, "collect_batches"):  # polars 1.34 and later
        for frame in lazy.collect_batches(chunk_size=PIECE_ROWS, maintain_order=True):
            for start in range(0, len(frame), PIECE_ROWS):
                yield frame[start : start + PIECE_ROWS]
        return
    for start in range(0, length, PIECE_ROWS):
        yield lazy.slice(start, PIECE_ROWS).collect()
