"""The bytes of a file that is to be read, and what is said where there are none."""

from __future__ import annotations

import os
from pathlib import Path

from treewright.errors import InputError, ModelFileError

__all__ = ["MAX_BYTES", "bytes_of", "check_format"]

MAX_BYTES = 1 << 30  # of a model file

# What reads the files that this library writes, by what they say of themselves.
READ_BY = {
    "treewright-tree": "a model file: `treewright show` reads it, and treewright.convert.load_model",
    "treewright-near-optimal": "a set of near-optimal trees: `treewright query` reads it, and "
    "treewright.near_optimal.load_near_optimal",
    "treewright-numbers": "an ensemble that predicts numbers: `treewright reborn` reads it, and "
    "treewright.bornagain.NumberEnsemble.load",
}


def bytes_of(path: str | Path, what: str, most: int | None = MAX_BYTES) -> bytes:
    """Return the bytes of a file.

    Parameters
    ----------
    path : str or Path
    what : str
        What is read, for messages: "model file".
    most : int or None, default=1 GiB
        Bytes; None for no limit.

    Raises
    ------
    InputError
        The file does not exist or cannot be read.
    ModelFileError
        It has more than `most` bytes.
    """
    try:
        if most is not None and os.path.getsize(path) > most:
            raise ModelFileError(f"{path} has more than {most >> 20} MiB, which is more than can be read.")
        return Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"Cannot read the {what} {path}: {error.strerror or error}.") from error


def check_format(said: object, wanted: str, what: str) -> None:
    """Check what a file of JSON says of itself.

    Parameters
    ----------
    said : object
        Its "format"; None if it has none.
    wanted, what : str
        The format of the files that are read, and what they are called: "a model file".

    Raises
    ------
    ModelFileError
        It is another file; one of this library's own is named, with what reads it.
    """
    if said == wanted:
        return
    known = READ_BY.get(said) if isinstance(said, str) else None
    if known is not None:
        raise ModelFileError(f"This is not {what}. It is {known}.")
    raise ModelFileError(f'This is not {what}: it lacks "format": "{wanted}".')
