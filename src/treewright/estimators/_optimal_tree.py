"""The estimator for exact sparse trees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Literal, Self

from numpy.typing import ArrayLike

from treewright.errors import InputError
from treewright.estimators._asked import limits_of, penalty_and_limits
from treewright.estimators._beside_objectives import refuse_beside_f1, refuse_beside_row_costs
from treewright.estimators._end_of_fit import end_of_fit
from treewright.estimators._exact_tree import ExactTree, Question
from treewright.estimators._f1_importances import f1_importances
from treewright.estimators._guesses import guesses_of, warn_of_poor_guess
from treewright.estimators._importances import own_importances
from treewright.estimators._tree_estimator import TreeClassifier
from treewright.near_optimal import NearOptimalTrees, solve_near_optimal
from treewright.problem import F1Problem, make_f1_problem, make_problem, make_row_costs_problem
from treewright.search import (
    BinaryOptions,
    ProgressCallback,
    RankedOptions,
    progress_bar,
    solve,
    solve_f1,
    solve_guided,
    solve_row_costs,
    solve_with_leaf_accuracy,
)
from treewright.table import table_from

__all__ = ["OptimalTreeClassifier"]


class OptimalTreeClassifier(TreeClassifier, ExactTree):
    """Sparse decision tree with a proof that it is optimal, or a proven bound on its distance from the optimum.

    Minimises ``loss + cost_complexity * leaves`` over all trees within the constraints, where the loss is
    the weighted share of wrong predictions (or their cost). After `fit`, ``result_`` says what is proven;
    ``print(result_.sentence())`` says it in one sentence.

    Parameters
    ----------
    cost_complexity : float, default=0.01
        Penalty of one leaf, 0 to 1, as a fraction of the total sample weight (lambda in the papers): a split must
        correct at least this share of the rows. With `costs` or `row_costs` it is a mean cost per row, in their units.
        With 0 and a `max_depth`, only the training error is minimised.
    max_depth : int, "guess" or None, default=None
        Largest number of splits on a path; None is unlimited. "guess" takes the depth of Theorem 4.2 for
        the reference, where its trees count as in the paper's examples; it may be too small for a table.
    max_leaf_nodes : int or None, default=None
        Largest number of leaves; None is unlimited.
    min_samples_leaf : int or float, default=1
        Minimum number of training rows in a leaf; a float in (0, 1) is a fraction of the rows of weight above 0.
    min_leaf_accuracy : float or None, default=None
        Every leaf must predict at least this share of its training weight right, 0 to 1. It needs a `max_depth`, and
        cannot be combined with `costs`, `max_leaf_nodes` or `search_options`. The engine of
        `LeafAccuracyTreeClassifier` searches.
    thresholds : "auto", "all", "guess", int or mapping, default="auto"
        Which thresholds of continuous columns the tree may use: "all" between distinct values; an int for that many
        quantile bins; a mapping from column name to thresholds. "auto" is "all", unless the search has to store more
        than 512 splits as binary columns. It stores splits of categories; it also stores thresholds if they are not
        most of the splits, and with guessed lower bounds or `min_leaf_accuracy`. If there are more, each column keeps
        the same number: thresholds at quantiles, and the most frequent categories. "guess" keeps the thresholds that
        the reference needs (column elimination); the search over all thresholds is not tried. ``result_.scope`` and
        ``result_.notes`` say what was searched: nothing is binned silently.
    objective : {"accuracy", "balanced_accuracy", "f1"}, default="accuracy"
        With "balanced_accuracy" the loss is the mean of the error rates of the classes. With "f1" it is 1 - F1 of the
        second of two classes (sorted, as in scikit-learn). Each leaf then counts like a share `cost_complexity` of the
        total weight that is predicted wrong: the objective is ``1 - 2 TP / (2 TP + FP + FN + cost_complexity * weight *
        leaves)``. It cannot be combined with `costs`, `min_leaf_accuracy` or guesses.
    costs : array-like of shape (n_classes, n_classes), default=None
        ``costs[i, j]`` is the cost of predicting class j for class i (classes sorted); None is 1 for every
        wrong prediction.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, multiplied with `sample_weight`.
    categorical_features : sequence of str or int, default=None
        Numeric columns to read as unordered categories.
    time_limit : float or None, default=30
        Seconds, counted from the call of `fit`. When they are over, the best tree so far is kept with its bound. If
        trees may be deeper than 3 and the limit is at least 2 seconds, up to a quarter of it is used to prove that no
        shallower tree is better (``result_.proven_depth``).
    step_limit : int or None, default=None
        Largest number of subproblems, or of passes of the kernel if columns are ranked. The result is the same on every
        machine.
    memory_limit : int or None, default=None
        Bytes for the search; None is half of the machine's memory.
    n_jobs : int or None, default=None
        Threads of a search over ranked columns, or over binary columns with a `max_depth` of 6 or less and no
        `max_leaf_nodes` (the others use one): -1 is all cores, None is 1 unless ``joblib.parallel_config`` says
        otherwise. The proven optimum and the tree do not depend on it. Inside a task of joblib it is no more than the
        task's share of the cores.
    progress : "auto", bool or callable, default="auto"
        A progress bar: "auto" on runs of over half a second in a terminal or notebook. A callable gets a
        `treewright.search.Progress` about 20 times a second and stops the search by returning True.
    guess_lower_bounds : bool, default=False
        Use the rows that the reference predicts wrong as lower bounds, for tables on which the exact search does not
        end. The exact search and the guided one take turns over the same splits. If the exact one ends first, the
        status is OPTIMAL and the tree is exact over these splits. If ``thresholds="auto"`` offers only some of the
        thresholds to such a search, the exact one over all of them comes before, with half of the limits. If the
        guided search ends first, the status is OPTIMAL_UNDER_GUESSES, and ``result_`` says by how much a better tree
        can be better (Theorem 4.3).
    reference : estimator, array-like of shape (n_rows,), or None, default=None
        The model to guess from: a tree ensemble, fitted on the same columns or not fitted (it is then cloned), or, for
        lower bounds alone, the labels that any model predicts for the rows. None is scikit-learn's gradient boosting
        with 40 stumps, 50 trees of depth two or 20 of depth three, whichever has the least log loss on held-out rows.
        With more than two classes, or if there is no time for this choice, it is the stumps.
        `treewright.guess.named_reference()` is the 40 stumps, which are the fastest.
    guess_tolerance : float, default=0
        Largest allowed loss of the reference's training accuracy when thresholds are removed.
    search_options : BinaryOptions, RankedOptions or None, default=None
        Switches of the bounds, for experiments; none of them changes the optimum. A switch that the chosen engine does
        not have is refused; ``result_.engine`` names the engine.

    Attributes
    ----------
    tree_ : Tree
    result_ : SolveResult
        Tree, objective, lower bound, gap, status, statistics.
    feature_importances_ : ndarray of shape (n_features_in_,)
        By how much the objective grows when every split on the column becomes a leaf, in units of the objective. If the
        tree is proven optimal, the best tree without the column loses at most this (unless `min_leaf_accuracy` fails).
        0 without a split. Not scaled to a sum of 1. `treewright.estimators.importances_without` fits for exact ones.
    classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if the table had string column names.

    Notes
    -----
    Missing values (NaN, None) take a direction that is learned with each split; categories (text) are split one against
    the rest. Equal rows are merged, so repeated rows take no more time. The stored model holds counts, no training
    rows.

    References
    ----------
    X. Hu, C. Rudin, M. Seltzer (2019). Optimal Sparse Decision Trees. NeurIPS.
    H. McTavish et al. (2022). Fast Sparse Decision Tree Optimization via Reference Ensembles. AAAI. (the
    guesses)

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treewright import OptimalTreeClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = OptimalTreeClassifier(cost_complexity=0.02).fit(X, y)
    >>> model.result_.status.value
    'proven optimal'
    >>> model.get_n_leaves()
    3
    """

    def __init__(
        self,
        cost_complexity: float = 0.01,
        *,
        max_depth: int | Literal["guess"] | None = None,
        max_leaf_nodes: int | None = None,
        min_samples_leaf: int | float = 1,
        min_leaf_accuracy: float | None = None,
        thresholds: Literal["auto", "all", "guess"] | int | Mapping[str, Sequence[float]] = "auto",
        objective: Literal["accuracy", "balanced_accuracy", "f1"] = "accuracy",
        costs: ArrayLike | None = None,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        categorical_features: Sequence[str] | Sequence[int] | None = None,
        time_limit: float | None = 30.0,
        step_limit: int | None = None,
        memory_limit: int | None = None,
        n_jobs: int | None = None,
        progress: Literal["auto"] | bool | ProgressCallback = "auto",
        guess_lower_bounds: bool = False,
        reference: Any = None,
        guess_tolerance: float = 0.0,
        search_options: BinaryOptions | RankedOptions | None = None,
    ) -> None:
        self.cost_complexity = cost_complexity
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_leaf = min_samples_leaf
        self.min_leaf_accuracy = min_leaf_accuracy
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
        self.guess_lower_bounds = guess_lower_bounds
        self.reference = reference
        self.guess_tolerance = guess_tolerance
        self.search_options = search_options

    def fit(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, row_costs: Any = None
    ) -> Self:
        """Find the tree.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
            numpy, pandas or polars; numbers, truth values, text; missing values allowed.
        y : array-like of shape (n_rows,)
            Labels of any type, two or more classes (one class gives a single leaf).
        sample_weight : array-like of shape (n_rows,), default=None
            Weights >= 0; weight 2 equals the row twice, weight 0 equals leaving it out.
        row_costs : array-like or frame of shape (n_rows, n_classes), default=None
            Cost >= 0 of predicting each class (in the order of `classes_`) for each row, instead of the same cost for
            all rows of a class. The tree of least mean cost over all thresholds is found; `y` is then only used for the
            counts in its leaves. Can be combined with weights and limits, but not with `costs`, another `objective`,
            `min_leaf_accuracy`, guesses or fewer `thresholds`.

        Returns
        -------
        OptimalTreeClassifier
            The fitted estimator.

        Raises
        ------
        InputError
            The table, the labels, the weights or a parameter cannot be used; the message says what to do.
        SolverError
            No tree reaches `min_leaf_accuracy` in every leaf, or none was found within the limits.
        KeyboardInterrupt
            Ctrl-C before the first tree; or later, if the caller loops over fits (`raise_on_interrupt`).

        Warns
        -----
        ConvergenceWarning
            A limit was reached before the proof; `result_` has the gap.
        PoorGuessWarning
            The reference is no better than a single leaf, or a better tree was found without its bounds.
        QuantityTargetWarning
            `y` seems to be a quantity, not classes.
        """
        limits = limits_of(self, self.n_jobs)
        question = self._question(X, y, sample_weight, row_costs)
        result = self._keep_answer(question, limits)

        def keep() -> None:
            if isinstance(question.problem, F1Problem):
                self.feature_importances_ = f1_importances(result.tree, question.problem)
            else:
                self.feature_importances_ = own_importances(result.tree, question.problem)
            self.classes_ = question.problem.classes

        result = self._keep_more(keep)
        warn_of_poor_guess(result, stacklevel=3)
        if guesses_of(self).any:  # a reference model for each sample would take too long
            end_of_fit(result)
        else:
            offered = None if row_costs is not None else self.thresholds
            end_of_fit(
                result, problem=question.problem, search=question.search, limits=limits, thresholds=offered
            )
        return self

    def _question(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        row_costs: Any = None,
    ) -> Question:
        if not isinstance(self.search_options, (BinaryOptions, RankedOptions, type(None))):
            raise InputError(
                f"search_options={self.search_options!r}; give a treewright.search.BinaryOptions, RankedOptions or "
                "None."
            )
        guesses = guesses_of(self)
        if self.min_leaf_accuracy is not None and (guesses.any or self.search_options is not None):
            raise InputError(
                f"min_leaf_accuracy={self.min_leaf_accuracy!r} goes with neither guesses nor search_options; leave "
                "them out."
            )
        if row_costs is not None:
            refuse_beside_row_costs(self)
        if self.objective == "f1":
            refuse_beside_f1(self)
        beside = {"sample_weight": sample_weight, "row_costs": row_costs}
        table = self._training_table(X, y, beside=beside, stacklevel=4)
        asked: dict[str, Any] = {
            "sample_weight": sample_weight,
            "class_weight": self.class_weight,
            **penalty_and_limits(self),
        }
        if row_costs is not None:
            return Question(
                make_row_costs_problem(table, y, row_costs, **asked),
                partial(solve_row_costs, options=self.search_options),
            )
        how: dict[str, Any] = {"thresholds": self.thresholds, "options": self.search_options}
        if self.objective == "f1":
            return Question(make_f1_problem(table, y, **asked), partial(solve_f1, **how))
        if guesses.depth:
            asked["max_depth"] = None
        problem = make_problem(table, y, costs=self.costs, objective=self.objective, **asked)
        if self.min_leaf_accuracy is not None:
            required: dict[str, Any] = {
                "thresholds": self.thresholds,
                "min_leaf_accuracy": self.min_leaf_accuracy,
            }
            return Question(problem, partial(solve_with_leaf_accuracy, **required))
        if guesses.any:
            return Question(problem, partial(solve_guided, guesses=guesses, **how))
        return Question(problem, partial(solve, **how))

    def near_optimal(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        epsilon: float = 0.05,
        slack: float | None = None,
        max_objective: float | None = None,
        leaf_labels: Literal["cheapest", "any"] = "cheapest",
        redundant_splits: bool = False,
    ) -> NearOptimalTrees:
        """Find all trees that are nearly as good as the best, under the parameters of this estimator.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
            The rows of `fit`, because an estimator does not store them.
        y : array-like of shape (n_rows,)
        sample_weight : array-like of shape (n_rows,), default=None
        epsilon : float, default=0.05
            All trees up to ``(1 + epsilon)`` times the least objective.
        slack : float, default=None
            Instead of `epsilon`: all trees up to the least objective plus this.
        max_objective : float, default=None
            Instead of `epsilon`: all trees up to this objective, such as ``1.1 * model.result_.objective``.
        leaf_labels : {"cheapest", "any"}, default="cheapest"
            Whether a leaf predicts its cheapest class (the first one if several are equal), or any class.
        redundant_splits : bool, default=False
            Whether trees count in which the two sides of a split are leaves with the same label.

        Returns
        -------
        NearOptimalTrees
            The set, over splits that are chosen in advance. With all thresholds of large continuous columns its scope
            can therefore be smaller than that of ``result_``; its sentence names the scope.

        Raises
        ------
        InputError
            The estimator guesses, maximises F1 or has a `min_leaf_accuracy`; or the table, the labels, the weights or a
            parameter cannot be used.

        See Also
        --------
        treewright.near_optimal_trees : The same without an estimator.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from treewright import OptimalTreeClassifier
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> model = OptimalTreeClassifier(cost_complexity=0.02, max_depth=3).fit(X, y)
        >>> model.tree_ in model.near_optimal(X, y, epsilon=0.1)
        True
        """
        limits = limits_of(self, self.n_jobs)
        if self.objective == "f1":
            raise InputError(
                'A near-optimal set is of trees whose losses are sums over their leaves; objective="f1" is no such sum.'
            )
        if guesses_of(self).any or self.min_leaf_accuracy is not None:
            raise InputError(
                "A near-optimal set is over all trees within plain limits; leave out guess_lower_bounds, "
                'min_leaf_accuracy, max_depth="guess" and thresholds="guess".'
            )
        problem = make_problem(
            table_from(X, categorical_features=self.categorical_features),
            y,
            sample_weight=sample_weight,
            class_weight=self.class_weight,
            costs=self.costs,
            objective=self.objective,
            **penalty_and_limits(self),  # no guess: checked above
        )
        with progress_bar(self.progress, self.time_limit) as report:
            return solve_near_optimal(
                problem,
                self.thresholds,  # type: ignore[arg-type]  # no guess: checked above
                epsilon=epsilon,
                slack=slack,
                max_objective=max_objective,
                leaf_labels=leaf_labels,
                redundant_splits=redundant_splits,
                limits=limits,
                progress=report,
                known=getattr(self, "result_", None),
            )
