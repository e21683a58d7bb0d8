"""How sure an ensemble is where a leaf of a small tree speaks for it: ranges of its score, of rows and of all rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright._arguments import check_arguments
from treewright.convert import Ensemble, EnsembleTree
from treewright.errors import InputError
from treewright.tree import ThresholdSplit, Tree

__all__ = ["LeafScores", "leaf_scores"]


@dataclass(frozen=True)
class LeafScores:
    """The ensemble's score for the class that a leaf predicts.

    The score of a forest is its probability for the class (the share of its votes, if they are hard). That of a boosted
    model is the raw sum, in log-odds; of two classes the first has the negative of the second's.

    Parameters
    ----------
    node : int
        Node number in the tree.
    n_rows : int
        Rows given that end there; without any, `least`, `mean` and `largest` are NaN.
    least, mean, largest : float
        Of these rows.
    lower_bound, upper_bound : float
        No row in this leaf, seen or not, has a score outside these bounds. The bounds need not be attained.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from treewright.bornagain import Ensemble, leaf_scores, solve
    >>> X = [[1.0], [2.0], [3.0], [4.0]]
    >>> ensemble = Ensemble.from_model(RandomForestClassifier(3, max_depth=1, random_state=0).fit(X, [0, 0, 1, 1]))
    >>> [scores.n_rows for scores in leaf_scores(solve(ensemble).tree, ensemble, X)]
    [2, 2]
    """

    node: int
    n_rows: int
    least: float
    mean: float
    largest: float
    lower_bound: float
    upper_bound: float


def leaf_scores(tree: Tree, ensemble: Ensemble, X: ArrayLike) -> tuple[LeafScores, ...]:
    """Return the range of the ensemble's score in each leaf of a tree that stands in for it.

    Parameters
    ----------
    tree : Tree
        A tree of threshold splits over the columns of the ensemble, with its classes, as `distil` and `solve` return
        it.
    ensemble : Ensemble
    X : array-like of shape (n_rows, n_features)

    Returns
    -------
    tuple of LeafScores
        In the order of the nodes.

    Raises
    ------
    InputError
        If the tree has other columns, classes or splits, or `X` another number of columns.

    Notes
    -----
    The bounds are sums, over the trees, of the least and the largest value of the leaves that the region reaches.
    Floating-point sums are monotone and are computed in the model's own order and precision, so rounding cannot put a
    score outside.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from treewright.bornagain import Ensemble, distil, leaf_scores
    >>> X, y = load_iris(return_X_y=True)
    >>> ensemble = Ensemble.from_model(RandomForestClassifier(20, max_depth=3, random_state=0).fit(X, y))
    >>> tree = distil(ensemble, X, tolerance=0.02).tree
    >>> all(leaf.lower_bound <= leaf.least <= leaf.largest for leaf in leaf_scores(tree, ensemble, X))
    True
    """
    check_arguments(leaf_scores, locals(), "tree", "ensemble")
    rows = ensemble.encode(X)
    if (
        len(tree.columns) != ensemble.n_features
        or tree.classes is None
        or list(tree.classes) != list(ensemble.classes)
    ):
        raise InputError("The tree was not made from this ensemble: it has other columns or classes.")
    at = tree.apply(rows)
    scores = ensemble.scores(rows)
    out = []
    for node, region in _regions(tree, ensemble):
        k = int(tree.prediction[node])
        here = _of_class(ensemble, scores[at == node], k)
        bounds = _of_class(ensemble, _bounds(ensemble, region), k)
        seen = (float(here.min()), float(here.mean()), float(here.max())) if len(here) else (np.nan,) * 3
        out.append(LeafScores(node, len(here), *seen, float(bounds.min()), float(bounds.max())))
    return tuple(out)


def _of_class(ensemble: Ensemble, scores: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    """Return the scores of a class from raw sums, (n_rows, n_outputs)."""
    if scores.shape[1] == 1:
        return scores[:, 0] if k == 1 else -scores[:, 0]
    return scores[:, k] / ensemble.divisor


@dataclass(frozen=True)
class _Region:
    """Rows with low < x <= high; `missing` says in which columns a missing value ends here, too."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    missing: NDArray[np.bool_]


def _regions(tree: Tree, ensemble: Ensemble) -> list[tuple[int, _Region]]:
    n = ensemble.n_features
    assert ensemble.missing is not None  # set in __post_init__
    out = []
    stack = [(0, _Region(np.full(n, -np.inf), np.full(n, np.inf), ensemble.missing.copy()))]
    while stack:
        node, region = stack.pop()
        split = tree.splits[node]
        if split is None:
            out.append((node, region))
            continue
        if not isinstance(split, ThresholdSplit):
            raise InputError(
                "The tree was not made from this ensemble: it has splits that are not thresholds."
            )
        j = split.column
        for child, goes_left in ((tree.children_right[node], False), (tree.children_left[node], True)):
            low, high, missing = region.low.copy(), region.high.copy(), region.missing.copy()
            if goes_left:
                high[j] = min(high[j], split.threshold)
            else:
                low[j] = max(low[j], split.threshold)
            missing[j] &= split.missing_left == goes_left
            stack.append((int(child), _Region(low, high, missing)))
    return out


def _bounds(ensemble: Ensemble, region: _Region) -> NDArray[np.float64]:
    """Return sums of the least and of the largest leaf values that the region reaches, (2, n_outputs)."""
    kind = np.float32 if ensemble.single else np.float64
    total = np.tile(ensemble.bias.astype(kind), (2, 1))
    for tree in ensemble.trees:
        values = tree.value[_reached(tree, region)]
        total += np.stack([values.min(axis=0), values.max(axis=0)]).astype(kind)
    return total.astype(np.float64)


def _reached(tree: EnsembleTree, region: _Region) -> list[int]:
    """Return the leaves that rows of the region can end at."""
    out, stack = [], [0]
    while stack:
        node = stack.pop()
        j = int(tree.feature[node])
        if j < 0:
            out.append(node)
            continue
        gap = bool(region.missing[j])
        if region.low[j] < tree.threshold[node] or (gap and tree.missing_left[node]):
            stack.append(int(tree.left[node]))
        if region.high[j] > tree.threshold[node] or (gap and not tree.missing_left[node]):
            stack.append(int(tree.right[node]))
    return out
