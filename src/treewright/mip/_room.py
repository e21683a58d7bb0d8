"""Whether a program fits into memory, said before it is written, with what would fit."""

from __future__ import annotations

from collections.abc import Mapping

from treewright._memory import available_memory, bytes_in_words
from treewright.mip._formulation import Formulation
from treewright.mip._instance import Instance
from treewright.mip._outcome import resident_memory

__all__ = ["granted_memory", "why_too_large"]


def granted_memory(memory_limit: int | None = None, held: int = 0) -> int | None:
    """Return the bytes that a program may take: of the limit and of the machine; None if neither says.

    Parameters
    ----------
    memory_limit : int or None, default=None
        Bytes that the process may grow by.
    held : int, default=0
        Bytes that it held before.
    """
    free = [available_memory()]
    if memory_limit is not None:
        free.append(max(0, memory_limit - max(0, resident_memory() - held)))
    return min((n for n in free if n is not None), default=None)


def why_too_large(
    formulations: Mapping[str, type[Formulation]],
    name: str,
    instance: Instance,
    depth: int,
    tighten: bool,
    granted: int | None,
) -> str | None:
    """Return why a program is not to be written, and what to do; None if it fits.

    Parameters
    ----------
    formulations : mapping of str to Formulation
        All of them, to compare.
    name : str
        The one that is asked for.
    instance : Instance
    depth : int
    tighten : bool
    granted : int or None
        Bytes; None is any number.
    """
    size = formulations[name].size(instance, depth, tighten)
    if granted is None or size.n_bytes <= granted:
        return None
    others = ", ".join(
        f'"{other}" about {bytes_in_words(kind.size(instance, depth, tighten).n_bytes)}'
        for other, kind in formulations.items()
        if other != name
    )
    rows = instance.n_rows * granted // size.n_bytes
    sample = f"Fit a sample of about {rows:,} different rows" if rows >= 10 else "Fit far fewer rows"
    return (
        f'The program "{name}" of depth {depth} has {size.variables:,} variables and {size.terms:,} coefficients and '
        f"takes about {bytes_in_words(size.n_bytes)}, of {bytes_in_words(granted)} that memory_limit and the machine "
        f"leave: it was not written. ({others}.) {sample}, fewer or rounded columns, or a smaller max_depth; or use "
        "the exact search, which writes no program."
    )
