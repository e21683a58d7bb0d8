"""The mean of five latent trees beside one, boosting and a random forest, all with their default settings.

The ten tables are those of `hardened` and page; three quarters of the rows train, seeds from 500 on, which nothing
was chosen by. Each of the five trees holds out rows of its own and starts from weights of its own; their
probabilities, or their numbers, are averaged. Only soft models are asked, so none is made hard.
"""

from __future__ import annotations

import time
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import numpy as np
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.model_selection import train_test_split

from benchmarks._latent_hardened import SETS, Errors, read_set
from treewright import LatentTreeClassifier, LatentTreeRegressor

__all__ = ["ensemble"]

TEN = {**SETS, "page": ("continuous/page.csv.gz", "label", True)}
FIRST_SEED = 500
N_TREES = 5


def ensemble(data: Path, only: str, n_splits: int) -> list[dict[str, Any]]:
    """Return one row a table: means over the splits, and what the ensemble has less than boosting."""
    rows = []
    for name in only.split(",") if only else TEN:
        X, y, classify = read_set(data, TEN[name])
        found: dict[str, list[float]] = {}
        for seed in range(FIRST_SEED, FIRST_SEED + n_splits):
            for key, value in _one(X, y, classify, seed).items():
                found.setdefault(key, []).append(value)
        row: dict[str, Any] = {"data": name, "rows": len(y), "splits": n_splits}
        row |= {key: fmean(values) for key, values in found.items()}
        for peer in ("boosting", "random forest", "one tree"):
            less = [ours - theirs for ours, theirs in zip(found["five trees"], found[peer], strict=True)]
            row[f"less {peer}"] = [fmean(less), stdev(less) / len(less) ** 0.5] if n_splits > 1 else less
        print("#", row, flush=True)
        rows.append(row)
    return rows


def _one(X: np.ndarray[Any, Any], y: np.ndarray[Any, Any], classify: bool, seed: int) -> dict[str, float]:
    A, B, a, b = train_test_split(X, y, random_state=seed, stratify=y if classify else None)
    error = Errors(b, classify)
    kind = LatentTreeClassifier if classify else LatentTreeRegressor
    start = time.process_time()
    said = []
    for k in range(N_TREES):
        model = kind(hardening="signs", random_state=N_TREES * seed + k, progress=False).fit(A, a)
        said.append(model.predict_proba(B) if classify else model.predict(B))
    out = {"seconds": time.process_time() - start}

    def answer(mean: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return model.classes_[mean.argmax(axis=1)] if classify else mean

    out["five trees"] = error(answer(np.mean(said, axis=0)))
    out["one tree"] = fmean(error(answer(one)) for one in said)
    boosting = HistGradientBoostingClassifier if classify else HistGradientBoostingRegressor
    forest = RandomForestClassifier if classify else RandomForestRegressor
    start = time.process_time()
    out["boosting"] = error(boosting(random_state=seed).fit(A, a).predict(B))
    out["boosting, seconds"] = time.process_time() - start
    out["random forest"] = error(forest(random_state=seed).fit(A, a).predict(B))
    return out
