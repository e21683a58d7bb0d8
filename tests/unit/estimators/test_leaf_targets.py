"""What a regression tree says of the targets in its leaves."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from treewright import OptimalTreeRegressor
from treewright.errors import InputError
from treewright.estimators import LeafTargets


def fitted(seed=0, weighted=False):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(200, 3)).round(1), rng.normal(size=200)
    y[X[:, 0] > 0.3] += 3
    weight = rng.integers(0, 4, 200).astype(float) if weighted else np.ones(200)
    return X, y, weight, OptimalTreeRegressor(max_depth=2).fit(X, y, weight)


@pytest.mark.parametrize("weighted", [False, True])
def test_records_by_hand(weighted):
    X, y, weight, model = fitted(weighted=weighted)
    leaf = model.apply(X)
    records = model.leaf_records(quantiles=(0, 0.25, 1))
    assert [row["leaf"] for row in records] == sorted(set(leaf[weight > 0].tolist()))
    for row in records:
        here = (leaf == row["leaf"]) & (weight > 0)
        w, t = weight[here], y[here]
        mean = np.average(t, weights=w)
        assert row["rows"] == here.sum()
        assert row["mean"] == pytest.approx(mean)
        assert row["standard_deviation"] == pytest.approx(math.sqrt(np.average((t - mean) ** 2, weights=w)))
        n = here.sum()
        error = math.sqrt(n / (n - 1) * ((w * (t - mean)) ** 2).sum()) / w.sum()
        assert row["standard_error"] == pytest.approx(error)
        if not weighted:
            assert error == pytest.approx(t.std(ddof=1) / math.sqrt(n))
        assert (row["quantile_0"], row["quantile_1"]) == (t.min(), t.max())
        copies = np.sort(np.repeat(t, w.astype(int)))
        assert row["quantile_0.25"] == copies[math.ceil(0.25 * len(copies)) - 1]


@pytest.mark.parametrize("coverage", [0.5, 0.9, 0.999])
def test_intervals_hold_their_share_of_the_training_rows(coverage):
    X, y, _, model = fitted()
    low, high = model.predict_interval(X, coverage).T
    leaf = model.apply(X)
    for node in np.unique(leaf):
        here = leaf == node
        assert ((y >= low) & (y <= high))[here].mean() >= coverage
        assert len(set(low[here])) == len(set(high[here])) == 1


def test_a_leaf_of_one_row_and_targets_that_overflow():
    one = LeafTargets(np.array([5.0]), np.array([2.0]), 5.0)
    assert math.isnan(one.standard_error)
    assert (one.standard_deviation, one.quantile(0.5)) == (0.0, 5.0)
    wide = LeafTargets(np.array([-1.5e308, 1.5e308]), np.ones(2), 0.0)
    assert wide.standard_deviation == pytest.approx(1.5e308)
    assert wide.standard_error == pytest.approx(1.5e308)
    tiny = LeafTargets(np.array([0.0, 2e-300]), np.ones(2), 1e-300)
    assert tiny.standard_deviation == pytest.approx(1e-300)


@pytest.mark.parametrize("weight", [[1.0, 1.0, 1.0], [1.0, 2.0, 3.0]])
def test_rows_may_come_in_any_order_and_are_kept_by_their_targets(weight):
    y, weights = np.array([3.0, 1.0, 2.0]), np.array(weight)
    targets = pickle.loads(pickle.dumps(LeafTargets(y, weights, 2.0)))
    assert targets.y.tolist() == [1.0, 2.0, 3.0]
    assert targets.sample_weight.tolist() == weights[[1, 2, 0]].tolist()
    assert y.tolist() == [3.0, 1.0, 2.0]  # not those of the caller


def test_what_cannot_be_used_is_refused():
    X, _, _, model = fitted()
    for wrong in (0, 1, True, "0.9", math.nan):
        with pytest.raises(InputError, match="coverage="):
            model.predict_interval(X, wrong)
    with pytest.raises(InputError, match=r"quantiles has 1.5"):
        model.leaf_records([1.5])
    with pytest.raises(NotFittedError):
        OptimalTreeRegressor().leaf_records()


def test_every_quantile_has_a_name_of_its_own():
    _, y, _, model = fitted()
    shares = (0.5, 0.5000001, 0.4999999, 1 / 3, 0.333333, 1)
    for row in model.leaf_records(quantiles=shares):
        named = {
            float(name.removeprefix("quantile_")): value for name, value in row.items() if "quantile_" in name
        }
        assert sorted(named) == sorted(shares)
        assert all(value in y for value in named.values())
    assert "quantile_0.333333" in row
    assert "quantile_1" in row
