"""What Ctrl-C does to a `fit`: the one rule for all estimators.

A search that is interrupted has a tree, so `fit` sets its attributes in any case. Whether it then returns or raises
KeyboardInterrupt depends on who called it, for a caller with more fits to do must learn of the Ctrl-C:

- called by you, alone or as a step of a Pipeline: it returns;
- called by scikit-learn, joblib or another library that loops over fits (`LOOPS`): it raises;
- inside ``with treewright.raise_on_interrupt():`` (a loop of your own): it raises;
- interrupted again within two seconds of the last time: it raises, so that two Ctrl-C end any loop.

An estimator that makes several fits or searches of its own takes `inner_fits_return` around them, stops at the first
that was interrupted, and ends its `fit` with `settle_interrupt` like the others.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from types import FrameType

from treewright.result import StopReason

__all__ = ["InnerFits", "begun_again", "inner_fits_return", "raise_on_interrupt", "settle_interrupt"]

LOOPS = ("sklearn", "joblib", "dask", "distributed", "optuna", "ray")
# Parts of these that call `fit` once and hand on what it returns.
SINGLE = ("sklearn.base", "sklearn.frozen", "sklearn.pipeline", "joblib.memory")
TWICE = 2.0  # seconds between two Ctrl-C that belong together


@dataclass
class InnerFits:
    """The fits that an estimator makes inside of its own, and whether Ctrl-C ended one of them."""

    interrupted: bool = False


_asked: ContextVar[InnerFits | bool | None] = ContextVar("treewright_raise_on_interrupt", default=None)
_last = -TWICE  # when a fit was last interrupted, by the clock of `time.monotonic`


@contextmanager
def raise_on_interrupt() -> Iterator[None]:
    """Let a `fit` that Ctrl-C ends raise KeyboardInterrupt instead of returning.

    This is for loops over fits. The estimator keeps its tree, because its attributes are set before the exception is
    raised. A search by scikit-learn or joblib does not need this context; there an interrupted fit raises by itself.

    Yields
    ------
    None

    Examples
    --------
    >>> import treewright
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> with treewright.raise_on_interrupt():  # Ctrl-C ends the loop, not one of its fits
    ...     leaves = [treewright.OptimalTreeClassifier(c).fit(X, y).get_n_leaves() for c in (0.1, 0.02)]
    >>> leaves
    [3, 3]
    """
    token = _asked.set(True)
    try:
        yield
    finally:
        _asked.reset(token)


@contextmanager
def inner_fits_return() -> Iterator[InnerFits]:
    """Let fits return when interrupted, whoever calls: the estimator around them settles the interrupt itself.

    What is yielded says whether one was, also after its search, which the result of such a fit does not know.
    """
    inner = InnerFits()
    token = _asked.set(inner)
    try:
        yield inner
    finally:
        _asked.reset(token)


def begun_again(step: Callable[[], None]) -> bool:
    """Do what follows a search, a second time if Ctrl-C comes meanwhile; return whether it came.

    Parameters
    ----------
    step : callable
        Without a search in it, and with the same effect however often it is begun.
    """
    try:
        step()
    except KeyboardInterrupt:  # the search has its tree, which would be lost
        step()
        return True
    return False


def settle_interrupt(reason: StopReason | None) -> None:
    """End a `fit`, its attributes set: raise KeyboardInterrupt if it was interrupted and the caller must know.

    Parameters
    ----------
    reason : StopReason or None
        Why the run of this `fit` stopped.

    Raises
    ------
    KeyboardInterrupt
    """
    global _last
    if reason is not StopReason.INTERRUPT:
        return
    asked = _asked.get()
    if isinstance(asked, InnerFits):  # the estimator around this one will come here, too
        asked.interrupted = True
        return
    now = time.monotonic()
    again, _last = now - _last < TWICE, now
    if asked or again or _called_by_loop(sys._getframe(1)):
        raise KeyboardInterrupt


def _called_by_loop(frame: FrameType | None) -> bool:
    """Whether code of a library that loops over fits is among the callers."""
    while frame is not None:
        name = str(frame.f_globals.get("__name__", ""))
        if name.partition(".")[0] in LOOPS and name not in SINGLE:
            return True
        frame = frame.f_back
    return False
