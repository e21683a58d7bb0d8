"""Published forests: sizes of the reference (Vidal and Schiffer 2020, Tables 2, 6, 7), faithful by proof.

The whole benchmark, with times, is benchmarks/born_again.py; here all folds of five sets and one fold of the
largest.
"""

import json

import numpy as np
import pytest

from born_again_oracle import published_forest
from shared_folder import shared
from treewright.bornagain import distil, solve, solve_active
from treewright.result import SolveStatus
from treewright.tree import merge_equal_leaves
from treewright.verify import check_faithful

pytestmark = pytest.mark.shared

SETS = {"FICO": 10, "COMPAS-ProPublica": 10, "HTRU2": 10, "Seeds": 10, "Pima-Diabetes": 10}
# Averages over ten folds: depth (Table 6) and leaves (Table 7).
AVERAGES = {
    "FICO": (8.6, 39.2),
    "COMPAS-ProPublica": (8.9, 37.1),
    "HTRU2": (6.0, 11.9),
    "Seeds": (10.2, 214.6),
    "Pima-Diabetes": (9.6, 169.7),
}
# Averages of the published depth-then-leaves trees (Table 8); the optimum is never larger.
PUBLISHED_DL = {
    "FICO": 39.2,
    "COMPAS-ProPublica": 37.1,
    "HTRU2": 12.0,
    "Seeds": 261.0,
    "Pima-Diabetes": 206.7,
}


def reference():
    rows = json.loads(shared("reference/born_again.json").read_text())["rows"]
    return {(r["dataset"], r["fold"], r["objective"]): r["value"] for r in rows}


@pytest.mark.parametrize("dataset", list(SETS))
def test_sizes_equal_the_reference_and_the_tables(dataset):
    expected = reference()
    depths, leaves, both = [], [], []
    for fold in range(1, SETS[dataset] + 1):
        ensemble = published_forest(dataset, fold)
        results = {goal: solve(ensemble, objective=goal) for goal in ("depth", "leaves", "depth-leaves")}
        got = {
            "depth": results["depth"].tree.depth,
            "leaves": results["leaves"].tree.n_leaves,
            "depth-leaves": [results["depth-leaves"].tree.depth, results["depth-leaves"].tree.n_leaves],
        }
        for goal, result in results.items():
            assert result.status is SolveStatus.OPTIMAL
            assert got[goal] == expected.get((dataset, fold, goal), got[goal]), (fold, goal)
            assert check_faithful(result.tree, ensemble).faithful
        depths.append(got["depth"])
        leaves.append(got["leaves"])
        both.append(got["depth-leaves"][1])
    assert round(float(np.mean(depths)), 1) == AVERAGES[dataset][0]
    assert round(float(np.mean(leaves)), 1) == AVERAGES[dataset][1]
    assert np.mean(both) <= PUBLISHED_DL[dataset] + 0.05


def test_breast_cancer_fold_1():
    expected = reference()
    ensemble = published_forest("Breast-Cancer-Wisconsin", 1)
    tree = solve(ensemble, objective="depth-leaves").tree
    assert [tree.depth, tree.n_leaves] == expected["Breast-Cancer-Wisconsin", 1, "depth-leaves"]
    assert check_faithful(tree, ensemble).faithful


def test_pima_fold_2_where_the_published_program_misses_the_optimum():
    """Its answer to depth-then-leaves is (10, 143); 121 leaves suffice at depth 10."""
    tree = solve(published_forest("Pima-Diabetes", 2), objective="depth-leaves").tree
    assert (tree.depth, tree.n_leaves) == (10, 121)


@pytest.mark.parametrize(
    ("dataset", "fewest"), [("Seeds", [9, 8, 5]), ("Breast-Cancer-Wisconsin", [7, 8, 10])]
)
def test_fewest_merged_leaves_are_proven_below_those_of_active_trees(dataset, fewest):
    for fold, leaves in enumerate(fewest, start=1):
        ensemble, X = published_forest(dataset, fold), training_rows(dataset, fold)
        found = distil(ensemble, X, tolerance=0.0, max_depth=None, max_leaves=40)
        assert found.status is SolveStatus.OPTIMAL
        assert found.tree.n_leaves == leaves < merge_equal_leaves(solve_active(ensemble, X).tree).n_leaves
        np.testing.assert_array_equal(found.tree.predict(X), ensemble.predict(X))


def training_rows(dataset, fold):
    path = shared(f"data/born_again/{dataset}/folds/{dataset}.train{fold}.csv.gz")
    return np.loadtxt(path, delimiter=",", skiprows=1)[:, :-1]
