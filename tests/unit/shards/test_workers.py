"""A task that fails, or whose worker dies, costs its own answer and nothing else."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import joblib
import pytest

from shard_workers import die_always_on_three, die_once, double, fail_on_three
from treewright.errors import InputError
from treewright.shards._workers import Lost, Pool


@pytest.mark.parametrize("pool", [Pool(1), Pool(2, "threading")], ids=["here", "threads"])
def test_a_failure_costs_one_answer(pool: Pool) -> None:
    answers = dict(pool.run(fail_on_three, range(6), lambda key, left: key))
    lost = answers.pop(3)
    assert isinstance(lost, Lost)
    assert lost.why == "RuntimeError: three is not done"
    assert answers == {key: 2 * key for key in (0, 1, 2, 4, 5)}


def test_tasks_are_made_when_a_worker_is_free() -> None:
    left = []
    answers = Pool(1).run(double, range(4), lambda key, waiting: left.append(waiting) or key)
    next(answers)
    assert left == [4]
    assert [key for key, _ in answers] == [1, 2, 3]
    assert left == [4, 3, 2, 1]


@pytest.mark.skipif(sys.platform == "win32", reason="kills by a signal")
def test_a_killed_worker_costs_one_answer_at_most(tmp_path: Path) -> None:
    pool = Pool(2, "loky")
    once = dict(pool.run(die_once, range(6), lambda key, left: (key, str(tmp_path / "died"))))
    assert once == {key: 2 * key for key in range(6)}
    always = dict(pool.run(die_always_on_three, range(6), lambda key, left: key))
    assert isinstance(always[3], Lost)
    assert "worker died" in always[3].why
    done = {key: answer for key, answer in always.items() if not isinstance(answer, Lost)}
    assert done == {key: 2 * key for key in (0, 1, 2, 4, 5)}


@pytest.mark.parametrize("n_jobs", [0, 1.5, True, "all"])
def test_bad_n_jobs_is_told(n_jobs: object) -> None:
    with pytest.raises(InputError, match="n_jobs"):
        Pool(n_jobs)  # type: ignore[arg-type]


def test_an_unknown_backend_is_told() -> None:
    with pytest.raises(InputError, match="backend='nonsense' cannot be used"):
        Pool(2, "nonsense").workers()


def test_a_backend_that_returns_all_answers_at_the_end_is_told() -> None:
    with pytest.raises(InputError, match="backend='multiprocessing' cannot be used: MultiprocessingBackend"):
        Pool(2, "multiprocessing").workers()


def test_no_more_workers_are_started_than_there_are_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    started = []

    class Recorded(joblib.Parallel):
        def __init__(self, n_jobs: int | None = None, **options: Any) -> None:
            started.append(n_jobs)
            super().__init__(n_jobs=n_jobs, **options)

    monkeypatch.setattr(joblib, "Parallel", Recorded)
    monkeypatch.setattr(joblib, "cpu_count", lambda: 8)
    pool = Pool(500, "threading").of_tasks(3)
    assert pool.workers() == 3
    assert dict(pool.run(double, range(3), lambda key, left: key)) == {0: 0, 1: 2, 2: 4}
    assert started == [3]
    assert Pool(500, "threading").of_tasks(1).workers() == 2  # one would be this process itself
    assert Pool(1).of_tasks(3).workers() == 1
    assert Pool(100_000, "threading").of_tasks(10**6).workers() == 8  # no more than cores
