"""A folder where a command holds one table in memory: how its files become one."""

from __future__ import annotations

from pathlib import Path

from treewright.errors import InputError

__all__ = ["as_one_file", "refuse_folder"]


def refuse_folder(path: Path, more: str = "") -> None:
    """Say what to do with a folder that is given to a command that reads one file, and `more`.

    Raises
    ------
    InputError
        `path` is a folder.
    """
    if path.is_dir():
        raise InputError(
            f"{path} is a folder, and this command reads one file. Give one of its files, of whose rows alone it then "
            f"tells; or, if all rows fit into memory, make one file of them: {as_one_file(path)}, in Python."
            + more
        )


def as_one_file(path: Path) -> str:
    """Return the call of polars that makes one CSV file of a folder, or of a Parquet file."""
    if not path.is_dir():
        return f"polars.scan_parquet({str(path)!r}).sink_csv('all.csv')"
    kind = "parquet" if any(path.glob("*.parquet")) else "csv"
    return f"polars.scan_{kind}({str(path / f'*.{kind}')!r}).sink_csv('all.csv')"
