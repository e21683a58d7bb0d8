"""Measurements of treewright: bounds off one at a time, growing tables, start-up, a free second thread."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks._data import Dataset, as_binary, cut_columns, duplicated, noisy, read_csv, resampled, stored
from benchmarks._harness import Harness, Job
from benchmarks._tables import format_table, show_depth, summary_cell

__all__ = ["ablation_rows", "ablation_table", "import_seconds", "longest_pause", "scaling_tables"]

ALL_ON = "(all on)"
HEAVY = ("torch", "highspy", "matplotlib", "pandas", "polars", "scipy", "sklearn")

IMPORTS = """
import json, sys, time
def loaded():
    return [name for name in {heavy!r} if name in sys.modules]
times = [time.perf_counter()]
import numpy; times.append(time.perf_counter())
import treewright; times.append(time.perf_counter())
package = loaded()
import sklearn.base; times.append(time.perf_counter())
from treewright import OptimalTreeClassifier; times.append(time.perf_counter())
print(json.dumps([[b - a for a, b in zip(times, times[1:])], package, loaded()]))
"""

THREADS = """
import json, threading, time
import numpy as np
from treewright import OptimalTreeClassifier
rng = np.random.default_rng(0)
X = rng.random((4000, 40)) < 0.5
y = (X[:, :5].sum(axis=1) + rng.random(4000) * 3 > 4).astype(int)
beats, stop = [], threading.Event()
def beat():
    while not stop.is_set():
        beats.append(time.perf_counter()); time.sleep(0.005)
thread = threading.Thread(target=beat); thread.start()
start = time.perf_counter()
OptimalTreeClassifier(cost_complexity=0.001, max_depth=None, time_limit=2).fit(X, y)
end = time.perf_counter(); stop.set(); thread.join()
inside = [start] + [b for b in beats if start <= b <= end] + [end]
print(json.dumps([end - start, max(b - a for a, b in zip(inside, inside[1:]))]))
"""


def run_python(code: str) -> Any:
    """Run `code` in a fresh interpreter and return the JSON that it prints last."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return json.loads(done.stdout.strip().splitlines()[-1])


def import_seconds(repetitions: int = 9) -> dict[str, Any]:
    """Median seconds to import numpy, treewright, scikit-learn and our estimator, in this order.

    Names of the package load on first use, so a user of the estimator waits for the sum. A fresh interpreter
    each time.
    """
    runs = [run_python(IMPORTS.format(heavy=HEAVY)) for _ in range(repetitions)]
    steps = [statistics.median(run[0][k] for run in runs) for k in range(4)]
    return {
        "numpy_seconds": steps[0],
        "treewright_seconds": steps[1],
        "sklearn_seconds": steps[2],
        "estimator_seconds": steps[3],
        "treewright_modules": runs[0][1],
        "estimator_modules": runs[0][2],
    }


def longest_pause() -> dict[str, float]:
    """Longest time that a second thread, which wants to run every 5 ms, had to wait during a fit."""
    fit_seconds, pause = run_python(THREADS)
    return {"fit_seconds": fit_seconds, "longest_pause": pause}


def scaling_tables(shared: Path) -> list[tuple[Callable[[], Dataset], float, int | None]]:
    """Return (make the table, price of a leaf, depth) of the growth runs."""
    compas = shared / "data" / "osdt" / "compas-binary.csv"
    fico = shared / "data" / "gosdt_guesses" / "fico.csv.gz"

    def binary(path: Path) -> tuple[Any, Any]:
        X, y = read_csv(path)
        return as_binary(X), y

    def equal(times: int) -> Dataset:
        return stored(f"compas x{times} equal rows", lambda: duplicated(*binary(compas), times))

    def fresh(times: int) -> Dataset:
        return stored(f"compas x{times} noisy rows", lambda: noisy(*binary(compas), times))

    def million() -> Dataset:
        return stored("compas 10^6 noisy rows", lambda: resampled(*binary(compas), 1_000_000))

    def columns(n: int) -> Dataset:
        def load() -> tuple[Any, Any]:
            X, y = read_csv(fico)
            return cut_columns(X, n), y

        return stored(f"fico {n} cuts", load)

    runs: list[tuple[Callable[[], Dataset], float, int | None]] = []
    for times in (1, 10, 100):
        runs += [(partial(equal, times), 0.005, None), (partial(fresh, times), 0.005, None)]
    runs.append((million, 0.005, None))
    for n in (12, 24, 36, 48, 60):
        runs.append((partial(columns, n), 0.005, 4))
    return runs


def ablation_rows(
    harness: Harness, dataset: Dataset, cost: float, depth: int | None, time_limit: float, repetitions: int
) -> list[dict[str, Any]]:
    """Fit with every bound, then with each one off."""
    rows: list[dict[str, Any]] = []
    for name, options in {ALL_ON: {}, **switches()}.items():
        job = Job("treewright", dataset, cost, depth, time_limit, repetitions, options)
        answer = harness.run(job)
        rows.append({
            "data": dataset.name,
            "sha256": dataset.sha256,
            "n_rows": dataset.n_rows,
            "n_columns": dataset.n_columns,
            "cost_complexity": cost,
            "max_depth": depth,
            "without": name,
            "answers": [answer],
        })  # fmt: skip
    return rows


def ablation_table(rows: Sequence[dict[str, Any]]) -> str:
    """Return time, subproblems and memory with each bound off, in the form of the OSDT paper's Table 2."""
    header = [
        "data",
        "cost",
        "depth",
        "without",
        "s",
        "slowdown",
        "subproblems",
        "search MiB",
        "peak MiB",
        "value",
    ]
    body: list[list[object]] = []
    whole: float | None = None
    for row in rows:
        answer = row["answers"][0]
        seconds, extra = answer.get("wall_seconds"), answer.get("extra", {})
        if row["without"] == ALL_ON:
            whole = seconds
        head: list[object] = [
            row["data"],
            f"{row['cost_complexity']:g}",
            show_depth(row["max_depth"]),
            row["without"],
        ]
        body.append([
            *head,
            summary_cell(answer),
            f"{seconds / whole:.2f}x" if seconds and whole else "-",
            extra.get("subproblems", "-"),
            f"{extra['bytes'] / 2**20:.2f}" if "bytes" in extra else "-",
            f"{answer.get('peak_mib', 0):.0f}",
            f"{answer['objective']:.6f}" if "objective" in answer else "-",
        ])  # fmt: skip
    return format_table(header, body)


def switches() -> dict[str, dict[str, Any]]:
    """Return the options that switch off one bound each, read off the library so that none is forgotten."""
    from treewright.search import BinaryOptions

    names = [field.name for field in fields(BinaryOptions) if field.default is True]
    return {name: {"switch_off": [name]} for name in names}
