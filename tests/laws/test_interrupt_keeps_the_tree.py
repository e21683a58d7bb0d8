"""Law: Ctrl-C ends a search within 0.2 s with the best tree so far, or the front so far, and Python goes on."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

PROGRAM = """
import sys, time
import numpy as np
from treewright.problem import make_problem
from treewright.table import table_from
from treewright.binarize import midpoints
from treewright.search import solve

rng = np.random.default_rng(0)
X = rng.integers(0, 2, (N_ROWS, N_COLUMNS)).astype(float)
problem = make_problem(table_from(X), rng.integers(0, 2, N_ROWS), cost_complexity=PRICE)
cuts = midpoints(problem.table)
print("searching", flush=True)
result = solve(problem, cuts)
print("returned", time.time(), time.process_time(), result.status.name, result.stop_reason.name, flush=True)
assert result.lower_bound < result.objective <= 0.5 + PRICE
time.sleep(0.01)  # a signal left over would be raised here
"""


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT to a child")
@pytest.mark.parametrize(("n_rows", "n_columns", "price"), [(400, 40, 0.002), (20_000, 120, 0.0005)])
@pytest.mark.clock
def test_interrupt(n_rows: int, n_columns: int, price: float) -> None:
    """The best of three tries. Processor seconds count where they can be read: a busy machine makes others wait."""
    tries = 3
    while (delay := seconds_to_return(n_rows, n_columns, price)) >= 0.2 and (tries := tries - 1):
        pass
    assert delay < 0.2


def processor_seconds(pid: int) -> float | None:
    """What a process has used so far, to a hundredth; None where there is no /proc."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def seconds_to_return(n_rows: int, n_columns: int, price: float) -> float:
    program = f"N_ROWS, N_COLUMNS, PRICE = {n_rows}, {n_columns}, {price}\n{PROGRAM}"
    child = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert child.stdout is not None
        assert child.stdout.readline().strip() == "searching"
        time.sleep(0.7)
        sent, used = time.time(), processor_seconds(child.pid)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=30)
    finally:
        child.kill()
    assert child.returncode == 0, out + err
    word, returned, used_at_return, status, reason = out.split()
    assert (word, status, reason) == ("returned", "FEASIBLE", "INTERRUPT")
    return float(returned) - sent if used is None else float(used_at_return) - used


FRONT = """
import time
import numpy as np
from treewright import SolveStatus, accuracy_frontier

rng = np.random.default_rng(0)
X = rng.integers(0, 2, (400, 40)).astype(float)
print("searching", flush=True)
frontier = accuracy_frontier(X, rng.integers(0, 2, 400), max_leaves=20, time_limit=None, progress=False)
print("returned", frontier.proven_leaves, frontier.stop_reason.name, flush=True)
assert len(frontier.limits) == 20
for leaves, result in enumerate(frontier.limits, 1):
    assert result.tree.n_leaves <= leaves and result.lower_bound <= result.loss
    assert result.status is SolveStatus.OPTIMAL or leaves > frontier.proven_leaves
time.sleep(0.01)  # a signal left over would be raised here
"""


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT to a child")
@pytest.mark.clock
def test_interrupted_front() -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", FRONT], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert child.stdout is not None
        assert child.stdout.readline().strip() == "searching"
        time.sleep(1.5)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=30)
    finally:
        child.kill()
    assert child.returncode == 0, out + err
    word, proven, reason = out.split()
    assert (word, reason) == ("returned", "INTERRUPT")
    assert 3 <= int(proven) < 20


SEARCH = """
import numpy as np
from sklearn.model_selection import GridSearchCV
from treewright import OptimalTreeClassifier

rng = np.random.default_rng(0)
X, y = rng.integers(0, 2, (400, 40)).astype(float), rng.integers(0, 2, 400)
model = OptimalTreeClassifier(time_limit=None, progress=False)
search = GridSearchCV(model, {"cost_complexity": [0.001, 0.002, 0.003, 0.004]}, n_jobs=N_JOBS)
print("searching", flush=True)
try:
    search.fit(X, y)
except KeyboardInterrupt:
    print("KeyboardInterrupt", flush=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT to a child")
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.clock
def test_a_grid_search_ends(n_jobs: int) -> None:
    """Twenty searches without a time limit: the first Ctrl-C ends all, here and in workers."""
    child = subprocess.Popen(
        [sys.executable, "-c", f"N_JOBS = {n_jobs}\n{SEARCH}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert child.stdout is not None
        assert child.stdout.readline().strip() == "searching"
        time.sleep(3)
        child.send_signal(signal.SIGINT)
        out, _ = child.communicate(timeout=60)
    finally:
        child.kill()
    assert out.strip() == "KeyboardInterrupt"
