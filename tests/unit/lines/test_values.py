"""What a line says of some rows reads its own columns of the table, and no others."""

import numpy as np
import pytest

from treewright import OptimalTreeRegressor
from treewright.tree import Line


class Watched(np.ndarray):
    """An array that notes how many cells each look at it copies."""

    copied: list[int]

    def __getitem__(self, key):
        found = np.asarray(self)[key]
        if np.may_share_memory(found, self):
            return watched(found, self.copied)
        self.copied.append(found.size)
        return found


def watched(X, copied=None):
    seen = X.view(Watched)
    seen.copied = [] if copied is None else copied
    return seen


@pytest.mark.parametrize("columns", [(), (1,), (2, 0)])
def test_rows_by_number(columns):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3))
    X[::7, 1] = np.nan
    slopes = tuple(tuple(rng.normal(size=len(columns))) for _ in range(2))
    line = Line(columns, tuple(rng.normal(size=len(columns))), slopes, (-1.0, -1.0), (2.0, 2.0), 1.0)
    mean, rows = np.array([0.5, 1.0]), np.array([3, 0, 14, 7])
    np.testing.assert_array_equal(line.values(mean, X, rows), line.values(mean, X[rows]))
    assert line.values(mean, X).shape == (30, 2)


@pytest.mark.parametrize("leaf_model", ["linear", "simple_linear"])
def test_a_wide_table_is_not_copied(leaf_model):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 60)).round(2)
    y = (X[:, 0] * (X[:, 1] > 0)).round(2)
    tree = OptimalTreeRegressor(0.05, max_depth=1, leaf_model=leaf_model).fit(X[:, :4], y).tree_
    seen = watched(X)
    said = tree.predict(seen)
    np.testing.assert_array_equal(said, tree.predict(X))
    assert 0 < sum(seen.copied) < 15 * len(X)
