"""Nodes counted from their rows: whatever is added up at once says the same as each node by itself."""

import numpy as np
import pytest

from treewright.table import table_from
from treewright.tree import ThresholdSplit, grow, grow_policy, mean_of

RNG = np.random.default_rng(0)
TABLE = table_from(RNG.normal(size=(300, 2)))
SPLITS = [ThresholdSplit(0, 0.0), ThresholdSplit(1, 0.3), None, None, ThresholdSplit(1, -0.1), None, None]


def rows_of(node):
    x, y = TABLE.X.T
    left = x <= 0
    return [
        x == x,
        left,
        left & (y <= 0.3),
        left & (y > 0.3),
        ~left,
        ~left & (y <= -0.1),
        ~left & (y > -0.1),
    ][node]


@pytest.mark.parametrize(
    "weight",
    [np.ones(300), RNG.integers(1, 9, 300).astype(float), RNG.random(300) + 0.1, np.full(300, 2.0**46)],
)
def test_weights_of_classes_are_those_of_the_rows(weight):
    y = RNG.integers(0, 3, 300).astype(np.int32)
    tree = grow(TABLE.columns, np.arange(3), SPLITS, TABLE.X, y, weight, 1.0 - np.eye(3))
    for node in range(7):
        rows = rows_of(node)
        assert tree.value[node].tolist() == np.bincount(y[rows], weight[rows], 3).tolist()
        assert tree.n_node_samples[node] == rows.sum()


def test_means_of_many_actions_are_those_of_each(monkeypatch):
    monkeypatch.setattr("treewright.tree._grow_policy.CELLS_AT_ONCE", 1000)  # some columns at once, and one
    rewards = RNG.normal(size=(300, 40)) * 10.0 ** RNG.integers(-3, 4, 40)
    rewards[:, 3] = 0.1
    rewards[:2, 5] = 1.7e308, -1.7e308
    weight = RNG.random(300) + 0.1
    tree = grow_policy(TABLE.columns, np.arange(40), SPLITS, TABLE.X, rewards, weight, -rewards / 1e9)
    for node in range(7):
        rows = rows_of(node)
        alone = [mean_of(one, weight[rows]) for one in rewards[rows].T]
        assert tree.value[node].tolist() == alone
