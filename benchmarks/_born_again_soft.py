"""Part "soft": forests that average probabilities, and boosted trees."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier

from benchmarks._born_again_runs import Asked, describe, measured
from treewright.bornagain import Ensemble, forecast, solve, solve_active
from treewright.tree import merge_equal_leaves

__all__ = ["run", "show"]


def run(asked: Asked) -> list[dict[str, Any]]:
    """Forests that average probabilities, and boosted trees, on raw continuous and on binned columns."""

    def table(path: Path) -> tuple[np.ndarray, np.ndarray]:
        rows = np.loadtxt(path, delimiter=",", skiprows=1)
        return rows[:, :-1], rows[:, -1].astype(int)

    tables = {
        "seeds (binned)": table(asked.data / "Seeds" / "Seeds.full.csv"),
        "pima (binned)": table(asked.data / "Pima-Diabetes" / "Pima-Diabetes.full.csv"),
        "wine": load_wine(return_X_y=True),
        "breast cancer": load_breast_cancer(return_X_y=True),
    }
    compas = asked.data.parent / "gosdt_guesses" / "compas.csv"
    if compas.is_file():
        tables["compas"] = table(compas)
    found = []
    for name, (X, y) in tables.items():
        models = {
            "forest 10 x 3": RandomForestClassifier(10, max_depth=3, random_state=0),
            "boosting 20 x 2": GradientBoostingClassifier(n_estimators=20, max_depth=2, random_state=0),
        }
        for kind, model in models.items():
            model.fit(X, y)
            ensemble = Ensemble.from_model(model)
            for goal in ("heuristic", "leaves", "active"):

                def work(
                    ensemble: Any = ensemble, goal: str = goal, X: Any = X, model: Any = model
                ) -> dict[str, Any]:
                    start = time.process_time()
                    if goal == "active":
                        result = solve_active(ensemble, X, time_limit=60)
                    else:
                        result = solve(ensemble, objective=goal, time_limit=60, max_leaves=200_000)
                    answer = describe(result, ensemble, time.process_time() - start)
                    answer["equals_model_on_rows"] = bool((result.tree.predict(X) == model.predict(X)).all())
                    if goal == "active":
                        answer["faithful"] = None
                        answer["merged_leaves"] = merge_equal_leaves(result.tree).n_leaves
                    return answer

                row = {"table": name, "model": kind, "objective": goal, "cells": forecast(ensemble).cells}
                found.append({**measured(work), **row})
    return found


def show(rows: list[dict[str, Any]]) -> None:
    heads = f"{'cells':>9}{'leaves':>8}{'bound':>7}{'depth':>6}{'s':>8}  status"
    print(f"{'table':<16}{'model':<17}{'objective':<11}{heads}")
    for r in rows:
        head = f"{r['table']:<16}{r['model']:<17}{r['objective']:<11}{r['cells']:>9.2g}"
        if "error" in r:
            print(f"{head}  {r['error'][:110]}")
        else:
            sizes = f"{r['leaves']:>8}{r['leaves_lower_bound']:>7}{r['depth']:>6}"
            merged = f", {r['merged_leaves']} leaves merged" if "merged_leaves" in r else ""
            print(f"{head}{sizes}{r['cpu_seconds']:>8.2f}  {r['status']}, faithful: {r['faithful']}{merged}")
