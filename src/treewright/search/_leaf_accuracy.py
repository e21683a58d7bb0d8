"""Trees with the best worst leaf, exactly: leaf accuracy (Nemecek, Pevny and Marecek) by search instead of MIP.

The C++ engine (``cpp/include/treewright/leaf_accuracy/``) works on integers and ranked columns; this file makes them
and turns its answer into a tree and a certificate. Longer than 400 lines for what both questions share: the best worst
leaf, and the cheapest tree with every leaf right enough.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from statistics import NormalDist
from typing import Any, cast

import numpy as np

from treewright._native import core
from treewright._numbers import is_real
from treewright.binarize import SplitMatrix
from treewright.errors import InputError, SolverError
from treewright.problem import Problem
from treewright.result import LeafAccuracyResult, SolveResult, StopReason, constraints_in_words, told_to_stop
from treewright.search._choose_engine import Choice, choose_engine, unranked_choice
from treewright.search._counted import counted_tree
from treewright.search._full_weights import FullWeights, full_weights
from treewright.search._halves import halves_of, joined
from treewright.search._jobs import threads_of
from treewright.search._kept import engine_answer, kept_result
from treewright.search._leaf_accuracy_bound import (
    BoundOnTheWay,
    Proven,
    bound_by_classes,
    bound_by_errors,
    split_limits,
)
from treewright.search._leaf_accuracy_result import Criterion, leaf_accuracy_result_of
from treewright.search._limits import Limits, Progress, ProgressCallback
from treewright.search._options import LeafAccuracyOptions
from treewright.search._ranked_run import ended_by
from treewright.search._ranks import Ranked, rank_matrix, ranked_columns, ranked_splits, splits_of
from treewright.search._result import result_of
from treewright.search._short_of_best import short_of_best
from treewright.search._single_split import ends_unranked, one_split
from treewright.search._space import Thresholds
from treewright.search._worse_side import best_worse_side, is_worth_seeking
from treewright.tree import Split, Tree

Reporter = Callable[[float, float, float, int, int], bool]

__all__ = [
    "solve_leaf_accuracy",
    "solve_with_leaf_accuracy",
]

CRITERIA = ("accuracy", "lower_bound")
MOST_WEIGHT = {"accuracy": 2**25, "lower_bound": 2**24}  # sum of the weights in the kernels; see the binding
COST_BITS = 120  # of all costs of a tree
MOST_DENOMINATOR = 10**6  # of a given smallest leaf accuracy


def solve_leaf_accuracy(
    problem: Problem,
    thresholds: SplitMatrix | Thresholds = "auto",
    *,
    criterion: Criterion = "accuracy",
    confidence: float = 0.95,
    limits: Limits | None = None,
    options: LeafAccuracyOptions | None = None,
    progress: ProgressCallback | None = None,
) -> LeafAccuracyResult:
    """Find the tree with the best worst leaf; among equally good ones, fewest errors and then fewest leaves decide.

    Parameters
    ----------
    problem : Problem
        With a ``max_depth`` and plain costs; ``cost_complexity`` is ignored, ``max_leaf_nodes`` must be None.
    thresholds : "auto", "all", int, mapping or SplitMatrix, default="auto"
        As in `treewright.search.solve`; "auto" takes all of them if the table has at most 512 splits, else as many of
        every column as fit (the result's ``notes`` say which).
    criterion : {"accuracy", "lower_bound"}, default="accuracy"
        The value of a leaf: its training accuracy, or the lower end of the one-sided Wilson interval of it, which
        makes small leaves pay for their uncertainty. With weights, a leaf counts as many observations as its share of
        the weight times the rows of the table.
    confidence : float, default=0.95
        Of that bound, 0.5 to below 1. (0.5 is the accuracy itself.)
    limits : Limits, default=None
        A step is one depth-two subproblem, or one pass of a sweep. With None the only limit is the machine's memory.
        The threads of ``n_jobs`` look for the best worst leaf; one thread then looks for the fewest errors.
    options : LeafAccuracyOptions, default=None
    progress : callable, default=None
        Called about 20 times a second with a `Progress`, whose ``objective`` and ``lower_bound`` are 1 - value, so
        that less is better as everywhere else; a true return value stops the search.

    Returns
    -------
    LeafAccuracyResult
        ``objective`` is the value of the worst leaf, ``upper_bound`` what no tree can exceed. Both are exact for any
        weights, see ``full_weights`` (values of the Wilson bound are compared as float64). The loss is the smallest
        among all trees with an equally good worst leaf; for real weights and for the Wilson bound, values within a
        relative 2**-40 count as equally good (``stats["tolerance"]`` and the sentence say if the tree falls short).

    Raises
    ------
    InputError
        A parameter that this search cannot use; the message says what to do.

    Notes
    -----
    Maximising over trees overfits the training rows: on new rows the worst leaf is less accurate, most of all with
    criterion "accuracy" and small leaves. See docs/methods/leaf_accuracy.md.

    References
    ----------
    J. Nemecek, T. Pevny, J. Marecek (2023). Improving the Validity of Decision Trees as Explanations. Equation 1.

    Examples
    --------
    >>> from treewright.problem import make_problem
    >>> from treewright.search import solve_leaf_accuracy
    >>> from treewright.table import table_from
    >>> problem = make_problem(table_from([[20], [30], [40]]), [0, 0, 1], cost_complexity=0, max_depth=1)
    >>> solve_leaf_accuracy(problem).objective  # of the worst leaf
    1.0
    """
    _check(problem, "the search for the best worst leaf")
    if criterion not in CRITERIA:
        raise InputError(f"criterion={criterion!r}; choose one of {', '.join(CRITERIA)}.")
    if not is_real(confidence) or not 0.5 <= float(confidence) < 1:
        raise InputError(f"confidence={confidence!r}; give a number from 0.5 to below 1.")
    limits, options = (limits or Limits()).started(), options or LeafAccuracyOptions()
    # A bound that holds half of the time is the accuracy itself, which is compared exactly.
    compared: Criterion = "accuracy" if confidence == 0.5 else criterion
    z = NormalDist().inv_cdf(float(confidence)) if compared == "lower_bound" else 0.0
    value: dict[str, Any] = {
        "criterion": criterion,
        "confidence": float(confidence) if criterion == "lower_bound" else None,
    }
    if _ends_unranked(problem, thresholds, limits, options):
        return _of_one_split(problem, z, options, value)
    space = _space(problem, thresholds, limits)
    weights = _weights(problem, compared)
    assert not isinstance(space.choice.space, str)
    on_the_way = BoundOnTheWay(problem, space.choice.space, z, limits)
    raw = _run(
        problem, space, weights, split_limits(limits), options, _reporter(progress, on_the_way),
        lower_bound=z > 0,
        z=z,
        # Observations of the bound: as many as there are rows, shared out by weight.
        scale=problem.table.n_rows / weights.total,
        target=None,
        unit=2 ** _most_leaves(problem).bit_length(),
        leaf=1,
    )  # fmt: skip
    proven_value, stop, steps = bool(raw["proven_value"]), ended_by(raw), int(raw["steps"])
    upper_bound = float(raw["upper_bound"])
    if not proven_value:
        bound = _bounded(problem, space, z, limits.after(steps), stop)
        upper_bound, steps = min(upper_bound, bound.upper, on_the_way.upper), steps + bound.steps
        stop = StopReason.INTERRUPT if bound.interrupted else stop

    def answered() -> LeafAccuracyResult:
        tree = _tree(problem, space, raw)
        short = short_of_best(problem, tree, weights, upper_bound, compared, float(confidence))
        return leaf_accuracy_result_of(
            problem,
            tree,
            **value,
            within=short if proven_value else 0.0,
            value_proven=proven_value,
            loss_proven=proven_value and bool(raw["proven_cost"]),
            upper_bound=upper_bound,
            scope=space.scope,
            stop=stop,
            stats={name: raw[name] for name in STATS}
            | {"subproblems": steps, "steps": steps}
            | told_to_stop(stop),
            options=options.used(),
            notes=space.notes,
        )

    return cast("LeafAccuracyResult", kept_result(lambda: space.choice.sign(answered())))


def _ends_unranked(
    problem: Problem, thresholds: SplitMatrix | Thresholds, limits: Limits, options: LeafAccuracyOptions
) -> bool:
    """Whether the time ends before the columns of a large table are ranked, which leaves the best single split."""
    if not isinstance(thresholds, str) or thresholds != "all" or options != LeafAccuracyOptions():
        return False
    return (
        is_worth_seeking(problem) and ends_unranked(problem, limits, few_values=True) is StopReason.TIME_LIMIT
    )


def _of_one_split(
    problem: Problem, z: float, options: LeafAccuracyOptions, value: dict[str, Any]
) -> LeafAccuracyResult:
    """Return the better of a single leaf and the best split, with what no worst leaf exceeds whatever the splits."""
    _check_rows(problem, "accuracy" if z == 0 else "lower_bound")
    choice = unranked_choice(problem.table)
    assert not isinstance(choice.space, SplitMatrix)
    stop = StopReason.TIME_LIMIT

    def result(split: Split | None) -> LeafAccuracyResult:
        return leaf_accuracy_result_of(
            problem,
            counted_tree(problem, one_split(split)),
            **value,
            value_proven=False,
            loss_proven=False,
            upper_bound=bound_by_classes(problem, z),
            scope=choice.space.scope,
            stop=stop,
            stats=dict.fromkeys(STATS, 0) | {"seconds": 0.0, "subproblems": 0, "steps": 0},
            options=options.used(),
            notes=choice.space.notes,
        )

    leaf, split = result(None), best_worse_side(problem, z)
    found = leaf if split is None else max(leaf, result(split), key=lambda one: one.objective)
    return cast("LeafAccuracyResult", replace(choice, engine="leaf-accuracy").sign(found))


def _bounded(
    problem: Problem, space: _Space, z: float, left: Limits | None, stop: StopReason | None
) -> Proven:
    """Return what no worst leaf exceeds; where someone asked for the end of the run, without a further search."""
    if left is None or stop in (StopReason.INTERRUPT, StopReason.CALLBACK):
        return Proven(bound_by_classes(problem, z), 0, False)
    assert not isinstance(space.choice.space, str)
    try:
        return bound_by_errors(problem, space.choice.space, z, left)
    except KeyboardInterrupt:  # between two searches: the tree is found already
        return Proven(bound_by_classes(problem, z), 0, True)


def solve_with_leaf_accuracy(
    problem: Problem,
    thresholds: SplitMatrix | Thresholds,
    min_leaf_accuracy: float,
    *,
    limits: Limits | None = None,
    options: LeafAccuracyOptions | None = None,
    progress: ProgressCallback | None = None,
) -> SolveResult:
    """Find the tree with the smallest objective among those whose leaves all have `min_leaf_accuracy` or more.

    Parameters
    ----------
    problem : Problem
        With a ``max_depth`` and plain costs; ``max_leaf_nodes`` must be None.
    thresholds : "auto", "all", int, mapping or SplitMatrix
        As in `solve_leaf_accuracy`.
    min_leaf_accuracy : float
        0 to 1, read as a decimal of at most six places; with real weights, a leaf may fall short of it by a relative
        2**-40, which is the rounding of float64.
    limits, options, progress
        As in `solve_leaf_accuracy`; ``progress`` shows the worst leaf, not the objective.

    Returns
    -------
    SolveResult

    Raises
    ------
    InputError
        A parameter that this search cannot use.
    SolverError
        No tree has such leaves (proven), or none was found within the limits.
    KeyboardInterrupt
        Ctrl-C came before a tree with such leaves was found: there is nothing to return.

    Examples
    --------
    >>> from treewright.problem import make_problem
    >>> from treewright.search import solve_with_leaf_accuracy
    >>> from treewright.table import table_from
    >>> problem = make_problem(table_from([[20], [30], [40], [50]]), [0, 1, 0, 1], cost_complexity=0.01, max_depth=1)
    >>> solve_with_leaf_accuracy(problem, "all", 0.6).tree.n_leaves
    2
    """
    _check(problem, "min_leaf_accuracy")
    q = min_leaf_accuracy
    if not is_real(q) or not 0 <= float(q) <= 1:
        raise InputError(f"min_leaf_accuracy={q!r}; give a number from 0 to 1, or None for no limit.")
    limits, options = (limits or Limits()).started(), options or LeafAccuracyOptions()
    space = _space(problem, thresholds, limits)
    weights = _weights(problem, "accuracy")
    ratio = Fraction(repr(float(q))).limit_denominator(MOST_DENOMINATOR)
    unit, leaf = _whole_units(problem, weights)
    raw = _run(
        problem, space, weights, limits, options, _reporter(progress),
        lower_bound=False, z=0.0, scale=1.0, target=(ratio.numerator, ratio.denominator),
        unit=unit, leaf=leaf,
    )  # fmt: skip
    if not raw["feasible"]:
        if not raw["proven_value"]:
            # A loop over fits must not take it for an error.
            if ended_by(raw) is StopReason.INTERRUPT:
                raise KeyboardInterrupt
            raise SolverError(
                f"No tree with min_leaf_accuracy={float(q):g} was found within the limits, and it is not known "
                "whether there is one. Raise time_limit, or lower min_leaf_accuracy."
            )
        within = {"max_depth": problem.max_depth, "min_samples_leaf": problem.min_samples_leaf}
        raise SolverError(
            f"No tree{constraints_in_words(within)} over {space.scope} is right on {100 * float(q):g}% of every leaf. "
            "Lower min_leaf_accuracy, raise max_depth, or offer more thresholds if these are not all. "
            'LeafAccuracyTreeClassifier(criterion="accuracy") with the same limits and thresholds finds the largest '
            "share that can be had."
        )

    def answered() -> SolveResult:
        per_cost = Fraction(1, unit * weights.total)
        ties = _most_leaves(problem)  # at most this much of a cost only prefers fewer leaves
        return result_of(
            problem,
            _tree(problem, space, raw),
            proven=bool(raw["proven_cost"]),
            lower_bound=float((joined(raw["cost_bound"]) - ties) * per_cost) * (1 - 1e-15),
            upper_bound=float(joined(raw["cost"]) * per_cost),
            slack=0.0,
            scope=space.scope,
            stop=ended_by(raw),
            stats={name: raw[name] for name in STATS}
            | {"subproblems": raw["steps"], "steps": raw["steps"]}
            | told_to_stop(ended_by(raw)),
            options={"min_leaf_accuracy": float(q), **options.used()},
            notes=space.notes,
        )

    return kept_result(lambda: space.choice.sign(answered()))


def _whole_units(problem: Problem, weights: FullWeights) -> tuple[int, int]:
    """Return the cost of one unit of wrong weight and of a leaf; among equal costs fewer leaves win.

    ``cost_complexity`` is read as the decimal that it is printed as, and is exact where that leaves room: for weights
    of few digits, of which trees with more errors and fewer leaves can cost the same.
    """
    leaves = _most_leaves(problem)
    tie = 1 << leaves.bit_length()
    # A leaf penalty above all errors together orders trees by their leaves first, whatever it costs beyond that.
    leaf_penalty = min(
        Fraction(repr(float(problem.cost_complexity))) * weights.total, Fraction(weights.total + 1)
    )
    unit = leaf_penalty.denominator
    if (weights.total + leaf_penalty * leaves) * unit * tie >= 2**COST_BITS:
        unit = 1
        while (weights.total + leaf_penalty * leaves) * 2 * unit * tie < 2**COST_BITS:
            unit *= 2
    return unit * tie, round(leaf_penalty * unit) * tie + 1


STATS = ("seconds", "pair_solves", "pair_costs", "branches", "cache_hits", "targets", "passes", "bytes")


@dataclass(frozen=True, eq=False)
class _Space:
    """Which splits are searched."""

    ranked: Sequence[Ranked]
    scope: str
    notes: tuple[str, ...]
    choice: Choice


def _weights(problem: Problem, criterion: Criterion) -> FullWeights:
    """Return whole weights with a sum that the engine can hold."""
    n_rows, most = problem.table.n_rows, MOST_WEIGHT[criterion]
    _check_rows(problem, criterion)
    if criterion == "lower_bound":  # the engine keeps a table over all weights that a leaf can have
        most = min(most, max(8 * n_rows, min(2**20, 2**12 * n_rows)))
    # Room for the penalty of all leaves, and for ties to fewer of them.
    return full_weights(problem.sample_weight, most, min(100, 116 - 2 * _most_leaves(problem).bit_length()))


def _check_rows(problem: Problem, criterion: Criterion) -> None:
    most = MOST_WEIGHT[criterion] // 8
    if problem.table.n_rows > most:
        raise InputError(f"The table has {problem.table.n_rows} rows; this search takes at most {most}.")


def _check(problem: Problem, who: str) -> None:
    if problem.max_depth is None:
        raise InputError(f"max_depth is None, but {who} needs a depth; give an integer such as 4.")
    if problem.max_leaf_nodes is not None:
        raise InputError(
            f"max_leaf_nodes={problem.max_leaf_nodes}, but {who} accepts only None; use max_depth."
        )
    if not np.array_equal(problem.costs, 1.0 - np.eye(problem.n_classes)):
        raise InputError(f"costs were given, but {who} counts right and wrong rows only; leave costs out.")


def _most_leaves(problem: Problem) -> int:
    assert problem.max_depth is not None  # _check
    by_rows = max(1, problem.table.n_rows // problem.min_samples_leaf)
    return by_rows if problem.max_depth > 40 else min(by_rows, int(2**problem.max_depth))


def _space(problem: Problem, thresholds: SplitMatrix | Thresholds, limits: Limits) -> _Space:
    choice = choose_engine(problem, thresholds, method="leaf accuracy", limits=limits)
    space = choice.space
    ranked: Sequence[Ranked]
    if isinstance(space, SplitMatrix):
        ranked = ranked_splits(space, problem.table)
    else:
        ranked = ranked_columns(problem.table, space.candidates)
    return _Space(ranked, space.scope, space.notes, choice)


def _run(
    problem: Problem,
    space: _Space,
    weights: FullWeights,
    limits: Limits,
    options: LeafAccuracyOptions,
    report: Reporter | None,
    *,
    unit: int,
    leaf: int,
    **question: Any,
) -> dict[str, Any]:
    n_rows = problem.table.n_rows
    rank = rank_matrix(space.ranked, n_rows)
    native = options.native()
    native.threads = threads_of(limits.n_jobs)
    assert problem.max_depth is not None  # _check
    return engine_answer(
        core.leaf_accuracy_solve,
        rank,
        problem.y.astype(np.uint16),
        weights.weight,
        weights.full,
        weights.shift,
        problem.n_classes,
        problem.min_samples_leaf,
        min(problem.max_depth, n_rows),
        real_weights=weights.real,
        unit=halves_of(unit),
        leaf=halves_of(leaf),
        options=native,
        report=report,
        **limits.native(),
        **question,
    )


def _reporter(progress: ProgressCallback | None, on_the_way: BoundOnTheWay | None = None) -> Reporter | None:
    """Return what the engine reports to: `progress` in terms of 1 - value, with the better of two bounds."""
    if progress is None and on_the_way is None:
        return None

    def report(seconds: float, incumbent: float, bound: float, steps: int, n_bytes: int) -> bool:
        if on_the_way is not None:
            bound = max(bound, 1.0 - on_the_way.at(seconds))
        if progress is None:
            return False
        return bool(progress(Progress(seconds, incumbent, min(bound, incumbent), steps, n_bytes)))

    return report


def _tree(problem: Problem, space: _Space, raw: dict[str, Any]) -> Tree:
    return counted_tree(problem, splits_of(raw["nodes"], space.ranked))
