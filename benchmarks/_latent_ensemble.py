"""The mean of several latent trees beside one, and beside histogram gradient boosting, on ten tables.

Three quarters of at most 2000 rows for training; defaults throughout. GRANDE and TabM are not among the peers: GRANDE
needs its own TensorFlow (2.16.1), and TabM more processor time than was at hand.
"""

from __future__ import annotations

import time
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.model_selection import train_test_split

from benchmarks._latent_hardened import SETS
from treewright import LatentTreeClassifier, LatentTreeRegressor

__all__ = ["ensembles"]

TABLES = SETS | {"autompg": ("regression/autompg.csv", "y", False)}
FIRST_SEED, MEMBERS, MOST_ROWS = 600, 5, 2000


def ensembles(data: Path, only: str, n_splits: int) -> list[dict[str, Any]]:
    """Return one row a table: errors of test rows and processor seconds, means over the splits."""
    rows = []
    for name in only.split(",") if only else TABLES:
        file, label, classify = TABLES[name]
        frame = pd.read_csv(data / file, header=0 if label else None)
        y = frame.pop(label if label else frame.columns[-1]).to_numpy()
        found: dict[str, list[float]] = {}
        for seed in range(FIRST_SEED, FIRST_SEED + n_splits):
            for key, value in _one(frame.to_numpy(float), y, classify, seed).items():
                found.setdefault(key, []).append(value)
        row: dict[str, Any] = {"data": name, "rows": min(len(y), MOST_ROWS), "splits": n_splits}
        row |= {key: fmean(values) for key, values in found.items()}
        for peer in ("one tree", "boosting", "forest"):
            less = [ours - theirs for ours, theirs in zip(found["trees"], found[peer], strict=True)]
            row[f"trees less {peer}"] = (
                [fmean(less), stdev(less) / len(less) ** 0.5] if n_splits > 1 else less
            )
        print("#", row, flush=True)
        rows.append(row)
    return rows


def _one(X: np.ndarray[Any, Any], y: np.ndarray[Any, Any], classify: bool, seed: int) -> dict[str, float]:
    if len(y) > MOST_ROWS:
        chosen = np.random.default_rng(seed).permutation(len(y))[:MOST_ROWS]
        X, y = X[chosen], y[chosen]
    A, B, a, b = train_test_split(X, y, random_state=seed, stratify=y if classify else None)
    out: dict[str, float] = {}

    def error(answer: np.ndarray[Any, Any]) -> float:
        return float(np.mean(answer != b) if classify else np.mean((answer - b) ** 2) / np.var(b))

    start = time.process_time()
    said = []
    for member in range(MEMBERS):
        options: dict[str, Any] = {
            "hardening": "signs",
            "random_state": 1000 * seed + member,
            "progress": False,
        }
        kind = LatentTreeClassifier if classify else LatentTreeRegressor
        model = kind(**options).fit(A, a)
        said.append(model.predict_proba(B) if classify else model.predict(B))

    def answer(mean: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.asarray(model.classes_[mean.argmax(axis=1)]) if classify else mean

    out["trees"] = error(answer(np.mean(said, axis=0)))
    out["seconds, trees"] = time.process_time() - start
    out["one tree"] = fmean(error(answer(each)) for each in said)
    boosting = HistGradientBoostingClassifier if classify else HistGradientBoostingRegressor
    forest = RandomForestClassifier if classify else RandomForestRegressor
    for name, peer in (("boosting", boosting), ("forest", forest)):
        start = time.process_time()
        out[name] = error(peer(random_state=seed).fit(A, a).predict(B))
        out[f"seconds, {name}"] = time.process_time() - start
    return out
