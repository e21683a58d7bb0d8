"""A case that takes too long ends its process, whatever code is running, and is told; workers end with their parent."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from pathlib import Path
from typing import Any

from attack import run
from attack.run import allow, work


def _busy() -> None:
    allow(0)
    sum(range(10**12))  # one call into compiled code, which looks at nothing


def test_a_process_ends_with_its_seconds() -> None:
    process = multiprocessing.get_context("spawn").Process(target=_busy)
    process.start()
    process.join(120)
    assert process.exitcode == -signal.SIGXCPU


def _parent(told: Any) -> None:
    context = multiprocessing.get_context("spawn")
    arguments = (0, 0, 0, time.time() + 3600, context.Value("q", 0), context.Queue())
    child = context.Process(target=work, args=arguments)
    child.start()
    told.send(child.pid)
    child.join()


def test_a_worker_ends_with_its_parent() -> None:
    """Also where the parent was killed, and could say nothing."""
    context = multiprocessing.get_context("spawn")
    asks, told = context.Pipe()
    parent = context.Process(target=_parent, args=(told,))
    parent.start()
    worker = asks.recv()
    assert _runs(worker)
    parent.kill()
    parent.join()
    until = time.monotonic() + 60
    while _runs(worker):
        if time.monotonic() > until:
            os.kill(worker, signal.SIGKILL)
            raise AssertionError("the worker works on for nobody")
        time.sleep(0.1)


def _runs(process: int) -> bool:
    """Whether a process has not ended; on Linux one that nobody has waited for is there still."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    told = Path(f"/proc/{process}/stat")
    return not told.exists() or told.read_text().rpartition(")")[2].split()[0] != "Z"


def test_a_case_is_the_same_for_its_three_numbers() -> None:
    assert run.drawn(3, 1, 4).script("") == run.drawn(3, 1, 4).script("")
