"""Read the bytes of a file, plain or gzip, with clear errors if it cannot be read."""

from __future__ import annotations

import gzip
import io
import zlib
from pathlib import Path

from treewright.errors import InputError

__all__ = ["read_bytes"]

CHUNK = 1 << 20
SMALL_GZIP = 1 << 27  # every gzip file may unpack to this many bytes
GZIP_FACTOR = 200  # repetitive tables are compressed by factors of 20 to 100


def read_bytes(path: str | Path) -> bytes:
    """Return the bytes of a file, unpacked if it is gzip.

    Raises
    ------
    InputError
        If the file cannot be read, is damaged, or unpacks to far more than tables do.
    """
    try:
        data = Path(path).read_bytes()
    except IsADirectoryError:
        raise InputError(
            f"Cannot read {path}: it is a folder. Give one of its files; its settings apply to all of them."
        ) from None
    except OSError as error:
        raise InputError(f"Cannot read {path}: {error.strerror or error}.") from error
    except ValueError as error:  # a NUL in the name
        raise InputError(f"Cannot read {str(path)!r}: {error}.") from error
    if data[:2] == b"\x1f\x8b":
        return _unpack(data, Path(path).name)
    return data


def _unpack(data: bytes, where: str) -> bytes:
    """Unpack a gzip file; one that unpacks to far more than tables do is refused before it fills the memory."""
    most = max(SMALL_GZIP, GZIP_FACTOR * len(data))
    parts, size = [], 0
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            while part := file.read(CHUNK):
                parts.append(part)
                size += len(part)
                if size > most:
                    raise InputError(
                        f"{where} unpacks to more than {most >> 20:,} MiB, over {size // len(data):,} times its size, "
                        "which is unusual for a table. If the file is a table, unpack it first (gunzip) and give the "
                        "plain file."
                    )
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{where} is a damaged gzip file: {error}.") from error
    return b"".join(parts)
