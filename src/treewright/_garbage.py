"""No garbage collection while some objects are made for each column of a wide table.

Python's collector walks over all objects of the process whenever their number has grown by a quarter. A table of ten
thousand columns makes it do so twice between the first line of `fit` and the search: with the libraries that are loaded
that takes as long as everything else (`benchmarks.limits`, 1,000 x 10,000), and finds nothing, for what is made here is
kept and has no cycles. Objects without cycles are freed as always.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["without_collections"]


@contextmanager
def without_collections() -> Iterator[None]:
    """Pause the collector of cyclic garbage, unless someone has already; also a decorator.

    Of several threads that are here at once the first to leave lets it run again, which costs the others time only.

    Examples
    --------
    >>> import gc
    >>> from treewright._garbage import without_collections
    >>> with without_collections():
    ...     gc.isenabled()
    False
    >>> gc.isenabled()
    True
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
