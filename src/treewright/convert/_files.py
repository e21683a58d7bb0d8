"""Files that are written whole or not at all.

The text goes to a new file in the same folder, which then takes the place of the old one in one step; if
anything fails before, the old file is as it was.
"""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from treewright.errors import InputError

__all__ = ["check_writable", "write_bytes"]


def check_writable(path: str | Path) -> None:
    """Find out, before a long run, whether `write_bytes` could write to `path`.

    Parameters
    ----------
    path : str or Path

    Raises
    ------
    InputError
        The folder does not exist or takes no files, or `path` is a folder or protected.
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
    try:
        handle, trial = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:100]}.")
    except OSError as error:
        raise _unwritable(path, error) from error
    os.close(handle)
    os.unlink(trial)


def write_bytes(path: str | Path, content: bytes) -> None:
    """Write a file whole, or leave the old one as it is.

    Parameters
    ----------
    path : str or Path
        A symbolic link is followed. A device or pipe is written to directly.
    content : bytes

    Raises
    ------
    InputError
        The file cannot be written; the message says why.
    """
    check_writable(path)
    target = Path(os.path.realpath(path))
    if _is_special(target):
        target.write_bytes(content)
        return
    trial: str | None = None
    try:
        handle, trial = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:100]}.")
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(trial, _mode(target))
        os.replace(trial, target)
        trial = None
    except OSError as error:
        raise _unwritable(path, error) from error
    finally:
        if trial is not None:
            with suppress(OSError):
                os.unlink(trial)


def _mode(target: Path) -> int:
    """Permissions of the old file, or those that a new file would get."""
    if target.exists():
        return stat.S_IMODE(target.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _is_special(target: Path) -> bool:
    return target.exists() and not target.is_file()


def _unwritable(path: str | Path, error: OSError) -> InputError:
    return InputError(f"Cannot write {path}: {error.strerror or error}. Name another place.")
