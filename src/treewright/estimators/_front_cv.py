"""Cross-validation along fronts of all numbers of leaves: what classifiers and regressors share."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np
from joblib import delayed, effective_n_jobs
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.exceptions import ConvergenceWarning

from treewright.errors import InputError
from treewright.estimators._folds import folds_of
from treewright.estimators._front_folds import Fold, FoldFront, FrontOf, HeldOut, fold_of, search_fold
from treewright.estimators._importances import collapse_importances, node_losses
from treewright.estimators._interrupt import begun_again, settle_interrupt
from treewright.result import StopReason, after_rounding, told_to_stop
from treewright.search import (
    SECONDS_BEFORE_BAR,
    Frontier,
    Limits,
    answers_in_order,
    check_max_leaves,
    check_n_jobs,
    jobs_for,
    quiet_bar,
    watched,
)
from treewright.tree import Tree

__all__ = ["CVProgress", "FrontCV", "folds_in"]

RULES = ("one_se", "best")
CHOICES = ("cost_complexity", "leaves")
NOISE = 1e-12  # mean losses that differ by less are equal
UNSCORED_PENALTY = 0.01  # of a leaf, where Ctrl-C came before any fold: the default of the estimators


@dataclass(frozen=True, slots=True)
class CVProgress:
    """State of a running cross-validation, after each fold.

    Parameters
    ----------
    done, total : int
        Folds.
    seconds : float
        Since the start.

    Examples
    --------
    >>> from treewright.estimators import CVProgress
    >>> CVProgress(done=2, total=5, seconds=1.5).total
    5
    """

    done: int
    total: int
    seconds: float


class FrontCV:
    """Base of estimators that search one front for all rows and one a fold, and choose a point of the first.

    `fit` of a subclass states the problem and the folds, and calls `_cross_validate`.
    """

    choose: Any
    rule: Any
    max_leaves: int
    n_jobs: int | None
    progress: Any
    n_splits_: int
    best_index_: int
    cost_complexity_: float
    frontier_: Frontier
    cv_results_: dict[str, NDArray[Any]]
    result_: Any
    tree_: Tree
    feature_importances_: NDArray[np.float64]

    def _checked_leaves(self) -> int:
        """Return the largest number of leaves; what can be said of the other parameters is said now."""
        check_n_jobs(self.n_jobs)
        _check(self.choose, "choose", CHOICES)
        _check(self.rule, "rule", RULES)
        return check_max_leaves(self.max_leaves)

    def _cross_validate(
        self,
        problem: Any,
        folds: list[Fold],
        front_of: FrontOf,
        held_out: HeldOut,
        limits: Callable[[int], Limits | StopReason],
        advice: str,
    ) -> None:
        """Search all fronts, choose, and set the attributes; the last line of `fit`.

        Parameters
        ----------
        problem : Problem or RegressionProblem
            Of all rows; ``max_leaf_nodes`` is the largest number of leaves.
        folds : list of Fold
        front_of : callable
            ``front_of(problem, limits)``, which can be pickled.
        held_out : callable
            ``held_out(problem, rows, tree)``: loss of a tree on rows it was not fitted on; can be pickled.
        limits : callable
            Limits of a search of which so many, itself included, are to come one after the other; the limit that leaves
            nothing for it, but for the first.
        advice : str
            What to do, beside raising the limit, where one was reached; the rest of a sentence.
        """
        first = limits(len(folds) + 1)
        assert isinstance(first, Limits)  # the front of all rows is always searched
        frontier = front_of(problem, first)
        fronts: list[FoldFront] = []
        stop = frontier.asked_to_stop or frontier.stop_reason
        if stop is not StopReason.INTERRUPT:
            fronts, stop = self._search(folds, front_of, held_out, limits)
        self.frontier_ = frontier
        self.n_splits_ = len(fronts)

        def choose() -> None:
            self._choose(fronts)
            self.tree_ = self.result_.tree
            penalty = self.cost_complexity_ if self.choose == "cost_complexity" else 0.0
            self.feature_importances_ = collapse_importances(
                self.tree_, node_losses(self.tree_, problem), penalty
            )
            self._after_choice(problem)

        late = begun_again(choose)  # all folds were scored before that
        by_user = StopReason.INTERRUPT if late else stop
        if told := told_to_stop(by_user):  # the points of the front may be proven before a fold was cut short
            self.result_ = replace(self.result_, stats={**self.result_.stats, **told})
        unproven = sum(front.proven_leaves < problem.max_leaf_nodes for front in fronts)
        unproven += frontier.proven_leaves < problem.max_leaf_nodes
        interrupted = by_user is StopReason.INTERRUPT
        short = "step_limit" if (stop or frontier.stop_reason) is StopReason.STEP_LIMIT else "time_limit"
        advice = f"Raise {short}, {advice}"
        if stop is not None:
            how = f"{len(fronts)} of {len(folds)} folds chose the tree"
            if not fronts:
                how = f"no fold was scored, so the tree is that at cost_complexity={UNSCORED_PENALTY:g}"
            asked = {
                StopReason.INTERRUPT: "Interrupted",
                StopReason.CALLBACK: "Stopped by the progress callback",
            }
            ended = asked.get(stop, "No step is left" if short == "step_limit" else "The time is over")
            then = "" if stop in asked else f" {advice}"
            warnings.warn(f"{ended}: {how}. {frontier.sentence()}{then}", ConvergenceWarning, stacklevel=3)
        elif unproven:
            why = "reached a limit"
            if frontier.is_only_rounded:
                why = "ended without a proof, because numbers were rounded"
                advice = f"Give {after_rounding(frontier[0].options)}."
            warnings.warn(
                f"{unproven} of {len(fronts) + 1} searches {why}; their trees are the best found. "
                f"{frontier.sentence()} {advice}",
                ConvergenceWarning,
                stacklevel=3,
            )
        settle_interrupt(StopReason.INTERRUPT if interrupted else None)

    def _after_choice(self, problem: Any) -> None:
        """Set what else a subclass keeps of its tree, before Ctrl-C is passed on."""

    def _search(
        self,
        folds: list[Fold],
        front_of: FrontOf,
        held_out: HeldOut,
        limits: Callable[[int], Limits | StopReason],
    ) -> tuple[list[FoldFront], StopReason | None]:
        """Return the fronts in the order of the folds, and what ended the work before the last."""
        start = time.perf_counter()
        n_jobs = jobs_for(len(folds), self.n_jobs)
        workers = effective_n_jobs(n_jobs)
        fronts: list[FoldFront] = []
        stop: StopReason | None = None

        def searches() -> Iterator[Any]:
            nonlocal stop
            for at, fold in enumerate(folds):
                left = limits(math.ceil((len(folds) - at) / workers))
                if isinstance(left, StopReason):
                    stop = left
                    return
                yield delayed(search_fold)(fold, front_of, held_out, left)

        try:
            # In the order of the folds, so that nothing depends on which worker was first.
            answers: Iterator[FoldFront] = answers_in_order(searches(), n_jobs)
            with watched(self.progress, lambda: _Bar(len(folds))) as report:
                for front in answers:
                    fronts.append(front)
                    if front.interrupted:
                        return fronts, StopReason.INTERRUPT
                    state = CVProgress(len(fronts), len(folds), time.perf_counter() - start)
                    if report is not None and report(state) and len(fronts) < len(folds):
                        return fronts, StopReason.CALLBACK
        except KeyboardInterrupt:  # here, while workers search
            return fronts, StopReason.INTERRUPT
        return fronts, stop

    def _choose(self, fronts: list[FoldFront]) -> None:
        """Score the candidates, smallest tree first, and take one."""
        if self.choose == "leaves":
            candidates: list[Any] = [point.tree.n_leaves for point in self.frontier_]
            points = list(self.frontier_)
            chosen = np.array([[leaves - 1] * len(fronts) for leaves in candidates])
        else:
            candidates = _penalties_between(self.frontier_)
            points = [self.frontier_.select(leaf_penalty) for leaf_penalty in candidates]
            chosen = np.array(
                [[front.at_penalty(leaf_penalty) for front in fronts] for leaf_penalty in candidates]
            )
        folds = range(len(fronts))
        scores = np.array([[-fronts[f].test_loss[row[f]] for f in folds] for row in chosen])
        unscored = np.full(len(points), math.nan)
        mean = scores.mean(axis=1) if fronts else unscored
        error = np.zeros(len(mean))
        if len(fronts) > 1:
            with np.errstate(invalid="ignore"):  # infinite losses have no spread
                error = scores.std(axis=1, ddof=1) / math.sqrt(len(fronts))
        error = np.where(np.isfinite(mean), error, 0.0)
        if not fronts:
            leaves = self.frontier_.select(UNSCORED_PENALTY).tree.n_leaves
            best = [point.tree.n_leaves for point in points].index(leaves)
        else:
            best = int(np.flatnonzero(mean >= mean.max() - NOISE)[0])
            if self.rule == "one_se":
                best = int(np.flatnonzero(mean >= mean[best] - error[best] - NOISE)[0])
        self.best_index_ = best
        self.cv_results_ = {
            f"param_{self.choose}": np.array(candidates),
            "n_leaves": np.array([point.tree.n_leaves for point in points]),
            "mean_n_leaves": np.array(
                [np.mean([fronts[f].n_leaves[row[f]] for f in folds]) for row in chosen]
            )
            if fronts
            else unscored,
            **{f"split{f}_test_score": scores[:, f] for f in folds},
            "mean_test_score": mean,
            "std_test_score": np.array([row.std() if np.isfinite(row).all() else math.nan for row in scores])
            if fronts
            else unscored,
            "standard_error": error,
            "rank_test_score": rankdata(-mean if fronts else np.zeros(len(mean)), method="min").astype(
                np.int32
            ),
        }
        self.result_ = points[best]
        penalties = self.frontier_.penalty_range(self.result_.tree.n_leaves)
        if self.choose == "cost_complexity":
            self.cost_complexity_ = float(candidates[best])
        elif penalties is None:
            self.cost_complexity_ = math.nan
        else:
            self.cost_complexity_ = math.sqrt(penalties[0] * min(penalties[1], self.frontier_[0].loss))


def folds_in(
    problem: Any,
    cv: Any,
    n_rows: int,
    min_samples_leaf: int | float,
    *,
    labels: NDArray[Any] | None = None,
    all_labels: Callable[[], NDArray[Any]] | None = None,
) -> list[Fold]:
    """Cut the rows of a problem that have weight; a splitter of the user's own speaks of all rows of the input.

    Parameters
    ----------
    problem : Problem or RegressionProblem
    cv : int, splitter, iterable of pairs, or None
    n_rows : int
        Of the input.
    min_samples_leaf : int or float
    labels : ndarray of shape (n_rows of the problem,), default=None
        For folds with the same shares of classes.
    all_labels : callable, default=None
        Returns those of all rows of the input, for a splitter of the user's own.

    Raises
    ------
    InputError
        There are no folds, or one without training or test rows.
    """
    kept = np.arange(n_rows) if problem.rows is None else problem.rows
    if cv is None or isinstance(cv, Integral):
        of_rows, rows = (np.zeros(len(kept)) if labels is None else labels), np.arange(len(kept))
    else:
        of_rows = np.zeros(n_rows) if all_labels is None else all_labels()
        rows = np.full(n_rows, -1)
        rows[kept] = np.arange(len(kept))
    folds = []
    for train, test in folds_of(cv, of_rows, stratified=labels is not None):
        train, test = (part[part >= 0] for part in (_taken(rows, train), _taken(rows, test)))
        if len(train) == 0 or len(test) == 0:
            raise InputError("cv gives a fold without training or test rows; each needs at least one.")
        folds.append(fold_of(problem, train, test, min_samples_leaf))
    return folds


def _penalties_between(frontier: Frontier) -> list[float]:
    """Return one penalty for each corner of the front, largest first: between those at which the best tree changes."""
    penalties = []
    for corner in frontier.convex_hull():
        bounds = frontier.penalty_range(corner.tree.n_leaves)
        assert bounds is not None  # a corner has penalties
        # No split saves more than the loss of the single leaf; the last corner has no lower penalty.
        low, high = bounds[0], min(bounds[1], frontier[0].loss)
        penalties.append(math.sqrt(low * high) if low > 0 else high / 2)
    return penalties


def _taken(rows: NDArray[np.int64], chosen: Any) -> NDArray[np.int64]:
    """Return the `rows` that a fold chooses, by position or by truth values."""
    chosen = np.asarray(chosen)
    if chosen.dtype == np.bool_ and len(chosen) == len(rows):
        chosen = np.flatnonzero(chosen)
    if chosen.size and (chosen.dtype.kind not in "iu" or chosen.min() < 0 or chosen.max() >= len(rows)):
        raise InputError(f"cv gives rows that are not positions from 0 to {len(rows) - 1}; give row numbers.")
    taken: NDArray[np.int64] = rows[chosen.astype(np.int64)]
    return taken


def _check(value: Any, name: str, allowed: Sequence[str]) -> None:
    if value not in allowed:
        raise InputError(f"{name}={value!r}; choose one of {', '.join(allowed)}.")


class _Bar:
    """Shows how many folds are done."""

    def __init__(self, total: int) -> None:
        self.bar = quiet_bar(
            total=total, unit="fold", leave=False, delay=SECONDS_BEFORE_BAR, desc="cross-validating"
        )

    def __call__(self, state: CVProgress) -> None:
        self.bar.update(state.done - self.bar.n)

    def close(self) -> None:
        self.bar.close()
