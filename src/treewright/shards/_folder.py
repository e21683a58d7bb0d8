"""The folder of a run's rows: gone at the end, whatever ends it.

An exception and Ctrl-C remove it at once. A process that is killed cannot; so it holds a lock on a file in its folder,
which dies with it, and the next run in the same place removes the folders that nobody holds any more. A folder gets the
name by which it is looked for only when it is locked. Where the system has no such locks, folders of killed processes
stay.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from treewright.errors import InputError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

__all__ = ["spill_folder"]

NEW, LOCKED = "treewright-new-", "treewright-shards-"
LOCK = "lock"


@contextmanager
def spill_folder(where: str | Path | None) -> Iterator[Path]:
    """Yield an empty folder, which is removed at the end.

    Parameters
    ----------
    where : str, Path or None
        Folder in which it is made; None is the system's for temporary files.

    Raises
    ------
    InputError
        No folder can be made there.
    """
    parent = Path(tempfile.gettempdir() if where is None else where)
    try:
        made = Path(tempfile.mkdtemp(prefix=NEW, dir=parent))
    except OSError as error:
        raise InputError(
            f"spill_folder={str(where)!r}: no folder can be made there ({error.strerror}). Name one that exists and "
            "can be written to."
        ) from None
    folder = made
    try:
        with (made / LOCK).open("wb") as lock:
            if fcntl is not None:
                with suppress(OSError):  # a file system without locks
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    folder = made.rename(made.with_name(made.name.replace(NEW, LOCKED, 1)))
                _remove_abandoned(parent)
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _remove_abandoned(parent: Path) -> None:
    """Remove folders whose processes no longer live."""
    with suppress(OSError):  # a folder that may be written to but not listed
        for entry in list(os.scandir(parent)):
            if entry.name.startswith(LOCKED) and entry.is_dir(follow_symlinks=False):
                with suppress(OSError):  # somebody else's, or gone by now
                    _remove_unless_locked(Path(entry.path))


def _remove_unless_locked(folder: Path) -> None:
    with (folder / LOCK).open("r+b") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # raises if its process lives
        shutil.rmtree(folder)
