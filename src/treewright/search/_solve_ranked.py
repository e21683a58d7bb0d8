"""Exact search over all thresholds of continuous columns (the search over ranked columns).

The C++ engine minimises integers (`_ranked_rows.py` makes them); this file turns its answer into a tree and a
certificate.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from treewright.binarize import candidates_of, scope_of_all
from treewright.errors import SolverError
from treewright.problem import Problem
from treewright.result import SolveResult, StopReason, told_to_stop
from treewright.search._counted import counted_tree
from treewright.search._held_to_one_split import best_split, cheaper_tree, held_to_one_split
from treewright.search._integers import is_coarse
from treewright.search._kept import engine_answer, kept_result, note_interrupt
from treewright.search._leaf_rounding import left_open_by_leaves
from treewright.search._limits import Limits, ProgressCallback, stop_reason
from treewright.search._options import RankedOptions
from treewright.search._ranked_rows import RankedRows, RankedUnits, ranked_rows
from treewright.search._ranked_run import NOTHING_COUNTED, counts_of, ended_by, run_arguments
from treewright.search._ranks import splits_of
from treewright.search._result import LEAVES_NOT_PROVEN, measured, result_of
from treewright.search._searches import Searches
from treewright.search._single_split import COSTS, UNRANKED, ends_unranked, one_split, split_of_labels
from treewright.search._space import RankedSpace
from treewright.tree import Tree

__all__ = ["RankedOptions", "Rounding", "rounding_of_ranked", "solve_ranked"]

# Seconds for each row of a ranked column, and at most in all, that the engine gets even if reading the table took the
# whole time: enough to sort the rows and to find a first tree.
FIRST_TREE, FIRST_TREE_MOST = 6e-8, 0.1


class Rounding(NamedTuple):
    """What integers make of losses.

    Parameters
    ----------
    unit : float
        Every loss is a whole number of these, as a share of the total weight, where `slack` is 0.
    slack : float
        By how much rounded weights and costs may move the loss of a tree; 0 if none was rounded.
    leaf : float
        By how much the penalty of one leaf may be rounded.
    """

    unit: float
    slack: float
    leaf: float


def rounding_of_ranked(problem: Problem) -> Rounding:
    """Return what the integers of this engine make of the losses of a problem, at any leaf penalty.

    Parameters
    ----------
    problem : Problem
    """
    units = RankedUnits.make(replace(problem, max_depth=None, cost_complexity=0.0))  # the coarsest penalties
    integers = units.integers
    return Rounding(integers.unit, integers.slack, units.slack(1) - integers.slack)


def solve_ranked(
    problem: Problem,
    space: RankedSpace | None = None,
    *,
    limits: Limits | None = None,
    options: RankedOptions | None = None,
    progress: ProgressCallback | None = None,
    rows: Callable[[], RankedRows] | None = None,
) -> SolveResult:
    """Find a tree that is optimal over all thresholds of the table's columns.

    Parameters
    ----------
    problem : Problem
    space : RankedSpace, default=None
        The splits, from `choose_engine`; None is every split of the table.
    limits : Limits, default=None
        A step is a pass of the depth-two kernel over the rows of a node. With None the only limit is the machine's
        memory.
    options : RankedOptions, default=None
    progress : callable, default=None
        Called about 20 times a second with a `Progress`; a true return value stops the search.
    rows : callable, default=None
        Returns the problem as the engine has it, for a caller who asks more of it; of costs that need no rounding.

    Returns
    -------
    SolveResult
        Status OPTIMAL if the search ended; otherwise the best tree with a proven lower bound.

    Raises
    ------
    SolverError
        If there are fewer rows than ``min_samples_leaf``.

    Notes
    -----
    Depth-two subproblems are solved by a kernel that evaluates many thresholds of the root column in one pass over
    the sorted rows; above them, nested sets of rows bound each other (proofs:
    ``cpp/include/treewright/bounds/interval_bounds.hpp``). Time grows with the number of depth-two subproblems, each of
    about ``n_rows * n_columns**2`` steps.

    References
    ----------
    Brita, van der Linden and Demirović, "Optimal classification trees for continuous feature data using dynamic
    programming with branch-and-bound", AAAI 2025: interval bounds of nested thresholds.

    Examples
    --------
    >>> from treewright.problem import make_problem
    >>> from treewright.search import solve_ranked
    >>> from treewright.table import table_from
    >>> solve_ranked(make_problem(table_from([[20], [30], [40]]), [0, 0, 1], max_depth=1)).objective
    0.02
    """
    limits = (limits or Limits()).started()
    options = options or RankedOptions()
    table = problem.table
    space = space or RankedSpace(candidates_of(table), scope_of_all(table), table.notes)
    if table.n_rows < problem.min_samples_leaf:
        raise SolverError(
            f"No tree has {problem.min_samples_leaf} rows in every leaf: the table has {table.n_rows}. "
            "Lower min_samples_leaf."
        )
    leaves = problem.max_leaf_nodes
    if problem.max_depth == 0 or leaves == 1:
        return _single_leaf(problem, space, options)
    stop = ends_unranked(problem, limits, options)
    if stop is not None:
        return _one_split(problem, space, options, stop)
    made = (rows or partial(ranked_rows, problem, space))()
    units, ranked = made.units, made.ranked

    def search(rows: RankedRows, limits: Limits, progress: ProgressCallback | None) -> dict[str, Any]:
        run = run_arguments(
            table.n_rows,
            max_depth=problem.max_depth,
            max_leaves=leaves,
            limits=limits,
            options=options,
            progress=progress,
            objective=rows.units.objective,
        )
        n_ranks = len(ranked) * table.n_rows
        run["time_limit"] = max(run["time_limit"], min(FIRST_TREE * n_ranks, FIRST_TREE_MOST))
        return engine_answer(rows.native.search, **run)

    def tree_of(answer: dict[str, Any]) -> Tree:
        return counted_tree(problem, splits_of(answer["nodes"], ranked))

    answer = search(made, limits, progress)
    counts = counts_of(answer)
    found: Tree | None = None
    try:
        found = tree_of(answer)
        while answer["lower"] == answer["upper"] and not told_to_stop(ended_by(answer)):
            objective = measured(problem, found)[1]
            if is_coarse(units.integers.slack, objective):  # a cheaper tree leaves finer units
                found = cheaper_tree(problem, found, best_split(problem, space))
                objective = measured(problem, found)[1]
            finer, left = units.finer(problem, objective), limits.after(counts["steps"])
            if finer is None or left is None:
                break
            known = objective, max(0.0, objective - 2 * units.slack(found.n_leaves))
            going_on = Searches(left, progress, counts["steps"], counts["seconds"])
            made = made.in_units(problem, finer)
            again = search(made, left, going_on.report(known))
            more = counts_of(again)
            counts = {name: _joined(name, counts.get(name, 0), n) for name, n in more.items()}
            if again["lower"] != again["upper"]:
                break  # a limit ended it; the tree and the bound before it stand
            answer, units, found = again, finer, tree_of(again)
    except KeyboardInterrupt:  # between two searches, which keep their trees
        counts |= told_to_stop(StopReason.INTERRUPT)
        note_interrupt(answer)

    def answered() -> SolveResult:
        tree = tree_of(answer) if found is None else found
        lower, upper = answer["lower"], answer["upper"]
        proven = lower == upper
        notes = space.notes
        if not proven and problem.cost_complexity == 0 and units.same_loss(lower, upper):
            proven = True
            notes = (*notes, LEAVES_NOT_PROVEN)
        most_leaves, left_open = table.n_rows, 0.0
        if problem.cost_complexity > 0:  # a better tree may have more leaves than this one, but not so many
            objective = max(units.objective(upper), measured(problem, tree)[1])
            most_leaves = int(objective / problem.cost_complexity) + 1
            left_open = left_open_by_leaves(problem, units.integers.unit, units.error_of_leaf, objective)
        slack = units.slack(most_leaves)
        result = result_of(
            problem,
            tree,
            proven=proven,
            lower_bound=units.objective(lower) - slack,
            # A penalty above every loss was cut off for the engine (RankedUnits.make), so leaves are counted here.
            upper_bound=units.objective(upper - tree.n_leaves * units.leaf)
            + problem.cost_complexity * tree.n_leaves
            + slack,
            slack=units.integers.slack + left_open / 2,
            scope=space.scope,
            stop=stop_reason(answer["stop"]),
            stats=counts,
            options=options.used(),
            notes=notes,
        )
        return held_to_one_split(problem, result, space)

    return kept_result(answered)


def _single_leaf(problem: Problem, space: RankedSpace, options: RankedOptions) -> SolveResult:
    """Return the only tree of a problem that allows no split: no column is ranked for it."""
    tree = counted_tree(problem, [None])
    return result_of(
        problem,
        tree,
        proven=True,
        lower_bound=measured(problem, tree)[1],
        slack=0.0,
        scope=space.scope,
        stop=None,
        stats=dict(NOTHING_COUNTED),
        options=options.used(),
        notes=space.notes,
    )


def _one_split(problem: Problem, space: RankedSpace, options: RankedOptions, stop: StopReason) -> SolveResult:
    """Return the best tree of one split: a limit ends the run before the columns are ranked."""
    leaf = counted_tree(problem, [None])
    one_leaf = measured(problem, leaf)[0]
    split = split_of_labels(
        problem.table,
        COSTS,
        problem.y,
        problem.sample_weight,
        problem.n_classes,
        problem.min_samples_leaf,
        problem.costs,
        1 - problem.cost_complexity / one_leaf if one_leaf > 0 else 0.0,
    )
    return result_of(
        problem,
        leaf if split is None else counted_tree(problem, one_split(split)),
        proven=False,
        lower_bound=min(1.0, problem.cost_complexity),  # every tree has a leaf
        slack=0.0,
        scope=space.scope,
        stop=stop,
        stats=NOTHING_COUNTED | UNRANKED,
        options=options.used(),
        notes=space.notes,
    )


def _joined(name: str, before: Any, more: Any) -> Any:
    """Return a count of two searches, one after the other; bytes are the most, and a bool says how the last ended."""
    if isinstance(more, bool):
        return more
    return max(before, more) if name == "bytes" else before + more
