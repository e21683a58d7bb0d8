"""A cluster of Ray on this machine: the same proof, also when a worker is killed. Skipped where there is no Ray."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import numpy as np
import pytest

from shard_workers import die_once
from treewright import OptimalTreeClassifierCV, fit_shards
from treewright.shards._workers import Pool
from treewright.show import to_text

ray = pytest.importorskip("ray", reason="needs Ray: pip install ray")

RNG = np.random.default_rng(0)
X = RNG.normal(size=(4000, 4)).round(2)
Y = ((X[:, 0] > 0.5) & (X[:, 1] < 1)) ^ (RNG.random(4000) < 0.1)


@pytest.fixture(scope="module", autouse=True)
def cluster():
    tests = str(Path(__file__).parents[1])
    ray.init(
        num_cpus=2,
        include_dashboard=False,
        log_to_driver=False,
        runtime_env={"env_vars": {"PYTHONPATH": os.pathsep.join([tests, os.environ.get("PYTHONPATH", "")])}},
    )
    yield
    ray.shutdown()


def test_shards_on_ray_prove_the_same():
    here = fit_shards(X, Y, max_depth=2, shard_rows=1000)
    there = fit_shards(X, Y, max_depth=2, shard_rows=1000, n_jobs=2, backend="ray")
    assert to_text(there) == to_text(here)
    assert there.result_.objective == here.result_.objective
    assert there.result_.lower_bound == here.result_.lower_bound


def test_a_killed_worker_costs_a_second_try(tmp_path):
    answers = dict(Pool(2, "ray").run(die_once, range(6), lambda key, left: (key, str(tmp_path / "died"))))
    assert answers == {key: 2 * key for key in range(6)}


def test_ctrl_c_ends_the_run():
    """What is proven so far is kept; searches in flight are cancelled."""
    told = []

    def press(state):
        told.append(state.done)
        os.kill(os.getpid(), signal.SIGINT)
        return False

    model = fit_shards(X, Y, max_depth=2, shard_rows=500, n_jobs=2, backend="ray", progress=press)
    assert model.result_.stop_reason is not None
    assert told


def test_cross_validation_on_ray():
    """Ray's backend gives joblib no answer before the last, and its workers may take longer to start than a limit."""
    import joblib
    from ray.util.joblib import register_ray

    register_ray()
    here = OptimalTreeClassifierCV(max_depth=2, n_jobs=1, time_limit=None).fit(X, Y)
    with joblib.parallel_config(backend="ray", n_jobs=2):
        there = OptimalTreeClassifierCV(max_depth=2, n_jobs=2, time_limit=None).fit(X, Y)
    assert to_text(there) == to_text(here)
    np.testing.assert_array_equal(there.cv_results_["mean_test_score"], here.cv_results_["mean_test_score"])
