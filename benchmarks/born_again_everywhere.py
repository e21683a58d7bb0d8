"""How many leaves a tree takes that is near a regression forest on every row, and how far from it CART can be there.

``python -m benchmarks.born_again_everywhere --data FOLDER``. Random forests on two thirds of a table; the tolerance is
a half, or a quarter, of the standard deviation of the target. CART of as many leaves is fitted to the forest's numbers;
how far it is from them is looked up on a row in each leaf of ours, so it may be further.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from sklearn.ensemble import RandomForestRegressor
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeRegressor

from benchmarks._harness import write_results
from benchmarks._options import commit
from benchmarks._tables import format_table
from benchmarks.born_again_values import DATA, means, tables
from treewright.bornagain import near_everywhere

FIRST_SEED, SECONDS, LEAVES = 540, 60.0, 5000
FORESTS = ((10, 3), (20, 4))  # trees, their depth
Array = np.ndarray[Any, Any]


def main(
    data: Annotated[Path, typer.Option(help="Folder of the reference data.")] = DATA,
    splits: Annotated[int, typer.Option(help="Splits of each table.")] = 3,
    write: Annotated[bool, typer.Option(help="Write the results file.")] = True,
) -> None:
    """Print the table, and write it to benchmarks/results."""
    rows = []
    for name, X, y in tables(data):
        for size in FORESTS:
            for part in (0.5, 0.25):
                every = [_one(X, y, FIRST_SEED + k, size, part) for k in range(splits)]
                row: dict[str, Any] = {"data": name, "trees": size[0], "depth": size[1]}
                row |= {"tolerance, deviations": part, "splits": splits} | means(every)
                print("#", row, flush=True)
                rows.append(row)
    names = list(rows[0])
    print(format_table(names, [[_cell(row[key]) for key in names] for row in rows]))
    if write:
        options = {"first_seed": FIRST_SEED, "time_limit": SECONDS, "max_leaves": LEAVES, "commit": commit()}
        write_results("born_again-everywhere", options, rows)


def _one(X: Array, y: Array, seed: int, size: tuple[int, int], part: float) -> dict[str, float]:
    A, B, a, b = train_test_split(X, y, test_size=1 / 3, random_state=seed)
    forest = RandomForestRegressor(size[0], max_depth=size[1], random_state=seed).fit(A, a)
    deviation = float(a.std())
    start = time.process_time()
    found = near_everywhere(forest, tolerance=part * deviation, time_limit=SECONDS, max_leaves=LEAVES)
    seconds = time.process_time() - start
    tree = found.tree
    cart = DecisionTreeRegressor(max_leaf_nodes=max(2, tree.n_leaves), random_state=0).fit(
        A, forest.predict(A)
    )
    rows = found.rows
    return {
        "leaves of the forest": sum(member.get_n_leaves() for member in forest.estimators_),
        "leaves": tree.n_leaves,
        "needed": found.needed_leaves,
        "furthest, deviations": found.distance / deviation,
        "CART: at least, deviations": float(abs(cart.predict(rows) - forest.predict(rows)).max()) / deviation,
        "error: tree": float(np.mean((tree.predict(B) - b) ** 2) / b.var()),
        "error: forest": float(np.mean((forest.predict(B) - b) ** 2) / b.var()),
        "ended": float(found.distance <= part * deviation),
        "seconds": seconds,
    }


def _cell(value: Any) -> str:
    if not isinstance(value, list):
        return str(value)
    return " ± ".join(f"{x:.3g}" for x in value)


if __name__ == "__main__":
    typer.run(main)
