"""A progress bar on long runs, in terminals and notebooks alike."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Literal, Protocol

from treewright._busy import busy
from treewright.errors import InputError
from treewright.search._limits import Progress, ProgressCallback

__all__ = ["SECONDS_BEFORE_BAR", "progress_bar", "quiet_bar", "watched"]

SECONDS_BEFORE_BAR = 0.5


@contextmanager
def progress_bar(
    progress: Literal["auto"] | bool | ProgressCallback,
    time_limit: float | None,
    in_words: Callable[[Progress], str] | None = None,
) -> Iterator[ProgressCallback | None]:
    """Yield the callback for a search: the user's own, a bar, or None.

    Parameters
    ----------
    progress : "auto", bool or callable
        "auto" shows a bar if a person may be watching: standard error is a terminal, or the code runs in a notebook.
    time_limit : float or None
        Seconds at which the bar is full.
    in_words : callable, default=None
        What the bar shows for a state, if that is not an objective and its bound.

    Examples
    --------
    >>> from treewright.search import progress_bar
    >>> with progress_bar(False, None) as report:
    ...     print(report)
    None
    """
    with watched(progress, lambda: _Bar(time_limit, in_words or _objective)) as report:
        yield report


class Bar(Protocol):
    """A callback that draws, and has to be closed."""

    def __call__(self, state: Any, /) -> Any: ...
    def close(self) -> None: ...


@contextmanager
def watched(progress: Any, make_bar: Callable[[], Bar]) -> Iterator[Callable[[Any], Any] | None]:
    """Yield what is told how a run goes on: the user's own callback, a bar, or None.

    Parameters
    ----------
    progress : "auto", bool or callable
        As in `progress_bar`.
    make_bar : callable
        Makes the bar, if one is to be shown; it is closed at the end.
    """
    if callable(progress):
        yield progress
    elif progress is True or (progress == "auto" and _is_watched()):
        bar = make_bar()
        try:
            yield bar
        finally:
            bar.close()
    elif progress is False or progress == "auto":
        yield None
    else:
        raise InputError(f'progress={progress!r}; give "auto", True, False or a callable.')


def _is_watched() -> bool:
    """Return whether a person may be watching: standard error is a terminal, or a notebook runs."""
    return "ipykernel" in sys.modules or sys.stderr.isatty()


def quiet_bar(**options: Any) -> Any:
    """Return a bar of tqdm; in a notebook without ipywidgets it is a line of text, and nothing warns of that."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="IProgress not found")
        from tqdm.auto import tqdm

        return tqdm(**options)


def _objective(state: Progress) -> str:
    return (
        f"objective {state.objective:.5f}, bound {state.lower_bound:.5f}, gap {100 * state.gap:.1f}%, "
        f"{state.subproblems_per_second:,.0f} subproblems/s"
    )


class _Bar:
    """Shows seconds used, and how far the search is; until it begins, that it is prepared."""

    def __init__(self, time_limit: float | None, in_words: Callable[[Progress], str]) -> None:
        self.time_limit, self.in_words = time_limit, in_words
        self.bar: Any = None
        self.before = ExitStack()
        self.before.enter_context(busy("Preparing the search", watched=True))

    def __call__(self, state: Progress) -> None:
        self.before.close()
        if self.bar is None:
            if state.seconds < SECONDS_BEFORE_BAR:
                return
            self.bar = quiet_bar(
                total=self.time_limit,
                unit="s",
                leave=False,
                bar_format="{l_bar}{bar}| {n:.0f} s{postfix}",
                desc="searching",
            )
        self.bar.n = state.seconds
        self.bar.set_postfix_str(self.in_words(state))

    def close(self) -> None:
        self.before.close()
        if self.bar is not None:
            self.bar.close()
