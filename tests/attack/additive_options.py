"""Random options of each method that predicts numbers, actions, survival or probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np

from attack.case import Value
from attack.group_cells import groups_that_hold
from attack.options import (
    PRICES,
    random_categorical,
    random_jobs,
    random_limits,
    random_shape,
    random_switches,
    ranked_switches,
)

__all__ = [
    "deviance",
    "near_everywhere",
    "near_values",
    "policy",
    "probability",
    "regression",
    "regression_cv",
    "regression_front",
    "several_outputs",
    "simple_lines",
]


def regression(rng: np.random.Generator, columns: dict[str, list[Value]], y: list[Any]) -> dict[str, Any]:
    options: dict[str, Any] = {"cost_complexity": float(rng.choice(PRICES))}
    options |= (
        random_shape(rng, need_depth=False, leaves=True)
        | random_categorical(rng, columns)
        | random_limits(rng)
    )
    if rng.random() < 0.4:
        options["search_options"] = ranked_switches(rng)
    if y and isinstance(y[0], float) and rng.random() < 0.4:  # numbers, not events and times
        options["criterion"] = str(rng.choice(["absolute_error", "quantile"]))
        options["quantile"] = float(rng.choice([0.5, 0.1, 0.9, 0.25, 0.9999]))
    options |= random_jobs(rng)
    if y and isinstance(y[0], float) and "criterion" not in options and rng.random() < 0.4:
        options["leaf_model"] = "linear"
    return options


def deviance(rng: np.random.Generator, columns: dict[str, list[Value]], y: list[Any]) -> dict[str, Any]:
    options = regression(rng, columns, [])
    criteria = ["poisson", "gamma"] if min(y) > 0 else ["poisson"]
    return options | {"criterion": str(rng.choice(criteria))}


def simple_lines(rng: np.random.Generator, columns: dict[str, list[Value]], y: list[Any]) -> dict[str, Any]:
    options = regression(rng, columns, []) | {"leaf_model": "simple_linear"}
    if rng.random() < 0.2:
        options["n_jobs"] = int(rng.integers(1, 4))
    return options


def several_outputs(
    rng: np.random.Generator, columns: dict[str, list[Value]], y: list[Any]
) -> dict[str, Any]:
    return regression(rng, columns, [])


def probability(rng: np.random.Generator, columns: dict[str, list[Value]], y: list[Any]) -> dict[str, Any]:
    return regression(rng, columns, []) | {"criterion": str(rng.choice(["brier", "log_loss"]))}


def regression_front(
    rng: np.random.Generator, columns: dict[str, list[Value]], y: list[Any]
) -> dict[str, Any]:
    options = random_shape(rng, need_depth=False, leaves=False) | {"max_leaves": int(rng.integers(1, 6))}
    options |= random_categorical(rng, columns) | random_limits(rng)
    if rng.random() < 0.3:
        options["criterion"] = str(rng.choice(["absolute_error", "quantile"]))
        options["quantile"] = float(rng.choice([0.5, 0.1, 0.9]))
    if rng.random() < 0.2:
        options["search_options"] = ranked_switches(rng)
    return options | random_jobs(rng)


def policy(rng: np.random.Generator, columns: dict[str, list[Value]], y: list[Any]) -> dict[str, Any]:
    options = regression(rng, columns, y)
    options.pop("search_options", None)
    n_actions = len(y[0])
    if any(
        0.1 + 0.2 in row for row in y
    ):  # rewards of `tables` whose last bits count: so do those of the costs
        some = rng.choice([0.0, 0.1, 0.2, 0.3, 0.1 + 0.2, 1e-17], n_actions)
        options["action_costs"] = [float(c) for c in some]
    elif rng.random() < 0.3:
        options["action_costs"] = [float(c) for c in rng.integers(0, 5, n_actions) / rng.choice([1, 7])]
    if rng.random() < 0.3:
        options["actions"] = ["no", "a", "é", "x y"][:n_actions]
    kind = rng.random()
    if kind < 0.2:
        options["search_options"] = {"engine": "ranked"}
    elif kind < 0.4:
        options["search_options"] = {"engine": "binary"} | random_switches(rng)
    elif kind < 0.6:
        options["search_options"] = ranked_switches(rng)
    return options


def regression_cv(rng: np.random.Generator, columns: dict[str, list[Value]], y: list[Any]) -> dict[str, Any]:
    options: dict[str, Any] = {"max_leaves": int(rng.integers(1, 5)), "max_depth": int(rng.integers(1, 4))}
    if rng.random() < 0.3:
        options["min_samples_leaf"] = 2
    options["choose"] = str(rng.choice(["leaves", "cost_complexity"]))
    if rng.random() < 0.3:
        options["leaf_model"] = "linear"
    if rng.random() < 0.3:
        options["search_options"] = ranked_switches(rng)
    options |= random_jobs(rng, 0.05)  # two are two processes
    return options | random_limits(rng) | {"rule": str(rng.choice(["one_se", "best"]))}


def near_values(rng: np.random.Generator, columns: dict[str, list[Value]], y: list[Any]) -> dict[str, Any]:
    options: dict[str, Any] = {
        "regressor": {"random_state": 0, "max_leaf_nodes": [None, 2, 3, 5][rng.integers(4)]},
        "units": str(rng.choice(["deviations", "target"])),
        "tolerance": float(rng.choice([0.0, 0.05, 0.1, 0.3, 0.5, 1.0, 1.5])),
        "share": float(rng.choice([0.0, 0.1, 0.2, 0.4, 1.0])),
        "max_depth": int(rng.integers(0, 4)),
        "max_leaves": int(rng.choice([1, 2, 3, 5, 16])),
        "random_state": int(rng.integers(1000)),
    }
    if rng.random() < 0.2:
        options["max_rows"] = int(rng.integers(1, len(y) + 1))
    return options | random_categorical(rng, columns) | random_limits(rng) | random_jobs(rng)


def near_everywhere(
    rng: np.random.Generator, columns: dict[str, list[Value]], y: list[Any]
) -> dict[str, Any]:
    kinds = ("RandomForestRegressor", "ExtraTreesRegressor", "GradientBoostingRegressor")
    model: dict[str, Any] = {
        "kind": str(rng.choice(kinds)),
        "n_estimators": int(rng.integers(1, 5)),
        "max_depth": int(rng.integers(1, 4)),
    }
    if model["kind"] == "GradientBoostingRegressor" and rng.random() < 0.4:
        model["init"] = "zero"
    options: dict[str, Any] = {
        "sum": model,
        "faithful": "everywhere",
        "units": str(rng.choice(["deviations", "target"])),
        "tolerance": float(rng.choice([0.0, 0.05, 0.1, 0.3, 0.5, 1.0, 1.5])),
        "random_state": int(rng.integers(1000)),
    }
    if rng.random() < 0.4:
        options["max_leaves"] = int(rng.choice([1, 2, 3, 5, 16]))
    groups = groups_that_hold(columns)
    if rng.random() < (0.8 if groups else 0.3):
        options["domain"] = groups if groups and rng.random() < 0.5 else _ends_and(rng, columns, groups)
    elif rng.random() < 0.3:
        options["domain"] = "rows"
    return options | random_limits(rng)


def _ends_and(
    rng: np.random.Generator, columns: dict[str, list[Value]], groups: dict[str, list[list[str]]]
) -> dict[str, Any]:
    """A domain of all rows with ranges and whole numbers in some columns, and with groups."""
    grouped = {name for named in groups.values() for group in named for name in group}
    numbers = {
        name: [float(v) for v in values]  # type: ignore[arg-type]
        for name, values in columns.items()
        if name not in grouped
    }
    ranges = {
        name: [min(own) if rng.random() < 0.7 else -np.inf, max(own) if rng.random() < 0.7 else np.inf]
        for name, own in numbers.items()
        if rng.random() < 0.6
    }
    whole = [name for name, own in numbers.items() if all(v == round(v) for v in own) and rng.random() < 0.6]
    return {"ranges": ranges, "integers": whole, **groups}
