"""Peers of `benchmarks.held_out`: fits on the training rows of a fold and predicts the rows held out.

Runs inside the environment of pystreed, which brings scikit-survival; nothing of treewright is installed there.
Arguments: a task and an .npz file with X, y (columns), X_test, for survival times, and for regression depth. Prints
one JSON object: for each model its version, leaves, processor seconds and predictions.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from importlib.metadata import version
from typing import Any

import numpy as np

DEPTH = 3
LEAST = 10  # rows of a leaf of survival trees


def regression(data: Any) -> dict[str, Any]:
    from pystreed import STreeDRegressor

    model = STreeDRegressor(
        max_depth=int(data["depth"]),
        hyper_tune=True,
        time_limit=60,
        use_task_lower_bound=False,
        n_thresholds=10,
    )
    mean = np.nanmean(data["X"], axis=0)  # it takes no missing values
    X, X_test = (np.where(np.isnan(part), mean, part) for part in (data["X"], data["X_test"]))
    begun = time.process_time()
    model.fit(X, data["y"][:, 0])
    return {"STReeD, 10 quantiles, tuned": said("pystreed", model, begun, model.predict(X_test))}


def survival(data: Any) -> dict[str, Any]:
    from sklearn.model_selection import GridSearchCV
    from sksurv.tree import SurvivalTree
    from sksurv.util import Surv

    y = Surv.from_arrays(data["y"][:, 0] > 0, data["y"][:, 1])
    begun = time.process_time()
    search = GridSearchCV(
        SurvivalTree(min_samples_leaf=LEAST, random_state=0), {"max_depth": [1, 2, DEPTH]}, cv=3
    ).fit(data["X"], y)
    tree = search.best_estimator_
    curves = tree.predict_survival_function(data["X_test"], return_array=True)
    position = np.searchsorted(tree.unique_times_, data["times"], side="right")
    shares = np.column_stack([np.ones(len(curves)), curves])[:, position]
    found = said("scikit-survival", tree, begun, tree.predict(data["X_test"]))
    # pystreed 1.4.0 ends with a segmentation fault where it tunes survival trees on these tables, so it is not here.
    return {"SurvivalTree, tuned": {**found, "survival": shares.tolist()}}


def policy(data: Any) -> dict[str, Any]:
    from pystreed import STreeDPrescriptivePolicyGenerator

    model = STreeDPrescriptivePolicyGenerator(max_depth=DEPTH, time_limit=60)
    begun = time.process_time()
    model.fit(data["X"].astype(int), data["y"])
    return {"STReeD": said("pystreed", model, begun, model.predict(data["X_test"].astype(int)))}


def said(package: str, model: Any, begun: float, predicted: Any) -> dict[str, Any]:
    leaves = getattr(model, "get_n_leaves", None)
    if leaves is not None:
        n_leaves = int(leaves())
    elif hasattr(model, "tree_") and hasattr(model.tree_, "n_leaves"):
        n_leaves = int(model.tree_.n_leaves)
    else:
        n_leaves = None
    return {
        "version": f"{package} {version(package)}",
        "leaves": n_leaves,
        "cpu_seconds": round(time.process_time() - begun, 3),
        "predictions": np.asarray(predicted, dtype=float).reshape(-1).tolist(),
    }


if __name__ == "__main__":
    task, path = sys.argv[1:]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        answers = {"regression": regression, "survival": survival, "policy": policy}[task](np.load(path))
    print(json.dumps(answers))
