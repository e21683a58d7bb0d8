"""What the workers of near-optimal sets share: read jobs, count, print one JSON object for each.

Runs inside a peer's environment and imports nothing of treewright. A job is a JSON object on a line of standard input:

    arrays       path of an .npz file with X and y (0 or 1)
    cost_complexity  price of one leaf as a fraction of the rows
    bound_rows   most errors plus price of a tree, in rows, where a peer rounds; null where it does not
    epsilon      the bound is (1 + epsilon) times the least
    max_depth    most splits on a path
    time_limit   seconds of the processor; more, and the process is ended by a signal
    wall_limit   the same on the clock
    memory_limit GiB of address space after the data is loaded

Each job has a process of its own, forked from this one, so that what the imports take is paid once. Before it is
measured, the process makes the set of a tiny table: "first_megabytes" is what its own memory grew by for that, and
"megabytes" what it grew by at most for the job. Both are without the pages of files that are mapped, which are code.

What a peer prints goes to standard error; standard output carries the answers alone.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "TBB_NUM_THREADS"):
    os.environ[_name] = "1"

import numpy as np  # noqa: E402

TINY = {"cost_complexity": 0.125, "bound_rows": 4, "epsilon": 0.1, "max_depth": 3, "rule": "praxis"}

SHORT, AGAIN = 0.05, 10  # seconds; such runs are repeated

Count = Callable[[dict[str, Any], Any, Any], dict[str, Any]]


def held(what: str) -> int:
    """Bytes of the process: "VmRSS" now, "VmHWM" at most since it was set back, "RssAnon" those of no file."""
    text = Path("/proc/self/status").read_text()
    return int(text.partition(f"{what}:")[2].split()[0]) << 10


def tiny_table() -> tuple[Any, Any]:
    """All rows of three columns and a label that takes more than one split."""
    X = np.array([[i >> 2 & 1, i >> 1 & 1, i & 1] for i in range(8)], dtype=float)
    return X, (X[:, 0].astype(int) & X[:, 1].astype(int)) | X[:, 2].astype(int)


def answer(package: str, count: Count, job: dict[str, Any]) -> dict[str, Any]:
    """Count the trees of one job and measure it; the process is of no use afterwards."""
    arrays = np.load(job["arrays"])
    X, y = arrays["X"], arrays["y"]
    first = held("RssAnon")
    count(job | TINY, *tiny_table())
    first = held("RssAnon") - first
    said: dict[str, Any] = {"version": version(package)}
    Path("/proc/self/clear_refs").write_text("5")
    before, code = held("VmRSS"), held("RssFile")
    if job["memory_limit"] is not None:
        size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        most = size + int(job["memory_limit"] * 2**30)
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    spent = int(time.process_time()) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (spent + int(job["time_limit"]), resource.RLIM_INFINITY))
    signal.setitimer(signal.ITIMER_REAL, job["wall_limit"])  # its signal ends the process
    started = time.process_time()
    try:
        said |= count(job, X, y)
    except (MemoryError, Exception) as error:  # the row says what the peer said
        said["error"] = f"{type(error).__name__}: {error}"[:300]
    said["cpu_seconds"] = time.process_time() - started
    said["megabytes"] = (held("VmHWM") - before - (held("RssFile") - code)) / 1e6
    said["first_megabytes"] = first / 1e6
    if said["cpu_seconds"] < SHORT and "error" not in said:  # the clock of the processor may be that coarse
        started = time.process_time()
        for _ in range(AGAIN):
            count(job, X, y)
        said["cpu_seconds"] = (time.process_time() - started) / AGAIN
    return said


def serve(package: str, count: Count) -> None:
    """Answer jobs with `count`, which returns what a row says of them, the number of trees as text among it."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        job = json.loads(line)
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            with os.fdopen(writing, "w") as out:
                json.dump(answer(package, count, job), out)
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading) as said:
            text = said.read()
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        ended = {
            -signal.SIGXCPU: f"over {job['time_limit']:.0f} s",
            -signal.SIGALRM: f"killed after {job['wall_limit']:.0f} s of the clock",
        }
        answers.write((text or json.dumps({"error": ended.get(code, f"ended with {code}")})) + "\n")
        answers.flush()
