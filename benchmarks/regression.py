"""Regression trees over all thresholds, beside CART: ``python -m benchmarks.regression --help``.

Tables are those of the reference data folder beside the checkout. Seconds are of the processor, of the whole `fit`
call (of the shorter of two runs where a run takes less than half a second); the limit is on those of the clock. Losses
are the share of the variance that a tree leaves on its training rows. CART is scikit-learn's `DecisionTreeRegressor` of
the same depth, and the same pruned at the same price of a leaf (``ccp_alpha`` is that price times the variance).
"""

from __future__ import annotations

import argparse
import subprocess
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import sklearn
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.tree import DecisionTreeRegressor

from benchmarks._harness import write_results
from benchmarks._tables import format_table
from treewright import OptimalTreeRegressor, SolveStatus, __version__

HERE = Path(__file__).resolve().parent
DATA = HERE.parent.parent / "shared" / "data" / "regression"

# Position of the target, and whether the file has a header.
TABLES: dict[str, tuple[str, int, bool]] = {
    "autompg": ("autompg.csv", 0, True),
    "energy": ("energy.csv", 0, True),
    "concrete": ("concrete.csv", 0, True),
    "housing": ("housing.csv.gz", -1, False),
    "wine": ("wine.csv.gz", -1, False),
    "bike": ("bike.csv.gz", -1, False),
    "elevators": ("elevators.csv.gz", -1, False),
    "skillcraft": ("skillcraft.csv.gz", -1, False),
    "protein": ("protein.csv.gz", -1, False),
}
SMALL = ("autompg", "energy", "concrete", "housing", "wine")


def read(name: str, data: Path = DATA) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Read a table of numbers; an empty cell is NaN."""
    file, at, has_header = TABLES[name]
    frame = pl.read_csv(data / file, has_header=has_header, infer_schema_length=None)
    table = frame.cast(pl.Float64).fill_null(np.nan).to_numpy()
    return np.delete(table, at, axis=1), table[:, at]


def timed(seconds: float, X: Any, y: Any, **asked: Any) -> tuple[float, OptimalTreeRegressor]:
    """Fit once, or twice where that is quick; return the processor seconds and the fitted estimator."""
    spent = []
    for _ in range(2):
        model = OptimalTreeRegressor(time_limit=seconds, progress=False, **asked)
        begun = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(X, y)
        spent.append(time.process_time() - begun)
        if spent[0] >= 0.5:
            break
    return min(spent), model


def share_left(model: DecisionTreeRegressor, X: Any, y: NDArray[np.float64]) -> float:
    """Return the share of the variance that a fitted tree leaves."""
    return float(((y - model.predict(X)) ** 2).mean() / y.var())


def measure(name: str, depth: int, price: float, seconds: float, data: Path) -> dict[str, Any]:
    """Run one cell."""
    X, y = read(name, data)
    spent, model = timed(seconds, X, y, cost_complexity=price, max_depth=depth)
    result = model.result_
    cart = DecisionTreeRegressor(max_depth=depth, random_state=0).fit(X, y)
    pruned = DecisionTreeRegressor(max_depth=depth, ccp_alpha=price * y.var(), random_state=0).fit(X, y)
    cart_loss, pruned_loss = share_left(cart, X, y), share_left(pruned, X, y)
    return {
        "package": "treewright",
        "version": __version__,
        "data": name,
        "rows": len(y),
        "columns": X.shape[1],
        "max_depth": depth,
        "cost_complexity": price,
        "cpu_seconds": round(spent, 3),
        "proven": result.status is SolveStatus.OPTIMAL,
        "gap": round(result.gap, 6),
        "objective": result.objective,
        "lower_bound": result.lower_bound,
        "loss": result.loss,
        "leaves": result.tree.n_leaves,
        "cart_loss": cart_loss,
        "cart_leaves": int(cart.get_n_leaves()),
        "pruned_cart_loss": pruned_loss,
        "pruned_cart_leaves": int(pruned.get_n_leaves()),
        "pruned_cart_objective": pruned_loss + price * int(pruned.get_n_leaves()),
    }


def shown(rows: list[dict[str, Any]]) -> str:
    """Return the rows as a Markdown table."""
    header = [
        "data",
        "depth",
        "price",
        "cpu s",
        "proven",
        "objective",
        "CART pruned",
        "left",
        "CART",
        "leaves",
    ]
    cells = [
        [
            row["data"],
            row["max_depth"],
            f"{row['cost_complexity']:g}",
            f"{row['cpu_seconds']:.3g}",
            "yes" if row["proven"] else f"gap {100 * row['gap']:.1f}%",
            f"{row['objective']:.6f}",
            f"{row['pruned_cart_objective']:.6f}",
            f"{row['loss']:.4f}",
            f"{row['cart_loss']:.4f}",
            row["leaves"],
        ]
        for row in rows
    ]
    return format_table(header, cells)


def commit() -> str:
    """Return the commit of the checkout; a plus sign marks changes in the code that searches."""
    asked = ["git", "-C", str(HERE)]
    found = subprocess.run([*asked, "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True)
    changed = subprocess.run(
        [*asked, "status", "--porcelain", "--", "../src", "../cpp"], capture_output=True, text=True
    )
    return (found.stdout.strip() or "unknown") + ("+" if changed.stdout.strip() else "")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="*", default=list(SMALL), choices=list(TABLES))
    parser.add_argument("--depths", nargs="*", type=int, default=[2, 3])
    parser.add_argument("--prices", nargs="*", type=float, default=[0.0, 0.001, 0.005])
    parser.add_argument("--seconds", type=float, default=20, help="of the clock, for each fit")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the tables")
    parser.add_argument("--save", action="store_true", help="write results/regression.json")
    arguments = parser.parse_args()
    code = commit()  # of the code that runs, whatever is written while it does
    warm_up = np.arange(8.0)
    timed(1, warm_up[:, None], warm_up, max_depth=1)  # imports are no part of a fit
    options = {
        "commit": code,
        "seconds": arguments.seconds,
        "scikit-learn": sklearn.__version__,
        "numpy": np.__version__,
    }
    rows = []
    for depth in arguments.depths:
        for name in arguments.only:
            for price in arguments.prices:
                rows.append(measure(name, depth, price, arguments.seconds, arguments.data))
                print(shown(rows[-1:]).splitlines()[-1], flush=True)
                if arguments.save:  # at once: a long run may be broken off
                    write_results("regression", options, rows)
    print("\n" + shown(rows))


if __name__ == "__main__":
    main()
