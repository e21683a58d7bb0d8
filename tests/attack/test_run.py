"""A case that takes too long ends its process, whatever code is running, and is told."""

from __future__ import annotations

import multiprocessing
import signal

from attack import run
from attack.run import allow


def _busy() -> None:
    allow(0)
    sum(range(10**12))  # one call into compiled code, which looks at nothing


def test_a_process_ends_with_its_seconds() -> None:
    process = multiprocessing.get_context("spawn").Process(target=_busy)
    process.start()
    process.join(120)
    assert process.exitcode == -signal.SIGXCPU


def test_a_case_is_the_same_for_its_three_numbers() -> None:
    assert run.drawn(3, 1, 4).script("") == run.drawn(3, 1, 4).script("")
