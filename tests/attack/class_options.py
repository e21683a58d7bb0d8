"""Random options of each method that predicts classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from attack.case import Value
from attack.group_cells import groups_that_hold
from attack.options import (
    PRICES,
    random_categorical,
    random_class_weight,
    random_costs,
    random_jobs,
    random_limits,
    random_limits_of_an_ensemble,
    random_shape,
    random_switches,
    random_thresholds,
    ranked_switches,
    weights_of_classes,
)

__all__ = [
    "cv",
    "distil_labels",
    "f1",
    "frontier",
    "guided",
    "hybrid",
    "latent",
    "leaf",
    "leaf_cv",
    "min_leaf_accuracy",
    "mip",
    "near",
    "near_choice",
    "optimal",
    "reborn",
    "reborn_rows",
    "roc",
    "row_costs",
    "shards",
]


def optimal(rng: np.random.Generator, columns: dict[str, list[Value]], y: list[Any]) -> dict[str, Any]:
    price = float(rng.choice(PRICES)) if rng.random() < 0.9 else float(rng.random() ** 3)
    options: dict[str, Any] = {"cost_complexity": price}
    options |= random_shape(rng, need_depth=False, leaves=True)
    options |= random_categorical(rng, columns) | weights_of_classes(rng, y) | random_limits(rng)
    costs = random_costs(rng, y)
    if costs is not None:
        options["costs"] = costs
    return options | _engine(rng, columns)


def _engine(rng: np.random.Generator, columns: dict[str, list[Value]]) -> dict[str, Any]:
    """Which engine searches, with which switches, threads and thresholds."""
    options: dict[str, Any] = {}
    kind = rng.random()
    if kind < 0.35:
        options["search_options"] = {"engine": "ranked"} if rng.random() < 0.5 else ranked_switches(rng)
        if rng.random() < 0.5:
            options["thresholds"] = "all"
        return options | random_jobs(rng)
    if kind < 0.45:
        options["search_options"] = {"engine": "binary"}
    elif kind < 0.55:
        options["search_options"] = {"engine": "binary"} | random_switches(rng)
    if "search_options" in options and rng.random() < 0.5:
        options["search_options"]["alone_steps"] = 0
        options["n_jobs"] = int(rng.integers(1, 4))
    return options | random_thresholds(rng, columns)


def f1(rng: np.random.Generator, columns: dict[str, list[Value]], y: list[Any]) -> dict[str, Any]:
    options = optimal(rng, columns, y)
    options.pop("costs", None)
    return options | {"objective": "f1"}


def roc(rng: np.random.Generator, columns: dict[str, list[Value]], y: list[Any]) -> dict[str, Any]:
    options = random_shape(rng, need_depth=False, leaves=True)
    return options | random_categorical(rng, columns) | random_limits(rng) | _engine(rng, columns)


def min_leaf_accuracy(
    rng: np.random.Generator, columns: dict[str, list[Value]], y: list[Any]
) -> dict[str, Any]:
    options: dict[str, Any] = {"cost_complexity": float(rng.choice(PRICES))}
    options |= random_shape(rng, need_depth=True, leaves=False)
    options |= (
        random_categorical(rng, columns)
        | weights_of_classes(rng, y)
        | random_limits(rng)
        | random_thresholds(rng, columns)
    )
    options["min_leaf_accuracy"] = float(rng.choice([0, 0, 0, 0.3, 0.5, 0.6, 0.75, 0.9, 1.0]))
    return options | random_jobs(rng)


def leaf(rng: np.random.Generator, columns: dict[str, list[Value]], y: list[Any]) -> dict[str, Any]:
    options = {"min_samples_leaf": 1} | random_shape(rng, need_depth=True, leaves=False)
    options |= (
        random_categorical(rng, columns)
        | random_class_weight(rng, y)
        | random_limits(rng)
        | random_thresholds(rng, columns)
    )
    if rng.random() < 0.45:
        options |= {"confidence": float(rng.choice([0.5, 0.6, 0.8, 0.95, 0.99]))}
    else:
        options["criterion"] = "accuracy"
    if rng.random() < 0.15:
        names = ("cache", "propagate", "neighbours", "convert", "deepen", "refute")
        options["search_options"] = {name: False for name in names if rng.random() < 0.4}
    if rng.random() < 0.3:
        options["search_options"] = options.get("search_options", {}) | {"alone_work": 0}
        options["n_jobs"] = int(rng.integers(1, 4))
    if rng.random() < 0.3:
        options["search_options"] = options.get("search_options", {}) | {"block_rows": 0}
    return options


def frontier(rng: np.random.Generator, columns: dict[str, list[Value]], y: list[Any]) -> dict[str, Any]:
    options = random_shape(rng, need_depth=False, leaves=False) | {"max_leaves": int(rng.integers(1, 9))}
    options |= random_categorical(rng, columns) | weights_of_classes(rng, y) | random_limits(rng)
    costs = random_costs(rng, y)
    if costs is not None:
        options["costs"] = costs
    if rng.random() < 0.5:  # searches at leaf penalties over ranked columns
        options["search_options"] = {"engine": "ranked"}
        if rng.random() < 0.5:
            options["thresholds"] = "all"
        return options | random_jobs(rng)
    return options | random_thresholds(rng, columns) | random_jobs(rng)


def guided(rng: np.random.Generator, columns: dict[str, list[Value]], y: list[Any]) -> dict[str, Any]:
    options: dict[str, Any] = {"cost_complexity": float(rng.choice(PRICES))}
    options |= random_shape(rng, need_depth=False, leaves=True) | weights_of_classes(rng, y)
    options |= random_categorical(rng, columns) | random_jobs(rng, 0.3) | random_limits(rng)
    costs = random_costs(rng, y)
    if costs is not None:
        options["costs"] = costs
    if rng.random() < 0.6:
        options["guess_lower_bounds"] = True
        if rng.random() < 0.7:  # any labels will do; the search is then quick
            labels = sorted(set(y))
            options["reference"] = [v if rng.random() < 0.7 else labels[rng.integers(len(labels))] for v in y]
            return options
    if rng.random() < 0.6 or "guess_lower_bounds" not in options:
        options["thresholds"] = "guess"
        if rng.random() < 0.3:
            options["guess_tolerance"] = float(rng.choice([0.01, 0.1, 0.5]))
    if rng.random() < 0.2:
        options["max_depth"] = "guess"
    return options


def cv(rng: np.random.Generator, columns: dict[str, list[Value]], y: list[Any]) -> dict[str, Any]:
    options: dict[str, Any] = {"max_leaves": int(rng.integers(1, 5))}
    options |= random_shape(rng, need_depth=False, leaves=False) | weights_of_classes(rng, y)
    options |= random_categorical(rng, columns)
    options |= {
        "choose": str(rng.choice(["leaves", "cost_complexity"])),
        "rule": str(rng.choice(["one_se", "best"])),
    }
    costs = random_costs(rng, y)
    if costs is not None:
        options["costs"] = costs
    if rng.random() < 0.5:
        options["thresholds"] = str(rng.choice(["all", "auto"]))
    if rng.random() < 0.3:
        names = ("equivalent_points", "budgets", "cache", "greedy_start")
        options["search_options"] = {name: False for name in names if rng.random() < 0.5}
    return options | random_limits(rng) | random_jobs(rng, 0.05)  # two are two processes


def mip(rng: np.random.Generator, columns: dict[str, list[Value]], y: list[Any]) -> dict[str, Any]:
    formulation = str(rng.choice(["leaf_accuracy", "oct", "binoct"]))
    options: dict[str, Any] = {"formulation": formulation, "max_depth": int(rng.integers(1, 3))}
    if rng.random() < 0.4 and formulation != "binoct":
        options["min_samples_leaf"] = 2
    if formulation == "oct":
        options["cost_complexity"] = float(rng.choice([0.0, 0.05, 0.125]))
    if rng.random() < 0.3:
        options["strategy"] = str(rng.choice(["direct", "gradual"]))
    if rng.random() < 0.3:
        options["tighten"] = False
    if rng.random() < 0.3:
        options["random_state"] = int(rng.integers(1000))
    if rng.random() < 0.3 and formulation == "oct":
        options["max_leaf_nodes"] = int(rng.integers(1, 5))
    if rng.random() < 0.3 and formulation != "leaf_accuracy" and len(set(y)) > 1:
        options["costs"] = (rng.integers(1, 6, (len(set(y)),) * 2) * (1 - np.eye(len(set(y))))).tolist()
    return options | random_categorical(rng, columns) | random_limits(rng) | random_jobs(rng, 0.3)


def reborn(rng: np.random.Generator, columns: dict[str, list[Value]], y: list[Any]) -> dict[str, Any]:
    options: dict[str, Any] = {
        "objective": str(rng.choice(["depth-leaves", "depth", "leaves", "heuristic"])),
        "random_state": int(rng.integers(1000)),
        "forest": {"n_estimators": int(rng.integers(1, 4)), "max_depth": int(rng.integers(1, 3))},
    }
    if rng.random() < 0.4:
        options["domain"] = "rows"
    elif groups := groups_that_hold(columns):
        options["domain"] = groups
    elif rng.random() < 0.3:
        options["prune"] = str(rng.choice(["rows", "active"]))
    if rng.random() < 0.3:
        options["n_jobs"] = int(rng.integers(1, 4))
    return options | random_limits_of_an_ensemble(rng)


def distil_labels(rng: np.random.Generator, columns: dict[str, list[Value]], y: list[Any]) -> dict[str, Any]:
    options: dict[str, Any] = {
        "tolerance": float(rng.choice([0.0, 0.0, 0.1, 0.2, 0.25, 0.5, 1.0])),
        "max_depth": [None, 0, 1, 2, 3][rng.integers(5)],
        "max_leaves": int(rng.choice([1, 2, 3, 5, 16])),
    }
    if rng.random() < 0.3:
        options["n_jobs"] = 2
    if rng.random() < 0.2:  # a model may have classes that it gives no row
        labels = sorted(set(y))
        more = [-7] if isinstance(labels[0], int) and not isinstance(labels[0], bool) else []
        options["classes"] = [labels[i] for i in rng.permutation(len(labels))] + more
    if rng.random() < 0.15:
        options["step_limit"] = int(rng.integers(1, 40))
    return options


def reborn_rows(rng: np.random.Generator, columns: dict[str, list[Value]], y: list[Any]) -> dict[str, Any]:
    options = distil_labels(rng, columns, y) | {"faithful": "rows"}
    for name in ("classes", "step_limit"):
        options.pop(name, None)
    if rng.random() < 0.5:
        options["forest"] = {"n_estimators": int(rng.integers(1, 5)), "max_depth": int(rng.integers(1, 4))}
        options["random_state"] = int(rng.integers(1000))
    else:  # no ensemble: its answers alone are read
        options["neighbours"] = int(rng.integers(1, 4))
    return options | random_limits_of_an_ensemble(rng)


def near(rng: np.random.Generator, columns: dict[str, list[Value]], y: list[Any]) -> dict[str, Any]:
    options: dict[str, Any] = {
        "cost_complexity": float(rng.choice([0.0, 0.001, 0.01, 0.03, 0.05, 0.1, 0.25]))
    }
    options |= random_shape(rng, need_depth=True, leaves=True) | random_categorical(rng, columns)
    options["max_depth"] = min(options["max_depth"], 3 if len(y) < 5 else 2)
    if rng.random() < 0.1:
        options["time_limit"] = float(rng.choice([1e-9, 1e-4]))
    if rng.random() < 0.15:
        options["class_weight"] = "balanced"
    costs = random_costs(rng, y)
    if costs is not None:
        options["costs"] = [[round(c, 3) for c in row] for row in costs]
    kind = rng.integers(4)
    if kind == 0:
        options["slack"] = float(rng.choice([0.0, 0.01, 0.05, 0.2]))
    elif kind == 1:
        options["max_objective"] = float(rng.choice([0.3, 0.6, 1.0, 2.0]))
    else:
        options["epsilon"] = float(rng.choice([0.0, 0.05, 0.1, 0.5, 1.0]))
    if rng.random() < 0.4:
        options["leaf_labels"] = "any"
    if rng.random() < 0.4:
        options["redundant_splits"] = True
    if rng.random() < 0.3:
        options["n_jobs"] = int(rng.integers(1, 4))
    return options


def shards(rng: np.random.Generator, columns: dict[str, list[Value]], y: list[Any]) -> dict[str, Any]:
    options: dict[str, Any] = {"cost_complexity": float(rng.choice(PRICES))}
    options |= random_shape(rng, need_depth=True, leaves=True) | random_categorical(rng, columns)
    options |= weights_of_classes(rng, y)
    if rng.random() < 0.1:
        options["step_limit"] = int(rng.integers(1, 40))
    costs = random_costs(rng, y)
    if costs is not None:
        options["costs"] = costs
    thresholds = random_thresholds(rng, columns)
    if isinstance(thresholds.get("thresholds"), dict):
        options |= thresholds
    options["shard_rows"] = int(rng.choice([1, 2, len(y) // 2 + 1, len(y)]))
    options |= {"shuffle": bool(rng.random() < 0.8), "random_state": int(rng.integers(100)), "n_jobs": 1}
    if rng.random() < 0.3:
        options["gap"] = 0.0
    return options


def row_costs(rng: np.random.Generator, columns: dict[str, list[Value]], y: list[Any]) -> dict[str, Any]:
    prices = [*PRICES, 1.5, 3.0, 40.0]  # costs may be above 1
    options: dict[str, Any] = {"cost_complexity": float(rng.choice(prices))}
    options |= random_shape(rng, need_depth=False, leaves=True)
    return options | random_categorical(rng, columns) | random_limits(rng) | random_jobs(rng)


def near_choice(rng: np.random.Generator, columns: dict[str, list[Value]], y: list[Any]) -> dict[str, Any]:
    options = near(rng, columns, y)
    for name in ("slack", "max_objective", "leaf_labels", "redundant_splits", "time_limit"):
        options.pop(name, None)
    options |= {"thresholds": "all", "epsilon": float(rng.choice([0.0, 0.05, 0.2, 0.5, 1.0]))}
    options["choose"] = str(rng.choice(["best", "fewest leaves", "fewest columns"]))
    pairs = [name for name, values in columns.items() if len(set(values)) == 2 and None not in values]
    if pairs and rng.random() < 0.5:
        group = {"group": str(rng.choice(pairs)), "max_gap": float(rng.choice([0.0, 0.1, 0.3, 0.5]))}
        options |= {"choose": "small gap"} | group
    return options


def leaf_cv(rng: np.random.Generator, columns: dict[str, list[Value]], y: list[Any]) -> dict[str, Any]:
    options: dict[str, Any] = {"max_depths": [1, 2][: rng.integers(1, 3)]}
    options["min_samples_leaves"] = [[1], [1, 2], [0.25, 0.5]][rng.integers(3)]
    options["criteria"] = [["accuracy"], ["lower_bound", "accuracy"]][rng.integers(2)]
    options["rule"] = str(rng.choice(["one_se", "best"]))
    if rng.random() < 0.3:
        options["confidence"] = float(rng.choice([0.6, 0.8, 0.99]))
    if rng.random() < 0.3:
        names = ("cache", "propagate", "neighbours", "convert", "deepen", "refute")
        options["search_options"] = {name: False for name in names if rng.random() < 0.5}
    if set(y[::2]) == set(y[1::2]):  # a fold refuses the weight of a class that it lacks
        options |= random_class_weight(rng, y)
    return options | random_thresholds(rng, columns) | random_limits(rng)


def latent(rng: np.random.Generator, columns: dict[str, list[Value]], y: list[Any]) -> dict[str, Any]:
    options: dict[str, Any] = {
        "depth": int(rng.integers(1, 4)),
        "n_trees": int(rng.choice([1, 2, 3, 5])),
        "pruning": float(rng.choice([0.0, 0.1, 1.0, 10.0])),
        "splits": str(rng.choice(["linear", "elu"])),
        "routing": str(rng.choice(["paper", "published"])),
        "batch_norm": bool(rng.integers(2)),
        "tree_only": bool(rng.integers(2)),
        "epochs": int(rng.integers(1, 4)),
        "random_state": int(rng.integers(1000)),
    }
    return options | random_categorical(rng, columns) | random_class_weight(rng, y)


def hybrid(rng: np.random.Generator, columns: dict[str, list[Value]], y: list[Any]) -> dict[str, Any]:
    options: dict[str, Any] = {"tune": [None, "rounds"][rng.integers(2)], "n_folds": 2, "random_state": 0}
    options["top"] = {"max_depth": int(rng.integers(1, 3)), "min_samples_leaf": int(rng.choice([1, 3]))}
    if rng.random() < 0.3:
        options["share"] = False
    if rng.random() < 0.3:
        options["reduce"] = False
    if rng.random() < 0.15:
        options["time_limit"] = float(rng.choice([1e-9, 1e-4, 1e-2]))
    return options | random_categorical(rng, columns) | random_jobs(rng)
