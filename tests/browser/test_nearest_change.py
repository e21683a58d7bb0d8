"""The nearest change that flips a decision: none is nearer, and it does what it says."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from made_trees import Made
from reports import as_json, boxed_tree, page_of
from treewright.show._report._embed import used_columns
from treewright.table import ColumnNote, Settings
from treewright.tree import Column, ColumnKind, LinearSplit, ThresholdSplit, grow


def spread(x):
    known = x[~np.isnan(x)]
    low, high = np.quantile(known, [0.25, 0.75])
    return high - low if high > low else (known.std() or 1.0)


@pytest.mark.parametrize("seed", range(5))
def test_no_change_is_nearer_than_the_one_the_page_names(visit, seed):
    """Against all rows on the grid of the columns' steps: every cell of the tree has a row on it."""
    made = boxed_tree(seed)
    page = visit().open(page_of(made))
    used = used_columns(made.tree)
    steps = [
        list(range(-1, 8)),
        [k / 10 for k in range(-20, 32)],
        [0, 1],
        [0, 1],
        list(range(4)),
        list(range(3)),
    ]
    grid = np.array(list(itertools.product(*[steps[j] if j in used else [0] for j in range(6)])), dtype=float)
    decided = made.tree.prediction[made.tree.apply(grid)]
    rng = np.random.default_rng(seed)
    people = made.X[rng.integers(0, len(made.X), 12)].copy()
    people[np.isnan(people)] = 1
    unit = [spread(made.X[:, 0]), spread(made.X[:, 1]), 1, 1, 1, 1]
    for person in people:
        said = page.evaluate(
            "([row, kept]) => treewright.nearest(row, kept)", [as_json(person[None, used])[0], []]
        )
        own = made.tree.prediction[made.tree.apply(person[None])][0]
        away = np.zeros((len(grid), 2))
        for j in used:
            changed = grid[:, j] != person[j]
            away[:, 0] += changed
            away[:, 1] += changed if j > 1 else np.abs(grid[:, j] - person[j]) / unit[j]
        found = {entry["to"]: (len(entry["changes"]), entry["distance"]) for entry in said}
        for klass in set(decided.tolist()) - {own}:
            here = away[decided == klass]
            best = min(map(tuple, here.tolist()))
            assert found[klass] == (best[0], pytest.approx(best[1]))
        assert set(found) == set(decided.tolist()) - {own}
        for entry in said:  # and it does what it says
            other = person.copy()
            for change in entry["changes"]:
                other[used[change["column"]]] = change["value"]
            assert made.tree.prediction[made.tree.apply(other[None])][0] == entry["to"]
        order = [(len(entry["changes"]), entry["distance"]) for entry in said]
        assert order == sorted(order)


def test_columns_that_cannot_change_stay(visit):
    X = np.array(list(itertools.product(range(4), range(4))), dtype=float)
    y = (X[:, 0] > 1).astype(np.int32)
    columns = [Column("a", ColumnKind.CONTINUOUS), Column("b", ColumnKind.CONTINUOUS)]
    splits = [ThresholdSplit(0, 1.5), ThresholdSplit(1, 2.5), None, None, None]
    tree = grow(columns, np.array(["no", "yes"]), splits, X, y, np.ones(16), 1.0 - np.eye(2))
    made = Made(tree, X, y, np.ones(16), 1.0 - np.eye(2))
    page = visit().open(page_of(made))
    ask = "([row, kept]) => treewright.nearest(row, kept)"
    assert page.evaluate(ask, [[0, 0], []])[0]["changes"] == [{"column": 0, "value": 2}]
    assert page.evaluate(ask, [[0, 0], [0]]) == []
    assert page.evaluate(ask, [[None, 0], []]) == page.evaluate(ask, [[None, 0], [1]])


@pytest.mark.parametrize("seed", range(4))
def test_sums_of_columns_flip_one_column_at_a_time(visit, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, 3))
    columns = [Column(name, ColumnKind.CONTINUOUS) for name in "abc"]
    splits = [
        LinearSplit((0, 1), (1.5, -0.7), 0.2),
        LinearSplit((1, 2), (1.0, 0.4), -0.1),
        None,
        None,
        ThresholdSplit(2, 0.3),
        None,
        None,
    ]
    y = ((1.5 * X[:, 0] - 0.7 * X[:, 1] > 0.2) ^ (X[:, 2] > 0.3)).astype(np.int32)
    tree = grow(columns, np.array([0, 1]), splits, X, y, np.ones(200), 1.0 - np.eye(2))
    page = visit().open(page_of(Made(tree, X, y, np.ones(200), 1.0 - np.eye(2))))
    for person in X[:15]:
        said = page.evaluate("row => treewright.nearest(row, [])", person.tolist())
        own = tree.predict(person[None])[0]
        best = math.inf
        for j in range(3):  # a fine grid in one column cannot find anything nearer
            tried = np.repeat(person[None], 4001, axis=0)
            tried[:, j] = person[j] + np.linspace(-8, 8, 4001)
            flips = tree.predict(tried) != own
            if flips.any():
                best = min(best, float(np.abs(tried[flips, j] - person[j]).min() / spread(X[:, j])))
        assert said or best == math.inf
        for entry in said:
            assert len(entry["changes"]) == 1
            assert entry["distance"] <= best + 1e-9
            other = person.copy()
            other[entry["changes"][0]["column"]] = entry["changes"][0]["value"]
            assert tree.predict(other[None])[0] != own


def test_numbers_without_room_for_steps_end(visit):
    """A border so far away that adding one to it changes nothing."""
    X = np.array(list(itertools.product(range(3), range(3))), dtype=float)
    columns = [Column("a", ColumnKind.CONTINUOUS), Column("b", ColumnKind.CONTINUOUS)]
    y = (X[:, 1] > 1).astype(np.int32)
    splits = [LinearSplit((0, 1), (1e-30, 1.0), 1.5), None, None]
    tree = grow(columns, np.array([0, 1]), splits, X, y, np.ones(9), 1.0 - np.eye(2))
    page = visit().open(page_of(Made(tree, X, y, np.ones(9), 1.0 - np.eye(2))))
    found = page.evaluate("treewright.nearest([0, 0], [])")
    assert found[0]["changes"] == [{"column": 1, "value": 2}]


def test_a_code_beside_the_border_is_stepped_over(visit):
    """Numbers that mean something else, such as "unknown", are no values to change to; those behind them are."""
    X = np.arange(20.0)[:, None]
    y = ((X[:, 0] > 5.5) & (X[:, 0] <= 9.5)).astype(np.int32)
    splits = [ThresholdSplit(0, 5.5), None, ThresholdSplit(0, 9.5), None, None]
    tree = grow(
        [Column("a", ColumnKind.CONTINUOUS)], np.array([0, 1]), splits, X, y, np.ones(20), 1.0 - np.eye(2)
    )
    notes = {"a": ColumnNote(codes={str(code): "unknown" for code in (6, 7, 9)})}
    page = visit().open(
        page_of(Made(tree, X, y, np.ones(20), 1.0 - np.eye(2)), settings=Settings(notes=notes))
    )
    for person in (2, 6, 15):  # from below, from a code of the middle leaf itself, from above
        row = [person]
        to_middle = [e for e in page.evaluate("row => treewright.nearest(row, [])", row) if e["to"] == 1]
        assert [e["changes"] for e in to_middle] == ([] if person == 6 else [[{"column": 0, "value": 8}]])
    notes = {"a": ColumnNote(codes={str(code): "unknown" for code in (6, 7, 8, 9)})}
    page = visit().open(
        page_of(Made(tree, X, y, np.ones(20), 1.0 - np.eye(2)), settings=Settings(notes=notes))
    )
    assert page.evaluate("row => treewright.nearest(row, [])", [2]) == []  # the leaf has no other value
