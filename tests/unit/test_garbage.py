"""The collector is paused while columns are made, and runs again whatever happens."""

import gc

import numpy as np
import pytest

from treewright._garbage import without_collections
from treewright.problem import make_problem
from treewright.search import choose_engine, ranked_splits
from treewright.table import table_from


@without_collections()
def divide_by_zero():
    assert not gc.isenabled()
    return 1 / 0


def test_it_runs_again_after_an_error():
    with pytest.raises(ZeroDivisionError):
        divide_by_zero()
    assert gc.isenabled()


def test_who_has_paused_it_keeps_it_paused():
    gc.disable()
    try:
        with without_collections():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_a_wide_table_is_made_without_collections():
    X = np.random.default_rng(0).normal(size=(20, 3000))
    found: list[str] = []

    def collected(phase, _):
        found.append(phase)

    gc.collect()
    gc.callbacks.append(collected)
    try:
        table = table_from(X)
        problem = make_problem(table, np.arange(20) % 2, max_depth=2)
        choice = choose_engine(problem, "auto", method="leaf accuracy")
        ranked = ranked_splits(choice.space, table)
    finally:
        gc.callbacks.remove(collected)
    assert len(ranked) == 3000
    assert len(found) <= 2 * 6  # one, of the young, after each step; without the pause hundreds
