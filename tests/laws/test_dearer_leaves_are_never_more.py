"""Law: a larger cost_complexity never gives more leaves, nor a smaller loss.

Let (loss1, n1) be optimal at price p1 and (loss2, n2) at p2 > p1. Adding the two optimality conditions
gives (p2 - p1) * (n2 - n1) <= 0, so n2 <= n1 whatever the tie rule; and then loss1 <= loss2.
"""

from itertools import pairwise

import numpy as np
import pytest

from engines import Engine, every_engine
from tiny_problems import TOLERANCE, random_problem

PRICES = [0.0, 1e-4, 0.001, 0.004, 0.01, 0.02, 0.04, 0.08, 0.15, 0.5, 1.0]


@every_engine
@pytest.mark.parametrize("seed", range(25))
def test_dearer_leaves_are_never_more(seed: int, engine: Engine) -> None:
    problem = engine.fitting(random_problem(np.random.default_rng(seed), max_columns=8, max_rows=50))
    results = [engine.solve(problem.but(cost_complexity=price)) for price in PRICES]
    for cheap, dear in pairwise(results):
        assert dear.tree.n_leaves <= cheap.tree.n_leaves
        assert dear.loss >= cheap.loss - TOLERANCE
        assert dear.objective >= cheap.objective - TOLERANCE
