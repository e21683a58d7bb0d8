"""What a warning advises is the limit that ended the search, not another one."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from treewright import LeafAccuracyTreeClassifier, OptimalTreeClassifier, OptimalTreeRegressor
from treewright.estimators._end_of_fit import further_in_words
from treewright.result import StopReason

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 4)).round(1)
Y = (X[:, 0] * X[:, 1] + RNG.normal(size=200) > 0).astype(int)
HARD = {"max_depth": 4, "cost_complexity": 0.0005}


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (OptimalTreeClassifier(step_limit=2, **HARD), "Raise step_limit, or make"),
        (OptimalTreeRegressor(step_limit=2, **HARD), "Raise step_limit, or make"),
        (
            LeafAccuracyTreeClassifier(step_limit=1, thresholds="all", max_depth=4, min_samples_leaf=3),
            "Raise step_limit, or make",
        ),
        (OptimalTreeClassifier(time_limit=1e-6, **HARD), "Raise time_limit, or make"),
    ],
)
def test_the_limit_that_ended_the_search_is_named(model, words):
    with pytest.warns(ConvergenceWarning, match=words):
        model.fit(X, Y)


def test_every_reason_has_words():
    words = {stop: further_in_words(stop) for stop in StopReason}
    assert words[StopReason.MEMORY_LIMIT] == "Raise memory_limit"
    assert "limit" not in words[StopReason.INTERRUPT] + words[StopReason.CALLBACK]
