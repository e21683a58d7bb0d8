"""Small trees near the numbers of a model: fewest leaves against every tree of tiny tables."""

from functools import cache

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.ensemble import GradientBoostingRegressor

from treewright.bornagain import distil_values, value_agreement
from treewright.convert import Model, from_json, to_json
from treewright.errors import InputError
from treewright.result import SolveStatus, StopReason
from treewright.table import table_from
from treewright.verify import verify_near_values


def fewest_outside(X, numbers, tolerance, depth, most_leaves):
    """[leaves - 1] the fewest rows further than the tolerance, of all trees of at most so many leaves."""
    masks = [(low <= numbers) & (numbers <= low + 2 * tolerance) for low in numbers]
    return fewest_outside_of(X, masks, depth, most_leaves)


def fewest_outside_of(X, masks, depth, most_leaves):
    """The same, of leaves that are near the rows of one of the masks."""
    cuts = {frozenset(np.flatnonzero(x <= t).tolist()) for x in X.T for t in np.unique(x)[:-1]}
    near = [frozenset(np.flatnonzero(mask).tolist()) for mask in masks]

    @cache
    def least(rows, depth, leaves):
        best = min(len(rows - held) for held in near)
        if depth and leaves > 1:
            for cut in cuts:
                a, b = rows & cut, rows - cut
                if a and b:
                    for k in range(1, leaves):
                        best = min(best, least(a, depth - 1, k) + least(b, depth - 1, leaves - k))
        return best

    return [least(frozenset(range(len(X))), depth, k) for k in range(1, most_leaves + 1)]


@pytest.mark.parametrize("seed", range(4))
def test_no_smaller_tree_is_near_on_as_many_rows(seed):
    rng = np.random.default_rng(seed)
    missed = 0
    for _ in range(25):
        n, depth, most = int(rng.integers(1, 9)), int(rng.integers(0, 4)), int(rng.integers(1, 6))
        X = rng.integers(0, 5, size=(n, 2)).astype(float)
        numbers = rng.integers(0, 8, size=n).astype(float)
        tolerance, share = float(rng.choice([0, 0.5, 1, 1.5])), float(rng.choice([0, 0.2, 0.4]))
        result = distil_values(numbers, X, tolerance=tolerance, share=share, max_depth=depth, max_leaves=most)
        least = fewest_outside(X, numbers, tolerance, depth, most)
        allowed = int(share * n + 1e-9)
        goal = max(allowed, least[-1])
        leaves = 1 + next(k for k, outside in enumerate(least) if outside <= goal)
        assert result.status is SolveStatus.OPTIMAL, (X, numbers, tolerance, share, depth, most)
        assert result.tree.n_leaves == leaves == result.objective == result.lower_bound
        assert round(result.loss * n) == least[leaves - 1]
        assert (np.abs(result.tree.predict(X) - numbers) <= tolerance).sum() == n - least[leaves - 1]
        assert ("Raise tolerance" in result.notes[0]) == (least[-1] > allowed)
        missed += least[-1] > allowed
    assert 0 < missed < 25


@pytest.mark.parametrize(
    ("numbers", "tolerance"),
    [([0.3, 0.4], 0.05), ([0.1, 0.7], 0.3), ([1 / 3, 1.0], 1 / 3), ([-1e9, 1e9], 1e9 - 0.5)],
)
def test_what_counts_as_near_is_what_is_searched(numbers, tolerance):
    # 0.35 is within 0.05 of both, though 0.4 - 0.3 is more than 0.1 in float64: two leaves were called proven
    X = np.arange(2.0)[:, None]
    result = distil_values(numbers, X, tolerance=tolerance)
    assert result.tree.n_leaves == 1
    assert value_agreement(result.tree, numbers, X, tolerance=tolerance).n_alike == 2
    assert verify_near_values(np.array(numbers), table_from(X), result).ok


@pytest.mark.parametrize("seed", range(3))
def test_rounded_numbers_at_the_tolerance_against_every_tree(seed):
    rng = np.random.default_rng(seed)
    for _ in range(40):
        n, depth, most = int(rng.integers(1, 8)), int(rng.integers(0, 4)), int(rng.integers(1, 5))
        X = rng.integers(0, 5, size=(n, 2)).astype(float)
        unit = float(rng.choice([0.1, 1 / 3, 1e-3, 1e9, 1e300]))
        numbers = rng.integers(-4, 7, size=n) * unit + rng.choice([0.0, 0.3, 7 * unit])
        tolerance = float(rng.choice([0.5, 1, 1.5])) * unit
        wide = tolerance + (1e-9 * tolerance + 4 * np.finfo(float).eps * np.abs(numbers))
        masks = [(numbers - wide <= v) & (v <= numbers + wide) for v in numbers - wide]
        result = distil_values(numbers, X, tolerance=tolerance, max_depth=depth, max_leaves=most)
        least = fewest_outside_of(X, masks, depth, most)
        leaves = 1 + least.index(least[-1])
        assert result.status is SolveStatus.OPTIMAL
        assert (result.tree.n_leaves, round(result.loss * n)) == (leaves, least[-1]), (X, numbers, tolerance)
        assert value_agreement(result.tree, numbers, X, tolerance=tolerance).n_alike == n - least[-1]
        assert verify_near_values(numbers, table_from(X), result).ok


@pytest.fixture(scope="module")
def boosted():
    X, y = load_diabetes(return_X_y=True)
    model = GradientBoostingRegressor(n_estimators=20, random_state=0).fit(X[:200], y[:200])
    return X, model.predict(X)


def test_a_boosted_model_in_few_leaves(boosted):
    X, numbers = boosted
    result = distil_values(numbers[:120], X[:120], tolerance=30, share=0.1, max_depth=2, max_leaves=4)
    assert result.status is SolveStatus.OPTIMAL
    near = value_agreement(result.tree, numbers[:120], X[:120], tolerance=30)
    assert near.n_alike == round((1 - result.loss) * 120) == result.stats["rows_alike"]
    assert f"is within 30 of the model's numbers on {near.n_alike} of 120 rows" in result.sentence()
    assert "Proven: no tree over all thresholds of depth 2 or less" in result.sentence()
    assert from_json(to_json(Model.of(result, None, None))).result.sentence() == result.sentence()
    new = value_agreement(result.tree, numbers[200:], X[200:], tolerance=30)
    assert "at most 30 apart on" in new.sentence()
    assert 0 < new.lower_bound < new.share < 1


def test_a_limit_leaves_a_tree_and_a_bound(boosted):
    X, numbers = boosted
    result = distil_values(numbers, X, tolerance=20, max_depth=3, step_limit=20)
    assert result.status is SolveStatus.FEASIBLE
    assert result.stop_reason is not None
    assert 2 <= result.lower_bound <= result.objective
    everything = distil_values(numbers, X, tolerance=20, share=1, max_depth=3, step_limit=1)
    assert everything.tree.n_leaves >= 1
    stopped = distil_values(numbers, X, tolerance=20, max_depth=3, progress=lambda now: True)
    assert stopped.stop_reason is StopReason.CALLBACK
    assert stopped.tree.n_leaves >= 1


def test_what_cannot_be_used_is_refused(boosted):
    X, numbers = boosted
    for wrong, message in (
        ({"tolerance": -1}, "tolerance=-1"),
        ({"tolerance": 1, "share": 2}, "share=2"),
        ({"tolerance": 1, "max_leaves": 0}, "max_leaves=0"),
        ({"tolerance": 1, "max_depth": None}, "max_depth=None"),
    ):
        with pytest.raises(InputError, match=message):
            distil_values(numbers, X, **wrong)
    with pytest.raises(InputError, match="one number per row"):
        distil_values(numbers[1:], X, tolerance=1)
    with pytest.raises(InputError, match="NaN or infinity"):
        distil_values(np.where(numbers > 200, np.nan, numbers), X, tolerance=1)
