"""The faithfulness proof: true trees pass, every changed leaf or threshold is found."""

import dataclasses
import itertools

import numpy as np
import pytest

from born_again_oracle import all_cells, cell_values, random_ensemble
from treewright.bornagain import solve
from treewright.errors import InputError
from treewright.tree import Column, ColumnKind, LinearSplit, ThresholdSplit, Tree
from treewright.verify import check_faithful


@pytest.mark.parametrize("vote", ["hard", "soft", "score", "softmax"])
@pytest.mark.parametrize("missing", [False, True])
def test_every_changed_leaf_is_found(vote, missing):
    ensemble = random_ensemble(8, vote=vote, missing=missing)
    tree = solve(ensemble, objective="leaves").tree
    assert check_faithful(tree, ensemble).faithful
    for leaf in np.flatnonzero(tree.is_leaf):
        changed = tree.prediction.copy()
        changed[leaf] = 1 - changed[leaf]
        report = check_faithful(dataclasses.replace(tree, prediction=changed), ensemble)
        assert not report.faithful
        row = report.counter_example[None, :]
        assert ensemble.predict(row)[0] == report.ensemble_label == tree.predict(row)[0] != report.tree_label
        assert "Not faithful" in report.sentence()


@pytest.mark.parametrize("missing", [False, True])
def test_every_moved_threshold_is_judged_as_all_cells_judge_it(missing):
    ensemble = random_ensemble(8, missing=missing)
    tree = solve(ensemble, objective="leaves").tree
    found = 0
    for node in np.flatnonzero(~tree.is_leaf):
        for shift in (-1.5, -0.5, 0.5, 1.5):
            split = tree.splits[node]
            moved = dataclasses.replace(split, threshold=split.threshold + shift)
            splits = (*tree.splits[:node], moved, *tree.splits[node + 1 :])
            other = dataclasses.replace(tree, splits=splits)
            report = check_faithful(other, ensemble)
            # Thresholds are whole numbers and moved by halves: these rows hit every cell of both models.
            columns = [np.unique(np.concatenate([v, v - 0.5])) for v in cell_values(ensemble)]
            rows = np.array(list(itertools.product(*columns)))
            same = bool((other.predict(rows) == ensemble.predict(rows)).all())
            assert report.faithful == same
            found += not same
    assert found > 0


def test_missing_values_sent_the_other_way_are_found():
    ensemble = random_ensemble(13, missing=True)
    tree = solve(ensemble, objective="leaves").tree
    found = 0
    for node in np.flatnonzero(~tree.is_leaf):
        moved = dataclasses.replace(tree.splits[node], missing_left=True)
        other = dataclasses.replace(tree, splits=(*tree.splits[:node], moved, *tree.splits[node + 1 :]))
        report = check_faithful(other, ensemble)
        rows = all_cells(ensemble)
        assert report.faithful == bool((other.predict(rows) == ensemble.predict(rows)).all())
        found += not report.faithful
    assert found > 0


def test_a_label_that_the_ensemble_does_not_know_is_a_difference():
    ensemble = random_ensemble(14)
    tree = solve(ensemble).tree
    renamed = dataclasses.replace(tree, classes=np.array([0, 7]))
    report = check_faithful(renamed, ensemble)
    assert not report.faithful
    assert report.tree_label == 7


def test_unfit_trees_are_refused():
    ensemble = random_ensemble(15)
    tree = solve(ensemble).tree
    with pytest.raises(InputError, match="columns"):
        check_faithful(dataclasses.replace(tree, columns=tree.columns[:2]), ensemble)
    with pytest.raises(InputError, match="regression"):
        check_faithful(dataclasses.replace(tree, classes=None), ensemble)
    linear = LinearSplit((0, 1), (1.0, 1.0), 0.5)
    columns = tuple(Column(f"x{f}", ColumnKind.CONTINUOUS) for f in range(3))
    odd = Tree(
        columns,
        np.arange(2),
        (linear, None, None),
        np.array([1, -1, -1], dtype=np.int32),
        np.array([2, -1, -1], dtype=np.int32),
        np.array([0, 0, 1], dtype=np.int32),
        np.ones((3, 2)),
        np.ones(3, dtype=np.int64),
    )
    with pytest.raises(InputError, match="threshold splits"):
        check_faithful(odd, ensemble)
    assert isinstance(tree.splits[0], ThresholdSplit)


@pytest.mark.parametrize("labels", [["no", "yes"], [False, True], [1.0, 2.5], [None, "yes"]])
def test_labels_of_python_objects(labels):
    """As pandas hands text on: what numpy holds is no numpy string."""
    classes = np.array(labels, dtype=object)
    ensemble = dataclasses.replace(random_ensemble(14), classes=classes)
    tree = solve(ensemble).tree
    assert check_faithful(tree, ensemble).faithful
    swapped = dataclasses.replace(tree, prediction=1 - tree.prediction)
    assert not check_faithful(swapped, ensemble).faithful
