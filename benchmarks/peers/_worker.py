"""What all workers share: read a job, time `fit`, recompute the objective, print one JSON object.

Runs inside a peer's environment, so it needs numpy only and imports nothing of treewright. A job is a JSON
object on standard input:

    arrays           path of an .npz file with X, y and optionally y_ref, X_test and y_test
    cost_complexity  price of one leaf as a fraction of the rows
    max_depth        most splits on a path; null is unlimited
    time_limit       seconds, given to the solver
    memory_limit     GiB of address space after the data is loaded; null is none
    repetitions      fits at most; the next one starts only while all together took under 2 s
    options          passed on to the solver

What a peer prints goes to standard error; standard output carries the answer alone.
"""

from __future__ import annotations

import gc
import json
import os
import platform
import resource
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

REPEAT_WITHIN = 2.0  # seconds; a peer that takes longer is run once

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS"):
    os.environ[_name] = "1"  # one core, set before numpy loads

import numpy as np  # noqa: E402


@dataclass
class Answer:
    """A fitted tree, as its worker reads it.

    Parameters
    ----------
    predictions : ndarray of shape (n_rows,)
        Label of each training row.
    n_leaves, depth : int
        Depth is the largest number of splits on a path.
    status : str
        What the solver says of its tree: "optimal", "guessed" (optimal if its guesses hold), "time_out" or
        "unproven".
    lower_bound : float or None
        In the convention of `objective` below; None if the solver gives none.
    own_objective : float or None
        As the solver states it, in its own convention.
    notes : list of str
    extra : dict
        What else the solver tells (subproblems, iterations, ...).
    predict : callable or None
        Labels of other rows; asked for X_test where the arrays hold one.
    """

    predictions: np.ndarray
    n_leaves: int
    depth: int
    status: str
    lower_bound: float | None = None
    own_objective: float | None = None
    notes: list[str] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)
    predict: Callable[[Any], Any] | None = None


@dataclass
class Run:
    """One prepared fit: `fit` is what is timed, `read` looks at the result."""

    fit: Callable[[], Any]
    read: Callable[[], Answer]


def objective(predictions: np.ndarray, y: np.ndarray, n_leaves: int, cost_complexity: float) -> float:
    """Misclassified / rows + cost_complexity * leaves."""
    return int(np.count_nonzero(np.asarray(predictions) != y)) / len(y) + cost_complexity * n_leaves


def nested_depth(
    node: Any, is_leaf: Callable[[Any], bool], children: Callable[[Any], tuple[Any, Any]]
) -> int:
    """Largest number of splits on a path below `node`."""
    if is_leaf(node):
        return 0
    return 1 + max(nested_depth(child, is_leaf, children) for child in children(node))


def nested_leaves(
    node: Any, is_leaf: Callable[[Any], bool], children: Callable[[Any], tuple[Any, Any]]
) -> int:
    """Number of leaves below `node`."""
    if is_leaf(node):
        return 1
    return sum(nested_leaves(child, is_leaf, children) for child in children(node))


def memory_mib(field_name: str) -> float | None:
    """Return VmHWM (peak) or VmRSS (now) of this process in MiB, or None where the system does not tell."""
    try:
        with open("/proc/self/status") as status:
            for line in status:
                if line.startswith(field_name):
                    return int(line.split()[1]) / 1024
    except OSError:
        pass
    return None


def peak_mib() -> float:
    """Peak resident memory of this process in MiB."""
    # VmHWM starts anew with the program; ru_maxrss is inherited from the parent through exec.
    measured = memory_mib("VmHWM")
    return measured if measured is not None else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def execute(job: dict[str, Any], make: Callable[[dict[str, Any], Any], Run]) -> dict[str, Any]:
    """Fit as often as the job says and return the answer as JSON-ready data."""
    arrays = dict(np.load(job["arrays"], allow_pickle=False))
    y = arrays["y"]
    before = memory_mib("VmRSS")
    if job.get("memory_limit"):
        now = int((memory_mib("VmSize") or 0) * 2**20)
        limit = now + int(job["memory_limit"] * 2**30)
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    wall: list[float] = []
    cpu: list[float] = []
    while True:
        run = make(job, arrays)
        gc.collect()
        cpu_start, start = time.process_time(), time.perf_counter()
        run.fit()
        wall.append(time.perf_counter() - start)
        cpu.append(time.process_time() - cpu_start)
        if len(wall) >= job.get("repetitions", 1) or sum(wall) >= REPEAT_WITHIN:
            break
    peak = peak_mib()
    answer = run.read()
    value = objective(answer.predictions, y, answer.n_leaves, job["cost_complexity"])
    gap = None
    if answer.status == "optimal":
        gap = 0.0
    elif answer.lower_bound is not None:
        gap = max(0.0, (value - answer.lower_bound) / value) if value > 0 else 0.0
    return {
        "status": answer.status,
        "objective": value,
        "misclassified": int(np.count_nonzero(np.asarray(answer.predictions) != y)),
        "n_leaves": int(answer.n_leaves),
        "depth": int(answer.depth),
        "training_accuracy": float(np.mean(np.asarray(answer.predictions) == y)),
        "test_accuracy": tested(answer, arrays),
        "lower_bound": answer.lower_bound,
        "gap": gap,
        "own_objective": answer.own_objective,
        "wall_seconds": statistics.median(wall),
        "cpu_seconds": statistics.median(cpu),
        "first_wall_seconds": wall[0],
        "repetitions": len(wall),
        "peak_mib": peak,
        "fit_mib": None if before is None else max(0.0, peak - before),
        "notes": answer.notes,
        "extra": answer.extra,
    }


def tested(answer: Answer, arrays: dict[str, Any]) -> float | None:
    """Share of the test rows that the tree predicts rightly, or None without test rows."""
    if answer.predict is None or "X_test" not in arrays:
        return None
    return float(np.mean(np.asarray(answer.predict(arrays["X_test"])) == arrays["y_test"]))


def serve(solver: str, package: str, make: Callable[[dict[str, Any], Any], Run]) -> None:
    """Answer the one job on standard input; errors are answers too."""
    reply = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # C++ code that prints must not spoil the answer
    job = json.load(sys.stdin)
    head = {
        "solver": solver,
        "package": package,
        "version": version(package),
        "python": platform.python_version(),
        "numpy": np.__version__,
    }
    try:
        body = execute(job, make)
    except Exception as error:  # whatever a peer raises is the result of the row
        body = {"status": "error", "error": f"{type(error).__name__}: {error}"[:500]}
    json.dump({**head, **body}, reply)
    reply.write("\n")
    reply.flush()
    sys.stdout.flush()
    os._exit(0)  # some peers crash in their destructors after a good answer
