"""Trees that are near a regression forest on every row there can be, beside trees of the same size that are not.

``python -m benchmarks.born_again_everywhere --data FOLDER``. Random forests on two thirds of a table; the tolerance is
a half, or a quarter, of the standard deviation of the target. Beside our tree: CART of as many leaves, fitted to the
forest's numbers, and the tree distilled on the training rows (at most 16 leaves). How far each can be from the forest
is found by branch and bound over all rows (`treewright.verify.furthest_apart`); where that gives up after `BOXES`
boxes, the figure is of a row that was found, and another row may be further. On fresh rows each is looked up.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeRegressor

from benchmarks._harness import write_results
from benchmarks._options import commit
from benchmarks._tables import format_table
from benchmarks.born_again_values import DATA, means, tables
from treewright import BornAgainTreeRegressor
from treewright.bornagain import NumberEnsemble, near_everywhere
from treewright.convert import from_sklearn
from treewright.tree import Tree
from treewright.verify import furthest_apart

FIRST_SEED, SECONDS, LEAVES = 540, 60.0, 5000
ROWS, SECONDS_ON_ROWS = 300, 2.0  # of the tree that is distilled on rows
BOXES = 50_000
FORESTS = ((10, 3), (20, 4))  # trees, their depth
Array = np.ndarray[Any, Any]


def main(
    data: Annotated[Path, typer.Option(help="Folder of the reference data.")] = DATA,
    splits: Annotated[int, typer.Option(help="Splits of each table.")] = 3,
    write: Annotated[bool, typer.Option(help="Write the results file.")] = True,
) -> None:
    """Print the table, and write it to benchmarks/results."""
    rows = []
    for name, X, y in _tables(data):
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
        options = {
            "first_seed": FIRST_SEED, "time_limit": SECONDS, "max_leaves": LEAVES, "max_boxes": BOXES,
            "rows": ROWS, "time_limit_on_rows": SECONDS_ON_ROWS, "commit": commit(),
        }  # fmt: skip
        write_results("born_again-everywhere", options, rows)


def _tables(data: Path) -> Iterator[tuple[str, Array, Array]]:
    yield from tables(data)
    yield ("diabetes", *load_diabetes(return_X_y=True))


def _one(X: Array, y: Array, seed: int, size: tuple[int, int], part: float) -> dict[str, float]:
    A, B, a, b = train_test_split(X, y, test_size=1 / 3, random_state=seed)
    forest = RandomForestRegressor(size[0], max_depth=size[1], random_state=seed).fit(A, a)
    ensemble = NumberEnsemble.from_model(forest)
    deviation = float(a.std())
    start = time.process_time()
    found = near_everywhere(ensemble, tolerance=part * deviation, time_limit=SECONDS, max_leaves=LEAVES)
    seconds = time.process_time() - start
    tree = found.tree
    cart = DecisionTreeRegressor(max_leaf_nodes=max(2, tree.n_leaves), random_state=0)
    cart.fit(A, forest.predict(A))
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
        distilled = BornAgainTreeRegressor.from_fitted(
            forest, A, tolerance=part * deviation, units="target", max_depth=4, max_rows=ROWS,
            time_limit=SECONDS_ON_ROWS, random_state=seed, progress=False,
        )  # fmt: skip
    out = {
        "leaves of the forest": ensemble.n_leaves,
        "leaves": tree.n_leaves,
        "needed": found.lower_bound,
        "ended": float(found.loss <= part * deviation),
        "seconds": seconds,
        "proven, deviations": found.loss / deviation,
    }
    trees = {"tree": tree, "CART": from_sklearn(cart), "distilled": distilled.tree_}
    out["distilled: leaves"] = distilled.get_n_leaves()
    for name, one in trees.items():
        out |= _how_far(name, one, ensemble, B, deviation)
        out[f"{name}: error"] = float(np.mean((one.predict(B) - b) ** 2) / b.var())
    out["forest: error"] = float(np.mean((forest.predict(B) - b) ** 2) / b.var())
    return out


def _how_far(name: str, tree: Tree, ensemble: NumberEnsemble, X: Array, deviation: float) -> dict[str, float]:
    """Return how far a tree is from the forest on these rows, and on all, in deviations."""
    apart = np.abs(tree.predict(X) - ensemble.predict(X))
    everywhere = furthest_apart(tree, ensemble, max_boxes=BOXES)
    return {
        f"{name}: furthest of the fresh rows": float(apart.max()) / deviation,
        f"{name}: furthest of all rows": max(everywhere.distance, float(apart.max())) / deviation,
        f"{name}: none is further": float(everywhere.at_most <= everywhere.distance),
    }


def _cell(value: Any) -> str:
    if not isinstance(value, list):
        return str(value)
    return " ± ".join(f"{x:.3g}" for x in value)


if __name__ == "__main__":
    typer.run(main)
