"""What fitted models are asked about, what their answers say, and the tree of a model of which only these are known."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from treewright.bornagain import BornAgainResult, answers_in_time, distil_labels, of_fewer_rows
from treewright.errors import InputError
from treewright.search import Limits
from treewright.table import Table
from treewright.tree import Column, ColumnKind

__all__ = ["answers_of", "deviations", "tree_of_answers", "words_refused"]


def answers_of(model: Any, X: Any) -> Callable[[NDArray[np.int64] | None], NDArray[Any]]:
    """Return what gives a model's predictions for rows of `X` at given positions; None is all rows."""

    def ask(rows: NDArray[np.int64] | None) -> NDArray[Any]:
        return np.asarray(model.predict(X if rows is None else _safe_indexing(X, rows)))

    return ask


def tree_of_answers(
    model: Any, rows: NDArray[np.float64], X: Any, names: list[str], asked: dict[str, Any]
) -> tuple[NDArray[Any], BornAgainResult]:
    """Return the classes of a model, and the tree of what it says of the rows; `X` as the model takes them."""
    limits, n_rows = Limits(asked["time_limit"]).started(), len(rows)
    answered, said = answers_in_time(answers_of(model, X), n_rows, limits)
    if answered is not None:
        rows = rows[answered]
    columns = tuple(
        Column(name, ColumnKind.CONTINUOUS, has_missing=bool(np.isnan(x).any()))
        for name, x in zip(names, rows.T, strict=True)
    )
    classes = np.asarray(getattr(model, "classes_", np.unique(said)))
    table = Table(columns, np.asfortranarray(rows))
    result = distil_labels(said, table, classes=classes, **asked | {"time_limit": limits.seconds_left()})
    return classes, result if answered is None else of_fewer_rows(result, n_rows)


def deviations(count: float, numbers: NDArray[Any]) -> float:
    """So many standard deviations, to four digits; 0 of what are no finite numbers, which a search refuses."""
    try:
        known = numbers.astype(np.float64)
    except (TypeError, ValueError):
        return 0.0
    unit = float(np.abs(known).max(initial=0.0))
    return float(f"{count * unit * float(np.std(known / unit)):.4g}") if 0 < unit < np.inf else 0.0


@contextmanager
def words_refused(advice: str) -> Iterator[None]:
    """Say what to do about words in a table of numbers, in the place of scikit-learn's "could not convert"."""
    try:
        yield
    except ValueError as error:
        if not (found := re.search(r"could not convert string to float: (.*)", str(error))):
            raise
        raise InputError(f"X holds words, such as {found[1]:.40}; {advice}") from error
