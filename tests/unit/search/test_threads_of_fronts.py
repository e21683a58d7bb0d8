"""Threads in the searches of a front: the proven front does not depend on them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treewright.result import SolveStatus
from treewright.search import Frontier, RankedOptions, accuracy_frontier, regression_frontier

AT_ONCE = RankedOptions(alone_work=0, together_work=0)


def table(seed: int) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.random((60, 3))
    label = (X[:, 0] > X[:, 1]) ^ (rng.random(60) < 0.2)
    return X, label.astype(int), np.round(3 * label + rng.normal(size=60), 2)


def said(front: Frontier) -> list[tuple[Any, ...]]:
    return [(point.status, point.loss, point.lower_bound, point.tree.splits) for point in front]


def front(seed: int, n_jobs: int) -> Frontier:
    """Of classes for even seeds, of numbers for odd ones."""
    X, label, number = table(seed)
    terms: dict[str, Any] = {
        "max_leaves": 5,
        "max_depth": 3,
        "progress": False,
        "time_limit": None,
        "search_options": AT_ONCE,
        "n_jobs": n_jobs,
    }
    if seed % 2 == 0:
        return accuracy_frontier(X, label, thresholds="all", **terms)
    return regression_frontier(X, number, **terms)


@pytest.mark.parametrize("n_jobs", [2, 3, 4])
def test_a_hundred_fronts_are_those_of_one_thread(n_jobs: int) -> None:
    for seed in range(10):
        one = front(seed, 1)
        assert all(point.status is SolveStatus.OPTIMAL for point in one)
        for _ in range(10):
            assert said(front(seed, n_jobs)) == said(one)


def test_the_one_search_over_few_splits_takes_the_number_and_has_one_thread() -> None:
    X, label, _ = table(1)
    one, two = (accuracy_frontier(X, label, thresholds=4, max_leaves=4, n_jobs=jobs) for jobs in (1, 2))
    assert said(one) == said(two)
    assert one[0].stats["steps"] == two[0].stats["steps"]
