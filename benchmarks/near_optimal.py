"""Near-optimal sets beside TreeFARMS, PRAXIS and arborenum: counts, CPU seconds of one core, memory.

    python -m benchmarks.near_optimal [--tables compas fico ...] [--prices .01 .005 .002] [--epsilons .02 .05 .1]
        [--depths 3 4 5] [--peers treefarms praxis] [--seconds 60] [--continuous] [--save NAME]

Every count runs in a process of its own, one after the other, on the same arrays. Definitions differ, so each peer
has a run of ours under its own: "treefarms" (exact prices, cheapest labels, of equals the second, no redundant splits,
the bound relative to the optimum) and "praxis" (any label, every split, price and bound in whole rows; the bound is
given to all). Seconds are of the processor, since machines are shared; megabytes are what the process grew by after
the data was loaded. A run is ended after so many of these seconds, or at 6 GiB. A peer that fails is not asked
for larger depths and sets at the same price. With --save a row is written as soon as it is there, and a run that is
started again goes on behind the rows that are stored; a row says of which commit it is, and how busy the machine was.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._data import read_csv
from benchmarks._environments import DEFAULT_FOLDER, HERE, ensure
from benchmarks._harness import RESULTS, write_results
from benchmarks._tables import format_table
from treewright import near_optimal_trees
from treewright.estimators import ThresholdGuesser

DATA = HERE.parent.parent / "shared" / "data"
BINARY = {
    "compas": "osdt/compas-binary.csv",
    "fico": "osdt/fico_binary.csv.gz",
    "tic-tac-toe": "osdt/tic-tac-toe.csv",
    "car": "osdt/car-evaluation.csv",
    "monk1": "osdt/monk1-train.csv",
    "monk2": "osdt/monk2-train.csv",
    "monk3": "osdt/monk3-train.csv",
    "german-credit": "binary/german-credit.csv.gz",
}
GUESSED = {
    "coupon carryout": "gosdt_guesses/coupon_carryout.csv.gz",
    "coupon rest20": "gosdt_guesses/coupon_rest20.csv.gz",
}
CONTINUOUS = {"raisin": "continuous/raisin.csv.gz", "rice": "continuous/rice.csv.gz"}
GIBIBYTES = 6.0
WALL = 8  # times the limit of processor seconds: how long a run may take on a busy machine
RULES = {"treefarms": "treefarms", "praxis": "praxis", "arborenum": "praxis"}


def table(name: str) -> tuple[Any, Any]:
    """Return rows and labels 0 or 1."""
    file = (BINARY | GUESSED | CONTINUOUS)[name]
    X, y = read_csv(DATA / file)
    y = np.searchsorted(np.unique(y), y)
    if name in GUESSED:
        X = ThresholdGuesser(n_estimators=50, max_depth=2).fit_transform(X, y)
    return np.asarray(X, dtype=float), y


def asked(rule: str, X: Any, y: Any, price: float, epsilon: float, depth: int) -> dict[str, Any]:
    """What all programs get under the definitions of a peer."""
    common = {"rule": rule, "max_depth": depth, "epsilon": epsilon, "memory_limit": GIBIBYTES}
    if rule == "treefarms":
        return common | {"cost_complexity": price, "bound_rows": None}
    leaf = max(1, round(price * len(y)))
    best = near_optimal_trees(
        X, y, cost_complexity=leaf / len(y), max_depth=depth, epsilon=0, thresholds="all", progress=False
    ).best
    least = round(best.loss * len(y)) + leaf * best.tree.n_leaves
    return common | {"cost_complexity": leaf / len(y), "bound_rows": round((1 + epsilon) * least)}


def run(solver: str, job: dict[str, Any], seconds: float, folder: Path) -> dict[str, Any]:
    """Count in a process of its own, which is ended when it takes too long."""
    script = HERE / "peers" / f"{'treewright_set' if solver == 'treewright' else solver}_worker.py"
    single = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    answer: dict[str, Any] = {"package": solver}
    try:
        done = subprocess.run(
            [str(ensure(solver, folder)), str(script)],
            input=json.dumps(job | {"time_limit": seconds}),
            capture_output=True,
            text=True,
            timeout=WALL * seconds + 20,
            env=os.environ | single,
            check=False,
        )
        ended = (
            f"over {seconds:.0f} s" if done.returncode == -signal.SIGXCPU else f"ended with {done.returncode}"
        )
        said = json.loads(done.stdout) if done.stdout else {"error": ended}
    except subprocess.TimeoutExpired:
        said = {"error": f"killed after {WALL * seconds + 20:.0f} s of the clock"}
    answer |= said
    for name in ("cpu_seconds", "megabytes"):
        if name in answer:
            answer[name] = round(answer[name], 3)
    return answer


@cache
def commit() -> str:
    """The commit of this checkout, marked where files were changed since: rows of several runs stand in one file."""
    said = [
        subprocess.run(["git", *words], capture_output=True, text=True, cwd=HERE, check=False).stdout.strip()
        for words in (("rev-parse", "--short=8", "HEAD"), ("status", "--porcelain", "--untracked-files=no"))
    ]
    return said[0] + ("+" if said[1] else "")


def key_of(row: dict[str, Any]) -> tuple[Any, ...]:
    """What tells a row from all others."""
    return tuple(row[name] for name in ("table", "price", "epsilon", "depth", "rule"))


def add_rows(
    name: str,
    options: argparse.Namespace,
    peers: list[str],
    rows: list[dict[str, Any]],
    save: Callable[[], None],
) -> None:
    """Add all runs on one table to `rows`, which may have some of them already."""
    X, y = table(name)
    known = {key_of(row): row for row in rows}
    with tempfile.TemporaryDirectory() as folder:
        arrays = Path(folder) / "arrays.npz"
        np.savez(arrays, X=X, y=y)
        failed: list[tuple[str, float, float, int]] = []
        for depth in options.depths:
            for price in options.prices:
                for epsilon in options.epsilons:
                    for rule in dict.fromkeys(RULES[peer] for peer in peers):
                        row = known.get((name, price, epsilon, depth, rule))
                        if row is not None:
                            failed += [
                                (a["package"], price, epsilon, depth) for a in row["answers"] if "error" in a
                            ]
                            continue
                        job = asked(rule, X, y, price, epsilon, depth) | {"arrays": str(arrays)}
                        answers = [run("treewright", job, options.seconds, options.environments)]
                        for peer in (peer for peer in peers if RULES[peer] == rule):
                            before = next(
                                (
                                    f
                                    for f in failed
                                    if f[:2] == (peer, price) and f[2] <= epsilon and f[3] <= depth
                                ),
                                None,
                            )
                            if before is not None:
                                why = f"not run: failed at epsilon {before[2]}, depth {before[3]}"
                                answers.append({"package": peer, "error": why})
                                continue
                            answers.append(run(peer, job, options.seconds, options.environments))
                            if "error" in answers[-1]:
                                failed.append((peer, price, epsilon, depth))
                        row = {
                            "table": name, "rows": len(y), "columns": X.shape[1], "price": price,
                            "epsilon": epsilon, "depth": depth, "rule": rule, "answers": answers,
                            "commit": commit(), "load": round(os.getloadavg()[0], 1),
                        }  # fmt: skip
                        rows.append(row)
                        save()
                        print(line(row), flush=True)


def cell(answer: dict[str, Any]) -> list[str]:
    """Trees, seconds and megabytes of one answer, or why there are none."""
    if "error" in answer:
        return [answer["error"][:24], "", ""]
    trees = int(answer["trees"])
    text = f"{trees:,}" if abs(trees) < 10**9 else f"{trees:.4e}"
    return [text, f"{answer['cpu_seconds']:.2f}", f"{answer['megabytes']:.0f}"]


def line(row: dict[str, Any]) -> str:
    """One row as text, for those who watch."""
    parts = [f"{a['package']}: {' / '.join(cell(a))}" for a in row["answers"]]
    return f"{row['table']} {row['price']} {row['epsilon']} depth {row['depth']} | {' | '.join(parts)}"


def summary(rows: list[dict[str, Any]]) -> str:
    """For each peer: runs that ended, equal counts, and the least and median factors of time and memory."""
    lines = []
    for peer in dict.fromkeys(a["package"] for row in rows for a in row["answers"][1:]):
        pairs = [
            (row["answers"][0], a) for row in rows for a in row["answers"][1:]
            if a["package"] == peer and "error" not in a and "error" not in row["answers"][0]
        ]  # fmt: skip
        asked_for = sum(1 for row in rows for a in row["answers"] if a["package"] == peer)
        equal = sum(ours["trees"] == theirs["trees"] for ours, theirs in pairs)
        time = [theirs["cpu_seconds"] / max(ours["cpu_seconds"], 1e-3) for ours, theirs in pairs]
        memory = [theirs["megabytes"] / max(ours["megabytes"], 1.0) for ours, theirs in pairs]
        lines.append(
            [
                peer, asked_for, len(pairs), equal,
                *(f"{f(values):.1f}" if values else "" for values in (time, memory) for f in (min, np.median)),
            ]
        )  # fmt: skip
    head = ["peer", "asked", "ended", "equal counts", "time: least", "median", "memory: least", "median"]
    return format_table(head, lines)


def main() -> None:
    """Run the tables that were asked for and print a summary."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", nargs="+", default=None)
    parser.add_argument("--prices", nargs="+", type=float, default=[0.01, 0.005, 0.002])
    parser.add_argument("--epsilons", nargs="+", type=float, default=[0.02, 0.05, 0.1])
    parser.add_argument("--depths", nargs="+", type=int, default=[3, 4, 5, 6])
    parser.add_argument("--peers", nargs="+", default=None)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--continuous", action="store_true", help="raisin and rice, over all thresholds")
    parser.add_argument("--environments", type=Path, default=DEFAULT_FOLDER)
    parser.add_argument("--save", default=None, help="write results/NAME.json")
    options = parser.parse_args()
    names = options.tables or list(CONTINUOUS if options.continuous else BINARY | GUESSED)
    peers = options.peers or (["arborenum"] if options.continuous else ["treefarms", "praxis"])
    stored = RESULTS / f"{options.save}.json"
    rows: list[dict[str, Any]] = (
        json.loads(stored.read_text())["rows"] if options.save and stored.exists() else []
    )

    def save() -> None:
        if options.save:
            asked_for = {
                key: value for key, value in vars(options).items() if key not in ("environments", "save")
            }
            write_results(options.save, asked_for, rows)

    for name in names:
        add_rows(name, options, peers, rows, save)
    print(summary(rows))


if __name__ == "__main__":
    main()
