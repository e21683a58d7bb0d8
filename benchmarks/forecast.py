"""Forecasts of searches beside the time that the searches took: ``python -m benchmarks.forecast --help``.

Each table is searched to its proof, or for so many seconds; before that, `forecast` is asked how long it will take,
with several times for the estimate. A forecast is right if its range holds the time of the search. Forecasts that ran
the whole search are not counted, nor are searches that did not end. Seconds are of the clock, as those of a forecast:
the machine has to be quiet.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

from benchmarks._data import read_csv
from benchmarks._options import commit, finish
from benchmarks._tables import format_table
from benchmarks.regression import DATA, read
from treewright import OptimalTreeClassifier, OptimalTreeRegressor, __version__
from treewright.result import SolveStatus

BINARY = (
    "anneal",
    "german-credit",
    "kr-vs-kp",
    "mushroom",
    "pendigits",
    "splice-1",
    "tic-tac-toe",
    "vehicle",
)
CONTINUOUS = ("bank", "fault", "htru", "magic", "occupancy", "page", "raisin", "rice", "segment", "wilt")
NUMBERS = ("autompg", "bike", "concrete", "energy", "housing", "wine")
ALLOWED = (0.05, 0.2, 1.0)  # seconds of the estimate


def problems(data: Path, penalties: list[float]) -> Iterator[tuple[str, Any, Any, Any]]:
    """Yield the name of a table, its arrays and the estimator that is to search it."""
    X: Any
    y: Any
    for folder, names, depths in (("binary", BINARY, (3, 4)), ("continuous", CONTINUOUS, (2, 3))):
        for name in names:
            X, y = read_csv(data / folder / f"{name}.csv.gz")
            for depth, penalty in product(depths, penalties):
                yield name, X, y, OptimalTreeClassifier(penalty, max_depth=depth)
    for name in NUMBERS:
        X, y = read(name, data / "regression")
        for depth, penalty in product((2, 3), penalties):
            yield name, X, y, OptimalTreeRegressor(penalty, max_depth=depth)


def rows_of(name: str, X: Any, y: Any, model: Any, limit: float) -> Iterator[dict[str, Any]]:
    """Ask for forecasts, search, and yield a row for each forecast that can be judged."""
    model.set_params(time_limit=limit, progress=False)
    model.fit(X[:100], y[:100])  # loads what the first search loads
    forecasts = {allowed: model.forecast(X, y, seconds=allowed) for allowed in ALLOWED}
    begun = time.perf_counter()
    model.fit(X, y)
    took = time.perf_counter() - begun
    for allowed, said in forecasts.items():
        whole = said.trials[-1].rows == said.rows and said.trials[-1].ended
        if whole or model.result_.status is not SolveStatus.OPTIMAL:
            continue
        yield {
            "data": name,
            "rows": len(X),
            "columns": X.shape[1],
            "estimator": type(model).__name__,
            "max_depth": model.max_depth,
            "cost_complexity": model.cost_complexity,
            "allowed": allowed,
            "likely": round(said.seconds, 4),
            "shortest": round(said.shortest, 4),
            "longest": round(said.longest, 4) if said.longest < float("inf") else "no limit",
            "took": round(took, 4),
            "within the range": bool(said.shortest <= took <= said.longest),
        }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=DATA.parent)
    parser.add_argument("--seconds", type=float, default=60.0, help="limit of each search")
    parser.add_argument(
        "--cost-complexities", type=float, nargs="*", default=[0.0005, 0.003, 0.01], help="leaf penalties"
    )
    parser.add_argument("--save", action="store_true", help="write results/forecast.json")
    arguments = parser.parse_args()
    rows = []
    for name, X, y, model in problems(arguments.data, arguments.cost_complexities):
        for row in rows_of(name, X, y, model, arguments.seconds):
            rows.append(row)
            print(format_table(list(row), [list(row.values())]).splitlines()[-1], flush=True)
    right = sum(row["within the range"] for row in rows)
    tables = len({row["data"] for row in rows})
    said = {"seconds": arguments.seconds, "cost_complexities": arguments.cost_complexities}
    options = {**said, "commit": commit(), "treewright": __version__}
    finish("forecast", options, rows, arguments.save, f"{right} of {len(rows)} ranges, {tables} tables")


if __name__ == "__main__":
    main()
