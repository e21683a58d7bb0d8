"""Law: the search holds no lock on Python: another thread's heart beats on while it runs."""

import threading
import time

import numpy as np
import pytest

from tiny_problems import TinyProblem
from treewright.search import Limits


@pytest.mark.clock
def test_heartbeats_during_a_search() -> None:
    rng = np.random.default_rng(4)
    problem = TinyProblem(
        rng.integers(0, 2, (40, 400)).astype(np.uint8),
        rng.integers(0, 2, 400).astype(np.int32),
        np.ones(400),
        1 - np.eye(2),
        0.002,
    )
    beats: list[float] = []
    finished = threading.Event()

    def beat() -> None:
        while not finished.is_set():
            beats.append(time.perf_counter())
            time.sleep(0.005)

    heart = threading.Thread(target=beat)
    heart.start()
    try:
        start = time.perf_counter()
        result = problem.solve(Limits(time_limit=0.8))
        end = time.perf_counter()
    finally:
        finished.set()
        heart.join()
    assert result.stop_reason is not None  # it ran for the whole time
    during = [beat for beat in beats if start <= beat <= end]
    assert len(during) > 40  # of at most 160; a held lock leaves one or two
    assert max(np.diff(during)) < 0.3
