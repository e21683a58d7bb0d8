"""Lines in one column, proven with their tree: ``python -m benchmarks.simple_lines --help``.

Two tables of figures. The first is one fit on all rows: whether it ended with a proof, and its seconds. The second is
five folds of each table, drawn anew with --seed, all models of the same depth with at least five rows in a leaf and no
price of leaves; nothing is tuned. Losses are the share of the variance left, of the training rows or of the rows held
out (smaller is better; mean over the folds with the standard error). Seconds are of the processor, for one fit.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import sklearn
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold
from sklearn.tree import DecisionTreeRegressor
from threadpoolctl import threadpool_limits

from benchmarks._harness import write_results
from benchmarks._tables import format_table
from benchmarks.regression import DATA, TABLES, commit, read
from treewright import OptimalTreeRegressor, __version__

ASKED = ("energy", "autompg", "concrete", "housing")
LEAST, SECONDS = 5, 120.0
PROVEN = "lines in one column, proven"


def models(depth: int, least: int = LEAST, seconds: float = SECONDS) -> dict[str, Any]:
    """Return the models of one depth, the first three from treewright."""
    about: dict[str, Any] = {
        "max_depth": depth,
        "min_samples_leaf": least,
        "time_limit": seconds,
        "progress": False,
    }
    return {
        PROVEN: OptimalTreeRegressor(0, leaf_model="simple_linear", **about),
        "ridge in the leaves of constants": OptimalTreeRegressor(0, leaf_model="linear", **about),
        "constants": OptimalTreeRegressor(0, **about),
        "CART": DecisionTreeRegressor(max_depth=depth, min_samples_leaf=least, random_state=0),
    }


def whole(name: str, depth: int, data: Path, seconds: float) -> dict[str, Any]:
    """Fit all rows of a table once."""
    X, y = read(name, data)
    model = models(depth, seconds=seconds)[PROVEN]
    begun = time.process_time()
    model.fit(X, y)
    result = model.result_
    return {
        "kind": "all rows",
        "data": name,
        "rows": len(X),
        "columns": X.shape[1],
        "depth": depth,
        "model": PROVEN,
        "package": "treewright",
        "version": __version__,
        "status": result.status.value,
        "variance left": round(result.loss, 5),
        "gap": round(result.gap, 6),
        "cpu_seconds": round(time.process_time() - begun, 2),
    }


def folds(name: str, depth: int, data: Path, seed: int) -> Iterator[dict[str, Any]]:
    """Run the folds of a table; yield a row for each model."""
    X, y = read(name, data)
    found: dict[str, list[tuple[float, float, bool]]] = {}
    for train, test in KFold(5, shuffle=True, random_state=seed).split(X):
        for model_name, model in models(depth).items():
            begun = time.process_time()
            model.fit(X[train], y[train])
            seconds = time.process_time() - begun
            left = float(((model.predict(X[test]) - y[test]) ** 2).mean() / y[test].var())
            result = getattr(model, "result_", None)
            found.setdefault(model_name, []).append((left, seconds, result is not None and result.gap < 1e-8))
    for model_name, answers in found.items():
        left, seconds = (np.array([answer[part] for answer in answers]) for part in (0, 1))
        ours = model_name != "CART"
        yield {
            "kind": "held out",
            "data": name,
            "rows": len(X),
            "columns": X.shape[1],
            "depth": depth,
            "model": model_name,
            "package": "treewright" if ours else "scikit-learn",
            "version": __version__ if ours else sklearn.__version__,
            "proven": sum(answer[2] for answer in answers) if ours else None,
            "variance left": round(float(left.mean()), 5),
            "variance left, standard error": round(float(left.std(ddof=1) / len(left) ** 0.5), 5),
            "cpu_seconds": round(float(seconds.mean()), 2),
        }


def shown(rows: list[dict[str, Any]]) -> str:
    """Return the rows as a Markdown table."""
    cells = []
    for row in rows:
        left = f"{row['variance left']:.4f}"
        if "variance left, standard error" in row:
            left = f"{row['variance left']:.3f} ± {row['variance left, standard error']:.3f}"
        proof = row["status"] if "status" in row else "" if row["proven"] is None else f"{row['proven']} of 5"
        cells.append(
            [
                row["kind"],
                row["data"],
                str(row["depth"]),
                row["model"],
                proof,
                left,
                f"{row['cpu_seconds']:g}",
            ]
        )
    return format_table(["rows", "data", "depth", "model", "proven", "variance left", "cpu s"], cells)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="*", default=list(ASKED), choices=list(TABLES))
    parser.add_argument("--depths", nargs="*", type=int, default=[2, 3])
    parser.add_argument(
        "--seconds", type=float, default=SECONDS, help="limit of a fit on all rows, by the clock"
    )
    parser.add_argument("--seed", type=int, default=20, help="of the folds")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the tables")
    parser.add_argument("--save", action="store_true", help="into results/simple_lines.json")
    arguments = parser.parse_args()
    code = commit()  # of the code that runs, whatever is written while it does
    rows: list[dict[str, Any]] = []
    for name in arguments.only:
        for depth in arguments.depths:
            with warnings.catch_warnings(), threadpool_limits(1):
                warnings.simplefilter("ignore", ConvergenceWarning)
                new = [whole(name, depth, arguments.data, arguments.seconds)]
                new += folds(name, depth, arguments.data, arguments.seed)
            print(shown(new), flush=True)
            rows += new
    if arguments.save:
        write_results("simple_lines", {"commit": code, "folds": 5, "seed": arguments.seed}, rows)


if __name__ == "__main__":
    main()
