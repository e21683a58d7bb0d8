"""A large CSV file in blocks of whole lines, each a file of its own with the same header.

A block ends at a line end outside quotes: where the number of quote characters so far is even. A packed file and one in
UTF-16 are one block.
"""

from __future__ import annotations

import codecs
import gzip
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TypeVar, cast

from treewright.errors import InputError
from treewright.table import NoRowsError

__all__ = ["BLOCK", "GLANCE", "Block", "blocks", "glance", "in_block", "is_one_block"]

BLOCK = 16 << 20  # bytes
GLANCE = 1 << 16  # bytes that say how long a line is
PLACES = 8  # of a glance at a large file
GZIP, UTF16 = b"\x1f\x8b", (b"\xff\xfe", b"\xfe\xff")
MOST_BLANK_LINES = 1 << 26  # written above a block, a byte each
BOM = codecs.BOM_UTF8
SEPARATOR_LINE = re.compile(rb"""("?)sep=(?:[^\w\s"]|\t)\1\r?\n""", re.IGNORECASE)

Returned = TypeVar("Returned")


@dataclass(frozen=True)
class Block:
    """Some rows of a file.

    Parameters
    ----------
    path : Path
        A file with these rows only.
    origin : str
        Where the rows come from, for messages.
    header : bytes, default=b""
        The first lines of `path`, as in the whole file.
    n_before : int, default=0
        Lines of the whole file between the header and these rows.
    """

    path: Path
    origin: str
    header: bytes = b""
    n_before: int = 0


def is_one_block(file: Path) -> bool:
    """Whether a file is read whole.

    Parameters
    ----------
    file : Path
    """
    with file.open("rb") as handle:
        start = handle.read(2)
    return file.stat().st_size <= 2 * BLOCK or start == GZIP or start in UTF16


def blocks(file: Path, folder: Path) -> Iterator[Block]:
    """Yield the rows of a file, in order; a block may be read until the next one is asked for.

    Parameters
    ----------
    file : Path
    folder : Path
        The blocks of a large file are written to it.
    """
    if is_one_block(file):
        yield Block(file, file.name)
        return
    with file.open("rb") as handle:
        header = _header(handle)
        of_header = header.count(b"\n")
        n_before = 0
        rows = _next_rows(handle, BLOCK)
        if not rows:  # one line for this reader: its lines end with a carriage return only
            yield Block(file, file.name)
        while rows:
            if not rows.isspace():
                number = 1 + of_header + n_before
                path = folder / f"{file.name} from line {number} on"
                path.write_bytes(header + rows)
                yield Block(path, f"{file.name}, from line {number} on", header, n_before)
                path.unlink()
            n_before += rows.count(b"\n")
            rows = _next_rows(handle, BLOCK)


def glance(file: Path, folder: Path) -> Path:
    """Return a file with the header and some rows of a file, from its beginning and from places further on.

    A line that begins within quotes cannot be told from others, so the rows may be wrong where a field has several
    lines.

    Parameters
    ----------
    file : Path
    folder : Path
        The new file is written to it.
    """
    size = file.stat().st_size
    with file.open("rb") as handle:
        start = handle.read(2)
    if start in UTF16 or (size <= GLANCE and start != GZIP):
        return file
    path = folder / f"some rows of {file.name}"
    try:
        with cast(BinaryIO, gzip.open(file)) if start == GZIP else file.open("rb") as handle:
            found = _header(handle) + _next_rows(handle, GLANCE)
            if start != GZIP and size > 2 * PLACES * GLANCE:
                for place in range(1, PLACES):
                    handle.seek(size * place // PLACES)
                    handle.readline()  # the rest of a line
                    found = found.rstrip(b"\r\n") + b"\n" + handle.read(GLANCE // PLACES) + handle.readline()
    except (OSError, EOFError, zlib.error):
        return file  # damaged; reading it says so
    path.write_bytes(found)
    return path


def in_block(block: Block, read: Callable[[Path], Returned]) -> Returned:
    """Read a block; an error names the lines of the whole file.

    Parameters
    ----------
    block : Block
    read : callable
        It skips blank lines, but counts them.

    Raises
    ------
    InputError
        As `read` does.
    """
    try:
        return read(block.path)
    except NoRowsError:
        raise
    except InputError:
        if 0 < block.n_before <= MOST_BLANK_LINES:
            rows = block.path.read_bytes()[len(block.header) :]
            block.path.write_bytes(block.header + b"\n" * block.n_before + rows)
            read(block.path)  # raises the same error, about the lines of the whole file
        raise


def _header(handle: BinaryIO) -> bytes:
    """Read the header line with the lines above it: blank ones, and that in which Excel names the separator."""
    header = line = handle.readline()
    while line and (not line.removeprefix(BOM).strip() or SEPARATOR_LINE.match(line.removeprefix(BOM))):
        line = handle.readline()
        header += line
    return header


def _next_rows(handle: BinaryIO, size: int) -> bytes:
    """Read about so many bytes, up to a line end outside quotes."""
    rows = handle.read(size) + handle.readline()
    while rows.count(b'"') % 2:
        more = handle.readline()
        if not more:
            break
        rows += more
    return rows
