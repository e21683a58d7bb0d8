"""What the workers of near-optimal sets share: read a job, count, print one JSON object.

Runs inside a peer's environment and imports nothing of treewright. A job is a JSON object on standard input:

    arrays       path of an .npz file with X and y (0 or 1)
    cost_complexity  price of one leaf as a fraction of the rows
    bound_rows   most errors plus price of a tree, in rows, where a peer rounds; null where it does not
    epsilon      the bound is (1 + epsilon) times the least
    max_depth    most splits on a path
    time_limit   seconds of the processor; more, and the process is ended by a signal
    memory_limit GiB of address space after the data is loaded

What a peer prints goes to standard error; standard output carries the answer alone.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "TBB_NUM_THREADS"):
    os.environ[_name] = "1"

import numpy as np  # noqa: E402


def held(what: str) -> int:
    """Bytes of the process: "VmRSS" now, "VmHWM" at most since the last `forget`."""
    text = Path("/proc/self/status").read_text()
    return int(text.partition(f"{what}:")[2].split()[0]) << 10


def serve(package: str, count: Callable[[dict[str, Any], Any, Any], str]) -> None:
    """Count the trees of the job on standard input with `count`, which returns the number as text."""
    job = json.load(sys.stdin)
    answers = os.dup(1)
    os.dup2(2, 1)
    arrays = np.load(job["arrays"])
    X, y = arrays["X"], arrays["y"]
    Path("/proc/self/clear_refs").write_text("5")
    before = held("VmRSS")
    if job["memory_limit"] is not None:
        size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        most = size + int(job["memory_limit"] * 2**30)
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    spent = int(time.process_time()) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (spent + int(job["time_limit"]), resource.RLIM_INFINITY))
    answer: dict[str, Any] = {"version": version(package)}
    begun = time.process_time()
    try:
        answer["trees"] = count(job, X, y)
    except (MemoryError, Exception) as error:  # the row says what the peer said
        answer["error"] = f"{type(error).__name__}: {error}"[:300]
    answer["cpu_seconds"] = time.process_time() - begun
    answer["megabytes"] = (held("VmHWM") - before) / 1e6
    with os.fdopen(answers, "w") as out:
        out.write(json.dumps(answer))
