"""How large a mixed-integer program will be, counted before any of it is written.

A program of a million rows has hundreds of millions of coefficients: whoever writes it until the memory is gone loses
the process, the tree included. So every formulation counts its variables and terms first (a test compares them with the
written model), and what they will take decides whether it is written.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

__all__ = ["Size", "available_memory", "in_words"]

# Measured with HiGHS on 20,000 rows, from the first block to what its presolve takes, over the formulations: a term
# as it is written, in the matrix and in the solver's copies of it; a variable with its bounds; a block of constraints
# as an object of Python.
TERM_BYTES, VARIABLE_BYTES, BLOCK_BYTES = 130, 1000, 2000
ROOT = "/"  # of the system's files


@dataclass(frozen=True)
class Size:
    """What a program consists of.

    Parameters
    ----------
    variables : int
    terms : int
        Coefficients of all constraints, as they are written.
    blocks : int
        Blocks of constraints.
    """

    variables: int
    terms: int
    blocks: int

    @property
    def n_bytes(self) -> int:
        """Memory that writing the program and handing it to the solver takes, about."""
        return TERM_BYTES * self.terms + VARIABLE_BYTES * self.variables + BLOCK_BYTES * self.blocks


def in_words(n_bytes: int) -> str:
    """Return bytes as a sentence has them."""
    return f"{n_bytes / 1e9:,.1f} GB" if n_bytes >= 1e9 else f"{max(1, round(n_bytes / 1e6)):,} MB"


def available_memory() -> int | None:
    """Return the bytes that the process may take without others giving up theirs; None if the system does not tell."""
    free = []
    for line in _text("proc/meminfo").splitlines():
        if line.startswith("MemAvailable:"):
            free.append(int(line.split()[1]) << 10)
    group = "sys/fs/cgroup"
    for most, held in (
        ("memory.max", "memory.current"),
        ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"),
    ):
        limit, used = _text(f"{group}/{most}").strip(), _text(f"{group}/{held}").strip()
        if limit.isdigit() and used.isdigit():
            free.append(max(0, int(limit) - int(used)))
    return min(free, default=None)


def _text(name: str) -> str:
    try:
        return Path(ROOT, name).read_text(encoding="ascii")
    except (OSError, ValueError):
        return ""
