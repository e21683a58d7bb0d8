"""A search with what another run has guessed: the same answer for the same problem, and rows that are still its own."""

from __future__ import annotations

import numpy as np
import pytest

from treewright.guess import named_reference
from treewright.problem import make_problem
from treewright.search import Guesses, Limits, search_with_same_guesses, solve_guided
from treewright.table import table_from


@pytest.mark.parametrize("guessed", ["thresholds", "lower_bounds", "both"])
def test_the_same_problem_has_the_same_answer_and_no_reference_learns_again(guessed, monkeypatch):
    problem, guesses = the_problem(), the_guesses(guessed)
    known = []
    first = solve_guided(problem, 4, guesses, tell=known.append)
    monkeypatch.setattr(
        "treewright.search._guided.make_reference", lambda *_: pytest.fail("it learned again")
    )
    again = search_with_same_guesses(known[0], problem, 4, Limits())
    assert again.status is first.status
    assert again.objective == first.objective
    assert again.scope == first.scope


@pytest.mark.parametrize("guessed", ["thresholds", "lower_bounds", "both"])
def test_some_rows_keep_what_was_guessed_for_them(guessed):
    problem = the_problem()  # two of the rows that were given have no weight, and were left out
    known = []
    solve_guided(problem, 4, the_guesses(guessed), tell=known.append)
    rows = np.arange(1, problem.table.n_rows, 2)
    some = problem.take(rows)
    assert some.rows.tolist() == problem.rows[rows].tolist()
    result = search_with_same_guesses(known[0], some, 4, Limits())
    assert result.status.name.startswith("OPTIMAL")
    expected = np.mean(known[0].predictions[some.rows] == some.y)
    if guessed != "thresholds":
        assert result.stats["reference_accuracy"] == pytest.approx(expected)


def the_problem():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(82, 3)).round(1)
    y = (X[:, 0] > 0) ^ (X[:, 1] > 0.5) ^ (rng.random(82) < 0.1)
    weight = np.ones(82)
    weight[[5, 40]] = 0
    return make_problem(table_from(X), y, sample_weight=weight, cost_complexity=0.02, max_depth=2)


def the_guesses(guessed):
    return Guesses(
        thresholds=guessed in ("thresholds", "both"),
        lower_bounds=guessed in ("lower_bounds", "both"),
        reference=named_reference("gbdt", n_estimators=8, max_depth=2),
    )
