"""The report in headless Chromium predicts like the tree, at every threshold and beside it.

The fixture `visit` asserts after each test: no message on the console, no error, no dialog, no request.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from made_trees import make_rows, make_tree
from reports import as_json, page_of
from treewright.show._report._embed import used_columns
from treewright.tree import ThresholdSplit

EXTREME = [
    0.0,
    -0.0,
    5e-324,
    -5e-324,
    1e308,
    -1e308,
    1.7976931348623157e308,
    0.1 + 0.2,
    1 / 3,
    2**53,
    -1e-300,
    math.nan,
]


def near_thresholds(tree, rng, X):
    """Rows with values at every threshold and one step to each side of it."""
    X = X.copy()
    for split in tree.splits:
        if isinstance(split, ThresholdSplit) and math.isfinite(split.threshold):
            t = split.threshold
            rows = rng.integers(0, len(X), len(X) // 4)
            X[rows, split.column] = rng.choice(
                [t, np.nextafter(t, np.inf), np.nextafter(t, -np.inf)], len(rows)
            )
    return X


@pytest.mark.parametrize("seed", range(4))
def test_the_page_predicts_like_the_tree(visit, seed):
    made = make_tree(seed, 14, n_rows=80)
    page = visit().open(page_of(made))
    rng = np.random.default_rng(seed)
    X = near_thresholds(made.tree, rng, make_rows(rng, 4000))
    X[::5, :2] = rng.choice(EXTREME, X[::5, :2].shape)
    X[::7] = np.nan
    used = used_columns(made.tree)
    leaves = page.evaluate("rows => rows.map(row => treewright.leaf(row))", as_json(X[:, used]))
    with np.errstate(over="ignore", invalid="ignore"):  # sums of the extremes
        expected, labels = made.tree.apply(X), made.tree.predict(X)
    np.testing.assert_array_equal(leaves, expected)
    decided = page.evaluate("rows => rows.map(row => treewright.decide(row))", as_json(X[:, used]))
    np.testing.assert_array_equal(made.tree.classes[decided], labels)
