"""A tree near a regression forest on every row: every cell between thresholds of the forest is tried."""

import itertools
import pkgutil
from fractions import Fraction

import numpy as np
import pytest
from sklearn.datasets import make_regression
from sklearn.ensemble import (
    ExtraTreesRegressor,
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
    RandomForestRegressor,
)
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeRegressor

from treewright.bornagain import near_everywhere
from treewright.bornagain._number_boxes import Forest
from treewright.convert import NumberEnsemble, from_sklearn, save_numbers
from treewright.errors import InputError
from treewright.result import SolveStatus, StopReason
from treewright.verify import furthest_apart, verify_near_everywhere

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
    assert far <= found.loss
    assert found.loss <= max(tolerance, 1e-9)
    assert found.stop_reason is None
    assert 1 <= found.lower_bound <= found.objective == found.tree.n_leaves
    assert (found.status is SolveStatus.OPTIMAL) == (found.loss <= tolerance and found.gap == 0)
    ensemble = NumberEnsemble.from_model(model)
    report = verify_near_everywhere(ensemble, found)
    assert report.ok, str(report)
    furthest = furthest_apart(found.tree, ensemble)
    assert abs(furthest.distance - far) <= ensemble.rounding
    if furthest.row is not None:
        apart = abs(found.tree.predict(furthest.row[None]) - model.predict(furthest.row[None]))[0]
        assert abs(apart - far) <= ensemble.rounding
    if tolerance == 1e4:
        assert found.tree.n_leaves == 1
    if tolerance == 0:
        assert found.lower_bound == len(np.unique(np.round(numbers, 9)))


@pytest.mark.parametrize("max_leaves", [1, 2, 7, 30])
def test_a_stopped_run_has_a_tree_with_its_proven_distance(max_leaves):
    model = MODELS["forest"].fit(X, Y)
    cells = rows_of_all_cells(model)
    found = near_everywhere(model, tolerance=0.5, max_leaves=max_leaves)
    assert found.tree.n_leaves <= max_leaves
    assert verify_near_everywhere(NumberEnsemble.from_model(model), found).ok
    far = np.abs(found.tree.predict(cells) - model.predict(cells)).max()
    assert 0.5 < far <= found.loss
    assert "max_leaves is too small" in found.sentence()


def test_the_distance_falls_with_the_leaves():
    model = MODELS["forest"].fit(X, Y)
    made = [near_everywhere(model, tolerance=0, max_leaves=n).loss for n in (1, 5, 20, 80)]
    assert made == sorted(made, reverse=True)
    assert made[-1] < made[0] / 3


def test_fewer_leaves_than_needed_are_refuted_by_the_numbers_themselves():
    model = DecisionTreeRegressor().fit([[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 10.0, 20.0])
    found = near_everywhere(model, tolerance=0.5)
    assert (found.tree.n_leaves, found.lower_bound) == (3, 3)


def test_a_time_limit_and_ctrl_c_keep_a_tree(monkeypatch):
    model = MODELS["forest"].fit(X, Y)
    found = near_everywhere(model, tolerance=0.5, time_limit=1e-9)
    assert (found.tree.n_leaves, found.stop_reason) == (1, StopReason.TIME_LIMIT)
    assert "time limit reached" in found.sentence()
    calls = 0

    class Interrupted(Forest):
        def questions(self, box):
            nonlocal calls
            calls += 1
            if calls == 12:
                raise KeyboardInterrupt
            return super().questions(box)

    monkeypatch.setattr("treewright.bornagain._near_everywhere.Forest", Interrupted)
    found = near_everywhere(model, tolerance=0.5)
    assert found.stop_reason is StopReason.INTERRUPT
    assert found.asked_to_stop is StopReason.INTERRUPT
    assert 1 < found.tree.n_leaves <= 12
    cells = rows_of_all_cells(model)
    assert np.abs(found.tree.predict(cells) - model.predict(cells)).max() <= found.loss


@pytest.mark.parametrize("steps", [None, 40])
@pytest.mark.parametrize("where", ["_merge", "_Search._rows_apart", "_tree", "_Search._notes"])
def test_ctrl_c_while_the_result_is_put_together_keeps_it(where, steps, monkeypatch):
    model = MODELS["forest"].fit(X, Y)
    whole = near_everywhere(model, tolerance=5.0, step_limit=steps)
    name = f"treewright.bornagain._near_everywhere.{where}"
    put_together = pkgutil.resolve_name(name.replace("_near_everywhere.", "_near_everywhere:"))
    calls = []

    def interrupted(*given):
        calls.append(1)
        answer = put_together(*given)
        if len(calls) == 1:  # when nearly all is done
            raise KeyboardInterrupt
        return answer

    monkeypatch.setattr(name, interrupted)
    found = near_everywhere(model, tolerance=5.0, step_limit=steps)
    assert len(calls) == 2
    assert found.asked_to_stop is StopReason.INTERRUPT
    assert found.stop_reason is whole.stop_reason
    assert found.status is SolveStatus.FEASIBLE
    assert found.lower_bound == 1.0
    assert (found.loss, found.tree.n_leaves) == (whole.loss, whole.tree.n_leaves)
    np.testing.assert_array_equal(found.tree.value, whole.tree.value)
    assert "Interrupted before" in found.notes[-1]
    assert verify_near_everywhere(NumberEnsemble.from_model(model), found).ok


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        ({"step_limit": 40}, StopReason.STEP_LIMIT),
        ({"memory_limit": 20_000}, StopReason.MEMORY_LIMIT),
        ({"progress": lambda _: True}, StopReason.CALLBACK),
    ],
)
def test_every_limit_keeps_a_tree_with_its_distance(limits, reason, monkeypatch):
    monkeypatch.setattr("treewright.bornagain._near_everywhere.SECONDS_BETWEEN_CALLS", 0.0)
    model = MODELS["forest"].fit(X, Y)
    found = near_everywhere(model, tolerance=0.5, **limits)
    assert found.stop_reason is reason
    assert found.stats["steps"] <= limits.get("step_limit", 10**6)
    cells = rows_of_all_cells(model)
    assert np.abs(found.tree.predict(cells) - model.predict(cells)).max() <= found.loss
    assert verify_near_everywhere(NumberEnsemble.from_model(model), found).ok


def test_a_callback_sees_the_distance_fall(monkeypatch):
    monkeypatch.setattr("treewright.bornagain._near_everywhere.SECONDS_BETWEEN_CALLS", 0.0)
    seen = []
    near_everywhere(
        MODELS["forest"].fit(X, Y), tolerance=5.0, progress=lambda now: seen.append(now.objective)
    )
    assert len(seen) > 10
    assert seen == sorted(seen, reverse=True)


def test_rows_are_counted_in_the_nodes():
    model = MODELS["forest"].fit(X, Y)
    tree = near_everywhere(model, tolerance=20.0, X=X).tree
    leaf, count = np.unique(tree.apply(X), return_counts=True)
    assert tree.n_node_samples[leaf].tolist() == count.tolist()
    assert tree.n_node_samples[0] == len(X)


def test_a_search_without_rounding_is_exact_to_the_last_bit():
    """Of one tree nothing is added; the distance is the exact difference, rounded up."""
    rng = np.random.default_rng(0)
    for seed in range(40):
        rows, y = rng.normal(size=(12, 2)), rng.normal(size=12)
        model = DecisionTreeRegressor(random_state=seed).fit(rows, y)
        found = near_everywhere(model, tolerance=0.3)
        said = found.tree.predict(rows)
        assert max(abs(Fraction(a) - Fraction(b)) for a, b in zip(said, y, strict=True)) <= Fraction(
            found.loss
        )
        assert found.loss <= 0.3


@pytest.mark.parametrize("make", ["xgboost", "lightgbm", "histogram"])
def test_models_of_other_libraries(make, tmp_path):
    if make == "histogram":
        model = HistGradientBoostingRegressor(max_iter=3, max_leaf_nodes=4, min_samples_leaf=5)
    elif make == "xgboost":
        library = pytest.importorskip("xgboost")
        model = library.XGBRegressor(n_estimators=4, max_depth=2)
    else:
        library = pytest.importorskip("lightgbm")
        model = library.LGBMRegressor(n_estimators=3, num_leaves=4, min_child_samples=5, verbose=-1)
    model.fit(X, Y)
    found = near_everywhere(model, tolerance=8.0)
    ensemble = NumberEnsemble.from_model(model)
    cuts = [
        np.unique(np.concatenate([t.threshold[t.feature == j] for t in ensemble.trees])) for j in range(3)
    ]
    cells = np.array(list(itertools.product(*([*c, c[-1] + 1 if len(c) else 0] for c in cuts))))
    far = np.abs(found.tree.predict(cells) - model.predict(cells)).max()
    assert 0 < far <= found.loss <= 8.0
    assert verify_near_everywhere(ensemble, found).ok
    save_numbers(tmp_path / "model.json", model)
    again = near_everywhere(NumberEnsemble.load(tmp_path / "model.json"), tolerance=8.0)
    assert again.tree.value.tolist() == found.tree.value.tolist()


@pytest.mark.parametrize(
    ("model", "options", "said"),
    [
        (LinearRegression().fit(X, Y), {}, "cannot be read as a sum of regression trees"),
        (
            HistGradientBoostingRegressor(loss="poisson", max_iter=1).fit(X, abs(Y)),
            {},
            "whose numbers are no sum",
        ),
        (DecisionTreeRegressor(max_depth=1).fit(X, np.c_[Y, Y]), {}, "has 2 outputs"),
        (RandomForestRegressor(2), {}, "not fitted"),
        (MODELS["tree"].fit(X, Y), {"tolerance": -1}, "tolerance=-1"),
        (MODELS["tree"].fit(X, Y), {"tolerance": np.nan}, "tolerance=nan"),
        (MODELS["tree"].fit(X, Y), {"max_leaves": 0}, "max_leaves=0"),
        (MODELS["tree"].fit(X, Y), {"time_limit": -1}, "time_limit=-1"),
        (
            GradientBoostingRegressor(n_estimators=2, init=DecisionTreeRegressor(max_depth=1)).fit(X, Y),
            {},
            "not a constant",
        ),
    ],
)
def test_mistakes_are_explained(model, options, said):
    with pytest.raises(InputError, match=said):
        near_everywhere(model, **({"tolerance": 1.0} | options))


def test_rows_of_the_proof_are_rows_that_the_model_takes() -> None:
    model = DecisionTreeRegressor().fit([[2e38], [3e38]], [0.0, 1.0])  # twice the threshold is no float32
    found = near_everywhere(model, tolerance=0.0)
    assert found.lower_bound == 2
    rows = np.zeros((2, 1))
    for i, row in enumerate(found.stats["rows_apart"]):
        for column, value in row:
            rows[i, column] = value
    assert model.predict(rows).tolist() == [0.0, 1.0]
