"""What the commands of several benchmarks share: options that hold lists, and the end of a run."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

from benchmarks._harness import write_results

__all__ = ["commit", "depths_of", "finish", "names"]


def commit() -> str:
    """Return the commit of this checkout, or that it is not known."""
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short", "HEAD"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def names(text: str) -> tuple[str, ...]:
    """Split a comma-separated option."""
    return tuple(part.strip() for part in text.split(",") if part.strip())


def depths_of(text: str) -> list[int | None]:
    """Read depths: "3,4,none"."""
    return [None if part == "none" else int(part) for part in names(text)]


def finish(name: str, options: dict[str, Any], rows: list[dict[str, Any]], write: bool, *notes: str) -> None:
    """Print the remarks below a table and write the results."""
    for note in notes:
        print(note)
    if write:
        print(f"written: results/{write_results(name, options, rows).name}")
