"""The estimator for exact probability trees."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Literal, Self

from numpy.typing import ArrayLike

from treewright.estimators._asked import limits_of, penalty_and_limits, ranked_options
from treewright.estimators._end_of_fit import end_of_fit
from treewright.estimators._exact_tree import ExactTree, Question
from treewright.estimators._importances import own_importances
from treewright.estimators._tree_estimator import TreeClassifier
from treewright.problem import make_probability_problem
from treewright.result import ProbabilityResult
from treewright.search import ProgressCallback, RankedOptions, solve_probability

__all__ = ["OptimalProbabilityTree"]


class OptimalProbabilityTree(TreeClassifier, ExactTree):
    """Tree whose class probabilities have the least Brier score or log loss over all thresholds, with a proof.

    Minimises ``loss + cost_complexity * leaves`` over all trees within the constraints. A leaf predicts the shares of
    its classes; the loss is divided by that of a single leaf. After `fit`, ``result_`` says what is proven, or has a
    proven bound; ``print(result_.sentence())`` says it in one sentence.

    Parameters
    ----------
    cost_complexity : float, default=0.01
        Penalty of one leaf as a share of the loss of a single leaf. With 0 and a `max_depth`, only the loss on the
        training rows is minimised.
    max_depth : int or None, default=3
        Largest number of splits on a path; None is unlimited.
    max_leaf_nodes : int or None, default=None
    min_samples_leaf : int or float, default=1
        Minimum number of training rows in a leaf; a float in (0, 1) is a fraction of the rows of weight above 0.
    criterion : {"brier", "log_loss"}, default="brier"
        "brier" is the mean squared difference between the predicted probabilities and the outcome (1 for the true
        class, 0 for the others), summed over the classes. It is the Gini impurity that CART reduces split by split.
        "log_loss" is minus the mean logarithm of the probability of the true class: the entropy of the leaves, or half
        the binomial or multinomial deviance per row. Leaves of one class predict 0 for the others, so on new rows the
        log loss may be infinite: see `min_samples_leaf`, or smooth the shares.
    categorical_features : sequence of str or int, default=None
        Numeric columns to read as unordered categories.
    time_limit : float or None, default=30
        Seconds, counted from the call of `fit`; after that the best tree so far is kept with its bound.
    step_limit : int or None, default=None
        Passes of the kernel; unlike seconds, the result is the same on every machine.
    memory_limit : int or None, default=None
        Bytes for the search; None is half of the machine's memory.
    n_jobs : int or None, default=None
        Threads of the search: -1 is all cores, None is 1 unless ``joblib.parallel_config`` says otherwise. The proven
        optimum and the tree do not depend on it. Inside a task of joblib it is no more than the task's share of the
        cores.
    progress : "auto", bool or callable, default="auto"
        A progress bar: "auto" on runs of over half a second in a terminal or notebook. A callable gets a
        `treewright.search.Progress` about 20 times a second and stops the search by returning True.
    search_options : RankedOptions or None, default=None
        Switches of the bounds, for experiments; none of them changes the optimum.

    Attributes
    ----------
    tree_ : Tree
        A classification tree: `predict_proba` returns the shares of its leaves, `predict` the class with the largest
        share.
    result_ : ProbabilityResult
        Tree, objective, lower bound, gap, status, statistics.
    feature_importances_ : ndarray of shape (n_features_in_,)
        By how much the objective grows when every split on the column becomes a leaf, in units of the objective. If the
        tree is proven optimal, the best tree without the column loses at most this. 0 for columns that the tree does
        not use. Not scaled to a sum of 1. `treewright.estimators.importances_without` fits again for the exact values.
    classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if the table had string column names.

    Notes
    -----
    There is no `class_weight`, because shares of reweighted classes are not probabilities. `sample_weight` says how
    many rows each row represents.

    Both losses are compared as integers; the sentence says how much two trees may differ and still count as equal.

    References
    ----------
    G. Brier (1950). Verification of Forecasts Expressed in Terms of Probability. Monthly Weather Review 78.
    L. Breiman, J. Friedman, R. Olshen, C. Stone (1984). Classification and Regression Trees, section 4.6 (class
    probability trees by the Gini index, there grown greedily).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treewright import OptimalProbabilityTree
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = OptimalProbabilityTree(max_depth=2).fit(X, y)
    >>> model.result_.status.value, model.predict_proba(X[:1]).tolist()
    ('proven optimal', [[1.0, 0.0, 0.0]])
    """

    def __init__(
        self,
        cost_complexity: float = 0.01,
        *,
        max_depth: int | None = 3,
        max_leaf_nodes: int | None = None,
        min_samples_leaf: int | float = 1,
        criterion: Literal["brier", "log_loss"] = "brier",
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
        self.criterion = criterion
        self.categorical_features = categorical_features
        self.time_limit = time_limit
        self.step_limit = step_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.progress = progress
        self.search_options = search_options

    result_: ProbabilityResult

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Find the tree.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
            numpy, pandas or polars; numbers, truth values, text; missing values allowed.
        y : array-like of shape (n_rows,)
            Labels of any type.
        sample_weight : array-like of shape (n_rows,), default=None
            Weights >= 0; weight 0 equals leaving the row out.

        Returns
        -------
        OptimalProbabilityTree
            The fitted estimator.

        Raises
        ------
        InputError
            The table, the labels, the weights or a parameter cannot be used; the message says what to do.

        Warns
        -----
        ConvergenceWarning
            A limit was reached before the proof; `result_` has the gap.
        """
        limits = limits_of(self, self.n_jobs)
        question = self._question(X, y, sample_weight)
        result = self._keep_answer(question, limits)

        def keep() -> None:
            self.feature_importances_ = own_importances(result.tree, question.problem)
            self.classes_ = question.problem.classes

        result = self._keep_more(keep)
        end_of_fit(result, problem=question.problem, search=question.search, limits=limits)
        return self

    def _question(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Question:
        options = ranked_options(self.search_options)
        table = self._training_table(X, y, beside={"sample_weight": sample_weight}, stacklevel=4)
        problem = make_probability_problem(
            table, y, sample_weight=sample_weight, criterion=self.criterion, **penalty_and_limits(self)
        )
        return Question(problem, partial(solve_probability, options=options))
