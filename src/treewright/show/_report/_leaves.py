"""What is known about each leaf: its rule in words, and how often it was right, with an interval."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.show._report._rows import Rows
from treewright.show._report._rules import Condition, rule_words
from treewright.show._words import leaf_words
from treewright.tree import Tree, all_leaf_conditions, wilson_interval

__all__ = ["Count", "Leaf", "confusion", "count_right", "describe_leaves"]


@dataclass(frozen=True, slots=True)
class Count:
    """So many of so many rows are right; every row counts as one.

    Parameters
    ----------
    right, rows : int
    """

    right: int
    rows: int

    @property
    def share(self) -> float:
        """Right rows divided by rows; 0 without rows."""
        return self.right / self.rows if self.rows else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """95% Wilson interval; everything without rows."""
        return wilson_interval(self.right, self.rows) if self.rows else (0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Leaf:
    """One leaf.

    Parameters
    ----------
    number : int
        From 1, left to right, as the page names it.
    node : int
    label : str
        What it predicts.
    klass : int
    rule : tuple of Condition, or None
        None if no row can get there.
    train : Count
    test : Count or None
        None without test rows.
    """

    number: int
    node: int
    label: str
    klass: int
    rule: tuple[Condition, ...] | None
    train: Count
    test: Count | None


def describe_leaves(tree: Tree, train: Rows, test: Rows | None, digits: int | None) -> list[Leaf]:
    """Return the leaves of `tree` from left to right."""
    on_train, on_test = _by_node(tree, train), None if test is None else _by_node(tree, test)
    return [
        Leaf(
            number,
            node,
            leaf_words(tree, node, digits).label,
            int(tree.prediction[node]),
            rule_words(tree, conditions, digits),
            on_train[node],
            None if on_test is None else on_test[node],
        )
        for number, (node, conditions) in enumerate(all_leaf_conditions(tree), start=1)
    ]


def count_right(tree: Tree, rows: Rows) -> Count:
    """Return how many of all rows the tree gets right."""
    return Count(int((_predict(tree, rows) == rows.labels).sum()), len(rows))


def confusion(tree: Tree, rows: Rows) -> NDArray[np.int64]:
    """Return counts by true class (rows; a last one for labels that the tree has never seen) and prediction."""
    assert tree.classes is not None  # the report is of classification trees
    k = len(tree.classes)
    truth = np.where(rows.labels < 0, k, rows.labels)
    return np.bincount(truth * k + _predict(tree, rows), minlength=(k + 1) * k).reshape(k + 1, k)


def _predict(tree: Tree, rows: Rows) -> NDArray[np.int64]:
    return tree.prediction[tree.apply(rows.X)].astype(np.int64)


def _by_node(tree: Tree, rows: Rows) -> list[Count]:
    leaf = tree.apply(rows.X)
    right = tree.prediction[leaf] == rows.labels
    n_rows = np.bincount(leaf, minlength=tree.node_count).tolist()
    n_right = np.bincount(leaf[right], minlength=tree.node_count).tolist()
    return [Count(good, all_) for good, all_ in zip(n_right, n_rows, strict=True)]
