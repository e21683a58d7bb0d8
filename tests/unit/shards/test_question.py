"""What predictions cost: the same with one fraction for equal costs as with one for each pair of classes."""

from __future__ import annotations

from fractions import Fraction
from math import lcm

import numpy as np
import pytest

from treewright.search import in_fractions
from treewright.shards._question import Question


class Counted(Fraction):
    """A fraction that counts its products."""

    products = 0

    def __mul__(self, other):
        Counted.products += 1
        return Fraction(self.numerator, self.denominator) * other


def asked(costs, factors):
    k = len(costs)
    return Question((), np.arange(k), tuple(factors), costs, 0.01, 3, None, 1, (1,) * k, k)


@pytest.mark.parametrize("seed", range(20))
def test_costs_are_those_of_each_pair_of_classes(seed):
    rng = np.random.default_rng(seed)
    k = int(rng.integers(1, 8))
    costs = rng.choice([0.0, 0.1, 0.3, 1.0, float(rng.random())], (k, k))
    factors = [Fraction(int(rng.integers(0, 4)), int(rng.integers(1, 4))) for _ in range(k)]
    question = asked(costs, factors)
    exact = in_fractions(costs.reshape(-1))
    paid = [[factors[c] * exact[c * k + p] for p in range(k)] for c in range(k)]
    assert question.paid == paid
    assert question.cheapest == [min(row) for row in paid]
    weight = rng.integers(0, 5, k).tolist()
    sums = [sum(weight[c] * paid[c][p] for c in range(k)) for p in range(k)]
    assert question.label(weight) == (sums.index(min(sums)), min(sums))
    usual, others, factor = question._whole
    assert factor == lcm(*(cost.denominator for row in paid for cost in row))
    for c, row in enumerate(paid):
        assert usual[c] in [cost * factor for cost in row]
        assert sum(c in dict(other) for other in others) == k - max(map(row.count, row))


def test_of_many_classes_no_fraction_is_made_for_each_pair():
    """Four hundred classes took two seconds for 50,000 cells, of a time limit of a fifth of a second."""
    k = 60
    question = asked(1.0 - np.eye(k), [Counted(1, 2)] * k)
    Counted.products = 0
    assert question.paid[3][5] == Fraction(1, 2)
    assert question.cheapest == [0] * k
    assert question.label([1] * k) == (0, Fraction(k - 1, 2))
    assert 0 < Counted.products <= 2 * k
