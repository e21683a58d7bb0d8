"""How deep a single tree must be to be as expressive as an ensemble (McTavish et al. 2022, Theorem 4.2).

With K >= 3 weak classifiers from a class B of VC dimension VC(B) >= 3, trees of depth

    d = ceil(log2((K VC(B) + K) * (3 ln(K VC(B) + K) + 2)))

have at least the VC dimension of the weighted sums of the weak classifiers. It is a guess of the depth that
may be needed, and a generous one; it says nothing about a particular table.

VC(B). Trees of depth at most k have 2^k leaves and, on k or more 0/1 columns, a VC dimension of at least 2^k. The
paper's examples (10 and 100 trees of depth 3: 11 and 15) are those of 2^k = 8, and so 2^k is taken here, and 3 for
stumps, because the theorem needs at least 3. On many columns the dimension is larger: stumps on m different 0/1
columns can shatter floor(log2(m + 1)) + 1 rows. There the theorem may ask for a larger depth than this one.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from treewright._arguments import check_arguments
from treewright._numbers import is_whole
from treewright.errors import InputError
from treewright.guess._models import check_model, depths_of_boosted

__all__ = ["depth_of_ensemble", "guess_depth"]

DEEPEST = 10_000  # the formula takes the power of two


def depth_of_ensemble(n_estimators: int, max_depth: int) -> int:
    """Return the depth of Theorem 4.2 for an ensemble of this many trees of this depth.

    Parameters
    ----------
    n_estimators : int
        Number of trees K; below 3 the theorem is used with K = 3.
    max_depth : int
        Splits on a path of each tree, at least 1.

    Returns
    -------
    int

    Raises
    ------
    InputError
        Not positive integers.

    References
    ----------
    McTavish et al. (2022), Theorem 4.2.

    Examples
    --------
    >>> depth_of_ensemble(10, 3), depth_of_ensemble(100, 3)
    (11, 15)
    """
    check_arguments(depth_of_ensemble, locals(), "max_depth")
    if max_depth > DEEPEST:
        raise InputError(f"max_depth={max_depth}; give at most {DEEPEST:,}.")
    for name, value in (("n_estimators", n_estimators), ("max_depth", max_depth)):
        if not is_whole(value) or value < 1:
            raise InputError(f"{name}={value!r}; give an integer of at least 1.")
    k = max(3, int(n_estimators))
    vc = max(3, 2 ** int(max_depth))
    total = k * vc + k
    return math.ceil(math.log2(total) + math.log2(3 * math.log(total) + 2))


def guess_depth(reference: Any) -> int:
    """Return the depth of Theorem 4.2 for a reference ensemble: a guess of how deep a single tree may have to be.

    Parameters
    ----------
    reference : estimator
        A tree ensemble with parameters for the number and the depth of its trees, fitted or not. If no parameter limits
        the depth, the model must be fitted; the depth of its deepest tree is then taken.

    Returns
    -------
    int

    Raises
    ------
    InputError
        A regressor, or a model whose trees cannot be counted.

    Examples
    --------
    >>> from treewright.guess import guess_depth, named_reference
    >>> guess_depth(named_reference("gbdt", n_estimators=10, max_depth=2).fit([[1], [2], [3], [4]], [0, 0, 1, 1]))
    10
    """
    check_model(reference)
    n_estimators, max_depth = _size(reference)
    return depth_of_ensemble(n_estimators, max_depth)


def _size(model: Any) -> tuple[int, int]:
    """Number of trees and their depth: of the fitted trees, else of the parameters."""
    trees = _fitted_trees(model)
    if trees:
        return len(trees), max(1, max(trees))
    given = model.get_params(deep=False)
    count = given.get("n_estimators", given.get("max_iter") if "max_bins" in given else None)
    if "estimator" in given:  # AdaBoost (stumps where none is named) and Bagging
        inner = given["estimator"]
        stumps = 1 if "learning_rate" in given else None
        depth = stumps if inner is None else getattr(inner, "max_depth", None)
    else:
        depth = given.get("max_depth")
        count = 1 if count is None and "max_depth" in given else count
    if count is None:
        raise InputError(
            f"A {type(model).__name__} is not a tree ensemble, so no depth can be guessed from it. Give "
            "max_depth as a number."
        )
    if not isinstance(depth, (int, np.integer)) or depth < 1:
        raise InputError(
            f"The trees of this {type(model).__name__} have no limit of depth (max_depth={depth!r}), so it "
            "must be fitted before a depth can be guessed from it; or give max_depth as a number."
        )
    return int(count), int(depth)


def _fitted_trees(model: Any) -> list[int]:
    """Depth of each tree of a fitted model; empty for one that is not fitted, and for what has no trees."""
    if hasattr(model, "tree_"):
        return [int(model.tree_.max_depth)]
    if hasattr(model, "_predictors"):
        return [int(tree.get_max_depth()) for stage in model._predictors for tree in stage]
    if hasattr(model, "estimators_"):
        return [
            depth
            for tree in np.asarray(model.estimators_, dtype=object).ravel()
            for depth in _fitted_trees(tree)
        ]
    return depths_of_boosted(model)
