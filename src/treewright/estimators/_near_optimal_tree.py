"""Classifier whose tree is chosen among all near-optimal ones."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

from treewright._numbers import is_real, is_whole
from treewright.errors import InputError, SolverError
from treewright.estimators._importances import own_importances
from treewright.estimators._interrupt import settle_interrupt
from treewright.estimators._tree_estimator import TreeClassifier
from treewright.near_optimal import NearOptimalTrees, fewest_columns, solve_near_optimal
from treewright.problem import make_problem
from treewright.result import StopReason
from treewright.search import Limits, ProgressCallback, progress_bar
from treewright.tree import Tree

__all__ = ["NearOptimalTreeClassifier"]

LEAST_SECONDS = 1e-3  # a time limit is above 0
RULES = ("best", "fewest leaves", "fewest columns", "small gap")


class NearOptimalTreeClassifier(TreeClassifier):
    """Decision tree chosen by a rule among all trees that are nearly as good as the best.

    All trees up to ``(1 + epsilon)`` times the least objective are found, as one graph. Among these the best tree that
    the rule accepts is chosen. The whole set is kept for further queries.

    Parameters
    ----------
    choose : {"best", "fewest leaves", "fewest columns", "small gap"} or callable, default="fewest columns"
        "fewest leaves", "fewest columns": the best of the trees with the fewest. "small gap": the best tree that
        predicts the last label for nearly the same share of the rows in `group` as of all others. A callable gets a
        `Tree` and returns whether it is acceptable; the best acceptable tree is chosen.
    epsilon : float, default=0.05
        How much worse than the least objective a tree may be, as a fraction of it.
    cost_complexity : float, default=0.01
        Penalty of one leaf, as a fraction of the total sample weight.
    max_depth : int or None, default=3
    max_leaf_nodes : int or None, default=None
    min_samples_leaf : int or float, default=1
    thresholds : "auto", "all", int or mapping, default=8
        As in `near_optimal_trees`. Few thresholds keep the set small enough to read.
    group : str or None, default=None
        Column of two values, for "small gap".
    max_gap : float, default=0.05
        Largest difference of the shares, for "small gap".
    look_at : int, default=10000
        How many trees a callable may get, or how many steps "fewest columns" and "small gap" may take.
    class_weight : dict, "balanced" or None, default=None
    costs : array-like of shape (n_classes, n_classes), default=None
    categorical_features : sequence of str or int, default=None
    time_limit : float or None, default=60
        Seconds; after that the set is complete only up to a smaller bound, or the rule is not fully applied. A warning
        says so.
    memory_limit : int or None, default=None
    n_jobs : int or None, default=None
        Threads, as in `treewright.near_optimal_trees`.
    progress : bool, "auto" or callable, default=False

    Attributes
    ----------
    tree_ : Tree
        The chosen tree.
    result_ : SolveResult
        The tree with what is proven about it; a note says which rank it has in the set.
    feature_importances_ : ndarray of shape (n_features_in_,)
        By how much the objective of the chosen tree grows when every split on the column becomes a leaf. 0 for columns
        that the tree does not use. Not scaled to a sum of 1.
    near_optimal_ : NearOptimalTrees
        The whole set.
    classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if the columns of `X` have names.

    See Also
    --------
    treewright.near_optimal_trees : The set alone.
    OptimalTreeClassifier : The best tree.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treewright import NearOptimalTreeClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = NearOptimalTreeClassifier(choose="fewest columns", max_depth=2, epsilon=0.1).fit(X, y)
    >>> len(model.tree_.asked)
    1
    """

    def __init__(
        self,
        *,
        choose: Literal["best", "fewest leaves", "fewest columns", "small gap"]
        | Callable[[Tree], bool] = "fewest columns",
        epsilon: float = 0.05,
        cost_complexity: float = 0.01,
        max_depth: int | None = 3,
        max_leaf_nodes: int | None = None,
        min_samples_leaf: int | float = 1,
        thresholds: Literal["auto", "all"] | int | Mapping[str, Sequence[float]] = 8,
        group: str | None = None,
        max_gap: float = 0.05,
        look_at: int = 10_000,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        costs: ArrayLike | None = None,
        categorical_features: Sequence[str] | Sequence[int] | None = None,
        time_limit: float | None = 60.0,
        memory_limit: int | None = None,
        n_jobs: int | None = None,
        progress: bool | Literal["auto"] | ProgressCallback = False,
    ) -> None:
        self.choose = choose
        self.epsilon = epsilon
        self.cost_complexity = cost_complexity
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_leaf = min_samples_leaf
        self.thresholds = thresholds
        self.group = group
        self.max_gap = max_gap
        self.look_at = look_at
        self.class_weight = class_weight
        self.costs = costs
        self.categorical_features = categorical_features
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.progress = progress

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> NearOptimalTreeClassifier:
        """Find all near-optimal trees and choose one.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
        y : array-like of shape (n_rows,)
        sample_weight : array-like of shape (n_rows,), default=None

        Returns
        -------
        NearOptimalTreeClassifier
            The fitted estimator.

        Raises
        ------
        InputError
            The table, the labels, the weights or a parameter cannot be used.
        SolverError
            No tree of the set passes.

        Warns
        -----
        ConvergenceWarning
            A limit was reached: the set is complete up to a smaller bound, or the choice was not completed.
        """
        if not callable(self.choose) and self.choose not in RULES:
            raise InputError(
                f"choose={self.choose!r}; choose one of {', '.join(map(repr, RULES))}, or a function."
            )
        self._check_choice()
        if self.choose == "small gap" and self.group is None:
            raise InputError('choose="small gap" needs group=, the column of the two groups.')
        begun = time.perf_counter()
        limits = Limits(self.time_limit, None, self.memory_limit, n_jobs=self.n_jobs).started()
        problem = make_problem(
            self._training_table(X, y, beside={"sample_weight": sample_weight}),
            y,
            sample_weight=sample_weight,
            class_weight=self.class_weight,
            costs=self.costs,
            cost_complexity=self.cost_complexity,
            max_depth=self.max_depth,
            max_leaf_nodes=self.max_leaf_nodes,
            min_samples_leaf=self.min_samples_leaf,
        )
        with progress_bar(self.progress, self.time_limit) as report:
            trees = solve_near_optimal(
                problem, self.thresholds, epsilon=self.epsilon, limits=limits, progress=report
            )
        self.near_optimal_ = trees
        doubt = None if trees.stop_reason is None else f"The set is {trees.status_}."
        interrupted = trees.stop_reason
        if trees:
            place = 0
            try:
                place, why = self._chosen(trees, limits, time.perf_counter() - begun)
            except KeyboardInterrupt:  # the best tree is there
                why, interrupted = "The choice was interrupted: this is the best tree.", StopReason.INTERRUPT
            self.result_ = trees.result(place)
            doubt = why or doubt
        else:  # stopped before there was any
            self.result_ = trees.best
        self.tree_ = self.result_.tree
        self.feature_importances_ = own_importances(self.tree_, problem)
        self.classes_ = problem.classes
        if doubt is not None:
            warnings.warn(
                f"{doubt} Raise time_limit or look_at, or make the set smaller.",
                ConvergenceWarning,
                stacklevel=2,
            )
        settle_interrupt(interrupted)
        return self

    def _check_choice(self) -> None:
        """Refuse what no rule can use, also if the chosen one does not ask for it."""
        if self.group is not None and not isinstance(self.group, str):
            raise InputError(f"group={self.group!r}; give the name of the column of the two groups, or None.")
        if not is_real(self.max_gap) or not self.max_gap >= 0:
            raise InputError(f"max_gap={self.max_gap!r}; give a difference of two shares, at least 0.")
        if not is_whole(self.look_at) or self.look_at < 0:
            raise InputError(f"look_at={self.look_at!r}; give a number of trees, at least 0.")

    def _chosen(self, trees: NearOptimalTrees, limits: Limits, set_seconds: float) -> tuple[int, str | None]:
        """Return the place of the tree that the rule prefers, and what is not proven about that.

        A smaller set, or the range of a gap, takes as long as the set did: where less time is left, none is begun.
        """
        if self.choose == "best":
            return 0, None
        if self.choose == "fewest leaves":
            sizes = trees.table()
            fewest = min(size.n_leaves for size in sizes)
            first = next(number for number, size in enumerate(sizes) if size.n_leaves == fewest)
            return sum(size.n_trees for size in sizes[:first]), None
        if callable(self.choose):
            return self._first(trees, self.choose, limits)
        if limits.left() <= set_seconds:
            return 0, f"There was no time left for the rule {self.choose!r}: this is the best tree."
        if self.choose == "fewest columns":
            found = fewest_columns(trees, self.look_at, lambda took: limits.left() > max(took, set_seconds))
            doubt = None if found.proven else "A tree with fewer columns was not excluded."
            return _place(trees, found.tree), doubt
        assert self.group is not None  # checked
        tree, looked, bound = trees.best_with_gap(
            self.group,
            self.max_gap,
            label=trees.graph.problem.classes[-1],
            look_at=self.look_at,
            time_limit=None if math.isinf(limits.left()) else max(limits.left(), LEAST_SECONDS),
        )
        if tree is None:
            if limits.left() <= 0 and looked < self.look_at:
                return 0, (
                    f"No tree below an objective of {bound:.6g} has so small a gap when time ended: this is the best "
                    "tree."
                )
            raise self._none_passes(trees, looked, bound, looked < self.look_at)
        return _place(trees, tree), None

    def _first(
        self, trees: NearOptimalTrees, passes: Callable[[Tree], bool], limits: Limits
    ) -> tuple[int, str | None]:
        late = False

        def passes_or_late(tree: Tree) -> bool:
            nonlocal late
            late = limits.left() <= 0
            return late or passes(tree)

        tree, looked, bound = trees.first(passes_or_late, at_most=self.look_at)
        if tree is None:
            raise self._none_passes(trees, looked, bound, looked == trees.n_trees_)
        if late:
            return 0, f"None of the best {looked - 1:,} trees passes when time ended: this is the best tree."
        return looked - 1, None

    def _none_passes(self, trees: NearOptimalTrees, looked: int, bound: float, is_done: bool) -> SolverError:
        """Return the error of a rule that no tree keeps; a search that gave up tells nothing of trees on its bound."""
        how_far, advice = ("up to", "") if is_done else ("below", "a larger look_at, ")
        return SolverError(
            f"No tree {how_far} an objective of {bound:.6g} passes ({looked:,} were looked at, of {trees.n_trees_:,} "
            f"in the set); give {advice}a larger epsilon, or another rule."
        )


def _place(trees: NearOptimalTrees, tree: Tree) -> int:
    place = trees.rank(tree)
    assert place is not None  # it comes from the set
    return place
