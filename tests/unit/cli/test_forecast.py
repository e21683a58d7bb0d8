"""What `treewright fit` says of the time of a long search, before it: on a clock that only the search moves."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from treewright.cli import app
from treewright.cli._forecast import say_forecast
from treewright.problem import TreeProblem, make_problem
from treewright.result import SolveResult
from treewright.search import Limits, SearchForecast, solve
from treewright.table import table_from

rng = np.random.default_rng(1)
X = rng.normal(size=(20_000, 2))
PROBLEM = make_problem(table_from(X), (X[:, 0] + rng.normal(size=20_000) > 0).astype(int), max_depth=3)


class Search:
    """Takes `unit` seconds a row on its own clock; remembers the limits that it was given."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, unit: float) -> None:
        self.unit, self.now, self.limits = unit, 0.0, []
        monkeypatch.setattr(time, "perf_counter", lambda: self.now)

    def __call__(self, problem: TreeProblem, limits: Limits) -> SolveResult:
        assert limits.time_limit is not None
        self.limits.append(limits)
        needed = self.unit * problem.table.n_rows
        self.now += min(needed, limits.time_limit)
        if needed > limits.time_limit:
            return solve(problem, limits=Limits(step_limit=1))
        return solve(make_problem(problem.table, problem.y, max_depth=0))


def said(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().err


def test_a_long_search_is_forecast_in_options_of_the_command_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    search = Search(monkeypatch, unit=1e-3)
    say_forecast(PROBLEM, search, Limits(n_jobs=2, memory_limit=2**30), time_limit=30.0)
    words = said(capsys)
    assert words.startswith("Forecast: The proof will take about ")
    assert "of 20,000 rows" in words
    assert "time limit of 30 seconds" in words
    assert all((limits.n_jobs, limits.memory_limit) == (2, 2**30) for limits in search.limits)
    assert search.now <= 30.0 / 60 + 1e-9  # a sixtieth of the limit, at most
    say_forecast(PROBLEM, Search(monkeypatch, unit=1.0), Limits(), time_limit=20.0)
    words = said(capsys)
    assert "with no upper limit" in words or "a smaller --max-depth" in words
    assert "max_depth" not in words


def test_a_short_search_is_not(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    say_forecast(PROBLEM, Search(monkeypatch, unit=1e-6), Limits(), time_limit=30.0)
    assert said(capsys) == ""
    search = Search(monkeypatch, unit=1.0)
    for limits, time_limit in ((Limits(), 10.0), (Limits(step_limit=5), 100.0)):
        say_forecast(PROBLEM, search, limits, time_limit=time_limit)
    assert said(capsys) == ""
    assert search.limits == []  # nothing was searched


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_it_is_said_where_a_person_watches(
    task: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, out = tmp_path / "data.csv", tmp_path / "model.json"
    data.write_text("a,y\n" + "".join(f"{j % 7},{j % 2}\n" for j in range(300)), encoding="utf-8")
    fit = ["fit", str(data), "--target", "y", "--task", task, "--max-depth", "2", "--out", str(out)]
    forecast = SearchForecast(300, 40.0, 20.0, 80.0, 10**6, 30.0, ())

    def interrupted(*_: object, **__: object) -> SearchForecast:
        raise KeyboardInterrupt

    monkeypatch.setattr(SearchForecast, "sentence", lambda self: f"about {self.seconds:g} seconds")
    monkeypatch.setattr("treewright.search.forecast_search", lambda *_, **__: forecast)
    done = CliRunner().invoke(app, fit)
    assert done.exit_code == 0, done.stderr
    assert "Forecast" not in done.stderr  # standard error is no terminal
    monkeypatch.setattr("treewright.search._progress_bar._is_watched", lambda: True)
    done = CliRunner().invoke(app, fit)
    assert done.exit_code == 0, done.stderr
    assert "Searching; Ctrl-C keeps the best tree so far.\nForecast: about 40 seconds\n" in done.stderr
    assert "Forecast" not in CliRunner().invoke(app, [*fit, "--no-progress"]).stderr
    monkeypatch.setattr("treewright.search.forecast_search", interrupted)
    out.unlink()
    done = CliRunner().invoke(app, fit)
    assert done.exit_code == 130, done.stderr
    assert "is saved to" in done.stderr
    assert out.exists()
