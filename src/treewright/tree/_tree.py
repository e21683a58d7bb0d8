"""The tree that all methods return: flat, read-only arrays with scikit-learn's names, and the table's schema.

Node 0 is the root; nodes are numbered in depth-first order, left before right. A node is a leaf exactly if
its split is None. Nothing here depends on how the tree was found.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._plural import kind_of
from treewright.errors import InputTypeError
from treewright.tree._column import Column
from treewright.tree._display import html_of, tree_in_a_line
from treewright.tree._line import Line
from treewright.tree._split import Split, columns_of

__all__ = ["Tree", "TreeKind", "leaf_path", "leaves_in_words", "path_nodes"]

LEAF = -1  # children_left/right of a leaf, as in scikit-learn
NO_FEATURE = -2  # feature of a leaf, as in scikit-learn
ROWS_AT_ONCE = 2**16  # how many rows go through a tree together
ROWS_OF_NODE = 2**8  # ... and at least this many for each of its nodes
WHOLE = 1e-9  # per row of a leaf: rounding error of counts that were read as shares from another library


class TreeKind(Enum):
    """What the leaves of a tree predict; the value completes "a ... tree".

    Examples
    --------
    >>> from treewright import OptimalTreeRegressor
    >>> tree = OptimalTreeRegressor(max_depth=1).fit([[20], [30], [40]], [1.0, 1.0, 5.0]).tree_
    >>> tree.kind, tree.kind.value
    (<TreeKind.REGRESSION: 'regression'>, 'regression')
    """

    CLASSIFICATION = "classification"
    REGRESSION = "regression"
    POLICY = "policy"
    SURVIVAL = "survival"

    @property
    def answers(self) -> str:
        """What trees of this kind predict, as a noun in the plural."""
        return {"classification": "classes", "policy": "actions"}.get(self.value, "numbers")


@dataclass(frozen=True, eq=False, repr=False)
class Tree:
    """An immutable decision tree over the columns of a table.

    Parameters
    ----------
    columns : tuple of Column
        Schema of the table that the tree was made for.
    classes : ndarray of shape (n_classes,) or None
        Labels (or the actions of a policy tree) in the order of the columns of `value`; None for a tree that predicts
        numbers.
    splits : tuple of Split or None, length node_count
        None marks a leaf.
    children_left, children_right : ndarray of shape (node_count,), int32
        Child nodes; -1 for a leaf.
    prediction : ndarray of shape (node_count,), int32
        Index of the class (or action) that the node would predict if it were a leaf; with a cost matrix this is not
        always the most frequent class.
    value : ndarray of shape (node_count, n_outputs), float64
        Training weight per class (classification), the mean target of each output (regression), the mean
        reward of each action (policy), or the hazard ratio (survival, n_outputs = 1).
    n_node_samples : ndarray of shape (node_count,), int64
        Number of training rows in the node.
    kind : TreeKind
        What `value` holds. If it is not given, a tree with classes is a classification tree and one without them a
        regression tree.
    lines : tuple of Line or None, length node_count; or None
        Linear models in the leaves of a regression tree: a leaf with a `Line` adds it to its mean. None for a tree
        without such leaves.

    Examples
    --------
    >>> from treewright import OptimalTreeClassifier
    >>> tree = OptimalTreeClassifier().fit([[20], [30], [40]], ["no", "no", "yes"]).tree_
    >>> tree.n_leaves, tree.depth, tree.splits[0].threshold
    (2, 1, 35.0)
    >>> import numpy as np
    >>> tree.apply(np.array([[25.0], [60.0]]))  # the node that each row ends in
    array([1, 2])
    """

    columns: tuple[Column, ...]
    classes: NDArray[Any] | None
    splits: tuple[Split | None, ...]
    children_left: NDArray[np.int32]
    children_right: NDArray[np.int32]
    prediction: NDArray[np.int32]
    value: NDArray[np.float64]
    n_node_samples: NDArray[np.int64]
    kind: TreeKind = TreeKind.CLASSIFICATION
    lines: tuple[Line | None, ...] | None = None

    def __post_init__(self) -> None:
        if self.classes is None and self.kind is TreeKind.CLASSIFICATION:
            object.__setattr__(self, "kind", TreeKind.REGRESSION)
        for array in (
            self.children_left,
            self.children_right,
            self.prediction,
            self.value,
            self.n_node_samples,
        ):
            array.setflags(write=False)

    def __repr__(self) -> str:
        return tree_in_a_line(self)

    def _repr_html_(self) -> str:
        return html_of(self)

    @property
    def predicts_classes(self) -> bool:
        """Whether this is a classification tree: its leaves hold the weights of classes."""
        return self.kind is TreeKind.CLASSIFICATION

    @property
    def n_outputs(self) -> int:
        """How many numbers a leaf predicts (regression); 1 for all other trees."""
        return int(self.value.shape[1]) if self.kind is TreeKind.REGRESSION else 1

    @property
    def node_count(self) -> int:
        """Number of nodes, leaves included."""
        return len(self.splits)

    @cached_property
    def is_leaf(self) -> NDArray[np.bool_]:
        """Mask of the leaves, shape (node_count,)."""
        return np.array([split is None for split in self.splits], dtype=np.bool_)

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int(self.is_leaf.sum())

    @cached_property
    def node_depth(self) -> NDArray[np.int32]:
        """Depth of each node: the number of splits above it, shape (node_count,)."""
        depth = np.zeros(self.node_count, dtype=np.int32)
        for node in range(self.node_count):  # parents come before children
            if self.splits[node] is not None:
                depth[[self.children_left[node], self.children_right[node]]] = depth[node] + 1
        return depth

    @cached_property
    def known_columns(self) -> tuple[frozenset[int], ...]:
        """For each node the columns that are known in every row that arrives there: missing values went elsewhere."""
        known = [frozenset[int]()] * self.node_count
        for node, split in enumerate(self.splits):  # parents come before children
            if split is not None:
                columns = known[node].union(columns_of(split))
                left, right = int(self.children_left[node]), int(self.children_right[node])
                known[left] = known[node] if split.missing_left else columns
                known[right] = columns if split.missing_left else known[node]
        return tuple(known)

    @property
    def depth(self) -> int:
        """Depth of the tree: the largest number of splits on a path."""
        return int(self.node_depth.max())

    @cached_property
    def feature(self) -> NDArray[np.int32]:
        """Column of each node's split (of a linear split the first one), shape (node_count,); -2 for a leaf."""
        return np.array([NO_FEATURE if s is None else s.column for s in self.splits], dtype=np.int32)

    @cached_property
    def asked(self) -> frozenset[int]:
        """Positions of the columns that have a split or a slope; predictions need no other columns."""
        parts = [split for split in self.splits if split is not None]
        in_splits = {column for split in parts for column in columns_of(split)}
        return frozenset(in_splits.union(*(line.columns for line in self.lines or () if line is not None)))

    @cached_property
    def threshold(self) -> NDArray[np.float64]:
        """Threshold of each node's split, shape (node_count,); NaN for a category split, -2 for a leaf."""
        return np.array(
            [NO_FEATURE if s is None else getattr(s, "threshold", np.nan) for s in self.splits],
            dtype=np.float64,
        )

    @cached_property
    def missing_go_to_left(self) -> NDArray[np.bool_]:
        """Whether a missing value goes left, shape (node_count,)."""
        return np.array([s is not None and s.missing_left for s in self.splits], dtype=np.bool_)

    @cached_property
    def weighted_n_node_samples(self) -> NDArray[np.float64]:
        """Training weight in each node, shape (node_count,)."""
        if not self.predicts_classes:
            return self.n_node_samples.astype(np.float64)
        return np.asarray(self.value.sum(axis=1), dtype=np.float64)

    @cached_property
    def is_weighted(self) -> bool:
        """Whether the tree was evidently trained with weights: a leaf's values are not counts that sum to its rows.

        Weights cannot be detected if they add up, in every leaf, to a whole number for each class and to the number of
        rows in total.
        """
        leaves = self.is_leaf & (self.n_node_samples > 0)
        if not self.predicts_classes or not leaves.any():
            return False
        value, rows = self.value[leaves], self.n_node_samples[leaves]
        is_off = np.abs(value.sum(axis=1) - rows) > WHOLE * rows
        return bool(is_off.any() or (np.abs(value - np.rint(value)) > WHOLE * rows[:, None]).any())

    @cached_property
    def node_shares(self) -> NDArray[np.float64]:
        """Share of each class in the training weight of each node, shape (node_count, n_classes).

        In a node without training weight the predicted class has share 1; so has the action of every node of a policy
        tree.
        """
        if self.kind is TreeKind.POLICY:
            return np.eye(self.value.shape[1])[self.prediction]
        value = self.value.copy()
        empty = np.flatnonzero(value.sum(axis=1) == 0)
        value[empty, self.prediction[empty]] = 1.0
        return np.asarray(value / value.sum(axis=1, keepdims=True), dtype=np.float64)

    def apply(self, X: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the leaf that each row falls into.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_columns), float64
            Encoded rows, as `treewright.table.encode_like` returns them.

        Returns
        -------
        ndarray of shape (n_rows,), int64

        Raises
        ------
        InputTypeError
            If `X` is not encoded, such as a data frame: encode it with `treewright.table.encode_like`, or use the
            estimator's ``predict``.
        """
        if not isinstance(X, np.ndarray) or X.ndim != 2 or X.dtype.kind not in "biuf":
            raise InputTypeError(
                f"X is {kind_of(X)} that is not encoded: a tree takes numbers, with categories as codes. "
                "Ask the estimator, such as model.predict(X), or encode the rows: "
                "treewright.table.encode_like(X, tree.columns)."
            )
        leaf = np.zeros(len(X), dtype=np.int64)
        # A block of rows stays in the cache and needs no new memory; blocks are larger if the tree has many splits.
        at_once = max(ROWS_AT_ONCE, ROWS_OF_NODE * self.node_count)
        for first in range(0, len(X), at_once):
            self._apply(X[first : first + at_once], leaf[first : first + at_once])
        return leaf

    def _apply(self, X: NDArray[np.float64], leaf: NDArray[np.int64]) -> None:
        stack = [(0, np.arange(len(X)))]
        while stack:
            node, rows = stack.pop()
            split = self.splits[node]
            if split is None:
                leaf[rows] = node
            elif len(rows):
                left = split.goes_left(X, rows)
                stack.append((int(self.children_right[node]), rows[~left]))
                stack.append((int(self.children_left[node]), rows[left]))

    def predict(self, X: NDArray[np.float64]) -> NDArray[Any]:
        """Return the label (classification), action (policy) or value (regression, survival) of each encoded row.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_columns), float64
            Encoded as for `apply`.

        Returns
        -------
        ndarray of shape (n_rows,), or (n_rows, n_outputs)
            Two-dimensional only for a regression tree with several outputs.

        Raises
        ------
        InputTypeError
            As for `apply`.
        """
        leaf = self.apply(X)
        if self.classes is None:
            said = np.asarray(self.value[leaf], dtype=np.float64)
            for node, line in enumerate(self.lines or ()):
                if line is not None:
                    rows = np.flatnonzero(leaf == node)
                    said[rows] = line.values(self.value[node], X, rows)
            return said if self.n_outputs > 1 else said[:, 0]
        return self.classes[self.prediction[leaf]]

    def predict_proba(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the share of each class in the training weight of each row's leaf.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_columns), float64
            Encoded as for `apply`.

        Returns
        -------
        ndarray of shape (n_rows, n_classes), float64
            1 for the predicted class of a leaf without training weight.

        Raises
        ------
        InputTypeError
            As for `apply`.
        """
        return np.asarray(self.node_shares[self.apply(X)], dtype=np.float64)


def leaf_path(tree: Tree, leaf: int) -> list[tuple[Split, bool]]:
    """Return the splits on the path from the root to `leaf`, each with True if the path goes left there.

    Parameters
    ----------
    tree : Tree
    leaf : int
        Number of a node; it need not be a leaf.

    Returns
    -------
    list of (Split, bool)

    Examples
    --------
    >>> from treewright import OptimalTreeClassifier
    >>> from treewright.tree import leaf_path
    >>> tree = OptimalTreeClassifier().fit([[20], [30], [40]], ["no", "no", "yes"]).tree_
    >>> leaf_path(tree, 1)
    [(ThresholdSplit(column=0, threshold=35.0, missing_left=True), True)]
    """
    path: list[tuple[Split, bool]] = []
    for node, below in pairwise(path_nodes(tree, leaf)):
        split = tree.splits[node]
        assert split is not None  # a parent is an inner node
        path.append((split, bool(tree.children_left[node] == below)))
    return path


def path_nodes(tree: Tree, leaf: int) -> list[int]:
    """Return the nodes from the root to `leaf`, both included."""
    parent = np.full(tree.node_count, -1)
    inner = np.flatnonzero(~tree.is_leaf)
    parent[tree.children_left[inner]] = inner
    parent[tree.children_right[inner]] = inner
    nodes = [leaf]
    while parent[nodes[-1]] >= 0:
        nodes.append(int(parent[nodes[-1]]))
    return nodes[::-1]


def leaves_in_words(tree: Tree) -> str:
    """Return the number of leaves in words: ``1 leaf``, ``5 leaves``.

    Parameters
    ----------
    tree : Tree

    Returns
    -------
    str

    Examples
    --------
    >>> from treewright import OptimalTreeClassifier
    >>> from treewright.tree import leaves_in_words
    >>> leaves_in_words(OptimalTreeClassifier().fit([[20], [30], [40]], ["no", "no", "yes"]).tree_)
    '2 leaves'
    """
    return "1 leaf" if tree.n_leaves == 1 else f"{tree.n_leaves} leaves"
