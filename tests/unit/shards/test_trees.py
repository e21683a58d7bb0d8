"""Counting is exact, a pruning counts as its tree does, and neighbours of a tree are trees."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from treewright.shards._exact import exact_sums, round_down
from treewright.shards._improve import best_moves, subtrees
from treewright.shards._spill import Rows
from treewright.shards._trees import Counted, Shape, added, count_rows, counts_of_pruning, skeleton
from treewright.tree import Split, ThresholdSplit


def some_shape(rng: np.random.Generator, depth: int) -> Shape:
    if depth == 0 or rng.random() < 0.2:
        return (None,)
    split: Split = ThresholdSplit(int(rng.integers(3)), float(rng.normal()), bool(rng.integers(2)))
    return (split, *some_shape(rng, depth - 1), *some_shape(rng, depth - 1))


def some_rows(rng: np.random.Generator, n: int = 50) -> Rows:
    X = np.asfortranarray(np.where(rng.random((n, 3)) < 0.1, np.nan, rng.normal(size=(n, 3))))
    return Rows(X, rng.integers(0, 3, n).astype(np.int32), rng.random(n) if rng.random() < 0.5 else None)


@pytest.mark.parametrize("scale", [1.0, 1e-30, 1e30])
def test_sums_are_exact(scale: float) -> None:
    rng = np.random.default_rng(0)
    weight = rng.random(300) * scale * 10.0 ** rng.integers(-20, 20, 300)
    cell = rng.integers(0, 4, 300)
    expected = [sum((Fraction(w) for w in weight[cell == k]), Fraction(0)) for k in range(4)]
    assert exact_sums(cell, weight, 4) == expected
    assert exact_sums(cell, np.full(300, 3.0), 4) == [3 * int((cell == k).sum()) for k in range(4)]
    assert exact_sums(cell, None, 5) == [*(int((cell == k).sum()) for k in range(4)), 0]


def test_rounding_is_downwards() -> None:
    for value in (Fraction(1, 3), Fraction(2, 3), Fraction(-1, 3), Fraction(1, 2), Fraction(10**30, 7)):
        rounded = round_down(value)
        assert Fraction(rounded) <= value < Fraction(np.nextafter(rounded, np.inf))


@pytest.mark.parametrize("seed", range(20))
def test_counts_add_up_and_prunings_count_as_their_trees(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = some_shape(rng, 4)
    parts = [some_rows(rng) for _ in range(3)]
    counted = [count_rows(shape, rows, 3) for rows in parts]
    whole = added(counted)
    assert sum(whole.rows) == 150
    own = list(shape)
    inner = [node for node, split in enumerate(shape) if split is not None]
    if inner:  # cut some node back to a leaf
        node = int(rng.choice(inner))
        end = node + 1
        open_nodes = 2
        while open_nodes:
            open_nodes += 1 if shape[end] is not None else -1
            end += 1
        own = [*shape[:node], None, *shape[end:]]
    for rows, mine in zip(parts, counted, strict=True):
        assert counts_of_pruning(shape, tuple(own), mine) == count_rows(tuple(own), rows, 3)


@pytest.mark.parametrize("seed", range(10))
def test_subtrees_are_trees_with_a_node_replaced_by_its_child(seed: int) -> None:
    shape = some_shape(np.random.default_rng(seed), 4)
    n_inner = sum(split is not None for split in shape)
    for smaller in subtrees(shape):
        tree = skeleton(smaller)  # grows: the sequence is one tree
        assert tree.node_count == len(smaller) < len(shape)
    assert len(subtrees(shape)) <= 2 * n_inner


def test_a_threshold_moves_to_where_it_costs_least() -> None:
    shape: Shape = (ThresholdSplit(0, 0.5), None, None)
    grid = np.array([0.25, 0.5, 0.75])
    moved = best_moves(shape, {0: grid}, {0: np.array([1.0, -3.0, -1.0])})  # left costs less up to .75
    assert moved == [(ThresholdSplit(0, 0.75), None, None)]
    assert best_moves(shape, {0: grid}, {0: np.array([1.0, -3.0, 1.0])}) == []


def test_counted_is_data() -> None:
    assert added([Counted((1,), ((1, 0),)), Counted((2,), ((0, 2),))]) == Counted((3,), ((1, 2),))
