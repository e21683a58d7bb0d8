"""A tree near a regression forest on every row: every cell between thresholds of the forest is tried."""

import itertools

import numpy as np
import pytest
from sklearn.datasets import make_regression
from sklearn.ensemble import (
    ExtraTreesRegressor,
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
    RandomForestRegressor,
)
from sklearn.tree import DecisionTreeRegressor

from treewright.bornagain import near_everywhere
from treewright.convert import from_sklearn
from treewright.errors import InputError
from treewright.result import StopReason

X, Y = make_regression(60, 3, noise=20, random_state=0)
MODELS = {
    "forest": RandomForestRegressor(4, max_depth=3, random_state=0),
    "extra trees": ExtraTreesRegressor(3, max_depth=3, random_state=0),
    "boosting": GradientBoostingRegressor(n_estimators=5, max_depth=2, random_state=0),
    "boosting from zero": GradientBoostingRegressor(n_estimators=5, max_depth=2, init="zero", random_state=0),
    "absolute": GradientBoostingRegressor(n_estimators=4, max_depth=2, loss="absolute_error", random_state=0),
    "tree": DecisionTreeRegressor(max_depth=4, random_state=0),
}


def members(model):
    return list(np.ravel(model.estimators_)) if hasattr(model, "estimators_") else [model]


def rows_of_all_cells(model):
    """One row on every threshold and one beyond the last, in all combinations."""
    cuts = [set() for _ in range(X.shape[1])]
    for member in members(model):
        for split in from_sklearn(member).splits:
            if split is not None:
                cuts[split.column].add(split.threshold)
    return np.array(list(itertools.product(*([*sorted(c), max(c, default=0) + 1] for c in cuts))))


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("tolerance", [0.0, 5.0, 20.0, 60.0, 1e4])
def test_no_cell_is_further_than_proven(name, tolerance):
    model = MODELS[name].fit(X, Y)
    cells = rows_of_all_cells(model)
    numbers = model.predict(cells)
    found = near_everywhere(model, tolerance=tolerance, max_leaves=100_000)
    far = np.abs(found.tree.predict(cells) - numbers).max()
    assert far <= found.distance
    assert found.distance <= max(tolerance, 1e-9)
    assert found.stop_reason is None
    assert 1 <= found.needed_leaves <= found.tree.n_leaves
    assert sorted(found.tree.apply(found.rows)) == list(np.flatnonzero(found.tree.is_leaf))
    if tolerance == 1e4:
        assert found.tree.n_leaves == 1
    if tolerance == 0:
        assert found.needed_leaves == len(np.unique(np.round(numbers, 9)))


@pytest.mark.parametrize("max_leaves", [1, 2, 7, 30])
def test_a_stopped_run_has_a_tree_with_its_proven_distance(max_leaves):
    model = MODELS["forest"].fit(X, Y)
    cells = rows_of_all_cells(model)
    found = near_everywhere(model, tolerance=0.5, max_leaves=max_leaves)
    assert found.tree.n_leaves <= max_leaves
    far = np.abs(found.tree.predict(cells) - model.predict(cells)).max()
    assert 0.5 < far <= found.distance
    assert "max_leaves is too small" in found.sentence()


def test_the_distance_falls_with_the_leaves():
    model = MODELS["forest"].fit(X, Y)
    made = [near_everywhere(model, tolerance=0, max_leaves=n).distance for n in (1, 5, 20, 80)]
    assert made == sorted(made, reverse=True)
    assert made[-1] < made[0] / 3


def test_fewer_leaves_than_needed_are_refuted_by_the_numbers_themselves():
    model = DecisionTreeRegressor().fit([[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 10.0, 20.0])
    found = near_everywhere(model, tolerance=0.5)
    assert (found.tree.n_leaves, found.needed_leaves) == (3, 3)


def test_a_time_limit_and_ctrl_c_keep_a_tree(monkeypatch):
    model = MODELS["forest"].fit(X, Y)
    found = near_everywhere(model, tolerance=0.5, time_limit=0)
    assert (found.tree.n_leaves, found.stop_reason) == (1, StopReason.TIME_LIMIT)
    assert "time limit reached" in found.sentence()
    asked = iter(range(10_000))

    def interrupted():
        if next(asked) == 12:
            raise KeyboardInterrupt
        return 0.0

    monkeypatch.setattr("treewright.bornagain._near_everywhere.time.monotonic", interrupted)
    found = near_everywhere(model, tolerance=0.5)
    assert found.stop_reason is StopReason.INTERRUPT
    assert 1 < found.tree.n_leaves <= 12
    cells = rows_of_all_cells(model)
    assert np.abs(found.tree.predict(cells) - model.predict(cells)).max() <= found.distance


@pytest.mark.parametrize(
    ("model", "options", "said"),
    [
        (HistGradientBoostingRegressor(), {}, "is not read"),
        (RandomForestRegressor(2), {}, "not fitted"),
        (MODELS["tree"].fit(X, Y), {"tolerance": -1}, "tolerance=-1"),
        (MODELS["tree"].fit(X, Y), {"tolerance": np.nan}, "tolerance=nan"),
        (MODELS["tree"].fit(X, Y), {"max_leaves": 0}, "max_leaves=0"),
        (MODELS["tree"].fit(X, Y), {"time_limit": -1}, "time_limit=-1"),
        (
            GradientBoostingRegressor(n_estimators=2, init=DecisionTreeRegressor(max_depth=1)).fit(X, Y),
            {},
            "leave init out",
        ),
    ],
)
def test_mistakes_are_explained(model, options, said):
    with pytest.raises(InputError, match=said):
        near_everywhere(model, **({"tolerance": 1.0} | options))


def test_rows_of_the_proof_are_rows_that_the_model_takes() -> None:
    model = DecisionTreeRegressor().fit([[2e38], [3e38]], [0.0, 1.0])  # twice the threshold is no float32
    found = near_everywhere(model, tolerance=0.0)
    assert found.needed_leaves == 2
    assert model.predict(found.rows).tolist() == [0.0, 1.0]
