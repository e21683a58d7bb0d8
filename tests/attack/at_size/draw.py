"""Random questions at size: as many rows as stand around a boundary of the machine, as deep as a second allows."""

from __future__ import annotations

from typing import Any

import numpy as np

from attack.at_size.question import Question
from attack.at_size.tables import bits, classes_in_runs, in_some_order, random_table, random_weights, rule_of

__all__ = ["random_question"]

# Words of 64 rows, chunks of 127 and 255, counts of 9 bits, sums of 16 bits with and without sign, parts of the rows.
SIZES = (
    ((62, 67), 0.14),
    ((126, 131), 0.12),
    ((254, 259), 0.14),
    ((510, 515), 0.2),
    ((600, 1_500), 0.14),
    ((1_500, 5_001), 0.12),
    ((32_766, 32_771), 0.05),
    ((65_534, 65_539), 0.04),
    ((131_071, 131_074), 0.03),
    ((131_074, 300_001), 0.02),
)
KINDS = {
    "classes": 0.45,
    "regression": 0.22,
    "probability": 0.06,
    "policy": 0.06,
    "survival": 0.06,
    "leaf": 0.07,
    "near": 0.06,
    "front": 0.04,
    "f1": 0.03,
    "row costs": 0.03,
    "roc": 0.01,
    "regression front": 0.02,
}
PRICES = (0.0, 0.0, 1e-7, 0.001, 0.01, 0.1)
WORK = 5e7  # steps of a search, a tenth of a second or some
SLOW_KINDS = {"near": 8, "front": 8, "roc": 60, "regression front": 30, "f1": 8, "leaf": 4, "probability": 4,
              "survival": 4}  # fmt: skip


def random_question(rng: np.random.Generator) -> Question:
    is_plain = rng.random() < 0.4  # as most users ask: no weights, no costs, leaves of any size
    kind = str(rng.choice(list(KINDS), p=np.array(list(KINDS.values())) / sum(KINDS.values())))
    (least, end), _ = SIZES[rng.choice(len(SIZES), p=[share for _, share in SIZES])]
    n = int(rng.integers(least, end))
    n_classes = _n_classes(rng, n)
    if kind in ("f1", "roc"):
        n_classes = 2
    depth = int(rng.choice([1, 2, 2, 2, 3, 3, 3, 4]))
    if rng.random() < 0.2:
        n_columns = int(rng.choice([3, 8, 20, 40, 62, 63, 64, 65, 100, 127, 128, 129]))
        while n_columns > 3 and _work(kind, n, n_columns, n_columns, min(depth, 2), n_classes) > WORK:
            n_columns //= 2
        X = bits(rng, n, n_columns)
        n_values = n_columns
    else:
        n_columns = (
            int(rng.choice([1, 2, 2, 3, 3, 4, 6, 10, 20, 40])) if n < 5_001 else int(rng.integers(2, 4))
        )
        most = int(rng.choice([20, 127, 128, 129, 300, n, n, n]))
        while n_columns > 1 and _work(kind, n, n_columns, most * n_columns, min(depth, 2), n_classes) > WORK:
            n_columns, most = max(1, n_columns // 2), max(most // 4, 20)
        n_texts = int(rng.integers(0, n_columns)) if rng.random() < 0.1 else 0
        X = random_table(rng, n, n_columns, most, n_texts)
        n_values = int(X.nunique().sum())
    while depth > 1 and _work(kind, n, n_columns, n_values, depth, n_classes) > WORK:
        depth -= 1
    y = _TARGETS[kind](rng, X, n_classes)
    weight = None if is_plain else random_weights(rng, n)
    options = {"max_depth": depth} | _options(rng, kind, n, y, is_plain)
    if not is_plain and rng.random() < 0.3:
        options["min_samples_leaf"] = int(rng.choice([2, 5, 20, n // 50 + 1]))
    question = Question(kind, X, y, weight, options)
    order = in_some_order(rng, X, y if y.ndim == 1 else y[:, -1])
    return question.rows(order)


def _n_classes(rng: np.random.Generator, n: int) -> int:
    if n >= 510 and rng.random() < 0.06:
        return int(rng.choice([70, 300 if n >= 1000 else 70]))
    return int(rng.choice([2, 2, 2, 3, 3, 4, 5, 8, 9, 12]))


def _work(kind: str, n: int, n_columns: int, n_values: int, depth: int, n_classes: int) -> float:
    """About how many steps a search takes: rows by columns by thresholds of every level above the last but one."""
    step = n * n_columns * (SLOW_KINDS.get(kind, 1) + n_classes / 16)
    if depth == 1:
        return step
    return float(step * (1 + n_values / 16) * (1 + n_values / 20) ** (depth - 2))


def _options(rng: np.random.Generator, kind: str, n: int, y: Any, is_plain: bool) -> dict[str, Any]:
    options: dict[str, Any] = {}
    price = float(rng.choice(PRICES))
    if kind in ("classes", "f1", "row costs", "regression", "probability", "policy", "survival"):
        options["cost_complexity"] = price
        if not is_plain and rng.random() < 0.15:
            options["max_leaf_nodes"] = int(rng.integers(2, 6))
    if kind in ("classes", "leaf", "near", "front", "f1", "roc"):
        options["thresholds"] = "all"
    if kind in ("classes", "front", "near") and not is_plain and rng.random() < 0.3:
        labels = np.unique(y)
        if len(labels) <= 12:
            options["costs"] = _costs(rng, len(labels))
    elif kind in ("classes", "f1", "leaf", "front") and not is_plain and rng.random() < 0.25:
        options["class_weight"] = "balanced"
    if kind == "f1":
        options["objective"] = "f1"
    if kind == "near":
        options |= {"cost_complexity": max(price, 0.001), "epsilon": float(rng.choice([0.0, 0.01, 0.05]))}
        options["redundant_splits"] = bool(rng.random() < 0.4)
    if kind == "front":
        options["max_leaves"] = int(rng.integers(2, 7))
    if kind == "regression front":
        options["max_leaves"] = int(rng.integers(2, 5))
    if kind == "leaf":
        options |= {
            "criterion": str(rng.choice(["accuracy", "lower_bound"])),
            "min_samples_leaf": max(1, n // 20),
        }
    if kind == "probability":
        options["criterion"] = str(rng.choice(["brier", "log_loss"]))
    if kind in ("regression", "regression front"):
        options |= _criterion(rng, y)
    return options


def _costs(rng: np.random.Generator, k: int) -> list[list[float]]:
    """Whole costs of every two classes, or a distance, or tenths."""
    off = 1 - np.eye(k)
    costs = [
        off * rng.integers(1, 5, off.shape),
        np.abs(np.subtract.outer(np.arange(k), np.arange(k))),
        off * rng.integers(1, 30, off.shape) / 10,
        off * rng.choice([1, 1000], off.shape),
    ][rng.integers(4)]
    return [[float(c) for c in row] for row in costs]


def _criterion(rng: np.random.Generator, y: Any) -> dict[str, Any]:
    if y.ndim > 1:
        return {}
    names = ["squared_error", "squared_error", "absolute_error", "quantile"]
    if y.min() >= 0 and y.max() > 0:
        names += ["poisson", "poisson", "poisson"]
    if y.min() > 0:
        names += ["gamma"]
    criterion = str(rng.choice(names))
    return {"criterion": criterion} | (
        {"quantile": float(rng.choice([0.1, 0.8]))} if criterion == "quantile" else {}
    )


def _labels(rng: np.random.Generator, X: Any, n_classes: int) -> Any:
    """Classes by a rule or in runs, some of them changed; every class is there, in no special order."""
    n = len(X)
    y = rule_of(rng, X, n_classes) if rng.random() < 0.6 else classes_in_runs(rng, n, n_classes)
    y = np.where(rng.random(n) < rng.choice([0, 0, 0.1, 0.3]), rng.integers(0, n_classes, n), y)
    y = np.unique(y, return_inverse=True)[1]
    if y.max() == 0:
        y[n // 2] = 1
    return rng.permutation(int(y.max()) + 1)[y] if rng.random() < 0.3 else y


def _two(rng: np.random.Generator, X: Any, n_classes: int) -> Any:
    return np.minimum(_labels(rng, X, 2), 1)


def _numbers(rng: np.random.Generator, X: Any, n_classes: int) -> Any:
    """Small whole numbers, counts with outliers, zeros and ones, large or real ones; sometimes two or three at once."""
    n = len(X)
    base = _labels(rng, X, int(rng.choice([2, 4, 9]))).astype(float)
    y = [
        lambda: base,
        lambda: base + (rng.random(n) < 0.02) * 40,
        lambda: np.minimum(base, 1),
        lambda: base * 1000 + rng.integers(0, 100, n),
        lambda: base + rng.normal(size=n).round(2),
        lambda: rng.poisson(base),
        lambda: base + 1,
    ][rng.integers(7)]().astype(float)  # type: ignore[no-untyped-call]
    if len(set(y[:: max(1, n // 50)])) < 2 and y.std() == 0:
        y[0] += 1
    if rng.random() < 0.12:
        return np.column_stack([y, base[::-1], rng.integers(0, 3, n)][: int(rng.integers(2, 4))])
    return y


def _rewards(rng: np.random.Generator, X: Any, n_classes: int) -> Any:
    """Rewards of two to five actions: whole ones, also such whose sums pass 16 bits; real ones."""
    n, k = len(X), int(rng.integers(2, 6))
    best = _labels(rng, X, k)
    R = rng.integers(0, int(rng.choice([3, 128, 2000, 40_000])), (n, k)).astype(float)
    R[np.arange(n), np.minimum(best, k - 1)] += R.max() / 2
    return R + rng.random((n, k)) if rng.random() < 0.2 else R


def _times(rng: np.random.Generator, X: Any, n_classes: int) -> Any:
    n = len(X)
    risk = 1.0 + _labels(rng, X, 3)
    time = np.ceil(rng.exponential(size=n) / risk * rng.choice([5, 100, 10**6]))
    event = rng.random(n) < rng.choice([0.3, 0.8, 1.0])
    event[0] = True
    return np.column_stack([event, time]).astype(float)


def _labels_and_costs(rng: np.random.Generator, X: Any, n_classes: int) -> Any:
    y = _labels(rng, X, min(n_classes, 5))
    costs = rng.integers(0, 9, (len(X), int(y.max()) + 1)).astype(float)
    costs[np.arange(len(X)), y] = 0
    return np.column_stack([y, costs])


_TARGETS = {
    "classes": _labels,
    "f1": _two,
    "roc": _two,
    "leaf": _labels,
    "near": _labels,
    "front": _labels,
    "probability": _labels,
    "regression": _numbers,
    "regression front": _numbers,
    "policy": _rewards,
    "survival": _times,
    "row costs": _labels_and_costs,
}
