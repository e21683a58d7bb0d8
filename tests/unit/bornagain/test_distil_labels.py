"""The tree of fewest leaves that gives rows the labels of any model: brute force, tables of words, and refusals."""

from functools import cache

import numpy as np
import pandas as pd
import pytest

from born_again_oracle import random_ensemble
from treewright.bornagain import distil, distil_labels, label_agreement
from treewright.convert import from_json, to_json
from treewright.errors import InputError
from treewright.result import SolveStatus


def fewest_differing(label, X, depth, leaves):
    """Least number of rows on which a tree within the limits says otherwise, by plain recursion over all thresholds."""
    splits = []
    for x in X.T:
        missing = np.isnan(x)
        for t in [*np.unique(x[~missing]), np.inf]:
            splits += [np.where(missing, missing_left, x <= t) for missing_left in (True, False)]
    splits = list({s.tobytes(): s for s in splits}.values())

    @cache
    def least(mask, depth, leaves):
        inside = np.frombuffer(mask, dtype=bool)
        best = int(inside.sum() - np.bincount(label[inside], minlength=1).max())
        if depth == 0 or leaves < 2 or best == 0:
            return best
        for s in splits:
            left, right = inside & s, inside & ~s
            if left.any() and right.any():
                for k in range(1, leaves):
                    one = least(left.tobytes(), depth - 1, k)
                    best = min(best, one + least(right.tobytes(), depth - 1, leaves - k))
        return best

    return least(np.ones(len(X), dtype=bool).tobytes(), depth, leaves)


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_equals_brute_force(seed, missing):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 5, (18, 2)) + 0.5
    label = rng.integers(0, 2 + seed % 2, len(X))
    if missing:
        X[rng.random(X.shape) < 0.15] = np.nan
    least = [fewest_differing(label, X, 2, k) for k in range(1, 5)]
    for allowed in range(4):
        result = distil_labels(label, X, tolerance=allowed / len(X), max_depth=2, max_leaves=4)
        good = [k for k, rows in enumerate(least) if rows <= allowed]
        leaves = 1 + good[0] if good else 1 + least.index(min(least))
        assert result.status is SolveStatus.OPTIMAL
        assert result.tree.n_leaves == leaves
        assert label_agreement(result.tree, label, X).n_alike == len(X) - least[leaves - 1]
        assert from_json(to_json(result)).result.sentence() == result.sentence()


def test_never_needs_more_leaves_than_over_the_thresholds_of_the_ensemble():
    ensemble = random_ensemble(3, n_classes=2, n_features=2, trees=3)
    X = np.random.default_rng(3).integers(-1, 5, (40, 2)) + 0.5
    for tolerance in (0.0, 0.1):
        own = distil(ensemble, X, tolerance=tolerance, max_depth=3)
        free = distil_labels(ensemble.predict(X), X, tolerance=tolerance, max_depth=3)
        assert own.loss > tolerance or free.tree.n_leaves <= own.tree.n_leaves


def test_reads_words():
    frame = pd.DataFrame({"colour": ["red", "green", "blue"] * 6, "size": range(18)})
    said = np.where(frame["colour"] == "red", "yes", "no")
    result = distil_labels(said, frame)
    assert result.tree.n_leaves == 2
    assert result.options["splits"] == "all thresholds and all single categories against the rest"
    assert result.options["splits"] in result.sentence()
    assert label_agreement(result.tree, said, frame).share == 1.0


def test_classes_that_no_row_has_are_kept():
    result = distil_labels([2, 2, 5, 5], [[1.0], [2.0], [3.0], [4.0]], classes=[0, 2, 5])
    np.testing.assert_array_equal(result.tree.classes, [0, 2, 5])
    np.testing.assert_array_equal(result.tree.predict(np.array([[1.0], [4.0]])), [2, 5])
    assert result.tree.value.shape == (3, 3)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"labels": [0, 1]}, "one label for each of the 4 rows"),
        ({"classes": [0, 2]}, "labels has others"),
        ({"tolerance": -0.1}, "tolerance"),
        ({"max_leaves": 0}, "max_leaves"),
    ],
)
def test_what_cannot_be_asked_is_refused(changes, words):
    asked = {"labels": [0, 0, 1, 1], "X": [[1.0], [2.0], [3.0], [4.0]]} | changes
    with pytest.raises(InputError, match=words):
        distil_labels(**asked)


def test_agreement_needs_a_label_a_row():
    tree = distil_labels([0, 0, 1, 1], [[1.0], [2.0], [3.0], [4.0]]).tree
    with pytest.raises(InputError, match="one label for each"):
        label_agreement(tree, [0, 1], [[1.0]])


def test_classes_may_come_in_any_order() -> None:
    X = [[1.0], [2.0], [3.0], [4.0]]
    for classes in ([1, 0, 2], [2, 1, 0], [0, 1, 2]):
        tree = distil_labels([0, 0, 1, 1], X, classes=classes).tree
        assert tree.predict(np.array(X)).tolist() == [0, 0, 1, 1]
        assert tree.classes is not None
        assert tree.classes.tolist() == classes
