"""A fixed slice of the attack; ``make attack`` goes on with fresh seeds."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from attack.case import Case
from attack.generate import FAST, SLOW, random_case
from attack.laws import attack
from attack.run import shown

SLICES = [*((FAST, seed, 250) for seed in range(8)), *((SLOW, seed, 25) for seed in range(8, 12))]


@pytest.mark.parametrize(
    ("mix", "seed", "n_cases"), SLICES, ids=lambda value: str(value) if isinstance(value, int) else ""
)
def test_no_case_breaks_a_law(mix, seed, n_cases):
    broken: Counter[str] = Counter()
    scripts, refused = [], 0
    for number in range(n_cases):
        case = random_case(np.random.default_rng([seed, number]), mix)
        outcome = attack(case)
        refused += bool(outcome.refused)
        for mismatch in outcome.mismatches:
            law = f"{mismatch.law} ({case.method})"
            broken[law] += 1
            if broken[law] == 1:
                scripts.append(shown(case, mismatch.law, seconds=5.0))
    assert not broken, f"{dict(broken)}\n\n" + "\n\n".join(scripts)
    assert refused < n_cases / 4, "most cases must be answered, or the slice tests nothing"


def test_the_oracle_offers_the_quantiles_that_are_the_default():
    """Twenty values have 19 thresholds, of which the default offers 15: the best worst leaf needs another one."""
    values = [4, 9, 11, 19, 2, 14, 1, 3, 16, 5, 18, 10, 7, 13, 8, 17, 12, 0, 15, 6]
    labels = [0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0, 1, 0, 1, 1, 0, 0, 1, 1, 1]
    case = Case("leaf", {"c1": values}, labels, options={"min_samples_leaf": 2})
    assert attack(case).mismatches == []
    values_of = [
        case.but(options=dict(case.options) | more).run().leaf_accuracy_
        for more in ({}, {"thresholds": "all"})
    ]
    assert values_of[0] < values_of[1]


def test_balanced_weights_that_are_multiples_of_one_number_are_exact():
    """Weights of 1.5 and .75: of worst leaves that float64 cannot tell apart, the better one is the answer."""
    columns = {"c0": [0, 1, 1, 1, 0, 0, 0, 1], "c1": [0, None, 0, 1, None, 0, None, 2]}
    weight = [1e9, 3.0, 1.0, 2e9, 1.0, 3.0, 2.0, 2.0]
    options = {"min_samples_leaf": 0.25, "class_weight": "balanced", "criterion": "accuracy"}
    case = Case("leaf", columns, [0, 1] * 4, weight=weight, options=options)
    assert case.run().tree_.n_leaves == 2
    assert attack(case).mismatches == []
