"""Search guided by a reference ensemble: guess thresholds, the depth, lower bounds, or any of these together.

Longer than 400 lines: a quarter of it documents parameters and results.

McTavish et al. 2022. What each guess does to the answer:

* thresholds: the search is exact over fewer splits; Theorem 4.1 compares the result with the reference.
* depth: the search is exact over trees of the depth of Theorem 4.2.
* lower bounds: the search is conditional; Theorem 4.3 says what can have been lost. The exact search runs beside it,
  and gives the answer if it ends first (``_beside.py``; ``_all_thresholds_first.py`` where only a part of the
  thresholds can be offered to both); else a short search with a lower guess tells whether the guess
  held (the recheck of ``cpp/include/treewright/search/schedule.hpp``).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from treewright.binarize import SplitMatrix
from treewright.errors import InputError
from treewright.guess import (
    GuessedSplits,
    Reference,
    ReferenceCosts,
    check_predictions,
    guess_depth,
    guess_splits,
    make_reference,
    predictions_of,
    reference_cells,
    reference_costs,
)
from treewright.problem import Problem
from treewright.result import SolveResult, SolveStatus, StopReason, told_to_stop
from treewright.search._all_thresholds_first import better_of, over_all_thresholds
from treewright.search._beside import solve_beside
from treewright.search._choose_engine import choose_engine
from treewright.search._limits import LEAST_SECONDS, Limits, Progress, ProgressCallback
from treewright.search._options import BinaryOptions, RankedOptions
from treewright.search._solve import solve, solve_binary
from treewright.search._space import Thresholds
from treewright.tree import at_most

__all__ = ["Guessed", "Guesses", "solve_guided"]

LARGE = 1 << 20  # cells: of fewer a reference is fitted soon
GUESSING = (
    1e-7  # seconds for each cell of a large table: to let a reference predict it, and to choose thresholds
)
BETWEEN_REPORTS = 0.05  # seconds


@dataclass(frozen=True)
class Guesses:
    """What to guess, and from what.

    Parameters
    ----------
    thresholds : bool, default=False
        Search over the thresholds that column elimination keeps.
    depth : bool, default=False
        Limit the depth to that of Theorem 4.2.
    lower_bounds : bool, default=False
        Take what the reference gets wrong as lower bounds.
    reference : estimator, array-like of shape (n_rows,), or None, default=None
        A tree ensemble, fitted on the table's columns or not fitted; or, for lower bounds alone, the labels
        that any model predicts for the training rows. None is boosted
        trees of a size chosen on held-out rows (`treewright.guess.make_reference`).
    tolerance : float, default=0
        Largest allowed decrease of the reference's training accuracy in column elimination.
    compare : bool, default=True
        Also search without guessed lower bounds, in turns, and before them over all thresholds if "auto" offers only
        some to a search with guessed bounds and no `options` are given. If the tree found with them refutes some of
        these bounds, a short search with the remaining ones follows.

    Examples
    --------
    >>> from treewright.search import Guesses
    >>> Guesses(thresholds=True, lower_bounds=True).depth
    False
    """

    thresholds: bool = False
    depth: bool = False
    lower_bounds: bool = False
    reference: Any = None
    tolerance: float = 0.0
    compare: bool = True

    @property
    def any(self) -> bool:
        """Whether anything is guessed."""
        return self.thresholds or self.depth or self.lower_bounds


class Guessed(NamedTuple):
    """What a run has guessed, so that smaller problems can be tried without another reference.

    Parameters
    ----------
    guesses : Guesses
        What was to be guessed.
    predictions : ndarray of int32
        Class index that the reference predicts, on the thresholds that were kept, for each row of the input.
    splits : SplitMatrix or None
        Of the thresholds that were kept; None if none were guessed.
    max_depth : int or None
        Guessed or given.

    Examples
    --------
    >>> from treewright.datasets import iris
    >>> from treewright.guess import named_reference
    >>> from treewright.problem import make_problem
    >>> from treewright.search import Guesses, solve_guided
    >>> data, known = iris(), []
    >>> guesses = Guesses(thresholds=True, reference=named_reference("gbdt"))
    >>> _ = solve_guided(make_problem(data.table, data.y, max_depth=1), "guess", guesses, tell=known.append)
    >>> len(known[0].predictions), known[0].max_depth
    (150, 1)
    """

    guesses: Guesses
    predictions: NDArray[np.int32]
    splits: SplitMatrix | None
    max_depth: int | None


def solve_guided(
    problem: Problem,
    thresholds: SplitMatrix | Thresholds | Literal["guess"],
    guesses: Guesses,
    *,
    limits: Limits | None = None,
    options: BinaryOptions | RankedOptions | None = None,
    progress: ProgressCallback | None = None,
    tell: Callable[[Guessed], object] | None = None,
) -> SolveResult:
    """Find a tree with the help of a reference model.

    Parameters
    ----------
    problem : Problem
        With ``max_depth=None`` if the depth is guessed.
    thresholds : "auto", "all", int, mapping or SplitMatrix
        As in `treewright.search.solve`; ignored if thresholds are guessed.
    guesses : Guesses
    limits : Limits, default=None
        For guessing and the search together. A step of guessing is one check whether the time is over.
    options : BinaryOptions, default=None
    progress : callable, default=None
    tell : callable, default=None
        Called before the search with what was guessed.

    Returns
    -------
    SolveResult
        Status OPTIMAL holds over the guessed thresholds and depth, as ``scope`` says. With guessed lower bounds it is
        OPTIMAL if the exact search, which takes turns with the guided one, ended first, else OPTIMAL_UNDER_GUESSES.
        ``notes`` and ``stats`` have the reference's accuracy and the guarantees of Theorems 4.1, 4.2 and 4.3.

    Raises
    ------
    InputError
        The reference cannot be used; the message says why.

    Examples
    --------
    >>> from treewright.datasets import iris
    >>> from treewright.guess import named_reference
    >>> from treewright.problem import make_problem
    >>> from treewright.search import Guesses, solve_guided
    >>> data = iris()
    >>> problem = make_problem(data.table, data.y, max_depth=2)
    >>> guesses = Guesses(thresholds=True, reference=named_reference("gbdt"))
    >>> result = solve_guided(problem, "guess", guesses)
    >>> round(result.loss, 3)
    0.04
    """
    limits = (limits or Limits()).started()
    start = time.perf_counter()
    notes: list[str] = []
    stats: dict[str, Any] = {}
    if (problem.y == problem.y[0]).all():
        asked = "auto" if guesses.thresholds else cast("SplitMatrix | Thresholds", thresholds)
        result = solve(problem, asked, limits=limits, options=options, progress=progress)
        return replace(result, notes=(*result.notes, "All rows have one label: nothing was guessed."))
    clock = _Clock(limits, progress)
    cells = problem.table.X.size
    if _is_model(guesses.reference):  # which reads each category as a column
        cells = max(cells, reference_cells(problem.table))
    if cells > LARGE and limits.left() < GUESSING * cells:
        return _without_guesses(StopReason.TIME_LIMIT, problem, guesses, thresholds, limits, options)
    try:
        reference, predictions = _reference(problem, guesses, clock)
        stats["reference_was_stopped"] = clock.reason is not None
        guessed = None
        if guesses.thresholds:
            assert reference is not None  # checked by _reference
            guessed = guess_splits(
                reference,
                problem.table,
                problem.y,
                problem.sample_weight,
                tolerance=guesses.tolerance,
                is_over=clock.is_over,
            )
    except KeyboardInterrupt:
        return _without_guesses(StopReason.INTERRUPT, problem, guesses, thresholds, limits, options)
    except InputError:
        if clock.reason is None:
            raise
        # A reference that got no time to learn anything.
        return _without_guesses(clock.reason, problem, guesses, thresholds, limits, options)
    progress = clock.progress
    limits = limits.after(clock.steps) or replace(limits, step_limit=1)
    if guesses.depth:
        assert reference is not None  # checked by _reference
        depth = guess_depth(reference.model if guesses.reference is None else guesses.reference)
        problem = replace(problem, max_depth=depth)
        notes.append(
            f"The depth was limited to {depth} splits, a guess: by Theorem 4.2 of McTavish et al. (2022) single "
            "trees of that depth are as expressive as the reference, if the VC dimension of its trees is the number of "
            "their leaves, or 3 for stumps. On many columns it is larger."
        )
        stats["guessed_depth"] = depth
    if guessed is not None:
        predictions = guessed.elimination.predictions  # T' of Corollary 4.3.1
        stats["offered_thresholds"] = len(guessed.elimination.kept) + len(guessed.elimination.removed)
        stats["kept_thresholds"] = len(guessed.elimination.kept)
    costs = reference_costs(predictions, problem.y, problem.sample_weight, problem.costs)
    answers = predictions if reference is None else reference.predictions
    stats["reference_accuracy"] = accuracy = 1 - _error(problem, answers)
    stats["seconds_of_guessing"] = time.perf_counter() - start
    stats["steps_of_guessing"] = clock.steps
    splits = None if guessed is None else guessed.split_matrix
    searched = cast("SplitMatrix | Thresholds", thresholds) if splits is None else splits
    if tell is not None:
        of_input = predictions
        if problem.rows is not None:
            of_input = np.zeros(int(problem.rows.max()) + 1, dtype=np.int32)
            of_input[problem.rows] = predictions
        tell(Guessed(guesses, of_input, splits, problem.max_depth))
    how: dict[str, Any] = {"limits": limits, "options": options, "progress": progress}
    if guesses.lower_bounds:
        asked = searched
        choice = choose_engine(problem, asked, options, method="guessed bounds", limits=limits)
        assert isinstance(choice.space, SplitMatrix)  # only that engine knows guessed bounds
        searched = choice.space
        assert not isinstance(options, RankedOptions)  # choose_engine
        stats |= {"reference_loss": costs.loss, "reference_wrong_rows": costs.n_wrong}
        search = solve_beside if guesses.compare else solve_binary
        first = None
        if guesses.compare and options is None and isinstance(asked, str) and asked == "auto":
            first = over_all_thresholds(problem, choice, limits, progress)
        if first is None:
            result = choice.sign(search(problem, searched, reference=costs, **how))
        elif first.status is SolveStatus.OPTIMAL or first.asked_to_stop is not None:
            result = first
        else:
            how["limits"] = limits.after(first.stats["steps"]) or replace(limits, step_limit=1)
            result = better_of(first, choice.sign(search(problem, searched, reference=costs, **how)))
    else:
        result = solve(problem, searched, **how)
    notes.append(f"The reference is right on {100 * accuracy:.2f}% of the training weight.")
    if reference is not None and reference.n_learned is not None:
        notes.append(
            f"It learned from {reference.n_learned:,} of {problem.table.n_rows:,} rows: all would have taken longer "
            "than the time limit."
        )
    if stats["reference_was_stopped"]:
        notes.append(
            "A limit ended the run's guessing before the reference had learned all its trees: with more time its "
            "guesses are likely to be better."
        )
    stats["guess_is_poor"] = costs.loss >= _loss_of_a_leaf(problem)
    if stats["guess_is_poor"]:
        notes.append("That is no better than a single leaf: its guesses are poor. Give a better reference.")
    result = replace(result, stats={**result.stats, **stats}, notes=(*result.notes, *notes))
    if guessed is not None:
        assert reference is not None
        result = _with_theorem_4_1(result, problem, guessed, costs, reference)
    return result


class _Clock:
    """Whether the time for guessing is over: a limit, or the user's callback. Each question is a step."""

    def __init__(self, limits: Limits, progress: ProgressCallback | None) -> None:
        self.limits, self.user = limits, progress
        self.start = self.told = time.perf_counter()
        self.steps = 0
        self.stopped = False
        self.reason: StopReason | None = None
        self.progress = None if progress is None else self._tell

    def is_over(self) -> bool:
        """Look at the clock, and tell the user about 20 times a second."""
        now = time.perf_counter()
        self.steps += 1
        if self.user is not None and now - self.told >= BETWEEN_REPORTS:
            self.told = now
            self._tell(Progress(now - self.start, math.inf, 0.0, 0, 0))
        if self.stopped:
            self.reason = StopReason.CALLBACK
        elif self.limits.left() <= 0:
            self.reason = StopReason.TIME_LIMIT
        elif self.limits.step_limit is not None and self.steps > self.limits.step_limit:
            self.reason = StopReason.STEP_LIMIT
        return self.reason is not None

    def _tell(self, state: Progress) -> bool:
        """Tell the user; what was to stop while guessing stops the search, too."""
        assert self.user is not None  # nobody is told otherwise
        self.stopped = self.stopped or bool(self.user(state))
        return self.stopped


def _without_guesses(
    reason: StopReason,
    problem: Problem,
    guesses: Guesses,
    thresholds: SplitMatrix | Thresholds | Literal["guess"],
    limits: Limits,
    options: BinaryOptions | RankedOptions | None,
) -> SolveResult:
    """When a run ends before anything is guessed: the first tree of a plain search."""
    asked = "auto" if guesses.thresholds else cast("SplitMatrix | Thresholds", thresholds)
    result = solve(problem, asked, limits=Limits(LEAST_SECONDS, 1, limits.memory_limit), options=options)
    return replace(
        result,
        stop_reason=reason if result.status is SolveStatus.FEASIBLE else None,
        stats={**result.stats, **told_to_stop(reason)},
        notes=(
            *result.notes,
            f"Nothing was guessed ({reason.value} before): this is the first tree of a search without guesses.",
        ),
    )


def _reference(
    problem: Problem, guesses: Guesses, clock: _Clock
) -> tuple[Reference | None, NDArray[np.int32]]:
    """Return the fitted reference (None for given predictions) and its predictions."""
    given = guesses.reference
    if _is_model(given):
        reference = make_reference(
            given,
            problem.table,
            problem.y,
            problem.classes,
            problem.sample_weight,
            clock.is_over,
            clock.limits.left(),
        )
        return reference, reference.predictions
    if guesses.thresholds or guesses.depth:
        raise InputError(
            "reference holds predictions; thresholds and the depth can only be guessed from a tree "
            "ensemble. Give the model, or guess lower bounds alone."
        )
    if problem.rows is None:
        predictions = predictions_of(given, problem.classes, problem.table.n_rows)
    else:
        n_rows = len(np.asarray(given))
        if n_rows <= int(problem.rows.max()):
            raise InputError(
                f"The reference's {n_rows} predictions are fewer than the rows; give one per row."
            )
        predictions = predictions_of(given, problem.classes, n_rows)[problem.rows]
    check_predictions(predictions, problem.y)
    return None, predictions


def _is_model(given: Any) -> bool:
    """Whether a reference is a model, the default or something that will be refused as one, and not predictions."""
    return given is None or hasattr(given, "fit") or isinstance(given, (type, str))


def _error(problem: Problem, predictions: NDArray[np.int32]) -> float:
    return float(problem.sample_weight[predictions != problem.y].sum() / problem.total_weight)


def _loss_of_a_leaf(problem: Problem) -> float:
    by_class = (problem.sample_weight[:, None] * problem.costs[problem.y]).sum(axis=0)
    return float(by_class.min() / problem.total_weight)


def _with_theorem_4_1(
    result: SolveResult,
    problem: Problem,
    guessed: GuessedSplits,
    reduced: ReferenceCosts,
    reference: Reference,
) -> SolveResult:
    """Add what Theorem 4.1 (Corollary 4.3.1 with guessed lower bounds) says, as a number."""
    full = reference_costs(reference.predictions, problem.y, problem.sample_weight, problem.costs)
    tree = guessed.faithful
    stats: dict[str, Any] = {"reference_loss_before": full.loss, "reference_loss_reduced": reduced.loss}
    if tree is None:
        note = "Theorem 4.1 gives no guarantee: no tree over the kept thresholds repeats the reference."
    elif not tree.is_allowed(problem.max_depth, problem.max_leaf_nodes, problem.min_samples_leaf):
        note = (
            "Theorem 4.1 gives no guarantee here: the tree found that repeats the reduced reference has "
            f"{tree.n_leaves} leaves and depth {tree.depth}, beyond the limits of this fit (a smaller one "
            "may exist)."
        )
    else:
        bound = reduced.loss + problem.cost_complexity * tree.n_leaves
        stats |= {"faithful_leaves": tree.n_leaves, "theorem_4_1_bound": bound}
        whose = "of the optimum" if result.status is SolveStatus.FEASIBLE else "here"
        note = (
            f"Theorem 4.1: the objective {whose} is at most {at_most(bound)} = {reduced.loss:.6f} (loss of the "
            f"reference on the kept thresholds; {full.loss:.6f} on all) + {problem.cost_complexity:g} x "
            f"{tree.n_leaves} leaves of a tree that repeats it on every row. Whether a smaller such tree "
            "exists is not known."
        )
    return replace(result, stats={**result.stats, **stats}, notes=(*result.notes, note))
