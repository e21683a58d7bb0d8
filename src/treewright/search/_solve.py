"""Exact search: from a problem to a tree with its certificate."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from treewright._arguments import check_arguments
from treewright._native import core
from treewright.binarize import SplitMatrix
from treewright.errors import SolverError
from treewright.guess import ReferenceCosts
from treewright.problem import Problem
from treewright.result import SolveResult, StopReason, told_to_stop
from treewright.search._binary_run import grouped_rows, search_bits
from treewright.search._choose_engine import Choice, choose_engine
from treewright.search._counted import counted_tree
from treewright.search._held_to_one_split import cheaper_tree, held_to_one_split
from treewright.search._integers import row_costs
from treewright.search._kept import kept_result
from treewright.search._leaf_rounding import charged_per_leaf, left_open_by_leaves
from treewright.search._limits import Limits, ProgressCallback, stop_reason
from treewright.search._options import BinaryOptions, RankedOptions
from treewright.search._result import LEAVES_NOT_PROVEN, measured, result_of
from treewright.search._shallow import search_then_shallower
from treewright.search._single_split import NOTHING_SEARCHED, best_of_splits, ends_ungrouped, one_split
from treewright.search._solve_ranked import solve_ranked
from treewright.search._space import Thresholds
from treewright.search._under_guesses import rechecked, under_guesses

__all__ = ["search_chosen", "solve", "solve_binary"]


def solve(
    problem: Problem,
    thresholds: SplitMatrix | Thresholds = "auto",
    *,
    limits: Limits | None = None,
    options: BinaryOptions | RankedOptions | None = None,
    progress: ProgressCallback | None = None,
    shallower: bool = True,
) -> SolveResult:
    """Find the tree with the smallest objective.

    Parameters
    ----------
    problem : Problem
    thresholds : "auto", "all", int, mapping or SplitMatrix, default="auto"
        Which thresholds of continuous columns the tree may use: "all" between distinct values; an int for that many
        quantile bins; a mapping from column name to thresholds; splits made by `treewright.binarize`. "auto" is "all",
        unless the search has to store more than 512 splits (those of categories, and thresholds if they are not most of
        the splits). If there are more, each column keeps the same number: thresholds at quantiles, and the most
        frequent categories; ``scope`` and ``notes`` of the result say so.
    limits : Limits, default=None
        They include making the splits. With None the only limit is the machine's memory.
    options : BinaryOptions or RankedOptions, default=None
        Switches, and the choice of the engine; a switch that the chosen engine does not have is refused.
    progress : callable, default=None
        Called about 20 times a second with a `Progress`; a true return value stops the search.
    shallower : bool, default=True
        Whether a search for trees deeper than 3 that has not ended after three quarters of a time limit of 2 seconds or
        more waits for proofs about shallower trees. ``proven_depth`` of the result and a note say up to which depth
        there is a proof.

    Returns
    -------
    SolveResult
        Status OPTIMAL if the search ended; otherwise the best tree with a proven lower bound. Ctrl-C ends the
        search in the same way. ``scope`` says over which trees the proof holds.

    Raises
    ------
    InputError
        `thresholds` cannot be used with this table, or the chosen engine cannot use the `options`.
    SolverError
        No tree meets the constraints.

    Notes
    -----
    There are two engines. If there are few splits, it is branch and bound over binary columns after Hu, Rudin and
    Seltzer (2019), with the bounds listed in ``cpp/include/treewright/search/binary_search.hpp``. If there are many, it
    is a search over all thresholds of ranked columns (``search/ranked_search.hpp`` in the same folder). Ties are broken
    the same way on every run.

    Examples
    --------
    >>> from treewright.problem import make_problem
    >>> from treewright.search import solve
    >>> from treewright.table import table_from
    >>> result = solve(make_problem(table_from([[20], [30], [40]]), [0, 0, 1]))
    >>> result.tree.n_leaves, result.status.value
    (2, 'proven optimal')
    """
    check_arguments(solve, locals(), "problem", "limits", "options", "progress")
    limits = (limits or Limits()).started()
    choice = choose_engine(problem, thresholds, options, limits=limits)

    search = partial(search_chosen, choice, options, ungrouped=True)
    if shallower:
        return choice.sign(search_then_shallower(search, problem, limits, progress))
    return choice.sign(search(problem, limits=limits, progress=progress))


def search_chosen(
    choice: Choice,
    options: BinaryOptions | RankedOptions | None,
    problem: Problem,
    limits: Limits,
    progress: ProgressCallback | None,
    ungrouped: bool = False,
) -> SolveResult:
    """Search once with an engine that was chosen before, for this problem or one of other costs.

    `ungrouped` is that of `solve_binary`.
    """
    if isinstance(choice.space, SplitMatrix):
        assert not isinstance(options, RankedOptions)  # choose_engine
        return solve_binary(
            problem, choice.space, limits=limits, options=options, progress=progress, ungrouped=ungrouped
        )
    switches = options if isinstance(options, RankedOptions) else None
    return solve_ranked(problem, choice.space, limits=limits, options=switches, progress=progress)


def solve_binary(
    problem: Problem,
    split_matrix: SplitMatrix,
    *,
    limits: Limits | None = None,
    options: BinaryOptions | None = None,
    progress: ProgressCallback | None = None,
    reference: ReferenceCosts | None = None,
    recheck: tuple[int, int] | None = None,
    ungrouped: bool = False,
    grouped: Callable[[], core.BinaryProblem | None] | None = None,
) -> SolveResult:
    """Find the tree with the smallest objective whose splits are among `split_matrix`; see `solve`.

    Parameters
    ----------
    problem : Problem
    split_matrix : SplitMatrix
    limits, options, progress
        As in `solve`; the options are those of the search over binary columns.
    reference : ReferenceCosts, default=None
        The rows that it predicts wrong are taken as lower bounds (McTavish et al. 2022, section 4.3). The result is
        then conditional, OPTIMAL_UNDER_GUESSES at best, and ``lower_bound`` follows from Theorem 4.3.
    recheck : (steps_before, most_steps), default=None
        Whether a conditional search that ends is followed by a short one with the guess lowered where the tree found
        refutes it: the steps that other searches have taken before, and the most that these two may take. The
        better tree and the higher bound are returned.
    ungrouped : bool, default=False
        Whether a run whose limits end before equal rows of a large table are found is left with the best single split.
    grouped : callable, default=None
        Returns the rows with equal ones put together, None after Ctrl-C, for a caller who asks more of them; of costs
        that need no rounding, and without a reference.

    Returns
    -------
    SolveResult

    Raises
    ------
    SolverError
        No tree meets the constraints.

    Examples
    --------
    >>> from treewright.binarize import midpoints
    >>> from treewright.problem import make_problem
    >>> from treewright.search import solve_binary
    >>> from treewright.table import table_from
    >>> problem = make_problem(table_from([[20], [30], [40]]), [0, 0, 1])
    >>> solve_binary(problem, midpoints(problem.table)).objective
    0.02
    """
    start = time.perf_counter()
    limits = (limits or Limits()).started()
    options = options or BinaryOptions()
    stop = ends_ungrouped(problem, split_matrix, limits, options) if ungrouped else None
    if stop is not None:
        return _of_one_split(problem, split_matrix, stop, options)
    integers = row_costs(problem)
    guess = None if reference is None else integers.of(reference.predictions)
    leaf_penalty = problem.cost_complexity / integers.unit
    bits = (
        grouped()
        if grouped is not None
        else grouped_rows(problem, split_matrix, integers, options, leaf_penalty=leaf_penalty, guess=guess)
    )
    if bits is None:
        return _of_one_split(problem, split_matrix, StopReason.INTERRUPT, options)
    if reference is not None:  # row prices prove more than a conditional search can use
        options = replace(options, row_prices=False)
    making = time.perf_counter() - start
    raw = search_bits(
        bits,
        max_depth=problem.max_depth,
        max_leaves=problem.max_leaf_nodes,
        options=options,
        limits=limits,
        unit=integers.unit,
        progress=progress,
        fewest_leaves=reference is None,
        recheck=recheck,
    )
    raw["seconds"] += making
    if not raw["feasible"]:
        raise SolverError(
            f"No tree has {problem.min_samples_leaf} rows in every leaf: the table has "
            f"{problem.table.n_rows}. Lower min_samples_leaf."
        )

    def answered() -> SolveResult:
        stats = {name: raw[name] for name in ("seconds", "bytes", "cache_entries", "cache_shed")}
        stats |= {name: raw[name] for name in ("row_price_bound", "row_price_seconds", "row_price_rounds")}
        if raw["row_price_bound"] is not None:
            stats["row_price_bound"] = raw["row_price_bound"] * integers.unit
        stats |= told_to_stop(stop_reason(raw["ended_by"]))
        notes = split_matrix.notes
        if raw["exact"] and reference is None and not raw["leaves_exact"]:
            notes = (*notes, LEAVES_NOT_PROVEN)
        if raw["stop"] == core.Stop.MEMORY and raw["bytes_needed"] > limits.native()["memory_limit"]:
            notes = (
                *notes,
                f"A search over {bits.n_columns:,} different splits takes {raw['bytes_needed'] / 1e6:,.0f} MB at "
                "least, more than memory_limit allows; the tree is a greedy one. Raise memory_limit, or offer fewer "
                "splits (thresholds=16, fewer columns).",
            )

        def stated(shape: list[int], proven: bool) -> SolveResult:
            splits = [None if column < 0 else split_matrix.splits[column] for column in shape]
            tree = counted_tree(problem, splits)
            left_open = 0.0
            if problem.cost_complexity > 0:
                objective, charged = measured(problem, tree)[1], charged_per_leaf(integers)
                left_open = left_open_by_leaves(problem, integers.unit, charged, objective)
            result = result_of(
                problem,
                tree,
                proven=proven,
                lower_bound=raw["lower_bound"] * integers.unit - integers.slack,
                slack=integers.slack + left_open / 2,
                scope=split_matrix.scope,
                stop=stop_reason(raw["stop"]),
                stats={
                    "subproblems": raw["steps"],
                    "steps": raw["steps"],
                    "distinct_rows": bits.n_rows,
                    "distinct_columns": bits.n_columns,
                    **stats,
                },
                options=options.used(),
                notes=notes,
                conditional=reference is not None,
            )
            return held_to_one_split(problem, result, split_matrix)

        result = stated(raw["shape"], raw["exact"])
        if reference is None:
            return result
        least = (
            bits.base_cost * integers.unit + problem.cost_complexity - integers.slack
        )  # one leaf, equal rows
        result = under_guesses(result, problem, split_matrix, reference, least, integers.slack)
        again = raw["recheck"]
        if again is None:
            return result
        other = stated(again["shape"], again["exact"])
        left_open = again["guess"] * integers.unit + 2 * integers.slack
        bound = max(least, other.objective - left_open) if again["exact"] else 0.0
        return rechecked(result, other, problem, reference, bound)

    return kept_result(answered)


def _of_one_split(
    problem: Problem, split_matrix: SplitMatrix, stop: StopReason, options: BinaryOptions
) -> SolveResult:
    """Return the better of a single leaf and the best split; nothing is proven but that every tree has a leaf."""
    best = best_of_splits(problem, split_matrix)
    leaf = counted_tree(problem, one_split(None))
    return result_of(
        problem,
        leaf if best is None else cheaper_tree(problem, leaf, split_matrix.splits[best]),
        proven=False,
        lower_bound=problem.cost_complexity,
        slack=0.0,
        scope=split_matrix.scope,
        stop=stop,
        stats=dict(NOTHING_SEARCHED),
        options=options.used(),
        notes=split_matrix.notes,
    )
