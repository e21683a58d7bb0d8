"""Homogeneity of a box: bounds, integer program and all cells agree."""

import numpy as np
import pytest

from born_again_oracle import all_cells, random_ensemble
from treewright.bornagain import find_other_decision
from treewright.errors import InputError


@pytest.mark.parametrize("vote", ["hard", "soft", "score", "softmax"])
@pytest.mark.parametrize("seed", range(3))
def test_both_certificates_agree_with_all_cells(vote, seed):
    n_classes = 2 if vote == "score" else 3
    ensemble = random_ensemble(80 + seed, vote=vote, n_classes=n_classes)
    cells = all_cells(ensemble)
    labels = ensemble.predict(cells)
    rng = np.random.default_rng(seed)
    seen = set()
    for wide in (1, 1, 1, 1, 2, 2, 2, 2, 3, 3):
        row = cells[rng.integers(len(cells))]
        lower, upper = row - rng.integers(1, wide + 1, 3), row + rng.integers(0, wide, 3)
        inside = ((cells > lower) & (cells <= upper)).all(axis=1)
        mixed = len(np.unique(labels[inside])) > 1
        for method in ("bounds", "milp"):
            other = find_other_decision(ensemble, row, lower, upper, method=method)
            assert (other is not None) == mixed
            if other is not None:
                assert ensemble.predict(other[None, :])[0] != ensemble.predict(row[None, :])[0]
        seen.add(mixed)
    assert seen == {True, False}


def test_the_whole_space_and_mistakes():
    ensemble = random_ensemble(81)
    row = np.zeros(3)
    everywhere = [-np.inf] * 3, [np.inf] * 3
    assert find_other_decision(ensemble, row, *everywhere) is not None
    with pytest.raises(InputError, match="outside"):
        find_other_decision(ensemble, row, [5.0] * 3, [9.0] * 3)
    with pytest.raises(InputError, match="method"):
        find_other_decision(ensemble, row, *everywhere, method="guess")
    with pytest.raises(InputError, match="missing"):
        find_other_decision(random_ensemble(81, missing=True), row, *everywhere, method="milp")
