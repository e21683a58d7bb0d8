"""Which engine searches which table."""

import numpy as np
import pytest

from treewright.problem import make_problem
from treewright.search._space import cuts_for
from treewright.table import table_from


def problem_of(X, **limits):
    rng = np.random.default_rng(0)
    return make_problem(table_from(X), rng.integers(0, 2, len(X)), **limits)


def test_many_binary_columns_stay_binary_columns():
    X = np.random.default_rng(1).integers(0, 2, (200, 300))
    cuts = cuts_for(problem_of(X), "auto")
    assert cuts is not None
    assert len(cuts.splits) == 300


@pytest.mark.parametrize(
    "limits", [{}, {"max_leaf_nodes": 4}, {"max_depth": 3}, {"min_samples_leaf": 5}], ids=str
)
def test_many_thresholds_are_swept_whatever_the_limits(limits):
    X = np.random.default_rng(2).normal(size=(200, 3))
    assert cuts_for(problem_of(X, **limits), "auto") is None
    assert cuts_for(problem_of(X, **limits), "all") is None
    cuts = cuts_for(problem_of(X, **limits), "auto", engine="cuts")
    assert cuts is not None
    assert "quantiles" in cuts.scope


def test_few_thresholds_beside_many_binary_columns_are_made_columns():
    rng = np.random.default_rng(3)
    X = np.column_stack([rng.integers(0, 2, (200, 250)), rng.normal(size=200)])
    cuts = cuts_for(problem_of(X), "auto")
    assert cuts is not None
    assert len(cuts.splits) == 250 + 199
