"""Train TabM and GRANDE on another machine, one with a graphics processor: this folder and a file of tasks are enough.

    python -m benchmarks.latent tasks --out tasks.npz          # where the benchmark runs
    python forest_elsewhere.py tasks.npz answers.jsonl         # there: torch, scikit-learn, tabm
    python -m benchmarks.latent ensemble --answers answers.jsonl

Split after split, a line a training as soon as it ends. Some processes share the graphics processor, for a training of
so few rows mostly waits for the next kernel. After `--seconds` none is started.
"""

from __future__ import annotations

import argparse
import json
import time
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from _forest_worker import solve


def main() -> None:
    """Answer all tasks that there is time for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tasks", type=Path)
    parser.add_argument("answers", type=Path)
    parser.add_argument("--methods", default="tabm;grande", help="semicolons between")
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=1e9, help="after these, no training is started")
    parser.add_argument("--only", default="", help="comma-separated tables; all if empty")
    parser.add_argument("--splits", type=int, default=1000, help="at most so many splits of each table")
    asked = parser.parse_args()
    start, done = time.perf_counter(), 0
    tasks = json.loads(str(np.load(asked.tasks)["tasks"]))
    seeds = sorted({task["seed"] for task in tasks})[: asked.splits]
    jobs = [
        (asked.tasks, number, method)
        for number, task in enumerate(tasks)
        for method in asked.methods.split(";")
        if task["seed"] in seeds and (not asked.only or task["data"] in asked.only.split(","))
    ]
    left = iter(jobs)
    with (
        ProcessPoolExecutor(asked.processes, get_context("spawn")) as pool,
        asked.answers.open("a") as lines,
    ):
        running: set[Future[dict[str, Any]]] = set()
        while True:
            while len(running) < asked.processes and time.perf_counter() - start < asked.seconds:
                job = next(left, None)
                if job is None:
                    break
                running.add(pool.submit(train, *job))
            if not running:
                break
            ended, running = wait(running, return_when=FIRST_COMPLETED)
            for future in ended:
                line, done = future.result(), done + 1
                lines.write(json.dumps(line) + "\n")
                lines.flush()
                shown = {key: value for key, value in line.items() if key != "predictions"}
                print(f"{done}/{len(jobs)}", round(time.perf_counter() - start), shown, flush=True)


def train(path: Path, number: int, method: str) -> dict[str, Any]:
    """Return the answer of one method to one task, or why there is none."""
    with np.load(path) as arrays:
        task = json.loads(str(arrays["tasks"]))[number]
        own = {name: arrays[f"{number}.{name}"] for name in ("train", "target", "test")}
    line = {key: task[key] for key in ("data", "seed", "most_rows", "commit")} | {"method": method}
    worker = import_module(f"{method}_worker")
    try:
        return line | {"version": worker.VERSION} | solve(worker.answer, task, own)
    except Exception as error:
        return line | {"failed": f"{type(error).__name__}: {error}"[:300]}


if __name__ == "__main__":
    main()
