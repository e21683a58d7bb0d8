"""Random cases that cross the public options: small tables, every kind of weight, cost, column, limit and engine."""

from __future__ import annotations

import math
import zlib
from typing import Any

import numpy as np

from attack.case import Case, Value
from attack.exact import Stated

__all__ = ["FAST", "SLOW", "random_case"]

# Methods and how often each is drawn; the slow ones take 10 to 1000 times as long a case.
FAST = {
    "optimal": 0.4,
    "min_leaf_accuracy": 0.09,
    "leaf": 0.15,
    "frontier": 0.14,
    "regression": 0.07,
    "policy": 0.06,
    "survival": 0.04,
    "probability": 0.03,
    "near": 0.03,
    "shards": 0.02,
    "regression front": 0.02,
}
SLOW = {"guided": 0.3, "cv": 0.1, "mip": 0.25, "reborn": 0.35}
ADDITIVE = ("regression", "policy", "survival", "probability", "regression front")

WORDS = ("a", "b", "", "c d", "Ä", "1", "nan", "None", "it's")
PRICES = (
    0.0,
    0.0,
    0.0,
    0.001,
    0.01,
    1 / 97,
    1 / 64,
    0.03,
    1 / 32,
    0.05,
    1 / 16,
    0.1,
    0.125,
    0.25,
    0.3,
    0.5,
    1.0,
)


def random_case(rng: np.random.Generator, mix: dict[str, float] = FAST) -> Case:
    """Draw one case."""
    shares = np.array(list(mix.values()))
    method = str(rng.choice(list(mix), p=shares / shares.sum()))
    n_rows = int(rng.choice([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14]))
    n_columns = int(rng.choice([1, 1, 2, 2, 3, 4]))
    is_wide = method in ("optimal", "min_leaf_accuracy", "leaf") and rng.random() < 0.03
    if is_wide:  # more rows than levels: depth two keeps the oracle quick
        n_rows, n_columns = int(rng.integers(16, 41)), min(n_columns, 2)
    if method in ("mip", "cv"):
        n_rows, n_columns = int(rng.integers(5, 9)), int(rng.integers(1, 3))
    if method == "reborn":
        n_rows = max(n_rows, 4)
    if method in ADDITIVE:  # their oracles add in Python
        n_rows, n_columns = min(n_rows, 8), min(n_columns, 3)
    if method == "near":  # all trees are listed
        n_rows, n_columns = min(n_rows, 7), min(n_columns, 2)
    columns = _columns(rng, n_columns, n_rows, numbers_only=method == "reborn")
    y: list[Any] = _TARGETS.get(method, _labels)(rng, columns, n_rows)
    weight = _weights(rng, n_rows) if method not in ("mip", "reborn") else None
    if method == "near" and weight is not None:  # it refuses weights of more than six decimals
        weight = [float(rng.integers(1, 30)) / float(rng.choice([1, 1, 10])) for _ in weight]
    options = _OPTIONS[method](rng, columns, y)
    if is_wide:
        options["max_depth"] = int(rng.integers(1, 3))
    all_numbers = all(isinstance(v, (int, float, bool)) or v is None for c in columns.values() for v in c)
    as_array = bool(all_numbers and rng.random() < 0.3 and not _names_columns(options))
    named = "optimal" if method in ("min_leaf_accuracy", "guided") else method
    case = Case(named, columns, y, weight, options, as_array)
    return _possible(rng, case)


def _columns(
    rng: np.random.Generator, n_columns: int, n_rows: int, *, numbers_only: bool
) -> dict[str, list[Value]]:
    columns: dict[str, list[Value]] = {}
    for j in range(n_columns):
        kind = rng.choice(["ties", "real", "bit", "bool", "wild", "text", "copy", "constant", "gaps"])
        if numbers_only and kind in ("text", "wild", "bool", "gaps"):
            kind = "ties"
        values: list[Value]
        if kind == "real":
            values = [round(float(x), 2) for x in rng.normal(size=n_rows)]
        elif kind == "bit":
            values = rng.integers(0, 2, n_rows).tolist()
        elif kind == "bool":
            values = [bool(x) for x in rng.integers(0, 2, n_rows)]
        elif kind == "wild":  # neighbouring floats, large and tiny ones
            some = [0.1, math.nextafter(0.1, 1), 0.1 + 0.2, 0.3, 1e300, -1e300, 5e-324, 0.0, -7.5, 1e-9]
            values = [some[int(k)] for k in rng.integers(0, len(some), n_rows)]
        elif kind == "text":
            values = [WORDS[int(k)] for k in rng.integers(0, rng.integers(1, 6), n_rows)]
        elif kind == "copy" and columns:
            values = list(columns[str(rng.choice(list(columns)))])
            if rng.random() < 0.3 and all(isinstance(v, int) and not isinstance(v, bool) for v in values):
                values = [-v for v in values]  # type: ignore[operator]
        elif kind == "constant":
            values = [float(rng.integers(3))] * n_rows
        elif kind == "gaps" and rng.random() < 0.1:
            values = [None] * n_rows
        else:
            values = rng.integers(0, rng.integers(2, 7), n_rows).tolist()
        if not numbers_only and not isinstance(values[0], bool) and rng.random() < 0.35:
            values = [None if rng.random() < 0.25 else v for v in values]
        columns[f"c{j}"] = values
    if n_rows > 3 and rng.random() < 0.3:  # equal rows, their labels may differ
        half = n_rows // 2
        columns = {name: values[:half] + values[: n_rows - half] for name, values in columns.items()}
    return columns


def _labels(rng: np.random.Generator, columns: dict[str, list[Value]], n_rows: int) -> list[int | str | bool]:
    n_classes = int(rng.choice([1, 2, 2, 2, 2, 3, 3, 4, max(2, n_rows)], p=[0.03] + [0.12] * 7 + [0.13]))
    numbers = rng.integers(0, n_classes, n_rows)
    if rng.random() < 0.35:  # labels that follow a rule, so that deep trees pay
        a, b = (columns[str(rng.choice(list(columns)))] for _ in range(2))
        numbers = np.array([(_mark(u) + _mark(v) // 8) % n_classes for u, v in zip(a, b, strict=True)])
        numbers = np.where(rng.random(n_rows) < 0.1, rng.integers(0, n_classes, n_rows), numbers)
    kind = rng.integers(4)
    if kind == 0:
        return [("no", "yes", "é", "x y", "d")[k] if k < 5 else f"k{k}" for k in numbers.tolist()]
    if kind == 1 and n_classes == 2:
        return [bool(k) for k in numbers]
    return numbers.tolist()


def _targets(rng: np.random.Generator, columns: dict[str, list[Value]], n_rows: int) -> list[float]:
    """Numbers of many kinds: ties, all equal, far from zero, of very different size."""
    kind = rng.integers(7)
    made = [
        rng.integers(0, 4, n_rows).astype(float),
        rng.normal(size=n_rows),
        np.round(rng.normal(size=n_rows), 1) + 1e6,
        10.0 ** rng.uniform(-8, 8, n_rows) * rng.choice([-1, 1], n_rows),
        np.full(n_rows, float(rng.integers(-3, 3))),
        rng.normal(size=n_rows) * float(rng.choice([1e-150, 1e150])),
        np.array([_mark(v) % 5 for v in columns[str(rng.choice(list(columns)))]]) + 0.1 * rng.random(n_rows),
    ][kind]
    return [float(v) for v in made]


def _rewards(
    rng: np.random.Generator, columns: dict[str, list[Value]], n_rows: int
) -> list[tuple[float, ...]]:
    """Rewards of some actions, row by row: those of `_targets`, some with a part that all actions share."""
    made = [_targets(rng, columns, n_rows) for _ in range(int(rng.choice([2, 2, 3, 4])))]
    if rng.random() < 0.4:
        made = [list(column) for column in rng.integers(0, 3, (len(made), n_rows)).astype(float).tolist()]
    shared = 10.0 ** float(rng.integers(0, 7)) if rng.random() < 0.2 else 0.0
    return [tuple(v + shared for v in row) for row in zip(*made, strict=True)]


def _censored(
    rng: np.random.Generator, columns: dict[str, list[Value]], n_rows: int
) -> list[tuple[bool, float]]:
    """Events and times, with ties; times of a rule, of very different size, zero."""
    event = rng.random(n_rows) < rng.choice([0.0, 0.3, 0.7, 0.7, 1.0])
    time = [
        rng.integers(0, 8, n_rows).astype(float),
        rng.exponential(size=n_rows),
        10.0 ** rng.uniform(-8, 8, n_rows),
        np.abs(np.array(_targets(rng, columns, n_rows))),
        np.array([float(_mark(v) % 5) for v in columns[str(rng.choice(list(columns)))]]),
    ][rng.integers(5)]
    return list(zip(event.tolist(), time.tolist(), strict=True))


def _mark(value: Value) -> int:
    """A number that depends on the value alone, in every process."""
    return zlib.crc32(repr(value).encode()) // 16


def _weights(rng: np.random.Generator, n_rows: int) -> list[float] | None:
    kind = rng.integers(9)
    if kind <= 2:
        return None
    weight = [
        rng.integers(1, 6, n_rows).astype(float),
        rng.integers(0, 4, n_rows).astype(float),  # zeros: rows that are not there
        rng.integers(1, 30, n_rows) / 10,
        rng.random(n_rows) + 0.01,
        10.0 ** rng.uniform(-6, 6, n_rows),
        np.where(rng.random(n_rows) < 0.5, 1e9, 1.0) * rng.integers(1, 4, n_rows),
    ][kind - 3]
    if not weight.any():
        weight[0] = 1.0
    return [float(w) for w in weight]


def _costs(rng: np.random.Generator, y: list[Any]) -> list[list[float]] | None:
    n = len(set(y))
    if n < 2 or rng.random() < 0.65:
        return None
    off = 1 - np.eye(n)
    kind = rng.integers(5)
    costs = [
        off * rng.integers(1, 6, off.shape),
        off * rng.integers(1, 30, off.shape) / 10,
        off * (rng.random(off.shape) + 0.1),
        off * rng.integers(1, 4, off.shape) + 0.25,  # the right answer costs too
        off * 10.0 ** rng.integers(-3, 4, off.shape) + rng.choice([0, 1e-4, 1e-5]),
    ][kind]
    costs = np.maximum(costs, np.diag(costs)[:, None])
    return costs.tolist() if costs.any() else None


def _class_weight(rng: np.random.Generator, y: list[Any]) -> dict[str, Any]:
    kind = rng.random()
    if kind < 0.15:
        return {"class_weight": "balanced"}
    if kind < 0.25:
        labels = sorted(set(y))
        return {
            "class_weight": {k: float(rng.choice([0.5, 1, 2, 3, 0.1])) for k in labels[: rng.integers(1, 4)]}
        }
    return {}


def _thresholds(rng: np.random.Generator, columns: dict[str, list[Value]]) -> dict[str, Any]:
    kind = rng.random()
    if kind < 0.5:
        return {}
    if kind < 0.75:
        return {"thresholds": "all"}
    if kind < 0.9:
        return {"thresholds": int(rng.choice([2, 3, 4, 20]))}
    named: dict[str, list[float]] = {}
    for name, values in columns.items():
        if any(isinstance(v, (str, bool)) for v in values) or all(v is None for v in values):
            continue
        if rng.random() < 0.7:
            known = [float(v) for v in values if v is not None]  # type: ignore[arg-type]
            picked = rng.choice(known, rng.integers(1, 4))
            named[name] = [float(t) + float(rng.choice([0, 0.5])) for t in picked]
    return {"thresholds": named}


def _limits(rng: np.random.Generator) -> dict[str, Any]:
    if rng.random() < 0.85:
        return {}
    return [
        {"step_limit": int(rng.integers(1, 40))},
        {"memory_limit": int(rng.choice([1, 1000, 10**5]))},
        {"time_limit": float(rng.choice([1e-9, 1e-4]))},
    ][rng.integers(3)]


def _categorical(rng: np.random.Generator, columns: dict[str, list[Value]]) -> dict[str, Any]:
    whole = [
        name
        for name, values in columns.items()
        if any(v is not None for v in values)
        and all(v is None or (isinstance(v, int) and not isinstance(v, bool)) for v in values)
    ]
    if whole and rng.random() < 0.12:
        return {"categorical_features": [str(rng.choice(whole))]}
    return {}


def _shape(rng: np.random.Generator, *, need_depth: bool, leaves: bool) -> dict[str, Any]:
    shape: dict[str, Any] = {}
    depth = [None, None, 0, 1, 2, 2, 3, 4][rng.integers(8)]
    if depth is not None or need_depth:
        shape["max_depth"] = int(rng.integers(0, 5)) if depth is None else depth
    if leaves and rng.random() < 0.3:
        shape["max_leaf_nodes"] = int(rng.integers(1, 7))
    kind = rng.random()
    if kind < 0.25:
        shape["min_samples_leaf"] = int(rng.choice([2, 3]))
    elif kind < 0.4:
        shape["min_samples_leaf"] = float(rng.choice([0.1, 0.07, 0.25, 0.5]))
    return shape


def _weights_of_classes(rng: np.random.Generator, y: list[Any]) -> dict[str, Any]:
    if rng.random() < 0.1:
        return {"objective": "balanced_accuracy"}
    return _class_weight(rng, y)


def _optimal(rng: np.random.Generator, columns: dict[str, list[Value]], y: list[Any]) -> dict[str, Any]:
    price = float(rng.choice(PRICES)) if rng.random() < 0.9 else float(rng.random() ** 3)
    options: dict[str, Any] = {"cost_complexity": price}
    options |= _shape(rng, need_depth=False, leaves=True)
    options |= _categorical(rng, columns) | _weights_of_classes(rng, y) | _limits(rng)
    costs = _costs(rng, y)
    if costs is not None:
        options["costs"] = costs
    kind = rng.random()
    if kind < 0.35:
        options["search_options"] = {"engine": "sweep"}
        if rng.random() < 0.5:
            options["thresholds"] = "all"
        if rng.random() < 0.05:
            options["n_jobs"] = 2
        return options
    if kind < 0.45:
        options["search_options"] = {"engine": "cuts"}
    elif kind < 0.55:
        options["search_options"] = {"engine": "cuts"} | _switches(rng)
    return options | _thresholds(rng, columns)


def _switches(rng: np.random.Generator) -> dict[str, Any]:
    names = ("equivalent_points", "lookahead", "two_leaves", "budgets", "similar_support", "cache", "greedy_start",
             "lattice", "row_prices")  # fmt: skip
    off = {name: False for name in names if rng.random() < 0.3}
    if rng.random() < 0.3:
        off["plain_steps"] = int(rng.integers(0, 20))
    return off


def _min_leaf_accuracy(
    rng: np.random.Generator, columns: dict[str, list[Value]], y: list[Any]
) -> dict[str, Any]:
    options: dict[str, Any] = {"cost_complexity": float(rng.choice(PRICES))}
    options |= _shape(rng, need_depth=True, leaves=False)
    options |= (
        _categorical(rng, columns) | _weights_of_classes(rng, y) | _limits(rng) | _thresholds(rng, columns)
    )
    options["min_leaf_accuracy"] = float(rng.choice([0, 0, 0, 0.3, 0.5, 0.6, 0.75, 0.9, 1.0]))
    return options


def _leaf(rng: np.random.Generator, columns: dict[str, list[Value]], y: list[Any]) -> dict[str, Any]:
    options = {"min_samples_leaf": 1} | _shape(rng, need_depth=True, leaves=False)
    options |= _categorical(rng, columns) | _class_weight(rng, y) | _limits(rng) | _thresholds(rng, columns)
    if rng.random() < 0.45:
        options |= {"confidence": float(rng.choice([0.5, 0.6, 0.8, 0.95, 0.99]))}
    else:
        options["criterion"] = "accuracy"
    if rng.random() < 0.15:
        names = ("cache", "propagate", "neighbours", "convert", "deepen", "refute")
        options["search_options"] = {name: False for name in names if rng.random() < 0.4}
    return options


def _frontier(rng: np.random.Generator, columns: dict[str, list[Value]], y: list[Any]) -> dict[str, Any]:
    options = _shape(rng, need_depth=False, leaves=False) | {"max_leaves": int(rng.integers(1, 9))}
    options |= (
        _categorical(rng, columns) | _weights_of_classes(rng, y) | _limits(rng) | _thresholds(rng, columns)
    )
    costs = _costs(rng, y)
    if costs is not None:
        options["costs"] = costs
    return options


def _guided(rng: np.random.Generator, columns: dict[str, list[Value]], y: list[Any]) -> dict[str, Any]:
    options: dict[str, Any] = {"cost_complexity": float(rng.choice(PRICES))}
    options |= _shape(rng, need_depth=False, leaves=True) | _weights_of_classes(rng, y)
    if rng.random() < 0.6:
        options["guess_lower_bounds"] = True
        if rng.random() < 0.7:  # any labels will do; the search is then quick
            labels = sorted(set(y))
            options["reference"] = [v if rng.random() < 0.7 else labels[rng.integers(len(labels))] for v in y]
            return options
    if rng.random() < 0.6 or "guess_lower_bounds" not in options:
        options["thresholds"] = "guess"
    if rng.random() < 0.2:
        options["max_depth"] = "guess"
    return options


def _cv(rng: np.random.Generator, columns: dict[str, list[Value]], y: list[Any]) -> dict[str, Any]:
    return {"max_leaves": int(rng.integers(1, 5)), "cv": 2} | _shape(rng, need_depth=False, leaves=False)


def _mip(rng: np.random.Generator, columns: dict[str, list[Value]], y: list[Any]) -> dict[str, Any]:
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
    return options


def _reborn(rng: np.random.Generator, columns: dict[str, list[Value]], y: list[Any]) -> dict[str, Any]:
    return {
        "objective": str(rng.choice(["depth-leaves", "depth", "leaves", "heuristic"])),
        "random_state": int(rng.integers(1000)),
        "forest": {"n_estimators": int(rng.integers(1, 4)), "max_depth": int(rng.integers(1, 3))},
    }


def _regression(rng: np.random.Generator, columns: dict[str, list[Value]], y: list[Any]) -> dict[str, Any]:
    options: dict[str, Any] = {"cost_complexity": float(rng.choice(PRICES))}
    options |= _shape(rng, need_depth=False, leaves=True) | _categorical(rng, columns) | _limits(rng)
    if rng.random() < 0.4:
        options["search_options"] = _sweep_switches(rng)
    if y and isinstance(y[0], float) and rng.random() < 0.4:  # numbers, not events and times
        options["criterion"] = str(rng.choice(["absolute_error", "quantile"]))
        options["quantile"] = float(rng.choice([0.5, 0.1, 0.9, 0.25, 0.9999]))
    if rng.random() < 0.05:
        options["n_jobs"] = 2
    return options


def _probability(rng: np.random.Generator, columns: dict[str, list[Value]], y: list[Any]) -> dict[str, Any]:
    options = _regression(rng, columns, []) | {"criterion": str(rng.choice(["brier", "log_loss"]))}
    options.pop("n_jobs", None)  # it has one thread
    return options


def _regression_front(
    rng: np.random.Generator, columns: dict[str, list[Value]], y: list[Any]
) -> dict[str, Any]:
    options = _shape(rng, need_depth=False, leaves=False) | {"max_leaves": int(rng.integers(1, 6))}
    options |= _categorical(rng, columns) | _limits(rng)
    if rng.random() < 0.2:
        options["search_options"] = _sweep_switches(rng)
    return options


def _sweep_switches(rng: np.random.Generator) -> dict[str, Any]:
    names = (
        "monotone",
        "lipschitz",
        "between",
        "leaf_count",
        "shallower",
        "cache",
        "segments",
        "neighbours",
        "fair_shares",
        "core",
    )
    off: dict[str, Any] = {name: False for name in names if rng.random() < 0.3}
    if rng.random() < 0.3:
        off["plain_work"] = 1
    return off


def _policy(rng: np.random.Generator, columns: dict[str, list[Value]], y: list[Any]) -> dict[str, Any]:
    options = _regression(rng, columns, y)
    options.pop("search_options", None)
    n_actions = len(y[0])
    if rng.random() < 0.3:
        options["action_costs"] = [float(c) for c in rng.integers(0, 5, n_actions) / rng.choice([1, 7])]
    if rng.random() < 0.3:
        options["actions"] = ["no", "a", "é", "x y"][:n_actions]
    kind = rng.random()
    if kind < 0.2:
        options["search_options"] = {"engine": "sweep"}
    elif kind < 0.4:
        options["search_options"] = {"engine": "cuts"} | _switches(rng)
    elif kind < 0.6:
        options["search_options"] = _sweep_switches(rng)
    return options


def _near(rng: np.random.Generator, columns: dict[str, list[Value]], y: list[Any]) -> dict[str, Any]:
    options: dict[str, Any] = {
        "cost_complexity": float(rng.choice([0.0, 0.001, 0.01, 0.03, 0.05, 0.1, 0.25]))
    }
    options |= _shape(rng, need_depth=True, leaves=True) | _categorical(rng, columns)
    options["max_depth"] = min(options["max_depth"], 3 if len(y) < 5 else 2)
    if rng.random() < 0.1:
        options["time_limit"] = float(rng.choice([1e-9, 1e-4]))
    if rng.random() < 0.15:
        options["class_weight"] = "balanced"
    costs = _costs(rng, y)
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
    return options


def _shards(rng: np.random.Generator, columns: dict[str, list[Value]], y: list[Any]) -> dict[str, Any]:
    options: dict[str, Any] = {"cost_complexity": float(rng.choice(PRICES))}
    options |= _shape(rng, need_depth=True, leaves=True) | _categorical(rng, columns)
    options |= _weights_of_classes(rng, y)
    if rng.random() < 0.1:
        options["step_limit"] = int(rng.integers(1, 40))
    costs = _costs(rng, y)
    if costs is not None:
        options["costs"] = costs
    thresholds = _thresholds(rng, columns)
    if isinstance(thresholds.get("thresholds"), dict):
        options |= thresholds
    options["shard_rows"] = int(rng.choice([1, 2, len(y) // 2 + 1, len(y)]))
    options |= {"shuffle": bool(rng.random() < 0.8), "random_state": int(rng.integers(100)), "n_jobs": 1}
    if rng.random() < 0.3:
        options["gap"] = 0.0
    return options


_TARGETS: dict[str, Any] = {
    "regression": _targets,
    "regression front": _targets,
    "policy": _rewards,
    "survival": _censored,
}
_OPTIONS = {
    "optimal": _optimal,
    "min_leaf_accuracy": _min_leaf_accuracy,
    "leaf": _leaf,
    "frontier": _frontier,
    "guided": _guided,
    "cv": _cv,
    "mip": _mip,
    "reborn": _reborn,
    "regression": _regression,
    "policy": _policy,
    "survival": _regression,
    "probability": _probability,
    "near": _near,
    "shards": _shards,
    "regression front": _regression_front,
}


def _names_columns(options: dict[str, Any]) -> bool:
    return bool(options.get("categorical_features") or isinstance(options.get("thresholds"), dict))


def _possible(rng: np.random.Generator, case: Case) -> Case:
    """Take back what the documentation refuses: thresholds of categories, a leaf larger than the table."""
    named = case.options.get("thresholds")
    if isinstance(named, dict):
        kept = {k: v for k, v in named.items() if k not in case.options.get("categorical_features", ())}
        case = case.but(options=dict(case.options) | {"thresholds": kept})
    stated = Stated(case)
    if not stated.kept:  # class weights of zero, and the like
        return case.but(weight=None).without("class_weight")
    if case.method != "reborn" and stated.min_samples_leaf > len(stated.kept):
        case = case.but(options=dict(case.options) | {"min_samples_leaf": 1})
    return case
