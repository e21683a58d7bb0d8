"""Part "large": the heuristic on forests whose table of cells is too large to be solved."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.ensemble import RandomForestClassifier

from benchmarks._born_again_runs import Asked, describe, measured
from treewright.bornagain import Ensemble, forecast, solve

__all__ = ["run", "show"]


def run(_: Asked) -> list[dict[str, Any]]:
    """Ten trees of depth 3 on many continuous columns, hard votes as in the paper."""
    tables = {"breast cancer, 30 columns": load_breast_cancer(return_X_y=True)}
    for p in (33, 50, 57):
        tables[f"made, {p} columns"] = make_classification(
            4000, p, n_informative=10, n_redundant=10, random_state=p
        )
    found = []
    for name, (X, y) in tables.items():
        for bins in (0, 10):
            Z = X if bins == 0 else np.floor((X - X.min(axis=0)) / np.ptp(X, axis=0) * (bins - 1e-9))
            forest = RandomForestClassifier(10, max_depth=3, max_features=0.5, random_state=0).fit(Z, y)
            ensemble = Ensemble.from_model(forest).as_hard_vote()

            def work(ensemble: Any = ensemble) -> dict[str, Any]:
                start = time.process_time()
                result = solve(ensemble, objective="heuristic", max_leaves=None)
                return describe(result, ensemble, time.process_time() - start)

            words = forecast(ensemble, descents=16)
            row = {
                "table": name,
                "bins": bins,
                "cells": words.cells,
                "expected_leaves": words.heuristic_leaves,
            }
            found.append({**measured(work), **row})
    return found


def show(rows: list[dict[str, Any]]) -> None:
    print(f"{'table':<28}{'bins':>5}{'cells':>9}{'expected':>10}{'leaves':>9}{'depth':>6}{'s':>8}")
    for r in rows:
        print(f"{r['table']:<28}{r['bins']:>5}{r['cells']:>9.2g}{r['expected_leaves']:>10.3g}"
              f"{r.get('leaves', -1):>9}{r.get('depth', -1):>6}{r.get('cpu_seconds', -1):>8.2f}")  # fmt: skip
