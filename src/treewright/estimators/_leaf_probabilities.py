"""Probabilities of the leaves of a fitted tree from rows that it was not fitted to, with intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import beta
from sklearn.utils.validation import check_is_fitted

from treewright._arguments import refuse_lossy
from treewright._numbers import is_real
from treewright._plural import kind_of
from treewright.errors import InputError
from treewright.show import rules

__all__ = ["leaf_probabilities"]


def leaf_probabilities(model: Any, X: Any, y: ArrayLike, confidence: float = 0.95) -> list[dict[str, Any]]:
    """Return the share of each class among new rows of each leaf, with its Clopper-Pearson interval.

    The shares that a leaf predicts are those of the rows it was fitted to, and leaves with few rows often predict 0 or
    1. Shares of rows that were not used in the fit are unbiased, and their intervals are valid.

    Parameters
    ----------
    model : classifier of treewright
        Fitted, with ``tree_`` and ``classes_``.
    X : array-like or frame of shape (n_rows, n_columns)
        Rows that `model` was not fitted to, from the same distribution as those that it will be used on.
    y : array-like of shape (n_rows,)
        Their labels; one that `model` does not know counts as a row of no class.
    confidence : float, default=0.95
        Confidence level of each single interval, above 0 and below 1: in at least this share of all draws of rows, the
        interval contains the true probability.

    Returns
    -------
    list of dict
        One for each leaf and class: ``leaf`` (the number that `apply` returns), ``rule``, ``class``, ``fitted`` (the
        share that the tree predicts), ``rows`` (new rows in the leaf), ``share`` (nan without rows), ``lower`` and
        ``upper``.

    Raises
    ------
    InputError
        `model` predicts no classes, `y` has another length than `X`, or `confidence` is out of range.

    References
    ----------
    C. Clopper, E. Pearson (1934). The use of confidence or fiducial limits illustrated in the case of the binomial.
    Biometrika 26.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import train_test_split
    >>> from treewright import OptimalProbabilityTree
    >>> from treewright.estimators import leaf_probabilities
    >>> X, X_new, y, y_new = train_test_split(*load_breast_cancer(return_X_y=True), random_state=0)
    >>> model = OptimalProbabilityTree(max_depth=1).fit(X, y)
    >>> for one in leaf_probabilities(model, X_new, y_new):
    ...     if one["class"] == 1:
    ...         print(f"{one['fitted']:.2f} {one['share']:.2f} ({one['lower']:.2f} to {one['upper']:.2f})")
    0.95 0.94 (0.86 to 0.98)
    0.12 0.20 (0.11 to 0.32)
    """
    if hasattr(model, "fit"):
        check_is_fitted(model)
    if not hasattr(model, "classes_") or not hasattr(model, "tree_"):
        raise InputError(f"model is {kind_of(model)}; give a fitted classifier of treewright.")
    if not is_real(confidence) or not 0 < float(confidence) < 1:
        raise InputError(f"confidence={confidence!r}; give a number above 0 and below 1, for example 0.95.")
    refuse_lossy("y", y)
    tree, labels = model.tree_, np.asarray(y)
    leaf = np.asarray(model.apply(X))
    if labels.shape != leaf.shape:
        raise InputError(f"y has shape {labels.shape}; give one label for each of the {len(leaf)} rows of X.")
    words = {rule.leaf: " and ".join(rule.conditions) for rule in rules(tree, digits=6)}
    found = []
    for node in np.flatnonzero(tree.is_leaf).tolist():
        here = labels[leaf == node]
        fitted = tree.value[node] / tree.value[node].sum()
        for k, label in enumerate(model.classes_):
            seen = int((here == label).sum())
            lower, upper = _interval(seen, len(here), float(confidence))
            found.append(
                {
                    "leaf": node,
                    "rule": words[node],
                    "class": label,
                    "fitted": float(fitted[k]),
                    "rows": len(here),
                    "share": seen / len(here) if len(here) else float("nan"),
                    "lower": lower,
                    "upper": upper,
                }
            )
    return found


def _interval(seen: int, n: int, confidence: float) -> tuple[float, float]:
    """Return the Clopper-Pearson interval: the probabilities that neither tail refuses."""
    tail = (1 - confidence) / 2
    ends: NDArray[np.float64] = beta.ppf(
        [tail, 1 - tail], [max(seen, 1), seen + 1], [n - seen + 1, max(n - seen, 1)]
    )
    return (0.0 if seen == 0 else float(ends[0])), (1.0 if seen == n else float(ends[1]))
