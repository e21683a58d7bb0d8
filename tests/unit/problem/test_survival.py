"""Survival problems whose weights are of very different size."""

from __future__ import annotations

import numpy as np
import pytest

from treewright.errors import InputError
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
    assert "Cumulative hazards were rounded" in problem.notes[-1]
    even = make_survival_problem(table_from(X), (EVENT, TIME))
    assert not even.notes


def test_hazards_get_the_bits_that_a_common_factor_of_the_weights_would_take() -> None:
    """The weights are rounded to 416 and 2**20, which are 13 and 2**15."""
    y = (np.ones(2, dtype=bool), [0.56, 2.18])
    weight = [8.678610897275131, 21849.420442805807]
    problem = make_survival_problem(table_from([[1.0], [0.0]]), y, sample_weight=weight)
    assert problem.hazard[0] == pytest.approx(13 / (13 + 2**15), rel=1e-10)
    assert problem.sample_weight.tolist() == [13, 2**15]


def test_a_note_says_no_less_than_the_hazards_were_rounded() -> None:
    problem = make_survival_problem(table_from(X), (EVENT, TIME), sample_weight=WEIGHT)
    told = float(problem.notes[-1].split("by up to ")[1].split()[0])
    exact = 1 / (np.sum(WEIGHT))  # of the first event
    assert told >= np.abs(problem.hazard[1] / exact - 1)


def test_heavy_rows_that_fit_well_hide_no_loss() -> None:
    """Their own deviance is the difference of two numbers near 1, of which 3e9 times the last place is much."""
    problem = make_survival_problem(table_from(X), (EVENT, TIME), sample_weight=WEIGHT, max_depth=3)
    report = verify_survival(problem, solve_survival(problem))
    assert report.ok, str(report)


def test_a_row_with_next_to_no_hazard_has_a_finite_loss() -> None:
    """Fitted by 1e-17 of an event, its deviance is 38: less one, that is -1 to the last place, without a logarithm."""
    table = table_from(np.array([[0.0], [1.0], [2.0], [0.0], [0.0], [0.0], [0.0], [0.0]]))
    event = np.array([1, 0, 0, 0, 1, 1, 1, 0], dtype=bool)
    time = [2.7e-4, 274.7, 6.6e-4, 2.4e-7, 1.6e-4, 308.8, 6.7e-3, 3.9e-6]
    weight = [2.0, 3e9, 3.0, 2e9, 3.0, 2e9, 2e9, 3.0]
    problem = make_survival_problem(
        table, (event, time), sample_weight=weight, max_depth=2, min_samples_leaf=3
    )
    result = solve_survival(problem)
    assert np.isfinite(result.objective)
    report = verify_survival(problem, result)
    assert report.ok, str(report)


@pytest.mark.parametrize(
    "y",
    [
        np.ma.masked_array(np.column_stack([EVENT, TIME]), mask=np.arange(10).reshape(5, 2) == 3),
        (EVENT, np.ma.masked_array(TIME, mask=np.arange(5) == 1)),
        (np.ma.masked_array(EVENT, mask=np.arange(5) == 1), TIME),
    ],
)
def test_what_is_masked_is_not_read_as_if_it_were_there(y: object) -> None:
    with pytest.raises(InputError, match="masked"):
        make_survival_problem(table_from(X), y)
