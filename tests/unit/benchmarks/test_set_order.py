"""The grid of near-optimal sets: which program is not run, from which run that follows, and runs that go on."""

import argparse
import itertools
import json
import random
from pathlib import Path

import numpy as np
import pytest
from benchmarks import near_optimal
from benchmarks._set_order import NOT_RUN, Asked, Ends, ended, wanted
from benchmarks._set_tables import cell, summary

PRICES, EPSILONS, DEPTHS = [0.002, 0.01, 0.005], [0.1, 0.02, 0.05], [5, 3, 4]
RULES = ["treefarms", "praxis"]
STORED = Path(near_optimal.__file__).parent / "results" / "near_optimal.json"


class Programs:
    """Stands for the workers: counts and failures of every set are drawn once; what was run is noted."""

    def __init__(self, seed: int, often: float, ours_fail: float = 0.0) -> None:
        self.seed, self.often, self.ours_fail = seed, often, ours_fail
        self.asked: list[tuple[str, Asked]] = []

    def run(self, solver, job, seconds):
        place = job["max_depth"], Path(job["arrays"]).stem, job["cost_complexity"], job["epsilon"]
        want = Asked(*place, job["rule"])
        self.asked.append((solver, want))
        return {"package": solver} | self.answer(solver, want)

    def answer(self, solver, want):
        dice = random.Random(f"{self.seed} {solver} {want}")
        if dice.random() < (self.ours_fail if solver == "treewright" else self.often):
            return {"error": "over 10 s"}
        # counts fall with the depth or the penalty in some places, as those of true sets may
        size = round(1e3 / want.price * want.depth * want.epsilon * dice.choice([1, 1, 1, 0.01])) + 1
        return {"trees": str(size), "cpu_seconds": 1.0, "megabytes": 1.0}


def grid_of(programs, rows, folder, monkeypatch, seconds=10.0):
    options = argparse.Namespace(
        environments=folder, seconds=seconds, peers=["treefarms", "praxis"], complete=False
    )
    monkeypatch.setattr(near_optimal, "table", lambda name: (np.eye(3), np.array([0, 1, 1])))
    monkeypatch.setattr(near_optimal, "rows_of", lambda price, y: price * len(y))  # a job names its penalty
    grid = near_optimal.Grid(options, rows, folder)
    grid.workers = programs
    monkeypatch.setattr(grid, "least_of", lambda want, job: 1)
    return grid


def all_sets():
    return wanted({"a": (10, 4), "b": (30, 8)}, PRICES, EPSILONS, DEPTHS, RULES)


def run_all(grid, most=None):
    for want in itertools.islice(all_sets(), most):
        grid.add(want)


def test_no_set_stands_behind_one_that_no_setting_makes_easier() -> None:
    sets = all_sets()
    assert len(set(sets)) == len(sets) == 2 * 27 * 2
    for i, later in enumerate(sets):
        assert not any(later.no_harder_than(earlier) for earlier in sets[:i])


def test_sets_of_fewer_rows_and_columns_come_first() -> None:
    tables = {"wide": (10, 100), "small": (10, 2), "long": (1000, 2)}
    first = dict.fromkeys(
        (want.table, want.depth) for want in wanted(tables, [0.01], [0.1], [1, 2], ["praxis"])
    )
    assert list(first) == [("small", 1), ("small", 2), ("wide", 1), ("long", 1), ("long", 2), ("wide", 2)]


@pytest.mark.parametrize("often", [0.0, 0.05, 0.3, 1.0])
@pytest.mark.parametrize("ours_fail", [0.0, 0.2])
def test_what_is_not_run_follows_from_a_smaller_set_that_was(often, ours_fail, tmp_path, monkeypatch) -> None:
    for seed in range(5):
        programs, rows = Programs(seed, often, ours_fail), []
        run_all(grid_of(programs, rows, tmp_path, monkeypatch))
        assert len(rows) == len(all_sets())
        assert_reasons_hold(rows)
        assert all("not_run" not in row["answers"][0] for row in rows)  # we are always run
        # nothing else is left out: an answer that is missing has its reason, all others were run once
        missing = sum("not_run" in a for row in rows for a in row["answers"])
        assert len(programs.asked) == len(set(programs.asked)) == 2 * len(rows) - missing
        if often == 1.0 and ours_fail == 0.0:
            assert missing > len(rows) / 2
        if often == 0.0 and ours_fail == 0.0:
            assert missing == 0


def assert_reasons_hold(rows) -> None:
    """Each "not run" names a stored run of that program that did not end, on a set that is known to be no larger."""
    by_set = {Asked.of(row): {a["package"]: a for a in row["answers"]} for row in rows}
    for want, answers in by_set.items():
        for package, answer in answers.items():
            if answer.get("not_run") != NOT_RUN:
                continue
            assert not ended(answer)
            assert "trees" not in answer
            assert "cpu_seconds" not in answer
            smaller = Asked(table=want.table, rule=want.rule, **answer["follows"])
            assert "error" in by_set[smaller][package]
            assert smaller != want
            assert smaller.price >= want.price
            assert smaller.epsilon <= want.epsilon
            assert smaller.depth <= want.depth
            if (smaller.price, smaller.depth) != (want.price, want.depth):
                assert int(by_set[smaller]["treewright"]["trees"]) <= int(answers["treewright"]["trees"])


def test_the_reasons_of_the_stored_rows_hold() -> None:
    rows = json.loads(STORED.read_text(encoding="utf-8"))["rows"]
    assert len({Asked.of(row) for row in rows}) == len(rows)
    assert_reasons_hold(rows)


def test_a_set_that_lost_trees_is_asked_for() -> None:
    """At a larger depth or a smaller penalty the bound falls: there a program that failed before is run again."""
    failed = Asked(3, "a", 0.01, 0.05, "praxis")
    ends = Ends()
    ends.hold(failed, {"package": "praxis", "error": "over 10 s"})
    ends.hold(failed, {"package": "treewright", "trees": "100"})
    deeper, cheaper, wider = (Asked(4, "a", 0.01, 0.05, "praxis"), Asked(3, "a", 0.005, 0.05, "praxis"),
                              Asked(3, "a", 0.01, 0.1, "praxis"))  # fmt: skip
    assert ends.reason("praxis", wider) is not None  # contains the other set, whatever we counted
    for want in (deeper, cheaper):
        assert ends.reason("praxis", want) is None  # not known to be larger
        ends.hold(want, {"package": "treewright", "trees": "99"})
        assert ends.reason("praxis", want) is None  # known to be smaller
        ends.hold(want, {"package": "treewright", "trees": "100"})
        assert ends.reason("praxis", want) == {
            "not_run": NOT_RUN, "follows": {"price": 0.01, "epsilon": 0.05, "depth": 3}
        }  # fmt: skip
    assert ends.reason("treefarms", wider) is None
    assert ends.reason("praxis", Asked(3, "b", 0.01, 0.1, "praxis")) is None
    assert ends.reason("praxis", Asked(3, "a", 0.01, 0.1, "treefarms")) is None


def test_a_run_that_was_ended_goes_on_with_what_it_knew(tmp_path, monkeypatch) -> None:
    whole, rows = Programs(1, 0.3), []
    run_all(grid_of(whole, rows, tmp_path, monkeypatch))
    for most in (0, 1, 7, 30, 107):
        programs, parts = Programs(1, 0.3), []
        run_all(grid_of(programs, parts, tmp_path, monkeypatch), most)
        assert len(parts) == most
        run_all(grid_of(programs, parts, tmp_path, monkeypatch))
        assert [row["answers"] for row in parts] == [row["answers"] for row in rows]
        assert sorted(programs.asked, key=str) == sorted(whole.asked, key=str)


def test_an_optimum_that_a_stored_row_has_is_not_searched_again(tmp_path) -> None:
    options = argparse.Namespace(environments=tmp_path, seconds=10.0, peers=["praxis"], complete=False)
    ours = {"package": "treewright", "trees": "4", "least": 25}
    row = {
        "table": "a", "price": 0.01, "epsilon": 0.02, "depth": 3, "rule": "praxis", "seconds": 10.0, "answers": [ours]
    }  # fmt: skip
    others = row | {"rule": "treefarms", "depth": 4}  # its leaves cost no whole rows
    grid = near_optimal.Grid(options, [row, others], tmp_path)
    grid.workers = Programs(1, 0.0)
    assert grid.least_of(Asked(3, "a", 0.01, 0.1, "praxis"), {}) == 25
    assert not grid.workers.asked
    job = {"max_depth": 4, "arrays": "a", "cost_complexity": 1, "rule": "praxis"}
    grid.least_of(Asked(4, "a", 0.01, 0.1, "praxis"), job)
    assert len(grid.workers.asked) == 1


def test_more_seconds_ask_again_only_what_did_not_end(tmp_path, monkeypatch) -> None:
    rows = []
    run_all(grid_of(Programs(1, 0.3), rows, tmp_path, monkeypatch))
    short = {Asked.of(row) for row in rows if not all(ended(a) for a in row["answers"])}
    again = Programs(1, 0.0)
    run_all(grid_of(again, rows, tmp_path, monkeypatch, seconds=60.0))
    assert {want for _, want in again.asked} == short
    assert len(rows) == len(all_sets())
    assert all(ended(a) for row in rows for a in row["answers"])


def test_the_page_names_the_run_that_did_not_end() -> None:
    follows = {"price": 0.01, "epsilon": 0.05, "depth": 3}
    answer = {"package": "praxis", "not_run": NOT_RUN, "follows": follows}
    assert cell(answer)[0] == (
        "not run: a smaller set did not end (leaf penalty 0.01, epsilon 0.05, depth 3)"
    )
    ours = {"package": "treewright", "trees": "4", "cpu_seconds": 0.1, "megabytes": 1.0}
    theirs = {"package": "praxis", "trees": "4", "cpu_seconds": 0.2, "megabytes": 30.0}
    rows = [{"answers": [ours, other]} for other in
            (theirs, theirs | {"trees": "5"}, answer, {"package": "praxis", "error": "over 10 s"})]  # fmt: skip
    said = {line.split("|")[1].strip(): line.split("|")[2].strip() for line in summary(rows).splitlines()[2:]}
    assert said["sets"] == "4"
    assert said["ended"] == "2"
    assert said["did not end"] == said[f"not run: {NOT_RUN}"] == "1"
    assert said["equal counts, of those where both ended"] == "1 of 2"
    assert said["at least 10 times faster here"] == "0 of 2"
    assert said["at least 20 times less memory here"] == "2 of 2"
    assert said["least factor of seconds"] == "2.00"
