"""Errors that a user can mend, as one line on standard error and an exit code; `_stop` has the signals."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import typer

from treewright.cli._output import note, stdout_is_closed
from treewright.cli._stop import listening, stop_code, stop_word, was_stopped
from treewright.cli._wording import as_options
from treewright.errors import TreewrightError

__all__ = ["BAD_INPUT", "CHECK_FAILED", "exits_by_code"]

CHECK_FAILED = 1
BAD_INPUT = 2

Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")


def exits_by_code(verb: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
    """Turn errors that a user can mend into one line on standard error and an exit code; see `_stop` for signals."""

    @functools.wraps(verb)
    def run(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Returned:
        with listening():
            try:
                answer = verb(*args, **kwargs)
            except TreewrightError as error:
                if was_stopped():  # and there was no tree yet
                    note(f"{stop_word()}; nothing was written. {as_options(str(error))}")
                    raise typer.Exit(stop_code()) from None
                note(f"Error: {as_options(str(error))}")
                raise typer.Exit(BAD_INPUT) from None
            except OSError as error:
                note(f"Error: {error.strerror or error}{f': {error.filename}' if error.filename else ''}.")
                raise typer.Exit(BAD_INPUT) from None
            except MemoryError:
                note("Error: the table does not fit into memory. Leave out columns with --ignore, or rows.")
                raise typer.Exit(BAD_INPUT) from None
            except KeyboardInterrupt:
                note(f"{stop_word()}; nothing was written.")
                raise typer.Exit(stop_code()) from None
            except typer.Exit:
                raise
            except Exception:
                if not was_stopped():
                    raise
                note(f"{stop_word()}; nothing was written.")  # a library made its own error of it
                raise typer.Exit(stop_code()) from None
            if stdout_is_closed() and kwargs.get("out") is None:
                note("Error: standard output is closed, so nothing could be shown. Name a file with --out.")
                raise typer.Exit(BAD_INPUT)
            return answer

    return run
