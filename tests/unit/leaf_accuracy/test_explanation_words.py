"""What is said of a hybrid tree never says more than was counted."""

from __future__ import annotations

import numpy as np

from treewright.leaf_accuracy._explanations import HybridReport
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
