"""The harness: one process a job, its answers, crashes and hangs, the store of runs and the results file."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from benchmarks import _harness
from benchmarks._data import stored
from benchmarks._environments import PEERS, interpreter, worker_script
from benchmarks._harness import Harness, Job, call_worker, hard_limit, last_line, write_results

FAKE = Path(__file__).with_name("fake_worker.py")


@pytest.fixture
def dataset(tmp_path):
    return stored("tiny", lambda: (np.eye(3, dtype=np.uint8), np.array([0, 1, 1])), tmp_path / "cache")


@pytest.fixture
def fake_peer(monkeypatch):
    """Every solver is the fake worker in this interpreter."""
    monkeypatch.setattr(_harness, "ensure", lambda solver, folder: Path(sys.executable))
    monkeypatch.setattr(_harness, "worker_script", lambda solver: FAKE)


def call(how, kill_after=20.0):
    message = {"cost_complexity": 0.5, "max_depth": 2, "options": {"how": how}}
    return call_worker([sys.executable, str(FAKE)], message, kill_after)


def test_last_line_of_the_worker_is_the_answer():
    answer = call("answer")
    assert answer["status"] == "optimal"
    assert answer["objective"] == 1.5
    assert answer["threads"] == "1"
    assert answer["here"] == []  # runs in an empty folder of its own
    assert answer["process_seconds"] > 0


def test_crash_is_a_row_that_names_no_folder():
    answer = call("crash")
    assert answer["status"] == "error"
    assert answer["error"] == "exit code 3: something at file.py broke"


def test_abort_and_nonsense_are_errors():
    assert call("abort")["error"].startswith("exit code -6")
    assert call("nonsense")["status"] == "error"


def test_a_hanging_worker_is_killed():
    answer = call("hang", kill_after=0.5)
    assert answer["status"] == "killed"
    assert "objective" not in answer


def test_hard_limit():
    assert hard_limit(20) == 40


def test_row_has_the_job_and_is_stored(dataset, fake_peer, tmp_path):
    harness = Harness(tmp_path / "runs.jsonl", quiet=True)
    row = harness.run(Job("gosdt", dataset, 0.25, 4, options={"how": "answer"}))
    assert (row["solver"], row["data"], row["max_depth"], row["n_rows"]) == ("gosdt", "tiny", 4, 3)
    assert row["objective"] == 0.75
    lines = (tmp_path / "runs.jsonl").read_text().splitlines()
    assert [json.loads(line)["objective"] for line in lines] == [0.75]


def test_stored_runs_are_taken_only_when_asked_and_only_for_the_same_job(dataset, fake_peer, tmp_path):
    store = tmp_path / "runs.jsonl"
    job = Job("gosdt", dataset, 0.25, 4, options={"how": "answer"})
    Harness(store, quiet=True).run(job)
    Harness(store, quiet=True).run(job)
    assert len(store.read_text().splitlines()) == 2
    again = Harness(store, reuse=frozenset({"gosdt"}), quiet=True)
    assert again.run(job)["reused"]
    assert len(store.read_text().splitlines()) == 2
    other = again.run(Job("gosdt", dataset, 0.5, 4, options={"how": "answer"}))
    assert "reused" not in other
    assert len(store.read_text().splitlines()) == 3


@pytest.mark.parametrize(
    ("status", "had", "asked", "serves"),
    [
        ("optimal", 60, 120, True),  # ended: more time changes nothing
        ("time_out", 60, 120, False),
        ("time_out", 120, 60, True),  # a peer may have had longer
        ("time_out", 60, 60, True),
    ],
)
def test_a_stored_run_with_another_limit(dataset, fake_peer, tmp_path, status, had, asked, serves):
    store = tmp_path / "runs.jsonl"
    job = Job("gosdt", dataset, 0.25, 4, float(had), options={"how": "answer"})
    Harness(store, quiet=True).run(job)
    store.write_text(json.dumps({**json.loads(store.read_text()), "status": status}) + "\n")
    row = Harness(store, reuse=frozenset({"gosdt"}), quiet=True).run(replace(job, time_limit=float(asked)))
    assert row.get("reused", False) is serves


def test_results_file(tmp_path, dataset):
    answer = {
        "solver": "gosdt",
        "package": "gosdt",
        "version": "1.0.4",
        "key": "k",
        "status": "optimal",
        "data": "tiny",
    }
    path = write_results("try", {"time_limit": 1}, [{"data": "tiny", "answers": [answer]}], tmp_path)
    text = json.loads(path.read_text())
    assert text["versions"] == {"gosdt": "1.0.4"}
    assert text["rows"] == [
        {
            "data": "tiny",
            "answers": [{"solver": "gosdt", "package": "gosdt", "version": "1.0.4", "status": "optimal"}],
        }
    ]
    assert set(text["machine"]) == {
        "processor",
        "cores",
        "memory_gib",
        "system",
        "python",
        "instructions",
        "load_average",
    }


def test_messages_lose_folders():
    assert last_line("a\nModuleNotFound in /x/y/z.py now\n") == "ModuleNotFound in z.py now"
    assert last_line("") == ""


def test_every_solver_has_a_worker_and_pins():
    for solver, peer in PEERS.items():
        assert worker_script(solver).is_file()
        assert "==" in peer.requirements[0]
    assert worker_script("treewright").is_file()
    assert interpreter("treewright") == Path(sys.executable)
