"""Exact search over all thresholds of continuous columns (the sweep engine).

The C++ engine minimises integers; this file makes them and turns its answer into a tree and a certificate.

Units. Weights times costs become integers (exactly, where weights and costs allow it; else rounded, and the
rounding error is taken off the lower bound). One unit of loss costs ``unit = 2**k`` and one leaf
``(round(cost_complexity * total * 2**(k - t)) << t) + 1``: the lowest ``t`` bits count leaves, so that among
trees of equal cost the one with the fewest leaves wins.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from treewright._native import core
from treewright.errors import InputError, SolverError
from treewright.problem import Problem
from treewright.result import SolveResult, SolveStatus, StopReason
from treewright.search._ranks import RankedColumn, ranked_columns
from treewright.tree import Split, Tree, grow

__all__ = ["SweepOptions", "solve_sweep"]

Progress = Callable[[float, float, float, int, int], bool | None]

_MOST = 2**30  # of the sum of integer costs: 32-bit lanes of the kernel
_STOPS = {
    "TIME": StopReason.TIME_LIMIT,
    "STEPS": StopReason.STEP_LIMIT,
    "MEMORY": StopReason.MEMORY_LIMIT,
    "INTERRUPT": StopReason.INTERRUPT,
    "CALLBACK": StopReason.CALLBACK,
}


@dataclass(frozen=True)
class SweepOptions:
    """Switches of the engine; none changes the optimum, only the work.

    Parameters
    ----------
    monotone : bool, default=True
        Bounds of a set of rows hold for its supersets (off by itself if ``min_samples_leaf > 1``).
    lipschitz : bool, default=True
        Bounds of a set of rows hold for its subsets, less the weight between.
    leaf_count : bool, default=True
        A deeper tree has more leaves, and each has its price.
    shallower : bool, default=True
        Solve every node one level less deep first.
    cache : bool, default=True
        Remember bounds by set of rows and depth.
    neighbours : bool, default=True
        Depth-two subproblems take bounds from the neighbouring cuts'.
    sharing_work : int, default=20000
        ... where one kernel pass takes at least so many steps (rows times columns).
    slack : float, default=0.5
        Extra budget of a child, in cost per row of half the open interval.
    lanes : int, default=64
        Most thresholds in one pass of the depth-two kernel, 1 to 64 (fewer where registers are narrower).
    """

    monotone: bool = True
    lipschitz: bool = True
    leaf_count: bool = True
    shallower: bool = True
    cache: bool = True
    neighbours: bool = True
    sharing_work: int = 20_000
    slack: float = 0.5
    lanes: int = 64


@dataclass(frozen=True, eq=False)
class _Units:
    """Integer costs, and how to read them."""

    weight: NDArray[np.int32]
    cost: NDArray[np.int32]
    scale: float  # integers per unit of weight times cost
    rounding: float  # most that any tree's loss changed by rounding, in integers
    base: float  # loss that every tree pays, in weight times cost
    unit: int
    leaf: int
    tie_bits: int

    def loss(self, value: int, total: float) -> float:
        """Return the objective of an engine value, to within `slack`."""
        return (value / self.unit / self.scale + self.base) / total


def solve_sweep(
    problem: Problem,
    *,
    time_limit: float | None = None,
    step_limit: int | None = None,
    memory_limit: int | None = None,
    progress: Progress | None = None,
    options: SweepOptions | None = None,
) -> SolveResult:
    """Find a tree that is optimal over all thresholds of the table's columns.

    Parameters
    ----------
    problem : Problem
        ``max_leaf_nodes`` must be None.
    time_limit : float or None, default=None
        Seconds; None is unlimited. When a limit is reached, the best tree found and the proven bound are
        returned.
    step_limit : int or None, default=None
        Passes of the depth-two kernel; a deterministic limit.
    memory_limit : int or None, default=None
        Bytes of the engine's working memory.
    progress : callable or None, default=None
        Called about every 50 ms with (seconds, objective, lower_bound, steps, bytes); stops the search by
        returning True.
    options : SweepOptions or None, default=None

    Returns
    -------
    SolveResult

    Raises
    ------
    InputError
        If ``max_leaf_nodes`` is set: this engine bounds leaves by their price and by depth only.
    SolverError
        If there are fewer rows than ``min_samples_leaf``.

    Notes
    -----
    Depth-two subproblems are solved by a kernel that evaluates many thresholds of the root column in one pass
    over the sorted rows; above them, nested sets of rows bound each other (proofs in
    cpp/include/treewright/sweep/profile.hpp). Time grows with the number of depth-two subproblems, each of
    about ``n_rows * n_columns**2`` steps. Ties: fewest leaves among all optima; among those, the tree found
    first, by an order that is the same on every run (not on processors with registers of another width).

    References
    ----------
    Brita, van der Linden and Demirović, "Optimal classification trees for continuous feature data using
    dynamic programming with branch-and-bound", AAAI 2025: interval bounds of nested thresholds.
    """
    options = options or SweepOptions()
    if problem.max_leaf_nodes is not None:
        raise InputError(
            f"max_leaf_nodes={problem.max_leaf_nodes}: the search over all thresholds has no leaf budget; "
            "give None and limit the size with max_depth or cost_complexity, or search over given cuts."
        )
    table, total = problem.table, problem.total_weight
    if table.n_rows < problem.min_samples_leaf:
        raise SolverError(
            f"No tree has at least {problem.min_samples_leaf} rows in a leaf: the table has "
            f"{table.n_rows} rows; lower min_samples_leaf."
        )
    units = _integer_units(problem)
    # A row without weight matters only for the number of rows in a leaf.
    keep = units.weight > 0 if problem.min_samples_leaf == 1 else np.ones(table.n_rows, dtype=bool)
    kept = table if keep.all() else type(table)(table.columns, np.asfortranarray(table.X[keep]))
    ranked = ranked_columns(kept)
    rank = np.vstack([r.rank for r in ranked]) if ranked else np.zeros((0, kept.n_rows), dtype=np.uint32)

    def report(seconds: float, incumbent: int, bound: int, steps: int, n_bytes: int) -> bool:
        assert progress is not None
        best = units.loss(incumbent, total) if incumbent < 2**62 else np.inf
        return bool(progress(seconds, best, min(best, units.loss(bound, total)), steps, n_bytes))

    native = core.SweepOptions()
    for name, value in asdict(options).items():
        setattr(native, name, value)
    depth = table.n_rows if problem.max_depth is None else problem.max_depth
    answer = core.sweep_solve(
        rank,
        problem.y[keep].astype(np.uint16),
        units.weight[keep],
        units.cost,
        units.unit,
        units.leaf,
        problem.min_samples_leaf,
        max(1, min(depth, table.n_rows)),
        native,
        np.inf if time_limit is None else float(time_limit),
        2**62 if step_limit is None else int(step_limit),
        2**62 if memory_limit is None else int(memory_limit),
        None if progress is None else report,
    )
    nodes = [None] if problem.max_depth == 0 else answer["nodes"]
    tree = grow(
        table.columns,
        problem.classes,
        _splits(nodes, ranked),
        table.X,
        problem.y,
        problem.sample_weight,
        problem.costs,
    )
    return _result(problem, options, units, answer, tree)


def _result(
    problem: Problem, options: SweepOptions, units: _Units, answer: dict[str, object], tree: Tree
) -> SolveResult:
    total = problem.total_weight
    leaves = np.array([split is None for split in tree.splits])
    paid = (tree.value @ problem.costs)[np.arange(tree.node_count), tree.prediction]
    loss = float(paid[leaves].sum()) / total
    objective = loss + problem.cost_complexity * tree.n_leaves
    proven = answer["lower"] == answer["upper"]
    lower = answer["lower"]
    assert isinstance(lower, int)
    exact = proven and units.rounding == 0
    bound = (
        objective
        if exact or problem.max_depth == 0
        else units.loss(lower, total) - _slack(problem, units, objective)
    )
    stop = getattr(answer["stop"], "name")  # noqa: B009 - an enumeration of the compiled core
    kept = ("seconds", "steps", "pair_solves", "passes", "row_steps", "subproblems", "cache_hits", "bytes")
    return SolveResult(
        tree=tree,
        status=SolveStatus.OPTIMAL if proven else SolveStatus.FEASIBLE,
        objective=objective,
        lower_bound=max(0.0, min(objective, bound)),
        loss=loss,
        scope="all thresholds",
        stop_reason=None if proven else _STOPS.get(stop),
        stats={name: answer[name] for name in kept},
        options=asdict(options),
    )


def _slack(problem: Problem, units: _Units, objective: float) -> float:
    """Return how far the integers may lie above the objective of a better tree."""
    n = problem.table.n_rows
    most = n if problem.max_depth is None else min(n, 2 ** min(problem.max_depth, 62))
    if problem.cost_complexity > 0:
        most = min(most, int(objective / problem.cost_complexity) + 1)
    leaves = most * (1 + 2**units.tie_bits / 2) / units.unit
    return float((units.rounding + leaves) / units.scale / problem.total_weight)


def _splits(nodes: list[tuple[int, int, int] | None], ranked: list[RankedColumn]) -> list[Split | None]:
    """Return the tree's splits depth-first, where a swapped split exchanges the subtrees."""
    position = 0

    def read() -> list[Split | None]:
        nonlocal position
        node = nodes[position]
        position += 1
        if node is None:
            return [None]
        column, low, high = node
        split, swapped = ranked[column].split(low, high)
        left, right = read(), read()
        return [split, *right, *left] if swapped else [split, *left, *right]

    return read()


def _integer_units(problem: Problem) -> _Units:
    """Choose the integers of the search: reduced costs, weights, one unit of loss and one leaf."""
    reduced = problem.costs - problem.costs.min(axis=1, keepdims=True)
    weight = problem.sample_weight
    base = float((weight * problem.costs.min(axis=1)[problem.y]).sum())
    # Costs to 12 bits, if no factor makes them whole.
    cost_scale = _whole_scale(reduced) or 2.0 ** np.floor(np.log2(2**12 / reduced.max()))
    cost = np.rint(reduced * cost_scale)
    weight_scale = _whole_scale(weight)
    span = cost.max(axis=1)[problem.y]  # of each row, before its weight
    if weight_scale is None or (weight * weight_scale * span).sum() >= _MOST:
        # A quarter of the range, so that rounding cannot leave it.
        weight_scale = _MOST / 4 / max(float((weight * span).sum()), 1e-300)
    whole = np.rint(weight * weight_scale)
    scale = cost_scale * weight_scale
    off = np.abs(weight[:, None] * reduced[problem.y] * scale - whole[:, None] * cost[problem.y]).max(axis=1)
    n = problem.table.n_rows
    total = int((whole * span).sum())
    tie_bits = min(n, 2 ** min(62, n if problem.max_depth is None else problem.max_depth)).bit_length()
    unit_bits = 58 - max(total, 1).bit_length()
    price = problem.cost_complexity * problem.total_weight * scale
    # A price above the loss of any leaf is as good as this: no split pays.
    leaf = round(min(price, float(total + 1)) * 2.0 ** (unit_bits - tie_bits))
    return _Units(
        weight=whole.astype(np.int32),
        cost=cost.astype(np.int32),
        scale=scale,
        rounding=float(off.sum()),
        base=base,
        unit=2**unit_bits,
        leaf=(leaf << tie_bits) + 1,
        tie_bits=tie_bits,
    )


def _whole_scale(values: NDArray[np.float64]) -> float | None:
    """Return a factor that makes all values whole numbers below 2**20, or None."""
    largest = float(values.max(initial=0.0))
    if largest == 0.0:
        return 1.0
    smallest = float(values[values > 0].min())
    for factor in (1.0, 10.0, 100.0, 1000.0, 1.0 / smallest):
        scaled = values * factor
        if largest * factor < 2**20 and np.all(scaled == np.rint(scaled)):
            return factor
    return None
