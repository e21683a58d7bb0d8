"""Where no training row of a split has a missing value, a missing value goes to the side of more training weight."""

import numpy as np
import pytest

from treewright import (
    LeafAccuracyTreeClassifier,
    OptimalProbabilityTree,
    OptimalTreeClassifier,
    OptimalTreeRegressor,
)
from treewright.tree import rows_of_nodes

MAKES = {
    "binary columns": lambda: OptimalTreeClassifier(0.01, max_depth=3, thresholds=4),
    "all thresholds": lambda: OptimalTreeClassifier(0.01, max_depth=3),
    "guided": lambda: OptimalTreeClassifier(0.01, max_depth=3, guess_lower_bounds=True),
    "leaf accuracy": lambda: LeafAccuracyTreeClassifier(2),
    "f1": lambda: OptimalTreeClassifier(0.01, max_depth=3, objective="f1"),
    "squared error": lambda: OptimalTreeRegressor(0.01, max_depth=3),
    "probabilities": lambda: OptimalProbabilityTree(0.01, max_depth=3),
}


def table(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 9, (80, 3)).astype(float)
    X[rng.random(X.shape) < 0.03] = np.nan
    x = np.nan_to_num(X)
    y = (x[:, 0] > 4) ^ (x[:, 1] > 5) ^ (rng.random(80) < 0.1)
    return X, y.astype(int), rng.integers(1, 4, 80).astype(float)


@pytest.mark.parametrize("make", MAKES.values(), ids=MAKES)
def test_missing_goes_to_the_side_of_more_weight_where_no_row_decides(make):
    settled = 0
    for seed in range(8):
        X, y, weight = table(seed)
        tree = make().fit(X, y, sample_weight=weight).tree_
        for split, rows in zip(tree.splits, rows_of_nodes(tree.splits, X), strict=True):
            if split is None:
                continue
            missing = np.isnan(X[:, split.column])
            if missing.any() and not missing[rows].any():
                left = weight[rows[split.goes_left(X, rows)]].sum()
                assert split.missing_left == (2 * left >= weight[rows].sum())
                settled += 1
    assert settled >= 2


@pytest.mark.parametrize("make", MAKES.values(), ids=MAKES)
def test_missing_goes_to_the_side_of_more_weight_of_a_column_that_was_complete(make):
    """Regression counted rows there, so a row of weight 2 was not two rows."""
    settled = 0
    for seed in range(4):
        X, y, weight = table(seed)
        X, weight = np.nan_to_num(X), np.where(X[:, 0] > 4, 4 * weight, weight)  # not the side of more rows
        tree = make().fit(X, y, sample_weight=weight).tree_
        for split in filter(None, tree.splits):
            goes_left = split.goes_left(X)
            assert split.missing_left == (2 * weight[goes_left].sum() >= weight.sum())
            settled += bool(split.missing_left) != (2 * goes_left.sum() >= len(X))
    assert settled
