"""Problems of every loss that is searched over ranked columns, with their searches: laws run over all of them."""

from __future__ import annotations

import numpy as np

from treewright.problem import (
    make_policy_problem,
    make_probability_problem,
    make_problem,
    make_regression_problem,
    make_survival_problem,
)
from treewright.search import solve, solve_policy, solve_probability, solve_regression, solve_survival
from treewright.table import table_from

__all__ = ["KINDS", "table_of"]


def table_of(rng, n=150):
    X = rng.normal(size=(n, 4)).round(1)
    X[rng.random(n) < 0.05, 1] = np.nan
    return table_from(X)


def numbers(criterion, weighted):
    def made(rng, table, **how):
        y = np.nan_to_num(table.X[:, 0]) * 2 + (table.X[:, 2] > 0) + rng.normal(size=table.n_rows).round(2)
        if criterion in ("poisson", "gamma"):
            y = np.exp(y).round() + (criterion == "gamma")
        weight = rng.integers(1, 4, table.n_rows) if weighted else None
        return make_regression_problem(
            table, y, sample_weight=weight, criterion=criterion, quantile=0.8, **how
        )

    return made, solve_regression


def labels(rng, table):
    return (table.X[:, 0] > 0.2).astype(int) + (table.X[:, 2] + rng.normal(size=table.n_rows) > 1)


KINDS = {
    "squared error": numbers("squared_error", weighted=False),
    "squared error, weighted": numbers("squared_error", weighted=True),
    "absolute error": numbers("absolute_error", weighted=False),
    "quantile, weighted": numbers("quantile", weighted=True),
    "poisson": numbers("poisson", weighted=False),
    "classes": (lambda rng, table, **how: make_problem(table, labels(rng, table), **how), solve),
    "log loss": (
        lambda rng, table, **how: make_probability_problem(
            table, labels(rng, table), criterion="log_loss", **how
        ),
        solve_probability,
    ),
    "policy": (
        lambda rng, table, **how: make_policy_problem(table, rng.integers(0, 9, (table.n_rows, 3)), **how),
        solve_policy,
    ),
    "survival": (
        lambda rng, table, **how: make_survival_problem(
            table, (rng.random(table.n_rows) < 0.7, rng.exponential(1.0 + labels(rng, table))), **how
        ),
        solve_survival,
    ),
}
