"""The folds of a cross-validation on a real Dask cluster: same answer, progress, and a worker killed on the way."""

import logging
import os
import signal
from collections.abc import Iterator

import numpy as np
import pytest
from dask.distributed import Client, LocalCluster
from joblib import parallel_config

from treewright import OptimalTreeClassifierCV
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
        busy = [worker for worker, tasks in client.processing().items() if tasks]
        if busy:  # one that has work
            killed.append(pids[busy[0]])
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
