"""A set in a file, pickled and copied: the same set, or an error that names the place."""

from __future__ import annotations

import base64
import copy
import json
import pickle
import zlib

import numpy as np
import pytest

from near_optimal_lists import random_case
from treewright import OptimalTreeClassifier, near_optimal_trees
from treewright.convert import load_model, save_model
from treewright.errors import InputError, ModelFileError
from treewright.near_optimal import load_near_optimal, save_near_optimal


def found_of(seed):
    X, y, weight, costs, asked = random_case(seed)
    return near_optimal_trees(X, y, sample_weight=weight, costs=costs, **asked)


def same(first, second):
    assert first.table() == second.table()
    assert first.sentence() == second.sentence()
    assert first.best.sentence() == second.best.sentence()
    assert first.columns() == second.columns()
    if first.n_trees_:
        np.testing.assert_array_equal(first.vote_share(), second.vote_share())
        for place in (0, first.n_trees_ // 2, -1):
            assert second.rank(first[place]) == place % first.n_trees_


@pytest.mark.parametrize("seed", range(12))
def test_what_is_read_is_what_was_written(seed, tmp_path):
    found = found_of(seed)
    names = found.graph.problem.table.names
    for trees in (found, found.where(uses=names[0]), found.where(root=names[-1], max_leaves=3)):
        save_near_optimal(tmp_path / "set.json", trees)
        same(trees, load_near_optimal(tmp_path / "set.json"))
        same(trees, pickle.loads(pickle.dumps(trees)))
        same(trees, copy.copy(trees))
        same(trees, copy.deepcopy(trees))


@pytest.mark.parametrize("costs", [None, [[1, 3, 2], [2, 0, 5], [4, 2, 2]]])
def test_a_set_over_all_thresholds(costs, tmp_path):
    """Of many values, so that it is made over ranked columns; with equal rows of different class."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 2)).round(2)
    X[100:] = X[50:100]
    y = (X[:, 0] > 0).astype(int) + (rng.random(150) < 0.2)
    found = near_optimal_trees(
        X, y, costs=costs, cost_complexity=0.02, max_depth=2, epsilon=0.05, thresholds="all"
    )
    assert found.n_trees_ > 1
    for trees in (found, found.where(uses="x0"), found.where(like=found[-1])):
        save_near_optimal(tmp_path / "set.json", trees)
        same(trees, load_near_optimal(tmp_path / "set.json"))


def test_tables_of_text_and_gaps_and_left_out_rows(tmp_path):
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(3)
    X = pd.DataFrame(
        {
            "colour": rng.choice(["red", "blue", "gr\u00fcn"], 60),
            "size": np.where(rng.random(60) < 0.2, np.nan, rng.integers(0, 9, 60)),
        }
    )
    y = np.where(rng.random(60) < 0.2, "no", np.where(X["colour"] == "red", "yes", "no"))
    weight = (rng.random(60) < 0.9).astype(float)
    found = near_optimal_trees(X, y, cost_complexity=0.03, max_depth=2, epsilon=0.2, sample_weight=weight)
    save_near_optimal(tmp_path / "set.json", found)
    again = load_near_optimal(tmp_path / "set.json")
    same(found, again)
    np.testing.assert_array_equal(found.vote_share(X), again.vote_share(X))
    group = np.arange(60) % 2 == 0
    assert found.gap_range(group)[0].value == again.gap_range(group)[0].value


def test_a_stopped_set_stays_one(tmp_path):
    rng = np.random.default_rng(1)
    X, y = rng.integers(0, 2, (200, 30)), rng.integers(0, 4, 200)
    found = near_optimal_trees(X, y, cost_complexity=0.001, max_depth=5, progress=lambda progress: True)
    assert found.status_ != "complete"
    save_near_optimal(tmp_path / "set.json", found)
    assert load_near_optimal(tmp_path / "set.json").sentence() == found.sentence()


def test_files_that_are_none(tmp_path):
    with pytest.raises(InputError, match="Cannot read"):
        load_near_optimal(tmp_path / "absent.json")
    for content in (b"", b"{", b"[]", b"{}", b"\xff\xfe", b'{"format": "treewright-tree"}'):
        (tmp_path / "set.json").write_bytes(content)
        with pytest.raises(ModelFileError):
            load_near_optimal(tmp_path / "set.json")
    with pytest.raises(InputError, match="Cannot write"):
        save_near_optimal(tmp_path / "no folder" / "set.json", found_of(0))


def places(value, path=()):
    yield path
    if isinstance(value, dict):
        for key, entry in value.items():
            yield from places(entry, (*path, key))


def damaged(value, path, new):
    if not path:
        return new
    return {key: damaged(entry, path[1:], new) if key == path[0] else entry for key, entry in value.items()}


def test_a_file_of_another_kind_says_what_reads_it(tmp_path):
    model, trees = OptimalTreeClassifier().fit([[20], [40]], [0, 1]), found_of(0)
    save_model(tmp_path / "model.json", model)
    save_near_optimal(tmp_path / "set.json", trees)
    with pytest.raises(
        ModelFileError, match=r"not a file of a near-optimal set\. It is a model file: .*treewright show"
    ):
        load_near_optimal(tmp_path / "model.json")
    with pytest.raises(
        ModelFileError, match=r"not a model file\. It is a set of near-optimal trees: .*treewright query"
    ):
        load_model(tmp_path / "set.json")


def test_no_damage_raises_anything_else(tmp_path):
    """Every field in turn is absent or holds something else: an error that says so, or a set that answers."""
    content = json.loads(saved_text(tmp_path))
    for path in list(places({key: value for key, value in content.items() if key not in ("best", "splits")})):
        if not path:
            continue
        for new in (None, -1, 2**40, 2**70, "x", "1/0", [], {}, True, [[-1, [0]]], 1e300):
            try:
                trees = read(tmp_path, damaged(content, path, new))
                _ = trees.n_trees_, trees.sentence()
            except ModelFileError:
                pass
        parent = content
        for key in path[:-1]:
            parent = parent[key]
        kept = parent.pop(path[-1])
        with pytest.raises(ModelFileError, match=r"absent|lacks"):
            read(tmp_path, content)
        parent[path[-1]] = kept


def test_arrays_that_do_not_fit_together_are_refused(tmp_path):
    content = json.loads(saved_text(tmp_path))
    kinds = {"depth": "<i4", "column": "<i4", "source": "<i4"}
    for name in (
        "depth",
        "first_edge",
        "last_edge",
        "leaf_cost",
        "leaf_rows",
        "column",
        "left",
        "right",
        "source",
    ):
        values = np.frombuffer(
            zlib.decompress(base64.b64decode(content["graph"][name])), kinds.get(name, "<i8")
        )
        for change in (values[:-1], values + 1, np.full_like(values, -1)):
            text = base64.b64encode(zlib.compress(change.tobytes())).decode()
            with pytest.raises(ModelFileError):
                read(tmp_path, damaged(content, ("graph", name), text))


def saved_text(tmp_path):
    save_near_optimal(tmp_path / "whole.json", found_of(3))
    return (tmp_path / "whole.json").read_text(encoding="utf-8")


def read(tmp_path, content):
    (tmp_path / "set.json").write_text(json.dumps(content), encoding="utf-8")
    return load_near_optimal(tmp_path / "set.json")
