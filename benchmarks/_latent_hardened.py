"""The hard tree that a latent tree is saved as, beside CART: with as many leaves, with all 32, with a tuned number.

Nine tables, three quarters of the rows for training; seeds from 400 on. Splits 100 to 109, 200 to 204 and 300 to 309
were looked at while the method was made; by these nothing was chosen. Errors of test rows: the error rate of classes,
mean squared error by variance of numbers. The tuned number of leaves is chosen by five-fold cross-validation.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from treewright import LatentTreeClassifier, LatentTreeRegressor
from treewright.tree import LinearSplit, Split

__all__ = ["SETS", "Errors", "hardened", "read_set"]

SETS = {  # file, label ("": the last column of a file without header), whether it is classes
    "raisin": ("continuous/raisin.csv.gz", "label", True),
    "rice": ("continuous/rice.csv.gz", "label", True),
    "segment": ("continuous/segment.csv.gz", "label", True),
    "fault": ("continuous/fault.csv.gz", "label", True),
    "magic": ("continuous/magic.csv.gz", "label", True),
    "energy": ("regression/energy.csv", "y", False),
    "concrete": ("regression/concrete.csv", "y", False),
    "housing": ("regression/housing.csv.gz", "", False),
    "wine": ("regression/wine.csv.gz", "", False),
}
FIRST_SEED = 400
MOST_LEAVES = 32  # of a hard tree: the depth is 5
LEAVES = [2, 3, 4, 6, 8, 12, 16, 24, MOST_LEAVES]


def hardened(data: Path, only: str, n_splits: int) -> list[dict[str, Any]]:
    """Return one row a table: means over the splits, and over how many."""
    rows = []
    for name in only.split(",") if only else SETS:
        X, y, classify = read_set(data, SETS[name])
        found: dict[str, list[float]] = {}
        for seed in range(FIRST_SEED, FIRST_SEED + n_splits):
            for key, value in _one(X, y, classify, seed).items():
                found.setdefault(key, []).append(value)
        row: dict[str, Any] = {"data": name, "rows": len(y), "splits": n_splits}
        for key, values in found.items():
            row[key] = fmean(values)
        for kind in ("linear", "axis"):
            for beside, cart in (
                (f"{kind} less cart", f"cart, {kind}"),
                (f"{kind} less cart, tuned", "cart, tuned"),
            ):
                less = [ours - theirs for ours, theirs in zip(found[kind], found[cart], strict=True)]
                row[beside] = [fmean(less), stdev(less) / len(less) ** 0.5] if n_splits > 1 else less
        print("#", row, flush=True)
        rows.append(row)
    return rows


def read_set(
    data: Path, kept: tuple[str, str, bool]
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], bool]:
    """Return columns, target, and whether it is classes."""
    file, label, classify = kept
    frame = pd.read_csv(data / file, header=0 if label else None)
    y = frame.pop(label if label else frame.columns[-1]).to_numpy()
    return frame.to_numpy(float), y, classify


@dataclass(frozen=True, eq=False)
class Errors:
    """The error of answers to rows whose targets are known.

    Parameters
    ----------
    target : ndarray of shape (n_rows,)
    classify : bool
    """

    target: np.ndarray[Any, Any]
    classify: bool

    def __call__(self, answer: np.ndarray[Any, Any]) -> float:
        if self.classify:
            return float(np.mean(answer != self.target))
        return float(np.mean((answer - self.target) ** 2) / np.var(self.target))


def _one(X: np.ndarray[Any, Any], y: np.ndarray[Any, Any], classify: bool, seed: int) -> dict[str, float]:
    A, B, a, b = train_test_split(X, y, random_state=seed, stratify=y if classify else None)
    error = Errors(b, classify)
    out: dict[str, float] = {}
    soft = LatentTreeClassifier if classify else LatentTreeRegressor
    greedy = DecisionTreeClassifier if classify else DecisionTreeRegressor
    for kind in ("linear", "axis"):
        start = time.process_time()
        model = soft(hardening=kind, random_state=seed, progress=False).fit(A, a)
        out["seconds"] = time.process_time() - start
        tree = model.harden().tree
        out[f"{kind}, leaves"] = tree.n_leaves
        out[f"{kind}, columns a split"] = fmean(
            [_width(split) for split in tree.splits if split is not None] or [0]
        )
        out[f"{kind}, agreement"] = model.harden().agreement
        out[kind] = error(tree.predict(B))
        equal = greedy(max_leaf_nodes=max(2, tree.n_leaves), random_state=seed).fit(A, a)
        out[f"cart, {kind}"] = error(equal.predict(B))
    full = greedy(max_leaf_nodes=MOST_LEAVES, random_state=seed).fit(A, a)
    out[f"cart, {MOST_LEAVES} leaves"] = error(full.predict(B))
    tuned = GridSearchCV(greedy(random_state=seed), {"max_leaf_nodes": LEAVES}, cv=5).fit(A, a)
    out["cart, tuned"] = error(tuned.predict(B))
    out["cart, tuned: leaves"] = tuned.best_estimator_.get_n_leaves()
    out["soft"] = error(model.predict(B))
    model._hard_splits = None  # of the same training: what the signs alone make
    out["signs"] = error(model.harden(A, a).tree.predict(B))
    return out


def _width(split: Split) -> int:
    return len(split.columns) if isinstance(split, LinearSplit) else 1
