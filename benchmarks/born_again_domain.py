"""What a domain saves: leaves and seconds of a faithful tree everywhere, within the rows' ranges, and in their middle.

A forest of 4 trees of depth 3 on two thirds of a table, the tree of fewest leaves that decides like it, on four splits.
"rows" is the domain of the training rows; "middle" ends at the 5th and 95th percentile of each column, for people who
know which rows they will ask about. Seconds are those of the processor.

    python -m benchmarks.born_again_domain --data FOLDER
"""

from __future__ import annotations

import time
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

from benchmarks._data import read_csv
from benchmarks._options import finish
from benchmarks._tables import format_table
from treewright.bornagain import Domain, Ensemble, solve
from treewright.errors import SolverError
from treewright.result import SolveStatus
from treewright.verify import check_faithful

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
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
            done = [row for row in own if "leaves" in row]
            means = (
                f"{fmean(row[what] for row in done):.{digits}f}" if done else "-"
                for what, digits in (("thresholds", 1), ("leaves", 1), ("seconds", 2), ("inside", 2))
            )
            proven = sum(row.get("proven", False) for row in own)
            lines.append([name, where, *means, f"{len(done)} of {len(own)}", f"{proven} of {len(own)}"])
    header = ["table", "where", "thresholds", "leaves", "seconds", "test rows inside", "trees", "proven"]
    print(format_table(header, lines))
    options = {"splits": splits, "time_limit": time_limit, "trees": TREES, "depth": DEPTH}
    finish("born_again-domain", options, rows, write)


def one(
    name: str, X: NDArray[np.float64], y: NDArray[np.int64], seed: int, time_limit: float
) -> list[dict[str, Any]]:
    """Solve one forest on three domains."""
    train, test, y_train, _ = train_test_split(X, y, test_size=1 / 3, random_state=seed, stratify=y)
    forest = RandomForestClassifier(TREES, max_depth=DEPTH, random_state=seed).fit(train, y_train)
    whole = Ensemble.from_model(forest)
    of_rows = Domain.of_rows(train)
    middle = Domain(*np.quantile(train, [0.05, 0.95], axis=0, method="nearest"), of_rows.integer)
    found = []
    for where, domain in (("everywhere", None), ("rows", of_rows), ("middle", middle)):
        ensemble = whole if domain is None else whole.within(domain)
        inside = np.ones(len(test), dtype=bool) if domain is None else domain.contains(test)
        row: dict[str, Any] = {
            "table": name,
            "seed": seed,
            "where": where,
            "thresholds": sum(len(t) for t in ensemble.thresholds),
            "forest_leaves": whole.n_leaves,
            "inside": float(inside.mean()),
        }
        start = time.process_time()
        try:
            result = solve(ensemble, objective="leaves", time_limit=time_limit, memory_limit=2**30)
        except SolverError as error:
            row["error"] = str(error)[:200]
        else:
            row |= {
                "leaves": result.tree.n_leaves,
                "seconds": time.process_time() - start,
                "proven": result.status is SolveStatus.OPTIMAL,
            }
            assert (result.tree.predict(test[inside]) == forest.predict(test[inside])).all()
            if result.tree.n_leaves <= 2000:
                assert check_faithful(result.tree, ensemble).faithful
        found.append(row)
        print("#", row, flush=True)
    return found


if __name__ == "__main__":
    app()
