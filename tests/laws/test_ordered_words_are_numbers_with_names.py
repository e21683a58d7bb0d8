"""A column of ordered words is searched as the numbers 0, 1, 2, ... are; its tree says the words.

Every method gets both tables, and has to find the same tree: the same rows in each leaf, the same objective and bound.
"""

from __future__ import annotations

import sqlite3
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright
from treewright.convert import from_json, to_json, to_python, to_sql
from treewright.near_optimal import near_optimal_trees
from treewright.problem import make_problem
from treewright.search import BinaryOptions, RankedOptions
from treewright.table import table_from
from treewright.tree import CategorySplit, ThresholdSplit
from treewright.verify import verify

WORDS = ["very low", "low", "medium", "high", "very high", "never seen"]
N = 160


def tables(seed: int, missing: bool) -> tuple[pd.DataFrame, pd.DataFrame, np.ndarray]:
    """The same rows with ordered words and with their places in the order, and labels."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 5, (N, 2)).astype(float)
    y = (codes[:, 0] <= 2) ^ (codes[:, 1] == 0) ^ (rng.random(N) < 0.15)
    if missing:
        codes[rng.random((N, 2)) < 0.15] = np.nan
    other = rng.normal(size=N).round(1)
    numbers = pd.DataFrame({"a": codes[:, 0], "b": codes[:, 1], "other": other})
    words = numbers.copy()
    for name in "ab":
        said = [None if np.isnan(k) else WORDS[int(k)] for k in numbers[name]]
        words[name] = pd.Categorical(said, WORDS, ordered=True)
    return words, numbers, y.astype(int)


def as_numbers(splits: Any) -> list[Any]:
    """Splits of first words as the thresholds between places that they are: up to where, and missing values' side."""
    told = []
    for split in splits:
        if isinstance(split, CategorySplit):
            assert split.left == tuple(range(len(split.left)))
            told.append((split.column, len(split.left) - 1, split.missing_left))
        elif isinstance(split, ThresholdSplit):
            place = (
                split.threshold if split.column == 2 or np.isinf(split.threshold) else int(split.threshold)
            )
            told.append((split.column, place, split.missing_left))
        else:
            told.append(split)
    return told


CLASSIFIERS = {
    "binary": {"search_options": BinaryOptions(engine="binary")},
    "ranked": {"search_options": RankedOptions()},
    "threads": {"n_jobs": 2},
    "few thresholds": {"thresholds": 3},
    "leaves": {"max_leaf_nodes": 4, "max_depth": None},
    "guess": {"thresholds": "guess"},
    "f1": {"objective": "f1"},
}


@pytest.mark.parametrize("missing", [False, True], ids=["known", "missing"])
@pytest.mark.parametrize("method", CLASSIFIERS)
def test_classes(method: str, missing: bool) -> None:
    words, numbers, y = tables(1, missing)
    options = {"cost_complexity": 0.01, "max_depth": 3} | CLASSIFIERS[method]
    fitted = [treewright.OptimalTreeClassifier(**options).fit(X, y) for X in (words, numbers)]
    a, b = (model.result_ for model in fitted)
    assert (a.objective, a.lower_bound, a.status, a.scope) == (b.objective, b.lower_bound, b.status, b.scope)
    assert as_numbers(a.tree.splits) == as_numbers(b.tree.splits)
    assert any(isinstance(split, CategorySplit) for split in a.tree.splits)
    assert (fitted[0].predict(words) == fitted[1].predict(numbers)).all()


OTHERS = {
    "regression": treewright.OptimalTreeRegressor(max_depth=2, cost_complexity=0.01),
    "probability": treewright.OptimalProbabilityTree(max_depth=2, cost_complexity=0.01),
    "worst leaf": treewright.LeafAccuracyTreeClassifier(max_depth=2),
}


@pytest.mark.parametrize("missing", [False, True], ids=["known", "missing"])
@pytest.mark.parametrize("method", OTHERS)
def test_other_losses(method: str, missing: bool) -> None:
    from sklearn.base import clone

    words, numbers, y = tables(2, missing)
    fitted = [clone(OTHERS[method]).fit(X, y) for X in (words, numbers)]
    a, b = (model.result_ for model in fitted)
    assert (a.objective, a.lower_bound) == (b.objective, b.lower_bound)
    assert as_numbers(a.tree.splits) == as_numbers(b.tree.splits)


def test_as_many_nearly_optimal_trees() -> None:
    words, numbers, y = tables(3, missing=True)
    found = [
        near_optimal_trees(X[["a", "b"]], y, cost_complexity=0.02, max_depth=2, epsilon=0.2)
        for X in (words, numbers)
    ]
    assert len(found[0]) == len(found[1]) > 1


def test_trees_taught_by_latent_ones_ask_for_the_first_words() -> None:
    pytest.importorskip("torch")
    from treewright.latent._alternate import _one_column
    from treewright.latent._grow import _best

    words, _, y = tables(4, missing=True)
    table = table_from(words)
    sums = np.column_stack([np.ones(N), y]).astype(float)
    grown = _best(table.columns, table.X, sums, "axis")
    assert grown is not None
    _, alternated, _ = _one_column(table.columns, table.X, np.arange(N), 2.0 * y - 1)
    for split in (grown[1], alternated):
        assert isinstance(split, CategorySplit)
        assert split.left == tuple(range(len(split.left)))


@pytest.fixture(scope="module")
def model() -> tuple[treewright.OptimalTreeClassifier, pd.DataFrame, np.ndarray]:
    words, _, y = tables(5, missing=True)
    return treewright.OptimalTreeClassifier(cost_complexity=0.005, max_depth=3).fit(words, y), words, y


def test_a_model_file_keeps_the_order(model: Any) -> None:
    fitted, words, y = model
    text = to_json(fitted.result_)
    again = from_json(text)
    assert again.tree.columns == fitted.tree_.columns
    assert again.tree.columns[0].ordered
    assert to_json(again.result) == text
    problem = make_problem(table_from(words), y, cost_complexity=0.005, max_depth=3)
    assert verify(problem, again.result).ok


def test_exports_read_words(model: Any) -> None:
    fitted, words, _ = model
    rows = [{k: None if v != v else v for k, v in row.items()} for row in words.to_dict("records")]
    code: dict[str, Any] = {}
    exec(to_python(fitted.tree_), code)
    expected = fitted.predict(words).tolist()
    assert [code["predict"](row) for row in rows] == expected
    with sqlite3.connect(":memory:") as base:
        base.execute("create table t (a text, b text, other real)")
        base.executemany("insert into t values (:a, :b, :other)", rows)
        assert [answer for (*_, answer) in base.execute(to_sql(fitted.tree_, table="t"))] == expected


def test_words_of_the_order_that_training_lacked_are_known_and_others_refused(model: Any) -> None:
    fitted, words, _ = model
    plain = words.astype({"a": object, "b": object})
    top, unseen = plain.copy(), plain.copy()
    top.loc[top["a"] == "very high", "a"] = "never seen"
    assert (
        fitted.predict(top) == fitted.predict(plain)
    ).all()  # above all that were seen, as a number would be
    unseen.loc[0, "a"] = "huge"
    with pytest.raises(ValueError, match=r"'a' holds categories that the tree has never seen: 'huge'"):
        fitted.predict(unseen)
