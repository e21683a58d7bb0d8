"""The benchmark of small trees that agree on rows: how many leaves CART needs for as much."""

import numpy as np
from benchmarks.born_again_rows import leaves_for_as_many


def test_leaves_that_cart_needs():
    X, said = np.arange(8.0)[:, None], np.array([0, 0, 0, 1, 1, 1, 0, 0])
    assert leaves_for_as_many(X, said, 1.0) == 3
    assert leaves_for_as_many(X, said, 0.75) == 2
    assert leaves_for_as_many(np.zeros((4, 1)), np.array([0, 0, 0, 1]), 1.0) == 1  # it cannot
