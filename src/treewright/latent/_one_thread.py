"""Short products of PyTorch in one thread: its threads spin while they wait for each other.

On a busy machine two threads took eight times the processor seconds of one to lead a million rows of ten columns to
their leaves (.75 and .09 s), and twice the time of the clock.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from treewright.latent._torch import torch

__all__ = ["one_thread"]


@contextmanager
def one_thread() -> Iterator[None]:
    """Let PyTorch work in the calling thread alone.

    The number is PyTorch's own setting, for the calling thread and for threads that begin meanwhile.

    Examples
    --------
    >>> import torch
    >>> from treewright.latent._one_thread import one_thread
    >>> with one_thread():
    ...     torch.get_num_threads()
    1
    """
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
