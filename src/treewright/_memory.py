"""How much memory the machine has free, so that what cannot fit is refused before it is made."""

from __future__ import annotations

from pathlib import Path

__all__ = ["available_memory", "bytes_in_words"]

ROOT = "/"  # of the system's files


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


def bytes_in_words(n_bytes: int) -> str:
    """Return bytes as a sentence has them."""
    return f"{n_bytes / 1e9:,.1f} GB" if n_bytes >= 1e9 else f"{max(1, round(n_bytes / 1e6)):,} MB"


def _text(name: str) -> str:
    try:
        return Path(ROOT, name).read_text(encoding="ascii")
    except (OSError, ValueError):
        return ""
