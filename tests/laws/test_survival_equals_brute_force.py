"""Exact survival trees against a list of all trees, and what verify says of them.

The oracle takes hazards as the problem states them and logarithms of 60 digits.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

from additive_laws import LIMITS, TAMPERED, assert_bounds_of_stopped, assert_kept, random_limits, tied_table
from brute_force_additive import best_tree
from treewright import OptimalSurvivalTree
from treewright.problem import make_survival_problem
from treewright.result import SolveStatus
from treewright.search import RankedOptions, solve_survival
from treewright.table import table_from
from treewright.verify import verify_survival

TABLES_A_BLOCK = 25


def deviance(problem):
    """Return half the deviance of one leaf as a function of its rows."""
    weight = [int(w) for w in problem.sample_weight]
    hazard = [Fraction(float(h)) for h in problem.hazard]

    def loss(rows):
        seen = [i for i in rows if problem.event[i]]
        events, total = sum(weight[i] for i in seen), sum(weight[i] * hazard[i] for i in rows)
        if not events:
            return Fraction(0)
        with localcontext() as context:
            context.prec = 60
            lost = Decimal(0)
            for i in seen:
                ratio = Fraction(events) * hazard[i] / total
                lost -= weight[i] * (Decimal(ratio.numerator) / Decimal(ratio.denominator)).ln()
            return Fraction(lost)

    return loss


def random_case(rng: np.random.Generator):
    """A table with ties, missing values and text; times with ties, some censored, and whole weights."""
    n, n_columns = int(rng.integers(1, 8)), int(rng.integers(1, 4))
    X = tied_table(rng, n, n_columns)
    event = rng.random(n) < rng.choice([0.3, 0.7, 1.0])
    time = rng.integers(0, 8, n).astype(float) if rng.random() < 0.6 else rng.exponential(size=n)
    weight = rng.integers(0, 4, n) if rng.random() < 0.4 else np.ones(n, dtype=int)
    weight[0] = max(weight[0], 1)
    return X, (event, time), weight, {
        **random_limits(rng),
    }  # fmt: skip


@pytest.mark.parametrize("block", range(50))
def test_optimum_and_certificate(block):
    rng = np.random.default_rng(block)
    for k in range(TABLES_A_BLOCK):
        X, y, weight, asked = random_case(rng)
        if asked["min_samples_leaf"] > (weight > 0).sum():
            continue
        problem = make_survival_problem(table_from(X), y, sample_weight=weight, **asked)
        loss = deviance(problem)
        one_leaf = loss(list(range(problem.table.n_rows)))
        limits = {name: asked[name] for name in LIMITS}
        options = (RankedOptions(plain_work=1, groups=False), RankedOptions(groups=False), None)[k % 3]
        result = solve_survival(problem, options=options)
        if one_leaf < 1e-12:
            assert result.loss == 0
            assert result.tree.n_leaves == 1
            continue
        wanted, leaves = best_tree(
            problem.table, loss, price=Fraction(asked["cost_complexity"]) * one_leaf, **limits
        )
        assert result.status is SolveStatus.OPTIMAL
        assert result.objective == pytest.approx(float(wanted / one_leaf), abs=1e-10)
        assert result.lower_bound <= float(wanted / one_leaf) + 1e-15
        assert result.stats["tolerance"] < 1e-8
        assert result.tree.n_leaves <= leaves + (wanted == 0)  # of trees as good to 60 digits, fewest leaves
        if k % 5:
            continue
        assert_kept(problem, result, verify_survival)


@pytest.mark.parametrize("seed", range(20))
def test_stopped_searches_hold_their_bound(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 3)).round(1)
    y = (rng.random(60) < 0.7, rng.exponential(size=60).round(2))
    problem = make_survival_problem(table_from(X), y, cost_complexity=0.01, max_depth=3)
    assert_bounds_of_stopped(problem, solve_survival, verify_survival)


CHANGED = TAMPERED | {
    "criterion": lambda r: replace(r, options={**r.options, "criterion": "squared_error"}),
    "count": lambda r: replace(r, tree=replace(r.tree, n_node_samples=r.tree.n_node_samples + 1)),
    "kind": lambda r: replace(r, tree=replace(r.tree, kind=type(r.tree.kind).REGRESSION)),
}


@pytest.mark.parametrize("what", CHANGED)
def test_tampered_certificates_are_refused(what):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), (rng.random(60) < 0.7, rng.exponential(size=60))
    result = OptimalSurvivalTree(max_depth=2).fit(X, y).result_
    problem = make_survival_problem(table_from(X), y, cost_complexity=0.01, max_depth=2)
    assert verify_survival(problem, result).ok
    assert not verify_survival(problem, CHANGED[what](result)).ok


def test_other_hazards_are_refused():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 2)), (rng.random(30) < 0.7, rng.exponential(size=30))
    problem = make_survival_problem(table_from(X), y, max_depth=1)
    forged = replace(problem, hazard=problem.hazard * 1.001)
    assert "cumulative hazards" in str(verify_survival(forged, solve_survival(forged)))
    assert not verify_survival(forged, solve_survival(forged)).ok
