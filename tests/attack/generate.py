"""Random cases that cross the public options: small tables, every kind of weight, cost, column, limit and engine."""

from __future__ import annotations

from typing import Any

import numpy as np

from attack import additive_options, class_options
from attack.case import Case
from attack.exact import Stated
from attack.group_cells import with_group
from attack.tables import (
    random_columns,
    random_counts,
    random_labels,
    random_lines,
    random_numbers,
    random_outputs,
    random_pairs,
    random_rewards,
    random_row_costs,
    random_times,
    random_weights,
    whole_weights,
)

__all__ = ["FAST", "SLOW", "random_case"]

# Methods and how often each is drawn; the slow ones take 10 to 1000 times as long a case.
FAST = {
    "optimal": 0.36,
    "f1": 0.04,
    "min_leaf_accuracy": 0.09,
    "leaf": 0.15,
    "frontier": 0.14,
    "regression": 0.07,
    "simple lines": 0.05,
    "deviance": 0.04,
    "policy": 0.06,
    "survival": 0.04,
    "probability": 0.03,
    "near": 0.03,
    "shards": 0.02,
    "regression front": 0.02,
    "row costs": 0.03,
    "near choice": 0.03,
    "near values": 0.03,
    "near everywhere": 0.02,
    "distil labels": 0.03,
    "roc": 0.02,
    "several outputs": 0.02,
}
SLOW = {
    "guided": 0.25,
    "cv": 0.1,
    "mip": 0.2,
    "reborn": 0.25,
    "leaf cv": 0.05,
    "regression cv": 0.1,
    "hybrid": 0.05,
    "reborn rows": 0.15,
    "latent": 0.05,
}
ADDITIVE = (
    "regression",
    "deviance",
    "simple lines",
    "policy",
    "survival",
    "probability",
    "regression front",
    "row costs",
    "regression cv",
    "near values",
    "near everywhere",
    "several outputs",
)
# These have cases of up to forty rows, now and then.
WIDE = ("optimal", "min_leaf_accuracy", "leaf", "regression", "deviance", "policy", "survival", "probability")
CALLED = {
    "min_leaf_accuracy": "optimal",
    "guided": "optimal",
    "simple lines": "regression",
    "deviance": "regression",
}
NUMBERS_ONLY = (
    "reborn",
    "reborn rows",
    "near everywhere",
    "leaf cv",
    "regression cv",
)  # a fold does not say where a value goes that it lacks
UNWEIGHTED = ("mip", "reborn", "reborn rows", "near values", "near everywhere", "distil labels")
LISTED = ("near", "near choice")  # all trees are listed


def random_case(rng: np.random.Generator, mix: dict[str, float] = FAST) -> Case:
    """Draw one case."""
    shares = np.array(list(mix.values()))
    method = str(rng.choice(list(mix), p=shares / shares.sum()))
    n_rows = int(rng.choice([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14]))
    n_columns = int(rng.choice([1, 1, 2, 2, 3, 4]))
    is_wide = method in WIDE and rng.random() < 0.04
    if method in ("mip", "cv"):
        n_rows, n_columns = int(rng.integers(5, 9)), int(rng.integers(1, 3))
    if method in ("reborn", "reborn rows", "near everywhere", "hybrid", "leaf cv", "regression cv"):
        n_rows = max(n_rows, 4)
    if method in (*ADDITIVE, "f1", "roc"):  # their oracles add in Python
        n_rows, n_columns = min(n_rows, 8), min(n_columns, 3)
    if method in ("regression", "deviance", "survival", "probability", "policy") and rng.random() < 0.1:
        n_rows, n_columns = (
            int(rng.integers(9, 15)),
            min(n_columns, 2),
        )  # leaves of a least size begin to matter
    if method in LISTED:
        n_rows, n_columns = min(n_rows, 7), min(n_columns, 2)
    if is_wide:
        n_rows, n_columns = int(rng.integers(16, 41)), min(n_columns, 2)
    plain = method == "simple lines" and rng.random() < 0.7  # numbers that lie too close together are refused
    columns = random_columns(rng, n_columns, n_rows, numbers_only=method in NUMBERS_ONLY, wild=not plain)
    has_few_values = is_wide and (method in ADDITIVE or rng.random() < 0.7)
    if has_few_values:  # so few sets of rows that oracles are quick at depth three
        columns = random_columns(rng, n_columns, n_rows, numbers_only=False, most_values=4)
    if method == "near everywhere" and n_columns > 1 and rng.random() < 0.3:
        columns = with_group(rng, columns)
    y: list[Any] = _TARGETS.get(method, random_labels)(rng, columns, n_rows)
    weight = random_weights(rng, n_rows) if method not in UNWEIGHTED else None
    if method in LISTED and weight is not None and rng.random() < 0.7:  # else real numbers, which are rounded
        weight = _common_units(rng, n_rows)
    if method == "simple lines" and rng.random() < 0.6:  # else real numbers, which are refused
        weight = whole_weights(rng, n_rows)
    if method == "mip" and rng.random() < 0.3:
        weight = [float(w) for w in rng.integers(1, 4, n_rows)]
    options = _OPTIONS[method](rng, columns, y)
    if is_wide:
        options["max_depth"] = int(rng.integers(1, 4 if has_few_values else 3))
    if options.get("max_depth") is None and options.get("search_options", {}).get("cache") is False:
        del options["search_options"]["cache"]  # each set of rows would be searched anew for every way to it
    all_numbers = all(isinstance(v, (int, float, bool)) or v is None for c in columns.values() for v in c)
    as_array = bool(all_numbers and rng.random() < 0.3 and not _names_columns(options))
    as_large = any(name in options for name in ("step_limit", "time_limit")) and bool(rng.random() < 0.5)
    if as_large and "step_limit" in options:
        options["step_limit"] = 1
    case = Case(CALLED.get(method, method), columns, y, weight, options, as_array, as_large)
    return _possible(rng, case)


def _common_units(rng: np.random.Generator, n_rows: int) -> list[float]:
    """Draw weights that are whole numbers of a common unit: rows, decimals, or of very different size."""
    if rng.random() < 0.2:
        return [float(rng.choice([1, 2, 3e9])) for _ in range(n_rows)]
    places = float(rng.choice([1, 1, 10, 1000]))
    return [float(rng.integers(1, 30 * places)) / places for _ in range(n_rows)]


_TARGETS: dict[str, Any] = {
    "f1": random_pairs,
    "roc": random_pairs,
    "several outputs": random_outputs,
    "regression": random_numbers,
    "simple lines": random_lines,
    "deviance": random_counts,
    "regression front": random_numbers,
    "policy": random_rewards,
    "survival": random_times,
    "row costs": random_row_costs,
    "regression cv": random_numbers,
    "near values": random_numbers,
    "near everywhere": random_numbers,
}


_OPTIONS = {
    "optimal": class_options.optimal,
    "f1": class_options.f1,
    "roc": class_options.roc,
    "several outputs": additive_options.several_outputs,
    "min_leaf_accuracy": class_options.min_leaf_accuracy,
    "leaf": class_options.leaf,
    "frontier": class_options.frontier,
    "guided": class_options.guided,
    "cv": class_options.cv,
    "mip": class_options.mip,
    "reborn": class_options.reborn,
    "regression": additive_options.regression,
    "simple lines": additive_options.simple_lines,
    "deviance": additive_options.deviance,
    "policy": additive_options.policy,
    "survival": additive_options.regression,
    "probability": additive_options.probability,
    "near": class_options.near,
    "shards": class_options.shards,
    "regression front": additive_options.regression_front,
    "row costs": class_options.row_costs,
    "near choice": class_options.near_choice,
    "leaf cv": class_options.leaf_cv,
    "regression cv": additive_options.regression_cv,
    "hybrid": class_options.hybrid,
    "near values": additive_options.near_values,
    "near everywhere": additive_options.near_everywhere,
    "distil labels": class_options.distil_labels,
    "reborn rows": class_options.reborn_rows,
    "latent": class_options.latent,
}


def _names_columns(options: dict[str, Any]) -> bool:
    return bool(
        options.get("categorical_features")
        or "group" in options
        or isinstance(options.get("thresholds"), dict)
    )


def _possible(rng: np.random.Generator, case: Case) -> Case:
    """Take back what the documentation refuses: thresholds of categories, a leaf larger than the table."""
    named = case.options.get("thresholds")
    if isinstance(named, dict):
        kept = {k: v for k, v in named.items() if k not in case.options.get("categorical_features", ())}
        case = case.but(options=dict(case.options) | {"thresholds": kept})
    stated = Stated(case)
    if not stated.kept:  # class weights of zero, and the like
        return case.but(weight=None).without("class_weight")
    if case.method not in ("reborn", "reborn rows") and stated.min_samples_leaf > len(stated.kept):
        case = case.but(options=dict(case.options) | {"min_samples_leaf": 1})
    return case
