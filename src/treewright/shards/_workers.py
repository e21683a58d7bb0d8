"""Many tasks, here or through joblib; a task that fails, or whose worker dies, costs its own answer only.

Tasks are handed out one at a time, when a worker is free, so that each knows the time that is left then. When a worker
dies (killed by the system for its memory, say), joblib gives up the whole pool, and nobody knows which of the tasks in
flight was at fault. They are given once more, last; what is in flight at two deaths is lost.
"""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from treewright.errors import InputError
from treewright.search import check_n_jobs, jobs_for
from treewright.shards._on_ray import run_on_ray, workers_on_ray

__all__ = ["Lost", "Pool"]

MOST_DEATHS = 2  # of workers that a task may be in flight at
MOST_TASKS = 10**9  # where their number is not known yet
FEWEST_WORKERS = 2  # joblib does everything in this process with one, whose death would cost the result


@dataclass(frozen=True)
class Lost:
    """A task without an answer.

    Parameters
    ----------
    why : str
    """

    why: str


@dataclass(frozen=True)
class Pool:
    """Where tasks are done.

    Parameters
    ----------
    n_jobs : int or None, default=None
        None is 1, unless `joblib.parallel_config` says otherwise; -1 is all cores.
    backend : str or None, default=None
        Of joblib: "loky", "threading", or what Dask registers; or "ray".
    most : int or None, default=None
        Tasks that there can be at once; joblib starts no more workers than that, however many `n_jobs` asks for.
    """

    n_jobs: int | None = None
    backend: str | None = None
    most: int | None = None

    def __post_init__(self) -> None:
        check_n_jobs(self.n_jobs)
        if self.backend is not None and not isinstance(self.backend, str):
            raise InputError(f"backend={self.backend!r}; give the name of a joblib backend, such as 'loky'.")

    def of_tasks(self, n_tasks: int) -> Pool:
        """Return the same place for so many tasks at most, each of them away from this process if any is."""
        return replace(self, most=max(FEWEST_WORKERS, n_tasks))

    def workers(self) -> int:
        """Return how many tasks are done at once."""
        if self.is_here():
            return 1
        asked = workers_on_ray(self.n_jobs) if self.backend == "ray" else self._workers_of_joblib()
        return asked if self.most is None else min(asked, self.most)

    def _workers_of_joblib(self) -> int:
        import joblib
        from joblib.parallel import get_active_backend

        try:
            with joblib.parallel_config(**self._config()):
                backend, _ = get_active_backend()
                if not backend.supports_return_generator:
                    raise ValueError(f"{type(backend).__name__} cannot return answers one by one.")
                return int(
                    joblib.effective_n_jobs(jobs_for(self.most or MOST_TASKS, self.n_jobs, FEWEST_WORKERS))
                )
        except (ValueError, ImportError, KeyError) as error:
            raise InputError(
                f"backend={self.backend!r} cannot be used: {error} Give 'loky', 'threading', or the backend of a "
                "cluster that joblib knows (for Dask, make its Client first)."
            ) from None

    def is_here(self) -> bool:
        """Return whether tasks are done in this process, one after the other."""
        if self.n_jobs == 1:
            return True
        if self.n_jobs is not None or self.backend is not None:
            return False
        from joblib import effective_n_jobs

        return bool(effective_n_jobs(None) == 1)

    def run(
        self, function: Callable[[Any], Any], keys: Sequence[int], make: Callable[[int, int], Any]
    ) -> Iterator[tuple[int, Any]]:
        """Yield the key and the answer of each task, or `Lost`, as they come.

        Parameters
        ----------
        function : callable
            Of a task; importable by a worker.
        keys : sequence of int
        make : callable
            Makes the task of a key, given how many have not been handed out before it (itself included).
        """
        if self.is_here():
            for done, key in enumerate(keys):
                yield key, _guarded(function, make(key, len(keys) - done))
        elif self.backend == "ray":
            task = partial(_guarded, function)
            yield from run_on_ray(task, keys, make, self.workers(), Lost, MOST_DEATHS)
        else:
            yield from self._run_apart(function, keys, make)

    def _run_apart(
        self, function: Callable[[Any], Any], keys: Sequence[int], make: Callable[[int, int], Any]
    ) -> Iterator[tuple[int, Any]]:
        from joblib import Parallel, delayed, parallel_config

        waiting = deque(keys)
        deaths = dict.fromkeys(keys, 0)
        while waiting:
            flying: dict[int, None] = {}
            suspect = deaths[waiting[0]] > 0  # it is done alone, so that it costs no other answer

            def feed(flying: dict[int, None] = flying, suspect: bool = suspect) -> Iterator[Any]:
                while waiting and not (suspect and flying) and (deaths[waiting[0]] > 0) == suspect:
                    task = make(waiting[0], len(waiting))
                    key = waiting.popleft()
                    flying[key] = None
                    yield delayed(_keyed)(key, function, task)

            n_jobs = self.n_jobs if self.most is None else self.workers()
            with parallel_config(**self._config()):  # which knows backends that register themselves
                answers = Parallel(
                    n_jobs=n_jobs, return_as="generator_unordered", pre_dispatch="n_jobs", batch_size=1
                )(feed())
            try:
                for key, answer in answers:
                    flying.pop(key, None)
                    yield key, answer
            except GeneratorExit:
                with warnings.catch_warnings():  # joblib's, that some answers are not used
                    warnings.simplefilter("ignore", UserWarning)
                    answers.close()
                raise
            except Exception as error:  # of the pool: what a task raises comes back as Lost
                if not flying:
                    raise
                why = f"its worker died ({type(error).__name__}: {error})"
                for key in list(flying):
                    deaths[key] += 1
                    if deaths[key] < MOST_DEATHS:
                        waiting.append(key)
                    else:
                        yield key, Lost(why)

    def _config(self) -> dict[str, Any]:
        return {} if self.backend is None else {"backend": self.backend}


def _keyed(key: int, function: Callable[[Any], Any], task: Any) -> tuple[int, Any]:
    return key, _guarded(function, task)


def _guarded(function: Callable[[Any], Any], task: Any) -> Any:
    try:
        return function(task)
    except Exception as error:
        return Lost(f"{type(error).__name__}: {error}")
