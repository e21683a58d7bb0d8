"""The estimator that chooses the size of an exact sparse tree by cross-validation along the front."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Literal, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata
from sklearn.exceptions import ConvergenceWarning

from treewright.errors import InputError
from treewright.estimators._folds import folds_of
from treewright.estimators._front_folds import Fold, FoldFront, fold_of, search_fold
from treewright.estimators._interrupt import settle_interrupt
from treewright.estimators._tree_estimator import TreeClassifier
from treewright.problem import Problem, encode_labels, make_problem
from treewright.result import StopReason
from treewright.search import Frontier, Limits, SearchOptions, check_n_jobs, solve_frontier
from treewright.search._frontier import check_max_leaves
from treewright.search._progress_bar import SECONDS_BEFORE_BAR, watched
from treewright.search._space import Thresholds

__all__ = ["CVProgress", "OptimalTreeClassifierCV"]

RULES = ("one_se", "best")
CHOICES = ("cost_complexity", "leaves")
NOISE = 1e-12  # mean losses that differ by less are equal
UNSCORED_PRICE = 0.01  # of a leaf, where Ctrl-C came before any fold: the default of `OptimalTreeClassifier`


@dataclass(frozen=True, slots=True)
class CVProgress:
    """State of a running cross-validation, after each fold.

    Parameters
    ----------
    done, total : int
        Folds.
    seconds : float
        Since the start.
    """

    done: int
    total: int
    seconds: float


class OptimalTreeClassifierCV(TreeClassifier):
    """Exact sparse tree whose size is chosen by cross-validation.

    For all rows and for the training rows of every fold, one search finds the best tree of each number of leaves
    (`accuracy_frontier`). What the folds' trees lose on the rows held out chooses a price of a leaf, or a number
    of leaves; the tree is then the point of all rows' front, with its certificate. There is no second search.

    Parameters
    ----------
    choose : {"cost_complexity", "leaves"}, default="cost_complexity"
        What is chosen. "cost_complexity": candidates are the prices between the corners of the front of all rows
        (geometric means of the prices at which the best tree changes, as in CART's pruning); a fold is scored
        with the tree that the price selects in it. "leaves": candidates are all numbers of leaves.
    max_leaves : int, default=12
        Most leaves that are looked at, >= 1.
    rule : {"one_se", "best"}, default="one_se"
        "best" takes the smallest mean held-out loss; "one_se" the smallest tree whose mean loss is at most one
        standard error above it.
    cv : int, splitter or iterable, default=5
        As in scikit-learn: a number of stratified folds, a splitter, or pairs of training and test rows.
    max_depth : int or None, default=None
        Largest number of splits on a path; None is unlimited.
    min_samples_leaf : int or float, default=1
        Fewest training rows in a leaf; a float in (0, 1) is a fraction of the rows of the fold.
    thresholds : int, "auto", "all" or mapping, default=8
        As in `accuracy_frontier`; made anew from the training rows of each fold. 8 quantile bins a continuous column
        keep several searches short; ``result_.notes`` says what was binned.
    objective : {"accuracy", "balanced_accuracy"}, default="accuracy"
        With "balanced_accuracy" the loss is the mean of the error rates of the classes.
    costs : array-like of shape (n_classes, n_classes), default=None
        ``costs[i, j]`` is the cost of predicting class j for class i; None is 1 for every wrong one.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, multiplied with `sample_weight`.
    categorical_features : sequence of str or int, default=None
        Columns of numbers that are to be read as unordered categories.
    time_limit : float or None, default=30
        Seconds for each search: one for all rows and one a fold.
    step_limit : int or None, default=None
        Subproblems of each search; unlike seconds the same on every machine.
    memory_limit : int or None, default=None
        Bytes for each search; None is half of the memory of the machine it runs on.
    n_jobs : int or None, default=None
        Folds searched at once, through joblib: under ``joblib.parallel_config(backend="dask")`` (or Ray's backend)
        the same work goes to a cluster.
    progress : "auto", bool or callable, default="auto"
        A bar of finished folds: "auto" on runs of over half a second in a terminal or notebook. A callable gets a
        `CVProgress` after each fold; a true answer ends the run, and the folds so far choose.
    search_options : SearchOptions or None, default=None
        Switches of the search, for experiments; the fronts depend on none.

    Attributes
    ----------
    tree_ : Tree
    result_ : SolveResult
        The chosen point of the front of all rows, at the chosen price or number of leaves.
    frontier_ : Frontier
        Of all rows.
    cost_complexity_ : float
        The chosen price, or one that selects the chosen number of leaves (nan if none does).
    best_index_ : int
        Position of the choice in `cv_results_`.
    cv_results_ : dict of str to ndarray
        For each candidate, largest tree last: ``param_cost_complexity`` or ``param_leaves``, ``n_leaves`` (of the
        tree of all rows), ``mean_n_leaves`` (of the folds' trees), ``split0_test_score``, ..., ``mean_test_score``,
        ``std_test_score``, ``standard_error``, ``rank_test_score``. A score is minus the held-out loss.
    n_splits_ : int
    classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if the table had string column names.

    References
    ----------
    L. Breiman, J. Friedman, R. Olshen, C. Stone (1984). Classification and Regression Trees, sections 3.4.2 and 3.4.3
    (geometric means, the rule of one standard error).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treewright import OptimalTreeClassifierCV
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = OptimalTreeClassifierCV(max_leaves=5, thresholds=8).fit(X, y)
    >>> model.get_n_leaves()
    4
    """

    frontier_: Frontier
    cv_results_: dict[str, NDArray[Any]]

    def __init__(
        self,
        choose: Literal["cost_complexity", "leaves"] = "cost_complexity",
        *,
        max_leaves: int = 12,
        rule: Literal["one_se", "best"] = "one_se",
        cv: Any = 5,
        max_depth: int | None = None,
        min_samples_leaf: int | float = 1,
        thresholds: Thresholds = 8,
        objective: Literal["accuracy", "balanced_accuracy"] = "accuracy",
        costs: ArrayLike | None = None,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        categorical_features: Sequence[str] | Sequence[int] | None = None,
        time_limit: float | None = 30.0,
        step_limit: int | None = None,
        memory_limit: int | None = None,
        n_jobs: int | None = None,
        progress: Literal["auto"] | bool | Callable[[CVProgress], Any] = "auto",
        search_options: SearchOptions | None = None,
    ) -> None:
        self.choose = choose
        self.max_leaves = max_leaves
        self.rule = rule
        self.cv = cv
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.thresholds = thresholds
        self.objective = objective
        self.costs = costs
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.time_limit = time_limit
        self.step_limit = step_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.progress = progress
        self.search_options = search_options

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Find the fronts, and choose.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
            numpy, pandas or polars; numbers, truth values, text; missing values allowed.
        y : array-like of shape (n_rows,)
            Labels of any type.
        sample_weight : array-like of shape (n_rows,), default=None
            Weights >= 0, of training and of held-out rows.

        Returns
        -------
        OptimalTreeClassifierCV
            The fitted estimator.

        Raises
        ------
        InputError
            The table, the labels, the weights or a parameter cannot be used, or the rows cannot be divided into so
            many folds; the message says what to do.

        Warns
        -----
        ConvergenceWarning
            A search reached a limit; trees and scores are those of the best trees found. After Ctrl-C the folds
            that were begun choose; if it came before the first, the tree is that at ``cost_complexity=0.01``.
        """
        limits = Limits(self.time_limit, self.step_limit, self.memory_limit)
        check_n_jobs(self.n_jobs)
        running = limits.started()  # for the first search; each fold has the whole time
        _check(self.choose, "choose", CHOICES)
        _check(self.rule, "rule", RULES)
        max_leaves = check_max_leaves(self.max_leaves)
        table = self._training_table(X, y)
        problem = make_problem(
            table,
            y,
            sample_weight=sample_weight,
            class_weight=self.class_weight,
            costs=self.costs,
            objective=self.objective,
            cost_complexity=0.0,
            max_depth=self.max_depth,
            max_leaf_nodes=max_leaves,
            min_samples_leaf=self.min_samples_leaf,
        )
        folds = self._folds(problem, y, table.n_rows)
        frontier = solve_frontier(problem, self.thresholds, limits=running, options=self.search_options)
        interrupted = frontier.stop_reason is StopReason.INTERRUPT
        fronts: list[FoldFront] = []
        if not interrupted:
            fronts, interrupted = self._search(folds, limits)
        self.frontier_ = frontier
        self.classes_ = problem.classes
        self.n_splits_ = len(fronts)
        self._choose(fronts)
        self.tree_ = self.result_.tree
        unproven = sum(front.proven_leaves < max_leaves for front in fronts)
        unproven += frontier.proven_leaves < max_leaves
        if interrupted:
            how = f"{len(fronts)} of {len(folds)} folds chose the tree"
            if not fronts:
                how = f"no fold was scored, so the tree is that at cost_complexity={UNSCORED_PRICE:g}"
            warnings.warn(f"Interrupted: {how}. {frontier.sentence()}", ConvergenceWarning, stacklevel=2)
        elif unproven:
            warnings.warn(
                f"{unproven} of {len(fronts) + 1} searches reached a limit; their trees are the best found. "
                f"{frontier.sentence()} Raise time_limit, or give a max_depth, fewer max_leaves, fewer thresholds.",
                ConvergenceWarning,
                stacklevel=2,
            )
        settle_interrupt(StopReason.INTERRUPT if interrupted else None)
        return self

    def _folds(self, problem: Problem, y: ArrayLike, n_rows: int) -> list[Fold]:
        """Cut the rows that have weight; a splitter of the user's own speaks of all `n_rows` of the input."""
        kept = np.arange(n_rows) if problem.rows is None else problem.rows
        if self.cv is None or isinstance(self.cv, Integral):
            labels, rows = problem.y, np.arange(len(kept))
        else:
            labels = encode_labels(y)[1]
            rows = np.full(n_rows, -1)
            rows[kept] = np.arange(len(kept))
        folds = []
        for train, test in folds_of(self.cv, labels):
            train, test = (part[part >= 0] for part in (_taken(rows, train), _taken(rows, test)))
            if len(train) == 0 or len(test) == 0:
                raise InputError("cv gives a fold without training or test rows; each needs at least one.")
            folds.append(fold_of(problem, train, test, self.min_samples_leaf))
        return folds

    def _search(self, folds: list[Fold], limits: Limits) -> tuple[list[FoldFront], bool]:
        """Return the fronts in the order of the folds, and whether Ctrl-C ended the work before the last."""
        start = time.perf_counter()
        n_jobs = check_n_jobs(self.n_jobs)
        fronts: list[FoldFront] = []
        try:
            # In the order of the folds, so that nothing depends on which worker was first.
            answers: Iterator[FoldFront] = Parallel(n_jobs=n_jobs, return_as="generator")(
                delayed(search_fold)(fold, self.thresholds, limits, self.search_options) for fold in folds
            )
            with watched(self.progress, lambda: _Bar(len(folds))) as report:
                for front in answers:
                    fronts.append(front)
                    if front.interrupted:
                        return fronts, True
                    state = CVProgress(len(fronts), len(folds), time.perf_counter() - start)
                    if report is not None and report(state):
                        break
        except KeyboardInterrupt:  # here, while workers search
            return fronts, True
        return fronts, False

    def _choose(self, fronts: list[FoldFront]) -> None:
        """Score the candidates, smallest tree first, and take one."""
        if self.choose == "leaves":
            candidates: list[Any] = [point.tree.n_leaves for point in self.frontier_]
            points = list(self.frontier_)
            chosen = np.array([[leaves - 1] * len(fronts) for leaves in candidates])
        else:
            candidates = _prices(self.frontier_)
            points = [self.frontier_.select(price) for price in candidates]
            chosen = np.array([[front.at_price(price) for front in fronts] for price in candidates])
        folds = range(len(fronts))
        scores = np.array([[-fronts[f].test_loss[row[f]] for f in folds] for row in chosen])
        unscored = np.full(len(points), math.nan)
        mean = scores.mean(axis=1) if fronts else unscored
        error = (
            scores.std(axis=1, ddof=1) / math.sqrt(len(fronts)) if len(fronts) > 1 else np.zeros(len(mean))
        )
        if not fronts:
            leaves = self.frontier_.select(UNSCORED_PRICE).tree.n_leaves
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
            "std_test_score": scores.std(axis=1) if fronts else unscored,
            "standard_error": error,
            "rank_test_score": rankdata(-mean if fronts else np.zeros(len(mean)), method="min").astype(
                np.int32
            ),
        }
        self.result_ = points[best]
        prices = self.frontier_.price_range(self.result_.tree.n_leaves)
        if self.choose == "cost_complexity":
            self.cost_complexity_ = float(candidates[best])
        elif prices is None:
            self.cost_complexity_ = math.nan
        else:
            self.cost_complexity_ = math.sqrt(prices[0] * min(prices[1], self.frontier_[0].loss))


def _prices(frontier: Frontier) -> list[float]:
    """Return one price for each corner of the front, largest first: between those at which the best tree changes."""
    prices = []
    for corner in frontier.convex_hull():
        bounds = frontier.price_range(corner.tree.n_leaves)
        assert bounds is not None  # a corner has prices
        # No split saves more than the loss of the single leaf; the last corner has no lower price.
        low, high = bounds[0], min(bounds[1], frontier[0].loss)
        prices.append(math.sqrt(low * high) if low > 0 else high / 2)
    return prices


def _taken(rows: NDArray[np.int64], chosen: Any) -> NDArray[np.int64]:
    """Return the `rows` that a fold chooses, by position or by truth values."""
    chosen = np.asarray(chosen)
    if chosen.dtype == np.bool_ and len(chosen) == len(rows):
        chosen = np.flatnonzero(chosen)
    if chosen.size and (chosen.dtype.kind not in "iu" or chosen.min() < 0 or chosen.max() >= len(rows)):
        raise InputError(f"cv gives rows that are no positions from 0 to {len(rows) - 1}; give row numbers.")
    taken: NDArray[np.int64] = rows[chosen.astype(np.int64)]
    return taken


def _check(value: Any, name: str, allowed: Sequence[str]) -> None:
    if value not in allowed:
        raise InputError(f"{name}={value!r}; choose one of {', '.join(allowed)}.")


class _Bar:
    """Shows how many folds are done."""

    def __init__(self, total: int) -> None:
        from tqdm.auto import tqdm

        self.bar = tqdm(
            total=total, unit="fold", leave=False, delay=SECONDS_BEFORE_BAR, desc="cross-validating"
        )

    def __call__(self, state: CVProgress) -> None:
        self.bar.update(state.done - self.bar.n)

    def close(self) -> None:
        self.bar.close()
