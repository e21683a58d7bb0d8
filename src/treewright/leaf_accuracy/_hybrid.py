"""A model in each leaf of a tree: the extension step of Nemecek et al. (2023), section 3 and Appendix A.6.

The tree routes, the model of the leaf answers. What is done in a leaf depends on its training rows:

=========  ==============================================================  ==============================
treatment  training rows of the leaf                                       who answers
=========  ==============================================================  ==============================
kept       all have the tree's class (100% training accuracy), or none;    the tree
           or no tuned model does better than it on held-out rows
shared     where rounds are chosen: the model of all rows does better      that model
           than the tree (below), and the leaf's own is not clearly better
one class  all have one other class (only below a tree made elsewhere)     that class
simple     some class has fewer rows than folds (3 in the paper)           a single tree of depth <= 5
model      all others                                                      the leaf model, tuned if asked
=========  ==============================================================  ==============================

"Clearly" is by more than a standard error of the difference on held-out rows: an own model has seen few rows, and is
not to win by luck. Tree and shared model are first compared over all rows, for a leaf has few. If the model is clearly
better there, it answers in every leaf where the tree is not clearly better; else the tree answers in every leaf where
the model is not. Leaves are independent of each other and are fitted in parallel; each has its own seed, drawn in the
order of the leaves, so that the number of jobs changes nothing. The own model gives classes that the leaf does not have
probability 0. Ctrl-C ends the fits: leaves that are done keep their models, the tree answers in the others. Cost: one
fit a leaf; folds + 1 fits where the rounds are chosen; with tuning, trials x folds + 1 fits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Literal

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.parallel import Parallel, delayed
from threadpoolctl import threadpool_limits

from treewright.guess import rows_by_number
from treewright.leaf_accuracy._inputs import Inputs
from treewright.leaf_accuracy._leaf_models import readable, seeded, simple_model
from treewright.leaf_accuracy._rounds import NO_LIMIT, choose_rounds
from treewright.leaf_accuracy._shared import Shared
from treewright.leaf_accuracy._temperature import softened
from treewright.leaf_accuracy._timed_fits import Clock, expected_times, fit_in_time
from treewright.leaf_accuracy._tune import tune_model
from treewright.search import answers_in_order, jobs_for
from treewright.tree import Tree

__all__ = ["Extension", "Treatment", "Tuning", "classify", "extend_leaves", "probabilities", "treatments"]


class Treatment(StrEnum):
    """What predicts in a leaf.

    Examples
    --------
    >>> from treewright.leaf_accuracy import Treatment
    >>> [treatment.value for treatment in Treatment]
    ['kept', 'one class', 'simple', 'model', 'shared']
    """

    KEPT = "kept"
    ONE_CLASS = "one class"
    SIMPLE = "simple"
    MODEL = "model"
    SHARED = "shared"


@dataclass(frozen=True)
class Tuning:
    """How the leaf models are tuned.

    Parameters
    ----------
    n_trials : int, default=50
        In each leaf, of "optuna".
    time_limit : float or None, default=None
        Seconds for all leaves together (one after another), shared by their rows; None is no limit.
    how : {"rounds", "optuna"}, default="optuna"
        Rounds of boosting only (`_rounds.py`), or all parameters (`_tune.py`).
    """

    n_trials: int = 50
    time_limit: float | None = None
    how: Literal["rounds", "optuna"] = "optuna"


@dataclass(frozen=True, eq=False)
class Extension:
    """What predicts in a leaf: the tree or which model.

    Parameters
    ----------
    leaf : int
        Node of the tree.
    treatment : Treatment
    n_rows : int
        Training rows in the leaf.
    classes : ndarray of shape (n_leaf_classes,), int64
        Classes of these rows, as positions in ``tree.classes``; the model's class k is ``classes[k]``.
    model : classifier or None
        Fitted on ``Inputs.matrix`` of the leaf's rows; None if the tree predicts, or there is only one class.
    parameters : mapping
        What tuning chose; for the shared model, on all rows. Empty without tuning, and if the tree predicts.
    cv_accuracy : float or None
        Accuracy of what predicts in the leaf, on held-out rows; that of the tree is on training rows, unless it was
        fitted again (`_tree_again.py`).
    n_trials : int
        Trials that were completed.
    interrupted : bool
        Whether Ctrl-C came before the leaf was done.
    cut_short : bool
        Whether the time limit came before the leaf was done: its model then has fewer rounds than it would have got, or
        the tree predicts.
    temperature : float
        Probabilities are raised to the power of 1 / temperature (`_temperature.py`). 1 if rounds are not tuned.

    Examples
    --------
    >>> from treewright import HybridTreeClassifier
    >>> from treewright.datasets import iris
    >>> data = iris()
    >>> model = HybridTreeClassifier(tune=None, random_state=0).fit(data.table.X, data.y)
    >>> sum(extension.n_rows for extension in model.extensions_.values())
    150
    """

    leaf: int
    treatment: Treatment
    n_rows: int
    classes: NDArray[np.int64]
    model: Any = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    cv_accuracy: float | None = None
    n_trials: int = 0
    interrupted: bool = False
    cut_short: bool = False
    temperature: float = 1.0


def extend_leaves(
    tree: Tree,
    X: NDArray[np.float64],
    y: NDArray[np.int64],
    sample_weight: NDArray[np.float64] | None,
    model: Any,
    *,
    tuning: Tuning | None = None,
    n_folds: int = 3,
    n_jobs: int | None = None,
    random_state: np.random.RandomState,
    clock: Clock = NO_LIMIT,
    shared: Shared | None = None,
    by_tree: NDArray[np.bool_] | None = None,
) -> dict[int, Extension]:
    """Fit a model in each leaf.

    Parameters
    ----------
    tree : Tree
    X : ndarray of shape (n_rows, n_columns), float64
        Encoded rows.
    y : ndarray of shape (n_rows,)
        Positions in ``tree.classes``.
    sample_weight : ndarray of shape (n_rows,), or None
        Positive.
    model : classifier
        Not fitted; cloned for each leaf.
    tuning : Tuning or None, default=None
    n_folds : int, default=3
        Folds of tuning, and the fewest rows of each class of a leaf for the full model.
    n_jobs : int or None, default=None
        Leaves at a time, as in joblib.
    random_state : RandomState
    clock : Clock
        When all leaves are to be done, but for the trials of `tuning`. The time that is left is shared by what fits
        of the leaves that are left should take; a leaf that it does not reach keeps the tree's answer.
    shared : Shared or None, default=None
        A fitted model of all rows, which answers where it does better; looked at with rounds only.
    by_tree : ndarray of shape (n_rows,), bool, or None, default=None
        Which rows the tree gets right, held out where it was made again (`_tree_again.py`); None counts training rows.

    Returns
    -------
    dict from int to Extension
        One for each leaf of the tree; after Ctrl-C with ``interrupted`` in those that were not done.
    """
    leaf_of_row = tree.apply(X)
    if by_tree is None:
        by_tree = tree.prediction[leaf_of_row] == y
    weight = np.ones(len(y)) if sample_weight is None else sample_weight
    doubt = shared is not None and _clearly_better(shared.rounds.right, by_tree, weight)
    inputs = readable(model, Inputs.of(tree.columns).matrix(X))
    leaves = np.flatnonzero(tree.is_leaf)
    seeds = random_state.randint(2**31 - 1, size=len(leaves))
    rows_of = [
        rows
        for rows, is_leaf in zip(rows_by_number(leaf_of_row, len(tree.is_leaf)), tree.is_leaf, strict=True)
        if is_leaf
    ]
    plans = list(treatments(tree, X, y, n_folds).values())
    tuned_rows = sum(len(rows) for rows, plan in zip(rows_of, plans, strict=True) if plan is Treatment.MODEL)
    costs = expected_times(np.array([len(rows) for rows in rows_of]))
    rest = np.cumsum(costs[::-1])[::-1]
    n_jobs = jobs_for(len(leaves), n_jobs)
    at_once = max(1, effective_n_jobs(n_jobs))
    done: dict[int, Extension] = {}

    def jobs() -> Iterator[Any]:
        """Of the leaves that want a model, as long as there is time; a job takes longer than noting the others."""
        of_leaves = zip(leaves.tolist(), rows_of, plans, seeds.tolist(), costs, rest, strict=True)
        for leaf, rows, plan, seed, cost, left in of_leaves:
            wants_model = plan not in (Treatment.KEPT, Treatment.ONE_CLASS)
            if not wants_model or clock.is_over:
                kept = Treatment.KEPT if wants_model else plan
                done[leaf] = Extension(leaf, kept, len(rows), np.unique(y[rows]), cut_short=wants_model)
                continue
            yield delayed(_extend)(
                leaf, plan, int(tree.prediction[leaf]), inputs[rows], y[rows],
                None if sample_weight is None else sample_weight[rows],
                model, tuning, n_folds, len(rows) / max(1, tuned_rows), seed, clock,
                min(1.0, at_once * cost / max(1e-9, left)), by_tree[rows],
                None if shared is None else shared.rounds.right[rows], doubt,
            )  # fmt: skip

    try:
        for extension in answers_in_order(jobs(), n_jobs, Parallel):
            if extension.treatment is Treatment.SHARED:
                assert shared is not None  # it was preferred
                extension = replace(
                    extension, model=shared.model, classes=shared.classes, parameters=shared.parameters,
                    temperature=shared.rounds.temperature,
                )  # fmt: skip
            done[extension.leaf] = extension
    except KeyboardInterrupt:
        for leaf, rows in zip(leaves.tolist(), rows_of, strict=True):
            left = Extension(leaf, Treatment.KEPT, len(rows), np.unique(y[rows]), interrupted=True)
            done.setdefault(leaf, left)
    return {leaf: done[leaf] for leaf in leaves.tolist()}


def treatments(
    tree: Tree, X: NDArray[np.float64], y: NDArray[np.int64], n_folds: int = 3
) -> dict[int, Treatment]:
    """Return who answers in each leaf; the parameters are those of `extend_leaves`."""
    leaf_of_row = tree.apply(X)
    return {
        leaf: _treatment(y[leaf_of_row == leaf], int(tree.prediction[leaf]), n_folds)
        for leaf in np.flatnonzero(tree.is_leaf).tolist()
    }


def probabilities(
    tree: Tree, extensions: Mapping[int, Extension], X: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the probability of each class of ``tree.classes`` for each encoded row.

    A leaf where the tree answers gives the shares of the tree's own training weight.
    """
    made = tree.predict_proba(X)
    with threadpool_limits(limits=1, user_api="openmp"):
        for extension, rows, inputs in _visits(tree, extensions, X):
            made[rows] = 0.0
            model, warmth = extension.model, extension.temperature
            made[np.ix_(rows, extension.classes)] = (
                1.0 if model is None else softened(model.predict_proba(inputs), warmth)
            )
    return made


def classify(tree: Tree, extensions: Mapping[int, Extension], X: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the position in ``tree.classes`` that is predicted for each encoded row."""
    made = tree.prediction[tree.apply(X)].astype(np.int64)
    with threadpool_limits(limits=1, user_api="openmp"):
        for extension, rows, inputs in _visits(tree, extensions, X):
            if extension.model is None:
                made[rows] = extension.classes[0]
            else:
                own = np.asarray(extension.model.predict(inputs)).astype(np.int64)
                made[rows] = extension.classes[own]
    return made


def _visits(
    tree: Tree, extensions: Mapping[int, Extension], X: NDArray[np.float64]
) -> list[tuple[Extension, NDArray[np.int64], NDArray[np.float64]]]:
    """Return each leaf that has rows and where the tree does not answer, with the rows and their inputs."""
    leaf_of_row = tree.apply(X)
    inputs = Inputs.of(tree.columns)
    visits = []
    for leaf in np.unique(leaf_of_row).tolist():
        extension = extensions[leaf]
        if extension.treatment is not Treatment.KEPT:
            rows = np.flatnonzero(leaf_of_row == leaf)
            visits.append((extension, rows, readable(extension.model, inputs.matrix(X[rows]))))
    return visits


def _clearly_better(one: NDArray[np.bool_], other: NDArray[np.bool_], weight: NDArray[np.float64]) -> bool:
    """Whether one is right more often than the other, by more than a standard error of the difference."""
    apart = one.astype(float) - other
    mean = np.average(apart, weights=weight)
    error = np.sqrt(weight**2 @ (apart - mean) ** 2) / weight.sum()
    return bool(mean > error)


def _treatment(y: NDArray[np.int64], prediction: int, n_folds: int) -> Treatment:
    counts = np.bincount(y)
    counts = counts[counts > 0]
    if len(counts) == 0 or (len(counts) == 1 and y[0] == prediction):
        return Treatment.KEPT
    if len(counts) == 1:
        return Treatment.ONE_CLASS
    return Treatment.SIMPLE if counts.min() < n_folds else Treatment.MODEL


def _extend(
    leaf: int,
    treatment: Treatment,
    prediction: int,
    X: NDArray[np.float64],
    y: NDArray[np.int64],
    sample_weight: NDArray[np.float64] | None,
    model: Any,
    tuning: Tuning | None,
    n_folds: int,
    share: float,
    seed: int,
    clock: Clock,
    part: float,
    by_tree: NDArray[np.bool_],
    by_shared: NDArray[np.bool_] | None,
    doubt: bool,
) -> Extension:
    """Fit one leaf; `share` is its part of the time limit of trials, `part` of what is left on the clock.

    `by_tree` says which rows the tree gets right, `by_shared` which the model of all rows does when they are held out;
    `doubt` gives the leaf to that model where neither is clearly better.
    """
    classes, own = np.unique(y, return_inverse=True)
    out_of_time = Extension(leaf, Treatment.KEPT, len(y), classes, cut_short=True)
    if clock.is_over:
        return out_of_time
    clock = clock.share(part)
    made = seeded(simple_model(model) if treatment is Treatment.SIMPLE else clone(model), seed)
    parameters: Mapping[str, Any] = {}
    accuracy, n_trials, whole, temperature = None, 0, True, 1.0
    try:
        # Leaves are small and many: one thread each, so that they do not wait for each other's threads.
        with threadpool_limits(limits=1, user_api="openmp"):
            if tuning is not None and tuning.how == "rounds":
                if len(y) < n_folds:  # nothing to choose by
                    return Extension(leaf, Treatment.KEPT, len(y), classes)
                weight = np.ones(len(y)) if sample_weight is None else sample_weight
                other, right = Treatment.KEPT, by_tree
                if by_shared is not None and (
                    not _clearly_better(by_tree, by_shared, weight)
                    if doubt
                    else _clearly_better(by_shared, by_tree, weight)
                ):
                    other, right = Treatment.SHARED, by_shared
                chosen = choose_rounds(made, X, own, sample_weight, n_folds=n_folds, seed=seed, clock=clock)
                # The leaf is cut for its own model, too: that must also be better than the label that the leaf has.
                if chosen is None or not all(
                    _clearly_better(chosen.right, than, weight) for than in (right, y == prediction)
                ):
                    late = chosen is None or not chosen.whole
                    accuracy = float(np.average(right, weights=weight))
                    return Extension(leaf, other, len(y), classes, cv_accuracy=accuracy, cut_short=late)
                whole = chosen.whole
                accuracy, temperature = chosen.accuracy, chosen.temperature
                parameters = {} if chosen.name is None else {chosen.name: chosen.number}
                made.set_params(**parameters)
            elif treatment is Treatment.MODEL and tuning is not None:
                limit = None if tuning.time_limit is None else tuning.time_limit * share
                found = tune_model(
                    made, X, own, sample_weight,
                    n_trials=tuning.n_trials, n_folds=n_folds, seed=seed, time_limit=limit,
                )  # fmt: skip
                parameters, accuracy, n_trials = found.parameters, found.accuracy, found.n_trials
                share_of_tree = float(np.average(classes[own] == prediction, weights=sample_weight))
                if accuracy <= share_of_tree:
                    kept = Treatment.KEPT
                    return Extension(leaf, kept, len(y), classes, None, {}, share_of_tree, n_trials)
                made.set_params(**parameters)
            whole &= fit_in_time(made, X, own, sample_weight, clock)
    except Exception as error:
        error.add_note(
            f"This came from the {type(made).__name__} in leaf {leaf} ({len(y)} rows, {len(classes)} classes)."
        )
        raise
    return Extension(
        leaf, treatment, len(y), classes, made, parameters, accuracy, n_trials,
        cut_short=not whole, temperature=temperature,
    )  # fmt: skip
