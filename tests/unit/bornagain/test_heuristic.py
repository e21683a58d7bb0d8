"""The heuristic's trees: faithful by proof, sized before they are built, optimal where small."""

import itertools

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier

from born_again_oracle import all_cells, random_ensemble
from treewright._native import core
from treewright.bornagain import Ensemble, forecast, solve
from treewright.bornagain._engine import Engine
from treewright.errors import InputError, SolverError
from treewright.result import SolveStatus
from treewright.verify import check_faithful


@pytest.mark.parametrize("exact_boxes", [0, 50, 2000])
@pytest.mark.parametrize("vote", ["hard", "soft", "score", "softmax"])
def test_faithful_whatever_is_solved_exactly(vote, exact_boxes):
    for seed in range(3):
        ensemble = random_ensemble(60 + seed, vote=vote, n_features=4, missing=seed == 1)
        result = solve(ensemble, objective="heuristic", exact_boxes=exact_boxes)
        cells = all_cells(ensemble)
        np.testing.assert_array_equal(result.tree.predict(cells), ensemble.predict(cells))
        least = solve(ensemble, objective="leaves").objective
        assert result.stats["leaves_lower_bound"] <= least <= result.tree.n_leaves


def test_sampled_splits_are_faithful_too():
    """More cells than the grid of a region may have, so that regions are sampled and certified by bounds."""
    X, y = make_classification(500, 20, n_informative=8, random_state=0)
    forest = RandomForestClassifier(8, max_depth=3, random_state=0).fit(np.round(X), y)
    ensemble = Ensemble.from_model(forest).as_hard_vote()
    assert forecast(ensemble).cells > 3e5
    result = solve(ensemble, objective="heuristic")
    assert result.status is SolveStatus.FEASIBLE
    assert check_faithful(result.tree, ensemble).faithful
    again = solve(ensemble, objective="heuristic")
    assert again.tree.splits == result.tree.splits  # same seed, same tree


def test_a_boosted_model_is_proven_optimal():
    X, y = make_classification(300, 8, random_state=1)
    model = GradientBoostingClassifier(n_estimators=10, max_depth=2, random_state=0).fit(X, y)
    ensemble = Ensemble.from_model(model)
    result = solve(ensemble, objective="heuristic", exact_boxes=1e9)
    assert result.status is SolveStatus.OPTIMAL
    assert result.objective == solve(ensemble, objective="leaves").objective
    assert check_faithful(result.tree, ensemble).faithful
    np.testing.assert_array_equal(result.tree.predict(X), model.predict(X))


def test_a_huge_tree_is_announced_and_refused():
    X, y = make_classification(600, 30, n_informative=15, random_state=0)
    forest = RandomForestClassifier(12, max_depth=4, random_state=0).fit(X, y)
    ensemble = Ensemble.from_model(forest)
    words = forecast(ensemble, descents=8)
    assert words.heuristic_leaves > 1e5
    assert "leaves is expected" in words.sentence()
    for goal in ("heuristic", "leaves"):
        with pytest.raises(
            SolverError,
            match=r"(?s)(expected to have about|has more than max_leaves).*faithful=.rows..*prune='active'.*binned",
        ):
            solve(ensemble, objective=goal)


def test_the_estimate_is_near_the_truth():
    ensemble = random_ensemble(1, n_features=9, trees=14)
    truth = solve(ensemble, objective="heuristic", exact_boxes=1e3).tree.n_leaves
    engine = Engine(ensemble)
    limits = (np.inf, 2**62, 2**40, None)
    answer = core.bornagain_hybrid(engine.native, 1e3, 3e5, 1000, np.inf, 0, 300, 1, *limits)
    assert truth / 1.5 < answer["estimate"] < 1.5 * truth


def test_max_leaves_is_a_limit():
    ensemble = random_ensemble(1, n_features=9, trees=14)
    with pytest.raises(SolverError, match="max_leaves=10"):
        solve(ensemble, objective="heuristic", max_leaves=10)
    assert solve(ensemble, objective="heuristic", max_leaves=None).tree.n_leaves > 10


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"objective": "size"}, "objective"),
        ({"time_limit": -1.0}, "time_limit"),
        ({"memory_limit": 5}, "memory_limit"),
        ({"max_leaves": 0}, "max_leaves"),
        ({"samples": 0}, "samples"),
        ({"time_limit": float("nan")}, "time_limit"),
    ],
)
def test_parameters_out_of_range_are_named(change, message):
    with pytest.raises(InputError, match=message):
        solve(random_ensemble(0), **change)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("vote", ["hard", "soft", "score", "softmax"])
def test_homogeneous_boxes_are_recognised(vote, seed):
    """Branch and bound against all cells of random boxes."""
    n_classes = 2 if vote == "score" else 3
    ensemble = random_ensemble(70 + seed, vote=vote, n_classes=n_classes, missing=seed % 2 == 1)
    engine = Engine(ensemble)
    shape = engine.n_cells
    labels = ensemble.predict_index(all_cells(ensemble)).reshape(shape)
    rng = np.random.default_rng(seed)
    seen = set()
    for _ in range(200):
        ends = np.sort(rng.integers(0, shape, (2, len(shape))), axis=0)
        part = labels[tuple(slice(a, b + 1) for a, b in ends.T)]
        label = int(labels[tuple(ends[0])])
        cell = core.bornagain_find_other(engine.native, ends[0].tolist(), ends[1].tolist(), label)
        assert (cell is None) == bool((part == label).all())
        if cell is not None:
            assert (ends[0] <= cell).all() and (cell <= ends[1]).all()  # noqa: PT018
            assert labels[tuple(cell)] != label == core.bornagain_label(engine.native, ends[0].tolist())
        seen.add(cell is None)
    assert seen == {True, False} or len(np.unique(labels)) == 1


def test_cells_and_points_are_inverse():
    ensemble = random_ensemble(3, missing=True)
    engine = Engine(ensemble)
    cells = np.array(list(itertools.product(*[range(n) for n in engine.n_cells])))
    np.testing.assert_array_equal(engine.cells(engine.points(cells)), cells)
    for cell, row in zip(cells.tolist(), engine.points(cells), strict=True):
        assert core.bornagain_label(engine.native, cell) == ensemble.predict_index(row[None, :])[0]


def test_native_arrays_are_checked():
    engine = Engine(random_ensemble(3))
    with pytest.raises(ValueError, match="box"):
        core.bornagain_find_other(engine.native, [0, 0], [1, 1], 0)
    with pytest.raises(ValueError, match="box"):
        core.bornagain_label(engine.native, [0, 0, 99])
