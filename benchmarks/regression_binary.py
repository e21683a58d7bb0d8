"""Regression trees over binary columns beside pystreed and osrt: ``python -m benchmarks.regression_binary --help``.

The tables are those of the OSRT paper, in the reference data folder beside the checkout. All three minimise the mean
squared error plus a price for each leaf; what each row of the table says is recomputed from the tree's predictions:
share of the variance left plus price times leaves. pystreed runs without its task lower bound, with which it calls
worse trees optimal. Seconds are of the processor, of the whole `fit` call; the limit is on those of the clock, of a
machine whose load each row tells. Peers run in environments of their own (`benchmarks._environments`), one process a
fit.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from benchmarks._environments import ensure
from benchmarks._harness import write_results
from benchmarks._tables import format_table
from benchmarks.regression import DATA, HERE, commit
from treewright import OptimalTreeRegressor, SolveStatus, __version__

TABLES = ("airfoil", "airquality", "enb-heat", "insurance", "optical", "real-estate", "sync", "seoul-bike")
ONE_CORE = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
PEERS = ("streed", "osrt")
CRASHED = {"version": "", "cpu_seconds": None, "proven": False, "leaves": None, "predictions": None}


def read(name: str, data: Path) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Read a table of 0 and 1 with the target in the last column, which is standardised."""
    table = pl.read_csv(data / f"osrt_{name}.csv.gz").cast(pl.Float64).to_numpy()
    y = table[:, -1]
    return table[:, :-1], (y - y.mean()) / y.std()


def by_treewright(X: Any, y: Any, price: float, depth: int | None, seconds: float) -> dict[str, Any]:
    """Fit ours."""
    model = OptimalTreeRegressor(cost_complexity=price, max_depth=depth, time_limit=seconds, progress=False)
    begun = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, y)
    return {
        "version": __version__,
        "cpu_seconds": time.process_time() - begun,
        "proven": model.result_.status is SolveStatus.OPTIMAL,
        "leaves": model.get_n_leaves(),
        "predictions": model.predict(X),
    }


def by_peer(peer: str, X: Any, y: Any, price: float, depth: int | None, seconds: float) -> dict[str, Any]:
    """Fit a peer's in its own environment; a process that fails or hangs is a row that says so."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "problem.npz"
        np.savez(path, X=X, y=y, price=price, depth=depth or 0, seconds=seconds)
        command = [str(ensure(peer)), str(HERE / "peers" / "regression_binary_worker.py"), peer, str(path)]
        try:
            told = subprocess.run(
                command, capture_output=True, text=True, timeout=20 * seconds, env=ONE_CORE, check=True
            )
        except subprocess.SubprocessError:
            return dict(CRASHED)
    return dict(json.loads(told.stdout.splitlines()[-1]))


def rows_of(
    name: str, depth: int | None, price: float, arguments: argparse.Namespace
) -> list[dict[str, Any]]:
    """Run one problem with every package."""
    X, y = read(name, arguments.data)
    asked = (X, y, price, depth, arguments.seconds)
    answers = {"treewright": by_treewright(*asked)}
    for peer in arguments.peers:
        answers[peer] = by_peer(peer, *asked)
    rows = []
    for package, answer in answers.items():
        predicted, spent = answer["predictions"], answer["cpu_seconds"]
        row: dict[str, Any] = {
            "package": package,
            "version": answer["version"],
            "data": name,
            "rows": len(y),
            "columns": X.shape[1],
            "max_depth": depth,
            "cost_complexity": price,
            "cpu_seconds": None if spent is None else round(spent, 4),
            "proven": answer["proven"],
            "leaves": answer["leaves"],
            "objective": None,
            "load": round(os.getloadavg()[0], 1),
        }
        if predicted is not None:
            loss = float(((np.asarray(predicted) - y) ** 2).mean())
            row["objective"] = loss + price * answer["leaves"]
        rows.append(row)
    return rows


def shown(rows: list[dict[str, Any]]) -> str:
    """Return the rows as a Markdown table."""
    header = ["data", "depth", "price", "package", "cpu s", "proven", "objective", "leaves"]
    cells = [
        [
            row["data"],
            row["max_depth"] or "unlimited",
            f"{row['cost_complexity']:g}",
            row["package"],
            "failed" if row["cpu_seconds"] is None else f"{row['cpu_seconds']:.3g}",
            "yes" if row["proven"] else "no",
            "" if row["objective"] is None else f"{row['objective']:.6f}",
            row["leaves"] or "",
        ]
        for row in rows
    ]
    return format_table(header, cells)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="*", default=list(TABLES[:-1]), choices=list(TABLES))
    parser.add_argument("--depths", nargs="*", type=int, default=[4, 5, 6, 0], help="0: unlimited")
    parser.add_argument("--prices", nargs="*", type=float, default=[0.01, 0.005, 0.001])
    parser.add_argument("--peers", nargs="*", default=list(PEERS), choices=PEERS)
    parser.add_argument("--seconds", type=float, default=30, help="of the clock, for each fit")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the tables")
    parser.add_argument("--save", action="store_true", help="write results/regression_binary.json")
    arguments = parser.parse_args()
    options = {"commit": commit(), "seconds": arguments.seconds}
    rows: list[dict[str, Any]] = []
    for depth in arguments.depths:
        for name in arguments.only:
            for price in arguments.prices:
                new = rows_of(name, depth or None, price, arguments)
                rows += new
                print("\n".join(shown(new).splitlines()[2:]), flush=True)
                if arguments.save:  # at once: a long run may be broken off
                    write_results("regression_binary", options, rows)
    print("\n" + shown(rows))


if __name__ == "__main__":
    main()
