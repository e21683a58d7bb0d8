"""Rewards for all actions, from data in which each row had one: inverse propensities, outcome models, or both.

Let mu_a(x) be the expected outcome of action a for a row x, e_a(x) the probability that a row like x had action a, and
(A, Y) what a row had and how it ended. The scores of action a are

    direct           mu_a(x)
    ipw              1[A = a] Y / e_a(x)
    doubly robust    mu_a(x) + 1[A = a] (Y - mu_a(x)) / e_a(x)

The mean of the last is right for every policy if one of the two models is right (Robins, Rotnitzky, Zhao 1994), and
with both models fitted on other rows than they score (cross-fitting) the errors of the models matter only as their
product (Chernozhukov et al. 2018; Athey and Wager 2021 for policies).
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.model_selection import StratifiedKFold

from treewright._arguments import check_arguments, numbers_of, refuse_dates, refuse_lossy
from treewright._by_name import by_name, column_names
from treewright._numbers import is_whole
from treewright.errors import InputError, InputTypeError, OverlapWarning
from treewright.table import Table, table_from
from treewright.tree import ColumnKind

__all__ = ["ActionScores", "doubly_robust_scores"]

Method = Literal["doubly robust", "direct", "ipw"]
METHODS = ("doubly robust", "direct", "ipw")
ROUNDING = 1e-6  # of probabilities that must sum to one


@dataclass(frozen=True, eq=False)
class ActionScores:
    """An estimated reward for each row and action.

    Parameters
    ----------
    rewards : ndarray of shape (n_rows, n_actions), float64
        For ``OptimalPolicyTree(actions=scores.actions).fit(X, scores.rewards)``.
    actions : ndarray of shape (n_actions,)
        Labels of the columns, sorted.
    propensities : ndarray of shape (n_rows, n_actions), or None
        Probability of each action as it was used, after clipping; None for ``method="direct"``.
    outcomes : ndarray of shape (n_rows, n_actions), or None
        Expected outcome of each action; None for ``method="ipw"``.
    n_clipped : int
        Rows whose own action had a propensity below the limit.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.policy import ActionScores
    >>> ActionScores(np.array([[1.0, 0.0]]), np.array(["wait", "treat"]), None, None).rewards.shape
    (1, 2)
    """

    rewards: NDArray[np.float64]
    actions: NDArray[Any]
    propensities: NDArray[np.float64] | None
    outcomes: NDArray[np.float64] | None
    n_clipped: int = 0


def doubly_robust_scores(
    X: Any,
    action: ArrayLike,
    outcome: ArrayLike,
    *,
    method: Method = "doubly robust",
    propensities: ArrayLike | None = None,
    propensity_model: Any = None,
    outcome_model: Any = None,
    cv: int = 5,
    clip: float = 0.01,
    categorical_features: Sequence[str] | Sequence[int] | None = None,
    random_state: int | None = 0,
) -> ActionScores:
    """Estimate the reward that each row would have had with each action.

    Parameters
    ----------
    X : array-like or frame of shape (n_rows, n_columns)
        Everything that may have influenced both the choice of the action and its outcome. The tree may be fitted on
        fewer columns: those that will be known, and may be used, when actions are chosen.
    action : array-like of shape (n_rows,)
        The action that each row had; at least two labels.
    outcome : array-like of shape (n_rows,)
        The outcome of this action; finite, more is better.
    method : {"doubly robust", "direct", "ipw"}, default="doubly robust"
        "direct" takes the expected outcome from `outcome_model`. "ipw" takes the observed outcome divided by the
        propensity of its action, and 0 for the other actions. "doubly robust" takes the first, and adds the second for
        the residual of the model.
    propensities : array-like of shape (n_rows, n_actions) or (n_actions,), default=None
        Known probabilities of the actions in sorted order, as in a trial; None fits `propensity_model`. If the columns
        of a frame have the names of the actions, they may come in any order; if only some of them do, that is an error.
    propensity_model : scikit-learn classifier, default=None
        With ``predict_proba``; None is `HistGradientBoostingClassifier` with 30 trees of 8 leaves.
    outcome_model : scikit-learn regressor, default=None
        Fitted once for each action on its rows; None is `HistGradientBoostingRegressor`.
    cv : int, default=5
        Number of folds: each row is scored by models that have not seen it.
    clip : float, default=0.01
        Propensities below this value are raised to it, with a warning; with 0 none are raised.
    categorical_features : sequence of str or int, default=None
        Numeric columns to read as unordered categories.
    random_state : int or None, default=0
        Seed of the folds, and of models made here.

    Returns
    -------
    ActionScores

    Raises
    ------
    InputError
        Fewer than two actions, an action with fewer rows than folds, an outcome that is not a finite number,
        propensities that do not sum to one, a model that predicts NaN, or a parameter out of range.

    Warns
    -----
    OverlapWarning
        Propensities were clipped: for some rows there is hardly any evidence about some action.

    Notes
    -----
    If the choice of actions depends on something that is not in `X`, the scores are biased, whatever the method. Models
    get categories as 0/1 columns and missing values as NaN, which the default models accept.

    References
    ----------
    J. Robins, A. Rotnitzky, L. Zhao (1994). Estimation of Regression Coefficients When Some Regressors Are Not Always
    Observed. JASA 89.
    V. Chernozhukov et al. (2018). Double/debiased machine learning for treatment and structural parameters. The
    Econometrics Journal 21.
    S. Athey, S. Wager (2021). Policy Learning With Observational Data. Econometrica 89, equation 12.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.policy import doubly_robust_scores
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 2))
    >>> action = rng.integers(0, 2, 400)  # a trial with equal chances
    >>> outcome = np.where(action == 1, np.sign(X[:, 0]), 0.0) + rng.normal(size=400) / 10
    >>> scores = doubly_robust_scores(X, action, outcome, propensities=[0.5, 0.5])
    >>> bool(scores.rewards[X[:, 0] > 0, 1].mean() > 0.9)
    True
    """
    check_arguments(doubly_robust_scores, locals(), "clip", "random_state")
    if method not in METHODS:
        raise InputError(f'method={method!r}; choose "doubly robust", "direct" or "ipw".')
    if not 0 <= clip < 0.5:
        raise InputError(f"clip={clip!r}; give a probability of at least 0 and below 0.5.")
    if not is_whole(cv) or cv < 2:
        raise InputError(f"cv={cv!r}; give a number of folds, at least 2.")
    table = table_from(X, categorical_features=categorical_features)
    rows = _features(table)
    actions, taken = _actions(action, table.n_rows)
    gained = _outcomes(outcome, table.n_rows)
    fewest = int(np.bincount(taken, minlength=len(actions)).min())
    if fewest < cv:
        rare = actions.tolist()[np.bincount(taken, minlength=len(actions)).argmin()]
        raise InputError(
            f"action {rare!r} has {fewest} rows, fewer than the {cv} folds; lower cv, or leave its rows out."
        )
    folds = list(StratifiedKFold(int(cv), shuffle=True, random_state=random_state).split(rows, taken))
    _check_model("propensity_model", propensity_model, "classifier with predict_proba")
    _check_model("outcome_model", outcome_model, "regressor")
    chance: NDArray[np.float64] | None = None
    n_clipped = 0
    if method != "direct":
        # Small and few trees: probabilities near 0 and 1 must come from the rows, not from fitting them closely.
        model = HistGradientBoostingClassifier(
            max_iter=30, max_leaf_nodes=8, early_stopping=False, random_state=random_state
        )
        chance = (
            _cross_fitted_chances(
                rows, taken, model if propensity_model is None else propensity_model, folds, len(actions)
            )
            if propensities is None
            else _given_chances(propensities, table.n_rows, actions.tolist())
        )
        n_clipped = _warn_of_clipping(chance[np.arange(len(taken)), taken], clip)
        chance = np.maximum(chance, clip)
        if (chance[np.arange(len(taken)), taken] <= 0).any():
            raise InputError("A row had an action of propensity 0; give clip above 0, or other propensities.")
    expected: NDArray[np.float64] | None = None
    if method != "ipw":
        # Not `outcome_model or ...`: an ensemble of scikit-learn has no truth value before it is fitted.
        regressor = (
            HistGradientBoostingRegressor(random_state=random_state)
            if outcome_model is None
            else outcome_model
        )
        expected = _cross_fitted_outcomes(rows, taken, gained, regressor, folds, len(actions))
    with np.errstate(over="ignore", invalid="ignore"):  # told below
        rewards = _combined(taken, gained, chance, expected)
    if not np.isfinite(rewards).all():
        row = int(np.flatnonzero(~np.isfinite(rewards).all(axis=1))[0])
        raise InputError(
            f"The scores of row {row} (counted from 0) are too large for float64; give outcomes in other units, or "
            "clip above 0."
        )
    return ActionScores(rewards, actions, chance, expected, n_clipped)


def _combined(
    taken: NDArray[np.intp],
    gained: NDArray[np.float64],
    chance: NDArray[np.float64] | None,
    expected: NDArray[np.float64] | None,
) -> NDArray[np.float64]:
    """Return the scores of the formulas above; what is not used is None."""
    if chance is None:
        assert expected is not None  # one of the two is always there
        return expected.copy()
    scores = np.zeros_like(chance) if expected is None else expected.copy()
    own = np.arange(len(taken)), taken
    scores[own] += (gained - scores[own]) / chance[own]
    return scores


def _check_model(name: str, model: Any, kind: str) -> None:
    if model is not None and (isinstance(model, type) or not hasattr(model, "fit")):
        raise InputTypeError(f"{name}={model!r:.60}; give a scikit-learn {kind}, or None.")


def _check_predicted(name: str, predicted: NDArray[np.float64], test: NDArray[np.intp]) -> None:
    wrong = ~np.isfinite(predicted.reshape(len(test), -1)).all(axis=1)
    if wrong.any():
        raise InputError(
            f"{name} predicts NaN or infinity for row {int(test[wrong][0])} (counted from 0); give a model that "
            "predicts finite numbers."
        )


def _features(table: Table) -> NDArray[np.float64]:
    """Return numbers as they are and categories as 0/1 columns; missing values are NaN, or 0 in every column."""
    parts = []
    for j, column in enumerate(table.columns):
        values = table.X[:, j]
        if column.kind is ColumnKind.CATEGORICAL:
            parts += [(values == code).astype(np.float64) for code in range(len(column.categories))]
        else:
            parts.append(values)
    return np.column_stack(parts) if parts else np.zeros((table.n_rows, 1))


def _actions(action: ArrayLike, n_rows: int) -> tuple[NDArray[Any], NDArray[np.intp]]:
    refuse_lossy("action", action)
    labels = np.asarray(action)
    if labels.shape != (n_rows,):
        raise InputError(f"action has shape {labels.shape}; X has {n_rows} rows, so give ({n_rows},).")
    if labels.dtype.kind == "f" and np.isnan(labels).any():
        raise InputError("action contains NaN; leave out the rows without an action.")
    try:
        actions, taken = np.unique(labels, return_inverse=True)
    except TypeError:
        raise InputError(
            "action has labels that cannot be sorted (text and numbers, or None); use one type."
        ) from None
    if len(actions) < 2:
        raise InputError("action has one label only; a policy needs at least two to choose from.")
    return actions, taken.reshape(-1)


def _outcomes(outcome: ArrayLike, n_rows: int) -> NDArray[np.float64]:
    refuse_dates("outcome", outcome)
    refuse_lossy("outcome", outcome)
    try:
        gained = np.array(outcome, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError("outcome holds values that are not numbers; give one number per row.") from None
    if gained.shape != (n_rows,):
        raise InputError(f"outcome has shape {gained.shape}; X has {n_rows} rows, so give ({n_rows},).")
    if not np.isfinite(gained).all():
        raise InputError("outcome contains NaN or infinity; leave out the rows without an outcome.")
    return gained


def _given_chances(propensities: ArrayLike, n_rows: int, actions: Sequence[Any]) -> NDArray[np.float64]:
    n_actions = len(actions)
    names = column_names(propensities)
    chance = numbers_of("propensities", propensities).copy()
    if chance.shape == (n_actions,):
        chance = np.tile(chance, (n_rows, 1))
    if chance.shape != (n_rows, n_actions):
        raise InputError(
            f"propensities has shape {chance.shape}; give ({n_rows}, {n_actions}), or ({n_actions},) if they are "
            "the same "
            "for all rows. Actions are in sorted order."
        )
    chance = by_name(chance, names, actions, "propensities")
    if not ((chance >= 0).all() and np.allclose(chance.sum(axis=1), 1, rtol=0, atol=ROUNDING)):
        raise InputError("propensities must be at least 0 and sum to 1 in every row.")
    return chance


def _cross_fitted_chances(
    rows: NDArray[np.float64], taken: NDArray[np.intp], model: Any, folds: Any, n_actions: int
) -> NDArray[np.float64]:
    chance = np.zeros((len(rows), n_actions))
    for train, test in folds:
        fitted = clone(model).fit(rows[train], taken[train])
        if not hasattr(fitted, "predict_proba"):
            raise InputTypeError(
                f"propensity_model={model!r:.60} has no predict_proba; give a scikit-learn classifier that has it, "
                "or None."
            )
        found = fitted.predict_proba(rows[test])
        _check_predicted("propensity_model", found, test)
        chance[np.ix_(test, fitted.classes_)] = found
    return chance


def _cross_fitted_outcomes(
    rows: NDArray[np.float64],
    taken: NDArray[np.intp],
    gained: NDArray[np.float64],
    model: Any,
    folds: Any,
    n_actions: int,
) -> NDArray[np.float64]:
    expected = np.zeros((len(rows), n_actions))
    for train, test in folds:
        for action in range(n_actions):
            own = train[taken[train] == action]
            found = clone(model).fit(rows[own], gained[own]).predict(rows[test])
            _check_predicted("outcome_model", found, test)
            expected[test, action] = found
    return expected


def _warn_of_clipping(own: NDArray[np.float64], clip: float) -> int:
    """Return how many rows had an action below the limit; only their scores change."""
    n_clipped = int((own < clip).sum())
    if n_clipped:
        warnings.warn(
            f"{n_clipped} of {len(own)} rows had an action of propensity below {clip:g} (the least is "
            f"{own.min():.2g}); it was raised to {clip:g}. For rows like these there is hardly any evidence about that "
            "action: leave them out, or change clip.",
            OverlapWarning,
            stacklevel=3,
        )
    return n_clipped
