"""CSV files, read by the rules of `treewright.table.load_csv`; a large one in blocks of whole lines.

The first block says how numbers are written (decimal comma, thousands), and all others are read so; for a tree, the
file that it was made from says it, and only the columns that the tree splits on are read. Of several blocks or files
with columns of dates, all rows are read twice: first for the formats of these columns (`DateSurvey`).
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from treewright.errors import InputError
from treewright.sources._blocks import GLANCE, blocks, glance, in_block, is_one_block
from treewright.sources._source import PIECE_ROWS, EncodedRows, Piece, Roles, stamp_of
from treewright.table import (
    NEVER_USED,
    CsvTable,
    DateFormat,
    DateSurvey,
    NoRowsError,
    RawColumn,
    Reading,
    Settings,
    Table,
    load_part,
    rename_labels,
)
from treewright.tree import ColumnKind, Tree

__all__ = ["CsvSource"]


@dataclass(eq=False)
class CsvSource:
    """CSV files with the same columns.

    Parameters
    ----------
    files : tuple of Path
    name : str
    settings : Settings
        What was settled about the columns.
    reading : Reading or None
        How files of this kind were read before; None is found by the first rows that are read. Columns of dates keep
        the format that it states.
    without_rows : list of str
        Names of files that were found to have a header and no rows.
    """

    files: tuple[Path, ...]
    name: str
    settings: Settings = field(default_factory=Settings)
    reading: Reading | None = None
    counts_exactly = False
    without_rows: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._given = self.reading

    @cached_property
    def count(self) -> int:
        """Number of rows, by the length of the first lines of each file."""
        return sum(_estimate(file) for file in self.files)

    def stamp(self) -> object:
        """Return sizes and times of the files."""
        return stamp_of(self.files)

    def pieces(self, roles: Roles) -> Iterator[Piece]:
        """Yield all rows, file by file."""
        self.reading = self._given  # the files may have changed since they were read last
        for csv, origin in self._tables(roles, dates=self._dates(roles)):
            yield from _pieces(csv, roles, origin)

    def encoded(self, roles: Roles, tree: Tree) -> Iterator[EncodedRows]:
        """Yield all rows as numbers for a tree."""
        for csv, _ in self._tables(roles, columns=tree.columns, needed=tree.asked):
            for start in range(0, csv.table.n_rows, PIECE_ROWS):
                rows = slice(start, start + PIECE_ROWS)
                yield EncodedRows(
                    csv.table.X[rows],
                    None if csv.target is None else csv.target[rows],
                    None if csv.sample_weight is None else csv.sample_weight[rows],
                )

    def _dates(self, roles: Roles) -> dict[str, DateFormat]:
        """Return the formats of the columns of dates that all rows settle; none of a file that is read whole."""
        kept = {} if self._given is None else self._given.columns
        known = {name: own for name, own in kept.items() if isinstance(own, DateFormat)}
        if len(self.files) == 1 and is_one_block(self.files[0]):
            return known
        apart = {*roles.apart, *roles.categorical, *self.settings.order}
        survey = DateSurvey(self.name, self._given, apart, self.settings.reading_options(self._given))
        with tempfile.TemporaryDirectory(prefix="treewright-") as name:
            folder = Path(name)
            for file in self.files:
                try:
                    survey.glance(glance(file, folder))
                except NoRowsError:
                    continue
                except InputError:  # a fault of the file, or rows that were cut within a field
                    survey.suspect_all()
            files = self.files if survey.is_open else ()
            for block in (block for file in files for block in blocks(file, folder)):
                try:
                    in_block(block, partial(survey.add, origin=block.origin))
                except NoRowsError:
                    continue
        return known | survey.finish()

    def _tables(
        self, roles: Roles, dates: Mapping[str, DateFormat] | None = None, **tree: Any
    ) -> Iterator[tuple[CsvTable, str]]:
        """Read the files, large ones in parts; each table with where it comes from."""
        self.without_rows.clear()
        with tempfile.TemporaryDirectory(prefix="treewright-") as folder:
            for file in self.files:
                for block in blocks(file, Path(folder)):
                    try:
                        csv = in_block(block, partial(self._table, roles=roles, dates=dates or {}, **tree))
                    except NoRowsError:
                        if len(self.files) == 1:
                            raise
                        self.without_rows.append(file.name)
                        continue
                    if self.reading is None:
                        self.reading = csv.reading
                    yield csv, block.origin

    def _table(self, path: Path, roles: Roles, dates: Mapping[str, DateFormat], **tree: Any) -> CsvTable:
        settings, for_tree = self.settings, bool(tree)
        csv = load_part(
            path,
            dates,
            target=roles.target,
            weight=roles.weight,
            ignore=() if for_tree else roles.ignore,
            categorical=() if for_tree else roles.categorical,
            order=None if for_tree else settings.order,
            reading=self.reading,
            **settings.reading_options(self.reading),
            **tree,
        )
        return rename_labels(csv, settings.labels)


def _pieces(csv: CsvTable, roles: Roles, origin: str) -> Iterator[Piece]:
    """Yield the rows of a table, with its notes but for those on columns without a value: other rows may have some."""
    for start in range(0, csv.table.n_rows, PIECE_ROWS):
        rows = slice(start, start + PIECE_ROWS)
        yield Piece(
            tuple(_raw(csv.table, j, rows, roles) for j in range(len(csv.table.columns))),
            None if csv.target is None else csv.target[rows],
            None if csv.sample_weight is None else csv.sample_weight[rows],
            origin,
            tuple(note for note in csv.table.notes if start == 0 and not note.endswith(NEVER_USED)),
        )


def _raw(table: Table, j: int, rows: slice, roles: Roles) -> RawColumn:
    """Return a column before its kind was decided, which other blocks may change."""
    column, x = table.columns[j], table.X[rows, j]
    if column.kind is ColumnKind.CATEGORICAL:
        declared, order = column.name in roles.categorical, column.categories if column.ordered else ()
        return RawColumn(column.name, words=column.categories, codes=x, declared=declared, order=order)
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
