"""What a test may change for its whole process, and what puts it back.

A worker runs files of tests in an order that nobody knows beforehand. What a test leaves behind is met by another one,
perhaps only on another machine. pytest itself puts back the filters of warnings, and `monkeypatch` what was set with
it; this does the rest, in some microseconds a test. It does not complain: what a library changes on its own is no
fault of the test that used it.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from types import ModuleType
from typing import Any


@dataclass(frozen=True)
class Part:
    """Something of a module that is the same for all tests, once the module has been imported."""

    module: str
    read: Callable[[ModuleType], Any]
    write: Callable[[ModuleType, Any], object]


def handler_of(number: signal.Signals) -> Part:
    # None is a handler that Python has not set, and cannot set.
    return Part(
        "signal",
        lambda module: module.getsignal(number),
        lambda module, handler: handler is None or module.signal(number, handler),
    )


PARTS = (
    handler_of(signal.SIGINT),
    handler_of(signal.SIGTERM),
    # What is new in the environment stays: a library may have set it for itself.
    Part("os", lambda os: dict(os.environ), lambda os, value: os.environ.update(value)),
    Part("os", lambda os: os.getcwd(), lambda os, value: os.chdir(value)),
    Part("sys", lambda sys: sys.getrecursionlimit(), lambda sys, value: sys.setrecursionlimit(value)),
    Part("gc", lambda gc: gc.isenabled(), lambda gc, value: gc.enable() if value else gc.disable()),
    Part("numpy", lambda numpy: numpy.geterr(), lambda numpy, value: numpy.seterr(**value)),
    Part("sklearn", lambda sklearn: sklearn.get_config(), lambda sklearn, value: sklearn.set_config(**value)),
    Part("treewright._core", lambda core: core.simd(), lambda core, value: core.set_simd_limit(value)),
    Part("torch", lambda torch: torch.get_num_threads(), lambda torch, value: torch.set_num_threads(value)),
    Part("torch", lambda torch: torch.is_grad_enabled(), lambda torch, value: torch.set_grad_enabled(value)),
)


@contextmanager
def nothing_left_behind() -> Iterator[None]:
    """Put back afterwards what was changed meanwhile."""
    before = [(part, module, part.read(module)) for part in PARTS if (module := sys.modules.get(part.module))]
    try:
        yield
    finally:
        for part, module, value in before:
            if part.read(module) != value:
                part.write(module, value)


@contextmanager
def settings_of_pictures_kept() -> Iterator[None]:
    """The same for the settings of matplotlib, which take longer to copy: for a file of tests, not for each test."""
    matplotlib = sys.modules.get("matplotlib")
    with matplotlib.rc_context() if matplotlib else nullcontext():
        yield
    if matplotlib is None and (imported := sys.modules.get("matplotlib")):
        imported.rc_file_defaults()
