"""The commands that write a model file of each kind, and a small table and an ensemble for them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

__all__ = [
    "BORN_AGAIN", "COMMANDS", "FOREIGN_TERMS", "KINDS", "WRITERS", "write_data", "write_ensemble", "write_numbers",
]  # fmt: skip

TARGETS = (
    "y", "num", "num2", "count", "cost_no", "cost_yes", "drug", "none", "event", "months", "weight", "yhat",
)  # fmt: skip


def without(*named: str) -> tuple[str, ...]:
    """Return the options that leave out the targets of other tasks."""
    return tuple(part for name in TARGETS if name not in named for part in ("-x", name))


FIT = ("fit", "DATA", "--out", "FILE", "--target")
CLASSES = (*FIT, "y", *without("y"))
NUMBERS = (*FIT, "num", *without("num"), "--task", "regression", "--max-depth")
SETS = ("near-optimal", "DATA", "--out", "FILE", "--target", "y", *without("y"), "--max-depth", "2")
FRONT = (
    "frontier",
    "DATA",
    "--out",
    "FILE",
    "--target",
    "y",
    *without("y"),
    "--leaves",
    "3",
    "--max-leaves",
    "4",
)
COMMANDS: dict[str, tuple[str, ...]] = {
    "classes": (*CLASSES, "--max-depth", "2", "--min-samples-leaf", "3"),
    "classes without limits": (*CLASSES, "-c", "0.05"),
    "quantiles": (*CLASSES, "--max-depth", "2", "--thresholds", "3"),
    "stopped": (*CLASSES, "--step-limit", "2"),
    "weights and costs": (
        *(*FIT, "y", *without("y", "weight"), "--weight", "weight", "--max-depth", "2", "--cost", "yes:no=3"),
    ),
    "balanced": (*CLASSES, "--max-depth", "2", "--objective", "balanced-accuracy"),
    "guessed": (
        *CLASSES,
        "-x",
        "w",
        "--max-depth",
        "2",
        "--guess",
        "thresholds,bounds",
        "--n-estimators",
        "40",
    ),
    "worst leaf": (*CLASSES, "-x", "w", "--max-depth", "2", "--objective", "leaf-accuracy"),
    "front": (*FRONT, "--max-depth", "3", "--thresholds", "4"),
    "latent": (*CLASSES, "-x", "w", "--method", "latent", "--max-depth", "2", "--epochs", "3"),
    "brier": (*CLASSES, "--task", "probability", "--max-depth", "2"),
    "log loss": (*CLASSES, "--task", "probability", "--criterion", "log-loss", "--max-depth", "2"),
    "f1": (*CLASSES, "--objective", "f1", "--max-depth", "2"),
    "row costs": (*CLASSES, "--row-cost", "yes=cost_yes", "--row-cost", "no=cost_no", "--max-depth", "2"),
    "regression": (*NUMBERS, "2", "--weight", "weight"),
    "regression, stopped": (*NUMBERS, "4", "--step-limit", "9"),
    "poisson": (
        *FIT,
        "count",
        *without("count"),
        "--task",
        "regression",
        "--max-depth",
        "2",
        "--criterion",
        "poisson",
    ),
    "quantile": (*NUMBERS, "2", "--criterion", "quantile", "--quantile", "0.75"),
    "absolute error": (*NUMBERS, "1", "--criterion", "absolute-error"),
    "outputs": (*FIT, "num,num2", *without("num", "num2"), "--task", "regression", "--max-depth", "2"),
    "lines": (*NUMBERS, "1", "--leaf-model", "linear"),
    "simple lines": (*NUMBERS, "1", "--leaf-model", "simple-linear", "--min-samples-leaf", "5"),
    "policy": (
        *("fit", "DATA", "--out", "FILE", "--task", "policy", "--reward", "drug", "--reward", "none"),
        *(*without("drug", "none"), "--action-cost", "drug=2", "--max-depth", "2"),
    ),
    "survival": (
        *(
            *FIT,
            "months",
            "--event",
            "event",
            *without("months", "event"),
            "--task",
            "survival",
            "--max-depth",
            "2",
        ),
    ),
    "shards": (*CLASSES, "--shard-rows", "30", "--max-depth", "2"),
    "near-optimal set": (*SETS, "--thresholds", "4", "--epsilon", "0.1"),
    "near-optimal set of all splits": (*SETS, "-x", "c", "--epsilon", "0.05", "--without", "b"),
    "chosen tree": (*SETS, "--thresholds", "4", "--epsilon", "0.4", "--tree", "40"),
    "near values": (
        *("reborn", "DATA", "--out", "FILE", "--predictions", "yhat", *without("yhat"), "--within", "2"),
        *("--tolerance", ".1", "--max-depth", "2"),
    ),
    "born again": ("reborn", "FOREST", "--out", "FILE"),
    "born again, leaves": ("reborn", "FOREST", "--out", "FILE", "--objective", "leaves"),
    "born again, depth": ("reborn", "FOREST", "--out", "FILE", "--objective", "depth"),
    "born again, heuristic": ("reborn", "FOREST", "--out", "FILE", "--objective", "heuristic"),
    "born again, pruned": ("reborn", "FOREST", "--out", "FILE", "--rows", "DATA", "--prune", "rows"),
    "born again, domain": ("reborn", "FOREST", "--out", "FILE", "--rows", "DATA", "--domain", "rows"),
    "born again, numbers": (
        *("reborn", "NUMBERS", "--task", "regression", "--rows", "DATA", "--target", "y", *without("y")),
        *("-x", "gaps", "-x", "w", "--within", "2", "--out", "FILE"),
    ),
    "born again, numbers, domain": (
        *("reborn", "NUMBERS", "--task", "regression", "--rows", "DATA", "--target", "y", *without("y")),
        *("-x", "gaps", "-x", "w", "--within", "2", "--domain", "rows", "--out", "FILE"),
    ),
    "born again, groups": ("reborn", "FOREST", "--out", "FILE", "--one-hot", "x0,x1"),
}


def write_program(formulation: str, data: Path, file: Path) -> None:
    """Write the tree of a mixed-integer program, which the command line does not make, with its question."""
    import polars as pl

    from treewright import MIPTreeClassifier
    from treewright.convert import Model, Terms, save_model

    frame = pl.read_csv(data).head(20)  # these programs take long; the kinds above have been yielded
    frame.write_csv(data)
    options: dict[str, Any] = {"max_depth": 2, "min_samples_leaf": 3 if formulation != "binoct" else 1}
    options |= {"cost_complexity": 0.02} if formulation == "oct" else {}
    model = MIPTreeClassifier(formulation=formulation, time_limit=60, progress=False, **options)
    model.fit(frame.select("a", "b"), frame["y"])
    save_model(file, Model.of(model.result_, Terms(target="y", **({"cost_complexity": 0.0} | options))))


WRITERS = {f"program, {name}": partial(write_program, name) for name in ("oct", "binoct", "leaf_accuracy")}
KINDS = (*COMMANDS, *WRITERS)
BORN_AGAIN = tuple(kind for kind in COMMANDS if kind.startswith("born again"))
OF_NO_LABELS = (  # kinds whose loss is no cost of a wrong label, weighted by class
    *("brier", "log loss", "row costs", "regression", "poisson", "quantile", "outputs", "lines"),
    *("policy", "survival", "near values", "born again, numbers"),
    "born again, numbers, domain",
)
COSTS, BALANCED = ("costs", [[0, 1], [1, 0]]), ("class_weight", "balanced")
FOREIGN_TERMS = [  # that the question of a kind cannot have, each harmless where it can
    ("f1", *COSTS),
    ("balanced", *BALANCED),
    *((kind, *term) for kind in OF_NO_LABELS for term in (COSTS, BALANCED)),
]
FOREST = """DATASET_NAME: made
ENSEMBLE: RF
NB_TREES: 2
NB_FEATURES: 2
NB_CLASSES: 2
MAX_TREE_DEPTH: 2
Format: node

[TREE 0]
NB_NODES: 5
0 IN 1 2 0 0.5 0 -1
1 LN -1 -1 -1 -1 1 0
2 IN 3 4 1 0.5 1 -1
3 LN -1 -1 -1 -1 2 1
4 LN -1 -1 -1 -1 2 0

[TREE 1]
NB_NODES: 3
0 IN 1 2 1 1.5 0 -1
1 LN -1 -1 -1 -1 1 1
2 LN -1 -1 -1 -1 1 0
"""


def write_ensemble(path: Path) -> None:
    """Write a forest of two trees in the published format."""
    path.write_text(FOREST, encoding="utf-8")


def write_numbers(path: Path) -> None:
    """Write a forest of three regression trees over the columns of numbers of the table."""
    from sklearn.ensemble import RandomForestRegressor

    from treewright.convert import NumberEnsemble, save_numbers

    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 6, 80), rng.integers(0, 2, 80), rng.normal(size=80)])
    forest = RandomForestRegressor(3, max_depth=2, random_state=0).fit(X, 3 * X[:, 0] + X[:, 1] + 2 * X[:, 2])
    save_numbers(path, replace(NumberEnsemble.from_model(forest), feature_names=("a", "b", "c")))


def write_data(path: Path, seed: int) -> None:
    """Write a table of 60 rows with columns of every kind, some values missing, and targets of every task."""
    rng = np.random.default_rng(seed)
    n = 60
    a, b, c = rng.integers(0, 6, n), rng.integers(0, 2, n), rng.normal(size=n).round(1)
    words = rng.choice(["red", "green", "blue", "grey"], n)
    num = (10 + 3 * a + 2 * c + rng.normal(size=n)).round(2)
    columns = {
        "a": a,
        "b": b,
        "c": c,
        "gaps": np.where(rng.random(n) < 0.2, "", rng.integers(0, 3, n).astype(str)),
        "w": words,
        "y": np.where((a > 2) ^ (c > 0.2) ^ (rng.random(n) < 0.2), "yes", "no"),
        "num": num,
        "num2": (2 * num + b).round(2),
        "count": rng.poisson(1 + a),
        "cost_no": rng.integers(0, 5, n),
        "cost_yes": rng.integers(0, 5, n),
        "drug": num,
        "none": (18 + c).round(1),
        "event": rng.integers(0, 2, n),
        "months": (rng.exponential(5, n) + 0.1).round(2),
        "weight": rng.integers(1, 4, n),
        "yhat": (10 + 3 * a).astype(float),
    }
    lines = [",".join(columns), *(",".join(str(v[i]) for v in columns.values()) for i in range(n))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
