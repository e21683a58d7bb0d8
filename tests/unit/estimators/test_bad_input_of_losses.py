"""What issue lists of bad input say for trees of additive losses, line by line: a clear error or the trivial answer."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from treewright import (
    LatentTreeRegressor,
    OptimalPolicyTree,
    OptimalProbabilityTree,
    OptimalSurvivalTree,
    OptimalTreeClassifier,
    OptimalTreeRegressor,
    OptimalTreeRegressorCV,
    SolveStatus,
    regression_frontier,
)
from treewright.errors import InputError
from treewright.policy import doubly_robust_scores
from treewright.problem import CRITERIA
from treewright.survival import kaplan_meier

X = np.arange(6.0)[:, None]
Y = np.array([1.0, 2.0, 2.0, 5.0, 5.0, 6.0])
SEEN = np.array([1, 0, 1, 1, 0, 1])
NONE = np.zeros(6)


def regressors():
    return [OptimalTreeRegressor(criterion=criterion) for criterion in CRITERIA]


REFUSED = {
    "negative times": (OptimalSurvivalTree(), (SEEN, -Y), {}, "time is negative in row 0"),
    "infinite times": (OptimalSurvivalTree(), (SEEN, np.full(6, np.inf)), {}, "time contains"),
    "rewards with NaN": (OptimalPolicyTree(), np.column_stack([Y, np.full(6, np.nan)]), {}, "NaN"),
    "infinite rewards": (OptimalPolicyTree(), np.column_stack([Y, np.full(6, np.inf)]), {}, "inf"),
    "one action": (OptimalPolicyTree(), Y[:, None], {}, "at least two actions"),
    "negative counts": (OptimalTreeRegressor(criterion="poisson"), -Y, {}, "which are not negative"),
    "zeros alone": (OptimalTreeRegressor(criterion="poisson"), NONE, {}, "All targets are 0"),
    "zeros of gamma": (OptimalTreeRegressor(criterion="gamma"), NONE, {}, "needs positive targets"),
    "costs with NaN": (OptimalTreeClassifier(), SEEN, {"row_costs": np.full((6, 2), np.nan)}, "is nan; costs are"),
    "negative costs": (OptimalTreeClassifier(), SEEN, {"row_costs": -np.ones((6, 2))}, "is -1; costs are"),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_refused(what):
    model, y, more, message = REFUSED[what]
    with pytest.raises(InputError, match=message):
        model.fit(X, y, **more)


@pytest.mark.parametrize(("impurity", "loss"), [("gini", "brier"), ("entropy", "log_loss")])
def test_impurities_of_scikit_learn(impurity, loss):
    with pytest.raises(InputError, match=f"criterion='{impurity}'.*of the leaves is '{loss}'"):
        OptimalProbabilityTree(criterion=impurity).fit(X, SEEN)


@pytest.mark.parametrize("bad", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_targets_that_are_not_finite(criterion, bad):
    with pytest.raises(InputError, match=r"infinity|NaN"):
        OptimalTreeRegressor(criterion=criterion).fit(X, [*Y[:5], bad])


EVERY = [
    *((model, Y) for model in regressors()),
    (OptimalTreeRegressorCV(max_leaves=2, cv=2), Y),
    (OptimalPolicyTree(), np.column_stack([Y, Y[::-1]])),
    (OptimalSurvivalTree(), (SEEN, Y)),
    (OptimalProbabilityTree(), SEEN),
    (OptimalProbabilityTree(criterion="log_loss"), SEEN),
]


DAYS = pd.Series(pd.to_timedelta([1, 2, None, 5, 5, 6], unit="D"))
FORMS = {
    "pandas": lambda of: of,
    "polars": lambda of: pl.DataFrame({str(name): of[name].to_numpy() for name in of}),
    "objects": lambda of: np.array([list(row) for row in of.to_numpy()], dtype=object),
}  # fmt: skip


@pytest.mark.parametrize("values", [DAYS, pd.Timestamp("2026-01-01") + DAYS])
@pytest.mark.parametrize("form", FORMS)
def test_dates_and_durations(values, form):
    one = FORMS[form](values.to_frame("y"))
    two = FORMS[form](pd.DataFrame({"1": Y, "2": values}))
    column = one[:, 0] if isinstance(one, np.ndarray) else one["y"]
    for model in (OptimalTreeRegressor(), OptimalTreeRegressorCV(max_leaves=2, cv=2), LatentTreeRegressor()):
        with pytest.raises(InputError, match=r"y holds dates or durations; give numbers.*total_seconds"):
            model.fit(X, column)
    for model, y, more in (
        (OptimalTreeRegressor(), two, {}),
        (OptimalPolicyTree(), two, {}),
        (OptimalSurvivalTree(), (SEEN, column), {}),
        (OptimalSurvivalTree(), two, {}),
        (OptimalTreeClassifier(), SEEN, {"row_costs": two}),
        (OptimalTreeClassifier(), SEEN, {"sample_weight": column}),
    ):
        with pytest.raises(InputError, match="holds dates or durations"):
            model.fit(X, y, **more)
    with pytest.raises(InputError, match="outcome holds dates or durations"):
        doubly_robust_scores(X, SEEN, column)
    with pytest.raises(InputError, match="time holds dates or durations"):
        kaplan_meier(SEEN, column)


def name_of(value):
    return repr(value) if hasattr(value, "fit") else ""


@pytest.mark.parametrize(("model", "y"), EVERY, ids=name_of)
def test_weights_of_zero_sum_negative_or_not_finite(model, y):
    for weight in (NONE, -np.ones(6), np.full(6, np.nan), np.full(6, np.inf)):
        with pytest.raises(InputError, match=r"(?i)weight"):
            model.fit(X, y, sample_weight=weight)


@pytest.mark.parametrize("scale", [1e-300, 1e300])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_targets_of_any_size(criterion, scale):
    model = OptimalTreeRegressor(criterion=criterion, max_depth=1).fit(X, Y * scale)
    assert model.result_.status is SolveStatus.OPTIMAL
    assert model.get_n_leaves() == 2
    assert np.isfinite(model.predict(X)).all()


def test_trivial_answers():
    constant = [model.fit(X, np.full(6, 3.25)) for model in regressors()]
    assert all(model.predict(X).tolist() == [3.25] * 6 for model in constant)
    trivial = [
        *constant,
        OptimalSurvivalTree().fit(X, (NONE, Y)),  # all censored
        OptimalProbabilityTree(criterion="log_loss").fit(X, NONE),
    ]
    for model in trivial:
        assert (model.get_n_leaves(), model.result_.loss) == (1, 0)
        assert model.result_.status is SolveStatus.OPTIMAL
    assert regression_frontier(X, np.full(6, 3.25), max_leaves=3).points[0].loss == 0
