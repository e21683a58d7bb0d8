"""Text columns of many values in searches of losses other than mistakes: counted before memory is taken for them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from treewright import (
    OptimalProbabilityTree,
    OptimalSurvivalTree,
    OptimalTreeRegressor,
    regression_frontier,
)
from treewright.errors import InputError

N = 2000
X = pd.DataFrame({"size": np.arange(N) % 7, "id": [f"u{k}" for k in range(N)]})
WHOLE = np.arange(N) % 7 // 2
TIMES = [(True, 1.0 + k % 7) for k in range(N)]


@pytest.mark.parametrize(
    ("model", "y"),
    [
        (OptimalTreeRegressor(max_depth=2, memory_limit=10**6), WHOLE),
        (OptimalTreeRegressor(max_depth=2, criterion="absolute_error", memory_limit=10**6), WHOLE),
        (OptimalProbabilityTree(max_depth=2, memory_limit=10**6), WHOLE),
        (OptimalSurvivalTree(max_depth=2, memory_limit=10**6), TIMES),
    ],
    ids=["squared error", "absolute error", "probability", "survival"],
)
def test_what_does_not_fit_is_refused_by_name(model: Any, y: Any) -> None:
    """A million rows with an identifier asked for 4 TB: "does not fit into memory" and no tree."""
    with pytest.raises(InputError, match=r"'id' with 2,000, or raise memory_limit"):
        model.fit(X, y)
    assert model.fit(X[["size"]], y).tree_.n_leaves > 1


def test_the_front_is_refused_likewise() -> None:
    with pytest.raises(InputError, match=r"'id' with 2,000"):
        regression_frontier(X, WHOLE, max_depth=2, max_leaves=3, memory_limit=10**6)
