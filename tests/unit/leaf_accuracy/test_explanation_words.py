"""What is said of a hybrid tree never says more than was counted."""

from __future__ import annotations

import numpy as np

from treewright import HybridTreeClassifier, OptimalTreeClassifier
from treewright.datasets import iris
from treewright.leaf_accuracy._explanations import HybridReport
from treewright.show import report
from treewright.tree import Column, ColumnKind, grow


def test_all_rows_are_explained_only_if_all_are() -> None:
    n = 5000
    labels = np.array(["no", "yes"])
    tree = grow(
        [Column("x", ColumnKind.CONTINUOUS)],
        labels,
        [None],
        np.zeros((n, 1)),
        np.zeros(n, dtype=np.int32),
        np.ones(n),
        1.0 - np.eye(2),
    )
    explained, predicted = np.full(n, "no"), np.full(n, "no", dtype="<U3")
    said = HybridReport(tree, {0: "tree"}, np.zeros(n, dtype=np.int64), explained, predicted).sentence()
    assert "5,000 of 5,000 rows (100.0%)" in said
    predicted[7] = "yes"
    said = HybridReport(tree, {0: "tree"}, np.zeros(n, dtype=np.int64), explained, predicted).sentence()
    assert "4,999 of 5,000 rows (99.9%)" in said


def test_leaves_have_the_numbers_of_the_report() -> None:
    """The table named nodes of the tree, so that its leaf 3 was the second leaf of the report."""
    data = iris()
    top = OptimalTreeClassifier(cost_complexity=0.001, max_depth=3)
    model = HybridTreeClassifier(top, tune=None, random_state=0).fit(data.table.X, data.y)
    n_leaves = model.tree_.n_leaves
    lines = str(model.report(data.table.X, data.y)).splitlines()[1 : n_leaves + 1]
    assert n_leaves > 2
    assert [line.split()[0] for line in lines] == [str(k + 1) for k in range(n_leaves)]
    own = [k + 1 for k, one in enumerate(model.extensions_.values()) if one.model is not None]
    assert own == [3]
    assert "In leaf 3 a model answers" in report(model, data.table.X, data.y)
