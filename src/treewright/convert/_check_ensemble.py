"""What every `Ensemble` keeps to, whoever made it: the one check behind all readers.

Files are not trusted, and numpy is forgiving: a child that points back makes a walk endless, a column number of
-1 reads the last column, NaN compares with nothing. So each ensemble is checked when it is made, by whole-array
operations: every node is reached exactly once, columns exist, numbers are finite, sums cannot overflow, sizes are
within caps. Cost: linear in the nodes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from treewright.errors import InputError

if TYPE_CHECKING:
    from treewright.convert._ensemble import Ensemble
    from treewright.convert._ensemble_tree import EnsembleTree

__all__ = [
    "LINKS",
    "EnsembleFault",
    "check_ensemble",
    "check_leaf_classes",
    "check_sizes",
    "check_structure",
    "nodes_from_root",
]

LINKS = ("argmax", "positive", "softmax32", "softmax64")
MAX_FEATURES = 1_000_000
MAX_CLASSES = 10_000
MAX_TREES = 1_000_000
MAX_VALUES = 1 << 28  # scores of all nodes together, 2 GiB
MAX_DEPTH = 5_000  # of one tree: the compiled core walks a tree by recursion


class EnsembleFault(InputError):
    """An ensemble contradicts itself, or is larger than what can be held."""


def check_sizes(n_features: int, n_classes: int, n_trees: int, n_nodes: int = 0, n_outputs: int = 1) -> None:
    """Refuse sizes that no model has, before memory is taken for them.

    Raises
    ------
    EnsembleFault
    """
    for what, count, least, most in (
        ("columns", n_features, 1, MAX_FEATURES),
        ("classes", n_classes, 2, MAX_CLASSES),
        ("trees", n_trees, 1, MAX_TREES),
    ):
        if not least <= count <= most:
            raise EnsembleFault(f"{count} {what}; {least} to {most} can be read.")
    if n_nodes * n_outputs > MAX_VALUES:
        raise EnsembleFault(f"{n_nodes} nodes of {n_outputs} scores each; {MAX_VALUES} scores can be held.")


def nodes_from_root(
    left: NDArray[np.integer], right: NDArray[np.integer], is_leaf: NDArray[np.bool_], where: str
) -> NDArray[np.int64]:
    """Return the nodes that are reached from node 0, level by level, so that children come after parents.

    Parameters
    ----------
    left, right : ndarray of shape (n_nodes,), integers
        Not trusted; ignored at leaves.
    is_leaf : ndarray of shape (n_nodes,), bool
    where : str
        Name of the tree, for messages.

    Raises
    ------
    EnsembleFault
        A child does not exist, or a node is reached twice (two parents, or a cycle).
    """
    n = len(is_leaf)
    seen = np.zeros(n, dtype=np.bool_)
    level = np.zeros(1, dtype=np.int64)
    seen[0] = True
    order = [level]
    while len(level := level[~is_leaf[level]]):
        if len(order) > MAX_DEPTH:
            raise EnsembleFault(f"{where} is deeper than {MAX_DEPTH} splits.")
        level = np.column_stack([left[level], right[level]]).ravel().astype(np.int64)
        outside = (level < 0) | (level >= n)
        if outside.any():
            raise EnsembleFault(f"{where} has nodes 0 to {n - 1}; one names the child {level[outside][0]}.")
        ordered = np.sort(level)
        twice = np.concatenate([level[seen[level]], ordered[1:][ordered[1:] == ordered[:-1]]])
        if len(twice):
            raise EnsembleFault(f"In {where} node {twice[0]} is reached twice; each node has one parent.")
        seen[level] = True
        order.append(level)
    return np.concatenate(order)


def check_structure(tree: EnsembleTree, n_features: int) -> None:
    """Check that the arrays of one tree are a binary tree over the columns.

    Raises
    ------
    EnsembleFault
    """
    arrays = (tree.feature, tree.threshold, tree.left, tree.right, tree.missing_left)
    if any(not isinstance(array, np.ndarray) for array in (*arrays, tree.value)):
        raise EnsembleFault("its nodes are not numpy arrays.")
    n = len(tree.feature) if tree.feature.ndim == 1 else 0
    if n < 1 or any(array.shape != (n,) for array in arrays) or tree.value.shape[:1] != (n,):
        raise EnsembleFault("its arrays differ in length, or it has no nodes.")
    if any(array.dtype.kind not in "iu" for array in (tree.feature, tree.left, tree.right)):
        raise EnsembleFault("column and child numbers must be integers.")
    if tree.threshold.dtype.kind != "f" or tree.value.dtype.kind != "f" or tree.value.ndim != 2:
        raise EnsembleFault("thresholds and scores must be floats, scores of shape (n_nodes, n_outputs).")
    leaf = tree.feature < 0
    inner = np.flatnonzero(~leaf)
    if (tree.feature < -1).any() or (tree.feature >= n_features).any():
        wrong = tree.feature[(tree.feature < -1) | (tree.feature >= n_features)][0]
        raise EnsembleFault(f"a node splits on column {wrong}; there are columns 0 to {n_features - 1}.")
    children = np.concatenate([tree.left[inner], tree.right[inner]]).astype(np.int64)
    if ((children <= np.concatenate([inner, inner])) | (children >= n)).any():
        raise EnsembleFault(f"a child is not among the nodes after its parent, out of 0 to {n - 1}.")
    # Children come after their parent, so one parent each makes it a tree that reaches every node.
    parents = np.bincount(children, minlength=n)
    if (parents[1:] != 1).any():
        wrong = 1 + int(np.flatnonzero(parents[1:] != 1)[0])
        raise EnsembleFault(f"node {wrong} has {parents[wrong]} parents; each node but the root has one.")
    if len(inner) > MAX_DEPTH:  # only a tree of so many splits can be too deep
        nodes_from_root(tree.left, tree.right, leaf, "it")
    threshold = tree.threshold[inner]
    if (np.isnan(threshold) | (threshold == -np.inf)).any():
        raise EnsembleFault("a threshold is NaN or -inf; give a number, or inf for 'the value is known'.")
    if not np.isfinite(tree.value[leaf]).all():
        raise EnsembleFault("a leaf holds NaN or infinity.")


def check_leaf_classes(tree: EnsembleTree, n_classes: int) -> None:
    """Check that every leaf of a voting tree names a class in its first score.

    Raises
    ------
    EnsembleFault
    """
    index = tree.value[tree.feature < 0, 0]
    if not ((index >= 0) & (index < n_classes) & (index == np.floor(index))).all():
        raise EnsembleFault(f"a leaf names a class that is none of 0 to {n_classes - 1}.")


def check_ensemble(ensemble: Ensemble) -> None:
    """Check all that the methods rely on; `Ensemble` calls this when it is made.

    Raises
    ------
    EnsembleFault
        The message names the tree and what is wrong.
    """
    e = ensemble
    try:
        check_sizes(
            e.n_features,
            e.n_classes,
            len(e.trees),
            sum(len(tree.feature) for tree in e.trees),
            len(e.bias),
        )
        _check_rule(e)
    except EnsembleFault as fault:
        raise EnsembleFault(f"The {e.source} cannot be used: {fault}") from None
    largest = np.abs(e.bias)
    for t, tree in enumerate(e.trees):
        try:
            check_structure(tree, e.n_features)
            if tree.value.shape[1] != len(e.bias):
                raise EnsembleFault(f"its leaves hold {tree.value.shape[1]} scores, the bias {len(e.bias)}.")
        except EnsembleFault as fault:
            raise EnsembleFault(f"Tree {t} of the {e.source} cannot be used: {fault}") from None
        largest = largest + np.abs(tree.value[tree.feature < 0]).max(axis=0)
    # Differences of two scores are taken, hence a quarter.
    if not (largest < np.finfo(np.float32 if e.single else np.float64).max / 4).all():
        raise EnsembleFault(f"The {e.source} cannot be used: the sums of its scores overflow.")


def _check_rule(e: Ensemble) -> None:
    """Check the rule that turns sums into a class."""
    k = len(e.bias)
    if e.link not in LINKS:
        raise EnsembleFault(f"link={e.link!r}; choose one of {', '.join(LINKS)}.")
    if e.bias.ndim != 1 or not np.isfinite(e.bias).all():
        raise EnsembleFault("the bias must be finite, one number a score.")
    if (k, e.n_classes) != (1, 2) if e.link == "positive" else k != e.n_classes:
        raise EnsembleFault(f"{k} scores do not decide {e.n_classes} classes under link {e.link!r}.")
    if not (np.isfinite(e.divisor) and e.divisor > 0 and np.isfinite(e.cut)):
        raise EnsembleFault(f"divisor={e.divisor!r} must be positive and cut={e.cut!r} finite.")
    if e.inputs not in ("float64", "float32"):
        raise EnsembleFault(f"inputs must be 'float64' or 'float32'; got {e.inputs!r}.")
    if e.missing is None or e.missing.shape != (e.n_features,) or e.missing.dtype.kind != "b":
        raise EnsembleFault(f"missing must hold {e.n_features} truth values, one per column.")
