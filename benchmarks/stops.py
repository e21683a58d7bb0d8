"""Signals on the command line, for tables of 10^7 cells: ``python -m benchmarks.stops --help``.

How long each command goes on after SIGTERM or Ctrl-C, in seconds of the processor, and what it leaves behind. The
signal comes after so many processor seconds of the command: in its start, while the file is read, in the search. A
command that has ended by then has no figure.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np

from benchmarks._harness import write_results
from benchmarks._tables import format_table
from benchmarks.limits import settings

ROWS, COLUMNS = 1_000_000, 10
FEW = 2_000  # rows of the files that the models, which some commands read, are made from
AFTER = (0.5, 1.0, 2.0, 3.0, 8.0)  # processor seconds
SIGNALS = {"SIGTERM": signal.SIGTERM, "Ctrl-C": signal.SIGINT}
UNLIMITED = ["--time-limit", "inf"]
MAIN = "from treewright.cli import main; main()"


def commands() -> dict[str, list[str]]:
    """Return the commands, by name; `{many}` is the large file, `{few}` a model of a small one."""
    target = ["--target", "y", *UNLIMITED]
    out = ["--out", "out.json"]
    survival = ["--task", "survival", "--target", "months", "--event", "died", "--ignore", "y"]
    rewards = ["--reward", "x0", "--reward", "x1", "--ignore", "y"]
    forest = ["--target", "y", "--trees", "2", "--depth", "2", *UNLIMITED]
    numbers, everywhere = ["--task", "regression"], ["--faithful", "everywhere", "--within", "0"]
    return {
        "fit, classes": ["fit", "many.csv", *target, *out],
        "fit, classes, Parquet": ["fit", "many.parquet", *target, *out],
        "fit, regression": ["fit", "many.csv", "--task", "regression", *target, *out],
        "fit, probability": ["fit", "many.csv", "--task", "probability", *target, *out],
        "fit, policy": ["fit", "many.csv", "--task", "policy", *rewards, *UNLIMITED, *out],
        "fit, survival": ["fit", "many.csv", *survival, *UNLIMITED, *out],
        "near-optimal": ["near-optimal", "many.csv", *target, *out],
        "frontier": ["frontier", "many.csv", *target, "--leaves", "6", *out],
        "frontier, Parquet": ["frontier", "many.parquet", *target, "--leaves", "6", *out],
        "reborn": ["reborn", "many.csv", *forest, *out],
        "reborn, rows": ["reborn", "many.csv", *forest, "--faithful", "rows", *out],
        "reborn, numbers": ["reborn", "many.csv", *forest, *numbers, *out],
        "reborn, numbers everywhere": ["reborn", "many.csv", *forest, *numbers, *everywhere, *out],
        "look": ["look", "many.csv", "--target", "y", "--fix", "--out", "out.yaml"],
        "verify": ["verify", "model.json", "many.csv"],
        "predict": ["predict", "model.json", "many.csv", "--out", "out.csv"],
        "extend": ["extend", "model.json", "many.csv", *UNLIMITED, "--out", "out.csv"],
    }


def write_tables(folder: Path) -> None:
    """Write the large table as CSV and Parquet, and a model of a small one."""
    import polars

    rng = np.random.default_rng(0)
    columns = {f"x{j}": rng.normal(size=ROWS).round(5) for j in range(COLUMNS)}
    y = rng.integers(0, 10, ROWS)
    frame = polars.DataFrame(columns | {"y": y, "months": rng.integers(1, 100, ROWS), "died": y % 2})
    frame.write_csv(folder / "many.csv")
    frame.write_parquet(folder / "many.parquet")
    frame.head(FEW).write_csv(folder / "few.csv")
    made = ["fit", "few.csv", "--target", "y", "--max-depth", "2", "--out", "model.json"]
    subprocess.run([sys.executable, "-c", MAIN, *made], cwd=folder, check=True, capture_output=True)


def stopped(arguments: list[str], folder: Path, number: int, after: float) -> dict[str, Any] | None:
    """Return seconds beyond the signal, the exit code and what was left; None if the command ended before."""
    before = set(folder.iterdir())
    process = subprocess.Popen(
        [sys.executable, "-c", MAIN, *arguments],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    said: list[str] = []
    reader = Thread(target=lambda lines: said.extend(lines), args=(process.stderr,))
    reader.start()
    sent = None
    while sent is None:
        used = seconds_of(process.pid)
        if used is None:
            break
        if used >= after:
            sent = used
            process.send_signal(number)
        time.sleep(0.01)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    reader.join()
    process.stderr.close()
    left = sorted(set(folder.iterdir()) - before)
    files = {path.name: path.stat().st_size for path in left}
    for path in left:
        path.unlink()
    if sent is None:
        return None
    late = usage.ru_utime + usage.ru_stime - sent
    told = "a traceback" if any("Traceback" in line for line in said) else said[-1].strip() if said else ""
    return {"late": f"{late:.2f}", "exit": process.returncode, "left": files, "last line": told}


def seconds_of(pid: int) -> float | None:
    """Return the processor seconds of a running process; None once it has ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return None if fields[0] == "Z" else (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def rows(only: list[str] | None, signals: list[str], folder: Path) -> Iterator[dict[str, Any]]:
    """Yield one row for each command, signal and moment."""
    for name, arguments in commands().items():
        if only and not any(part in name for part in only):
            continue
        for signal_name in signals:
            for after in AFTER:
                found = stopped(arguments, folder, SIGNALS[signal_name], after)
                if found is None:
                    break
                yield {"command": name, "signal": signal_name, "after": after, **found}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="*", help="part of the names of commands")
    parser.add_argument("--signals", nargs="*", choices=list(SIGNALS), default=list(SIGNALS))
    parser.add_argument("--save", action="store_true", help="write results/stops.json")
    asked = parser.parse_args()
    found: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_tables(folder)
        for row in rows(asked.only, asked.signals, folder):
            found.append(row)
            print("  ".join(map(str, row.values())), flush=True)
            if asked.save:
                write_results("stops", settings(), found)
    print("\n" + format_table(list(found[0]), [list(row.values()) for row in found]))


if __name__ == "__main__":
    main()
