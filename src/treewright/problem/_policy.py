"""What a policy tree is to solve: all checks of rewards, actions, their costs and limits, done once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright._arguments import check_arguments
from treewright._by_name import by_name, column_names
from treewright.errors import InputError, InputTypeError
from treewright.problem._asked import check_penalty_and_limits, leave_out_weightless
from treewright.problem._problem import TreeProblem
from treewright.problem._weights import as_numbers, check_sample_weight
from treewright.table import Table

__all__ = ["PolicyProblem", "check_action_costs", "check_rewards", "make_policy_problem"]

FROM_OUTCOMES = (
    "Where each row has one action and its outcome, treewright.policy.doubly_robust_scores(X, action, outcome).rewards "
    "estimates them."
)

LARGEST_EXPONENT = 500  # of two, of a regret: no sum or square overflows
LARGEST_REWARD = 1e300  # sums over rows stay finite, and so do model files
ROWS_AT_ONCE = 8192  # whose regrets are added up together: their parts stay in the cache


@dataclass(frozen=True, eq=False, kw_only=True)
class PolicyProblem(TreeProblem):
    """Minimise ``regret(tree) / regret(one leaf) + cost_complexity * leaves`` under constraints.

    The regret of a row is the difference between the rewards of its best action and of the action that it gets, after
    costs of actions. The regret of a tree is the weighted sum over its rows. So the first term is the regret of the
    tree as a share of that of the best single action. Use `make_policy_problem` to build one with checks.

    The fields that all problems have are those of `TreeProblem`; `cost_complexity` is a
    share of the regret of a single leaf.

    Parameters
    ----------
    rewards : ndarray of shape (n_rows, n_actions), float64
        Finite, of any sign; more is better.
    actions : ndarray of shape (n_actions,)
        Labels, all different.
    action_costs : ndarray of shape (n_actions,), float64
        Subtracted from the reward of a row that gets the action.

    Examples
    --------
    >>> from treewright.problem import make_policy_problem
    >>> from treewright.table import table_from
    >>> rewards = [[1.0, 0.0], [0.0, 3.0]]
    >>> problem = make_policy_problem(table_from([[20], [40]]), rewards, actions=["wait", "treat"])
    >>> problem.actions.tolist(), problem.rewards.tolist()
    (['wait', 'treat'], [[1.0, 0.0], [0.0, 3.0]])
    """

    BY_ROW: ClassVar[tuple[str, ...]] = ("sample_weight", "rewards")

    rewards: NDArray[np.float64]
    actions: NDArray[Any]
    action_costs: NDArray[np.float64]

    @property
    def n_actions(self) -> int:
        """Number of actions."""
        return len(self.actions)

    @cached_property
    def regret(self) -> NDArray[np.float64]:
        """Weighted regret of each row and action, in a unit of its own; shape (n_rows, n_actions).

        Each number has a relative error of some 2**-51, however alike rewards and costs are: .1 + .2 - .3 is a regret
        of 2**-54, not 0. The unit is a power of two for which no sum overflows, and small regrets beside large ones are
        kept down to 2**-1500 of the largest.
        """
        regret = np.empty_like(self.rewards)
        blocks = [slice(first, first + ROWS_AT_ONCE) for first in range(0, len(regret), ROWS_AT_ONCE)]
        for block in blocks:
            regret[block] = _regret(self.rewards[block], self.action_costs)
        weight = np.ldexp(self.sample_weight, -int(np.frexp(float(self.sample_weight.max()))[1]))
        exponent = LARGEST_EXPONENT - int(np.frexp(regret.max())[1])
        for block in blocks:
            regret[block] = weight[block, None] * np.ldexp(regret[block], exponent)
        regret.setflags(write=False)
        return regret


def _regret(rewards: NDArray[np.float64], costs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what each action of a row loses against the best one after costs: exact sums, rounded at their end.

    With net rewards as exact pairs high + low, high the nearest float64: pairs are ordered by high, then low. The
    difference of two pairs is the sum of four numbers. Where its first terms cancel, they do so exactly, so the last
    addition rounds relative to what is left.
    """
    if not costs.any():  # one subtraction is rounded exactly
        return np.asarray(reduce(np.maximum, rewards.T)[:, None] - rewards, dtype=np.float64)
    high, low = _two_sum(rewards, -costs)
    # Column by column: along rows of a few numbers numpy takes ten times as long.
    best = reduce(np.maximum, high.T)[:, None]
    least = reduce(np.maximum, np.where(high == best, low, -np.inf).T)[
        :, None
    ]  # the low part of the best action
    a, a_rest = _two_sum(best, -high)
    b, b_rest = _two_sum(least, -low)
    total, rest = _two_sum(a, b)
    return np.asarray(total + (rest + (a_rest + b_rest)), dtype=np.float64)


def _two_sum(
    a: NDArray[np.float64], b: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the rounded sum and what rounding took (D. E. Knuth, The Art of Computer Programming 2, 4.2.2, Theorem B).

    Exact unless it overflows, which sums of four numbers of at most 1e300 do not.
    """
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def make_policy_problem(
    table: Table,
    rewards: Any,
    *,
    actions: Sequence[Any] | NDArray[Any] | None = None,
    action_costs: ArrayLike | Mapping[Any, float] | None = None,
    sample_weight: ArrayLike | None = None,
    cost_complexity: float = 0.01,
    max_depth: int | None = None,
    max_leaf_nodes: int | None = None,
    min_samples_leaf: int | float = 1,
) -> PolicyProblem:
    """Define the problem of a policy tree.

    Parameters
    ----------
    table : Table
    rewards : array-like or frame of shape (n_rows, n_actions)
        Reward of each row for each action: observed, simulated or estimated (`treewright.policy.doubly_robust_scores`).
        Finite numbers of any sign.
    actions : sequence of length n_actions, default=None
        Labels; None takes the column names of a frame, or 0, 1, 2, ... If the columns of a frame have the names of the
        actions, they may come in any order; if only some of them do, that is an error. Other names are ignored.
    action_costs : array-like of shape (n_actions,) or mapping of label to number, default=None
        In units of the rewards; actions that a mapping does not name cost nothing.
    sample_weight : array-like of shape (n_rows,), default=None
        Weights >= 0, not all zero; None is 1 for each row. A row of weight zero is left out.
    cost_complexity : float, default=0.01
        Penalty of one leaf, 0 to 1, as a share of the regret of the best single action.
    max_depth : int or None, default=None
    max_leaf_nodes : int or None, default=None
    min_samples_leaf : int or float, default=1
        Minimum number of rows in a leaf; a float in (0, 1) is a fraction of the rows of weight above 0, rounded up.

    Returns
    -------
    PolicyProblem

    Raises
    ------
    InputError
        An argument is not as described above; the message names it.

    Examples
    --------
    >>> from treewright.problem import make_policy_problem
    >>> from treewright.search import solve_policy
    >>> from treewright.table import table_from
    >>> table, rewards = table_from([[20], [40]]), [[1.0, 0.0], [0.0, 3.0]]
    >>> solve_policy(make_policy_problem(table, rewards, max_depth=1)).stats["mean_reward"]
    2.0
    """
    check_arguments(make_policy_problem, locals(), "table")
    gains, named = check_rewards(rewards, table.n_rows)
    labels = _labels(named if actions is None else actions, gains.shape[1])
    gains = by_name(gains, named, labels.tolist(), "rewards")
    costs = check_action_costs(action_costs, labels)
    weight = check_sample_weight(sample_weight, table.n_rows)
    for array in (labels, costs):
        array.setflags(write=False)
    table, by_row, kept = leave_out_weightless(table, {"rewards": gains, "sample_weight": weight})
    limits = check_penalty_and_limits(
        table.n_rows,
        cost_complexity=cost_complexity,
        max_depth=max_depth,
        max_leaf_nodes=max_leaf_nodes,
        min_samples_leaf=min_samples_leaf,
        share_of="the regret of the best single action",
        saves="that regret",
    )
    return PolicyProblem(table=table, actions=labels, action_costs=costs, **by_row, **limits, **kept)


def check_rewards(rewards: Any, n_rows: int | None = None) -> tuple[NDArray[np.float64], list[Any] | None]:
    """Return rewards as float64, shape (n_rows, n_actions), and the names of their columns if they have names.

    Raises
    ------
    InputError
        None, text, complex numbers, NaN, infinity or numbers above 1e300, fewer than two actions, wrong length.
    """
    if rewards is None:
        raise InputError(
            "A policy tree requires y to be passed, but the target y is None: give rewards, one number for each row "
            f"and action, shape (n_rows, n_actions). {FROM_OUTCOMES}"
        )
    names = column_names(rewards)
    try:
        gains = as_numbers(rewards, "rewards", "numbers, one for each row and action")
    except InputError as error:
        raise InputError(f"{error} {FROM_OUTCOMES}") from None
    if gains.ndim != 2 or gains.shape[1] < 2:
        raise InputError(
            f"rewards has shape {gains.shape}; give (n_rows, n_actions): one number for each row and action, and at "
            f"least two actions to choose from. {FROM_OUTCOMES}"
        )
    if n_rows is not None and len(gains) != n_rows:
        raise InputError(
            f"Found input variables with inconsistent numbers of samples: {[n_rows, len(gains)]} (table, rewards)."
        )
    if len(gains) == 0:
        raise InputError("rewards is empty; give at least one row.")
    if np.isnan(gains).any():
        row, action = (int(k) for k in np.argwhere(np.isnan(gains))[0])
        raise InputError(
            f"Input rewards contains NaN (row {row}, column {action}, counted from 0). A policy tree needs the reward "
            "of every action for every row; treewright.policy.doubly_robust_scores estimates those not observed."
        )
    if not (np.abs(gains) <= LARGEST_REWARD).all():
        raise InputError(
            "Input rewards contains infinity or a value too large (above 1e300); give other units, or leave the "
            "rows out."
        )
    return gains, names


def check_action_costs(
    costs: ArrayLike | Mapping[Any, float] | None, actions: NDArray[Any]
) -> NDArray[np.float64]:
    """Return the cost of each action as float64.

    Raises
    ------
    InputError
        Not finite, above 1e300, another number of actions, or a label that is not an action.
    """
    labels = actions.tolist()
    if costs is None:
        return np.zeros(len(labels))
    if isinstance(costs, Mapping):
        unknown = [label for label in costs if label not in labels]
        if unknown:
            raise InputError(f"action_costs names {unknown[0]!r}; the actions are {labels[:20]}.")
        costs = [costs.get(label, 0.0) for label in labels]
    found = as_numbers(costs, "action_costs", "numbers, one per action")
    if found.shape != (len(labels),):
        raise InputError(
            f"action_costs has shape {found.shape}; give one number for each of the {len(labels)} actions, or a dict "
            "of action to number."
        )
    if not (np.abs(found) <= LARGEST_REWARD).all():
        raise InputError("action_costs must be finite numbers of at most 1e300.")
    return by_name(found, column_names(costs), labels, "action_costs")


def _labels(actions: Any, n_actions: int) -> NDArray[Any]:
    """Return the labels of the actions, checked."""
    if actions is None:
        return np.arange(n_actions)
    if isinstance(actions, str) or not isinstance(actions, Iterable):
        raise InputTypeError(
            f"actions={actions!r:.60}; give a list of labels, one for each column of rewards."
        )
    labels = np.array(list(actions))
    if labels.shape != (n_actions,):
        raise InputError(
            f"actions has {len(labels)} labels; rewards has {n_actions} columns. Give one label each."
        )
    if labels.dtype.kind not in "biufUO":
        raise InputError(f"actions are of type {labels.dtype}; give text, numbers or truth values.")
    if len(set(labels.tolist())) < n_actions:
        raise InputError(f"actions names one twice: {labels.tolist()[:20]}; give different labels.")
    return labels
