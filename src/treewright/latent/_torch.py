"""The one import of PyTorch, so that its absence is said once and plainly, and Ctrl-C does not break it off.

PyTorch takes a second or more to load, in the first fit of a latent tree. Where that is broken off, no second import
in the same process succeeds: some end with an error about PyTorch's own functions, some end the process. So Ctrl-C
waits for the end of the import.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from treewright.errors import MissingDependencyError

__all__ = ["interrupt_waits", "torch"]


@contextmanager
def interrupt_waits() -> Iterator[None]:
    """Let Ctrl-C raise KeyboardInterrupt at the end of the block instead of inside.

    Only where Python's own handler is installed, and in the main thread, which alone hears signals. A program with
    another handler, such as the command line, knows what it wants.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    pressed: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _: pressed.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if pressed:
        raise KeyboardInterrupt


try:
    with interrupt_waits():
        import torch
except ImportError as error:
    raise MissingDependencyError(
        "Latent trees need PyTorch, which is not installed. Install the extra that brings it: "
        "pip install 'treewright[latent]' (or 'torch' from pytorch.org for a build without CUDA)."
    ) from error
