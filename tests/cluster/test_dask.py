"""The folds of a cross-validation on a real Dask cluster: same answer, progress, and a worker killed on the way."""

import logging
import os
import signal
from collections.abc import Iterator

import numpy as np
import pytest
from dask.distributed import Client, LocalCluster
from joblib import parallel_config

from treewright import OptimalTreeClassifierCV, fit_shards
from treewright.estimators import CVProgress

N_FOLDS = 6


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with (
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            silence_logs=logging.CRITICAL,  # a killed worker is reported at length
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


def table() -> tuple[np.ndarray, np.ndarray]:
    """Noise and a rule: each front takes some tenths of a second."""
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, (500, 16)).astype(float)
    y = (X[:, 0] * X[:, 1] + X[:, 2] > 1).astype(int)
    return X, np.where(rng.random(500) < 0.3, 1 - y, y)


def estimator(**parameters: object) -> OptimalTreeClassifierCV:
    return OptimalTreeClassifierCV(max_leaves=8, cv=N_FOLDS, time_limit=None, progress=False).set_params(
        **parameters
    )


def test_same_answer_with_a_worker_killed_in_the_middle(client: Client) -> None:
    X, y = table()
    alone = estimator().fit(X, y)
    pids = client.run(os.getpid)
    assert len(set(pids.values())) == 2
    seen: list[CVProgress] = []
    killed: list[int] = []

    def watch(state: CVProgress) -> None:
        seen.append(state)
        if killed:
            return
        # One that has work, as far as the scheduler knows at this moment.
        busy = [worker for worker, tasks in client.processing().items() if tasks]
        killed.append(pids[(busy or list(pids))[0]])
        os.kill(killed[0], signal.SIGKILL)

    with parallel_config(backend="dask"):
        on_cluster = estimator(progress=watch, n_jobs=-1).fit(X, y)
    assert [(state.done, state.total) for state in seen] == [(k, N_FOLDS) for k in range(1, N_FOLDS + 1)]
    assert len(killed) == 1
    assert killed[0] not in client.run(os.getpid).values()  # gone; the cluster has put another in its place
    for name, values in alone.cv_results_.items():
        np.testing.assert_array_equal(values, on_cluster.cv_results_[name])
    assert on_cluster.tree_.splits == alone.tree_.splits
    assert on_cluster.cost_complexity_ == alone.cost_complexity_


def test_shards_on_a_cluster_with_a_worker_killed(client: Client) -> None:
    """The same tree and the same bound, or one that says what it lacks; never a wrong one."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 6)).round(2)
    y = ((X[:, 0] > 0.4) & (X[:, 1] < 1)) ^ (rng.random(6000) < 0.2)
    options = {"max_depth": 3, "cost_complexity": 0.002, "thresholds": 8, "shard_rows": 1000}
    alone = fit_shards(X, y, progress=False, **options).result_
    pids = client.run(os.getpid)
    killed: list[int] = []

    def watch(state: object) -> None:
        busy = [worker for worker, tasks in client.processing().items() if tasks]
        if not killed and busy and busy[0] in pids:
            killed.append(pids[busy[0]])
            os.kill(killed[0], signal.SIGKILL)

    result = fit_shards(X, y, n_jobs=2, backend="dask", progress=watch, **options).result_
    assert result.objective == alone.objective
    assert result.lower_bound <= alone.lower_bound
    if result.stats["shards_lost"] == 0:
        assert result.lower_bound == alone.lower_bound
