"""A run over ranked columns that is stopped before its first pass ends still has a tree."""

import numpy as np
import pytest

from treewright.problem import make_problem
from treewright.search import BinaryOptions, Limits, solve
from treewright.table import table_from
from treewright.verify import verify


@pytest.mark.parametrize("limits", [{}, {"max_leaf_nodes": 3}, {"min_samples_leaf": 40}], ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_the_tree_is_not_worse_than_the_best_single_split(seed, limits):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(3000, 6))
    y = ((X[:, 0] > 0) & (X[:, 1] > 0.2)) ^ (rng.random(3000) < 0.2)

    def asked(depth, **limits):
        return make_problem(table_from(X), y, cost_complexity=0.001, max_depth=depth, **limits)

    ranked = BinaryOptions(engine="ranked")
    stump = solve(asked(1, **limits), options=ranked)
    for depth in (2, 3, 5, None):
        problem = asked(depth, **limits)
        stopped = solve(problem, options=ranked, limits=Limits(step_limit=1))
        assert stopped.objective <= stump.objective
        assert stopped.stop_reason is not None
        assert verify(problem, stopped).ok
        if depth != 2 and not limits.get("max_leaf_nodes"):
            assert stopped.tree.n_leaves > 2  # greedy where no limit of leaves has to be shared
