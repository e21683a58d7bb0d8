"""Born-again trees on a domain with groups: the dynamic program, or else a larger tree without impossible branches."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.bornagain._course import give_up
from treewright.bornagain._group_axes import GroupAxes
from treewright.bornagain._group_program import BYTES_A_BOX, Node, Smallest, Stopped, smallest
from treewright.convert import Domain, Ensemble
from treewright.errors import InputError, SolverError
from treewright.result import BornAgainResult, SolveStatus, StopReason
from treewright.tree import ThresholdSplit, Tree

__all__ = ["refuse_groups", "solve_groups"]

BRIEF = 0.05  # seconds between two calls of a progress callback


def refuse_groups(ensemble: Ensemble, name: str) -> None:
    """Refuse a domain with groups for a method that reasons about all combinations of their columns.

    Raises
    ------
    InputError
    """
    if ensemble.domain is not None and ensemble.domain.groups:
        raise InputError(
            f"{name} does not support groups of columns; use solve, or a domain without one_hot and at_most_one."
        )


def solve_groups(
    ensemble: Ensemble,
    options: dict[str, Any],
    *,
    X: NDArray[np.float64] | None,
    report: Callable[[float, int, int], bool | None] | None,
    otherwise: Callable[[Ensemble, float | None], BornAgainResult],
    notes: tuple[str, ...],
) -> BornAgainResult:
    """Find the smallest tree that decides like an ensemble on a domain with groups.

    Parameters
    ----------
    ensemble : Ensemble
        Within such a domain.
    options : dict
        Those of `treewright.bornagain.solve`.
    X : ndarray of shape (n_rows, n_features), or None
        Encoded rows to count in the nodes.
    report : callable or None
        Gets seconds, steps and bytes; a true answer ends the run.
    otherwise : callable
        Solves the domain without groups within so many seconds, if the boxes are too many or a limit ended the run.
    notes : tuple of str
        About ensemble and domain.

    Raises
    ------
    SolverError
        No faithful tree was completed within the limits.
    """
    start = time.monotonic()
    boxes = GroupAxes(ensemble)
    steps = 0
    last = start

    def check(n_boxes: int) -> None:
        nonlocal steps, last
        now = time.monotonic()
        if options["time_limit"] is not None and now - start > options["time_limit"] / 2:
            raise Stopped(StopReason.TIME_LIMIT)  # the other half is for a larger tree
        if options["step_limit"] is not None and steps >= options["step_limit"]:
            raise Stopped(StopReason.STEP_LIMIT)
        if report is not None and now - last >= BRIEF:
            last = now
            if report(now - start, steps, boxes.n_boxes * BYTES_A_BOX):
                raise Stopped(StopReason.CALLBACK)
        steps += 1

    memory = np.inf if options["memory_limit"] is None else options["memory_limit"]
    found: Smallest | None = None
    stop: StopReason | None = None
    try:
        found = smallest(boxes, options["objective"], memory, check)
    except Stopped as stopped:
        stop = stopped.reason
    except KeyboardInterrupt:
        stop = StopReason.INTERRUPT
    stats: dict[str, Any] = {"steps": steps}
    if not boxes.too_many:
        stats |= {"cells": float(boxes.n_cells), "boxes": float(boxes.n_boxes)}
    if found is None:
        give_up(stop)
        left = options["time_limit"]
        larger = otherwise(
            _without_groups(ensemble), None if left is None else left - (time.monotonic() - start)
        )
        nodes = possible_only(larger.tree, ensemble, boxes)
        depth_bound, leaves_bound = 0, 1
    else:
        nodes, depth_bound, leaves_bound = found.nodes, found.depth_bound, found.leaves_bound
    if options["max_leaves"] is not None and sum(f < 0 for f, *_ in nodes) > options["max_leaves"]:
        raise SolverError(
            f"The faithful tree has more than max_leaves={options['max_leaves']} leaves. Raise it (None takes any), "
            'or ask for a small tree that agrees on rows (faithful="rows").'
        )
    tree = boxes.engine.tree(nodes, X)
    return _result(
        tree, ensemble, found is not None, stop, (depth_bound, leaves_bound), stats, options, notes, start
    )


def _result(
    tree: Tree,
    ensemble: Ensemble,
    proven: bool,
    stop: StopReason | None,
    bounds: tuple[int, int],
    stats: dict[str, Any],
    options: dict[str, Any],
    notes: tuple[str, ...],
    start: float,
) -> BornAgainResult:
    depth_bound = max(bounds[0], int(bounds[1] - 1).bit_length())  # at most 2^d leaves at depth d
    leaves_bound = max(bounds[1], depth_bound + 1)
    value = tree.depth if options["objective"] == "depth" else tree.n_leaves
    bound = depth_bound if options["objective"] == "depth" else leaves_bound
    stats |= {
        "seconds": time.monotonic() - start,
        "depth": tree.depth,
        "leaves": tree.n_leaves,
        "depth_lower_bound": depth_bound,
        "leaves_lower_bound": leaves_bound,
        "ensemble_trees": len(ensemble.trees),
        "ensemble_leaves": ensemble.n_leaves,
        "ensemble_depth": max(t.depth for t in ensemble.trees),
    }
    if not proven:
        notes += (
            "The boxes of the domain with its groups are too many for the limits, so this tree was made for the domain "
            "without groups, and branches that no row reaches were taken out.",
        )
    return BornAgainResult(
        tree=tree,
        status=SolveStatus.OPTIMAL if proven else SolveStatus.FEASIBLE,
        objective=float(value),
        lower_bound=float(value if proven else min(bound, value)),
        loss=0.0,
        scope=ensemble.scope,
        stop_reason=stop,
        stats=stats,
        options=options,
        notes=notes,
    )


def _without_groups(ensemble: Ensemble) -> Ensemble:
    domain, whole = ensemble.domain, ensemble.whole
    assert domain is not None  # asked by the caller
    assert whole is not None  # within a domain
    return whole.within(replace(domain, one_hot=(), at_most_one=()))


def possible_only(tree: Tree, ensemble: Ensemble, boxes: GroupAxes) -> list[Node]:
    """Return the nodes of a tree without the branches that no row of the domain reaches, equal leaves merged.

    Parameters
    ----------
    tree : Tree
        Faithful on the domain without groups; its splits on their columns are at 0.
    ensemble : Ensemble
    boxes : GroupAxes
        For the numbers of the thresholds.
    """
    domain = ensemble.domain
    assert domain is not None  # asked by the caller
    group_of = {j: group for group in domain.groups for j in group}

    def below(node: int, able: dict[tuple[int, ...], frozenset[int]]) -> list[Node]:
        split = tree.splits[node]
        if split is None:
            return [(-1, 0, int(tree.prediction[node]))]
        assert isinstance(split, ThresholdSplit)
        f = split.column
        sides = [able, able]
        if f in group_of:
            values = able[group_of[f]]
            sides = [{**able, group_of[f]: part} for part in (values - {f}, values & {f})]
        children = (int(tree.children_left[node]), int(tree.children_right[node]))
        parts = [
            below(child, side) for child, side in zip(children, sides, strict=True) if all(side.values())
        ]
        if len(parts) == 1 or (parts[0] == parts[1] and len(parts[0]) == 1):
            return parts[0]
        plane = int(np.searchsorted(boxes.engine.thresholds[f], split.threshold))
        return [(f, plane, 0), *parts[0], *parts[1]]

    return below(0, {group: _values_of(domain, group) for group in domain.groups})


def _values_of(domain: Domain, group: tuple[int, ...]) -> frozenset[int]:
    """The columns that can be the one; -1 stands for none."""
    able = {j for j in group if domain.high[j] >= 1}
    return frozenset(able | {-1} if group in domain.at_most_one else able)
