"""The same problem written in another way: the optimum is the same, and so is all that is counted of it.

A change takes a generator and a question, and returns the other question, or several, or None where it does not apply.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from attack.at_size.question import OF_CLASSES, Answer, Question

__all__ = ["CHANGES", "Change", "Other"]


def _as_it_is(answer: Answer) -> Answer:
    return answer


@dataclass(frozen=True)
class Other:
    """Another question with the same answer, once it is read in the units of the first one."""

    question: Question
    read: Callable[[Answer], Answer] = _as_it_is
    level: str | None = None  # of the instruction set


Change = Callable[[np.random.Generator, Question], "Other | list[Other] | None"]
MOST_ROWS = 300_000


def rows_in_another_order(rng: np.random.Generator, q: Question) -> Other:
    kind = rng.integers(4)
    target = q.y if q.y.ndim == 1 else q.y[:, -1]
    order = [rng.permutation(q.n_rows), np.arange(q.n_rows)[::-1], np.argsort(target, kind="stable")][
        kind % 3
    ]
    return Other(q.rows(order))


def columns_in_another_order(rng: np.random.Generator, q: Question) -> Other | None:
    return Other(q.but(X=q.X[list(rng.permutation(list(q.X.columns)))])) if q.X.shape[1] > 1 else None


def columns_stretched(rng: np.random.Generator, q: Question) -> Other:
    """Every column of numbers by a function that rises or falls everywhere."""
    X = q.X.copy()
    for name in X.columns:
        if X[name].dtype == float:
            x = X[name].to_numpy()
            known = ~np.isnan(x)
            values, code = np.unique(x[known], return_inverse=True)
            images = [
                -values,
                3 * values + 1,
                np.arange(len(values)) ** 2.0,
                np.cumsum(rng.integers(1, 9, len(values))),
            ]
            stretched = x.copy()
            stretched[known] = images[rng.integers(4)][code]
            X[name] = stretched
    return Other(q.but(X=X))


def labels_renamed(rng: np.random.Generator, q: Question) -> Other | None:
    """Classes, actions or outputs in another order."""
    if q.kind == "policy" or (q.kind == "regression" and q.y.ndim > 1):
        return Other(q.but(y=q.y[:, rng.permutation(q.y.shape[1])]))
    if q.kind == "row costs":
        names = rng.permutation(q.y.shape[1] - 1)  # class k is called names[k]
        labels = names[q.y[:, 0].astype(int)]
        return Other(q.but(y=np.column_stack([labels, q.y[:, 1:][:, np.argsort(names)]])))
    if q.kind not in ("classes", "leaf", "near", "front", "probability"):
        return None
    classes = np.unique(q.y)
    names = rng.permutation(len(classes))
    changed = q.but(y=names[np.searchsorted(classes, q.y)])
    if "costs" in q.options:
        back = np.argsort(names)
        changed = changed.having(costs=np.array(q.options["costs"])[np.ix_(back, back)].tolist())
    return Other(changed)


def a_column_more(rng: np.random.Generator, q: Question) -> Other:
    """Constant, or a copy of another one, which a set of trees may count apart."""
    X = q.X.copy()
    if q.kind == "near" or rng.random() < 0.5:
        X.insert(int(rng.integers(X.shape[1] + 1)), "more", np.full(q.n_rows, float(rng.choice([0, 7]))))
    else:
        X.insert(int(rng.integers(X.shape[1] + 1)), "more", X[str(rng.choice(list(X.columns)))])
    return Other(q.but(X=X))


def rows_repeated(rng: np.random.Generator, q: Question) -> Other | None:
    """Every row so many times as its weight says, or all the same number of times: one after another or in rounds."""
    if _counts_rows(q):
        return None
    small = q.weight is not None and q.weight.max() <= 3 and q.has_whole_weights
    if small and rng.random() < 0.7:
        times = q.weights.astype(int)
        every = np.repeat(np.arange(q.n_rows), times)
        if not _keeps_classes(q, every):
            return None
        return Other(q.rows(every).but(weight=None))
    times = int(rng.choice([2, 3, 64]))
    if q.n_rows * times > MOST_ROWS:
        return None
    one, rounds = np.repeat(np.arange(q.n_rows), times), np.tile(np.arange(q.n_rows), times)
    return Other(q.rows(one if rng.random() < 0.5 else rounds))


def rows_merged(rng: np.random.Generator, q: Question) -> Other | None:
    """Equal rows as one row of their weight."""
    if _counts_rows(q) or not q.has_whole_weights:
        return None
    coded = [pd.factorize(q.X[name])[0] for name in q.X.columns]
    keys = np.column_stack([*coded, *(q.y.T if q.y.ndim > 1 else [q.y])])
    _, first, group = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    if len(first) > 0.95 * q.n_rows:
        return None
    weight = np.bincount(np.ravel(group), q.weights)
    return Other(q.rows(first).but(weight=weight))


def rows_of_no_weight(rng: np.random.Generator, q: Question) -> Other:
    """Rows that count nothing, with the columns of one row and the target of another."""
    some, others = rng.integers(0, q.n_rows, (2, int(rng.choice([1, 63, 64, 200]))))
    place = rng.permutation(q.n_rows + len(some))
    longer = q.but(weight=q.weights).rows(np.concatenate([np.arange(q.n_rows), some]))
    weight, y = longer.weights.copy(), longer.y.copy()
    weight[q.n_rows :] = 0
    y[q.n_rows :] = q.y[others]
    return Other(longer.but(weight=weight, y=y).rows(place))


def weights_in_another_unit(rng: np.random.Generator, q: Question) -> Other | None:
    if q.options.get("criterion") == "lower_bound":
        return None
    return Other(q.but(weight=q.weights * 2.0 ** int(rng.choice([-20, -3, 1, 5, 10]))))


def targets_in_another_unit(rng: np.random.Generator, q: Question) -> Other | None:
    """Numbers scaled, moved or turned around, as the shares of the loss allow; rewards by row; times by rank."""
    if q.kind == "policy":
        if (q.y != np.rint(q.y)).any():
            return Other(q.but(y=q.y * 2.0 ** int(rng.integers(-8, 9))))
        return Other(q.but(y=q.y * 2.0 ** int(rng.integers(-8, 9)) + rng.integers(-500, 500, (q.n_rows, 1))))
    if q.kind == "survival":
        times = np.unique(q.y[:, 1], return_inverse=True)[1]
        return Other(q.but(y=np.column_stack([q.y[:, 0], (times + 1.0) ** 2])))
    if q.kind not in ("regression", "regression front"):
        return None
    criterion = q.options.get("criterion", "squared_error")
    scaled = q.but(y=q.y * 2.0 ** int(rng.integers(-8, 9)))
    if criterion in ("poisson", "gamma") or (q.y != np.rint(q.y)).any():
        return Other(scaled)
    if criterion == "quantile":
        return Other(q.but(y=-q.y).having(quantile=round(1 - q.options["quantile"], 9)))
    return Other(q.but(y=-q.y) if rng.random() < 0.5 else q.but(y=scaled.y + int(rng.integers(-1000, 1000))))


def _counts_rows(q: Question) -> bool:
    """Whether the question speaks of numbers of rows."""
    return q.options.get("min_samples_leaf", 1) != 1 or q.options.get("criterion") == "lower_bound"


def _keeps_classes(q: Question, rows: Any) -> bool:
    if q.kind in ("row costs", *OF_CLASSES, "probability"):
        labels = q.y if q.y.ndim == 1 else q.y[:, 0]
        return len(np.unique(labels[rows])) == len(np.unique(labels))
    return True


CHANGES: dict[str, Change] = {
    "rows in another order": rows_in_another_order,
    "columns in another order": columns_in_another_order,
    "columns stretched": columns_stretched,
    "labels renamed": labels_renamed,
    "a column more": a_column_more,
    "rows repeated": rows_repeated,
    "equal rows merged": rows_merged,
    "rows of no weight": rows_of_no_weight,
    "weights in another unit": weights_in_another_unit,
    "targets in another unit": targets_in_another_unit,
}
