"""Numbers of near-optimal trees that independent programs list, under the definitions of each.

TreeFARMS 0.2.4 labels a leaf with the second of two equally cheap classes and counts no redundant splits. PRAXIS 0.0.30
counts every label and every split, in whole rows: a leaf and the bound are rounded. The largest count is beyond its
64 bits, where it prints the remainder.
"""

from collections import Counter
from functools import cache
from itertools import product

import numpy as np
import pytest

from near_optimal_lists import Listed, nested
from shared_folder import shared
from treewright import near_optimal_trees

COMPAS, FICO = "compas-binary.csv", "fico_binary.csv.gz"


MONK = "monk1-train.csv"
THIRTEEN_ROWS = "100011 010101 010101 001000 001011 001000 000100 000100 000111 000100 000001 000001 000001"


def test_a_small_table_on_which_praxis_leaves_out_a_tree() -> None:
    """PRAXIS 0.0.30 lists 81 of them by default: all but the last here, six leaves without an error, on the bound."""
    X = np.array([[int(digit) for digit in row] for row in THIRTEEN_ROWS.split()])
    y, sides = X[:, 5], list(X[:, :5].T)
    every = Listed(
        sides,
        y,
        np.ones(13, dtype=int),
        1 - np.eye(2, dtype=int),
        4,
        any_label=True,
        redundant=True,
        min_rows=1,
    )
    listed = [tree for tree, leaves, errors in every.all if leaves + errors <= 6]
    found = near_optimal_trees(
        X[:, :5],
        y,
        cost_complexity=1 / 13,
        max_depth=4,
        max_objective=6 / 13,
        leaf_labels="any",
        redundant_splits=True,
    )
    assert found.n_trees_ == len(listed) == 82
    numbers = {split: split.column for split in found.graph.split_matrix.splits}
    assert sorted(map(repr, listed)) == sorted(repr(nested(tree, numbers)) for tree in found)
    assert (0, (4, (3, (2, 1, 0), (1, 0, 1)), 1), 1) in listed


def test_a_small_table_on_which_treefarms_leaves_out_a_tree() -> None:
    """TreeFARMS 0.2.4 lists two: not the last, a split on x0 and then on x1, which costs 4 of at most 4.5 rows."""
    X, y = [[1, 0], [0, 1], [1, 1], [0, 1], [0, 1]], np.array([0, 1, 1, 0, 1])
    found = near_optimal_trees(
        X, 1 - y, cost_complexity=0.2, max_depth=2, epsilon=0.5
    )  # of equal labels the second
    numbers = {split: split.column for split in found.graph.split_matrix.splits}
    assert [nested(tree, numbers) for tree in found] == [0, (1, 1, 0), (0, 0, (1, 1, 0))]


@pytest.mark.shared
def test_a_set_that_praxis_does_not_list_in_full() -> None:
    """Leaf of one row, depth 4, bound of 13 rows: PRAXIS 0.0.30 says 110 by default; a plain enumeration has 124."""
    X, y = table(MONK)
    n, bound = len(y), 13
    sides = [frozenset(np.flatnonzero(column).tolist()) for column in X.T]

    @cache
    def counted(rows: frozenset[int], depth: int) -> Counter[int]:
        ones = sum(int(y[row]) for row in rows)
        out = Counter([ones + 1, len(rows) - ones + 1])
        for side in sides if depth else ():
            if rows & side and rows - side:
                left, right = counted(rows & side, depth - 1), counted(rows - side, depth - 1)
                for (a, p), (b, q) in product(left.items(), right.items()):
                    out[a + b] += p * q
        return Counter({cost: count for cost, count in out.items() if cost <= bound})

    found = near_optimal_trees(
        X, y, cost_complexity=1 / n, max_depth=4, max_objective=bound / n, leaf_labels="any",
        redundant_splits=True, time_limit=None,
    )  # fmt: skip
    assert found.n_trees_ == counted(frozenset(range(n)), 4).total() == 124


@pytest.mark.shared
def test_two_trees_that_praxis_leaves_out() -> None:
    """PRAXIS 0.0.30 says 1,059,752 by default for a leaf of 14 rows, a bound of 2,403: nothing is rounded."""
    X, y = table(COMPAS)
    n, leaf, depth = len(y), 14, 5
    bound = 2403

    def rows_of(column: np.ndarray) -> int:
        return int.from_bytes(np.packbits(column.astype(bool)).tobytes(), "big")

    columns, positive = [rows_of(column) for column in X.T], rows_of(y)

    @cache
    def least(rows: int, levels: int) -> int:
        ones = (rows & positive).bit_count()
        found = [min(ones, rows.bit_count() - ones) + leaf]
        for right in columns if levels else ():
            if rows & right and rows & ~right:
                found.append(least(rows & ~right, levels - 1) + least(rows & right, levels - 1))
        return min(found)

    @cache
    def counted(rows: int, levels: int, most: int) -> Counter[int]:
        ones = (rows & positive).bit_count()
        out = Counter([ones + leaf, rows.bit_count() - ones + leaf])
        for right in columns if levels else ():
            sides = rows & ~right, rows & right
            if not all(sides):
                continue
            a, b = (least(side, levels - 1) for side in sides)
            if a + b <= most:
                left, other = counted(sides[0], levels - 1, most - b), counted(sides[1], levels - 1, most - a)
                for (x, p), (z, q) in product(left.items(), other.items()):
                    out[x + z] += p * q
        return Counter({cost: number for cost, number in out.items() if cost <= most})

    found = near_optimal_trees(
        X, y, cost_complexity=leaf / n, max_depth=depth, max_objective=bound / n, leaf_labels="any",
        redundant_splits=True, time_limit=None,
    )  # fmt: skip
    assert counted(rows_of(np.ones(n)), depth, bound).total() == found.n_trees_ == 1_059_754


@cache
def table(file: str) -> tuple[np.ndarray, np.ndarray]:
    values = np.loadtxt(shared(f"data/osdt/{file}"), delimiter=";", skiprows=1)
    return values[:, :-1], values[:, -1]


@pytest.mark.shared
def test_count_of_treefarms() -> None:
    X, y = table(COMPAS)
    found = near_optimal_trees(X, 1 - y, cost_complexity=0.01, max_depth=5, epsilon=0.1, time_limit=None)
    assert found.status_ == "complete"
    assert found.n_trees_ == 180_680


@pytest.mark.shared
@pytest.mark.parametrize(
    ("file", "price", "expected"),
    [
        (COMPAS, 0.01, 2_818_537),
        (COMPAS, 0.005, 78_359_275_172),
        (COMPAS, 0.002, 161_640_768_451_493_279_139),
        (FICO, 0.01, 532_417),
        (FICO, 0.005, 210_500_180_803),
        (FICO, 0.002, 682_848_415_160_830_498_472_897),
    ],
)
def test_count_of_praxis(file: str, price: float, expected: int) -> None:
    X, y = table(file)
    n = len(y)
    leaf = round(price * n)
    how = {"cost_complexity": leaf / n, "max_depth": 5, "time_limit": None}
    best = near_optimal_trees(X, y, epsilon=0, **how).best
    least = round(best.loss * n) + leaf * best.tree.n_leaves
    found = near_optimal_trees(
        X, y, max_objective=round(1.1 * least) / n, leaf_labels="any", redundant_splits=True, **how
    )
    assert found.status_ == "complete"
    assert found.n_trees_ == expected


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "leaf", "bound", "trees"),
    [("raisin", 18, 161, 34), ("raisin", 9, 147, 7728), ("rice", 76, 431, 147)],
)
def test_count_of_arborenum_over_all_thresholds(name, leaf, bound, trees) -> None:
    """arborenum 0.2.6 counts all thresholds of the table at every node, every label and split, in whole rows."""
    values = np.loadtxt(shared(f"data/continuous/{name}.csv.gz"), delimiter=",", skiprows=1)
    X, y = values[:, 1:], values[:, 0]
    found = near_optimal_trees(
        X, y, cost_complexity=leaf / len(y), max_depth=3, max_objective=bound / len(y), leaf_labels="any",
        redundant_splits=True, thresholds="all", time_limit=None,
    )  # fmt: skip
    assert found.n_trees_ == trees
