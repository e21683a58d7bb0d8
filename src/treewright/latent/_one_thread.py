"""Short products of PyTorch in one thread: its threads spin while they wait for each other.

Where other work takes the cores, two threads took several times the processor seconds of one to lead a million rows of
ten columns to their leaves, and more time of the clock. Long products are left to PyTorch's own number of threads.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from treewright.latent._torch import torch

__all__ = ["one_thread"]

LONG = 2**28  # multiplications at a time that threads are worth waiting for: some hundredths of a second


@contextmanager
def one_thread(n_products: int) -> Iterator[None]:
    """Let PyTorch work in the calling thread alone if it multiplies no more than so many numbers at a time.

    Parameters
    ----------
    n_products : int
        Of one call: rows times weights.

    Notes
    -----
    The number of threads is PyTorch's own setting, for the calling thread and for threads that begin meanwhile.

    Examples
    --------
    >>> import torch
    >>> from treewright.latent._one_thread import one_thread
    >>> with one_thread(16384 * 31 * 10):
    ...     torch.get_num_threads()
    1
    """
    before = torch.get_num_threads()
    if n_products > LONG or before == 1:
        yield
        return
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
