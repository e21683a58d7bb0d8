"""Ensembles trained on the table of a command, as files of each kind that `reborn` reads, and what they say of rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attack.case import Case

__all__ = ["OF_CLASSES", "OF_NUMBERS", "ModelFile", "model_file", "rows_of", "suits"]

OF_CLASSES = ("forest text", "xgboost", "lightgbm")
OF_NUMBERS = ("numbers", "xgboost", "lightgbm")
ENDINGS = {"forest text": "RF.txt", "xgboost": "json", "lightgbm": "txt", "numbers": "json"}
LARGEST = 1e30  # of the numbers that a model learns
SMALLEST = 1e-30  # LightGBM takes what is smaller for zero

Rows = NDArray[np.float64]


@dataclass(frozen=True)
class ModelFile:
    """A file, what the library that wrote it says of rows, and whether it says something of missing values."""

    path: Path
    says: Callable[[Rows], list[Any]]
    routes_missing: bool = True


def suits(case: Case) -> bool:
    """Whether libraries read the columns as they are: numbers of single precision, more than one row."""
    if any(map(case.is_text, case.columns)) or case.n_rows < 2:
        return False
    X = rows_of(case)
    known = np.abs(X[~np.isnan(X)])
    if case.method == "near values" and max(map(abs, case.y)) > LARGEST:
        return False
    with np.errstate(over="ignore"):
        single = known.astype(np.float32).astype(np.float64)
    return bool(np.array_equal(single, known) and np.all((known == 0) | (known > SMALLEST)))


def rows_of(case: Case) -> Rows:
    columns = [[np.nan if v is None else float(v) for v in values] for values in case.columns.values()]
    return np.array(columns, dtype=np.float64).T


def model_file(case: Case, kind: str, folder: Path, *, of_numbers: bool) -> ModelFile:
    """Train a small model and write its file; of a library that is not there, the kind that needs none."""
    if kind in ("xgboost", "lightgbm") and find_spec(kind) is None:
        kind = "numbers" if of_numbers else "forest text"
    X, path = rows_of(case), folder / f"model.{ENDINGS[kind]}"
    if of_numbers:
        y = np.array(case.y, dtype=np.float64)
    else:
        y = np.unique([str(label) for label in case.y], return_inverse=True)[1]
    sizes = {"n_estimators": 1 + case.n_rows % 3, "max_depth": 1 + len(case.columns) % 3}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if kind == "xgboost":
            return _xgboost(X, y, path, sizes, of_numbers)
        if kind == "lightgbm":
            return _lightgbm(X, y, path, sizes, of_numbers)
        return _numbers(X, y, path, sizes) if of_numbers else _forest_text(X, y, path, sizes)


def _xgboost(X: Rows, y: Any, path: Path, sizes: dict[str, int], of_numbers: bool) -> ModelFile:
    import xgboost

    kind = xgboost.XGBRegressor if of_numbers else xgboost.XGBClassifier
    model = kind(**sizes, n_jobs=1, min_child_weight=0, reg_lambda=0.0).fit(X, y)
    model.get_booster().save_model(path)
    return ModelFile(path, lambda rows: model.predict(rows).tolist())


def _lightgbm(X: Rows, y: Any, path: Path, sizes: dict[str, int], of_numbers: bool) -> ModelFile:
    import lightgbm

    kind = lightgbm.LGBMRegressor if of_numbers else lightgbm.LGBMClassifier
    options: dict[str, Any] = {"min_child_samples": 1, "min_data_in_bin": 1, "n_jobs": 1, "verbose": -1}
    model = kind(**sizes, **options).fit(X, y)
    model.booster_.save_model(path)
    return ModelFile(path, lambda rows: model.predict(rows).tolist())


def _numbers(X: Rows, y: Any, path: Path, sizes: dict[str, int]) -> ModelFile:
    from sklearn.ensemble import RandomForestRegressor

    from treewright.convert import save_numbers

    model = RandomForestRegressor(**sizes, random_state=0).fit(np.nan_to_num(X), y)
    save_numbers(path, model)
    return ModelFile(path, lambda rows: model.predict(rows).tolist(), routes_missing=False)


def _forest_text(X: Rows, y: Any, path: Path, sizes: dict[str, int]) -> ModelFile:
    """The published text: each tree has one vote, and of several classes with as many votes the first wins."""
    from sklearn.ensemble import RandomForestClassifier

    model = RandomForestClassifier(**sizes, random_state=0).fit(np.nan_to_num(X), y)
    n_classes = len(model.classes_)
    lines = ["DATASET_NAME: rows.csv", "ENSEMBLE: RF", f"NB_TREES: {len(model.estimators_)}"]
    lines += [
        f"NB_FEATURES: {X.shape[1]}",
        f"NB_CLASSES: {n_classes}",
        f"MAX_TREE_DEPTH: {sizes['max_depth']}",
    ]
    lines += [
        "Format: node / node type / left child / right child / feature / threshold / node_depth / class"
    ]
    trees = []
    for number, member in enumerate(model.estimators_):
        tree = member.tree_
        label = tree.value[:, 0].argmax(axis=1)
        depth = np.zeros(tree.node_count, dtype=int)
        lines += ["", f"[TREE {number}]", f"NB_NODES: {tree.node_count}"]
        for node, (left, right) in enumerate(zip(tree.children_left, tree.children_right, strict=True)):
            if left < 0:
                lines.append(f"{node} LN -1 -1 -1 -1 {depth[node]} {label[node]}")
            else:
                depth[[left, right]] = depth[node] + 1
                split = f"{tree.feature[node]} {float(tree.threshold[node])!r}"
                lines.append(f"{node} IN {left} {right} {split} {depth[node]} -1")
        trees.append((tree, label))
    path.write_text("\n".join([*lines, ""]))

    def says(rows: Rows) -> list[int]:
        votes = np.zeros((len(rows), n_classes), dtype=int)
        for tree, label in trees:
            for row, x in enumerate(rows):
                node = 0
                while tree.children_left[node] >= 0:
                    goes_left = x[tree.feature[node]] <= tree.threshold[node]
                    node = (tree.children_left if goes_left else tree.children_right)[node]
                votes[row, label[node]] += 1
        return [int(k) for k in votes.argmax(axis=1)]

    return ModelFile(path, says, routes_missing=False)
