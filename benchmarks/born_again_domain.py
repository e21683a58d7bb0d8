"""What a domain saves: leaves and seconds of a faithful tree everywhere, within the rows' ranges, and in their middle.

A forest of 4 trees of depth 3 on two thirds of a table, the tree of fewest leaves that decides like it, on four splits.
"rows" is the domain of the training rows; "middle" ends at the 5th and 95th percentile of each column, for people who
know which rows they will ask about. Seconds are those of the processor.

    python -m benchmarks.born_again_domain --data FOLDER
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer

from benchmarks._data import read_csv
from benchmarks._faithful import DATA, grow, line_of
from benchmarks._options import finish
from benchmarks._tables import format_table
from treewright.bornagain import Domain

FILES = {
    "Pima-Diabetes (binned)": "born_again/Pima-Diabetes/Pima-Diabetes.full.csv",
    "raisin": "continuous/raisin.csv.gz",
    "rice": "continuous/rice.csv.gz",
    "heloc (whole numbers)": "gosdt_guesses/fico.csv.gz",
}
TREES, DEPTH, FIRST_SEED = 4, 3, 7400

app = typer.Typer(help=__doc__, add_completion=False)


@app.command()
def run(
    data: Annotated[Path, typer.Option(help="Folder of the reference data.")] = DATA,
    splits: Annotated[int, typer.Option(help="Splits of each table.")] = 4,
    time_limit: Annotated[float, typer.Option(help="Seconds of a search.")] = 20.0,
    write: Annotated[bool, typer.Option(help="Write the results file.")] = True,
) -> None:
    """Solve, check and count."""
    tables = {name: read_csv(data / file) for name, file in FILES.items()}
    tables["breast cancer (numbers)"] = load_breast_cancer(return_X_y=True)
    rows = [
        row
        for name, (X, y) in tables.items()
        for seed in range(FIRST_SEED, FIRST_SEED + splits)
        for row in one(name, X, y, seed, time_limit)
    ]
    lines = []
    for name in tables:
        for where in ("everywhere", "rows", "middle"):
            own = [row for row in rows if row["table"] == name and row["where"] == where]
            line = line_of(own, (("thresholds", 1), ("leaves", 1), ("seconds", 2), ("inside", 2)))
            lines.append([name, where, *line])
    header = ["table", "where", "thresholds", "leaves", "seconds", "test rows inside", "trees", "proven"]
    print(format_table(header, lines))
    options = {"splits": splits, "time_limit": time_limit, "trees": TREES, "depth": DEPTH}
    finish("born_again-domain", options, rows, write)


def one(
    name: str, X: NDArray[np.float64], y: NDArray[np.int64], seed: int, time_limit: float
) -> list[dict[str, Any]]:
    """Solve one forest on three domains."""
    grown = grow(X, y, seed, trees=TREES, depth=DEPTH)
    of_rows = Domain.of_rows(grown.train)
    middle = Domain(*np.quantile(grown.train, [0.05, 0.95], axis=0, method="nearest"), of_rows.integer)
    found = []
    for where, domain in (("everywhere", None), ("rows", of_rows), ("middle", middle)):
        inside = np.ones(len(grown.test), dtype=bool) if domain is None else domain.contains(grown.test)
        row: dict[str, Any] = {
            "table": name,
            "seed": seed,
            "where": where,
            "thresholds": sum(len(t) for t in grown.within(domain).thresholds),
            "inside": float(inside.mean()),
        }
        found.append(grown.solve(row, domain, time_limit, test=grown.test[inside], most_checked=2000))
    return found


if __name__ == "__main__":
    app()
