"""The program `treewright` in this process, with what it says."""

from __future__ import annotations

import io
import traceback
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from typing import Any

__all__ = ["Said", "options_of", "run", "verbs"]


@dataclass(frozen=True)
class Said:
    """How a verb ended; `crash` is the traceback of an error that no user should see."""

    code: int
    output: str
    errors: str
    crash: str = ""

    @property
    def last(self) -> str:
        """The last line for people: the error, if there is one."""
        return (self.errors.strip().splitlines() or [""])[-1]


@cache
def _program() -> Any:
    """The verbs, made once: typer makes them anew for each call of its own runner, which takes longer than a fit."""
    import typer.main

    from treewright.cli import app

    return typer.main.get_command(app)


def verbs() -> list[str]:
    """The names of all verbs."""
    return list(_program().commands)


def options_of(verb: str) -> list[list[str]]:
    """The names of each option of a verb, without hyphens, the long ones first."""
    options = [p for p in _program().commands[verb].params if p.param_type_name == "option"]
    return [
        [name.lstrip("-") for name in sorted((*option.opts, *option.secondary_opts), key=len, reverse=True)]
        for option in options
    ]


def run(words: list[str]) -> Said:
    """Call the program with these arguments."""
    output, errors = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="") for _ in range(2))
    code, crash = 0, ""
    with redirect_stdout(output), redirect_stderr(errors):
        try:
            _program()(words, prog_name="treewright")
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
        except Exception:
            code, crash = 1, traceback.format_exc()
    texts = []
    for stream in (output, errors):
        stream.flush()
        texts.append(stream.buffer.getvalue().decode())  # type: ignore[attr-defined]
    return Said(code, *texts, crash)
