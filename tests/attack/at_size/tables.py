"""Tables with structure: long ties, runs, blocks, two values, all distinct, gaps, text; rows in telling orders."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

__all__ = ["classes_in_runs", "in_some_order", "random_table", "random_weights", "rule_of"]

WORDS = tuple(f"w{k}" for k in range(30))
Numbers = NDArray[np.float64]


def random_table(
    rng: np.random.Generator, n: int, n_columns: int, most_values: int, n_texts: int
) -> pd.DataFrame:
    """Columns of many kinds; none has more than `most_values` values, the last `n_texts` are of words."""
    columns: dict[str, Any] = {f"x{j}": _column(rng, n, most_values) for j in range(n_columns - n_texts)}
    if n_columns - n_texts > 1 and rng.random() < 0.5:  # as many values as may be beside long ties
        columns["x0"] = np.floor(rng.permutation(n) * (min(most_values, n) / n))
        columns["x1"] = _long_ties(rng, n)
    for j in range(n_texts):
        columns[f"t{j}"] = _text(rng, n)
    return pd.DataFrame(columns)


def _long_ties(rng: np.random.Generator, n: int) -> Numbers:
    """All alike, but for a few rows somewhere."""
    few, position = int(rng.integers(1, 5)), np.arange(n)
    kind = rng.integers(4)
    others = [
        position < few,
        position >= n - few,
        np.isin(position, rng.integers(0, n, few)),
        rng.random(n) < 0.02,
    ]
    return np.where(others[kind], rng.integers(1, 4, n), 0).astype(float)


def bits(rng: np.random.Generator, n: int, n_columns: int) -> pd.DataFrame:
    """Columns of zeros and ones, some rare, some alike."""
    share = rng.choice([0.5, 0.3, 0.1, 0.02], n_columns)
    X = rng.random((n, n_columns)) < share
    for j in range(1, n_columns):
        if rng.random() < 0.1:  # nearly a copy
            X[:, j] = X[:, j - 1] ^ (rng.random(n) < 0.02)
    return pd.DataFrame(X.astype(float), columns=[f"x{j}" for j in range(n_columns)])


def _column(rng: np.random.Generator, n: int, most_values: int) -> Numbers:
    position = np.arange(n)
    most = max(2, min(most_values, n))
    x: Numbers = [
        lambda: np.floor(rng.permutation(n) * (most / n)),  # all distinct, or as many as may be
        lambda: np.floor(rng.permutation(n) * (most / n)),
        lambda: np.floor(np.abs(rng.normal(size=n)) * rng.integers(2, most + 1) / 4),  # ever fewer ties
        lambda: rng.integers(0, min(most, int(rng.choice([2, 3, 5, 9, 17, 40]))), n),
        lambda: rng.random(n) < rng.choice([0.5, 0.2, 0.02]),  # two values
        lambda: _long_ties(rng, n),
        lambda: _long_ties(rng, n),
        lambda: np.where(rng.random(n) < 0.05, rng.integers(1, most, n), 0),  # a long tie among others
        lambda: position // max(n // int(rng.integers(2, 6)), 1),  # blocks
        lambda: position // max(int(rng.integers(20, 90)), n // most + 1),  # a trend
        lambda: position % int(rng.choice([2, 3, 64])),  # alternating
    ][rng.integers(11)]().astype(float)  # type: ignore[no-untyped-call]
    if rng.random() < 0.15:
        x[rng.random(n) < rng.choice([0.01, 0.3])] = np.nan
    elif rng.random() < 0.07:
        x[: max(1, n // 70)] = np.nan
    if rng.random() < 0.1:
        x = -x
    return x if np.isfinite(x).any() else np.zeros(n)


def _text(rng: np.random.Generator, n: int) -> Any:
    """Words, rare ones among them, some in an order, some missing."""
    k = int(rng.integers(2, len(WORDS)))
    code = np.minimum(rng.geometric(1.5 / k, n) - 1, k - 1)
    code[rng.random(n) < rng.choice([0, 0, 0.1])] = -1
    if (code < 0).all():
        code[0] = 0
    if rng.random() < 0.3:
        return pd.Categorical.from_codes(code, WORDS[:k], ordered=True)
    return np.array([*WORDS, None], dtype=object)[code]


def rule_of(rng: np.random.Generator, X: pd.DataFrame, n_parts: int) -> NDArray[np.int64]:
    """A class for each row by a small tree of some columns, or by their exclusive or."""
    is_parity = rng.random() < 0.4  # of which a tree of fewer levels says nothing
    names = list(rng.permutation(list(X.columns)))
    if is_parity:  # of the columns with most values
        names.sort(key=lambda name: -X[name].nunique())
    codes = [_code(X[name]) for name in names[:3]]
    shares = [0.5] if is_parity else [0.2, 0.5, 0.8]
    halves = [code > np.quantile(code, float(rng.choice(shares))) for code in codes]
    if is_parity:
        return np.asarray(np.sum(halves, axis=0) % (2 if rng.random() < 0.7 else n_parts))
    at = np.zeros(len(X), dtype=np.int64)
    for half in halves:
        at = 2 * at + half
    return np.asarray(rng.permutation(max(n_parts, 8))[at] % n_parts)


def _code(column: pd.Series) -> Numbers:
    if column.dtype == float:
        return np.nan_to_num(column.to_numpy(), nan=-1.0)
    return np.asarray(pd.factorize(column)[0], dtype=float)


def classes_in_runs(rng: np.random.Generator, n: int, n_classes: int) -> NDArray[np.int64]:
    """Classes one after another in runs of equal or of very different length, or in turns."""
    kind = rng.integers(3)
    if kind == 0:
        return np.sort(np.arange(n) % n_classes)
    if kind == 1:
        return np.arange(n) % n_classes
    shares = rng.dirichlet(np.full(n_classes, 0.5))
    return np.sort(rng.choice(n_classes, n, p=shares))


def in_some_order(rng: np.random.Generator, X: pd.DataFrame, target: Numbers) -> NDArray[np.intp]:
    """Rows as they come, at random, or sorted by the target or a column."""
    n = len(X)
    kind = rng.random()
    if kind < 0.35:
        return np.arange(n)
    if kind < 0.5:
        return rng.permutation(n)
    if kind < 0.8:
        return np.argsort(target, kind="stable")
    return np.argsort(_code(X[str(rng.choice(list(X.columns)))]), kind="stable")


def random_weights(rng: np.random.Generator, n: int) -> Numbers | None:
    kind = rng.random()
    if kind < 0.3:
        return None
    if kind < 0.5:
        return rng.integers(1, 4, n).astype(float)
    if kind < 0.65:  # sums around those of 16 bits with a sign, and without
        unit = int(rng.choice([32_767, 65_535])) // n
        return rng.integers(max(1, unit // 2), 2 * unit + 2, n).astype(float)
    if kind < 0.8:
        return np.where(rng.random(n) < 0.05, 0, rng.integers(1, 4, n)).astype(float)
    if kind < 0.9:
        return rng.integers(1, 10**6, n).astype(float)
    return np.asarray(rng.random(n) + 0.01)
