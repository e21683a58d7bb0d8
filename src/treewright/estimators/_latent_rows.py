"""Targets and weights of the rows that a latent tree learns from, and of those that select the model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import InputError
from treewright.problem import check_sample_weight
from treewright.table import Table

if TYPE_CHECKING:
    pass

__all__ = ["weighted_rows", "with_validation_rows"]


def weighted_rows(table: Table, y: Any, sample_weight: Any) -> tuple[Table, Any, NDArray[np.float64] | None]:
    """Return table and target without rows of weight 0, and the weights; None if all rows weigh the same."""
    if sample_weight is None:
        return table, y, None
    weight = check_sample_weight(sample_weight, table.n_rows)
    kept = weight > 0
    if not kept.all():
        y = np.asarray(y)
        if y.shape[:1] != (table.n_rows,):
            raise InputError(f"y has shape {y.shape}, expected ({table.n_rows},): one value per row.")
        table, y, weight = Table(table.columns, table.X[kept]), y[kept], weight[kept]
    return table, y, None if (weight == weight[0]).all() else weight


def with_validation_rows(
    target: NDArray[Any],
    weight: NDArray[np.float64] | None,
    more: NDArray[Any],
    n_rows: int,
    of_class: NDArray[np.float64] | None = None,
) -> tuple[NDArray[Any], NDArray[np.float64] | None]:
    """Return targets and weights with those of the validation rows behind them."""
    if len(target) + len(more) != n_rows:
        raise InputError(
            f"validation has {len(more)} values of y for {n_rows - len(target)} rows; give one per row."
        )
    both = np.concatenate([target, more])
    if weight is None and of_class is None:
        return both, None
    own = np.ones(len(target)) if weight is None else weight / weight.mean()
    behind = np.ones(len(more)) if of_class is None else of_class[more]
    if not behind.any():
        raise InputError("class_weight gives weight 0 to all rows of validation; give rows of other classes.")
    return both, np.concatenate([own, behind])
