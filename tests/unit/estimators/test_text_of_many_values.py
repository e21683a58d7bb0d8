"""Text columns of many values in searches of losses other than mistakes: counted before memory is taken for them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning

from treewright import (
    HybridTreeClassifier,
    MIPTreeClassifier,
    OptimalProbabilityTree,
    OptimalSurvivalTree,
    OptimalTreeClassifier,
    OptimalTreeRegressor,
    compare_with_cart,
    regression_frontier,
)
from treewright.errors import InputError
from treewright.guess._reference import MOST_CATEGORIES, reference_cells, reference_matrix
from treewright.search import _guided
from treewright.table import _indicators, table_from

N = 2000
X = pd.DataFrame({"size": np.arange(N) % 7, "id": [f"u{k}" for k in range(N)]})
WHOLE = np.arange(N) % 7 // 2
TIMES = [(True, 1.0 + k % 7) for k in range(N)]


@pytest.mark.parametrize(
    ("model", "y"),
    [
        (OptimalTreeRegressor(max_depth=2, memory_limit=10**6), WHOLE),
        (OptimalTreeRegressor(max_depth=2, criterion="absolute_error", memory_limit=10**6), WHOLE),
        (OptimalProbabilityTree(max_depth=2, memory_limit=10**6), WHOLE),
        (OptimalSurvivalTree(max_depth=2, memory_limit=10**6), TIMES),
    ],
    ids=["squared error", "absolute error", "probability", "survival"],
)
def test_what_does_not_fit_is_refused_by_name(model: Any, y: Any) -> None:
    """A million rows with an identifier asked for 4 TB: "does not fit into memory" and no tree."""
    with pytest.raises(InputError, match=r"'id' with 2,000, or raise memory_limit"):
        model.fit(X, y)
    assert model.fit(X[["size"]], y).tree_.n_leaves > 1


def test_the_front_is_refused_likewise() -> None:
    with pytest.raises(InputError, match=r"'id' with 2,000"):
        regression_frontier(X, WHOLE, max_depth=2, max_leaves=3, memory_limit=10**6)


@pytest.mark.parametrize(
    "model", [HybridTreeClassifier(tune=None), MIPTreeClassifier(max_depth=1)], ids=["hybrid", "program"]
)
def test_a_column_for_each_value_is_refused_before_it_is_made(
    model: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """200,000 customers asked for 298 GiB, and the error was that of numpy."""
    if isinstance(model, MIPTreeClassifier):
        pytest.importorskip("highspy", reason="needs the extra mip")
    monkeypatch.setattr(_indicators, "available_memory", lambda: 10**6)
    with pytest.raises(InputError, match=r"'id' with 2,000, or replace"):
        model.fit(X, WHOLE > 1)
    # A system that does not tell refuses nothing.
    monkeypatch.setattr(_indicators, "available_memory", lambda: None)
    few = X.assign(id=X["id"].str[:2])[:60]
    assert model.fit(few, WHOLE[:60] > 1).score(few, WHOLE[:60] > 1) > 0.5


def test_a_reference_whose_columns_of_text_leave_no_time_is_not_begun(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of 200,000 customers it reads 512 columns, which took eight seconds beyond a limit of a fifth of one."""

    def begun(*_: Any, **__: Any) -> None:
        raise AssertionError("a reference was begun")

    monkeypatch.setattr(_guided, "make_reference", begun)
    long = pd.DataFrame({"size": np.arange(2 * N) % 7, "id": [f"u{k}" for k in range(2 * N)]})
    y = np.arange(2 * N) % 3
    limit = _guided.GUESSING * len(long) * MOST_CATEGORIES / 2
    with pytest.warns(ConvergenceWarning):
        model = OptimalTreeClassifier(max_depth=2, thresholds="guess", time_limit=limit).fit(long, y)
    assert any(note.startswith("Nothing was guessed (time limit") for note in model.result_.notes)
    with pytest.raises(AssertionError, match="begun"):
        OptimalTreeClassifier(max_depth=2, thresholds="guess", time_limit=None).fit(long, y)


def test_the_cells_of_a_reference_are_counted_without_them() -> None:
    few = pd.DataFrame({"town": ["a", "b", None, "a"], "size": [1.0, np.nan, 3.0, 4.0], "yes": [0, 1, 1, 0]})
    for frame in (few, X, X.assign(other=X["id"])):
        table = table_from(frame)
        assert reference_cells(table) == reference_matrix(table)[0].size


def test_cart_is_refused_a_column_for_each_value_likewise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_indicators, "available_memory", lambda: 10**6)
    with pytest.raises(InputError, match=r"'id' with 2,000, or replace"):
        compare_with_cart(X, WHOLE > 1, time_limit=1.0, progress=False)
