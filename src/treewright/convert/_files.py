"""Files that are written whole or not at all.

The text goes to a new hidden file in the same folder, which then takes the place of the old one in one step; if
anything fails before, the old file is as it was. A process that is killed on the way leaves its hidden file behind.
Its name says what it is, and its writer holds a lock on it, which dies with the writer: so the next write to the same
file removes what has no lock, and never the file of another process that is writing at the moment. Systems without
such locks do not let an open file be removed, which serves as well.
"""

from __future__ import annotations

import os
import re
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from treewright.errors import InputError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

__all__ = ["check_writable", "write_bytes"]

LONGEST_NAME = 100  # characters of the file's name in that of the hidden one
ENDING = ".part"


def check_writable(path: str | Path) -> None:
    """Find out, before a long run, whether `write_bytes` could write to `path`.

    Parameters
    ----------
    path : str or Path

    Raises
    ------
    InputError
        The folder does not exist or is not writable, or `path` is a folder or protected.

    Examples
    --------
    >>> from treewright.convert import check_writable
    >>> try:
    ...     check_writable("no such folder/model.json")
    ... except ValueError:
    ...     print("no such folder")
    no such folder
    """
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise InputError(f"Cannot write {path}: it is a folder. Name a file.")
    if target.exists() and not os.access(target, os.W_OK):
        raise InputError(f"Cannot write {path}: the file is protected. Name another one.")
    if _is_special(target):
        return
    if not target.parent.is_dir():
        raise InputError(f"Cannot write {path}: there is no folder {target.parent}. Make it first.")
    _remove_abandoned(target)
    try:
        handle, trial = _open_hidden(target)
    except OSError as error:
        raise _unwritable(path, error) from error
    os.close(handle)
    os.unlink(trial)


def write_bytes(path: str | Path, content: bytes) -> None:
    """Write a file completely, or leave the old one unchanged.

    Parameters
    ----------
    path : str or Path
        A symbolic link is followed. A device or pipe is written to directly.
    content : bytes

    Raises
    ------
    InputError
        The file cannot be written; the message says why.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from treewright.convert import write_bytes
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_bytes(Path(folder) / "note.txt", b"whole")
    ...     (Path(folder) / "note.txt").read_bytes()
    b'whole'
    """
    check_writable(path)
    target = Path(os.path.realpath(path))
    if _is_special(target):
        try:
            target.write_bytes(content)
        except OSError as error:
            raise _unwritable(path, error) from error
        return
    trial: Path | None = None
    try:
        handle, trial = _open_hidden(target)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            if target.exists():  # keep the permissions of the old file
                os.chmod(trial, stat.S_IMODE(target.stat().st_mode))
            if fcntl is not None:
                os.replace(trial, target)  # while the lock is held
        if fcntl is None:
            os.replace(trial, target)  # where an open file cannot be moved
        trial = None
    except OSError as error:
        raise _unwritable(path, error) from error
    finally:
        if trial is not None:
            with suppress(OSError):
                os.unlink(trial)


def _open_hidden(target: Path) -> tuple[int, Path]:
    """Make and lock a new hidden file beside `target`.

    A new file gets the permissions that the system gives new files (its umask is not looked at, for that would
    mean to change it for all threads); in place of an old one it starts with none for others.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    while True:
        trial = target.parent / f"{_hidden_start(target)}{secrets.token_hex(4)}{ENDING}"
        try:
            handle = os.open(trial, flags, 0o600 if target.exists() else 0o666)
        except FileExistsError:
            continue
        if fcntl is None:
            return handle, trial
        with suppress(OSError):  # a file system without locks
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(handle).st_nlink:  # no other writer took it for abandoned before the lock was there
            return handle, trial
        os.close(handle)


def _remove_abandoned(target: Path) -> None:
    """Remove hidden files of writers of `target` that no longer live."""
    hidden = re.compile(rf"{re.escape(_hidden_start(target))}[0-9a-f]{{8}}{re.escape(ENDING)}")
    try:
        names = [entry.name for entry in os.scandir(target.parent)]
    except OSError:
        return  # a folder that may be written to but not listed
    for name in names:
        if hidden.fullmatch(name):
            with suppress(OSError):
                _remove_unless_locked(target.parent / name)


def _remove_unless_locked(path: Path) -> None:
    """Remove a file that nobody holds a lock on.

    Raises
    ------
    OSError
        Somebody does, or it cannot be removed.
    """
    if fcntl is None:
        os.unlink(path)  # fails while the file is open
        return
    handle = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.unlink(path)
    finally:
        os.close(handle)


def _hidden_start(target: Path) -> str:
    return f".{target.name[:LONGEST_NAME]}."


def _is_special(target: Path) -> bool:
    return target.exists() and not target.is_file()


def _unwritable(path: str | Path, error: OSError) -> InputError:
    return InputError(f"Cannot write {path}: {error.strerror or error}. Name another place.")
