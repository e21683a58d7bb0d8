"""What an unfitted reference sees of text."""

import numpy as np

from treewright.guess._reference import MOST_CATEGORIES, reference_matrix
from treewright.table import table_from


def test_every_category_of_an_everyday_table_is_a_column():
    table = table_from([["a", 1.0], ["b", 2.0], [None, 3.0], ["c", 4.0]])
    X, inputs = reference_matrix(table)
    assert [(i.column, i.category) for i in inputs] == [(0, 0), (0, 1), (0, 2), (1, None)]
    assert X[:, 0].tolist() == [0, 1, 1, 1]


def test_of_very_many_categories_the_most_frequent_are_seen():
    """A column of float64 for each of 2,000 dates on 100,000 rows would be 1.6 GB."""
    rng = np.random.default_rng(0)
    names = np.array([f"d{i:04d}" for i in range(1500)])
    dates = np.concatenate([names, rng.choice(names[:400], 1500)])
    table = table_from([[date, "xyz"[i % 3]] for i, date in enumerate(dates)])
    X, inputs = reference_matrix(table)
    seen = [i.category for i in inputs if i.column == 0]
    assert X.shape[1] == len(inputs) == MOST_CATEGORIES
    assert len(seen) == MOST_CATEGORIES - 3  # the short column keeps all of its own
    rows = np.bincount(table.X[:, 0].astype(int))
    unseen = np.setdiff1d(np.arange(1500), seen)
    assert rows[seen].min() >= rows[unseen].max()
