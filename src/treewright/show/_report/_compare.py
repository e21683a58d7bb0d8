"""Other models on the same rows: a greedy tree with as many leaves, and models that nobody can read.

All are scikit-learn's with their own defaults and seed 0, fitted on the training rows; they read numbers as they are
and one 0/1 column per category. Two models are compared on the rows where they disagree: how often only the one is
right, and how often only the other. A sign test says whether such a difference is more than chance (McNemar 1947, the
exact form).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.show._report._leaves import Count
from treewright.show._report._rows import Rows
from treewright.tree import Column, ColumnKind, Tree, leaves_in_words

__all__ = ["Contender", "compare", "sign_test"]

LARGE = 5_000_000  # cells; a larger table is compared with the greedy tree and boosting alone


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
    if fit_models and len(np.unique(train.labels)) > 1:
        predictions += _fitted(tree, train, test, max_depth)
    own = predictions[0][2] == train.labels if test is None else predictions[0][3] == test.labels
    contenders = []
    for name, size, on_train, on_test in predictions:
        right = on_train == train.labels if test is None else on_test == test.labels
        only_tree, only_this = int((own & ~right).sum()), int((right & ~own).sum())
        contenders.append(
            Contender(
                name,
                size,
                Count(int((on_train == train.labels).sum()), len(train)),
                None if test is None else Count(int((on_test == test.labels).sum()), len(test)),
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
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.tree import DecisionTreeClassifier
    from threadpoolctl import (
        threadpool_limits,
    )  # comes with scikit-learn; on a busy machine threads only wait

    known = train.labels >= 0
    X, used = _as_numbers(tree.columns, train.X)
    T = None if test is None else _as_numbers(tree.columns, test.X, used)[0]
    models: dict[str, Any] = {}
    if tree.n_leaves > 1:  # CART has at least two
        models["CART with as many leaves"] = DecisionTreeClassifier(
            max_leaf_nodes=tree.n_leaves, max_depth=max_depth or None, random_state=0
        )
    models["Gradient boosting"] = HistGradientBoostingClassifier(random_state=0)
    if X.size <= LARGE:
        linear = LogisticRegression(max_iter=200)
        models["Random forest"] = RandomForestClassifier(random_state=0)
        models["Logistic regression"] = make_pipeline(SimpleImputer(), StandardScaler(), linear)
    made = []
    for name, model in models.items():
        with warnings.catch_warnings(), threadpool_limits(1):
            warnings.simplefilter("ignore")  # a model that did not converge is still a comparison
            model.fit(X[known], train.labels[known])
            on_train, on_test = model.predict(X), np.empty(0, int) if T is None else model.predict(T)
        made.append((name, _size(name, model), on_train, on_test))
    common = np.bincount(train.labels[known]).argmax()
    constant = (np.full(len(train), common), np.full(0 if test is None else len(test), common))
    return [*made, ("Always the most frequent class", "no question", *constant)]


def _size(name: str, model: Any) -> str:
    if name.startswith("CART"):
        return f"{model.get_n_leaves()} leaves"
    if name == "Gradient boosting":
        leaves = sum(tree.get_n_leaf_nodes() for stage in model._predictors for tree in stage)
        return f"{sum(map(len, model._predictors))} trees, {leaves:,} leaves"
    if name == "Random forest":
        leaves = sum(tree.get_n_leaves() for tree in model.estimators_)
        return f"{len(model.estimators_)} trees, {leaves:,} leaves"
    return f"{model[-1].coef_.size:,} coefficients"


def _as_numbers(
    columns: tuple[Column, ...], X: NDArray[np.float64], used: NDArray[np.bool_] | None = None
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Numbers as they are, one 0/1 column per category; without columns that are unknown in all training rows."""
    parts = []
    for j, column in enumerate(columns):
        if column.kind is ColumnKind.CATEGORICAL:
            parts += [(X[:, j] == code).astype(np.float64) for code in range(len(column.categories))]
        else:
            parts.append(X[:, j])
    matrix = np.column_stack(parts)
    if used is None:
        used = ~np.isnan(matrix).all(axis=0)
    return matrix[:, used], used
