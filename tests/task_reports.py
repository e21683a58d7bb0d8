"""Fitted trees of every task with the rows of a report, small and made here."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from treewright import OptimalPolicyTree, OptimalProbabilityTree, OptimalSurvivalTree, OptimalTreeRegressor
from treewright.show import report

TASKS = (
    "squared_error", "absolute_error", "quantile", "poisson", "gamma", "linear", "simple_linear", "outputs",
    "policy", "survival", "probability",
)  # fmt: skip
N_TRAIN = 160


@dataclass(frozen=True)
class Made:
    """A model, all rows, and what was seen of them; the first `N_TRAIN` were fitted."""

    model: Any
    X: pd.DataFrame
    y: Any

    def part(self, rows: slice) -> tuple[Any, Any]:
        """Some rows and what was seen of them."""
        y = tuple(each[rows] for each in self.y) if isinstance(self.y, tuple) else self.y[rows]
        return self.X.iloc[rows], y

    @property
    def train(self) -> tuple[Any, Any]:
        """The rows that the model was fitted to."""
        return self.part(slice(N_TRAIN))

    @property
    def test(self) -> tuple[Any, Any]:
        """The others."""
        return self.part(slice(N_TRAIN, None))


@cache
def made(task: str) -> Made:
    """Fit a tree of a task."""
    rng = np.random.default_rng(3)
    n = 240
    X = pd.DataFrame(
        {
            "age": rng.integers(20, 80, n).astype(float),
            "dose": rng.normal(size=n).round(2),
            "ward": rng.choice(["north", "south", "west"], n),
        }
    )
    X.loc[::9, "age"] = np.nan
    high = (X.age.fillna(30) > 50).to_numpy()
    y = (10 + 5 * high + 2 * X.dose + rng.normal(0, 0.5, n)).round(2).to_numpy()
    counts = rng.poisson(1 + 3 * high).astype(float)
    gains = np.column_stack([np.zeros(n), 1.0 * high - 0.4 + rng.normal(0, 0.4, n)])
    time, censored = rng.exponential(2 - 1.5 * high), rng.exponential(2, n)
    limits: dict[str, Any] = {"max_depth": 2, "min_samples_leaf": 10, "progress": False}
    model: Any
    seen: Any = y
    if task == "policy":
        seen = pd.DataFrame(gains, columns=["wait", "treat"])
        model = OptimalPolicyTree(0.02, action_costs={"treat": 0.1}, **limits)
    elif task == "survival":
        seen = (time <= censored, np.minimum(time, censored).round(3))
        model = OptimalSurvivalTree(0.02, **limits)
    elif task == "probability":
        seen = np.where(high ^ (rng.random(n) < 0.2), "ill", "well")
        model = OptimalProbabilityTree(0.02, **limits)
    elif task == "outputs":
        seen = np.column_stack([y, counts])
        model = OptimalTreeRegressor(0.02, **limits)
    elif task in ("linear", "simple_linear"):
        model = OptimalTreeRegressor(0.02, leaf_model=task, **limits)  # type: ignore[arg-type]
    else:
        seen = {"poisson": counts, "gamma": counts + 0.5}.get(task, y)
        model = OptimalTreeRegressor(0.02, criterion=task, quantile=0.8, **limits)  # type: ignore[arg-type]
    answer = Made(model, X, seen)
    model.fit(*answer.train)
    assert model.tree_.n_leaves > 1
    return answer


def page_of_task(task: str, **options: Any) -> str:
    """The report of a task on its rows."""
    one = made(task)
    (X, y), (X_test, y_test) = one.train, one.test
    given = {"X_test": X_test, "y_test": y_test, "fit_models": False, **options}
    return report(one.model, X, y, **given)
