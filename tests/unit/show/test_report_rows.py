"""The report says when its test rows are rows that the tree was made from."""

from __future__ import annotations

import numpy as np
import pytest

from treewright import OptimalTreeClassifier
from treewright.show import report
from treewright.show._report._models import BOOSTING, models_of_classes

rng = np.random.default_rng(4)
X = rng.normal(size=(400, 3))
X[rng.random(X.shape) < 0.1] = np.nan
COARSE = rng.integers(0, 3, (400, 3)).astype(float)
SAID = "test rows are also training rows"


def page(table: np.ndarray, train: slice, test: slice) -> str:
    y = np.where(np.nan_to_num(table[:, 0]) + rng.normal(size=400) > 0.5, "yes", "no")
    model = OptimalTreeClassifier(max_depth=2).fit(table[train], y[train])
    return report(
        model, table[train], y[train], X_test=table[test], y_test=y[test], fit_models=False, frontier=None
    )


@pytest.mark.parametrize(("test", "count"), [(slice(0, 100), 100), (slice(150, 250), 50)])
def test_rows_that_were_seen_are_counted(test: slice, count: int) -> None:
    assert f"{count} of the 100 {SAID}" in page(X, slice(0, 200), test)


def test_new_rows_are_no_reason() -> None:
    """Also where rows repeat by chance: 27 cells hold 400 rows."""
    assert SAID not in page(X, slice(0, 200), slice(200, 400))
    assert SAID not in page(COARSE, slice(0, 200), slice(200, 400))


@pytest.mark.parametrize(
    "n_classes", [3, 1200]
)  # one row of a class, and more classes than rows are held out
def test_boosting_is_compared_where_classes_are_rare(n_classes: int) -> None:
    y = np.arange(10_500) % n_classes if n_classes > 3 else np.repeat([0, 1, 2], [10_000, 499, 1])
    boosting = models_of_classes({"max_leaf_nodes": 2}, y, is_large=True)[BOOSTING].set_params(max_iter=1)
    assert len(boosting.fit(np.arange(10_500.0)[:, None], y).classes_) == n_classes


def test_boosting_holds_out_rows_where_it_can() -> None:
    y = np.arange(10_500) % 3
    assert models_of_classes({"max_leaf_nodes": 2}, y, is_large=True)[BOOSTING].early_stopping == "auto"
