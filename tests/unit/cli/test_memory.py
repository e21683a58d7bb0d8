"""What the commands beside `fit` hold: within --memory-limit where they search, a few times their input where not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

# A process tells what it held at most; what `resource` says of a child is no less than what its parent held.
CODE = """
import atexit, pathlib, sys
status = pathlib.Path("/proc/self/status")
atexit.register(lambda: print(int(status.read_text().partition("VmHWM:")[2].split()[0]) >> 10, file=sys.stderr))
from treewright.cli import main
main()
"""
LIMIT = 32  # MiB
# MiB: the interpreter with numpy, and with scikit-learn, which trains the leaf models of `extend`; measured are 110 and
# 230. The set without its limit takes 700.
PLAIN, WITH_SKLEARN = 160, 320


def held(folder: Path, *arguments: str) -> int:
    """Run a command; return the MiB that it held at most."""
    run = subprocess.run(
        [sys.executable, "-c", CODE, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    assert run.returncode in (0, 2), run.stderr
    return int(run.stderr.splitlines()[-1])


@pytest.fixture(scope="module", name="folder")
def _folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("memory")
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (5000, 30))
    names = ",".join(f"x{j}" for j in range(30))
    y = (X[:, 0] + X[:, 1] + (rng.random(5000) < 0.2)) % 2
    np.savetxt(
        folder / "d.csv",
        np.column_stack([X, y]),
        fmt="%d",
        delimiter=",",
        header=f"{names},y",
        comments="",
    )
    return folder


def test_a_set_and_what_is_asked_of_it(folder: Path) -> None:
    question = ["--cost-complexity", "1e-4", "--max-depth", "5", "--epsilon", "0.1", "--time-limit", "20"]
    limit = ["--memory-limit", str(LIMIT), "--out", "set.json"]
    assert held(folder, "near-optimal", "d.csv", "-t", "y", *question, *limit) < PLAIN + 2 * LIMIT
    assert held(folder, "query", "set.json", "--uses", "x1") < PLAIN
    assert held(folder, "choose", "set.json", "--out", "choose.html") < PLAIN
    assert held(folder, "verify", "set.json", "d.csv") < PLAIN


def test_searches(folder: Path) -> None:
    """What they hold comes on top of the interpreter. Without its limit the first takes 330 MiB in these seconds."""
    limits = ["--memory-limit", str(LIMIT), "--time-limit", "6"]
    assert (
        held(folder, "fit", "d.csv", "-t", "y", "-c", "1e-4", "--max-leaf-nodes", "20", *limits)
        < PLAIN + LIMIT
    )
    assert held(folder, "frontier", "d.csv", "-t", "y", "--leaves", "20", *limits) < PLAIN + LIMIT


def test_leaf_models_and_a_check(folder: Path) -> None:
    held(folder, "fit", "d.csv", "-t", "y", "--max-depth", "2", "--time-limit", "2", "--out", "model.json")
    models = ["extend", "model.json", "d.csv", "--tune", "none", "--folds", "2"]
    assert held(folder, *models) < WITH_SKLEARN
    assert held(folder, "verify", "model.json", "d.csv") < PLAIN


def test_trees_near_the_numbers_of_a_model(folder: Path) -> None:
    """Every number of 3,000 is a window of its own: 700 MiB, which is refused; of 40 numbers the costs are few."""
    rng = np.random.default_rng(1)
    X = rng.integers(0, 40, (3000, 8))
    said = 5 * np.sin(X[:, 0]) + X[:, 1] % 7 + rng.normal(size=3000)
    names = ",".join(f"x{j}" for j in range(8))
    columns = f"{names},said,rounded"
    table = np.column_stack([X, said, np.rint(said * 2) / 2])
    np.savetxt(folder / "said.csv", table, fmt="%.6g", delimiter=",", header=columns, comments="")
    question = ["--tolerance", "0.01", "--max-depth", "6", "--max-leaves", "60", "--out", "near.json"]
    limits = ["--memory-limit", str(LIMIT), "--time-limit", "4"]
    every = ["--predictions", "said", "--ignore", "rounded", "--within", "0.001"]
    assert held(folder, "reborn", "said.csv", *every, *question, *limits) < WITH_SKLEARN
    assert not (folder / "near.json").exists()
    few = ["--predictions", "rounded", "--ignore", "said", "--within", "0.5"]
    assert held(folder, "reborn", "said.csv", *few, *question, *limits) < WITH_SKLEARN
    assert (folder / "near.json").exists()
