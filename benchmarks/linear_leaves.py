"""Lines in leaves, on rows that they have not seen: ``python -m benchmarks.linear_leaves --help``.

Five folds of each table, drawn anew with --seed; trees have at most depth 3 and eight leaves, and every size and
penalty is chosen inside the training rows by the best mean. The figure is the share of the variance of the rows held
out that is left (smaller is better): its mean over the folds with the standard error. Seconds are of the processor,
for one fit with all that is chosen in it.
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
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor
from threadpoolctl import threadpool_limits

from benchmarks._harness import write_results
from benchmarks._tables import format_table
from benchmarks.regression import DATA, commit, read
from treewright import OptimalTreeRegressorCV, __version__

TABLES = ("energy", "autompg", "concrete", "housing")
DEPTH, LEAVES, SECONDS = 3, 8, 30.0


def models(y: Any) -> dict[str, Any]:
    """Return the models, the first two from treewright."""
    tree = {
        "rule": "best",
        "max_leaves": LEAVES,
        "max_depth": DEPTH,
        "time_limit": SECONDS,
        "progress": False,
    }
    alphas = {"ccp_alpha": (y.var() * np.geomspace(1e-4, 0.1, 20)).tolist()}
    cart = DecisionTreeRegressor(max_depth=DEPTH, max_leaf_nodes=LEAVES, random_state=0)
    ridge = RidgeCV(np.geomspace(1e-3, 1e4, 29))
    return {
        "lines in leaves": OptimalTreeRegressorCV(leaf_model="linear", **tree),
        "constants in leaves": OptimalTreeRegressorCV(**tree),
        "CART, tuned": GridSearchCV(cart, alphas, cv=5),
        "ridge regression alone": make_pipeline(SimpleImputer(), StandardScaler(), ridge),
        "HistGradientBoosting": HistGradientBoostingRegressor(random_state=0),
    }


def rows_of(name: str, data: Path, seed: int) -> Iterator[dict[str, Any]]:
    """Run the folds of a table; yield a row for each model."""
    X, y = read(name, data)
    found: dict[str, list[tuple[float, float, int | None]]] = {}
    for train, test in KFold(5, shuffle=True, random_state=seed).split(X):
        for model_name, model in models(y[train]).items():
            begun = time.process_time()
            model.fit(X[train], y[train])
            seconds = time.process_time() - begun
            left = float(((model.predict(X[test]) - y[test]) ** 2).mean() / y[test].var())
            inner = getattr(model, "best_estimator_", model)
            leaves = int(inner.get_n_leaves()) if hasattr(inner, "get_n_leaves") else None
            found.setdefault(model_name, []).append((left, seconds, leaves))
    for model_name, answers in found.items():
        left, seconds = (np.array([answer[part] for answer in answers]) for part in (0, 1))
        leaves = [answer[2] for answer in answers if answer[2] is not None]
        ours = model_name.endswith("in leaves")
        yield {
            "data": name,
            "rows": len(X),
            "columns": X.shape[1],
            "model": model_name,
            "package": "treewright" if ours else "scikit-learn",
            "version": __version__ if ours else sklearn.__version__,
            "leaves": round(float(np.mean(leaves)), 1) if leaves else None,
            "variance left": round(float(left.mean()), 5),
            "variance left, standard error": round(float(left.std(ddof=1) / len(left) ** 0.5), 5),
            "cpu_seconds": round(float(seconds.mean()), 2),
        }


def shown(rows: list[dict[str, Any]]) -> str:
    """Return the rows as a Markdown table."""
    cells = [
        [
            row["data"],
            row["model"],
            "" if row["leaves"] is None else f"{row['leaves']:g}",
            f"{row['variance left']:.3f} ± {row['variance left, standard error']:.3f}",
            f"{row['cpu_seconds']:g}",
        ]
        for row in rows
    ]
    return format_table(["data", "model", "leaves", "variance left", "cpu s"], cells)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="*", default=list(TABLES), choices=TABLES)
    parser.add_argument("--seed", type=int, default=20, help="of the folds")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the tables")
    parser.add_argument("--save", action="store_true", help="into results/linear_leaves.json")
    arguments = parser.parse_args()
    code = commit()  # of the code that runs, whatever is written while it does
    rows: list[dict[str, Any]] = []
    for name in arguments.only:
        with warnings.catch_warnings(), threadpool_limits(1):
            warnings.simplefilter("ignore", ConvergenceWarning)
            new = list(rows_of(name, arguments.data, arguments.seed))
        print(shown(new), flush=True)
        rows += new
    if arguments.save:
        write_results("linear_leaves", {"commit": code, "folds": 5, "seed": arguments.seed}, rows)


if __name__ == "__main__":
    main()
