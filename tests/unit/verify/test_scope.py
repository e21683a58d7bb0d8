"""The scope of a certificate: one that the library writes, in agreement with tree, notes, engine and table."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from treewright.problem import Problem, make_problem
from treewright.result import RegressionResult, SolveResult, SolveStatus
from treewright.search import solve
from treewright.table import table_from
from treewright.verify import verify


@cache
def case(thresholds: Any = "all") -> tuple[Problem, SolveResult]:
    """Return a question about 40 rows of two columns, and its answer."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 9, 40), rng.normal(size=40).round(1)])
    y = (X[:, 0] > 3) ^ (X[:, 1] > 0.2)
    problem = make_problem(table_from(X), y, max_depth=2, cost_complexity=0.01)
    return problem, solve(problem, thresholds)


def failed(thresholds: Any = "all", **changes: Any) -> list[str]:
    problem, result = case(thresholds)
    return [check.name for check in verify(problem, replace(result, **changes)).failed]


GIVEN = {"x0": (3.5,), "x1": (0.25, 0.0)}
FORMS: list[tuple[Any, str]] = [
    ("all", "all thresholds"),
    (4, "the given splits (at most 3 quantiles a column)"),
    (2, "the given splits (at most 1 quantile a column)"),
]


@pytest.mark.parametrize(("thresholds", "scope"), FORMS)
def test_what_the_search_says_is_accepted(thresholds: Any, scope: str) -> None:
    assert case(thresholds)[1].scope == scope
    assert failed(thresholds) == []


def test_the_plural_that_older_files_have_of_one_is_accepted() -> None:
    assert failed(2, scope="the given splits (at most 1 quantiles a column)") == []
    assert failed(2, scope="the chosen splits (at most 1 quantiles or categories a column)") == []
    assert failed(2, scope="the chosen splits (at most 1 quantile or category a column)") == []
    assert failed(4, scope="the given splits (at most 1 quantile a column)") == ["scope"]


def test_given_thresholds_are_accepted() -> None:
    problem, _ = case()
    result = solve(problem, GIVEN)
    assert result.scope == "the given thresholds"
    assert verify(problem, result).ok


@pytest.mark.parametrize(
    "scope",
    [
        *("over accuracy", "x", "", "three thresholds", "all thresholds ", "the best splits", "every tree"),
        *("all splits of the 0/1 columns", "the splits of the table", "all trees of linear splits"),
        "the given splits (at most 0 quantiles a column)",
        f"the given splits (at most {'9' * 5000} quantiles a column)",
        "the 5 guessed thresholds (not all thresholds)",
        "the thresholds at which the label changes (not all thresholds)",
    ],
)
def test_other_words_are_refused(scope: str) -> None:
    for thresholds, _ in FORMS:
        assert failed(thresholds, scope=scope) == ["scope"]


def test_quantiles_are_not_all_thresholds_and_not_others() -> None:
    assert failed(4, scope="all thresholds") == ["scope"]
    for level in (1, 2, 4):
        assert failed(4, scope=f"the given splits (at most {level} quantiles a column)") == ["scope"]
    assert failed("all", scope="the given splits (at most 3 quantiles a column)") == ["scope"]
    assert failed(4, notes=()) == ["scope"]  # which says what was left out


def test_ranked_columns_have_all_thresholds() -> None:
    stats = {**case(4)[1].stats, "engine": "ranked"}
    assert failed(4, stats=stats) == ["scope"]


def test_nothing_is_proven_of_linear_splits() -> None:
    _, result = case()
    latent = {
        "options": {**result.options, "method": "latent"},
        "scope": "all trees of linear splits",
        "status": SolveStatus.FEASIBLE,
    }
    assert failed(**latent, lower_bound=0.01) == []
    assert failed(**latent, lower_bound=0.011) == ["lower_bound of any tree"]
    assert failed(**{**latent, "status": SolveStatus.OPTIMAL}) == ["scope", "lower_bound of any tree"]
    assert "scope" in failed(options=latent["options"])


def test_a_result_of_another_loss_is_refused() -> None:
    """Its sentence would speak of variance."""
    problem, result = case()
    told = {name: getattr(result, name) for name in result.__dataclass_fields__}
    other = RegressionResult(**{**told, "stats": {**result.stats, "tolerance": 1e-9}})
    assert [check.name for check in verify(problem, other).failed] == ["fields of the certificate"]


@pytest.mark.parametrize("n_columns", [1, 2, 1200])
def test_the_note_on_thresholds_left_out_is_read_as_it_is_written(n_columns: int) -> None:
    X = np.random.default_rng(0).normal(size=(12, n_columns)).round(2)
    problem = make_problem(table_from(X), X[:, 0] > 0, max_depth=1, cost_complexity=0.01)
    result = solve(problem, 3)
    assert any(f"in {n_columns} column{'s' * (n_columns > 1)}: x0" in note for note in result.notes)
    checked = verify(problem, result)
    assert checked.ok, str(checked)
