"""The estimator for trees found by mixed-integer programming."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from numbers import Integral
from typing import Any, Literal, Self

from joblib import effective_n_jobs
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

from treewright.errors import InputError
from treewright.estimators._importances import own_importances
from treewright.estimators._importances_of_answers import worst_leaf_importances
from treewright.estimators._interrupt import begun_again, settle_interrupt
from treewright.estimators._tree_estimator import TreeClassifier
from treewright.problem import make_problem
from treewright.result import SolveStatus, StopReason
from treewright.search import Limits, ProgressCallback, check_n_jobs, leaf_value, progress_bar

__all__ = ["MIPTreeClassifier"]


class MIPTreeClassifier(TreeClassifier):
    """Decision tree found by a mixed-integer program: the published formulations, solved by HiGHS or Gurobi.

    The exact search (`OptimalTreeClassifier`) proves the same optima much faster. Use this class to compare with the
    published methods, to check the search independently, or as a basis for formulations with your own constraints
    (`treewright.mip`).

    Parameters
    ----------
    formulation : {"leaf_accuracy", "oct", "binoct"}, default="leaf_accuracy"
        "leaf_accuracy" makes the accuracy of the worst leaf as large as possible (Nemecek et al. 2023, Figure 4);
        "oct" (Bertsimas and Dunn 2017) and "binoct" (regularised BinOCT, Hu et al. 2019) minimise
        ``loss + cost_complexity * leaves``.
    strategy : {"direct", "warm", "gradual"}, default="warm"
        "direct" starts without a tree, "warm" from the best CART tree, and "gradual" solves depth 1, 2, ... in turn,
        each from the tree of the depth before and with twice as much time.
    max_depth : int, default=2
        Largest number of splits on a path, 1 to 10. The program's size doubles with each level.
    max_leaf_nodes : int or None, default=None
        Largest number of leaves; None is unlimited.
    min_samples_leaf : int or float, default=1
        Minimum number of training rows in a leaf; a float in (0, 1) is a fraction of the rows of weight above 0.
    cost_complexity : float, default=0
        Penalty of one leaf as a fraction of the total weight; not with "leaf_accuracy", where leaves have no penalty.
    costs : array-like of shape (n_classes, n_classes), default=None
        ``costs[i, j]`` is the cost of predicting class j for class i (classes sorted); not with "leaf_accuracy".
    categorical_features : sequence of str or int, default=None
        Numeric columns to read as unordered categories.
    time_limit : float or None, default=30
        Seconds; after that the best tree so far is kept with the solver's bound.
    step_limit : int or None, default=None
        Nodes of the solver's branch-and-bound tree; unlike seconds, the result is the same on every run.
    memory_limit : int or None, default=None
        Number of bytes by which the process may grow; a program that needs more is not built. None is the free memory
        of the machine.
    n_jobs : int or None, default=None
        Threads of the solver, as in joblib: None is 1, -1 all cores.
    solver : {"highs", "gurobi"}, default="highs"
        HiGHS comes with the extra "mip"; Gurobi needs its package and a licence.
    scaling : {"rank", "range"}, default="rank"
        Columns are scaled to [0, 1] internally, by the rank of their values or by their range (as published);
        thresholds are in the units of the table in both cases. "binoct" uses ranks only.
    tighten : bool, default=True
        Stronger constraints than the printed ones, with the same trees.
    progress : "auto", bool or callable, default="auto"
        As in `OptimalTreeClassifier`. For "leaf_accuracy" the objective shown is 1 - Q.
    random_state : int, default=0
        Seed of the solver.

    Attributes
    ----------
    tree_ : Tree
    result_ : SolveResult
        For "leaf_accuracy" a `LeafAccuracyResult`, whose objective is Q.
    feature_importances_ : ndarray of shape (n_features_in_,)
        By how much the objective grows when every split on the column becomes a leaf, in units of the objective. If the
        tree is proven optimal, the best tree without the column loses at most this. 0 for columns that the tree does
        not use. Not scaled to a sum of 1. For "leaf_accuracy" it is by how much the accuracy of the worst leaf falls.
    classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if the table had string column names.

    Notes
    -----
    Missing values take a direction that is learned with each split; categories are split one against the rest. If the
    solver finds nothing better, the best CART tree is kept, and ``result_.notes`` says so.

    References
    ----------
    J. Nemecek, T. Pevny, J. Marecek (2023). Improving the Validity of Decision Trees as Explanations.
    D. Bertsimas, J. Dunn (2017). Optimal classification trees. Machine Learning 106.
    X. Hu, C. Rudin, M. Seltzer (2019). Optimal Sparse Decision Trees. NeurIPS, Appendix J.

    Examples
    --------
    >>> from treewright import MIPTreeClassifier
    >>> X = [[0], [1], [2], [3], [4], [5], [6], [7]]
    >>> y = [0, 0, 1, 0, 1, 1, 1, 1]
    >>> model = MIPTreeClassifier(max_depth=1, min_samples_leaf=2).fit(X, y)
    >>> round(model.result_.objective, 3)
    0.833
    >>> model.tree_.splits[0].threshold
    1.5
    """

    def __init__(
        self,
        formulation: Literal["leaf_accuracy", "oct", "binoct"] = "leaf_accuracy",
        *,
        strategy: Literal["direct", "warm", "gradual"] = "warm",
        max_depth: int = 2,
        max_leaf_nodes: int | None = None,
        min_samples_leaf: int | float = 1,
        cost_complexity: float = 0.0,
        costs: ArrayLike | None = None,
        categorical_features: Sequence[str] | Sequence[int] | None = None,
        time_limit: float | None = 30.0,
        step_limit: int | None = None,
        memory_limit: int | None = None,
        n_jobs: int | None = None,
        solver: Literal["highs", "gurobi"] = "highs",
        scaling: Literal["rank", "range"] = "rank",
        tighten: bool = True,
        progress: Literal["auto"] | bool | ProgressCallback = "auto",
        random_state: int = 0,
    ) -> None:
        self.formulation = formulation
        self.strategy = strategy
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_leaf = min_samples_leaf
        self.cost_complexity = cost_complexity
        self.costs = costs
        self.categorical_features = categorical_features
        self.time_limit = time_limit
        self.step_limit = step_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.solver = solver
        self.scaling = scaling
        self.tighten = tighten
        self.progress = progress
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # The tree with the best worst leaf may make more errors than one with a worse worst leaf.
        tags.classifier_tags.poor_score = self.formulation == "leaf_accuracy"
        return tags

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Write the program and solve it.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
            numpy, pandas or polars; numbers, truth values, text; missing values allowed.
        y : array-like of shape (n_rows,)
            Labels of any type.
        sample_weight : array-like of shape (n_rows,), default=None
            Weights >= 0; weight 2 equals the row twice, weight 0 equals leaving it out.

        Returns
        -------
        MIPTreeClassifier
            The fitted estimator.

        Raises
        ------
        InputError
            The table, the labels, the weights or a parameter cannot be used; the message says what to do.
        MissingDependencyError
            The solver is not installed.

        Warns
        -----
        ConvergenceWarning
            A limit was reached before the proof; `result_` has the bound.
        """
        from treewright.mip import (
            MIPOptions,
            solve,
        )  # brings SciPy's sparse matrices; its solver loads in solve

        if not isinstance(self.tighten, bool):
            raise InputError(f"tighten={self.tighten!r}; give True or False.")
        if not isinstance(self.random_state, Integral) or not 0 <= int(self.random_state) < 2**31:
            raise InputError(f"random_state={self.random_state!r}; give an integer of at least 0.")
        options = MIPOptions(
            self.solver, _threads(self.n_jobs), self.scaling, self.tighten, self.random_state
        )
        limits = Limits(self.time_limit, self.step_limit, self.memory_limit).started()
        if self.formulation == "leaf_accuracy" and self.cost_complexity:
            raise InputError(
                f'cost_complexity={self.cost_complexity!r} goes with "oct" and "binoct"; formulation="leaf_accuracy" '
                "maximises the accuracy of the worst leaf only. Leave it out."
            )
        if self.formulation == "binoct" and self.scaling == "range":
            raise InputError(
                'scaling=\'range\' goes with "leaf_accuracy" and "oct"; formulation="binoct" uses ranks '
                "only. Leave it out."
            )
        table = self._training_table(X, y, beside={"sample_weight": sample_weight})
        problem = make_problem(
            table,
            y,
            sample_weight=sample_weight,
            costs=self.costs,
            cost_complexity=self.cost_complexity,
            max_depth=self.max_depth,
            max_leaf_nodes=self.max_leaf_nodes,
            min_samples_leaf=self.min_samples_leaf,
        )
        with progress_bar(self.progress, self.time_limit) as report:
            result = solve(
                problem, self.formulation, self.strategy, limits=limits, options=options, progress=report
            )

        def keep() -> None:
            self.result_ = result
            self.tree_ = result.tree
            self.classes_ = problem.classes
            self.feature_importances_ = (
                worst_leaf_importances(result.tree, 1.0, leaf_value)
                if self.formulation == "leaf_accuracy"
                else own_importances(result.tree, problem)
            )

        late = begun_again(keep)
        if result.status is SolveStatus.FEASIBLE:
            by_limit = result.stop_reason is not None
            advice = "Raise time_limit or lower max_depth" if by_limit else "More time brings no proof"
            warnings.warn(
                f"{result.sentence()} {advice}; the exact search needs a small part of the time.",
                ConvergenceWarning,
                stacklevel=2,
            )
        settle_interrupt(StopReason.INTERRUPT if late else result.asked_to_stop)
        return self


def _threads(n_jobs: Any) -> int:
    """Return how many threads `n_jobs` stands for."""
    jobs = check_n_jobs(n_jobs)
    return 1 if jobs is None else int(effective_n_jobs(jobs)) if jobs < 0 else jobs
