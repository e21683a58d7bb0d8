"""Random options that several methods share: constraints, limits, thresholds, weights of classes, costs, switches."""

from __future__ import annotations

from typing import Any

import numpy as np

from attack.case import Value

__all__ = [
    "PRICES",
    "random_categorical",
    "random_class_weight",
    "random_costs",
    "random_jobs",
    "random_limits",
    "random_limits_of_an_ensemble",
    "random_shape",
    "random_switches",
    "random_thresholds",
    "ranked_switches",
    "weights_of_classes",
]

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


def random_costs(rng: np.random.Generator, y: list[Any]) -> list[list[float]] | None:
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


def random_class_weight(rng: np.random.Generator, y: list[Any]) -> dict[str, Any]:
    kind = rng.random()
    if kind < 0.15:
        return {"class_weight": "balanced"}
    if kind < 0.25:
        labels = sorted(set(y))
        return {
            "class_weight": {k: float(rng.choice([0.5, 1, 2, 3, 0.1])) for k in labels[: rng.integers(1, 4)]}
        }
    return {}


def weights_of_classes(rng: np.random.Generator, y: list[Any]) -> dict[str, Any]:
    if rng.random() < 0.1:
        return {"objective": "balanced_accuracy"}
    return random_class_weight(rng, y)


def random_thresholds(rng: np.random.Generator, columns: dict[str, list[Value]]) -> dict[str, Any]:
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


def random_limits(rng: np.random.Generator) -> dict[str, Any]:
    if rng.random() < 0.85:
        return {}
    return [
        {"step_limit": int(rng.integers(1, 40))},
        {"memory_limit": int(rng.choice([1, 1000, 10**5]))},
        {"time_limit": float(rng.choice([1e-9, 1e-4]))},
    ][rng.integers(3)]


def random_limits_of_an_ensemble(rng: np.random.Generator) -> dict[str, Any]:
    """Limits of a born-again tree, which counts no steps and holds a megabyte at least."""
    if rng.random() < 0.85:
        return {}
    return (
        {"time_limit": float(rng.choice([1e-9, 1e-4, 1e-2]))}
        if rng.random() < 0.7
        else {"memory_limit": 2**20}
    )


def random_jobs(rng: np.random.Generator, share: float = 0.15) -> dict[str, Any]:
    """One thread or two, named; now and then."""
    return {"n_jobs": int(rng.integers(1, 3))} if rng.random() < share else {}


def random_categorical(rng: np.random.Generator, columns: dict[str, list[Value]]) -> dict[str, Any]:
    whole = [
        name
        for name, values in columns.items()
        if any(v is not None for v in values)
        and all(v is None or (isinstance(v, int) and not isinstance(v, bool)) for v in values)
    ]
    if whole and rng.random() < 0.12:
        return {"categorical_features": [str(rng.choice(whole))]}
    return {}


def random_shape(rng: np.random.Generator, *, need_depth: bool, leaves: bool) -> dict[str, Any]:
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


def random_switches(rng: np.random.Generator) -> dict[str, Any]:
    names = ("equivalent_points", "lookahead", "two_leaves", "budgets", "similar_support", "few_rows", "cache",
             "greedy_start", "lattice", "row_prices", "shared_losses")  # fmt: skip
    chosen: dict[str, Any] = {name: False for name in names if rng.random() < 0.3}
    if rng.random() < 0.3:
        chosen["plain_steps"] = int(rng.integers(0, 20))
    if rng.random() < 0.2:
        chosen["lattice_states"] = int(rng.integers(1, 30))
    if rng.random() < 0.2:
        chosen["kernel"] = str(rng.choice(["rows", "columns"]))
    return chosen


def ranked_switches(rng: np.random.Generator) -> dict[str, Any]:
    """Switches off, and settings with which the phases of long runs begin at once; all of `RankedOptions`."""
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
        "any_size",
        "resume",
        "rising",
        "parts",
        "groups",
        "compact_rows",
        "target_bins",
        "unranked",
    )
    chosen: dict[str, Any] = {name: False for name in names if rng.random() < 0.3}
    if rng.random() < 0.5:
        chosen["plain_work"] = int(10 ** rng.uniform(0, 6))
        chosen["early_work"] = int(10 ** rng.uniform(0, 6))
    if rng.random() < 0.5:  # few rows that prove a bound for all, then parts of the rows, at once
        chosen |= {
            "core_passes": int(rng.integers(0, 4)),
            "core_share": 1.0,
            "part_rows": int(rng.integers(1, 4)),
        }
    if rng.random() < 0.2:
        chosen |= {
            "slack": float(rng.choice([0.0, 3.0])),
            "lanes": int(rng.integers(1, 9)),
            "sharing_work": 0,
        }
    if rng.random() < 0.2:  # threads begin at once, where there are any
        chosen |= {"alone_work": 0, "together_work": int(rng.choice([0, 1000]))}
    return chosen
