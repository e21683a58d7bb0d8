"""What workers of other processes are given in the tests of shards: tasks that fail, and tasks that kill."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

from treewright.shards._coded import cell_task


def double(task: int) -> int:
    return 2 * task


def fail_on_three(task: int) -> int:
    if task == 3:
        raise RuntimeError("three is not done")
    return 2 * task


def die_always_on_three(task: int) -> int:
    if task == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return 2 * task


def die_once(task: tuple[int, str]) -> int:
    number, marker = task
    if number == 3 and not Path(marker).exists():
        Path(marker).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return 2 * number


def count_and_die_once(task: Any, marker: str) -> Any:
    if 0 in task.shards and not Path(marker).exists():
        Path(marker).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return cell_task(task)


def count_all_but_the_first(task: Any) -> Any:
    if 0 in task.shards:
        os.kill(os.getpid(), signal.SIGKILL)
    return cell_task(task)
