"""What a notebook shows: the tree of a fitted estimator, several on one page, scikit-learn's box before `fit`."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
import sklearn
from sklearn.pipeline import make_pipeline

from treewright import BornAgainTreeClassifier, OptimalTreeClassifier
from treewright.result import SolveStatus, StopReason
from treewright.show import notebook_html, report

X = np.random.default_rng(0).integers(0, 6, (60, 3)).astype(float)
Y = np.where(X[:, 0] > 2, "<b>yes</b>", "no")


def fitted():
    return [OptimalTreeClassifier(0.02).fit(X, Y), BornAgainTreeClassifier(random_state=0).fit(X, Y)]


@pytest.mark.parametrize("model", fitted(), ids=lambda model: type(model).__name__)
def test_a_fitted_estimator_shows_its_tree(model):
    html = model._repr_html_()
    assert html == model._repr_mimebundle_()["text/html"]
    assert html.startswith('<div class="treewright')
    assert html.count("tw-box tw-class") == model.tree_.n_leaves
    assert "&lt;b&gt;yes" in html
    assert "<b>" not in html
    assert "<script" not in html
    assert " id=" not in html  # several outputs stand on one page
    assert "http" not in html
    for rule in re.findall(r"^[^{}@/]+\{", html[html.index("<style>") : html.index("</style>")], re.M):
        assert ".treewright" in rule or ".tw-palette" in rule or "<style>" in rule


def test_a_tree_of_a_frame_speaks_of_its_columns():
    import pandas as pd

    frame = pd.DataFrame(X, columns=["age", "size", "speed"])
    for model in (OptimalTreeClassifier(0.02), BornAgainTreeClassifier(random_state=0)):
        model.fit(frame, Y)
        assert "age" in model._repr_html_()
        assert report(model, frame, Y, fit_models=False)
        assert (model.predict(frame) == model.tree_.predict(X)).all()


def test_the_certificate_is_below_the_tree():
    model = fitted()[0]
    assert "Proven optimal over" in model._repr_html_()
    assert "OptimalTreeClassifier(cost_complexity=0.02)" in model._repr_html_()


def test_a_search_that_was_stopped_at_one_leaf_says_so():
    why = "a single leaf because the search ended (time limit reached) before it found a better one"
    model = OptimalTreeClassifier(max_depth=2).fit(X, Y)
    for penalty in (0.5, 0.02):
        one = OptimalTreeClassifier(0.5).fit(X, Y)
        one.result_ = replace(one.result_, status=SolveStatus.FEASIBLE, stop_reason=StopReason.TIME_LIMIT)
        one.cost_complexity = penalty
        assert why in one._repr_html_()
        assert why in one.result_._repr_html_()
    assert why not in model._repr_html_()
    model.result_ = replace(model.result_, stop_reason=StopReason.TIME_LIMIT)
    assert why not in model._repr_html_()
    one.max_depth = 0  # no tree has more
    assert why not in one._repr_html_()


def test_scikit_learn_shows_what_has_no_tree():
    model = OptimalTreeClassifier()
    assert 'class="treewright' not in model._repr_html_()
    assert "sk-top-container" in model._repr_mimebundle_()["text/html"]
    assert "sk-top-container" in make_pipeline(fitted()[0])._repr_html_()


def test_html_can_be_switched_off():
    model = fitted()[0]
    with sklearn.config_context(display="text"):
        assert not hasattr(model, "_repr_html_")
        assert list(model._repr_mimebundle_()) == ["text/plain"]


def test_large_trees_stay_small_pages():
    from made_trees import make_tree

    assert len(notebook_html(make_tree(1, 5000, n_rows=20).tree)) < 1_200_000


def test_regression_trees_are_shown():
    from dataclasses import replace

    from made_trees import make_tree

    tree = make_tree(1, 6).tree
    numbers = replace(tree, classes=None, value=np.linspace(0, 1, tree.node_count)[:, None],
                      prediction=np.zeros_like(tree.prediction))  # fmt: skip
    assert notebook_html(numbers).count("tw-box tw-class tw-class-0") == 6
