"""From a problem to its accuracy-sparsity front: over binary columns all points in one search."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from treewright.binarize import SplitMatrix
from treewright.errors import InputError, SolverError
from treewright.problem import Problem
from treewright.result import SolveResult, StopReason, told_to_stop
from treewright.search._binary_run import NO_LIMIT, grouped_rows
from treewright.search._choose_engine import FRONTIER_OPTIONS, Choice, choose_engine
from treewright.search._counted import counted_tree
from treewright.search._frontier import Frontier
from treewright.search._integers import row_costs
from treewright.search._kept import engine_answer, kept_result
from treewright.search._limits import Limits, ProgressCallback, native_report, stop_reason
from treewright.search._options import BinaryOptions, RankedOptions
from treewright.search._ranked_frontier import ranked_frontier
from treewright.search._ranked_run import ended_by
from treewright.search._result import LEAVES_NOT_PROVEN, measured, pruning_of, result_of
from treewright.search._single_split import NOTHING_SEARCHED, best_of_splits, ends_ungrouped, one_split
from treewright.search._space import Thresholds

__all__ = ["solve_frontier"]

MOST_COUNTED = 2**21  # rows of all trees together that are not proven and are counted after a run was stopped


def solve_frontier(
    problem: Problem,
    thresholds: SplitMatrix | Thresholds = "auto",
    *,
    limits: Limits | None = None,
    options: BinaryOptions | RankedOptions | None = None,
    progress: ProgressCallback | None = None,
) -> Frontier:
    """Find for each number of leaves the tree with the smallest loss.

    Parameters
    ----------
    problem : Problem
        ``max_leaf_nodes`` is the largest number of leaves and must be set; ``cost_complexity`` is ignored.
    thresholds : "auto", "all", int, mapping or SplitMatrix, default="auto"
        "all" between distinct values; an int for that many quantile bins; a mapping from column name to
        thresholds; splits made by `treewright.binarize`. "auto" as in `solve`.
    limits : Limits, default=None
        Of the whole run.
    options : BinaryOptions or RankedOptions, default=None
        Over binary columns ``equivalent_points``, ``budgets``, ``cache``, ``greedy_start`` and ``kernel``; others are
        refused. ``engine`` and `RankedOptions` choose between binary and ranked columns.
    progress : callable, default=None
        Called about 20 times a second with a `Progress`; a true return value stops the search. Over binary columns
        objective and lower bound are means over all numbers of leaves; over ranked columns they are those of the
        running search.

    Returns
    -------
    Frontier
        Points are proven from few leaves to many. After a limit or Ctrl-C the other points have the best tree found and
        the lower bound proven so far.

    Raises
    ------
    InputError
        ``max_leaf_nodes`` is None, or `thresholds` cannot be used with this table.
    SolverError
        No tree meets the constraints.

    Notes
    -----
    Over binary columns branch and bound in which every subproblem keeps bounds for all numbers of leaves at once;
    definitions and proofs are in ``cpp/include/treewright/search/front.hpp``. Where most splits are thresholds and
    there are more than 512, searches at leaf penalties over ranked columns (`_ranked_frontier.py`), and one with a
    limit on leaves for each point that no penalty selects.

    Examples
    --------
    >>> from treewright.problem import make_problem
    >>> from treewright.search import solve_frontier
    >>> from treewright.table import table_from
    >>> problem = make_problem(table_from([[20], [30], [40]]), [0, 0, 1], cost_complexity=0, max_leaf_nodes=3)
    >>> [(point.tree.n_leaves, round(point.loss, 3)) for point in solve_frontier(problem)]
    [(1, 0.333), (2, 0.0)]
    """
    limits = (limits or Limits()).started()
    if problem.max_leaf_nodes is None:
        raise InputError(
            "max_leaf_nodes is None; say up to how many leaves the frontier goes, for example 20."
        )
    choice = choose_engine(problem, thresholds, options, method="frontier", limits=limits)
    split_matrix = choice.space
    if not isinstance(split_matrix, SplitMatrix):
        switches = options if isinstance(options, RankedOptions) else None
        return ranked_frontier(problem, choice, limits=limits, options=switches, progress=progress)
    options = options or BinaryOptions()
    assert isinstance(options, BinaryOptions)  # choose_engine
    stop = ends_ungrouped(problem, split_matrix, limits, options)
    if stop is not None:
        return _front_of_one_split(problem, choice, stop, options)
    integers = row_costs(problem)
    bits = grouped_rows(problem, split_matrix, integers, options, leaf_penalty=0.0)
    if bits is None:
        return _front_of_one_split(problem, choice, StopReason.INTERRUPT, options)
    raw = engine_answer(
        bits.front,
        max_depth=-1 if problem.max_depth is None else min(problem.max_depth, NO_LIMIT),
        # More leaves than rows are none: the last point then stands for all further ones.
        max_leaves=min(problem.max_leaf_nodes, problem.table.n_rows),
        options=options.native(),
        report=native_report(progress, integers.unit),
        **limits.native(),
    )
    if not raw["shapes"]:
        raise SolverError(
            f"No tree has {problem.min_samples_leaf} rows in every leaf: the table has "
            f"{problem.table.n_rows}. Lower min_samples_leaf."
        )

    most = problem.max_leaf_nodes

    def answered() -> Frontier:
        stats: dict[str, Any] = {
            "subproblems": raw["steps"],
            "steps": raw["steps"],
            "distinct_rows": bits.n_rows,
            "distinct_columns": bits.n_columns,
            "engine": choice.engine,
            "engine_reason": choice.why,
            **{name: raw[name] for name in ("seconds", "bytes", "cache_entries", "cache_shed")},
        }
        stats |= told_to_stop(ended_by(raw))
        results = []
        made: list[int] | None = None
        shapes = _smallest(raw["shapes"], raw["upper_bounds"])
        if stop_reason(raw["stop"]) is not None:
            shapes = _few(shapes, raw["exact"], MOST_COUNTED // max(1, problem.table.n_rows))
        for leaves, shape in enumerate(shapes, 1):
            fewer = shape.count(-1) - 1
            is_least = fewer == 0 or raw["lower_bounds"][fewer - 1] > raw["upper_bounds"][leaves - 1]
            limited = replace(problem, cost_complexity=0.0, max_leaf_nodes=leaves)
            if shape != made:  # a stopped search has few trees for many numbers of leaves
                made = shape
                tree = counted_tree(
                    problem, [None if column < 0 else split_matrix.splits[column] for column in shape]
                )
                pruning = pruning_of(limited, tree)
            results.append(
                result_of(
                    limited,
                    tree,
                    proven=raw["exact"][leaves - 1],
                    lower_bound=raw["lower_bounds"][leaves - 1] * integers.unit - integers.slack,
                    upper_bound=raw["upper_bounds"][leaves - 1] * integers.unit + integers.slack,
                    slack=integers.slack,
                    scope=split_matrix.scope,
                    stop=stop_reason(raw["stop"]),
                    stats=stats,
                    options=options.used(FRONTIER_OPTIONS),
                    notes=split_matrix.notes if is_least else (*split_matrix.notes, LEAVES_NOT_PROVEN),
                    pruning=pruning,
                )
            )
        results = _monotone(results)
        for leaves in range(len(results) + 1, most + 1):
            last = results[-1]
            results.append(replace(last, options={**last.options, "max_leaf_nodes": leaves}))
        return Frontier(tuple(results), stop_reason(raw["stop"]), stats)

    return kept_result(answered)


def _front_of_one_split(
    problem: Problem, choice: Choice, stop: StopReason, options: BinaryOptions
) -> Frontier:
    """Return a front of a single leaf and the best split: the run ends before equal rows are found."""
    assert isinstance(choice.space, SplitMatrix)
    assert problem.max_leaf_nodes is not None
    best = best_of_splits(problem, choice.space)
    stats = NOTHING_SEARCHED | {"engine": choice.engine, "engine_reason": choice.why}
    results: list[SolveResult] = []
    splits = (None, None if best is None else choice.space.splits[best])
    for leaves, split in enumerate(splits[: problem.max_leaf_nodes], 1):
        limited = replace(problem, cost_complexity=0.0, max_leaf_nodes=leaves)
        tree = counted_tree(problem, one_split(split))
        results.append(
            result_of(
                limited,
                tree,
                proven=leaves == 1,
                lower_bound=measured(problem, tree)[0] if leaves == 1 else 0.0,
                slack=0.0,
                scope=choice.space.scope,
                stop=stop,
                stats=stats,
                options=options.used(FRONTIER_OPTIONS),
                notes=choice.space.notes,
            )
        )
    results = _monotone(results)
    for leaves in range(3, problem.max_leaf_nodes + 1):
        last = results[-1]
        results.append(replace(last, options={**last.options, "max_leaf_nodes": leaves}))
    return Frontier(tuple(results), stop, stats)


def _smallest(shapes: list[list[int]], costs: list[float]) -> list[list[int]]:
    """Give each number of leaves the tree of fewer leaves that costs as little, as the engine counts: in integers."""
    out: list[list[int]] = []
    least = math.inf
    for shape, cost in zip(shapes, costs, strict=True):
        out.append(shape if cost < least else out[-1])
        least = min(least, cost)
    return out


def _few(shapes: list[list[int]], exact: list[bool], most: int) -> list[list[int]]:
    """Give sizes that are not proven the tree of the next smaller one that is counted: no more than `most` are, or 2.

    The smallest and the largest of them are counted, and others at even distances. A proven tree always is.
    """
    open_sizes = [
        k for k, proven in enumerate(exact) if not proven and (k == 0 or shapes[k] != shapes[k - 1])
    ]
    if len(open_sizes) <= max(2, most):
        return shapes
    places = np.linspace(0, len(open_sizes) - 1, max(2, most)).round().astype(int)
    counted = {open_sizes[place] for place in places}
    out: list[list[int]] = []
    for k, shape in enumerate(shapes):
        out.append(out[-1] if out and not exact[k] and k not in counted else shape)
    return out


def _monotone(results: list[SolveResult]) -> list[SolveResult]:
    """Give each number of leaves the best tree of all that have no more: pruned trees may have far fewer."""

    def rank(result: SolveResult) -> tuple[float, int]:
        return result.loss, result.tree.n_leaves

    out = []
    for leaves, own in enumerate(results, 1):
        best = min((own, *(r for r in results if r.tree.n_leaves <= leaves)), key=rank)
        if rank(best) < rank(own):
            bound = min(own.lower_bound, best.objective)
            own = replace(own, tree=best.tree, objective=best.objective, loss=best.loss, lower_bound=bound)
        out.append(own)
    return out
