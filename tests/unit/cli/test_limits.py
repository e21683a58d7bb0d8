"""Every verb that may take long: its time limit, Ctrl-C and SIGTERM, in seconds of its own processor time.

The machine that runs the tests may be busy, so nothing here looks at the clock on the wall: a process may use less
processor time than the clock says, never more (these verbs run on one thread, or the limit is multiplied).
"""

from __future__ import annotations

import csv
import importlib.util
import os
import signal
import time

import numpy as np
import pytest
from typer.testing import CliRunner

from nursery import Nursery
from treewright.cli import app
from treewright.convert import load_model
from treewright.result import SolveStatus, StopReason

pytestmark = pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="reads processor time in /proc")

LIBRARIES = 4.0  # processor seconds that loading scikit-learn, polars and scipy may take
LEFT_TO_LOAD = 1.0  # the same where a process starts warm: polars and XGBoost are left
LIMIT = 1.0
OVERSHOOT = 1.5
FRESH = ("fit", "extend")  # these get an interpreter of their own, as the program has

latent = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="needs PyTorch")

ENDLESS = {
    "fit": ["fit", "{d}", "-t", "y", "-c", ".0005", "-o", "{m}"],
    "fit wide thresholds": ["fit", "{d}", "-t", "y", "-c", ".0005", "--max-depth", "5", "-o", "{m}"],
    "fit regression": [
        "fit",
        "{d}",
        "-t",
        "y",
        "--task",
        "regression",
        "-c",
        "0",
        "--max-depth",
        "5",
        "-o",
        "{m}",
    ],
    "fit leaf-accuracy": [
        "fit",
        "{d}",
        "-t",
        "y",
        "--objective",
        "leaf-accuracy",
        "--thresholds",
        "auto",
        "-o",
        "{m}",
    ],
    "fit --guess": [
        "fit",
        "{d}",
        "-t",
        "y",
        "--guess",
        "bounds",
        "--thresholds",
        "3",
        "-c",
        ".0005",
        "-o",
        "{m}",
    ],
    "fit latent": ["fit", "{d}", "-t", "y", "--method", "latent", "-o", "{m}"],
    "frontier": ["frontier", "{d}", "-t", "y", "--thresholds", "3", "--leaves", "18", "-o", "{m}"],
    "near-optimal": [
        "near-optimal",
        "{d}",
        "-t",
        "y",
        "--cost-complexity",
        ".0005",
        "--tree",
        "1",
        "-o",
        "{m}",
    ],
}
TERMINATED_ONLY = {  # the search and what writes its tree are those of `fit`; SIGTERM stands for both signals
    "fit policy": ["fit", "{d}", "--task", "policy", "--reward", "b20", "--reward", "b21", "--reward", "b22", "-c", "0",
                   "--max-depth", "6", "-o", "{m}"],
    "fit survival": ["fit", "{d}", "--task", "survival", "-t", "b20", "--event", "y", "-c", "0", "--max-depth", "6",
                     "-o", "{m}"],
    "fit shards": ["fit", "{d}", "-t", "y", "--shard-rows", "700", "-c", ".0005", "--max-depth", "7", "-o", "{m}"],
    "fit --guess": [*ENDLESS["fit --guess"][:-6], "--thresholds", "all", "-c", ".00001", "-o", "{m}"],
    "reborn --predictions": ["reborn", "{d}", "--predictions", "b20", "--ignore", "y", "--within", "1",
                             "--tolerance", "0.01", "--max-depth", "7", "--max-leaves", "60", "-o", "{m}"],
}  # fmt: skip
READY = ("Searching", "Training", "dealing its rows")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Random labels on many columns: no search ends soon."""
    rng = np.random.default_rng(1)
    path = tmp_path_factory.mktemp("limits") / "d.csv"
    rows = np.column_stack(
        [rng.integers(0, 2, (1500, 20)), rng.integers(0, 90, (1500, 4)), rng.integers(0, 2, 1500)]
    )
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([[*(f"b{j}" for j in range(24)), "y"], *rows.tolist()])
    return path


def used(pid):
    """Processor seconds of a running process; a test fails if it has ended by itself."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    if fields[0] == "Z":
        pytest.fail("The process ended by itself.")
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.fixture
def start(nursery, tmp_path):
    """Starts the program with some words, warm or with an interpreter of its own; it writes to "out" and "err"."""
    fresh, started = Nursery(forks=False), []

    def program(*words, warm):
        with (
            open(os.devnull) as stdin,
            open(tmp_path / "out", "w") as out,
            open(tmp_path / "err", "w") as err,
        ):
            streams = {"stdin": stdin.fileno(), "stdout": out.fileno(), "stderr": err.fileno()}
            process = (nursery if warm else fresh).start("treewright.cli:main", *map(str, words), **streams)
        started.append(process)
        return process

    yield program
    for process in started:
        process.kill()


def to_load(process):
    """Processor seconds that a process may take to load libraries."""
    return LEFT_TO_LOAD if process.forked else LIBRARIES


def command(name, data, model):
    return [word.format(d=data, m=model) for word in (ENDLESS | TERMINATED_ONLY)[name]]


@pytest.mark.parametrize("name", [pytest.param(n, marks=latent if "latent" in n else ()) for n in ENDLESS])
def test_the_time_limit_holds(name, data, tmp_path, start):
    model = tmp_path / "m.json"
    process = start(*command(name, data, model), "--time-limit", LIMIT, warm=name not in FRESH)
    code, seconds = process.wait()
    assert code == 0, (tmp_path / "err").read_text()
    assert seconds < to_load(process) + LIMIT + OVERSHOOT
    assert load_model(model).tree.n_leaves >= 1
    if "latent" not in name:
        said = (tmp_path / "out").read_text()
        told_guessing = "Guessing: " in said  # which makes three parts
        assert "--guess" in name or not told_guessing
        assert f"--time-limit {LIMIT:g} counts {'all of it' if told_guessing else 'both'}" in said


BOTH = ["fit", "fit wide thresholds", "fit regression", "fit leaf-accuracy", "frontier", "near-optimal"]


@pytest.mark.parametrize(
    ("name", "number", "code"),
    [
        *((name, signal.SIGINT, 130) for name in [*BOTH, "reborn --predictions"]),
        *((name, signal.SIGTERM, 143) for name in [*BOTH, *TERMINATED_ONLY]),
    ],
)
def test_a_signal_ends_the_search_with_the_best_tree_saved(name, data, tmp_path, start, number, code):
    model = tmp_path / "m.json"
    process = start(*command(name, data, model), "--time-limit", 600, warm=name not in FRESH)
    while not any(word in (tmp_path / "err").read_text() for word in READY):
        used(process.pid)
        time.sleep(0.02)
    begun = used(process.pid)
    before = 3.0 if name == "fit shards" else 0.5  # rows are dealt before shards are searched
    while used(process.pid) < begun + before:
        time.sleep(0.02)
    at_signal = used(process.pid)
    process.send_signal(number)
    ended, seconds = process.wait()
    said = (tmp_path / "err").read_text()
    assert ended == code, said
    assert seconds - at_signal < OVERSHOOT
    assert "Traceback" not in said
    assert ("Interrupted" if number == signal.SIGINT else "Terminated") in said
    assert load_model(model).tree.n_leaves >= 1
    assert load_model(model).result.stop_reason.name == "INTERRUPT"


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("verb", ["extend", "extend, tuned", "report", "reborn"])
def test_a_signal_ends_what_has_no_tree_to_keep(verb, data, tmp_path, start, number, code):
    model, page = tmp_path / "m.json", tmp_path / "r.html"
    small = ["fit", str(data), "-t", "y", "--max-leaf-nodes", "2", "-c", ".001", "-o", str(model)]
    assert CliRunner().invoke(app, small).exit_code == 0
    args = {
        "extend": ["extend", model, data, "--tune", "rounds"],
        "extend, tuned": ["extend", model, data, "--tune", "200"],
        "report": ["report", model, data, "--frontier", "30", "--time-limit", "600", "--out", page],
        "reborn": [
            "reborn",
            data,
            "--trees",
            "40",
            "--depth",
            "8",
            "--prune",
            "active",
            "--time-limit",
            "600",
        ],
    }[verb]
    process = start(*args, warm=verb not in FRESH)
    # A fast machine extends two leaves in few seconds.
    before = to_load(process) / 2 if verb.startswith("extend") else to_load(process)
    while used(process.pid) < before:
        time.sleep(0.02)
    at_signal = used(process.pid)
    process.send_signal(number)
    ended, seconds = process.wait()
    said = (tmp_path / "err").read_text()
    assert "Traceback" not in said
    if verb == "report":  # the page is written with the frontier as far as it came
        assert ended in (0, code)
        assert seconds - at_signal < to_load(process) + OVERSHOOT
    else:
        assert ended == code, said
        assert seconds - at_signal < OVERSHOOT + to_load(process) - before  # libraries may still be loading


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("verb", ["solve", "solve_guided", "solve_leaf_accuracy", "solve_regression"])
def test_a_signal_before_the_search_itself_leaves_a_small_tree(
    verb, data, tmp_path, monkeypatch, number, code
):
    """While splits are made or a reference is trained there is no tree yet; one of a few splits is made at once."""
    import treewright.search

    real, calls = getattr(treewright.search, verb), []

    def search(*args, **options):
        calls.append(options)
        if len(calls) == 1:
            signal.raise_signal(number)
        return real(*args, **options)

    monkeypatch.setattr(treewright.search, verb, search)
    model = tmp_path / "m.json"
    options = {
        "solve": [],
        "solve_guided": ["--guess", "bounds"],
        "solve_leaf_accuracy": ["--objective", "leaf-accuracy"],
        "solve_regression": ["--task", "regression"],
    }
    done = CliRunner().invoke(app, ["fit", str(data), "-t", "y", *options[verb], "-o", str(model)])
    assert done.exit_code == code, done.output
    assert load_model(model).result.status is SolveStatus.FEASIBLE
    assert "is saved to" in done.stderr
    assert CliRunner().invoke(app, ["verify", str(model), str(data)]).exit_code == 0


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("verb", ["query", "choose", "verify", "verify, a set", "audit"])
def test_a_signal_ends_what_only_reads(verb, data, tmp_path, monkeypatch, number, code):
    """One line, the exit code, and no file: the signal comes in the middle of the work."""
    import treewright.audit
    import treewright.near_optimal
    import treewright.verify

    made, page = tmp_path / "made.json", tmp_path / ("page.html" if verb == "choose" else "found.json")
    of_one_tree = verb in ("verify", "audit")
    search = ["fit", "-c", ".05"] if of_one_tree else ["near-optimal", "--cost-complexity", ".05"]
    asked = [*search, str(data), "-t", "y", "--max-depth", "2", "-o", str(made)]
    assert CliRunner().invoke(app, asked).exit_code == 0
    where, name = treewright.near_optimal, "load_near_optimal"
    if of_one_tree:
        where, name = {"verify": (treewright.verify, "verify"), "audit": (treewright.audit, "audit_groups")}[
            verb
        ]
    real, calls = getattr(where, name), []

    def work(*args, **options):
        calls.append(args)
        signal.raise_signal(number)
        return real(*args, **options)

    monkeypatch.setattr(where, name, work)
    args = {
        "query": ["query", str(made), "--uses", "b1", "-o", str(page)],
        "choose": ["choose", str(made), "-o", str(page)],
        "verify": ["verify", str(made), str(data)],
        "verify, a set": ["verify", str(made), str(data)],
        "audit": ["audit", str(made), str(data), "--group", "b1", "-o", str(page)],
    }[verb]
    done = CliRunner().invoke(app, args)
    assert len(calls) == 1
    assert done.exit_code == code, done.output
    assert done.stderr.strip().splitlines()[-1].startswith("Interrupted" if code == 130 else "Terminated")
    assert os.listdir(tmp_path) == ["made.json"]


NEEDS_MEMORY = {
    "fit": ["-c", ".0005"],
    "fit, all thresholds": ["-c", ".0005", "--max-depth", "6", "--thresholds", "all"],
    "fit, leaf accuracy": ["--objective", "leaf-accuracy", "--max-depth", "6"],
    "fit, guess": ["--guess", "bounds", "--thresholds", "3", "-c", ".0005"],
    "fit, regression": ["--task", "regression", "-c", "0", "--max-depth", "6"],
    "fit, survival": ["--task", "survival", "-t", "b20", "--event", "y", "-c", "0", "--max-depth", "6"],
    "fit, policy": ["--task", "policy", "--reward", "b20", "--reward", "b21", "-c", "0", "--max-depth", "6"],
    "fit, shards": ["--shard-rows", "700", "-c", ".0005", "--max-depth", "7"],
    "frontier": ["--thresholds", "3", "--leaves", "18"],
    "near-optimal": ["--cost-complexity", ".0005"],
}


@pytest.mark.parametrize("name", NEEDS_MEMORY)
def test_a_memory_limit_leaves_a_whole_file_or_none(name, data, tmp_path):
    """One MB in all: the best tree so far, perhaps of an engine that goes on with little memory; or a message."""
    model, verb = tmp_path / "m.json", name.partition(",")[0]
    target = [] if "--event" in NEEDS_MEMORY[name] or "--reward" in NEEDS_MEMORY[name] else ["-t", "y"]
    args = [verb, str(data), *target, *NEEDS_MEMORY[name], "--memory-limit", "1", "--time-limit", "2"]
    done = CliRunner().invoke(app, [*args, "-o", str(model)])
    if not model.exists():
        assert done.exit_code == 2, done.output
        assert "memory" in done.stderr
        return
    assert done.exit_code == 0, done.output
    assert os.listdir(tmp_path) == ["m.json"]
    if verb == "near-optimal":
        assert "memory limit" in done.output
        return
    read = load_model(model)
    assert read.tree.n_leaves >= 1
    if read.result.status is SolveStatus.FEASIBLE:
        assert read.result.stop_reason in (StopReason.MEMORY_LIMIT, StopReason.TIME_LIMIT)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_before_the_proof_by_independent_code_leaves_the_tree(
    data, tmp_path, monkeypatch, number, code
):
    import treewright.verify

    monkeypatch.setattr(treewright.verify, "check_faithful", lambda *_: signal.raise_signal(number))
    model = tmp_path / "m.json"
    asked = ["reborn", str(data), "-t", "y", "--trees", "2", "--depth", "2", "-o", str(model)]
    done = CliRunner().invoke(app, asked)
    assert done.exit_code == code, done.output
    assert "before the check by independent code ended. The tree is saved." in done.stderr
    assert load_model(model).tree.n_leaves >= 1
