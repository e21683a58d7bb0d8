"""Tasks on a Ray cluster, one at a time for each worker: joblib's backend for Ray gives no answer before the last."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from treewright.errors import InputError

__all__ = ["run_on_ray", "workers_on_ray"]


def workers_on_ray(n_jobs: int | None) -> int:
    """Return how many tasks are done at once: as many as asked, else one for each core of the cluster.

    Ray is joined (``RAY_ADDRESS``) or started on this machine if that was not done yet.

    Raises
    ------
    InputError
        Ray is not installed, or cannot be reached.
    """
    try:
        import ray

        if not ray.is_initialized():
            ray.init(log_to_driver=False)
        cores = int(ray.cluster_resources().get("CPU", 1))
    except ImportError:
        raise InputError("backend='ray' needs Ray: pip install ray.") from None
    except Exception as error:
        raise InputError(
            f"backend='ray' cannot be used: {type(error).__name__}: {error} Start or join a cluster first: ray.init()."
        ) from None
    if n_jobs is None or n_jobs < 0:
        n_jobs = cores if n_jobs is None else cores + 1 + n_jobs
    return max(1, n_jobs)


def run_on_ray(
    function: Callable[[Any], Any],
    keys: Sequence[int],
    make: Callable[[int, int], Any],
    n_workers: int,
    lost: Callable[[str], Any],
    most_deaths: int,
) -> Iterator[tuple[int, Any]]:
    """Yield the key and the answer of each task as they come, or what `lost` makes of the reason why there is none.

    Parameters
    ----------
    function : callable
        Of a task. What it raises is the task's loss.
    keys : sequence of int
    make : callable
        Makes the task of a key, given how many have not been handed out before it (itself included).
    n_workers : int
        Tasks in flight at once.
    lost : callable
    most_deaths : int
        Tries of a task whose worker dies.
    """
    import ray

    # Ray's own retries would use the limits of the first try.
    remote = ray.remote(num_cpus=1, max_retries=0)(_call)
    waiting = deque(keys)
    deaths = dict.fromkeys(keys, 0)
    flying: dict[Any, int] = {}
    try:
        while waiting or flying:
            if not ray.is_initialized():  # a task would start it anew
                raise ConnectionError("Ray was shut down")
            while waiting and len(flying) < n_workers:
                task = make(waiting[0], len(waiting))
                flying[remote.remote(function, task)] = waiting.popleft()
            (ready, *_), _ = ray.wait(list(flying), num_returns=1)
            key = flying.pop(ready)
            try:
                answer = ray.get(ready)
            except ray.exceptions.RayTaskError as error:
                answer = lost(f"{type(error.cause).__name__}: {error.cause}")
            except ray.exceptions.RayError as error:  # of its worker, or of the machine that had the worker
                deaths[key] += 1
                if deaths[key] < most_deaths:
                    waiting.append(key)
                    continue
                answer = lost(f"its worker died ({type(error).__name__}: {str(error).splitlines()[0]})")
            yield key, answer
    except (ray.exceptions.RayError, ConnectionError) as error:
        for key in [*flying.values(), *waiting]:
            yield key, lost(f"the cluster went away ({type(error).__name__}: {error})")
    finally:
        with suppress(ray.exceptions.RayError, ConnectionError):
            for ready in flying if ray.is_initialized() else ():
                ray.cancel(ready, force=True)


def _call(function: Callable[[Any], Any], task: Any) -> Any:
    return function(task)
