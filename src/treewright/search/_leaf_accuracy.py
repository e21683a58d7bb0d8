"""Trees with the best worst leaf, exactly: leaf accuracy (Nemecek, Pevny and Marecek) by search instead of MIP.

The C++ engine (``cpp/include/treewright/leaf_accuracy/``) works on integers and ranked columns; this file makes them
and turns its answer into a tree and a certificate.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from numbers import Real
from statistics import NormalDist
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from treewright._native import core
from treewright.binarize import Cuts, auto_cuts
from treewright.binarize._make import scope_of_all
from treewright.errors import InputError, SolverError
from treewright.guess import guess_cuts, make_reference
from treewright.problem import Problem
from treewright.result import LeafAccuracyResult, SolveResult, SolveStatus
from treewright.search._integers import integer_costs
from treewright.search._limits import Limits, Progress, ProgressCallback, stop_reason
from treewright.search._ranks import Ranked, ranked_columns, ranked_cuts, splits_of
from treewright.search._result import result_of
from treewright.search._space import Thresholds, cuts_for
from treewright.tree import Tree, grow, wilson_interval

__all__ = [
    "Criterion",
    "LeafAccuracyOptions",
    "leaf_value",
    "solve_leaf_accuracy",
    "solve_with_leaf_accuracy",
]

Criterion = Literal["accuracy", "lower_bound"]
CRITERIA = ("accuracy", "lower_bound")
AUTO_SPLITS = 256  # the depth-two step takes a time that grows with their square
ROOM = {"accuracy": 2**25, "lower_bound": 2**24}  # of the sum of integer weights; see the binding
COST_BITS = 49  # of total weight times the unit of errors
LEAF_BITS = 43  # of the price of a leaf; the binding takes up to 44
LARGEST_SLACK = 1e-6  # left by rounded weights; beyond it nothing is called optimal
MOST_DENOMINATOR = 10**6  # of a given smallest leaf accuracy


@dataclass(frozen=True)
class LeafAccuracyOptions:
    """Switches of the engine; none changes an optimum, only the work.

    Parameters
    ----------
    cache : bool, default=True
        Remember what is known by set of rows and depth.
    propagate : bool, default=True
        What one cut lacks says something about the other cuts of its column.
    neighbours : bool, default=True
        ... and about the same cut below other cuts.
    convert : bool, default=True
        What was lacking at one accuracy says something about the next.
    deepen : bool, default=True
        Solve the shallower depths first.
    refute : bool, default=True
        Spend part of a long run on upper bounds.
    slack : float, default=0.5
        In a sweep, one side of a cut is asked for what closes this share of the open cuts beside it.
    dense_cuts : int, default=2500
        Sets of rows with more thresholds take the depth-two step by sweeps instead of all pairs.
    """

    cache: bool = True
    propagate: bool = True
    neighbours: bool = True
    convert: bool = True
    deepen: bool = True
    refute: bool = True
    slack: float = 0.5
    dense_cuts: int = 2500


def leaf_value(
    correct: float, weight: float, criterion: Criterion = "accuracy", confidence: float = 0.95
) -> float:
    """Return what a leaf is worth: its accuracy, or the lower confidence bound of it.

    Parameters
    ----------
    correct : float
        Weight of the rows that the leaf predicts right, 0 to `weight`.
    weight : float
        Weight of all its rows, above 0; for the bound, that many observations.
    criterion : {"accuracy", "lower_bound"}, default="accuracy"
    confidence : float, default=0.95
        Of the one-sided Wilson bound: with this confidence the leaf's accuracy on new rows is at least the bound, if
        the leaf was not chosen by looking at these rows.

    Returns
    -------
    float

    References
    ----------
    E. B. Wilson (1927). Probable inference, the law of succession, and statistical inference. JASA 22.
    """
    if criterion == "accuracy" or confidence == 0.5:
        return correct / weight
    return wilson_interval(correct, weight, 2 * confidence - 1)[0]  # its upper end is not asked for


def thresholds_from_reference(problem: Problem, reference: Any = None) -> Cuts:
    """Return the thresholds that a tree ensemble cannot do without (McTavish et al. 2022, column elimination).

    Parameters
    ----------
    problem : Problem
    reference : estimator or None, default=None
        Fitted on the same columns, or not fitted (it is then cloned); None is 40 boosted stumps.

    Returns
    -------
    Cuts
        All splits of a table with one class, of which no ensemble can be asked.
    """
    if len(np.unique(problem.y)) == 1:
        return auto_cuts(problem.table)
    made = make_reference(reference, problem.table, problem.y, problem.classes, problem.sample_weight)
    return guess_cuts(made, problem.table, problem.y, problem.sample_weight).cuts


def solve_leaf_accuracy(
    problem: Problem,
    thresholds: Cuts | Thresholds = "auto",
    *,
    criterion: Criterion = "accuracy",
    confidence: float = 0.95,
    limits: Limits | None = None,
    options: LeafAccuracyOptions | None = None,
    progress: ProgressCallback | None = None,
) -> LeafAccuracyResult:
    """Find the tree whose worst leaf is best; among those as good, the one with the fewest errors, then leaves.

    Parameters
    ----------
    problem : Problem
        With a ``max_depth`` and plain costs; ``cost_complexity`` is not looked at, ``max_leaf_nodes`` must be None.
    thresholds : "auto", "all", int, mapping or Cuts, default="auto"
        As in `treewright.search.solve`; "auto" is all of them where the table has at most 256 splits, else as many
        of every column as fit (the result's ``notes`` say which).
    criterion : {"accuracy", "lower_bound"}, default="accuracy"
        What a leaf is worth: its training accuracy, or the lower end of the one-sided Wilson interval of it, which
        makes small leaves pay for their uncertainty.
    confidence : float, default=0.95
        Of that bound, 0.5 to below 1. (0.5 is the accuracy itself.)
    limits : Limits, default=None
        A step is one depth-two subproblem, or one pass of a sweep. None is no limit but the machine's memory.
    options : LeafAccuracyOptions, default=None
    progress : callable, default=None
        Called about 20 times a second with a `Progress`, whose ``objective`` and ``lower_bound`` are 1 - value, so
        that less is better as everywhere else; a true return value stops the search.

    Returns
    -------
    LeafAccuracyResult
        ``objective`` is the value of the worst leaf, ``upper_bound`` what no tree can exceed.

    Raises
    ------
    InputError
        A parameter that this search cannot use; the message says what to do.

    Notes
    -----
    Maximising over trees adapts to the training rows: the worst leaf does worse on new rows, most with raw accuracy
    and small leaves. See docs/methods/leaf_accuracy.md.

    References
    ----------
    J. Nemecek, T. Pevny, J. Marecek (2023). Improving the Validity of Decision Trees as Explanations. Equation 1.
    """
    _check(problem, "the search for the best worst leaf")
    if criterion not in CRITERIA:
        raise InputError(f"criterion={criterion!r}; choose one of {', '.join(CRITERIA)}.")
    if isinstance(confidence, bool) or not isinstance(confidence, Real) or not 0.5 <= float(confidence) < 1:
        raise InputError(f"confidence={confidence!r}; give a number from 0.5 to below 1.")
    limits, options = limits or Limits(), options or LeafAccuracyOptions()
    space = _space(problem, thresholds)
    weights = _Weights.of(problem, ROOM[criterion])
    leaves = _most_leaves(problem)
    raw = _run(
        problem, space, weights, limits, options, progress,
        lower_bound=criterion == "lower_bound",
        z=NormalDist().inv_cdf(float(confidence)) if criterion == "lower_bound" else 0.0,
        scale=weights.observations,
        cut=None,
        unit=2 ** leaves.bit_length(),
        leaf=1,
    )  # fmt: skip
    tree = _tree(problem, space, raw)
    value, accuracy = _worst(tree, criterion, float(confidence))
    proven_value, proven_loss = bool(raw["proven_value"]), bool(raw["proven_cost"])
    notes = space.notes
    if weights.slack > 0:
        proven_loss = False
        if weights.slack > LARGEST_SLACK:
            proven_value = False
        notes = (
            *notes,
            f"The weights were rounded for the search; that may move the value of a leaf by {weights.slack:.1e}.",
        )
    upper = value if proven_value else max(value, float(raw["upper_bound"]))
    upper = min(1.0, upper + 2 * weights.slack)
    optimal = proven_value and (proven_loss or 0 < weights.slack <= LARGEST_SLACK)
    stats = {name: raw[name] for name in STATS} | {
        "subproblems": raw["steps"],
        "upper_bound": upper,
        "value_proven": proven_value,
        "loss_proven": proven_loss,
        "leaf_accuracy": accuracy,
    }
    leaf = tree.is_leaf
    wrong = tree.value[leaf].sum() - tree.value[leaf].max(axis=1).sum()
    return LeafAccuracyResult(
        tree=tree,
        status=SolveStatus.OPTIMAL if optimal else SolveStatus.FEASIBLE,
        objective=value,
        lower_bound=value,
        loss=float(wrong / problem.total_weight),
        scope=space.scope,
        stop_reason=None if optimal else stop_reason(raw["stop"]),
        stats=stats,
        options={
            "method": "leaf-accuracy",
            "criterion": criterion,
            "confidence": float(confidence) if criterion == "lower_bound" else None,
            "max_depth": problem.max_depth,
            "min_samples_leaf": problem.min_samples_leaf,
            **asdict(options),
        },
        notes=(*problem.notes, *notes),
    )


def solve_with_leaf_accuracy(
    problem: Problem,
    thresholds: Cuts | Thresholds,
    min_leaf_accuracy: float,
    *,
    limits: Limits | None = None,
    options: LeafAccuracyOptions | None = None,
    progress: ProgressCallback | None = None,
) -> SolveResult:
    """Find the tree of smallest objective among those with every leaf right on `min_leaf_accuracy` of its weight.

    Parameters
    ----------
    problem : Problem
        With a ``max_depth`` and plain costs; ``max_leaf_nodes`` must be None.
    thresholds : "auto", "all", int, mapping or Cuts
        As in `solve_leaf_accuracy`.
    min_leaf_accuracy : float
        0 to 1, read as a decimal of at most six places.
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
    """
    _check(problem, "min_leaf_accuracy")
    q = min_leaf_accuracy
    if isinstance(q, bool) or not isinstance(q, Real) or not 0 <= float(q) <= 1:
        raise InputError(f"min_leaf_accuracy={q!r}; give a number from 0 to 1, or None for no limit.")
    limits, options = limits or Limits(), options or LeafAccuracyOptions()
    space = _space(problem, thresholds)
    weights = _Weights.of(problem, ROOM["accuracy"])
    if weights.slack > 0:
        raise InputError(
            "min_leaf_accuracy needs weights that are whole numbers or decimals of a few places, with a sum of at "
            f"most {ROOM['accuracy']} of their units; round sample_weight or class_weight."
        )
    ratio = Fraction(repr(float(q))).limit_denominator(MOST_DENOMINATOR)
    total = int(weights.weight.sum())
    tie_bits = _most_leaves(problem).bit_length()
    # A leaf dearer than all errors together orders the trees by their leaves first, whatever it costs beyond that.
    price = min(problem.cost_complexity * total, float(total + 1))
    unit_bits = max(tie_bits, min(COST_BITS - total.bit_length(), LEAF_BITS - math.ceil(price).bit_length()))
    leaf = (round(price * 2.0 ** (unit_bits - tie_bits)) << tie_bits) + 1
    raw = _run(
        problem, space, weights, limits, options, progress,
        lower_bound=False, z=0.0, scale=1.0, cut=(ratio.numerator, ratio.denominator), unit=2**unit_bits,
        leaf=leaf,
    )  # fmt: skip
    if not raw["feasible"]:
        if not raw["proven_value"]:
            raise SolverError(
                f"No tree with min_leaf_accuracy={float(q):g} was found within the limits, and it is not known "
                "whether there is one. Raise time_limit, or lower min_leaf_accuracy."
            )
        raise SolverError(
            f"No tree of depth at most {problem.max_depth} with at least {problem.min_samples_leaf} rows a leaf "
            f"is right on {float(q):g} of every leaf. Lower min_leaf_accuracy; LeafAccuracyTreeClassifier finds "
            "the largest that can be had."
        )
    cost_unit = 2.0**-unit_bits / total
    per_leaf = (1 + 2**tie_bits / 2) * cost_unit
    slack = (
        per_leaf * _most_leaves(problem) if problem.cost_complexity > 0 else _most_leaves(problem) * cost_unit
    )
    return result_of(
        problem,
        _tree(problem, space, raw),
        proven=bool(raw["proven_cost"]),
        lower_bound=raw["cost_bound"] * cost_unit - slack,
        upper_bound=raw["cost"] * cost_unit + slack,
        slack=0.0,
        scope=space.scope,
        stop=raw["stop"],
        stats={name: raw[name] for name in STATS} | {"subproblems": raw["steps"]},
        options={"min_leaf_accuracy": float(q), **asdict(options)},
        notes=space.notes,
    )


STATS = ("seconds", "pair_solves", "pair_costs", "branches", "cache_hits", "cuts", "passes", "bytes")


@dataclass(frozen=True, eq=False)
class _Space:
    """Which splits are searched."""

    ranked: Sequence[Ranked]
    scope: str
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class _Weights:
    """Integer weights, how many observations one unit is, and what rounding may have moved."""

    weight: NDArray[np.int32]
    observations: float
    slack: float

    @staticmethod
    def of(problem: Problem, room: int) -> _Weights:
        n_rows = problem.table.n_rows
        if n_rows > room // 2:
            raise InputError(f"The table has {n_rows} rows; this search takes at most {room // 2}.")
        integers = integer_costs(problem, room - n_rows)
        weight = np.maximum(integers.weight, 1)
        observations = problem.total_weight / float(weight.sum())
        slack = 0.0
        if integers.slack > 0 or (integers.weight < 1).any():
            # A weight that changed by a share of e moves c / W by at most 2 e / (1 - e); the interval's width by less.
            error = float(np.abs(weight * observations / problem.sample_weight - 1).max())
            slack = 4 * error / (1 - error) if error < 0.5 else 1.0
        return _Weights(weight.astype(np.int32), observations, slack)


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


def _space(problem: Problem, thresholds: Cuts | Thresholds) -> _Space:
    table = problem.table
    if isinstance(thresholds, str) and thresholds == "auto":
        thresholds = auto_cuts(table, AUTO_SPLITS, sample_weight=problem.sample_weight)
    elif not isinstance(thresholds, (str, Cuts)):
        found = cuts_for(problem, thresholds, "cuts")
        assert found is not None
        thresholds = found
    if isinstance(thresholds, Cuts):
        return _Space(ranked_cuts(thresholds, table), thresholds.scope, thresholds.notes)
    if thresholds != "all":
        raise InputError(
            f'thresholds={thresholds!r}; give "auto", "all", a number of bins, or a mapping from column name to '
            "thresholds."
        )
    return _Space(ranked_columns(table), scope_of_all(table), table.notes)


def _run(
    problem: Problem,
    space: _Space,
    weights: _Weights,
    limits: Limits,
    options: LeafAccuracyOptions,
    progress: ProgressCallback | None,
    **question: Any,
) -> dict[str, Any]:
    n_rows = problem.table.n_rows
    rank = (
        np.vstack([r.rank for r in space.ranked]) if space.ranked else np.zeros((0, n_rows), dtype=np.uint32)
    )
    native = core.LeafAccuracyOptions()
    for name, value in asdict(options).items():
        setattr(native, name, value)
    assert problem.max_depth is not None  # _check
    raw: dict[str, Any] = core.leaf_accuracy_solve(
        rank,
        problem.y.astype(np.uint16),
        weights.weight,
        problem.n_classes,
        problem.min_samples_leaf,
        min(problem.max_depth, n_rows),
        options=native,
        report=_reporter(progress),
        **limits.native(),
        **question,
    )
    return raw


def _reporter(progress: ProgressCallback | None) -> Callable[..., bool] | None:
    if progress is None:
        return None

    def report(seconds: float, incumbent: float, bound: float, steps: int, n_bytes: int) -> bool:
        return bool(progress(Progress(seconds, incumbent, min(bound, incumbent), steps, n_bytes)))

    return report


def _tree(problem: Problem, space: _Space, raw: dict[str, Any]) -> Tree:
    table = problem.table
    splits = splits_of(raw["nodes"], space.ranked)
    return grow(
        table.columns, problem.classes, splits, table.X, problem.y, problem.sample_weight, problem.costs
    )


def _worst(tree: Tree, criterion: Criterion, confidence: float) -> tuple[float, float]:
    """Return the value and the accuracy of the worst leaf, each the smallest."""
    leaves = tree.value[tree.is_leaf]
    pairs = list(zip(leaves.max(axis=1).tolist(), leaves.sum(axis=1).tolist(), strict=True))
    return (
        min(leaf_value(c, w, criterion, confidence) for c, w in pairs),
        min(leaf_value(c, w) for c, w in pairs),
    )
