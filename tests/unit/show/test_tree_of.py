"""What is shown of a model: its tree, whatever holds it; and how a tree and a result show themselves."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import treewright.result
from task_reports import made
from treewright import OptimalTreeClassifier, OptimalTreeClassifierCV, OptimalTreeRegressor, accuracy_frontier
from treewright.errors import InputError
from treewright.result import SolveResult, SolveStatus
from treewright.show import (
    ProgressRecorder,
    notebook_html,
    plot_active_nodes,
    plot_decision_regions,
    plot_frontier,
    plot_leaf_accuracies,
    plot_search_progress,
    plot_tree,
    rules,
    rules_frame,
    to_graphviz,
    to_rules,
    to_text,
    tree_figure,
)

X = np.random.default_rng(0).normal(size=(80, 3))
Y = np.where(X[:, 0] + 0.5 * (X[:, 1] > 0) > 0.2, "yes", "no")
MODEL = OptimalTreeClassifier(0.02, max_depth=2).fit(X, Y)


@pytest.mark.parametrize("show", [to_text, to_rules, to_graphviz, notebook_html, rules])
def test_the_tree_is_found_in_whatever_holds_it(show):
    grid = GridSearchCV(OptimalTreeClassifier(max_depth=2), {"cost_complexity": [0.02]}, cv=2).fit(X, Y)
    for model in (MODEL, MODEL.result_, grid, make_pipeline("passthrough", MODEL)):
        assert show(model) == show(MODEL.tree_)


def test_pictures_take_estimators():
    assert len(plot_tree(MODEL).texts) == len(plot_tree(MODEL.tree_).texts)
    assert len(tree_figure(MODEL.result_).axes[0].texts) == len(plot_tree(MODEL.tree_).texts)
    assert plot_leaf_accuracies(MODEL, X, Y).get_yticklabels()
    assert plot_decision_regions(MODEL, X, Y).get_xlabel() in ("x0", "x1")
    assert plot_search_progress(ProgressRecorder(), MODEL).get_xlabel() == "seconds"
    assert rules_frame(MODEL, backend="pandas").shape[0] == MODEL.get_n_leaves()
    chosen = OptimalTreeClassifierCV(max_leaves=3, max_depth=2, thresholds=4, cv=2).fit(X, Y)
    assert len(plot_frontier(chosen).collections) == len(plot_frontier(chosen.frontier_).collections)


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (OptimalTreeClassifier(), r"call its fit\(X, y\) first"),
        (DecisionTreeClassifier(), "from_sklearn"),
        ("tree", "Got a str"),
    ],
)
def test_what_has_no_tree_is_told_why(model, said):
    with pytest.raises(InputError, match=said):
        to_text(model)


def test_rows_do_not_go_with_a_pipeline():
    pipeline = make_pipeline(StandardScaler(), OptimalTreeClassifier(0.02, max_depth=2)).fit(X, Y)
    for plot in (plot_leaf_accuracies, plot_decision_regions):
        with pytest.raises(InputError, match=r"pipeline\[:-1\].transform\(X\)"):
            plot(pipeline, X, Y)
        assert plot(pipeline[-1], pipeline[:-1].transform(X), Y)


def test_reprs_are_one_short_line():
    front = accuracy_frontier(X, Y, max_leaves=3, max_depth=2, thresholds=4)
    for thing in (MODEL.tree_, MODEL.result_, front):
        assert len(repr(thing)) < 200
        assert "\n" not in repr(thing)
    assert repr(MODEL.tree_).startswith(f"<Tree: {MODEL.get_n_leaves()} leaves, depth 2, 3 columns")
    assert "proven optimal" in repr(MODEL.result_)


def test_the_repr_of_a_proof_has_the_tolerance_of_its_sentence_and_no_gap():
    proven = replace(MODEL.result_, lower_bound=MODEL.result_.objective * (1 - 1e-9))
    numbers = OptimalTreeRegressor(max_depth=1).fit(X, X[:, 0]).result_
    cut = replace(MODEL.result_, lower_bound=MODEL.result_.objective * (1 - 1e-15))
    for result in (proven, numbers, cut):
        assert "gap" not in repr(result)
        within = re.search(r"proven optimal(?: to within ([^;]+))?; ", repr(result))[1]
        assert (within is None) == (result is cut)
        assert within is None or f" {within}" in result.sentence()
    open_ = replace(cut, status=SolveStatus.FEASIBLE, lower_bound=0.0)
    assert "not proven optimal, gap 100.0%; " in repr(open_)


def test_every_kind_of_result_has_the_short_repr():
    kinds = [
        k for k in vars(treewright.result).values() if isinstance(k, type) and issubclass(k, SolveResult)
    ]
    assert len(kinds) > 3
    assert {kind.__repr__ for kind in kinds} == {SolveResult.__repr__}


def test_trees_and_results_are_pictures_in_a_notebook():
    assert MODEL.tree_._repr_html_().count("tw-box tw-class") == MODEL.get_n_leaves()
    assert "Proven optimal over" in MODEL.result_._repr_html_()
    assert "Parameters" not in MODEL.result_._repr_html_()


def test_labels_that_differ_are_an_error_and_not_all_wrong():
    numbers = np.where(Y == "yes", 1, 0)
    with pytest.raises(InputError, match="y holds labels that are not known here: 0, 1"):
        plot_leaf_accuracies(MODEL, X, numbers)
    model = OptimalTreeClassifier(0.02, max_depth=2).fit(X, numbers)
    with pytest.raises(InputError, match=r"y_test holds .* They read the same"):
        plot_leaf_accuracies(model, X, numbers, X, numbers.astype(str))


def test_long_names_stay_inside_their_pictures():
    pd = pytest.importorskip("pandas")
    long = "_measured_over_the_last_twelve_months_in_units_of_the_laboratory_of_the_county"
    frame = pd.DataFrame(X, columns=[name + long for name in ("alpha", "beta", "gamma")])
    labels = np.where(Y == "yes", "yes, in each of the three visits that were planned for it", "no")
    labels[frame.iloc[:, 2] > 0.3] = "no"
    model = OptimalTreeClassifier(0.0, max_depth=3).fit(frame, labels)
    assert len(model.tree_.asked) > 2  # so that the title has something to say
    ax = plot_decision_regions(model, frame, labels)
    figure = ax.figure
    figure.canvas.draw()
    page = figure.bbox
    for text in (ax.xaxis.label, ax.yaxis.label, ax._left_title, *ax.get_legend().get_texts()):
        box = text.get_window_extent()
        assert box.x0 >= page.x0 - 1, text.get_text()
        assert box.x1 <= page.x1 + 1, text.get_text()
        assert box.y0 >= page.y0 - 1, text.get_text()
        assert box.y1 <= page.y1 + 1, text.get_text()


@pytest.mark.parametrize("show", [to_text, to_rules, to_graphviz, notebook_html])
def test_rewards_are_those_that_the_certificate_speaks_of(show):
    """The sentence said "mean reward after costs", and the leaves had the rewards before them."""
    model = made("policy").model
    assert "mean reward after costs 0.4822" in show(model)
    assert "mean reward after costs 0.4822" in show(model.result_)
    assert "mean reward 0.5822" in show(model.tree_)  # which does not know the costs


def test_a_notebook_shows_rewards_after_costs():
    model = made("policy").model
    for one in (model, model.result_):
        assert "mean reward after costs 0.482228" in one._repr_html_()
    assert any("after costs 0.4822" in text.get_text() for text in plot_tree(model).texts)


def test_a_notebook_says_why_the_best_tree_is_a_single_leaf():
    labels = np.where(np.arange(80) % 20 == 0, "yes", "no")
    alone = OptimalTreeClassifier(0.2, max_depth=2).fit(X, labels)
    assert alone.tree_.n_leaves == 1
    shown = alone._repr_html_().replace("<wbr>", "")
    assert "gains more than cost_complexity=0.2 for each" in shown
    assert "class_weight=&#34;balanced&#34;" in shown
    for model in (MODEL, OptimalTreeClassifier(0.2, max_depth=0).fit(X, labels), made("squared_error").model):
        assert "single leaf" not in model._repr_html_()


def test_pictures_of_other_estimators_are_refused_in_words() -> None:
    """They ended with an AttributeError of the result."""
    model = OptimalTreeClassifier(max_depth=1).fit([[20], [30], [40]], [0, 0, 1])
    with pytest.raises(InputError, match=r"latent tree, .* this is an OptimalTreeClassifier"):
        plot_active_nodes(model)
    with pytest.raises(InputError, match="progress=recorder, then call plot_search_progress"):
        plot_search_progress(model)
