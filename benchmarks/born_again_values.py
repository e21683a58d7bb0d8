"""Small trees that are near a forest's numbers, beside CART on the same numbers with as many leaves.

``python -m benchmarks.born_again_values --data FOLDER``. A forest of 20 regression trees of depth 4 on two thirds of a
table; the tree may be further than a quarter of the target's deviation on a tenth of the training rows.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import Annotated, Any

import numpy as np
import pandas as pd
import typer
from sklearn.ensemble import RandomForestRegressor
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeRegressor

from benchmarks._harness import write_results
from benchmarks._tables import format_table
from treewright.bornagain import distil_values, value_agreement

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
SETS = {  # the target ("": the last column of a file without header)
    "energy.csv": "y",
    "concrete.csv": "y",
    "housing.csv.gz": "",
    "wine.csv.gz": "",
}
FIRST_SEED, SHARE, DEPTH, LEAVES, SECONDS = 500, 0.1, 4, 16, 20.0


def main(
    data: Annotated[Path, typer.Option(help="Folder of the reference data.")] = DATA,
    splits: Annotated[int, typer.Option(help="Splits of each table.")] = 3,
    write: Annotated[bool, typer.Option(help="Write the results file.")] = True,
) -> None:
    """Print the table, and write it to benchmarks/results."""
    rows = []
    for name, X, y in tables(data):
        every = [_one(X, y, FIRST_SEED + k) for k in range(splits)]
        row: dict[str, Any] = {"data": name, "rows": len(y), "splits": splits} | means(every)
        print("#", row, flush=True)
        rows.append(row)
    names = list(rows[0])
    print(format_table(names, [[_cell(row[key]) for key in names] for row in rows]))
    if write:
        write_results(
            "born_again-values",
            {"share": SHARE, "max_depth": DEPTH, "max_leaves": LEAVES, "time_limit": SECONDS},
            rows,
        )


def tables(data: Path) -> Iterator[tuple[str, np.ndarray[Any, Any], np.ndarray[Any, Any]]]:
    """Yield the tables: name, columns, target."""
    for name, label in SETS.items():
        frame = pd.read_csv(data / "regression" / name, header=0 if label else None)
        y = frame.pop(label if label else frame.columns[-1]).to_numpy(float)
        yield name.split(".")[0], frame.to_numpy(float), y


def means(every: Sequence[Mapping[str, float]]) -> dict[str, list[float]]:
    """Return the mean of each figure over the splits, with its standard error if there are several."""
    found = {}
    for key in every[0]:
        values = [float(one[key]) for one in every]
        found[key] = [fmean(values), stdev(values) / len(every) ** 0.5] if len(every) > 1 else values
    return found


def _one(X: np.ndarray[Any, Any], y: np.ndarray[Any, Any], seed: int) -> dict[str, float]:
    A, B, a, b = train_test_split(X, y, test_size=1 / 3, random_state=seed)
    forest = RandomForestRegressor(20, max_depth=4, random_state=seed).fit(A, a)
    ours, theirs = forest.predict(A), forest.predict(B)
    tolerance = float(a.std() / 4)
    start = time.process_time()
    result = distil_values(
        ours, A, tolerance=tolerance, share=SHARE, max_depth=DEPTH, max_leaves=LEAVES, time_limit=SECONDS
    )
    seconds = time.process_time() - start
    cart = DecisionTreeRegressor(max_depth=DEPTH, max_leaf_nodes=max(2, result.tree.n_leaves), random_state=0)
    cart.fit(A, ours)

    def error(answer: np.ndarray[Any, Any]) -> float:
        return float(np.mean((answer - b) ** 2) / np.var(b))

    return {
        "leaves": result.tree.n_leaves,
        "leaves of the forest": sum(tree.get_n_leaves() for tree in forest.estimators_),
        "proven": float(result.status.value == "proven optimal"),
        "leaves needed at least": result.lower_bound,
        "near, training": 1 - result.loss,
        "near, test": value_agreement(result.tree, theirs, B, tolerance=tolerance).share,
        "CART near, training": float(np.mean(np.abs(cart.predict(A) - ours) <= tolerance)),
        "CART near, test": float(np.mean(np.abs(cart.predict(B) - theirs) <= tolerance)),
        "error, tree": error(result.tree.predict(B)),
        "error, forest": error(theirs),
        "error, CART": error(cart.predict(B)),
        "seconds": seconds,
    }


def _cell(value: Any) -> str:
    return f"{value[0]:.3g} +- {value[1]:.2g}" if isinstance(value, list) and len(value) == 2 else str(value)


if __name__ == "__main__":
    typer.run(main)
