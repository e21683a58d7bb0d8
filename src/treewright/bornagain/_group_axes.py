"""The boxes of a domain with groups: columns of which exactly one, or at most one, is 1.

Over all rows K such columns have 2^K combinations; on the domain they are one variable of K values (K + 1 with "none"),
which a tree can only ask about one by one. So a box of cells is a choice of states, one an axis: an interval of the
cells of an ordinary column, or a set of values of a group. Splitting a set S at column k gives {k} and S without k.

Columns of a group that the ensemble never asks about have the same labels and can stand for each other: a state counts
how many of them are left.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.bornagain._engine import Engine
from treewright.convert import Domain, Ensemble

__all__ = ["Axis", "GroupAxes"]

CHUNK = 1 << 13  # cells that are labelled at once
MOST_STATES = 1 << 16  # of one group: more are not listed, for two such axes never fit into memory


@dataclass(frozen=True)
class Axis:
    """The states of one column or group, small ones first, the whole last; [state, j] the halves of split j or -1."""

    size: NDArray[np.int16]
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    cell: NDArray[np.int64]  # one cell of each state, of all that it holds the first
    asks: tuple[
        tuple[tuple[int, float], ...], ...
    ]  # [state][j] column and threshold; column -1 is any unasked one
    values: tuple[dict[int, float], ...]  # of the columns, in each cell
    unasked: tuple[int, ...] = ()


class GroupAxes:
    """The boxes of an ensemble within a domain with groups.

    Parameters
    ----------
    ensemble : Ensemble
        Within a domain.

    Attributes
    ----------
    too_many : bool
        Whether a group has so many states that they were not listed; there are no axes then.
    """

    def __init__(self, ensemble: Ensemble) -> None:
        assert ensemble.domain is not None  # asked by the caller
        self.ensemble, self.domain = ensemble, ensemble.domain
        self.engine = Engine(ensemble)
        in_groups = {j for group in self.domain.groups for j in group}
        planes = list(self.engine.thresholds)
        self.axes = [
            _interval_axis(f, t, self.domain) for f, t in enumerate(planes) if len(t) and f not in in_groups
        ]
        self.too_many = False
        self.fixed = {f: self.domain.clip(f, 0.0) for f in range(ensemble.n_features)}
        for group in self.domain.groups:
            able = [j for j in group if self.domain.high[j] >= 1]
            asked = [j for j in able if len(planes[j])]
            none = group in self.domain.at_most_one
            if len(asked) > 60 or 2 ** len(asked) * (len(able) - len(asked) + 1) > MOST_STATES:
                self.too_many = True
            elif asked:
                self.axes.append(_group_axis(asked, [j for j in able if j not in asked], none))
            elif not none:
                self.fixed[able[0]] = 1.0
            for j in able:
                planes[j] = np.array([0.0])
        self.engine.thresholds = tuple(planes)
        self.shape = tuple(len(axis.size) for axis in self.axes)
        self.n_boxes = math.prod(self.shape)
        self.n_cells = math.prod(len(axis.values) for axis in self.axes)

    def labels(self, check: Callable[[int], None]) -> NDArray[np.uint8]:
        """Return the class of every cell."""
        whole = self.ensemble.whole
        assert whole is not None  # within a domain
        found = np.empty(self.n_cells, dtype=np.uint8)
        shape = tuple(len(axis.values) for axis in self.axes)
        start = np.array([self.fixed[f] for f in range(self.ensemble.n_features)])
        for first in range(0, self.n_cells, CHUNK):
            cells = np.arange(first, min(first + CHUNK, self.n_cells))
            check(0)
            rows = np.tile(start, (len(cells), 1))
            at = np.unravel_index(cells, shape) if shape else ()
            for axis, own in zip(self.axes, at, strict=True):
                for f in axis.values[0]:
                    rows[:, f] = np.array([values[f] for values in axis.values])[own]
            assert self.domain.contains(rows).all()
            # Not rounded to float32: these are ends of cells, and rounding could move them into the next one.
            found[cells] = whole.answers(rows)
        return found


def _interval_axis(f: int, planes: NDArray[np.float64], domain: Domain) -> Axis:
    n = len(planes) + 1
    states = sorted(((a, b) for a in range(n) for b in range(a, n)), key=lambda s: s[1] - s[0])
    index = {state: i for i, state in enumerate(states)}
    halves = [[(index[a, p], index[p + 1, b]) for p in range(a, b)] for a, b in states]
    asks = tuple(tuple((f, float(planes[p])) for p in range(a, b)) for a, b in states)
    last = domain.clip(f, float(planes[-1]) + max(1.0, abs(float(planes[-1]))))
    values = tuple({f: value} for value in (*planes.tolist(), last))
    return _axis([b - a for a, b in states], halves, [a for a, _ in states], asks, values)


def _group_axis(asked: Sequence[int], unasked: Sequence[int], none: bool) -> Axis:
    """States are (asked columns left, how many of the others, whether none is possible)."""
    State = tuple[tuple[int, ...], int, bool]
    parts: dict[State, list[tuple[State, State, int]]] = {}
    whole: State = (tuple(asked), len(unasked), none)
    stack = [whole]
    while stack:
        state = stack.pop()
        if state in parts:
            continue
        left, others, no_one = state
        parts[state] = []
        if len(left) + others + no_one > 1:
            for k in left:
                parts[state].append(((tuple(j for j in left if j != k), others, no_one), ((k,), 0, False), k))
            if others:
                parts[state].append(((left, others - 1, no_one), ((), 1, False), -1))
        stack += [half for one, other, _ in parts[state] for half in (one, other)]
    states = sorted(parts, key=lambda s: (len(s[0]) + s[1] + s[2], s))
    index = {state: i for i, state in enumerate(states)}
    halves = [[(index[one], index[other]) for one, other, _ in parts[state]] for state in states]
    asks = tuple(tuple((k, 0.0) for _, _, k in parts[state]) for state in states)
    # Cells: each asked column, then a row in which none of them is 1.
    cell = [asked.index(left[0]) if left else len(asked) for left, _, _ in states]
    columns = [*asked, *unasked]
    values = [{j: float(j == k) for j in columns} for k in asked]
    if unasked or none:
        values.append({j: float(j == unasked[0] if unasked else False) for j in columns})
    size = [len(left) + others + no_one - 1 for left, others, no_one in states]
    return _axis(size, halves, cell, asks, tuple(values), tuple(unasked))


def _axis(
    size: Sequence[int],
    halves: Sequence[Sequence[tuple[int, int]]],
    cell: Sequence[int],
    asks: tuple[tuple[tuple[int, float], ...], ...],
    values: tuple[dict[int, float], ...],
    unasked: tuple[int, ...] = (),
) -> Axis:
    most = max(map(len, halves))
    left, right = (np.full((len(size), most), -1, dtype=np.int64) for _ in range(2))
    for s, own in enumerate(halves):
        for j, (one, other) in enumerate(own):
            left[s, j], right[s, j] = one, other
    return Axis(
        np.array(size, dtype=np.int16), left, right, np.array(cell, dtype=np.int64), asks, values, unasked
    )
