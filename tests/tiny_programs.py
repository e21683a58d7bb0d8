"""Tiny problems for mixed-integer programs, and the oracles' answers."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from brute_force import best_objective
from brute_force_leaf_accuracy import Oracle
from treewright import Problem
from treewright.binarize import midpoints
from treewright.mip import MIPOptions, Model
from treewright.mip._solve import FORMULATIONS
from treewright.problem import make_problem
from treewright.table import table_from


@dataclass(frozen=True)
class TinyProgram:
    problem: Problem
    formulation: str
    strategy: str
    options: MIPOptions

    def optimum(self) -> float:
        """What the solver minimises, at its best: 1 - Q, or loss + price of leaves."""
        p = self.problem
        if self.formulation == "leaf_accuracy":
            return 1 - float(Oracle(p).optimum()[0])
        price = Fraction(p.cost_complexity)
        limits = (p.max_depth, p.max_leaf_nodes, p.min_samples_leaf)
        return float(
            best_objective(midpoints(p.table).goes_right, p.y, p.sample_weight, p.costs, price, *limits)
        )


def random_program(seed: int) -> TinyProgram:
    """All formulations in turn; ties, missing values, one class, constant columns, weights, costs, limits."""
    rng = np.random.default_rng(seed)
    formulation = list(FORMULATIONS)[seed % len(FORMULATIONS)]
    n_rows, n_columns = int(rng.integers(2, 11)), int(rng.integers(1, 4))
    X = rng.integers(0, int(rng.integers(1, 5)), (n_rows, n_columns)).astype(float)
    if rng.random() < 0.2:
        X[rng.random(X.shape) < 0.2] = np.nan
    y = rng.integers(0, int(rng.integers(1, 4)), n_rows)
    n_classes = len(np.unique(y))
    weight = [None, rng.integers(1, 5, n_rows).astype(float), rng.random(n_rows) + 0.01][rng.integers(3)]
    has_costs = formulation != "leaf_accuracy" and n_classes > 1 and rng.random() < 0.4
    problem = make_problem(
        table_from(X),
        y,
        sample_weight=weight,
        costs=(1 - np.eye(n_classes)) * rng.integers(1, 6, (n_classes, n_classes)) if has_costs else None,
        max_depth=int(rng.choice([1, 1, 2])),
        min_samples_leaf=min(n_rows, int(rng.choice([1, 1, 2, 3]))),
        cost_complexity=float(rng.choice([0, 0.01, 0.1])),
        max_leaf_nodes=[None, None, 2, 3][rng.integers(4)] if formulation != "leaf_accuracy" else None,
    )
    strategy = ["direct", "warm", "gradual"][rng.integers(3)]
    options = MIPOptions(tighten=bool(rng.integers(2)), scaling=["rank", "range"][rng.integers(2)])
    return TinyProgram(problem, formulation, strategy, options)


def violation(model: Model, values: np.ndarray) -> float:
    """Return the largest violation of a row, a bound or integrality."""
    activity = model.matrix() @ values
    lower, upper = model.row_bounds
    broken = [lower - activity, activity - upper, model.lower - values, values - model.upper]
    broken.append(np.abs(values - np.rint(values))[model.integer])
    return max(0.0, *(float(part.max(initial=0.0)) for part in broken))
