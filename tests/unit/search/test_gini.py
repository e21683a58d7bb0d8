"""Gini impurity of a leaf, in floating point."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from treewright.search._gini import GiniLoss


def test_the_score_of_a_leaf_of_one_heavy_class_is_no_difference_of_large_numbers() -> None:
    y, weight = np.array([1, 2, 1, 0]), np.array([200000.0, 0.002, 1.0, 0.0009])
    exact = [Fraction(w) for w in weight.tolist()]
    of_class = [sum((w for w, k in zip(exact, y, strict=True) if k == c), Fraction(0)) for c in range(3)]
    total = sum(exact)
    impurity = sum(w * (total - w) for w in of_class) / total
    assert GiniLoss(y, 3, weight).leaf_loss() == pytest.approx(float(impurity), rel=1e-14)
