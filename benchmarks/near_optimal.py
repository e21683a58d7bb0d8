"""Near-optimal sets beside TreeFARMS, PRAXIS and arborenum: counts, CPU seconds of one core, memory.

    python -m benchmarks.near_optimal [--tables compas fico ...] [--prices .01 .005 .002] [--epsilons .02 .05 .1]
        [--depths 3 4 5 6] [--peers treefarms praxis] [--seconds 60] [--complete] [--continuous]
        [--save NAME]

Every count runs in a process of its own, one after the other, on the same arrays. Definitions differ, so each peer has
a run of ours under its own: "treefarms" (exact prices, cheapest labels, of equals the second, no redundant splits, the
bound relative to the optimum) and "praxis" (any label, every split, price and bound in whole rows; the bound is given
to all; PRAXIS and arborenum approximate unless --complete). Seconds are of the processor, since machines are shared;
where a run takes less than .05, the mean of ten more. Megabytes are what the process grew by after the data was loaded
and a first set, of eight rows, was made: what that one takes stands beside, as the first megabytes. A run is ended
after so many seconds of the processor, or at 6 GiB. A peer that did not end is not asked for larger sets of the same
table ("not run: a smaller set did not end", with the settings of the run that did not): `_set_order.py` says which
sets are known to be larger. We are always run.

Cheap rows come first. With --save a row is written as soon as it is there, and a run that is started again goes on
behind the rows that are stored; those that had fewer seconds and did not end are run again. A row says of which commit
it is, of which processor, and how busy the machine was.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._data import read_csv
from benchmarks._environments import DEFAULT_FOLDER, HERE, ensure
from benchmarks._harness import RESULTS, SINGLE_CORE, machine, write_results
from benchmarks._set_order import OURS, Asked, Ends, ended, wanted
from benchmarks._set_tables import line, summary
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
WALL = 60  # times the limit of processor seconds: how long a run may take on a busy machine
RULES = {"treefarms": "treefarms", "praxis": "praxis", "arborenum": "praxis"}


def table(name: str) -> tuple[Any, Any]:
    """Return rows and labels 0 or 1."""
    file = (BINARY | GUESSED | CONTINUOUS)[name]
    X, y = read_csv(DATA / file)
    y = np.searchsorted(np.unique(y), y)
    if name in GUESSED:
        X = ThresholdGuesser(n_estimators=50, max_depth=2).fit_transform(X, y)
    return np.asarray(X, dtype=float), y


def rows_of(price: float, y: Any) -> int:
    """Price of a leaf in whole rows."""
    return max(1, round(price * len(y)))


class Workers:
    """One process a program, which answers jobs one after the other; a worker that ends is started again."""

    def __init__(self, environments: Path) -> None:
        self.environments = environments
        self.running: dict[str, subprocess.Popen[str]] = {}

    def run(self, solver: str, job: dict[str, Any], seconds: float) -> dict[str, Any]:
        """Return the program's name and what it said of a job."""
        worker = self.running.get(solver)
        if worker is None or worker.poll() is not None:
            script = HERE / "peers" / f"{'treewright_set' if solver == 'treewright' else solver}_worker.py"
            worker = self.running[solver] = subprocess.Popen(
                [str(ensure(solver, self.environments)), str(script)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                env=os.environ | dict.fromkeys(SINGLE_CORE, "1"),
            )
        assert worker.stdin is not None
        assert worker.stdout is not None
        limits = {"time_limit": seconds, "wall_limit": WALL * seconds + 20}
        worker.stdin.write(json.dumps(job | limits) + "\n")
        worker.stdin.flush()
        said = worker.stdout.readline()
        answer = {"package": solver} | (json.loads(said) if said else {"error": "the worker ended"})
        return {
            name: round(value, 4) if isinstance(value, float) else value for name, value in answer.items()
        }

    def end(self) -> None:
        """End all workers."""
        for worker in self.running.values():
            worker.kill()
            worker.communicate()


@cache
def commit() -> str:
    """The commit of this checkout, marked where files were changed since: rows of several runs stand in one file."""
    said = [
        subprocess.run(["git", *words], capture_output=True, text=True, cwd=HERE, check=False).stdout.strip()
        for words in (("rev-parse", "--short=8", "HEAD"), ("status", "--porcelain", "--untracked-files=no"))
    ]
    return said[0] + ("+" if said[1] else "")


class Grid:
    """The rows: those that are stored, and those that are added."""

    def __init__(self, options: argparse.Namespace, rows: list[dict[str, Any]], folder: Path) -> None:
        self.options, self.rows, self.folder = options, rows, folder
        self.workers = Workers(options.environments)
        self.least: dict[tuple[str, float, int], int | None] = {
            (row["table"], row["price"], row["depth"]): answer["least"]
            for row in rows
            if row["rule"] != "treefarms"
            for answer in row["answers"]
            if answer["package"] == OURS and "least" in answer
        }
        self.ends = Ends(row for row in rows if not self.is_short(row))

    def is_short(self, row: dict[str, Any]) -> bool:
        """Whether a stored row has an answer that more seconds could change."""
        return row["seconds"] < self.options.seconds and not all(ended(answer) for answer in row["answers"])

    def add(self, want: Asked) -> dict[str, Any] | None:
        """Return the row of what is wanted, run now; None if it is there."""
        stored = next((row for row in self.rows if Asked.of(row) == want), None)
        if stored is not None:
            if not self.is_short(stored):
                return None
            self.rows.remove(stored)
        X, y = self.arrays(want.table)
        job: dict[str, Any] = {
            "arrays": str(self.file(want.table)), "rule": want.rule, "max_depth": want.depth,
            "epsilon": want.epsilon, "memory_limit": GIBIBYTES, "cost_complexity": want.price, "bound_rows": None,
            "complete": self.options.complete,
        }  # fmt: skip
        no_bound = None
        if want.rule != "treefarms":
            job["cost_complexity"] = rows_of(want.price, y) / len(y)
            least = self.least_of(want, job)
            if least is None:
                no_bound = f"no bound, as the optimum was not proven in {self.options.seconds:.0f} s"
            else:
                job["bound_rows"] = round((1 + want.epsilon) * least)
        peers = [peer for peer in self.options.peers if RULES[peer] == want.rule]
        answers = [self.answer(solver, want, job, no_bound) for solver in (OURS, *peers)]
        row = {
            "table": want.table, "rows": len(y), "columns": X.shape[1], "price": want.price,
            "epsilon": want.epsilon, "depth": want.depth, "rule": want.rule, "seconds": self.options.seconds,
            "answers": answers, "commit": commit(), "processor": machine()["processor"],
            "load": round(os.getloadavg()[0], 1),
        }  # fmt: skip
        self.rows.append(row)
        return row

    def answer(self, solver: str, want: Asked, job: dict[str, Any], no_bound: str | None) -> dict[str, Any]:
        """What one program says, or why it was not asked."""
        why = {"not_run": no_bound} if no_bound is not None else self.ends.reason(solver, want)
        said = {"package": solver} | why if why else self.workers.run(solver, job, self.options.seconds)
        self.ends.hold(want, said)
        return said

    def least_of(self, want: Asked, job: dict[str, Any]) -> int | None:
        """Errors plus leaves of the best tree, in rows; None if it is not proven in time.

        A harder optimum than one that was not proven is not tried.
        """
        key = want.table, want.price, want.depth
        if key not in self.least:
            hopeless = any(
                least is None and table == want.table and price >= want.price and depth <= want.depth
                for (table, price, depth), least in self.least.items()
            )
            said = {} if hopeless else self.workers.run(OURS, job | {"epsilon": 0}, self.options.seconds)
            self.least[key] = said.get("least")
        return self.least[key]

    def file(self, name: str) -> Path:
        """Where the rows of a table are kept for the workers."""
        return self.folder / f"{name}.npz"

    def arrays(self, name: str) -> tuple[Any, Any]:
        """Rows and labels of a table."""
        if not self.file(name).exists():
            X, y = table(name)
            np.savez(self.file(name), X=X, y=y)
        held = np.load(self.file(name))
        return held["X"], held["y"]


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
    parser.add_argument(
        "--complete",
        action="store_true",
        help="PRAXIS and arborenum in their complete modes, not their defaults",
    )
    parser.add_argument("--continuous", action="store_true", help="raisin and rice, over all thresholds")
    parser.add_argument("--environments", type=Path, default=DEFAULT_FOLDER)
    parser.add_argument("--save", default=None, help="write results/NAME.json")
    options = parser.parse_args()
    names = options.tables or list(CONTINUOUS if options.continuous else BINARY | GUESSED)
    options.peers = options.peers or (["arborenum"] if options.continuous else ["treefarms", "praxis"])
    stored = RESULTS / f"{options.save}.json"
    rows: list[dict[str, Any]] = (
        json.loads(stored.read_text())["rows"] if options.save and stored.exists() else []
    )
    said = {key: value for key, value in vars(options).items() if key not in ("environments", "save")}
    rules = dict.fromkeys(RULES[peer] for peer in options.peers)
    with tempfile.TemporaryDirectory() as folder:
        grid = Grid(options, rows, Path(folder))
        tables = {name: grid.arrays(name)[0].shape for name in names}
        sets = wanted(tables, options.prices, options.epsilons, options.depths, list(rules))
        try:
            for want in sets:
                row = grid.add(want)
                if row is not None:
                    print(line(row), flush=True)
                    if options.save:
                        write_results(options.save, said, rows)
        finally:
            grid.workers.end()
    print(summary(rows))


if __name__ == "__main__":
    main()
