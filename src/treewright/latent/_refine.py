"""The hard tree of a latent tree: grown and made better as a hard tree, its way and size chosen by cross-validation.

The signs of a soft tree's splits make a hard tree that no gradient ever saw. Better ones are made in several ways:

- grown from nothing, the best split first, of one column (as CART does) or of several (`_grow.py`);
- the same, or the signs' tree with its missing leaves grown, after alternating optimisation (`_alternate.py`);
- grown on what the soft model says of the rows, and of more rows between them (`_taught.py`).

Each is cut back, its weakest link first (Breiman et al. 1984, section 3.3), to every smaller number of leaves. Ways
that start from nothing are judged on `FOLDS` parts of the rows, each by a tree of the others. The first is CART; a
later one takes its place only if the rows cost less by more than a standard error of the difference, for it is harder
to read, and a smaller lead may be luck. The soft model was made with the training rows, so the ways of its signs and
its answers are judged on the validation rows alone. The signs need the same lead. The taught tree has the doubt on
its side: it is kept unless another costs less by more than a standard error, for it comes nearest to the model that
it stands for. The chosen way is gone once more with all rows, to the chosen number of leaves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.latent._alternate import sweep
from treewright.latent._grow import best_first
from treewright.latent._hard_nodes import (
    LEAF,
    Check,
    Labels,
    Nodes,
    Numbers,
    Numbers64,
    OutOfTimeError,
    Rows,
    never,
)
from treewright.latent._taught import Ground, Teacher
from treewright.tree import Column, Split

__all__ = ["refine", "regrown"]

FOLDS = 5
ROOM = 2  # as many leaves are grown as a tree may have, before it is cut back: later splits show what a split is worth
SWEEPS = 20  # most sweeps; they end when none helps


@dataclass(frozen=True)
class _Way:
    """How a tree is made: from the signs or from nothing, of which kind its new splits are."""

    signs: bool
    grown: str | None  # kind of the splits that leaves get, if they get any
    swept: str | None  # kind of the splits that sweeps find, if there are any
    taught: bool = False  # whether by the soft model: its answers, on more rows


WAYS = {
    "axis": (
        _Way(False, "axis", None),
        _Way(False, "axis", "axis"),
        _Way(True, "axis", "axis"),
        _Way(False, "axis", None, taught=True),
    ),
    "linear": (
        _Way(False, "axis", None),
        _Way(False, "axis", "linear"),
        _Way(False, "linear", None),
        _Way(False, "linear", "linear"),
        _Way(True, None, None),
        _Way(True, "linear", "linear"),
        _Way(False, "linear", None, taught=True),
    ),
}


@dataclass(frozen=True, eq=False)
class _Judged:
    way: _Way
    n_leaves: int
    losses: (
        Numbers64  # of each judging row, for each number of leaves up to the most, (max_leaves + 1, n_judges)
    )


def refine(
    splits: Sequence[Split | None],
    columns: Sequence[Column],
    X: Numbers64,
    target: Labels | Numbers,
    *,
    kind: str,
    validation: NDArray[np.bool_],
    only_judge: bool = False,
    max_leaves: int,
    teacher: Teacher | None = None,
    is_over: Callable[[], bool] = lambda: False,
) -> list[Split | None]:
    """Return the splits of the best hard tree that was found.

    Parameters
    ----------
    splits : sequence of Split or None
        The signs' tree, depth-first, None for a leaf.
    columns : sequence of Column
    X : ndarray of shape (n_rows, n_columns)
        Encoded rows.
    target : Labels or Numbers
    kind : {"linear", "axis"}
        Whether splits may combine columns; with "axis" none of the tree does.
    validation : ndarray of shape (n_rows,), bool
        Rows that the signs' tree has not seen. None at all: all rows train and judge.
    only_judge : bool, default=False
        Whether these rows judge every way and train none.
    max_leaves : int
        Most leaves of a tree that is grown.
    teacher : Teacher, optional
        The soft model; without it no tree is taught.
    is_over : callable, optional
        Asked before each column of each node, as often as a pass over all rows; after a true answer the best tree
        so far is kept.

    Returns
    -------
    list of Split or None
        Depth-first.
    """

    def check() -> None:
        if is_over():
            raise OutOfTimeError

    every = np.arange(len(X))
    held, train = every[validation], every[~validation]
    if not len(held):
        held, parts = every, [(every, every)]
    elif only_judge:
        every, parts = train, [(train, held)]
    else:
        fold = _folds(target.y)
        parts = [(every[fold != k], every[fold == k]) for k in range(FOLDS)]
    max_leaves = max(max_leaves, sum(split is None for split in splits))
    grown: dict[tuple[bool, bool, str | None, int], tuple[Nodes, Ground]] = {}

    def made(way: _Way, rows: Rows, part: int) -> tuple[Nodes, Ground]:
        key = (way.signs, way.taught, way.grown, part)
        if key not in grown:
            own = Ground(X, rows, target)
            ground = teacher.ground(X, rows, target, check) if way.taught and teacher else own
            nodes = Nodes.of(splits if way.signs else [None])
            nodes.fit_leaves(ground.X, ground.rows, ground.target, check)
            if way.grown is not None:
                nodes = best_first(
                    nodes, columns, ground.X, ground.rows, ground.target,
                    kind=way.grown, max_leaves=max_leaves if way.taught else ROOM * max_leaves, check=check,
                )  # fmt: skip
                nodes = _cut_to(nodes, ground, max_leaves, check)
            grown[key] = nodes, ground
        nodes, ground = grown[key]
        nodes = nodes.copy()
        for _ in range(SWEEPS if way.swept is not None else 0):
            changed = sweep(nodes, columns, ground.X, ground.rows, ground.target, str(way.swept), check)
            nodes.fit_leaves(ground.X, ground.rows, ground.target, check)
            if not changed:
                break
        return nodes, ground

    def judged(way: _Way, among: Sequence[tuple[Rows, Rows]], first: int) -> _Judged:
        losses = []
        for k, (rows, judges) in enumerate(among):
            nodes, ground = made(way, rows, first + k)
            losses.append(_by_leaves(nodes, ground, Ground(X, rows, target), judges, max_leaves, check))
        together = np.concatenate(losses, axis=1)
        return _Judged(way, 1 + int(together[1:].sum(axis=1).argmin()), together)

    best: _Judged | None = None
    rival: Numbers64 | None = None  # what the best way of those from nothing costs the validation rows
    done: list[Split | None] = list(splits)
    try:
        for way in WAYS[kind]:
            if way.taught and teacher is None:
                continue
            seen = way.signs or way.taught  # the soft model has seen the training rows
            if seen and rival is None and best is not None:
                rival = judged(best.way, [(train, held)], FOLDS).losses[best.n_leaves]
            one = judged(way, [(train, held)] if seen else parts, FOLDS if seen else 0)
            costs = one.losses[one.n_leaves]
            against = rival if seen else None if best is None else best.losses[best.n_leaves]
            doubt = way.taught and against is not None and not _clearly_less(against, costs)
            if against is None or doubt or _clearly_less(costs, against):
                nodes, ground = made(way, every, FOLDS + 1)
                tree = _cut_to(nodes, ground, one.n_leaves, check)
                best, done = one, tree.in_order(X, every, kind)
                rival = costs if seen else None
            check()
    except OutOfTimeError:  # of the way that was being gone nothing is known
        pass
    return done


def regrown(splits: Sequence[Split | None], X: Numbers64) -> list[Split | None]:
    """Return the splits without those that leave a side of these rows empty.

    Parameters
    ----------
    splits : sequence of Split or None
        Depth-first, None for a leaf.
    X : ndarray of shape (n_rows, n_columns)
        Encoded rows.
    """
    return Nodes.of(splits).in_order(X, np.arange(len(X)), "linear")


def _folds(y: NDArray[np.int32] | Numbers64) -> NDArray[np.int64]:
    """Return the part of each row: by turns in the order of the target (a sum of several), equal ones at random."""
    y = y if y.ndim == 1 else y.sum(axis=1)
    order = np.random.default_rng(0).permutation(len(y))
    order = order[np.argsort(y[order], kind="stable")]
    fold = np.empty(len(y), dtype=np.int64)
    fold[order] = np.arange(len(y)) % FOLDS
    return fold


def _clearly_less(costs: Numbers64, against: Numbers64) -> bool:
    """Whether rows cost less on average, by more than a standard error of the difference."""
    less = against - costs
    return bool(less.mean() > (less.std(ddof=1) / np.sqrt(len(less)) if len(less) > 1 else 0.0))


def _by_leaves(
    nodes: Nodes, ground: Ground, true: Ground, judges: Rows, max_leaves: int, check: Check
) -> Numbers64:
    """Return what each judge costs in the largest cut-back tree of at most 0, 1, 2... leaves (0 is taken as 1).

    The tree is cut back on the ground that it was grown on; its leaves are fitted to the true rows.
    """
    fitted = nodes.copy()
    fitted.fit_leaves(true.X, true.rows, true.target, check)
    losses = np.empty((max_leaves + 1, len(judges)))
    above = max_leaves + 1
    for n_leaves, tree in _prunings(nodes, ground, check):
        check()
        tree.value = fitted.value
        losses[n_leaves:above] = true.target.loss(judges, tree.predicted(true.X, judges))
        above = n_leaves
    losses[0] = losses[1]
    return losses


def _cut_to(nodes: Nodes, ground: Ground, most: int, check: Check) -> Nodes:
    """Return the largest cut-back tree of at most so many leaves."""
    return next(tree for n_leaves, tree in _prunings(nodes, ground, check) if n_leaves <= most)


def _prunings(nodes: Nodes, ground: Ground, check: Check = never) -> Iterator[tuple[int, Nodes]]:
    """Yield leaves and tree: the whole one, then without the split that saves least a leaf, down to a leaf.

    Of splits that save the same, the one that takes least from the squared error goes first (of classes, the Gini
    impurity): a split without which no row's class changes may still part the classes.
    """
    tree, target = nodes.copy(), ground.target
    alone: dict[int, tuple[float, float]] = {}  # loss and squared error of a leaf at each node
    for node, here in tree.reached(ground.X, ground.rows, check).items():
        check()
        sums = target.sums(here).sum(axis=0)
        error = (
            -float((sums[1:] ** 2).sum() / sums[0]) if sums[0] else 0.0
        )  # less what the rows' own numbers make
        same = np.broadcast_to(tree.value[node], (len(here), *tree.value.shape[1:]))
        alone[node] = float(target.loss(here, same).sum()), error
    while True:
        size: dict[int, int] = {}
        total: dict[int, tuple[float, float]] = {}
        for node in reversed(tree.order()):
            size[node], total[node] = 1, alone[node]
            if tree.splits[node] is not None:
                left, right = int(tree.left[node]), int(tree.right[node])
                size[node] = size[left] + size[right]
                total[node] = total[left][0] + total[right][0], total[left][1] + total[right][1]
        yield size[0], tree.copy()
        links = {
            node: (
                round((alone[node][0] - total[node][0]) / (size[node] - 1), 9),
                (alone[node][1] - total[node][1]) / (size[node] - 1),
            )
            for node in size
            if tree.splits[node] is not None
        }
        if not links:
            return
        weakest = min(links, key=lambda node: links[node])
        tree.splits[weakest], tree.left[weakest], tree.right[weakest] = None, LEAF, LEAF
