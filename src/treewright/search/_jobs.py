"""The one meaning of `n_jobs`: tasks that joblib does at once, or threads of one search."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any

from treewright._numbers import is_whole
from treewright.errors import InputError

__all__ = ["answers_in_order", "check_n_jobs", "jobs_for", "threads_of"]


MOST_JOBS = 100_000


def check_n_jobs(n_jobs: Any) -> int | None:
    """Return how many tasks run at once, as joblib counts them.

    Parameters
    ----------
    n_jobs : int or None
        None is 1, unless ``joblib.parallel_config`` says otherwise; -1 is all cores, -2 all but one.

    Raises
    ------
    InputError
        It is zero, not an integer, or more than any machine has.

    Examples
    --------
    >>> from treewright.search import check_n_jobs
    >>> check_n_jobs(2), check_n_jobs(None)
    (2, None)
    """
    if n_jobs is None:
        return None
    if not is_whole(n_jobs) or not 0 < abs(int(n_jobs)) <= MOST_JOBS:
        raise InputError(
            f"n_jobs={n_jobs!r}; give an integer from 1 to {MOST_JOBS:,}, -1 for all cores, or None for one."
        )
    return int(n_jobs)


def jobs_for(n_tasks: int, n_jobs: Any, fewest: int = 1) -> int | None:
    """Return the `n_jobs` of joblib for so many tasks: no more workers than tasks, nor than cores if they are here.

    Parameters
    ----------
    n_tasks : int
    n_jobs : int or None
        As `check_n_jobs` takes it.
    fewest : int, default=1
        Workers that are started if as many were asked for, however few the tasks and cores.

    Returns
    -------
    int or None
        As it was given, if that is not more. A backend that is not part of joblib, such as a cluster's, has cores of
        its own.

    Examples
    --------
    >>> from treewright.search import jobs_for
    >>> jobs_for(1, 100_000), jobs_for(20, None)
    (1, None)
    """
    from joblib import cpu_count, effective_n_jobs
    from joblib.parallel import get_active_backend

    jobs = check_n_jobs(n_jobs)
    backend, _ = get_active_backend()
    is_here = type(backend).__module__.startswith("joblib.")
    most = max(fewest, min(n_tasks, cpu_count()) if is_here else n_tasks)
    return jobs if effective_n_jobs(jobs) <= most else most


def threads_of(n_jobs: Any) -> int:
    """Return how many threads one search may use.

    Inside a task of `joblib.Parallel` it is no more than the task's share of the cores, so that threads inside and
    tasks outside are never more together than the cores: the share that joblib gives worker processes, else one.

    Parameters
    ----------
    n_jobs : int or None
        As `check_n_jobs` takes it.

    Examples
    --------
    >>> from treewright.search import threads_of
    >>> threads_of(2), threads_of(None)
    (2, 1)
    """
    jobs = check_n_jobs(n_jobs)
    if jobs == 1:
        return 1
    from joblib import cpu_count
    from joblib.parallel import get_active_backend

    # Not joblib's effective_n_jobs, which counts the workers of the active backend: a cluster's, or one in a process
    # that may have no children, where threads are allowed.
    backend, configured = get_active_backend()
    if jobs is None:
        jobs = 1 if configured is None else int(configured)
    threads = jobs if jobs > 0 else cpu_count() + 1 + jobs
    if backend.nesting_level:
        share = os.environ.get("OMP_NUM_THREADS", "1")  # set by joblib in its worker processes
        threads = min(threads, max(1, int(share)) if share.isdigit() else 1)
    return max(1, threads)


def answers_in_order(tasks: Iterable[Any], n_jobs: int | None, parallel: Any = None) -> Iterator[Any]:
    """Return the results of joblib tasks in order: one by one, or all at the end if the backend does not support that.

    Parameters
    ----------
    tasks : iterable of joblib.delayed calls
    n_jobs : int or None
        As `check_n_jobs` returns it.
    parallel : type, default=None
        joblib's `Parallel`, or scikit-learn's, which goes with its own `delayed`.

    Examples
    --------
    >>> from joblib import delayed
    >>> from treewright.search import answers_in_order
    >>> list(answers_in_order((delayed(abs)(number) for number in (-3, 2)), 1))
    [3, 2]
    """
    if parallel is None:
        import joblib

        parallel = joblib.Parallel
    try:
        work = parallel(n_jobs=n_jobs, return_as="generator")
    except ValueError:  # Ray's backend, for one
        work = parallel(n_jobs=n_jobs)
    return iter(work(tasks))
