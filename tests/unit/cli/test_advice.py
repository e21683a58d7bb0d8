"""What is advised when a limit ends the search: options that were not given, tried for a moment, with their time."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

from treewright import OptimalTreeClassifier
from treewright.cli import app
from treewright.cli._advice import advice, for_more_leaves, for_sooner_guesses, why_one_leaf
from treewright.cli._wording import as_options
from treewright.problem import make_problem
from treewright.result import SolveStatus, StopReason
from treewright.search import Ended
from treewright.search import _guided as guided
from treewright.table import table_from

TIME = StopReason.TIME_LIMIT


def advise(stop=TIME, **given):
    known = {"time_limit": 10, "max_depth": 4, "thresholds": "auto", "cost_complexity": 0.01}
    return advice(stop, **{**known, **given})


def test_options_are_below_those_that_were_given():
    steps = StopReason.STEP_LIMIT
    assert "--max-depth 3, --thresholds 16 or --cost-complexity 0.02" in advise(steps)
    assert "--max-depth" not in advise(steps, max_depth=2)
    assert "--thresholds" not in advise(steps, thresholds="4")
    assert "--cost-complexity" not in advise(steps, cost_complexity=0.2)
    assert "With more time: --time-limit 100." in advise()
    assert "With more time: --time-limit 30." in advise(time_limit=0.01)
    assert "--time-limit" not in advise(StopReason.MEMORY_LIMIT)


def test_an_ended_search_says_why_the_tree_is_a_single_leaf():
    X, y = [[1], [2], [3], [4]], [0, 0, 1, 1]
    problem = make_problem(table_from(X), y, cost_complexity=0.01)
    one = OptimalTreeClassifier(0.9).fit(X, y).result_
    assert one.tree.n_leaves == 1
    stopped = replace(one, stop_reason=TIME, status=SolveStatus.FEASIBLE)
    assert "a single leaf because the search ended (time limit reached)" in why_one_leaf(problem, stopped)
    assert why_one_leaf(problem, one) == ""
    assert why_one_leaf(problem, replace(stopped, loss=0.0)) == ""
    two = OptimalTreeClassifier(0.01).fit(X, y).result_
    assert why_one_leaf(problem, replace(two, loss=0.1, stop_reason=TIME)) == ""


def test_what_was_tried_and_ended_is_named_with_its_time():
    tried = []

    def trial(change):
        tried.append(change)
        return Ended(0.42) if "thresholds" in change else None

    said = advise(trial=trial)
    assert tried == [{"max_depth": 2}, {"thresholds": 16}, {"cost_complexity": 0.02}]
    assert "comes with --thresholds 16 (about 0.4 s, tried just now)" in said
    assert "--max-depth" not in said


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({}, "--max-depth 2 --thresholds 8."),
        ({"max_depth": None, "thresholds": "1"}, "--max-depth 2."),
        ({"max_depth": 2}, "--thresholds 8."),
        ({"max_depth": 2, "thresholds": "4"}, "--cost-complexity 0.02."),
    ],
)
@pytest.mark.parametrize("trial", [None, lambda change: None])
def test_where_nothing_could_be_tried_the_smallest_problem_is_likely_to_end(given, named, trial):
    said = advise(**given, trial=trial)
    assert f"A proof, of a smaller problem, is likely to come sooner with {named}" in said


@pytest.mark.parametrize(("max_depth", "largest"), [(None, 3), (9, 3), (4, 3), (3, 2)])
def test_of_depths_the_largest_that_ends_is_named(max_depth, largest):
    tried = []

    def trial(change):
        tried.append(change.get("max_depth"))
        return Ended(0.03) if change.get("max_depth", 9) <= 3 else None

    said = advise(max_depth=max_depth, trial=trial)
    assert f"comes with --max-depth {largest} (about 0.1 s, tried just now)" in said
    assert "--thresholds" not in said
    depths = [depth for depth in tried if depth is not None]
    assert depths == list(
        range(2, largest + 1 if max_depth in (3, 4) else largest + 2)
    )  # none after one that fails


def test_a_depth_that_the_run_has_proven_is_named():
    assert "--max-depth 6 (about 3 s, tried just now)" in advise(
        max_depth=None,
        proven_depth=6,
        trial=lambda change: Ended(3.0) if change == {"max_depth": 6} else None,
    )
    assert "--max-depth 6 (proven in this run)" in advise(
        max_depth=None, proven_depth=6, trial=lambda change: None
    )


def test_what_is_only_likely_to_end_is_said_to_be():
    guessed = Ended(12, tried=False, longest=50.0, rows=256, of_rows=4000)
    said = advise(trial=lambda change: guessed if "max_depth" in change else None, time_limit=100)
    assert "--max-depth 3 (about 12 s, perhaps up to 50 s, judging by 256 of the 4,000 rows)" in said


def test_a_time_limit_that_is_too_short_for_it_is_said_as_well():
    def trial(change):
        return Ended(3.0, tried=False, longest=9.0) if "thresholds" in change else None

    assert "--thresholds 16 --time-limit 20 (about 3 s, perhaps up to 9 s" in advise(
        trial=trial, reading=0.5, time_limit=1
    )
    assert "--thresholds 16 (about 3 s" in advise(trial=trial, reading=0.5)
    assert "--thresholds 16 --time-limit 20 (about 3 s" in advise(trial=trial, reading=2.0)


def test_where_reading_took_the_time_no_smaller_problem_is_named():
    said = advise(max_depth=2, reading=1.5, time_limit=0.8)
    assert "reading took 1.5 s, and --time-limit 0.8 counts it" in said
    assert said.endswith("With more time: --time-limit 50.")
    assert "--thresholds" not in said


@pytest.mark.parametrize("longest", [0.5, 9.0, 70.0])
def test_more_time_for_the_whole_problem_is_ten_times_that_for_a_smaller_one(longest):
    ended = Ended(0.4, tried=False, longest=longest, rows=64, of_rows=3000)
    named = [
        float(found)
        for found in re.findall(r"--time-limit (\d+)", advise(trial=lambda _: ended, time_limit=1))
    ]
    assert named[-1] >= max(30, 10 * max(named[:-1], default=0))


def test_ctrl_c_during_the_advice_ends_it():
    def trial(change):
        raise KeyboardInterrupt

    assert "likely to come sooner with --max-depth 2 --thresholds 8" in advise(trial=trial)


def test_where_none_ends_a_much_smaller_one_is_tried():
    def trial(change):
        return Ended(0.3) if change == {"max_depth": 2, "thresholds": 8} else None

    assert "comes with --max-depth 2 --thresholds 8 (about 0.3 s, tried just now)" in advise(trial=trial)
    assert "comes with --thresholds 8 (" in advise(
        max_depth=2, trial=lambda change: Ended(1.0) if change == {"thresholds": 8} else None
    )
    assert "comes with" not in advise(thresholds="8", trial=trial)


def test_nothing_is_tried_after_ctrl_c():
    assert "sooner" in advise(StopReason.INTERRUPT, trial=lambda change: pytest.fail("tried"))


@pytest.mark.parametrize("limit", ["0.01", "1"])
@pytest.mark.parametrize(
    "verb",
    [
        ["fit", "-t", "y"],
        ["fit", "-t", "a", "--task", "regression", "--max-depth", "4", "-c", "0.0001"],
        ["fit", "-t", "y", "--task", "probability", "--max-depth", "4", "-c", "0.0001"],
        ["fit", "-t", "y", "--objective", "leaf-accuracy"],
        ["frontier", "-t", "y", "--max-leaves", "20"],
    ],
    ids=lambda verb: " ".join(verb[:1] + verb[3:5]),
)
def test_after_a_short_time_something_that_ends_is_named_with_its_time(tmp_path, verb, limit):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 12)).round(3)
    y = (X[:, 0] * X[:, 1] + X[:, 2] + rng.normal(size=3000) > 0).astype(int)
    lines = [",".join(map(str, [*row, label])) for row, label in zip(X.tolist(), y.tolist(), strict=True)]
    (tmp_path / "data.csv").write_text("\n".join([",".join("abcdefghijkly"), *lines]) + "\n")
    first, *rest = verb
    done = CliRunner().invoke(app, [first, str(tmp_path / "data.csv"), *rest, "--time-limit", limit])
    assert done.exit_code == 0, done.output
    said = done.stderr.splitlines()[-1]
    judged = r"comes with --\S+ \S+ .*\(about [\d.]+ (s|minutes)"
    late = (
        "|reading took .* With more time: --time-limit" if limit == "0.01" else ""
    )  # nothing is tried after a late end
    assert re.search(judged + late, said), said


@pytest.mark.clock
@pytest.mark.parametrize("guess", ["thresholds", "depth", "thresholds,depth"])
def test_smaller_problems_are_tried_with_what_the_run_has_guessed(tmp_path, guess, monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 12)).round(3)
    y = (X[:, 0] * X[:, 1] + X[:, 2] + rng.normal(size=2000) > 0).astype(int)
    lines = [
        ",".join(map(str, [*row, label, 1 + i % 2 if i else 0]))  # one row of no weight: it is left out
        for i, (row, label) in enumerate(zip(X.tolist(), y.tolist(), strict=True))
    ]
    (tmp_path / "data.csv").write_text("\n".join([",".join("abcdefghijklyw"), *lines]) + "\n")
    fit = [
        "fit",
        str(tmp_path / "data.csv"),
        "-t",
        "y",
        "--weight",
        "w",
        "--guess",
        guess,
        "--reference-depth",
        "2",
    ]
    learned = []
    learn = guided.make_reference
    monkeypatch.setattr(guided, "make_reference", lambda *args: learned.append(1) or learn(*args))
    done = CliRunner().invoke(app, [*fit, "-c", "0.0002", "--n-estimators", "25", "--time-limit", "3"])
    assert done.exit_code == 0, done.output
    assert "Guessing: " in done.output
    assert len(learned) == 1
    said = done.stderr.splitlines()[-1]
    # On a busy machine the run itself may have proven the smaller problem.
    assert re.search(r"comes with --\S+ \S+ .*\((about [\d.]+ (s|minutes)|proven in this run)", said), said
    asked = {"depth": "in place of --guess depth (", "thresholds,depth": "--guess thresholds --max-depth "}
    assert asked.get(guess, "comes with --max-depth ") in said
    assert ("--thresholds" in said) <= ("thresholds" not in guess)


def test_a_run_that_ended_before_anything_was_guessed_says_how_to_guess_sooner(tmp_path):
    lines = "".join(f"{i % 17},{i % 5},{i * 7 % 11 % 2}\n" for i in range(300))
    (tmp_path / "data.csv").write_text(f"a,b,y\n{lines}")
    fit = ["fit", str(tmp_path / "data.csv"), "-t", "y", "--guess", "thresholds", "--time-limit", "1e-9"]
    said = CliRunner().invoke(app, fit).stderr.splitlines()[-1]
    assert said.startswith("Nothing was guessed")
    assert said.endswith(
        "such as --n-estimators 40, learns sooner: no size is chosen on held-out rows. With more time: "
        "--time-limit 30."
    )
    assert for_sooner_guesses(False, 0.001).endswith("learned anything. With more time: --time-limit 30.")


def test_a_single_leaf_is_explained():
    said = for_more_leaves(0.02, of_labels=True)
    assert "2% of the total weight (--cost-complexity 0.02)" in said
    assert "--cost-complexity 0.002" in said
    assert "--class-weight balanced" in said
    assert "balanced" not in for_more_leaves(0.02, of_labels=False)


def test_a_single_leaf_of_largest_f1_is_advised_nothing_that_is_refused_or_changes_f1(tmp_path):
    (tmp_path / "data.csv").write_text("x,y\n" + "".join(f"{i},{i % 2}\n" for i in range(40)))
    fit = ["fit", str(tmp_path / "data.csv"), "-t", "y", "--objective", "f1", "--max-depth", "1", "-c", "0.3"]
    said = CliRunner().invoke(app, fit).stderr
    assert "such as --cost-complexity 0.03, may bring more leaves" in said
    assert "frontier" not in said
    assert "balanced" not in said


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_a_fit_that_ends_with_a_single_leaf_says_what_brings_more(tmp_path, task):
    (tmp_path / "data.csv").write_text("x,y\n" + "".join(f"{i},{i % 2}\n" for i in range(40)))
    fit = ["fit", str(tmp_path / "data.csv"), "--target", "y", "--task", task, "--max-depth", "1"]
    few = CliRunner().invoke(app, [*fit, "--cost-complexity", "0.3"])
    assert few.exit_code == 0, few.output
    assert "such as --cost-complexity 0.03, may bring more leaves" in few.stderr
    many = CliRunner().invoke(app, [*fit, "--cost-complexity", "0"])
    assert "single leaf" not in many.stderr


@pytest.mark.parametrize(
    ("rows", "options"),
    [
        ([(i, 1) for i in range(40)], []),  # one class: nothing is lost
        ([(7, i % 2) for i in range(40)], []),  # nothing to split on
        ([(i, i % 2) for i in range(40)], ["--min-samples-leaf", "21"]),
        ([(i, i % 2) for i in range(40)], ["--max-depth", "0"]),
        ([(i, i % 2) for i in range(40)], ["--max-leaf-nodes", "1"]),
    ],
)
def test_no_smaller_penalty_is_proposed_where_it_cannot_help(tmp_path, rows, options):
    (tmp_path / "data.csv").write_text("x,y\n" + "".join(f"{x},{y}\n" for x, y in rows))
    fit = ["fit", str(tmp_path / "data.csv"), "--target", "y", "--cost-complexity", "0.3", *options]
    answer = CliRunner().invoke(app, fit)
    assert answer.exit_code == 0, answer.output
    assert "smaller penalty" not in answer.stderr


def test_the_default_leaf_penalty_is_advised_to_be_larger(tmp_path):
    rows = np.random.default_rng(0).random((60, 4)).round(3)
    lines = [",".join(map(str, [*row, int(row.sum() * 7) % 2])) for row in rows]
    (tmp_path / "data.csv").write_text("\n".join(["a,b,c,d,y", *lines]) + "\n")
    fit = ["fit", str(tmp_path / "data.csv"), "--target", "y", "--step-limit", "1", "--no-progress"]
    assert "--cost-complexity 0.02" in CliRunner().invoke(app, fit).stderr
    assert "--cost-complexity 0.04" in CliRunner().invoke(app, [*fit, "--cost-complexity", "0.02"]).stderr


def test_arguments_in_advice_become_options_and_columns_of_the_same_name_stay():
    assert (
        as_options("Raise share, max_leaves or time_limit.") == "Raise share, --max-leaves or --time-limit."
    )
    assert as_options("more than memory_limit allows, or raise memory_limit") == (
        "more than --memory-limit allows, or raise --memory-limit"
    )
    for said in (
        "numbers: 3 (max_depth, max_leaves, lr)",
        "max_depth holds -1 in 3 rows: does it mean missing?",
    ):
        assert as_options(said) == said


def test_arguments_of_shards_are_options():
    assert as_options("n_jobs=0; give") == "--jobs 0; give"
    assert as_options("spill_folder='/gone': no") == "--spill-folder '/gone': no"
    assert as_options("gap=-1.0; or backend='foo'") == "--gap -1.0; or --backend 'foo'"
    assert as_options("Name one (spill_folder=...).") == "Name one (--spill-folder FOLDER)."
