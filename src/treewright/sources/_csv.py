"""CSV files, read by the rules of `treewright.table.load_csv`; a large one in blocks of whole lines.

The first block says how numbers are written (decimal comma, thousands), and all others are read so. A block ends at a
line end outside quotes: where the number of quote characters so far is even. A packed file is read whole.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from treewright.errors import InputError
from treewright.sources._source import PIECE_ROWS, Piece, Roles, stamp_of
from treewright.table import CsvTable, RawColumn, Reading, Table, load_csv
from treewright.tree import ColumnKind

__all__ = ["CsvSource"]

BLOCK = 16 << 20  # bytes
GLANCE = 1 << 16  # bytes that say how long a line is


@dataclass(frozen=True, eq=False)
class CsvSource:
    """CSV files with the same columns.

    Parameters
    ----------
    files : tuple of Path
    name : str
    """

    files: tuple[Path, ...]
    name: str
    counts_exactly = False

    @cached_property
    def count(self) -> int:
        """Number of rows, by the length of the first lines of each file."""
        return sum(_estimate(file) for file in self.files)

    def stamp(self) -> object:
        """Return sizes and times of the files."""
        return stamp_of(self.files)

    def pieces(self, roles: Roles) -> Iterator[Piece]:
        """Yield all rows, file by file."""
        reading: Reading | None = None
        with tempfile.TemporaryDirectory(prefix="treewright-") as folder:
            for file in self.files:
                for path, origin in _blocks(file, Path(folder)):
                    csv = _read(path, roles, reading)
                    reading = reading or csv.reading
                    yield from _pieces(csv, roles, origin)


def _read(path: Path, roles: Roles, reading: Reading | None) -> CsvTable:
    return load_csv(
        path,
        target=roles.target,
        weight=roles.weight,
        ignore=roles.ignore,
        categorical=roles.categorical,
        reading=reading,
    )


def _pieces(csv: CsvTable, roles: Roles, origin: str) -> Iterator[Piece]:
    for start in range(0, csv.table.n_rows, PIECE_ROWS):
        rows = slice(start, start + PIECE_ROWS)
        yield Piece(
            tuple(_raw(csv.table, j, rows, roles) for j in range(len(csv.table.columns))),
            None if csv.target is None else csv.target[rows],
            None if csv.sample_weight is None else csv.sample_weight[rows],
            origin,
            csv.table.notes if start == 0 else (),
        )


def _raw(table: Table, j: int, rows: slice, roles: Roles) -> RawColumn:
    """Return a column before its kind was decided, which other blocks may change."""
    column, x = table.columns[j], table.X[rows, j]
    if column.kind is ColumnKind.CATEGORICAL:
        return RawColumn(
            column.name, words=column.categories, codes=x, declared=column.name in roles.categorical
        )
    return RawColumn(column.name, x, boolean=bool(column.categories))


def _estimate(file: Path) -> int:
    try:
        size = file.stat().st_size
        with file.open("rb") as handle:
            head = handle.read(GLANCE)
    except OSError as error:
        raise InputError(f"Cannot read {file}: {error.strerror}.") from None
    if head[:2] == b"\x1f\x8b":
        size, lines, read = 5 * size, max(1, len(head) // 20), len(head)  # nothing is known of its lines
    else:
        lines, read = max(1, head.count(b"\n")), len(head)
    return max(1, round(size * lines / max(1, read)) - 1)


def _blocks(file: Path, folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield the file, or parts of it as files of their own with the same header."""
    with file.open("rb") as handle:
        start = handle.read(2)
    if file.stat().st_size <= 2 * BLOCK or start in (b"\x1f\x8b", b"\xff\xfe", b"\xfe\xff"):
        yield file, file.name
        return
    number = 1  # of the line on which a block begins
    with file.open("rb") as handle:
        header = handle.readline()
        number += 1
        while block := _next_block(handle):
            path = folder / f"lines from {number} of {file.name}"
            path.write_bytes(header + block)
            yield path, f"{file.name}, from line {number} on"
            path.unlink()
            number += block.count(b"\n")


def _next_block(handle: object) -> bytes:
    """Read about `BLOCK` bytes, up to a line end outside quotes."""
    block: bytes = handle.read(BLOCK)  # type: ignore[attr-defined]
    block += handle.readline()  # type: ignore[attr-defined]
    while block.count(b'"') % 2:
        more: bytes = handle.readline()  # type: ignore[attr-defined]
        if not more:
            break
        block += more
    return block
