"""Tasks on Ray: workers that die, tasks that fail, a cluster that goes away. `tests/cluster/test_ray.py` uses Ray."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from shard_workers import double, fail_on_three
from treewright.errors import InputError
from treewright.shards._workers import MOST_DEATHS, Lost, Pool


class RayError(Exception):
    """As Ray's."""


class RayTaskError(RayError):
    """As Ray's."""


class FakeRay(SimpleNamespace):
    """What the library asks of Ray, in this process: tasks are done when they are waited for, the latest first."""

    def __init__(self, deaths: dict[int, int] | None = None, answers_until_it_goes: int = 1000) -> None:
        self.deaths = deaths or {}
        self.left = answers_until_it_goes
        self.most_in_flight = 0
        self.options: dict[str, Any] = {}
        self.cancelled: list[Any] = []
        self.exceptions = SimpleNamespace(RayError=RayError, RayTaskError=RayTaskError)

    def is_initialized(self) -> bool:
        return self.left > 0

    def init(self, **options: Any) -> None:
        raise ConnectionError("no cluster")

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": 3.0}

    def remote(self, **options: Any) -> Any:
        self.options = options
        return lambda function: SimpleNamespace(remote=lambda *given: (function, given))

    def wait(self, refs: list[Any], num_returns: int) -> tuple[list[Any], list[Any]]:
        assert num_returns == 1
        self.most_in_flight = max(self.most_in_flight, len(refs))
        self.left -= 1
        return refs[-1:], refs[:-1]

    def get(self, ref: Any) -> Any:
        function, given = ref
        key = given[-1]
        if self.deaths.get(key, 0) > 0:
            self.deaths[key] -= 1
            raise RayError("the worker is gone\nlook at its log")
        return function(*given)

    def cancel(self, ref: Any, force: bool) -> None:
        self.cancelled.append(ref[1][-1])


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch) -> Any:
    def install(ray: FakeRay) -> FakeRay:
        monkeypatch.setitem(sys.modules, "ray", ray)
        return ray

    return install


def test_as_many_tasks_fly_as_there_are_workers(use: Any) -> None:
    for n_jobs, workers in ((None, 3), (-1, 3), (-2, 2), (2, 2), (5, 5)):
        ray = use(FakeRay())
        pool = Pool(n_jobs, "ray")
        assert pool.workers() == workers
        left = []
        answers = dict(
            pool.run(double, range(9), lambda key, waiting, left=left: left.append(waiting) or key)
        )
        assert answers == {key: 2 * key for key in range(9)}
        assert ray.most_in_flight == workers
        assert left == [*range(9, 0, -1)]
        assert ray.options == {"num_cpus": 1, "max_retries": 0}
        assert not ray.cancelled


def test_a_worker_that_dies_costs_a_second_try_and_then_the_answer(use: Any) -> None:
    use(FakeRay(deaths={1: MOST_DEATHS - 1, 3: MOST_DEATHS}))
    answers = dict(Pool(2, "ray").run(double, range(5), lambda key, waiting: key))
    lost = answers.pop(3)
    assert lost == Lost("its worker died (RayError: the worker is gone)")
    assert answers == {key: 2 * key for key in (0, 1, 2, 4)}


def test_a_task_that_fails_costs_its_answer(use: Any) -> None:
    use(FakeRay())
    answers = dict(Pool(2, "ray").run(fail_on_three, range(5), lambda key, waiting: key))
    assert answers.pop(3) == Lost("RuntimeError: three is not done")
    assert answers == {key: 2 * key for key in (0, 1, 2, 4)}


def test_a_cluster_that_goes_away_costs_what_is_left(use: Any) -> None:
    use(FakeRay(answers_until_it_goes=2))
    answers = dict(Pool(2, "ray").run(double, range(6), lambda key, waiting: key))
    lost = [key for key, answer in answers.items() if isinstance(answer, Lost)]
    assert sorted(answers) == [*range(6)]
    assert len(lost) == 4
    assert answers[lost[0]] == Lost("the cluster went away (ConnectionError: Ray was shut down)")


def test_what_is_in_flight_is_cancelled(use: Any) -> None:
    ray = use(FakeRay())
    answers = Pool(3, "ray").run(double, range(9), lambda key, waiting: key)
    next(answers)
    answers.close()  # type: ignore[attr-defined]
    assert len(ray.cancelled) == 2


def test_without_ray_or_a_cluster_it_is_told(use: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    use(FakeRay(answers_until_it_goes=0))
    with pytest.raises(
        InputError, match=r"ConnectionError: no cluster Start or join a cluster first: ray\.init\(\)"
    ):
        Pool(2, "ray").workers()
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(InputError, match=r"needs Ray: pip install ray"):
        Pool(2, "ray").workers()
