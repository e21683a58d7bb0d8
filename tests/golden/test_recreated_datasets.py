"""Data that are made by their rules equal the published files, row for row up to order."""

from collections import Counter

import numpy as np
import pytest

from shared_folder import shared
from treewright.datasets import monks, tic_tac_toe
from treewright.table import load_csv

pytestmark = pytest.mark.shared


def one_hot(data, names):
    """Columns `prefix_value` of a published binary file, made from a categorical table."""
    columns = []
    for name in names:
        prefix, value = name.rsplit("_", 1)
        j = (
            int(prefix.removeprefix("Feat"))
            if prefix.startswith("Feat")
            else int(prefix.removeprefix("a")) - 1
        )
        column = data.table.columns[j]
        columns.append(data.table.X[:, j] == column.categories.index(value))
    return np.column_stack(columns).astype(int)


def test_tic_tac_toe_equals_the_file_of_the_osdt_paper():
    published = load_csv(shared("data/osdt/tic-tac-toe.csv"), target="target")
    data = tic_tac_toe()
    ours = np.column_stack((one_hot(data, published.table.names), data.y == "positive"))
    theirs = np.column_stack((published.table.X, published.target)).astype(int)
    assert theirs.shape == (958, 19)
    assert Counter(map(tuple, ours.tolist())) == Counter(map(tuple, theirs.tolist()))


@pytest.mark.parametrize(("problem", "n_rows", "n_noise"), [(1, 124, 0), (2, 169, 0), (3, 122, 6)])
def test_published_monks_samples_follow_the_rules(problem, n_rows, n_noise):
    published = load_csv(shared(f"data/osdt/monk{problem}-train.csv"), target="class_1")
    data = monks(problem)
    rule = dict(
        zip(map(tuple, one_hot(data, published.table.names).tolist()), data.y.astype(int), strict=True)
    )
    assert len(rule) == 432  # the one-hot columns tell all robots apart
    sample = [rule[tuple(row)] for row in published.table.X.astype(int).tolist()]
    assert len(sample) == n_rows
    assert int((np.array(sample) != published.target).sum()) == n_noise
