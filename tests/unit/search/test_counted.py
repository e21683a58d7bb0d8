"""Trees counted by the compiled core are those of `grow`, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

from treewright.problem import Problem, make_problem
from treewright.search._counted import counted_tree
from treewright.table import table_from
from treewright.tree import CategorySplit, Split, ThresholdSplit, grow


def random_split(rng: np.random.Generator) -> Split:
    missing_left = bool(rng.integers(2))
    if rng.random() < 0.5:
        threshold = float(rng.choice([-np.inf, 0.2, 0.5, 0.9, np.inf]))
        return ThresholdSplit(int(rng.integers(3)), threshold, missing_left)
    codes = rng.permutation(4)[: rng.integers(0, 4)]
    return CategorySplit(3, tuple(sorted(codes.tolist())), missing_left)


def random_splits(rng: np.random.Generator, depth: int) -> list[Split | None]:
    if depth == 0 or rng.random() < 0.2:
        return [None]
    return [random_split(rng), *random_splits(rng, depth - 1), *random_splits(rng, depth - 1)]


def random_problem(rng: np.random.Generator) -> Problem:
    pd = pytest.importorskip("pandas")
    n = int(rng.integers(4, 60))
    X = rng.random((n, 3))
    X[rng.random(X.shape) < 0.1] = np.nan
    text = rng.choice(np.array(["a", "b", "c", "d", None], dtype=object), n)
    text[:4] = ["a", "b", "c", "d"]
    frame = pd.DataFrame(X).assign(text=text)
    costs = rng.random((3, 3)) * (1 - np.eye(3))
    y = np.r_[0, 1, 2, rng.integers(0, 3, n - 3)]
    return make_problem(table_from(frame), y, sample_weight=rng.random(n) + 0.1, costs=costs)


@pytest.mark.parametrize("seed", range(5))
def test_equal_to_grow(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(40):
        problem = random_problem(rng)
        splits = random_splits(rng, 6)
        expected = grow(
            problem.table.columns,
            problem.classes,
            splits,
            problem.table.X,
            problem.y,
            problem.sample_weight,
            problem.costs,
        )
        got = counted_tree(problem, splits)
        assert (got.columns, got.splits) == (expected.columns, expected.splits)
        for name in ("children_left", "children_right", "prediction", "value", "n_node_samples"):
            there, here = getattr(expected, name), getattr(got, name)
            assert there.dtype == here.dtype
            np.testing.assert_array_equal(there, here)


@pytest.mark.parametrize("splits", [[], [None, None], [ThresholdSplit(0, 0.5), None]])
def test_splits_that_are_no_tree_are_refused(splits: list[Split | None]) -> None:
    with pytest.raises(ValueError, match="splits"):
        counted_tree(random_problem(np.random.default_rng(0)), splits)


def test_a_table_in_any_order_of_memory() -> None:
    rng = np.random.default_rng(1)
    X = rng.random((50, 4))
    y = rng.integers(0, 2, 50)
    splits: list[Split | None] = [ThresholdSplit(2, 0.5), None, ThresholdSplit(0, 0.3), None, None]
    counts = []
    for table in (X, np.asfortranarray(X), np.repeat(X, 2, axis=0)[::2]):
        counts.append(counted_tree(make_problem(table_from(table), y), splits).value)
    np.testing.assert_array_equal(counts[0], counts[1])
    np.testing.assert_array_equal(counts[0], counts[2])
