"""Law: a small memory limit costs time, never the optimum: the cache sheds entries."""

import numpy as np
import pytest

from tiny_problems import TinyProblem, check
from treewright import SolveStatus
from treewright.search import BinaryOptions, Limits


@pytest.mark.parametrize(
    "options", [BinaryOptions(), BinaryOptions(greedy_start=False)], ids=["greedy", "cold"]
)
@pytest.mark.parametrize("limits", [{}, {"max_leaf_nodes": 6}], ids=str)
def test_one_megabyte_is_enough(options: BinaryOptions, limits: dict[str, int]) -> None:
    rng = np.random.default_rng(2)
    goes_right = rng.integers(0, 2, (14, 250)).astype(np.uint8)
    y = rng.integers(0, 2, 250).astype(np.int32)
    problem = TinyProblem(goes_right, y, np.ones(250), 1 - np.eye(2), 0.008, **limits)
    roomy = problem.solve(options=options)
    tight = problem.solve(Limits(memory_limit=2**20), options)
    assert roomy.status is tight.status is SolveStatus.OPTIMAL
    assert roomy.stats["cache_shed"] == 0
    if not limits:  # else this test would test nothing
        assert tight.stats["cache_shed"] > 0
    assert tight.objective == pytest.approx(roomy.objective, abs=1e-12)
    check(problem, tight)
