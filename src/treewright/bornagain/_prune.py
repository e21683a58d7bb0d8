"""Pruning by data: of a given tree, as in the paper, or the fewest leaves that can survive it.

A pruned tree decides like the ensemble on every row that it was pruned with; until sibling leaves of one class are
merged, also on the bounding box of the rows of each leaf. Elsewhere it may differ.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright._arguments import check_arguments, numbers_of
from treewright._native import core
from treewright.bornagain._course import STOPS, Progress, ended_by, give_up_if_asked, reporter
from treewright.bornagain._engine import DEFAULT_MEMORY, HUGE, Engine
from treewright.bornagain._notes import domain_notes
from treewright.bornagain._solve_groups import refuse_groups
from treewright.convert import Ensemble, rows_by_name
from treewright.errors import InputError, SolverError
from treewright.result import BornAgainResult, SolveStatus, told_to_stop
from treewright.search import engine_answer
from treewright.tree import Tree, leaves_in_words, merge_equal_leaves

__all__ = ["merged_result", "prune", "pruned_result", "smaller_result", "solve_active"]

MOST_INCUMBENT_LEAVES = 20_000
LEAVES_A_SECOND = 40_000  # that are made into a Tree and pruned
SEARCH_SHARE = 0.8  # of the time limit; the rest is for a second incumbent
BOXES = " and on the box around the rows of each leaf"  # as a scope says it
MOST_SECONDS = 10.0  # for that in a run without a time limit


def prune(tree: Tree, X: ArrayLike, *, merge: bool = True) -> Tree:
    """Replace every split with an empty side by its other side (Vidal and Schiffer 2020, section 4.4).

    Parameters
    ----------
    tree : Tree
    X : array-like of shape (n_rows, n_columns)
        Rows that must keep their decision; at least one.
    merge : bool, default=True
        Also merge two sibling leaves with the same class, which changes no decision. Pruning leaves such siblings
        behind if the split was only needed for a third region without rows.

    Returns
    -------
    Tree
        Each leaf holds at least one row of `X`; node counts are those of `X`.

    Raises
    ------
    InputError
        If `X` has no rows or the wrong number of columns.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from treewright.bornagain import Ensemble, prune, solve
    >>> X = [[1.0], [2.0], [3.0], [4.0]]
    >>> ensemble = Ensemble.from_model(RandomForestClassifier(3, max_depth=1, random_state=0).fit(X, [0, 0, 1, 1]))
    >>> prune(solve(ensemble).tree, X[:2]).n_leaves
    1
    """
    check_arguments(prune, locals(), "tree")
    rows = numbers_of("X", rows_by_name(X, [column.name for column in tree.columns], "tree"))
    if rows.ndim != 2 or not len(rows) or rows.shape[1] != len(tree.columns):
        raise InputError(f"X must have rows and {len(tree.columns)} columns; got shape {rows.shape}.")
    count = np.bincount(tree.apply(rows), minlength=tree.node_count)
    for node in range(tree.node_count - 1, -1, -1):  # children come after their parent
        if tree.splits[node] is not None:
            count[node] = count[tree.children_left[node]] + count[tree.children_right[node]]
    leaf_class = np.where(tree.is_leaf, tree.prediction, -1)
    for node in range(tree.node_count - 1, -1, -1):
        if tree.splits[node] is not None:
            sides = [int(tree.children_left[node]), int(tree.children_right[node])]
            seen = {int(leaf_class[side]) for side in sides if count[side]}
            # All rows below have one class: after pruning and merging this is a leaf.
            leaf_class[node] = seen.pop() if len(seen) == 1 and (merge or not all(count[sides])) else -1
    kept: list[int] = []
    parent_slot: list[tuple[int, bool]] = []
    stack: list[tuple[int, int, bool]] = [(0, -1, True)]
    while stack:
        node, parent, is_left = stack.pop()
        while tree.splits[node] is not None and leaf_class[node] < 0:
            left, right = int(tree.children_left[node]), int(tree.children_right[node])
            if count[left] and count[right]:
                break
            node = left if count[left] else right
        kept.append(node)
        parent_slot.append((parent, is_left))
        if leaf_class[node] < 0:
            at = len(kept) - 1
            stack.append((int(tree.children_right[node]), at, False))
            stack.append((int(tree.children_left[node]), at, True))
    n = len(kept)
    left_child = np.full(n, -1, dtype=np.int32)
    right_child = np.full(n, -1, dtype=np.int32)
    for at, (parent, is_left) in enumerate(parent_slot):
        if parent >= 0:
            (left_child if is_left else right_child)[parent] = at
    value = np.zeros((n, tree.value.shape[1]))
    prediction = np.where(leaf_class[kept] >= 0, leaf_class[kept], 0).astype(np.int32)
    samples = count[kept].astype(np.int64)
    for at in range(n - 1, -1, -1):
        if left_child[at] < 0:
            value[at, prediction[at]] = samples[at]
        else:
            value[at] = value[left_child[at]] + value[right_child[at]]
            prediction[at] = np.argmax(value[at])
    splits = tuple(None if leaf_class[node] >= 0 else tree.splits[node] for node in kept)
    return Tree(tree.columns, tree.classes, splits, left_child, right_child, prediction, value, samples)


def pruned_result(result: BornAgainResult, X: NDArray[np.float64]) -> BornAgainResult:
    """Return the result of pruning by rows: decisions are kept on them, and nothing is proven about the size."""
    tree = prune(result.tree, X)
    if tree.n_leaves == result.tree.n_leaves:  # every split is needed: the faithful tree, with its proof
        return result
    before = f"Before pruning it had depth {result.tree.depth} and {leaves_in_words(result.tree)}"
    note = (
        f"{before}, and decided like the ensemble on {result.scope}. A pruned tree may differ from the ensemble where "
        "there are no training rows."
    )
    return replace(smaller_result(result, tree, note), scope=f"the {len(X)} rows that it was pruned with")


def smaller_result(result: BornAgainResult, tree: Tree, note: str) -> BornAgainResult:
    """Return the result of a tree that was made smaller after the proof, which says nothing about its size."""
    return replace(
        result,
        tree=tree,
        status=SolveStatus.FEASIBLE,
        objective=float(tree.n_leaves),
        lower_bound=1.0,
        stats={
            **result.stats,
            "depth": tree.depth,
            "leaves": tree.n_leaves,
            "depth_lower_bound": 0,
            "leaves_lower_bound": 1,
        },
        notes=(*result.notes, note),
    )


def merged_result(result: BornAgainResult) -> BornAgainResult:
    """Return the result of `solve_active` with sibling leaves of one class merged; its own where there are none.

    All decisions stay. The proof does not, for it was of the leaves apart; nor does the statement on the boxes around
    the rows of leaves, for the box of a larger leaf may hold rows that the ensemble decides otherwise.
    """
    tree = merge_equal_leaves(result.tree)
    if tree.n_leaves == result.tree.n_leaves:
        return result
    n_apart = result.tree.n_leaves
    apart = f"Sibling leaves of one class were merged, which changes no decision; apart they were {n_apart}."
    return replace(smaller_result(result, tree, apart), scope=result.scope.removesuffix(BOXES))


def solve_active(
    ensemble: Ensemble,
    X: ArrayLike,
    *,
    time_limit: float | None = 60.0,
    step_limit: int | None = None,
    memory_limit: int | None = DEFAULT_MEMORY,
    progress: Callable[[Progress], bool | None] | None = None,
) -> BornAgainResult:
    """Find the tree with the fewest leaves that any faithful tree can have after it is pruned by the rows `X`.

    Parameters
    ----------
    ensemble : Ensemble
    X : array-like of shape (n_rows, n_features)
        Training rows.
    time_limit : float or None, default=60.0
        Seconds. The search gets four fifths of them; if there is no proof by then, the rest is used to find a second
        incumbent.
    step_limit : int or None, default=None
    memory_limit : int or None, default=4 GiB
        Bytes of the memo and of the conflicts between rows.
    progress : callable, optional
        Called about 20 times a second with a `Progress`; if it returns True, the run ends.

    Returns
    -------
    BornAgainResult
        `scope` says where the tree decides like the ensemble: on `X`, and on the bounding box of each leaf's
        rows.

    Raises
    ------
    InputError
        If `X` has no rows or the wrong number of columns.
    SolverError
        If a limit ended the run before any tree was there.
    KeyboardInterrupt
        If Ctrl-C ended it before any tree was there.

    Notes
    -----
    Pruning with ``merge=True`` can give fewer leaves than this minimum, because merging siblings of one class keeps
    only the decisions on the rows, not those on the box around the rows of a leaf.

    The tree needs no faithful tree to start from, so this also serves ensembles whose faithful tree is huge.
    An upper bound comes from a greedy tree; the lower bound is raised leaf by leaf until a tree of that size
    is found.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from treewright.bornagain import Ensemble, solve_active
    >>> X = [[1.0], [2.0], [3.0], [4.0]]
    >>> ensemble = Ensemble.from_model(RandomForestClassifier(3, max_depth=1, random_state=0).fit(X, [0, 0, 1, 1]))
    >>> solve_active(ensemble, X).tree.n_leaves
    2
    """
    check_arguments(solve_active, locals(), "ensemble", "time_limit", "step_limit", "memory_limit")
    start = time.monotonic()
    budget = np.inf if time_limit is None else float(time_limit)
    refuse_groups(ensemble, "solve_active")
    engine = Engine(ensemble)
    rows = ensemble.encode(X)
    if not len(rows):
        raise InputError("X has no rows; active pruning needs training rows.")
    cells = np.unique(engine.cells(rows), axis=0)
    found = engine_answer(
        core.bornagain_active,
        engine.native,
        np.ascontiguousarray(cells, dtype=np.int32),
        max(SEARCH_SHARE * budget - (time.monotonic() - start), 0.0),
        HUGE if step_limit is None else int(step_limit),
        HUGE if memory_limit is None else int(memory_limit),
        reporter(progress, "active"),
    )

    def searched() -> Tree | None:
        return engine.tree(found["nodes"], rows) if found["nodes"] else None

    tree, interrupted = None, False
    try:
        tree = searched()
        if not found["optimal"] and found["stop"] not in (core.Stop.INTERRUPT, core.Stop.CALLBACK):
            left = min(budget - (time.monotonic() - start), MOST_SECONDS)
            pruned, interrupted = _pruned_whole(engine, rows, left)
            tree = _smaller(tree, pruned)
    except KeyboardInterrupt:  # while another tree was pruned: that of the search is there
        tree, interrupted = searched() if tree is None else tree, True
    if interrupted:
        found["ended_by"] = core.Stop.INTERRUPT
        if not found["optimal"]:
            found["stop"] = core.Stop.INTERRUPT
    if tree is None:
        give_up_if_asked(found)
        raise SolverError(
            f"No pruned tree was completed ({STOPS[found['stop']].value} after {time.monotonic() - start:.1f} s; "
            f"{found['data_cells']} distinct cells with data). Raise that limit, or give fewer rows."
        )
    stats: dict[str, Any] = {
        "seconds": time.monotonic() - start,
        "depth": tree.depth,
        "leaves": tree.n_leaves,
        "depth_lower_bound": int(found["leaves_bound"] - 1).bit_length(),
        "leaves_lower_bound": found["leaves_bound"],
        "states": found["states"],
        "steps": found["steps"],
        "data_cells": found["data_cells"],
        "ensemble_trees": len(ensemble.trees),
        "ensemble_leaves": ensemble.n_leaves,
        "ensemble_depth": max(t.depth for t in ensemble.trees),
        **told_to_stop(ended_by(found)),
    }
    return BornAgainResult(
        tree=tree,
        status=SolveStatus.OPTIMAL if found["optimal"] else SolveStatus.FEASIBLE,
        objective=float(tree.n_leaves),
        lower_bound=float(found["leaves_bound"]),
        loss=0.0,
        scope=f"the {len(rows)} rows that it was pruned with{BOXES}",
        stop_reason=None if found["optimal"] else STOPS.get(found["stop"]),
        stats=stats,
        options={
            "method": "born-again",
            "objective": "active",
            "time_limit": time_limit,
            "step_limit": step_limit,
            "memory_limit": memory_limit,
        },
        notes=(
            "A pruned tree may differ from the ensemble where there are no training rows.",
            *domain_notes(ensemble),
        ),
    )


def _pruned_whole(engine: Engine, rows: NDArray[np.float64], seconds: float) -> tuple[Tree | None, bool]:
    """Build a faithful tree by the heuristic, and prune it; None if there is not the time. And whether Ctrl-C came.

    The tree of the search may be poor when it is stopped, for it is greedy.
    """
    most = min(MOST_INCUMBENT_LEAVES, int(LEAVES_A_SECOND * seconds / 2))
    if most < 1:
        return None, False
    whole = engine.hybrid(max_leaves=most, time_limit=seconds / 2)
    tree = prune(engine.tree(whole["nodes"], rows), rows, merge=False) if whole["complete"] else None
    return tree, whole["stop"] == core.Stop.INTERRUPT


def _smaller(*trees: Tree | None) -> Tree | None:
    there = [tree for tree in trees if tree is not None]
    return min(there, key=lambda tree: tree.n_leaves) if there else None
