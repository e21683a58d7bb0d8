"""From a soft latent tree to the common `Tree` with linear splits, and how far the two agree.

A split s(x) = w f(x) + b < 0 with inputs f_k = (x_k - m_k) / d_k is sum (w_k / d_k) x_k < sum w_k m_k / d_k
- b in the table's own units. A row goes to one leaf by the signs of the splits (Lemma 1), a leaf predicts
from its training rows; the soft model instead adds up, over all nodes a row touches, f(x, z). The two are
different models: the share of rows on which they agree is measured and stated, never assumed.

Dropped on the way: children with a = 0 (a node with none left is a leaf) and splits that send all training
rows to one side. A row with a missing value among a split's columns cannot be answered by the sum; it goes
to the side where most such training rows went in the soft model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import InputError
from treewright.latent._encode import VALUE, Encoder
from treewright.latent._late import taken
from treewright.latent._one_thread import one_thread
from treewright.latent._torch import torch
from treewright.latent._tree import LatentTree
from treewright.tree import Column, LinearSplit, Split, Tree, children_of, rows_of_nodes

__all__ = ["HardenedTree", "harden"]

EVERY_ROW = slice(None)
MakeTree = Callable[[Sequence[Split | None], NDArray[np.float64]], Tree]


@dataclass(frozen=True, eq=False)
class HardenedTree:
    """A tree of linear splits made from a latent tree.

    Parameters
    ----------
    tree : Tree
    agreement : float
        Classification: share of the given rows for which the tree predicts the soft model's class. Regression: 1 -
        (mean squared difference of the two predictions) / (variance of the soft ones), at most 1; for several outputs
        both are summed, each in units of its target's standard deviation.
    sentence : str
        The agreement in words.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright import LatentTreeClassifier
    >>> X = np.random.default_rng(0).random((80, 2))
    >>> model = LatentTreeClassifier(depth=1, epochs=3, random_state=0).fit(X, X[:, 0] > 0.5)
    >>> model.harden().tree.n_leaves <= 2
    True
    """

    tree: Tree
    agreement: float
    sentence: str


def linear_split(
    weights: NDArray[np.float64], bias: float, encoder: Encoder, missing_left: bool = False
) -> LinearSplit:
    """Return weights over the encoder's inputs and a bias as a split of the table's columns (< 0 goes
    left).
    """
    if (encoder.category >= 0).any():
        raise InputError(
            "a split over one-hot categories is not a linear split of the table; fit with "
            'categories="ordinal" to harden.'
        )
    values = encoder.category == VALUE
    slopes = weights[values] / encoder.scale[values]
    threshold = float(slopes @ encoder.center[values]) - bias
    used = slopes != 0
    if not used.any():
        used[0] = True  # a split that is the same for every row still needs a column
    columns = tuple(encoder.source[values][used].tolist())
    return LinearSplit(columns, tuple(slopes[used].tolist()), threshold, missing_left)


def harden(
    tree: LatentTree,
    encoder: Encoder,
    X: NDArray[np.float64],
    make_tree: MakeTree,
    *,
    shaped_by: slice = EVERY_ROW,
) -> Tree:
    """Return the hard tree of a soft one.

    Parameters
    ----------
    tree : LatentTree
        With linear splits (``splits="linear"``, or "elu": the sign of elu(u) + b is that of u - elu^-1(-b)
        where that exists).
    encoder : Encoder
    X : ndarray of shape (n_rows, n_columns)
        Encoded training rows.
    make_tree : callable(splits, X) -> Tree
        Makes the tree from splits in depth-first order, counts and predictions included.
    shaped_by : slice, optional
        Rows that say which splits part any; the counts are those of all rows.

    Raises
    ------
    InputError
        The splits are a module of their own, or inputs are one-hot.
    """
    if tree.splits is not None:
        raise InputError(
            "a latent tree whose splits are a module of their own has no linear splits to harden to."
        )
    weight, bias = _effective(tree)
    seen = taken(X, shaped_by)
    with torch.no_grad(), one_thread(len(seen) * weight.size):
        inputs = torch.as_tensor(encoder.transform(seen), dtype=tree.bias.dtype, device=tree.bias.device)
        soft = tree.eval().scores(inputs).cpu().numpy()
    gaps = np.isnan(seen)
    lacking = np.asarray(gaps.any(axis=0))
    alive = tree.pruning_vector.detach().cpu().numpy() > 0
    shape = tree.shape
    splits: list[Split | None] = []
    stack: list[tuple[int, NDArray[np.int64]]] = [(0, np.arange(len(seen)))]
    while stack:
        t, rows = stack.pop()
        left, right = (int(shape.left[t]), int(shape.right[t])) if t != LEAF else (LEAF, LEAF)
        living = [c for c in (left, right) if c != LEAF and alive[c]]
        if not living:
            splits.append(None)
            continue
        row = int(shape.score_row[t])
        split = linear_split(weight[row], float(bias[row]), encoder)
        asked = np.array([j for j in split.columns if lacking[j]], dtype=np.int64)
        missing = gaps[np.ix_(rows, asked)].any(axis=1)
        if missing.any() and (soft[row][rows[missing]] < 0).mean() > 0.5:
            split = linear_split(weight[row], float(bias[row]), encoder, missing_left=True)
        goes_left = split.goes_left(seen, rows)
        if len(rows) and (goes_left.all() or not goes_left.any()):
            only = left if goes_left.all() else right
            stack.append((only if only in living else LEAF, rows))
            continue
        splits.append(split)
        stack.append((right if right in living else LEAF, rows[~goes_left]))
        stack.append((left if left in living else LEAF, rows[goes_left]))
    return make_tree(splits, X)


LEAF = -1


def _effective(tree: LatentTree) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Weights and biases of linear functions with the signs of the scores, batch normalisation folded in."""
    weight = tree.weight.detach().double().cpu().numpy()
    bias = tree.bias.detach().double().cpu().numpy()
    shift = np.zeros_like(bias)
    if tree.batch_norm:
        factor = (tree.scale.double() / (tree.running_var.double() + 1e-5).sqrt()).detach().cpu().numpy()
        weight = weight * factor[:, None]
        shift = -tree.running_mean.double().cpu().numpy() * factor
    if tree.elu:
        # elu(u) + b < 0  <=>  u < -b if b <= 0, u < log(1 - b) if 0 < b < 1, never if b >= 1 (elu > -1).
        inverse = np.where(bias <= 0, -bias, np.log1p(-np.clip(bias, 0, 1 - 1e-300)))
        bias = np.where(bias >= 1, np.inf, -inverse)
    return weight, shift + bias


def classification_tree(
    columns: Sequence[Column],
    classes: NDArray[Any],
    y: NDArray[np.int32],
    weight: NDArray[np.float64] | None = None,
) -> MakeTree:
    """Return a maker of classification trees whose leaves predict their heaviest class; None is one for each row."""
    from treewright.tree import grow

    costs = 1.0 - np.eye(len(classes))
    weight = np.ones(len(y)) if weight is None else weight
    return lambda splits, X: grow(columns, classes, splits, X, y, weight, costs)


def regression_tree(
    columns: Sequence[Column], y: NDArray[np.float64], weight: NDArray[np.float64] | None = None
) -> MakeTree:
    """Return a maker of regression trees whose leaves predict their weighted mean; None is one for each row.

    `y` is of shape (n_rows,) or (n_rows, n_outputs).
    """
    # Below 1, by a power of two: large weights of large numbers add up to no infinity, and no digit changes.
    weight = np.ones(len(y)) if weight is None else np.ldexp(weight, -np.frexp(weight.max())[1])
    outputs = y.reshape(len(y), -1)

    def make(splits: Sequence[Split | None], X: NDArray[np.float64]) -> Tree:
        left, right = children_of(splits)
        at, count = np.zeros(len(X), dtype=np.int64), np.zeros(len(splits), dtype=np.int64)
        for node, rows in enumerate(rows_of_nodes(splits, X)):
            count[node] = len(rows)
            if splits[node] is None:
                at[rows] = node
        total, heavy = (
            np.column_stack([np.bincount(at, weights=w, minlength=len(splits)) for w in of])
            for of in ([weight * one for one in outputs.T], [weight])
        )
        low, high = np.full(total.shape, np.inf), np.full(total.shape, -np.inf)
        counted = weight > 0
        np.minimum.at(low, at[counted], outputs[counted])
        np.maximum.at(high, at[counted], outputs[counted])
        for node in range(len(splits) - 1, -1, -1):
            if splits[node] is not None:
                for of_both, kept in (
                    (np.add, total),
                    (np.add, heavy),
                    (np.minimum, low),
                    (np.maximum, high),
                ):
                    kept[node] = of_both(kept[left[node]], kept[right[node]])
        some = heavy[:, 0] > 0
        mean = np.full(total.shape, np.nan)
        # Rounded sums leave the range of the rows: the mean of sevens would not be 7.
        mean[some] = np.clip(total[some] / heavy[some], low[some], high[some])
        mean[~some] = mean[0]
        return Tree(
            tuple(columns), None, tuple(splits), left, right,
            np.zeros(len(splits), dtype=np.int32), mean, count,
        )  # fmt: skip

    return make
