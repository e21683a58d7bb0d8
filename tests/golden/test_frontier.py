"""The published optima once more, all read off one frontier for each file and depth."""

import json
from functools import cache

import numpy as np
import pytest

from shared_folder import shared
from treewright import Frontier, OptimalTreeClassifier, SolveStatus, accuracy_frontier

FILES = {  # and how many leaves; fico without a depth limit has more to search
    "compas-binary.csv": 20,
    "fico_binary.csv.gz": 12,
    "tic-tac-toe.csv": 20,
    "car-evaluation.csv": 20,
    "monk1-train.csv": 20,
}
DEPTHS = (3, 4, 5, None)


@cache
def table(file: str) -> tuple[np.ndarray, np.ndarray]:
    values = np.loadtxt(shared(f"data/osdt/{file}"), delimiter=";", skiprows=1)
    return values[:, :-1], values[:, -1]


@cache
def front_of(file: str, max_depth: int | None) -> Frontier:
    X, y = table(file)
    return accuracy_frontier(X, y, max_leaves=FILES[file], max_depth=max_depth, time_limit=None)


@pytest.mark.shared
@pytest.mark.parametrize("max_depth", DEPTHS)
@pytest.mark.parametrize("file", FILES)
def test_reference_optima_lie_on_the_frontier(file: str, max_depth: int | None) -> None:
    rows = json.loads(shared("reference/sparse_trees.json").read_text())["rows"]
    frontier = front_of(file, max_depth)
    assert frontier.proven_leaves == FILES[file]
    compared = 0
    for row in rows:
        if row["file"] != f"osdt/{file}" or row["max_depth"] != max_depth:
            continue
        point = frontier.select(row["cost_complexity"])
        assert point.status is SolveStatus.OPTIMAL
        assert point.objective >= row["objective"] - 2e-9  # nine decimals are given
        alone = OptimalTreeClassifier(row["cost_complexity"], max_depth=max_depth, time_limit=None).fit(
            *table(file)
        )
        if alone.get_n_leaves() <= frontier.max_leaves:  # else the optimum is beyond this front
            assert point.objective == pytest.approx(row["objective"], abs=2e-9)
            compared += 1
    assert compared >= 1


@pytest.mark.shared
@pytest.mark.parametrize(("file", "max_depth"), [("compas-binary.csv", None), ("fico_binary.csv.gz", 4)])
def test_every_point_is_the_search_s_own_answer(file: str, max_depth: int | None) -> None:
    X, y = table(file)
    frontier = front_of(file, max_depth)
    for point in frontier[:-1]:
        leaves = point.tree.n_leaves
        prices = frontier.penalty_range(leaves)
        if prices is None:
            limits = {"cost_complexity": 0.0, "max_leaf_nodes": leaves}
        else:
            limits = {"cost_complexity": min(1.0, (prices[0] + min(prices[1], 1.0)) / 2)}
        model = OptimalTreeClassifier(**limits, max_depth=max_depth, time_limit=None).fit(X, y)  # type: ignore[arg-type]
        assert model.result_.status is SolveStatus.OPTIMAL
        assert model.result_.loss == pytest.approx(point.loss, abs=1e-12)
        assert model.get_n_leaves() == leaves
