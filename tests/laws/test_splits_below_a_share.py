"""Law: the best single split below a share of one leaf's loss is the best of all, or none is below it.

A run that a limit ends before its columns are ranked asks for no more: a split that does not pay for its leaf need not
be found (treewright/search/_single_split.py). Nothing that is proven depends on it.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from treewright.search._additive import loss_of
from treewright.search._additive_losses import ActionLoss, SquaredErrorLoss
from treewright.search._log_loss import LogLoss
from treewright.search._pinball import PinballLoss
from treewright.table import table_from

NEAR = 1e-9


def losses(rng, n):
    weight = rng.choice([1.0, 0.3, 7.0], n)
    y = rng.normal(size=n).round(1)
    yield SquaredErrorLoss(y, weight)
    yield SquaredErrorLoss(np.column_stack([y, rng.integers(0, 3, n)]), weight)
    yield PinballLoss(y, weight)
    yield PinballLoss(y, weight, Fraction(9, 10))
    yield LogLoss(rng.integers(0, 3, n), 3, weight)
    yield ActionLoss(rng.integers(0, 5, (n, 3)) * weight[:, None])


@pytest.mark.parametrize("seed", range(25))
def test_it_is_the_best_split_or_there_is_none(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.choice([3, 20, 300]))
    X = rng.normal(size=(n, 3)).round(int(rng.integers(0, 3)))
    X[rng.random((n, 3)) < 0.1 * (seed % 2)] = np.nan
    table, least = table_from(X), int(rng.integers(1, 4))
    for loss in losses(rng, n):
        best = loss.best_split(table, least)
        one_leaf, reached = loss.leaf_loss(), loss_of(best, table, loss)
        if one_leaf == 0:
            assert best == [None]
            continue
        for share in (0.2, 0.9, 1.0, reached / one_leaf * 1.01, reached / one_leaf * 0.99):
            found = loss.best_split(table, least, share)
            if len(best) == 1 or reached > share * one_leaf * (1 + NEAR):
                assert found == [None]
            elif reached < share * one_leaf * (1 - NEAR):
                assert loss_of(found, table, loss) <= reached * (1 + NEAR)
