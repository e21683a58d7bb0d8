"""The estimator for exact survival trees."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright._arguments import numbers_of
from treewright.errors import InputError
from treewright.estimators._asked import limits_of, penalty_and_limits, ranked_options
from treewright.estimators._end_of_fit import end_of_fit
from treewright.estimators._exact_tree import ExactTree, Question
from treewright.estimators._importances import own_importances
from treewright.guess import rows_by_number
from treewright.problem import SurvivalProblem, make_survival_problem
from treewright.result import SurvivalResult
from treewright.search import ProgressCallback, RankedOptions, solve_survival
from treewright.survival import (
    SurvivalCurve,
    brier_score,
    censoring_curve,
    concordance_index,
    integrated_brier_score,
    kaplan_meier,
)
from treewright.table import Table

__all__ = ["OptimalSurvivalTree"]


class OptimalSurvivalTree(ExactTree):
    """Tree for right-censored times that is proven optimal over all thresholds, or comes with a proven bound.

    Minimises ``deviance + cost_complexity * leaves`` over all trees within the constraints. The deviance is that of the
    exponential model in which the baseline is the Nelson-Aalen hazard of all rows, and a leaf multiplies this hazard by
    a ratio. It is divided by the deviance of a single leaf. After `fit`, ``result_`` says what is proven;
    ``print(result_.sentence())`` says it in one sentence.

    Parameters
    ----------
    cost_complexity : float, default=0.01
        Penalty of one leaf as a share of the deviance of a single leaf. With 0 and a `max_depth`, only the deviance on
        the training rows is minimised.
    max_depth : int or None, default=3
        Largest number of splits on a path; None is unlimited.
    max_leaf_nodes : int or None, default=None
    min_samples_leaf : int or float, default=1
        Minimum number of training rows in a leaf; a float in (0, 1) is a fraction of the rows of weight above 0.
    categorical_features : sequence of str or int, default=None
        Numeric columns to read as unordered categories.
    time_limit : float or None, default=30
        Seconds, counted from the call of `fit`; after that the best tree so far is kept with its bound.
    step_limit : int or None, default=None
        Passes over the rows of a node; unlike seconds, the result is the same on every machine.
    memory_limit : int or None, default=None
        Bytes for the search; None is half of the machine's memory.
    n_jobs : int or None, default=None
        Threads of a search over ranked columns (the other engines use one): -1 is all cores, None is 1 unless
        ``joblib.parallel_config`` says otherwise. The proven optimum and the tree do not depend on it. Inside a task
        of joblib it is no more than the task's share of the cores.
    progress : "auto", bool or callable, default="auto"
        A progress bar: "auto" on runs of over half a second in a terminal or notebook. A callable gets a
        `treewright.search.Progress` about 20 times a second and stops the search by returning True.
    search_options : RankedOptions or None, default=None
        Switches of the bounds, for experiments; none of them changes the optimum.

    Attributes
    ----------
    tree_ : Tree
        Its leaves hold hazard ratios: 2 is twice the hazard of the whole table.
    result_ : SurvivalResult
        Tree, objective, lower bound, gap, status, statistics.
    feature_importances_ : ndarray of shape (n_features_in_,)
        By how much the objective grows when every split on the column becomes a leaf, in units of the objective. If the
        tree is proven optimal, the best tree without the column loses at most this. 0 for columns that the tree does
        not use. Not scaled to a sum of 1. `treewright.estimators.importances_without` fits again for the exact values.
    curves_ : dict of int to SurvivalCurve
        Kaplan-Meier curve of the training rows of each leaf, by the number that `apply` returns.
    censoring_curve_ : SurvivalCurve
        Share of the training rows not yet censored after each time; the Brier score weights rows with it.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if the table had string column names.

    References
    ----------
    M. LeBlanc, J. Crowley (1992). Relative Risk Trees for Censored Survival Data. Biometrics 48. (the loss)
    T. Huisman, J. van der Linden, E. Demirović (2024). Optimal Survival Trees: A Dynamic Programming Approach. AAAI.
    (the problem over binary features; the search over all thresholds is ours)

    Examples
    --------
    >>> import numpy as np
    >>> from treewright import OptimalSurvivalTree
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 2))
    >>> time = rng.exponential(np.where(X[:, 0] > 0, 1.0, 5.0))
    >>> model = OptimalSurvivalTree(max_depth=1).fit(X, (time < 4, np.minimum(time, 4)))
    >>> model.result_.status.value, bool(model.predict([[1.0, 0.0]]) > model.predict([[-1.0, 0.0]]))
    ('proven optimal', True)
    """

    def __init__(
        self,
        cost_complexity: float = 0.01,
        *,
        max_depth: int | None = 3,
        max_leaf_nodes: int | None = None,
        min_samples_leaf: int | float = 1,
        categorical_features: Sequence[str] | Sequence[int] | None = None,
        time_limit: float | None = 30.0,
        step_limit: int | None = None,
        memory_limit: int | None = None,
        n_jobs: int | None = None,
        progress: Literal["auto"] | bool | ProgressCallback = "auto",
        search_options: RankedOptions | None = None,
    ) -> None:
        self.cost_complexity = cost_complexity
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_leaf = min_samples_leaf
        self.categorical_features = categorical_features
        self.time_limit = time_limit
        self.step_limit = step_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.progress = progress
        self.search_options = search_options

    result_: SurvivalResult
    curves_: dict[int, SurvivalCurve]
    censoring_curve_: SurvivalCurve

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        return tags

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Find the tree.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
            numpy, pandas or polars; numbers, truth values, text; missing values allowed.
        y : structured array of shape (n_rows,), array-like of shape (n_rows, 2), or pair of arrays
            Event (true: seen, false: censored) and time (>= 0), in this order; the structured arrays of scikit-survival
            are of this kind.
        sample_weight : array-like of shape (n_rows,), default=None
            Weights >= 0; weight 0 equals leaving the row out.

        Returns
        -------
        OptimalSurvivalTree
            The fitted estimator.

        Raises
        ------
        InputError
            The table, events, times, weights or a parameter cannot be used; the message says what to do.

        Warns
        -----
        ConvergenceWarning
            A limit was reached before the proof; `result_` has the gap.
        """
        limits = limits_of(self, self.n_jobs)
        question = self._question(X, y, sample_weight)
        problem: SurvivalProblem = question.problem
        result = self._keep_answer(question, limits)

        def keep() -> None:
            self.feature_importances_ = own_importances(result.tree, question.problem)
            by_node = rows_by_number(result.tree.apply(problem.table.X), result.tree.node_count)
            self.curves_ = {
                node: kaplan_meier(
                    problem.event[by_node[node]],
                    problem.time[by_node[node]],
                    problem.sample_weight[by_node[node]],
                )
                for node in np.flatnonzero(result.tree.is_leaf).tolist()
            }
            self.censoring_curve_ = censoring_curve(problem.event, problem.time, problem.sample_weight)

        result = self._keep_more(keep)
        end_of_fit(result, problem=question.problem, search=question.search, limits=limits)
        return self

    def _question(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Question:
        options = ranked_options(self.search_options)
        both = {"y[0]": y[0], "y[1]": y[1]} if isinstance(y, (tuple, list)) and len(y) == 2 else {"y": y}
        table = self._training_table(X, None, beside={**both, "sample_weight": sample_weight}, stacklevel=4)
        problem = make_survival_problem(table, y, sample_weight=sample_weight, **penalty_and_limits(self))
        return Question(problem, partial(solve_survival, options=options))

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the hazard ratio of the leaf of each row.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
            The columns of the training table, in their order or by their names.

        Returns
        -------
        ndarray of shape (n_rows,), float64
            1 is the hazard of the whole training table; a larger one means earlier events.
        """
        encoded = self._encode(X)
        return np.asarray(self.tree_.predict(encoded), dtype=np.float64)

    def predict_survival(self, X: Any, times: ArrayLike) -> NDArray[np.float64]:
        """Return, for each row, the share of its leaf's rows without the event after the given times.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
        times : array-like of shape (n_times,)

        Returns
        -------
        ndarray of shape (n_rows, n_times)
            From the Kaplan-Meier curve of the leaf.

        Raises
        ------
        InputError
            A time is NaN, or no number.
        """
        encoded = self._encode(X)
        leaf = self.tree_.apply(encoded)
        nodes, position = np.unique(leaf, return_inverse=True)
        shares = np.array([self.curves_[int(node)](times) for node in nodes])
        return np.asarray(shares[position.reshape(-1)], dtype=np.float64)

    def score(self, X: Any, y: Any) -> float:
        """Return Harrell's concordance index: the share of comparable pairs whose hazard ratios are in the right order.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
        y : pair of arrays, structured array or frame
            Event and time, as `fit` takes them.

        Returns
        -------
        float
            1 if all pairs are in the right order, 0.5 by chance.
        """
        encoded, problem = self._held_out(X, y)
        return concordance_index(problem.event, problem.time, self.tree_.predict(encoded))

    def brier_score(self, X: Any, y: Any, times: ArrayLike) -> NDArray[np.float64]:
        """Return the Brier score of the leaves' Kaplan-Meier curves on the given rows and times.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
        y : structured array, array-like of shape (n_rows, 2), or pair of arrays
            Event and time, as in `fit`.
        times : array-like of shape (n_times,)

        Returns
        -------
        ndarray of shape (n_times,)
            Mean squared error of the predicted shares, with rows weighted for censoring; see
            `treewright.survival.brier_score`. 0 is perfect; predicting one half for all rows gives about 0.25.

        Raises
        ------
        InputError
            The rows cannot be used, or there is a time after which every training row was censored.
        """
        _, problem = self._held_out(X, y)
        return brier_score(
            problem.event, problem.time, self.predict_survival(X, times), times, self.censoring_curve_
        )

    def integrated_brier_score(self, X: Any, y: Any, times: ArrayLike | None = None) -> float:
        """Return the mean over time of the Brier score on the given rows.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
        y : structured array, array-like of shape (n_rows, 2), or pair of arrays
            Event and time, as in `fit`.
        times : array-like of shape (n_times,), default=None
            Ascending times; between them the score is interpolated linearly, as scikit-survival does. None integrates
            exactly (all curves are step functions) from 0 to the last event of the training rows, or to an earlier time
            if rows are not observed so long.

        Returns
        -------
        float

        Raises
        ------
        InputError
            As for `brier_score`; or no event was seen in training, or none between time 0 and the time at which
            every row was censored.
        """
        _, problem = self._held_out(X, y)
        is_exact = times is None
        at = self._steps(problem.time) if times is None else numbers_of("times", times)
        return integrated_brier_score(
            problem.event,
            problem.time,
            self.predict_survival(X, at),
            at,
            self.censoring_curve_,
            steps=is_exact,
        )

    def _held_out(self, X: Any, y: Any) -> tuple[NDArray[np.float64], SurvivalProblem]:
        encoded = self._encode(X)
        return encoded, make_survival_problem(Table(self.tree_.columns, np.asfortranarray(encoded)), y)

    def _steps(self, time: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return all times at which the Brier score of some rows can change, from 0 to the last that is known."""
        ends = [curve.times[-1] for curve in self.curves_.values() if len(curve.times)]
        last = max(ends, default=0.0)
        unknown = self.censoring_curve_.times[self.censoring_curve_.survival <= 0]
        censored = [curve.times for curve in self.curves_.values()]
        moments = np.unique(np.concatenate([[0.0], time, self.censoring_curve_.times, *censored]))
        moments = moments[(moments <= last) & (moments < min(unknown, default=np.inf))]
        if len(moments) < 2:
            why = (
                "All events of the training rows came at time 0, or when every row was censored"
                if ends
                else "No event was seen in training"
            )
            raise InputError(f"{why}, so there is no time to integrate over; give times.")
        return moments
