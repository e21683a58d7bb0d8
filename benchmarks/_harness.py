"""Run one job in one process of the solver's own environment, and keep what came back.

A solver that crashes, hangs or runs out of memory gives a row that says so; it never ends the benchmark. The
process is killed at 1.5 x time_limit + 10 s. Every worker is told to use one core.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import platform
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import treewright
from benchmarks._data import Dataset
from benchmarks._environments import DEFAULT_FOLDER, PEERS, ensure, worker_script
from treewright._native import core

__all__ = ["Harness", "Job", "machine", "write_results"]

RESULTS = Path(__file__).resolve().parent / "results"
SINGLE_CORE = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS", "TBB_NUM_THREADS"),
    "1",
)


@dataclass(frozen=True)
class Job:
    """One fit of one solver.

    Parameters
    ----------
    solver : str
        "treewright" or a name of `PEERS`.
    dataset : Dataset
    cost_complexity : float
        Price of one leaf as a fraction of the rows.
    max_depth : int or None
        Most splits on a path; None is unlimited.
    time_limit : float
        Seconds.
    repetitions : int
        Fits at most; only runs that take less than 2 s together are repeated.
    options : dict
        Passed on to the solver.
    """

    solver: str
    dataset: Dataset
    cost_complexity: float
    max_depth: int | None
    time_limit: float = 20.0
    repetitions: int = 5
    options: dict[str, Any] = field(default_factory=dict)

    def parameters(self) -> dict[str, Any]:
        """What identifies the job, and goes into its row."""
        return {
            "solver": self.solver,
            "data": self.dataset.name,
            "sha256": self.dataset.sha256,
            "n_rows": self.dataset.n_rows,
            "n_columns": self.dataset.n_columns,
            "cost_complexity": self.cost_complexity,
            "max_depth": self.max_depth,
            "time_limit": self.time_limit,
            "options": self.options,
        }


@dataclass
class Harness:
    """Runs jobs one after another and keeps a JSON line of each.

    Parameters
    ----------
    store : Path
        JSON lines of all runs; appended to, never rewritten.
    reuse : frozenset of str, default=empty
        Solvers whose stored rows are taken instead of a new run (same job, same requirements). Only for
        development: a published table is one run.
    environments : Path
        Folder of the peers' environments.
    memory_limit : float, default=8
        GiB of address space of a worker beyond its start.
    quiet : bool, default=False
        Whether to keep progress lines to itself.
    """

    store: Path
    reuse: frozenset[str] = frozenset()
    environments: Path = DEFAULT_FOLDER
    memory_limit: float = 8.0
    quiet: bool = False

    def run(self, job: Job) -> dict[str, Any]:
        """Return the row of `job`: its parameters, then the worker's answer."""
        if job.solver in self.reuse:
            for row in self._stored():
                if self._serves(row, job):
                    return {**row, "reused": True}
        row = {"key": self._key(job), **job.parameters(), **self._answer(job)}
        self.store.parent.mkdir(parents=True, exist_ok=True)
        with self.store.open("a") as lines:
            lines.write(json.dumps(row) + "\n")
        if not self.quiet:
            depth = "unlimited" if job.max_depth is None else job.max_depth
            value = f" {row['objective']:.6f}" if "objective" in row else f" {row.get('error', '')}"
            seconds = row.get("wall_seconds", row["process_seconds"])
            what = f"{job.solver} {job.dataset.name} {job.cost_complexity} {depth}"
            print(f"# {what}: {row['status']}{value} {seconds:.4f} s", flush=True)
        return row

    def _serves(self, row: dict[str, Any], job: Job) -> bool:
        """Whether a stored run answers the job: the same one, perhaps with another limit.

        A run that ended within a shorter limit would have ended within this one too; a peer may have had longer.
        """
        limit = row.get("time_limit")
        if limit is None or row.get("key") != self._key(replace(job, time_limit=limit)):
            return False
        if limit < job.time_limit:
            return row["status"] in ("optimal", "unproven")
        return limit == job.time_limit or job.solver in PEERS

    def _key(self, job: Job) -> str:
        if job.solver in PEERS:
            requirements = list(PEERS[job.solver].requirements)
        else:  # in this environment
            requirements = (
                [own_code()] if job.solver == "treewright" else [f"scikit-learn=={sklearn_version()}"]
            )
        return json.dumps([job.parameters(), requirements], sort_keys=True)

    def _stored(self) -> Iterable[dict[str, Any]]:
        if self.store.exists():
            # The latest run of a job wins.
            for line in reversed(self.store.read_text().splitlines()):
                yield json.loads(line)

    def _answer(self, job: Job) -> dict[str, Any]:
        python = ensure(job.solver, self.environments)
        message = {
            "arrays": str(job.dataset.arrays),
            "cost_complexity": job.cost_complexity,
            "max_depth": job.max_depth,
            "time_limit": job.time_limit,
            "memory_limit": self.memory_limit,
            "repetitions": job.repetitions,
            "options": job.options,
        }
        return call_worker([str(python), str(worker_script(job.solver))], message, hard_limit(job.time_limit))


sklearn_version = partial(version, "scikit-learn")


@cache
def own_code() -> str:
    """Return a digest of the code that searches, so that no stored run of older code is taken for it."""
    package = Path(treewright.__file__).parent
    files = [p for room in ("binarize", "guess", "problem", "search") for p in (package / room).glob("*.py")]
    core = importlib.util.find_spec("treewright._core")
    if core is not None and core.origin is not None:
        files.append(Path(core.origin))
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(file.name.encode() + file.read_bytes())
    return digest.hexdigest()[:16]


def hard_limit(time_limit: float) -> float:
    """Seconds after which a worker is killed."""
    return 1.5 * time_limit + 10


def call_worker(command: list[str], message: dict[str, Any], kill_after: float) -> dict[str, Any]:
    """Give a worker its job and return its answer; a crash or a hang is an answer too.

    Parameters
    ----------
    command : list of str
        Interpreter and script.
    message : dict
        The job.
    kill_after : float
        Seconds.
    """
    environment = {**os.environ, **SINGLE_CORE}
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        worker = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
            cwd=folder,  # whatever a peer writes beside itself goes with it
        )
        try:
            out, err = worker.communicate(json.dumps(message), timeout=kill_after)
        except subprocess.TimeoutExpired:
            worker.kill()
            worker.communicate()
            return {
                "status": "killed",
                "error": f"no answer in {kill_after:g} s",
                "process_seconds": kill_after,
            }
    seconds = time.perf_counter() - start
    try:
        answer = json.loads(out.strip().splitlines()[-1])
    except (IndexError, json.JSONDecodeError):
        answer = {"status": "error", "error": f"exit code {worker.returncode}: {last_line(err)}"}
    if not isinstance(answer, dict) or "status" not in answer:
        answer = {"status": "error", "error": f"not an answer: {str(answer)[:200]}"}
    answer["process_seconds"] = seconds
    return answer


def last_line(text: str) -> str:
    """Return the last line of an error output, without folders."""
    lines = text.strip().splitlines()
    if not lines:
        return ""
    return " ".join(Path(word).name if "/" in word else word for word in lines[-1].split())[:300]


def machine() -> dict[str, Any]:
    """Describe the machine without its name, its users or its folders."""
    model = platform.processor() or platform.machine()
    memory = None
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
        memory = round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1)
    except (OSError, ValueError):
        pass
    return {
        "processor": model,
        "cores": os.cpu_count(),
        "memory_gib": memory,
        "system": platform.system(),
        "python": platform.python_version(),
        "instructions": core.simd().name,
        "load_average": [round(x, 2) for x in os.getloadavg()] if hasattr(os, "getloadavg") else None,
    }


def write_results(
    name: str, options: dict[str, Any], rows: list[dict[str, Any]], folder: Path = RESULTS
) -> Path:
    """Write `results/<name>.json`: machine, versions, options, command and rows, one row a line."""
    versions = {}
    for row in rows:
        for answer in row.get("answers", [row]):
            if "version" in answer:
                versions[answer["package"]] = answer["version"]
    slim = [
        {**row, "answers": [{k: v for k, v in a.items() if k not in DROPPED} for a in row["answers"]]}
        if "answers" in row
        else row
        for row in rows
    ]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.json"
    head = {
        "benchmark": name,
        "made": time.strftime("%Y-%m-%d"),
        "machine": machine(),
        "versions": versions,
        "options": options,
        "command": shlex.join(["python", *sys.orig_argv[1:]]),
    }
    text = json.dumps(head)[:-1] + ', "rows": [\n' + ",\n".join(json.dumps(row) for row in slim) + "\n]}\n"
    path.write_text(text)
    return path


DROPPED = {
    "key",
    "data",
    "sha256",
    "n_rows",
    "n_columns",
    "cost_complexity",
    "max_depth",
}  # said once per row
