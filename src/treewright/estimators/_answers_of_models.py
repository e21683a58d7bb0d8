"""What fitted models are asked about: some rows of a table, of whatever kind it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

__all__ = ["answers_of"]


def answers_of(model: Any, X: Any) -> Callable[[NDArray[np.int64] | None], NDArray[Any]]:
    """Return what gives a model's predictions for rows of `X` at given positions; None is all rows."""

    def ask(rows: NDArray[np.int64] | None) -> NDArray[Any]:
        return np.asarray(model.predict(X if rows is None else _safe_indexing(X, rows)))

    return ask
