"""The estimator for exact policy trees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright._by_name import by_name, column_names
from treewright.errors import InputError
from treewright.estimators._asked import limits_of, penalty_and_limits
from treewright.estimators._end_of_fit import end_of_fit
from treewright.estimators._exact_tree import ExactTree, Question
from treewright.estimators._importances import own_importances
from treewright.policy import PolicyValue, policy_value
from treewright.problem import check_rewards, make_policy_problem
from treewright.result import PolicyResult
from treewright.search import (
    BinaryOptions,
    ProgressCallback,
    RankedOptions,
    solve_policy,
)
from treewright.table import Table

__all__ = ["OptimalPolicyTree"]


class OptimalPolicyTree(ExactTree):
    """Tree that chooses an action for each row, proven optimal over all thresholds or with a proven bound.

    Each row has a reward for every action. `fit` finds the tree with the largest total reward minus a penalty for each
    leaf: it minimises ``regret + cost_complexity * leaves`` over all trees within the constraints. The regret of a tree
    is the reward that it misses because not every row gets its best action, as a share of what the best single action
    misses. With regret 1 the tree is no better than one action for all rows; with 0 each row gets its best action.
    After `fit`, ``result_`` says what is proven; ``print(result_.sentence())`` says it in one sentence.

    Parameters
    ----------
    cost_complexity : float, default=0.01
        Penalty of one leaf as a share of the regret of the best single action. 0 with a `max_depth` maximises the
        reward on the training rows alone.
    actions : sequence of length n_actions, default=None
        Labels of the columns of `rewards`; None takes the column names of a frame, or 0, 1, 2, ... If the columns of a
        frame have the names of the actions, they may come in any order; if only some of them do, that is an error.
        Other names are ignored.
    action_costs : array-like of shape (n_actions,) or mapping of label to number, default=None
        Cost of an action each time it is taken, in units of the rewards; it is subtracted from them.
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
        Threads of a search over ranked columns, or over binary columns with a `max_depth` of 6 or less and no
        `max_leaf_nodes` (the others use one): -1 is all cores, None is 1 unless ``joblib.parallel_config`` says
        otherwise. The proven optimum and the tree do not depend on it. Inside a task of joblib it is no more than the
        task's share of the cores.
    progress : "auto", bool or callable, default="auto"
        A progress bar: "auto" on runs of over half a second in a terminal or notebook. A callable gets a
        `treewright.search.Progress` about 20 times a second and stops the search by returning True.
    search_options : BinaryOptions, RankedOptions or None, default=None
        Switches for experiments, and the choice of the engine: over binary columns or over ranked ones.

    Attributes
    ----------
    tree_ : Tree
        Its leaves hold the mean reward of every action, before costs.
    result_ : PolicyResult
        Tree, objective, lower bound, gap, status, statistics.
    feature_importances_ : ndarray of shape (n_features_in_,)
        By how much the objective grows when every split on the column becomes a leaf, in units of the objective. If the
        tree is proven optimal, the best tree without the column loses at most this. 0 for columns that the tree does
        not use. Not scaled to a sum of 1. `treewright.estimators.importances_without` fits again for the exact values.
    actions_ : ndarray of shape (n_actions,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if the table had string column names.

    Notes
    -----
    Rewards may be known (a simulator, a price list), or estimated from data in which each row had one action:
    `treewright.policy.doubly_robust_scores`. Missing values take a direction that is learned with each split;
    categories (text) are split one against the rest. Rewards are compared as integers; the sentence says how much two
    trees may differ and still count as equal.

    References
    ----------
    Z. Zhou, S. Athey, S. Wager (2023). Offline Multi-Action Policy Learning: Generalization and Optimization.
    Operations Research 71. (the problem; the search over all thresholds is ours)

    Examples
    --------
    >>> import numpy as np
    >>> from treewright import OptimalPolicyTree
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 3))
    >>> rewards = np.column_stack([np.zeros(200), X[:, 0]])  # to do nothing, or to act
    >>> model = OptimalPolicyTree(actions=["wait", "act"], max_depth=1).fit(X, rewards)
    >>> model.result_.status.value, model.predict([[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]]).tolist()
    ('proven optimal', ['act', 'wait'])
    """

    def __init__(
        self,
        cost_complexity: float = 0.01,
        *,
        actions: Sequence[Any] | None = None,
        action_costs: ArrayLike | Mapping[Any, float] | None = None,
        max_depth: int | None = 3,
        max_leaf_nodes: int | None = None,
        min_samples_leaf: int | float = 1,
        categorical_features: Sequence[str] | Sequence[int] | None = None,
        time_limit: float | None = 30.0,
        step_limit: int | None = None,
        memory_limit: int | None = None,
        n_jobs: int | None = None,
        progress: Literal["auto"] | bool | ProgressCallback = "auto",
        search_options: BinaryOptions | RankedOptions | None = None,
    ) -> None:
        self.cost_complexity = cost_complexity
        self.actions = actions
        self.action_costs = action_costs
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

    result_: PolicyResult
    actions_: NDArray[Any]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        return tags

    def fit(self, X: Any, rewards: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Find the tree.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
            numpy, pandas or polars; numbers, truth values, text; missing values allowed.
        rewards : array-like or frame of shape (n_rows, n_actions)
            Finite numbers of any sign, more is better; at least two actions.
        sample_weight : array-like of shape (n_rows,), default=None
            Weights >= 0; weight 0 equals leaving the row out.

        Returns
        -------
        OptimalPolicyTree
            The fitted estimator.

        Raises
        ------
        InputError
            The table, the rewards, the weights or a parameter cannot be used; the message says what to do.

        Warns
        -----
        ConvergenceWarning
            A limit was reached before the proof; `result_` has the gap.
        """
        limits = limits_of(self, self.n_jobs)
        question = self._question(X, rewards, sample_weight)
        result = self._keep_answer(question, limits)

        def keep() -> None:
            self.feature_importances_ = own_importances(result.tree, question.problem)
            self.actions_ = question.problem.actions
            self._reward_names = column_names(rewards)
            self._action_costs = question.problem.action_costs

        result = self._keep_more(keep)
        end_of_fit(result, problem=question.problem, search=question.search, limits=limits)
        return self

    def _question(self, X: Any, rewards: Any, sample_weight: ArrayLike | None = None) -> Question:
        if not isinstance(self.search_options, (BinaryOptions, RankedOptions, type(None))):
            raise InputError(
                f"search_options={self.search_options!r}; give a treewright.search.BinaryOptions, RankedOptions or "
                "None."
            )
        problem = make_policy_problem(
            self._training_table(
                X, None, beside={"rewards": rewards, "sample_weight": sample_weight}, stacklevel=4
            ),
            rewards,
            actions=self.actions,
            action_costs=self.action_costs,
            sample_weight=sample_weight,
            **penalty_and_limits(self),
        )
        return Question(problem, partial(solve_policy, options=self.search_options))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the action for each row.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
            The columns of the training table, in their order or by their names.

        Returns
        -------
        ndarray of shape (n_rows,)
            Of `actions_`.
        """
        encoded = self._encode(X)
        return self.tree_.predict(encoded)

    def value(self, X: Any, rewards: Any, sample_weight: ArrayLike | None = None) -> PolicyValue:
        """Return the value of the policy on the given rows, preferably rows that it was not fitted on.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
        rewards : array-like or frame of shape (n_rows, n_actions)
            For estimated rewards the scores of these rows. Columns of a frame may come in any order if they have the
            names of the actions. An array, or a frame with the column names of `fit`, has the order of `actions_`.
        sample_weight : array-like of shape (n_rows,), default=None

        Returns
        -------
        PolicyValue
            Mean reward after costs of actions, with its standard error.

        Raises
        ------
        InputError
            The columns of `rewards` have other names than the actions, a reward is not finite, or there is not one for
            each row and action.
        """
        encoded = np.asfortranarray(self._encode(X))
        table = Table(self.tree_.columns, encoded)
        known = self.actions_.tolist()
        gains, named = check_rewards(rewards, table.n_rows)
        if gains.shape[1] == len(known):
            gains = by_name(gains, named, known, "rewards", others=named == self._reward_names)
        problem = make_policy_problem(
            table, gains, actions=known, action_costs=self._action_costs, sample_weight=sample_weight
        )
        chosen = self.tree_.prediction[self.tree_.apply(problem.table.X)]
        gains = problem.rewards[np.arange(len(chosen)), chosen] - problem.action_costs[chosen]
        return policy_value(gains, problem.sample_weight)

    def score(self, X: Any, rewards: Any, sample_weight: ArrayLike | None = None) -> float:
        """Return the mean reward after costs of actions, for scikit-learn's model selection.

        Parameters
        ----------
        X, rewards, sample_weight
            As in `value`.

        Returns
        -------
        float
            In units of the rewards; larger is better.
        """
        return self.value(X, rewards, sample_weight).value
