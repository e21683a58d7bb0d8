"""Law: whatever phase of a long run a limit ends, what is claimed allows the optimum, and its tree keeps the question.

The phases (few rows that prove a bound, parts of the rows, leaves of any size, rising budgets) begin after minutes on
large tables. Here they begin at once, on tables that the plain search finishes as a check.
"""

from __future__ import annotations

import numpy as np
import pytest

from ranked_kinds import KINDS, table_of
from treewright.problem import make_problem
from treewright.result import SolveStatus
from treewright.search import Limits, RankedOptions, solve
from treewright.table import table_from

PLAIN = RankedOptions(core=False, parts=False, any_size=False, rising=False)
NEAR = 1e-9
N_ROWS = 45


def phases(rng):
    """Options with which all phases follow each other."""
    return RankedOptions(
        core=bool(rng.random() < 0.4),
        core_share=1.0,
        core_passes=int(rng.integers(0, 4)),
        part_rows=N_ROWS // int(rng.integers(4, 8)) - 1,
        plain_work=int(10 ** rng.uniform(1, 6)),
        early_work=int(10 ** rng.uniform(0, 6)),
        groups=False,
        resume=bool(rng.random() < 0.7),
        shallower=bool(rng.random() < 0.8),
    )


@pytest.mark.parametrize("least", [1, 4])
@pytest.mark.parametrize("kind", KINDS)
def test_stopped_at_any_step(kind, least):
    make, search = KINDS[kind]
    parts = 0
    for seed in range(3):
        rng = np.random.default_rng(seed)
        price = float(rng.choice([0.0, 1e-9, 0.001, 0.01]))
        depth = 4 if kind in ("classes", "policy") else 3  # from depth four on these want an early bound
        problem = make(
            rng, table_of(rng, N_ROWS), max_depth=depth, cost_complexity=price, min_samples_leaf=least
        )
        best = search(problem, options=PLAIN)
        assert best.status is SolveStatus.OPTIMAL
        for _ in range(12):
            options = phases(rng)
            limits = Limits(step_limit=int(rng.integers(1, 2 * best.stats["steps"])))
            result = search(problem, options=options, limits=limits)
            parts += result.stats["parts"] > 0
            open_to = NEAR + result.stats.get("tolerance", 0.0)
            words = f"{options.used()} {limits}: {result.sentence()} The optimum is {best.objective!r}."
            assert result.lower_bound <= best.objective + open_to, words
            assert result.objective >= best.objective - open_to, words
            assert result.tree.n_node_samples[result.tree.is_leaf].min() >= least, words
            if result.status is SolveStatus.OPTIMAL:
                assert result.objective <= best.objective + open_to, words
    assert parts


@pytest.mark.parametrize("seed", [37, 38, 39])
def test_a_part_is_not_held_to_its_shallower_trees(seed):
    """Of a rule of three columns no tree of two levels says anything, so one level more makes the difference."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(100, 300))
    X = rng.normal(size=(n, 3)).round(2)
    y = (X > 0).sum(axis=1) % 2 ^ (rng.random(n) < 0.05)
    problem = make_problem(table_from(X), y, max_depth=3, cost_complexity=0.0)
    best = solve(problem, options=PLAIN)
    options = RankedOptions(core=False, core_passes=1, part_rows=n // 4 - 1, plain_work=10**6)
    for steps in range(2, 200, 5):
        result = solve(problem, options=options, limits=Limits(step_limit=steps))
        assert result.lower_bound <= best.objective + NEAR, result.sentence()
        assert result.objective >= best.objective - NEAR
        if result.status is SolveStatus.OPTIMAL:
            assert result.objective <= best.objective + NEAR, result.sentence()


def test_the_bound_of_a_deep_search_comes_early():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 10))
    y = X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3] + rng.normal(size=1500) > 0
    shallow = solve(make_problem(table_from(X), y, max_depth=3, cost_complexity=0.0), "all")
    deep = make_problem(table_from(X), y, max_depth=4, cost_complexity=0.0)
    limits = Limits(step_limit=2 * shallow.stats["steps"])
    late, early = (
        solve(deep, "all", limits=limits, options=RankedOptions(early_work=work)).lower_bound
        for work in (0, 10**8)
    )
    assert late == 0.0 < 0.2 * shallow.objective < early
