"""The report of a tree of largest F1 says what F1 is, on which rows, and what is proven about it."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import f1_score, precision_score, recall_score

from treewright import OptimalTreeClassifier
from treewright.convert import Terms
from treewright.show import report
from treewright.show._report._certificate import explain
from treewright.show._report._f1 import f1_of
from treewright.show._report._rows import Rows


@pytest.fixture(scope="module")
def made():
    rng = np.random.default_rng(5)
    X = pd.DataFrame({"age": rng.integers(20, 80, 240).astype(float), "dose": rng.normal(size=240).round(2)})
    y = np.where((X.age > 60) ^ (rng.random(240) < 0.2), "sick", "fit")
    model = OptimalTreeClassifier(0.005, objective="f1", max_depth=2, progress=False)
    return model.fit(X[:160], y[:160]), X, y


def test_f1_of_test_and_training_rows_is_that_of_scikit_learn(made):
    model, X, y = made
    page = report(model, X[:160], y[:160], X_test=X[160:], y_test=y[160:], fit_models=False)
    for kind, rows in (("test", slice(160, None)), ("training", slice(160))):
        said = model.predict(X[rows])
        card = re.search(rf"F1 of sick on {kind} rows</dt><dd>([\d.]+)<span[^>]*>(.*?)</span>", page)
        assert float(card[1]) == pytest.approx(f1_score(y[rows], said, pos_label="sick"), abs=1e-3)
        precision, recall = (
            f"{100 * score(y[rows], said, pos_label='sick'):.1f}%"
            for score in (precision_score, recall_score)
        )
        assert f"precision {precision}" in card[2]
        assert f"recall {recall}" in card[2]
        assert ("95% interval" in card[2]) == (kind == "test")
        assert ("the tree was chosen on these rows" in card[2]) == (kind == "training")
    assert "the F1 on test rows, with its interval, is the evidence" in page
    assert "The tree was not made to be right most often" in page


def test_the_interval_holds_the_f1_of_all_rows(made):
    model, X, y = made
    tree, table = model.tree_, X.to_numpy()
    known = (y == "sick").astype(np.int64)
    whole = f1_of(tree, Rows(table, known))[0].value
    rng = np.random.default_rng(0)
    held = 0
    for _ in range(300):
        drawn = rng.integers(0, len(y), 150)
        found = f1_of(tree, Rows(table[drawn], known[drawn]))[0]
        held += found.low <= whole <= found.high
    assert 270 <= held < 300


def test_f1_without_positive_rows_is_not_known(made):
    model, X, _ = made
    tree = model.tree_
    leaf_of_fit = tree.prediction[tree.apply(X.to_numpy())] == 0
    rows = Rows(X.to_numpy()[leaf_of_fit], np.zeros(int(leaf_of_fit.sum()), dtype=np.int64))
    found = f1_of(tree, rows)[0]
    assert not found.is_known
    assert found.reason == "no positive row, true or predicted"


@pytest.mark.parametrize("terms", [None, Terms(0.005, objective="f1", max_depth=2)])
def test_the_certificate_answers_what_was_maximised(made, terms):
    result = made[0].result_
    answers = dict(explain(result, terms, 160).answers)
    assert (
        f"1 \u2212 F1 of 'sick' on the training rows ({result.loss:.4f}, so"
        in answers["Better in which sense?"]
    )
    assert "0.005 of the training weight" in answers["Better in which sense?"]
    assert answers["Could another tree be better?"].startswith("No, not among all trees")
    assert ", of depth at most 2" in answers["Among which trees?"]
    assert "weights or costs were rounded" not in " ".join(answers.values())
    free = replace(result, options={**result.options, "cost_complexity": 0})
    assert "leaves cost nothing" in dict(explain(free, terms, 160).answers)["Better in which sense?"]
