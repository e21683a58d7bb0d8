"""Law: what documentation says of SIGTERM in Python (docs/limits.md): it ends the process, or does what Ctrl-C does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from treewright import OptimalTreeClassifier, fit_shards
from treewright.estimators import _interrupt
from treewright.result import StopReason

pytestmark = pytest.mark.skipif(os.name != "posix", reason="sends SIGTERM")

PROGRAM = """
import os, signal, sys
import numpy as np
from treewright import fit_shards

X = np.random.default_rng(0).normal(size=(4000, 5))
def end(_):
    print(len(os.listdir(sys.argv[1])), flush=True)
    os.kill(os.getpid(), signal.SIGTERM)
fit_shards(X, X[:, 0] > 0, shard_rows=1000, spill_folder=sys.argv[1], progress=end)
print("it went on")
"""


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_it_can_do_what_ctrl_c_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_interrupt, "_last", -10.0)  # no Ctrl-C came shortly before
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(2000, 8)), rng.integers(0, 3, 2000)
    calls: list[Any] = []

    def end(progress: Any) -> None:
        calls.append(progress)
        if len(calls) == 1:
            os.kill(os.getpid(), signal.SIGTERM)

    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        model = OptimalTreeClassifier(cost_complexity=1e-5, max_depth=5, time_limit=None, progress=end).fit(
            X, y
        )
    finally:
        signal.signal(signal.SIGTERM, before)
    assert model.result_.asked_to_stop is StopReason.INTERRUPT
    assert model.result_.lower_bound <= model.result_.objective


def test_otherwise_the_process_ends_and_the_next_run_tidies_up(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert run.returncode == -signal.SIGTERM, run.stderr
    assert run.stdout == "1\n"
    X = np.arange(200.0)[:, None]
    fit_shards(X, X[:, 0] > 50, shard_rows=100, spill_folder=tmp_path)
    assert list(tmp_path.iterdir()) == []
