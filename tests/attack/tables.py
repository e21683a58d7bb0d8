"""Random tables with their labels, numbers, rewards, times and weights: ties, gaps, text, very different sizes."""

from __future__ import annotations

import math
import zlib
from typing import Any

import numpy as np

from attack.case import WORDS, Value

__all__ = [
    "WORDS",
    "mark",
    "random_columns",
    "random_counts",
    "random_labels",
    "random_lines",
    "random_numbers",
    "random_outputs",
    "random_pairs",
    "random_rewards",
    "random_row_costs",
    "random_times",
    "random_weights",
    "whole_weights",
]


def random_columns(
    rng: np.random.Generator,
    n_columns: int,
    n_rows: int,
    *,
    numbers_only: bool,
    wild: bool = True,
    most_values: int | None = None,
) -> dict[str, list[Value]]:
    """Columns of any kind; those of at most so many values are whole numbers, truth values or text.

    The name of ordered text begins with "o", of all others with "c".
    """
    kinds = ["ties", "real", "bit", "bool", "wild", "text", "order", "copy", "constant", "gaps"]
    if most_values is not None:
        kinds = ["ties", "ties", "bit", "bool", "text", "order", "gaps"]
    columns: dict[str, list[Value]] = {}
    for j in range(n_columns):
        kind = rng.choice(kinds)
        if numbers_only and kind in ("text", "order", "wild", "bool", "gaps"):
            kind = "ties"
        if kind == "wild" and not wild:
            kind = "real"
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
        elif kind in ("text", "order"):
            n_words = rng.integers(1, 6 if most_values is None else most_values)
            values = [WORDS[int(k)] for k in rng.integers(0, n_words, n_rows)]
        elif kind == "copy" and columns:
            values = list(columns[str(rng.choice(list(columns)))])
            if rng.random() < 0.3 and all(isinstance(v, int) and not isinstance(v, bool) for v in values):
                values = [-v for v in values]  # type: ignore[operator]
        elif kind == "constant":
            values = [float(rng.integers(3))] * n_rows
        elif kind == "gaps" and rng.random() < 0.1:
            values = [None] * n_rows
        else:
            values = rng.integers(
                0, rng.integers(2, 7 if most_values is None else most_values + 1), n_rows
            ).tolist()
        if not numbers_only and not isinstance(values[0], bool) and rng.random() < 0.35:
            values = [None if rng.random() < 0.25 else v for v in values]
        columns[f"{'o' if kind == 'order' else 'c'}{j}"] = values
    if n_rows > 3 and rng.random() < 0.3:  # equal rows, their labels may differ
        half = n_rows // 2
        columns = {name: values[:half] + values[: n_rows - half] for name, values in columns.items()}
    return columns


def random_labels(
    rng: np.random.Generator, columns: dict[str, list[Value]], n_rows: int
) -> list[int | str | bool]:
    n_classes = int(rng.choice([1, 2, 2, 2, 2, 3, 3, 4, max(2, n_rows)], p=[0.03] + [0.12] * 7 + [0.13]))
    numbers = rng.integers(0, n_classes, n_rows)
    if rng.random() < 0.35:  # labels that follow a rule, so that deep trees pay
        a, b = (columns[str(rng.choice(list(columns)))] for _ in range(2))
        numbers = np.array([(mark(u) + mark(v) // 8) % n_classes for u, v in zip(a, b, strict=True)])
        numbers = np.where(rng.random(n_rows) < 0.1, rng.integers(0, n_classes, n_rows), numbers)
    kind = rng.integers(4)
    if kind == 0:
        return [("no", "yes", "é", "x y", "d")[k] if k < 5 else f"k{k}" for k in numbers.tolist()]
    if kind == 1 and n_classes == 2:
        return [bool(k) for k in numbers]
    return numbers.tolist()


def random_numbers(rng: np.random.Generator, columns: dict[str, list[Value]], n_rows: int) -> list[float]:
    """Numbers of many kinds: ties, all equal, far from zero, of very different size."""
    kind = rng.integers(7)
    made = [
        rng.integers(0, 4, n_rows).astype(float),
        rng.normal(size=n_rows),
        np.round(rng.normal(size=n_rows), 1) + 1e6,
        10.0 ** rng.uniform(-8, 8, n_rows) * rng.choice([-1, 1], n_rows),
        np.full(n_rows, float(rng.integers(-3, 3))),
        rng.normal(size=n_rows) * float(rng.choice([1e-150, 1e150])),
        np.array([mark(v) % 5 for v in columns[str(rng.choice(list(columns)))]]) + 0.1 * rng.random(n_rows),
    ][kind]
    return [float(v) for v in made]


def random_outputs(
    rng: np.random.Generator, columns: dict[str, list[Value]], n_rows: int
) -> list[tuple[float, ...]]:
    """Numbers of two or three outputs, of one size or of very different ones."""
    made = [random_numbers(rng, columns, n_rows) for _ in range(int(rng.integers(2, 4)))]
    return list(zip(*made, strict=True))


def random_counts(rng: np.random.Generator, columns: dict[str, list[Value]], n_rows: int) -> list[float]:
    """Counts and positive amounts, for Poisson and gamma deviance; not all are zero."""
    kind = rng.integers(5)
    made = [
        rng.integers(0, 4, n_rows).astype(float),
        rng.gamma(2.0, float(rng.choice([1e-3, 0.5, 1e4])), n_rows),
        np.round(rng.gamma(1.0, 2.0, n_rows), 1),
        10.0 ** rng.uniform(-4, 4, n_rows),
        np.array([1 + mark(v) % 5 for v in columns[str(rng.choice(list(columns)))]])
        * rng.uniform(0.9, 1.1, n_rows),
    ][kind]
    return [float(v) for v in made] if made.any() else [1.0] * n_rows


def random_pairs(
    rng: np.random.Generator, columns: dict[str, list[Value]], n_rows: int
) -> list[int | str | bool]:
    """Labels of two classes; both appear unless there is one row alone, which the documentation refuses."""
    first, second = [(0, 1), ("no", "yes"), (False, True), (3, -7)][int(rng.integers(4))]
    made = [second if rng.random() < 0.5 else first for _ in range(n_rows)]
    return [first, second, *made[2:]][:n_rows]


def random_lines(rng: np.random.Generator, columns: dict[str, list[Value]], n_rows: int) -> list[float]:
    """Numbers of any kind, or those of lines: one for each value of another column, with or without what they miss."""
    if rng.random() < 0.4:
        return random_numbers(rng, columns, n_rows)
    parts, along = (columns[str(rng.choice(list(columns)))] for _ in range(2))
    slopes, noise = rng.integers(-3, 4, 4), rng.integers(-2, 3, n_rows) * float(rng.choice([0, 0, 0.125, 1]))
    moved = [
        float(slopes[mark(part) % 4]) * min(max(float(v), -1e3), 1e3)
        if isinstance(v, (int, float))
        else float(slopes[0])
        for part, v in zip(parts, along, strict=True)
    ]
    return [float(v) for v in np.array(moved) + noise]


def random_rewards(
    rng: np.random.Generator, columns: dict[str, list[Value]], n_rows: int
) -> list[tuple[float, ...]]:
    """Rewards of some actions, row by row: those of `_targets`, some with a part that all actions share."""
    made = [random_numbers(rng, columns, n_rows) for _ in range(int(rng.choice([2, 2, 3, 4])))]
    if rng.random() < 0.4:
        made = [list(column) for column in rng.integers(0, 3, (len(made), n_rows)).astype(float).tolist()]
    if rng.random() < 0.2:  # .1 + .2 is not .3: what costs of this size leave are last bits
        made = rng.choice(
            [0.1, 0.2, 0.3, 0.1 + 0.2, 0.4, 0.6, 0.3 + 0.3 + 2**-53], (len(made), n_rows)
        ).tolist()
    shared = 10.0 ** float(rng.integers(0, 7)) if rng.random() < 0.2 else 0.0
    return [tuple(v + shared for v in row) for row in zip(*made, strict=True)]


def random_row_costs(
    rng: np.random.Generator, columns: dict[str, list[Value]], n_rows: int
) -> list[tuple[Any, tuple[float, ...]]]:
    """Labels, and what predicting each class costs for each row: ties, zeros, very different sizes."""
    labels = random_labels(rng, columns, n_rows)
    shape = (n_rows, len(set(labels)))
    costs = [
        rng.integers(0, 4, shape).astype(float),
        rng.random(shape),
        10.0 ** rng.uniform(-6, 3, shape),
        rng.integers(0, 30, shape) / 10 + 1e6,
        rng.integers(0, 2, shape) * 0.1 + 0.2,
    ][rng.integers(5)]
    return list(zip(labels, map(tuple, costs.tolist()), strict=True))


def random_times(
    rng: np.random.Generator, columns: dict[str, list[Value]], n_rows: int
) -> list[tuple[bool, float]]:
    """Events and times, with ties; times of a rule, of very different size, zero."""
    event = rng.random(n_rows) < rng.choice([0.0, 0.3, 0.7, 0.7, 1.0])
    time = [
        rng.integers(0, 8, n_rows).astype(float),
        rng.exponential(size=n_rows),
        10.0 ** rng.uniform(-8, 8, n_rows),
        np.abs(np.array(random_numbers(rng, columns, n_rows))),
        np.array([float(mark(v) % 5) for v in columns[str(rng.choice(list(columns)))]]),
    ][rng.integers(5)]
    return list(zip(event.tolist(), time.tolist(), strict=True))


def mark(value: Value) -> int:
    """A number that depends on the value alone, in every process."""
    return zlib.crc32(repr(value).encode()) // 16


def random_weights(rng: np.random.Generator, n_rows: int) -> list[float] | None:
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


def whole_weights(rng: np.random.Generator, n_rows: int) -> list[float] | None:
    """Draw weights that are whole numbers of a power of two: small, zero, quarters, of different size; or all alike."""
    kind = rng.integers(6)
    if kind == 0:
        return None
    weight = [
        rng.integers(1, 6, n_rows).astype(float),
        rng.integers(0, 4, n_rows).astype(float),
        rng.integers(1, 9, n_rows) / 4,
        np.where(rng.random(n_rows) < 0.5, 2.0**18, 1.0) * 2.0 ** float(rng.integers(-30, 20)),
        np.full(n_rows, float(rng.choice([0.1, 3.0, 1e6]))),
    ][kind - 1]
    if not weight.any():
        weight[0] = 1.0
    return [float(w) for w in weight]
