"""Lower bounds guessed from a reference's predictions, and what Theorem 4.3 still promises about the tree.

The search takes from here one number per row: what the reference's own prediction costs (equation 4 of
McTavish et al. 2022 sums it over a subset and adds the penalty of one leaf). How the search uses it, steps 1,
2a and 2b of section 4.3, and why Theorem 4.3 holds for it, is in ``cpp/src/bounds/guessed_bounds.hpp``.

Theorem 4.3: for every tree t within the constraints,

    R(t_guess) <= (sum over rows of max(cost of the reference, cost of t)) / W + cost_complexity * leaves(t)

(the paper's union of both sets of errors, for plain misclassification). With t the optimal tree, what can
have been lost is at most the sum over rows of max(0, cost of the reference - cost of t). The optimal tree is
not known, but equal rows share a leaf of every tree, so `most_lost` takes for each set of equal rows the
class that saves most.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.binarize import SplitMatrix
from treewright.guess._equal_rows import number_equal_rows

__all__ = ["ReferenceCosts", "guessed_lower_bound", "most_lost", "reference_costs"]


@dataclass(frozen=True, eq=False)
class ReferenceCosts:
    """What the reference's predictions cost, row by row.

    Parameters
    ----------
    predictions : ndarray of shape (n_rows,), int32
        Class index for each row.
    cost : ndarray of shape (n_rows,), float64
        Weight times cost of the prediction; 0 where it is right.
    n_wrong : int
        Rows predicted wrongly.
    loss : float
        Sum of `cost` divided by the total weight.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.guess import reference_costs
    >>> predicted, y = np.array([0, 1, 1], dtype=np.int32), np.array([0, 0, 1], dtype=np.int32)
    >>> round(reference_costs(predicted, y, np.ones(3), 1.0 - np.eye(2)).loss, 3)
    0.333
    """

    predictions: NDArray[np.int32]
    cost: NDArray[np.float64]
    n_wrong: int
    loss: float


def reference_costs(
    predictions: NDArray[np.int32],
    y: NDArray[np.int32],
    weight: NDArray[np.float64],
    costs: NDArray[np.float64],
) -> ReferenceCosts:
    """Charge the reference for its predictions.

    Parameters
    ----------
    predictions, y : ndarray of shape (n_rows,), int32
    weight : ndarray of shape (n_rows,)
    costs : ndarray of shape (n_classes, n_classes)
        ``costs[true, predicted]``.

    Returns
    -------
    ReferenceCosts

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.guess import reference_costs
    >>> predicted, y = np.array([0, 1, 1], dtype=np.int32), np.array([0, 0, 1], dtype=np.int32)
    >>> reference_costs(predicted, y, np.ones(3), 1.0 - np.eye(2)).n_wrong
    1
    """
    cost = weight * costs[y, predictions]
    return ReferenceCosts(
        predictions, cost, int(np.count_nonzero(predictions != y)), float(cost.sum() / weight.sum())
    )


def guessed_lower_bound(
    reference: ReferenceCosts, rows: NDArray[np.bool_], total: float, leaf_penalty: float
) -> float:
    """Return equation 4 for a subset: the reference's cost on it, as a fraction of `total`, and one leaf.

    Parameters
    ----------
    reference : ReferenceCosts
    rows : ndarray of shape (n_rows,), bool
        The subset.
    total : float
        Weight of all rows.
    leaf_penalty : float
        Leaf penalty as a fraction of `total`.

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.guess import guessed_lower_bound, reference_costs
    >>> predicted, y = np.array([0, 1, 1], dtype=np.int32), np.array([0, 0, 1], dtype=np.int32)
    >>> costs = reference_costs(predicted, y, np.ones(3), 1.0 - np.eye(2))
    >>> round(guessed_lower_bound(costs, np.array([True, True, False]), 3.0, 0.01), 3)
    0.343
    """
    return float(reference.cost[rows].sum() / total) + leaf_penalty


def most_lost(
    reference: ReferenceCosts,
    split_matrix: SplitMatrix,
    y: NDArray[np.int32],
    weight: NDArray[np.float64],
    costs: NDArray[np.float64],
) -> float:
    """Return by how much a search with this reference may have missed the optimum (Theorem 4.3).

    Parameters
    ----------
    reference : ReferenceCosts
    split_matrix : SplitMatrix
        The splits that trees may use; rows equal in all of them share a leaf of every tree.
    y : ndarray of shape (n_rows,), int32
    weight : ndarray of shape (n_rows,)
    costs : ndarray of shape (n_classes, n_classes)

    Returns
    -------
    float
        A fraction of the total weight; 0 for a reference without errors.

    Notes
    -----
    For a set of equal rows with the optimal tree's class k the theorem leaves sum max(0, g_i - cost_ik); the
    largest of these over k is what is added up. Cost: one sort of the rows that the reference gets wrong.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.binarize import midpoints
    >>> from treewright.guess import most_lost, reference_costs
    >>> from treewright.table import table_from
    >>> y = np.array([0, 0, 1], dtype=np.int32)
    >>> costs = reference_costs(y, y, np.ones(3), 1.0 - np.eye(2))  # a reference without errors
    >>> most_lost(costs, midpoints(table_from([[20], [30], [40]])), y, np.ones(3), 1.0 - np.eye(2))
    0.0
    """
    wrong = np.flatnonzero(reference.cost > 0)
    if len(wrong) == 0:
        return 0.0
    saved = np.maximum(0.0, reference.cost[wrong, None] - weight[wrong, None] * costs[y[wrong]])
    group = number_equal_rows(split_matrix.of_rows(wrong))
    sums = np.array([np.bincount(group, weights=by_class) for by_class in saved.T]).T
    return float(sums.max(axis=1).sum() / weight.sum())
