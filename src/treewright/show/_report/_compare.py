"""Other classifiers on the same rows: a greedy tree with as many leaves, and models that nobody can read.

Two models are compared on the rows where they disagree: how often only the one is
right, and how often only the other. A sign test says whether such a difference is more than chance (McNemar 1947, the
exact form).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.show._report._counts import Count
from treewright.show._report._models import LARGE, fitted, models_of_classes
from treewright.show._report._rows import Rows
from treewright.tree import Tree, leaves_in_words

__all__ = ["Contender", "compare", "sign_test"]


@dataclass(frozen=True, slots=True)
class Contender:
    """One model on the rows that count.

    Parameters
    ----------
    name : str
    size : str
        How large it is, in words.
    train : Count
    test : Count or None
    only_tree, only_this : int
        Rows that only the report's tree gets right, and rows that only this model does; on the test rows where there
        are some.
    chance : float
        Probability of a difference at least as large if neither was better; 1 for the report's tree itself.
    """

    name: str
    size: str
    train: Count
    test: Count | None
    only_tree: int
    only_this: int
    chance: float


def compare(
    tree: Tree,
    train: Rows,
    test: Rows | None,
    *,
    others: Mapping[str, Tree],
    fit_models: bool = True,
    max_depth: int | None = None,
) -> list[Contender]:
    """Return the report's tree, the trees in `others`, and the models that are fitted here, in this order.

    Parameters
    ----------
    tree : Tree
    train, test : Rows
    others : mapping from name to Tree
        Trees over the same columns and classes.
    fit_models : bool, default=True
        Whether to fit scikit-learn's models.
    max_depth : int or None, default=None
        The limit on depth that the tree had to keep; the greedy tree keeps it too.
    """
    predictions = [
        ("This tree", leaves_in_words(tree), _of_tree(tree, tree, train), _of_tree(tree, tree, test))
    ]
    predictions += [
        (name, leaves_in_words(other), _of_tree(tree, other, train), _of_tree(tree, other, test))
        for name, other in others.items()
    ]
    if fit_models and len(np.unique(train.y)) > 1:
        predictions += _fitted(tree, train, test, max_depth)
    own = predictions[0][2] == train.y if test is None else predictions[0][3] == test.y
    contenders = []
    for name, size, on_train, on_test in predictions:
        right = on_train == train.y if test is None else on_test == test.y
        only_tree, only_this = int((own & ~right).sum()), int((right & ~own).sum())
        contenders.append(
            Contender(
                name,
                size,
                Count(int((on_train == train.y).sum()), len(train)),
                None if test is None else Count(int((on_test == test.y).sum()), len(test)),
                only_tree,
                only_this,
                sign_test(only_tree, only_this),
            )
        )
    return contenders


def sign_test(a: int, b: int) -> float:
    """Return the two-sided probability of a split at least as uneven as `a` against `b`, each side equally likely.

    Beyond 1000 disagreements the normal approximation with continuity correction replaces the exact sum.
    """
    n, fewer = a + b, min(a, b)
    if a == b:
        return 1.0
    if n > 1000:
        return min(1.0, math.erfc((abs(a - b) - 1) / math.sqrt(2 * n)))
    tail: int = sum(math.comb(n, k) for k in range(fewer + 1))
    return min(1.0, float(2 * tail / 2**n))


def _of_tree(tree: Tree, other: Tree, rows: Rows | None) -> NDArray[np.int64]:
    """Predictions of `other` as classes of `tree`; -2, which is never right, for a class that it does not have."""
    if rows is None:
        return np.empty(0, dtype=np.int64)
    assert tree.classes is not None and other.classes is not None  # noqa: PT018  (checked by the caller)
    position = {str(label): k for k, label in enumerate(tree.classes.tolist())}
    same = np.array([position.get(str(label), -2) for label in other.classes.tolist()], dtype=np.int64)
    return same[other.prediction[other.apply(rows.X)]]


def _fitted(
    tree: Tree, train: Rows, test: Rows | None, max_depth: int | None
) -> list[tuple[str, str, NDArray[np.int64], NDArray[np.int64]]]:
    known = train.y >= 0
    greedy = {"max_leaf_nodes": tree.n_leaves, "max_depth": max_depth or None}
    models = models_of_classes(greedy, train.y[known], is_large=train.X.size > LARGE)
    made = fitted(models, tree.columns, train.X, train.y, None if test is None else test.X, known)
    common = np.bincount(train.y[known]).argmax()
    constant = (np.full(len(train), common), np.full(0 if test is None else len(test), common))
    return [*made, ("Always the most frequent class", "no question", *constant)]
