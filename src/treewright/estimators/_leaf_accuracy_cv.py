"""The tree with the best worst leaf, its depth, smallest leaf and criterion chosen on held-back rows.

The fits go split by split, all candidates on each, so that whoever interrupts has whole splits to choose by.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from treewright._numbers import is_real
from treewright.errors import InputError
from treewright.estimators._folds import folds_of
from treewright.estimators._held_back_scores import HeldBackScores, score_candidates
from treewright.estimators._interrupt import inner_fits_return, settle_interrupt
from treewright.estimators._leaf_accuracy import LeafAccuracyTreeClassifier
from treewright.estimators._shared_time import shared_among
from treewright.estimators._tree_estimator import TreeClassifier, is_column_vector
from treewright.problem import Problem
from treewright.result import LeafAccuracyResult, SolveStatus, StopReason, told_to_stop
from treewright.search import LeafAccuracyOptions, Limits, ProgressCallback

__all__ = ["LeafAccuracyTreeClassifierCV"]

Criterion = Literal["accuracy", "lower_bound"]
RULES = ("one_se", "best")
EQUAL = 1e-12  # of two shares: sums of the same weights in another order
SHARE_OF_LAST = 0.25  # of the time of all fits to training parts: what the tree of all rows gets besides
QUICK = 0.1  # seconds for the tree of all rows after Ctrl-C


class LeafAccuracyTreeClassifierCV(TreeClassifier):
    """`LeafAccuracyTreeClassifier` with `max_depth` and `min_samples_leaf` chosen by cross-validated leaf accuracy.

    A candidate is a depth, a smallest leaf and a criterion. For every candidate a tree is fitted on each training part
    of the splits. Its leaf accuracy *on the held-back rows* is the smallest share of them that a leaf predicts right
    (leaves that no held-back row reaches do not count). The candidate's score is the mean over the splits. A tree with
    the settings of the best candidate is then fitted on all rows. Ctrl-C ends the fit: the choice is then made by the
    splits that are done, and the tree of all rows is the best one found so far.

    Parameters
    ----------
    max_depths : sequence of int, default=(1, 2, 3, 4)
    min_samples_leaves : sequence of int or float, default=(0.02, 0.05, 0.1)
        Minimum numbers of rows in a leaf; a float in (0, 1) is a fraction of the training rows. Numbers that are too
        large for a training part are left out.
    criteria : sequence of {"accuracy", "lower_bound"}, default=("lower_bound", "accuracy")
    rule : {"one_se", "best"}, default="one_se"
        "best" takes the highest score; of equal scores the shallower tree, then the larger smallest leaf, then the
        first criterion. "one_se" looks at all candidates within one standard error of the highest score and takes
        the one with the highest accuracy on held-back rows; of equal ones as "best" does. The accuracy of a worst
        leaf with few rows is noisy, and accuracy on all rows should not be given up for that noise.
    confidence, thresholds, class_weight, categorical_features
        As in `LeafAccuracyTreeClassifier`.
    cv : int, splitter or iterable, default=5
        As in scikit-learn: a number of stratified folds, a splitter, or pairs of row numbers.
    time_limit : float or None, default=60
        Seconds for the whole `fit`. The ``len(max_depths) * len(min_samples_leaves) * len(criteria) * folds`` fits to
        training parts share four fifths of it, each an equal part of what is left; the rest is for the tree of all
        rows. When the time is over, no further part is begun. The choice is made by the splits that are done; if there
        are none, the first candidate is taken.
    step_limit, memory_limit
        As in `LeafAccuracyTreeClassifier`, of each fit.
    progress : "auto", bool or callable, default="auto"
        Of the last fit, that on all rows.
    reference, search_options
        As in `LeafAccuracyTreeClassifier`.
    random_state : int, RandomState or None, default=0
        Shuffles the rows before they are split into folds, if `cv` is a number; None keeps their order.

    Attributes
    ----------
    best_params_ : dict
        ``max_depth``, ``min_samples_leaf`` and ``criterion``.
    best_score_ : float
        Mean leaf accuracy on held-back rows of that candidate. The candidate was chosen by it, so it is slightly
        optimistic.
    cv_results_ : dict of ndarray
        ``max_depth``, ``min_samples_leaf``, ``criterion``, ``mean_leaf_accuracy``, ``standard_error``,
        ``mean_accuracy`` of every candidate, and ``leaf_accuracy`` of shape (n_candidates, n_splits); only for the
        splits that were done. NaN if the time was over before the first fit.
    best_estimator_ : LeafAccuracyTreeClassifier
        Fitted on all rows.
    stop_reason_ : StopReason or None
        INTERRUPT if Ctrl-C ended the whole fit, as in ``result_.asked_to_stop`` (``result_`` may be proven even then);
        else that of the last fit.
    tree_, result_, leaf_accuracy_, feature_importances_, classes_, n_features_in_, feature_names_in_
        Those of `best_estimator_`.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from treewright import LeafAccuracyTreeClassifierCV
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = LeafAccuracyTreeClassifierCV((1, 2), min_samples_leaves=(30, 60), thresholds=4, cv=3).fit(X, y)
    >>> sorted(model.best_params_)
    ['criterion', 'max_depth', 'min_samples_leaf']
    """

    result_: LeafAccuracyResult

    def __init__(
        self,
        max_depths: Sequence[int] = (1, 2, 3, 4),
        *,
        min_samples_leaves: Sequence[int | float] = (0.02, 0.05, 0.1),
        criteria: Sequence[Criterion] = ("lower_bound", "accuracy"),
        rule: Literal["one_se", "best"] = "one_se",
        confidence: float = 0.95,
        thresholds: Literal["auto", "all", "guess"] | int | Mapping[str, Sequence[float]] = 16,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        categorical_features: Sequence[str] | Sequence[int] | None = None,
        cv: int | Iterable[Any] | Any = 5,
        time_limit: float | None = 60.0,
        step_limit: int | None = None,
        memory_limit: int | None = None,
        progress: Literal["auto"] | bool | ProgressCallback = "auto",
        reference: Any = None,
        search_options: LeafAccuracyOptions | None = None,
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.max_depths = max_depths
        self.min_samples_leaves = min_samples_leaves
        self.criteria = criteria
        self.rule = rule
        self.confidence = confidence
        self.thresholds = thresholds
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.cv = cv
        self.time_limit = time_limit
        self.step_limit = step_limit
        self.memory_limit = memory_limit
        self.progress = progress
        self.reference = reference
        self.search_options = search_options
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Score the candidates, choose, and fit on all rows.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
        y : array-like of shape (n_rows,)
        sample_weight : array-like of shape (n_rows,), default=None
            Weights of the rows, in fitting and in scoring.

        Returns
        -------
        LeafAccuracyTreeClassifierCV

        Raises
        ------
        InputError
            No candidate fits the rows, or whatever `LeafAccuracyTreeClassifier.fit` raises.
        KeyboardInterrupt
            Ctrl-C before any candidate was scored; or later, where the caller loops over fits.

        Warns
        -----
        ConvergenceWarning
            The last fit reached a limit. Or some fits of the cross-validation did, or were not begun; one warning
            counts them.
        """
        limits = Limits(self.time_limit, self.step_limit, self.memory_limit).started()
        model = LeafAccuracyTreeClassifier(
            confidence=self.confidence,
            thresholds=self.thresholds,
            class_weight=self.class_weight,
            categorical_features=self.categorical_features,
            step_limit=self.step_limit,
            memory_limit=self.memory_limit,
            progress=False,
            reference=self.reference,
            search_options=self.search_options,
        )
        table = model._training_table(X, y, beside={"sample_weight": sample_weight})
        problem = model._problem(X, y, sample_weight, table)  # the checks, before any work
        labels = np.asarray(y).ravel() if not hasattr(y, "to_numpy") else np.asarray(y.to_numpy()).ravel()
        weight = (
            np.ones(len(labels)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        )
        n_splits = self._plain_folds(problem) if limits.left() <= 0 else 0
        if n_splits:  # no fit to training rows follows
            splits = []
            fewest = len(labels) + (-len(labels) // n_splits)  # the largest fold is held back
        else:
            splits = self._splits(labels)
            n_splits, fewest = len(splits), min(len(train) for train, _ in splits)
        candidates = self._candidates(fewest)
        n_fits = len(candidates) * n_splits
        last = math.ceil(n_fits * SHARE_OF_LAST)  # the fits as which the last one counts
        share = shared_among(limits, always=1)
        with inner_fits_return() as inner:
            if splits:
                found = score_candidates(
                    model, candidates, splits, table, labels, weight,
                    lambda to_come: share(to_come + last), inner,
                )  # fmt: skip
            else:
                found = HeldBackScores(late=True)
            if found.interrupted and not found.scores:
                raise KeyboardInterrupt
            try:
                best, used = self._choose(candidates, found, fewest)
            except KeyboardInterrupt:  # all fits were scored before
                found.interrupted = True
                best, used = self._choose(candidates, found, fewest)
            left = share(1)
            assert isinstance(left, Limits)  # this one is always made
            seconds = left.time_limit
            if found.interrupted:
                seconds = QUICK if seconds is None else min(QUICK, seconds)
            final = clone(model).set_params(progress=self.progress, time_limit=seconds, **self.best_params_)
            self.best_estimator_ = final
            flat = labels if is_column_vector(y) else y
            final.n_features_in_ = model.n_features_in_
            if hasattr(model, "feature_names_in_"):
                final.feature_names_in_ = model.feature_names_in_
            final._find(final._started(), partial(final._problem, X, flat, sample_weight, table))
        self.best_score_ = float(self.cv_results_["mean_leaf_accuracy"][best])
        self.result_ = final.result_
        self.stop_reason_ = (
            StopReason.INTERRUPT
            if found.interrupted or inner.interrupted
            else self.result_.asked_to_stop or self.result_.stop_reason
        )
        if found.interrupted:
            done = f"{len(found.scores)} of {n_fits} fits"
            these = "these" if used == len(found.scores) else f"{used} of these, of the splits that were done"
            note = f"The cross-validation was interrupted after {done}; the choice rests on {these}."
            self.result_ = replace(
                self.result_,
                stop_reason=None if self.result_.status is SolveStatus.OPTIMAL else StopReason.INTERRUPT,
                stats={**self.result_.stats, **told_to_stop(StopReason.INTERRUPT)},
                notes=(*self.result_.notes, note),
            )
        self.tree_ = final.tree_
        self.leaf_accuracy_ = final.leaf_accuracy_
        self.feature_importances_ = final.feature_importances_
        self.classes_ = problem.classes
        self.n_features_in_ = final.n_features_in_
        if hasattr(final, "feature_names_in_"):
            self.feature_names_in_ = final.feature_names_in_
        if found.late:
            warnings.warn(
                f"The time is over: {used} of {n_fits} fits of the cross-validation "
                + (
                    "chose the candidate."
                    if found.scores
                    else "were made, so the tree is that of the first candidate."
                )
                + " Raise time_limit, or give fewer candidates, folds or thresholds.",
                ConvergenceWarning,
                stacklevel=2,
            )
        elif found.unproven:
            warnings.warn(
                f"{found.unproven} of {len(found.scores)} fits of the cross-validation reached a limit; their best "
                "trees were scored. Raise time_limit, or give fewer thresholds.",
                ConvergenceWarning,
                stacklevel=2,
            )
        settle_interrupt(self.stop_reason_)
        return self

    def _candidates(self, fewest: int) -> list[dict[str, Any]]:
        """Return what is tried on training parts of `fewest` rows or more; simple ones first."""
        if self.rule not in RULES:
            raise InputError(f"rule={self.rule!r}; choose one of {', '.join(RULES)}.")
        given = {}
        for name in ("max_depths", "min_samples_leaves", "criteria"):
            values = getattr(self, name)
            if isinstance(values, str) or not isinstance(values, Iterable):
                raise InputError(f"{name}={values!r}; give a list of candidates.")
            given[name] = list(values)
            if not given[name]:
                raise InputError(f"{name} is empty; give at least one candidate.")
        for leaf in given["min_samples_leaves"]:
            if not is_real(leaf):
                raise InputError(
                    f"min_samples_leaves holds {leaf!r}; give numbers of rows, or shares of them."
                )
        leaves = [leaf for leaf in given["min_samples_leaves"] if isinstance(leaf, float) or leaf <= fewest]
        if not leaves:
            raise InputError(
                f"min_samples_leaves={tuple(self.min_samples_leaves)!r} are all above the {fewest} rows of the "
                "smallest training part; give smaller ones, or more rows."
            )
        return [
            {"max_depth": depth, "min_samples_leaf": leaf, "criterion": criterion}
            for depth, leaf, criterion in product(given["max_depths"], leaves, given["criteria"])
        ]

    def _choose(
        self, candidates: list[dict[str, Any]], found: HeldBackScores, fewest: int
    ) -> tuple[int, int]:
        """Set `best_params_` and `cv_results_`; return the number of the choice, and how many scores made it.

        A split in which some candidates were not scored is left out; of the first, those that were are compared.
        """
        splits = len(found.scores) // len(candidates)
        if splits == 0:  # the end came on the first split
            candidates, splits = candidates[: max(1, len(found.scores))], 1
        n = len(candidates)
        used = n * splits if found.scores else 0
        if not found.scores:  # late before the first
            found = HeldBackScores([math.nan], [math.nan])
        scores, right = (np.array(a[: n * splits]).reshape(splits, n).T for a in (found.scores, found.right))
        mean, accuracy = scores.mean(axis=1), right.mean(axis=1)
        error = scores.std(axis=1, ddof=1) / np.sqrt(splits) if splits > 1 else np.zeros(n)
        self.cv_results_ = {
            **{name: np.array([candidate[name] for candidate in candidates]) for name in candidates[0]},
            "mean_leaf_accuracy": mean,
            "standard_error": error,
            "mean_accuracy": accuracy,
            "leaf_accuracy": scores,
        }

        def simple(i: int) -> tuple[float, float]:
            leaf = candidates[i]["min_samples_leaf"]
            return candidates[i]["max_depth"], -(leaf * fewest if isinstance(leaf, float) else leaf)

        def best_of(among: Iterable[int], scores: NDArray[np.float64]) -> int:
            among = list(among)
            top = scores[among].max()
            return min((i for i in among if not scores[i] < top - EQUAL), key=simple)  # a score may be NaN

        best = best_of(range(n), mean)
        if self.rule == "one_se":
            near = [i for i in range(n) if mean[i] >= mean[best] - error[best] - EQUAL] or [best]
            best = best_of(near, accuracy)
        self.best_params_ = dict(candidates[best])
        return best, used

    def _plain_folds(self, problem: Problem) -> int:
        """Return into how many folds of equal sizes but for one row the table is divided; 0 where that takes a look."""
        if isinstance(self.cv, bool) or not isinstance(self.cv, int):
            return 0
        return self.cv if 2 <= self.cv <= int(np.bincount(problem.y).max()) else 0

    def _splits(self, labels: NDArray[Any]) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Return the row numbers of the training and held-back parts."""
        n_rows = len(labels)
        if not isinstance(self.cv, int) or self.random_state is None:
            return [(np.sort(train), np.sort(test)) for train, test in folds_of(self.cv, labels)]
        order = check_random_state(self.random_state).permutation(n_rows)
        return [
            (_ascending(order[train]), _ascending(order[test]))
            for train, test in folds_of(self.cv, labels[order])
        ]


def _ascending(rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return different row numbers in ascending order, without comparing them."""
    part = np.zeros(int(rows.max(initial=-1)) + 1, dtype=np.bool_)
    part[rows] = True
    return np.flatnonzero(part)
