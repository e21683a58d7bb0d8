"""What the workers share: objective, tree measures, repetitions and errors, with a fake peer."""

import json
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

PEERS = Path(__file__).resolve().parents[3] / "benchmarks" / "peers"

FAKE_PEER = """
import sys
sys.path.insert(0, {peers!r})
import numpy as np
from _worker import Answer, Run, serve

def make(job, arrays):
    X, y = arrays["X"], arrays["y"]
    calls = []
    def fit():
        print("a peer that prints")
        if job["options"].get("fail"):
            raise MemoryError("bad_alloc")
        calls.append(1)
    def read():
        options = job["options"]
        first = lambda rows: rows[:, 0].astype(np.int64)
        return Answer(first(X), 2, 1, options["status"], lower_bound=options.get("lower"), predict=first)
    return Run(fit, read)

serve("fake", "numpy", make)
"""


@pytest.fixture
def arrays(tmp_path):
    X = np.array([[0], [0], [1], [1], [1]], dtype=np.uint8)
    y = np.array([0, 1, 1, 1, 0])  # column 0 misses rows 1 and 4
    np.savez(tmp_path / "data.npz", X=X, y=y)
    return tmp_path / "data.npz"


def ask(arrays, tmp_path, **options):
    script = tmp_path / "fake_worker.py"
    script.write_text(textwrap.dedent(FAKE_PEER.format(peers=str(PEERS))))
    job = {"arrays": str(arrays), "cost_complexity": 0.05, "max_depth": 1, "time_limit": 5, "repetitions": 3,
           "options": options}  # fmt: skip
    done = subprocess.run(
        [sys.executable, str(script)], input=json.dumps(job), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.strip().splitlines()) == 1, "only the answer belongs on standard output"
    return json.loads(done.stdout)


def test_objective_is_recomputed_from_predictions_and_leaves(arrays, tmp_path):
    answer = ask(arrays, tmp_path, status="optimal")
    assert answer["misclassified"] == 2
    assert answer["objective"] == pytest.approx(2 / 5 + 0.05 * 2)
    assert answer["training_accuracy"] == pytest.approx(3 / 5)
    assert (answer["n_leaves"], answer["depth"]) == (2, 1)
    assert answer["gap"] == 0.0
    assert answer["repetitions"] == 3
    assert answer["version"] == np.__version__


def test_gap_comes_from_the_lower_bound_when_unproven(arrays, tmp_path):
    answer = ask(arrays, tmp_path, status="time_out", lower=0.4)
    assert answer["gap"] == pytest.approx((0.5 - 0.4) / 0.5)
    assert ask(arrays, tmp_path, status="time_out")["gap"] is None


def test_an_exception_of_the_peer_is_an_answer(arrays, tmp_path):
    answer = ask(arrays, tmp_path, fail=True)
    assert answer["status"] == "error"
    assert answer["error"] == "MemoryError: bad_alloc"
    assert "objective" not in answer


def test_measures_of_nested_trees():
    # Imported in its own interpreter: the module sets thread limits for its process.
    code = f"""
import sys; sys.path.insert(0, {str(PEERS)!r})
from _worker import nested_depth, nested_leaves, objective
tree = (1, (2, 'a', (3, 'b', 'c')), 'd')
leaf, children = (lambda n: isinstance(n, str)), (lambda n: n[1:])
print(nested_depth(tree, leaf, children), nested_leaves(tree, leaf, children))
print(nested_depth('a', leaf, children))
import numpy as np
print(objective(np.array([1, 1, 0, 0]), np.array([1, 0, 0, 0]), 3, 0.125))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["3", "4", "0", "0.625"]


def test_test_rows_are_asked_for_where_there_are_some(arrays, tmp_path):
    assert ask(arrays, tmp_path, status="optimal")["test_accuracy"] is None
    tested = {"X_test": np.array([[0], [1], [1], [0]]), "y_test": np.array([0, 1, 0, 0])}
    np.savez(arrays, **dict(np.load(arrays)), **tested)
    assert ask(arrays, tmp_path, status="optimal")["test_accuracy"] == 0.75
