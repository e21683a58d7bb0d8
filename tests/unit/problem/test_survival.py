"""Survival problems whose weights are of very different size."""

from __future__ import annotations

import numpy as np

from treewright.problem import make_survival_problem
from treewright.search import solve_survival
from treewright.table import table_from
from treewright.verify import verify_survival

X = np.array([[0, 2], [1, np.nan], [1, np.nan], [1, 2], [0, 1]], dtype=float)
EVENT = np.ones(5, dtype=bool)
WEIGHT = [1.0, 1.0, 1.0, 1.0, 3e9]
TIME = [35927604.8, 5.9e-08, 52694.4, 0.00039, 0.00045]


def test_the_first_events_have_a_hazard_however_light_they_are() -> None:
    """1 in 3e9 is rounded to no multiple of 0: that would leave an event without a hazard, which no loss can have."""
    problem = make_survival_problem(table_from(X), (EVENT, TIME), sample_weight=WEIGHT)
    assert (problem.hazard > 0).all()
    assert "cumulative hazards were rounded" in problem.notes[-1]
    even = make_survival_problem(table_from(X), (EVENT, TIME))
    assert not even.notes


def test_heavy_rows_that_fit_well_hide_no_loss() -> None:
    """Their own deviance is the difference of two numbers near 1, of which 3e9 times the last place is much."""
    problem = make_survival_problem(table_from(X), (EVENT, TIME), sample_weight=WEIGHT, max_depth=3)
    report = verify_survival(problem, solve_survival(problem))
    assert report.ok, str(report)
