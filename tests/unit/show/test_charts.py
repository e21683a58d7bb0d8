"""Charts: what is drawn is what was measured, and no text stands on another."""

from __future__ import annotations

import sys
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris

from made_trees import make_tree
from treewright import OptimalTreeClassifier
from treewright.errors import InputError, MissingDependencyError
from treewright.result import SolveResult, SolveStatus
from treewright.search import Progress
from treewright.show import (
    ProgressRecorder,
    plot_decision_regions,
    plot_frontier,
    plot_leaf_accuracies,
    plot_search_progress,
)
from treewright.tree import Column, ColumnKind, LinearSplit, grow, wilson_interval

matplotlib = pytest.importorskip("matplotlib", reason="matplotlib (the extra `plot`) is not installed")
matplotlib.use("Agg")
from matplotlib.text import Text  # noqa: E402


def assert_readable(ax):
    """All texts lie inside the figure, none on another, none below 8 points."""
    figure = ax.figure
    figure.canvas.draw()
    page = figure.bbox
    texts = [t for t in figure.findobj(Text) if t.get_text().strip() and t.get_visible()]
    outside = set()  # labels of ticks beyond the limits exist, and are not drawn
    for axis, limits in ((ax.xaxis, sorted(ax.get_xlim())), (ax.yaxis, sorted(ax.get_ylim()))):
        for tick in axis.get_major_ticks():
            if not limits[0] <= tick.get_loc() <= limits[1]:
                outside |= {tick.label1, tick.label2}
    texts = [text for text in texts if text not in outside]
    boxes = [(text.get_text(), text.get_window_extent()) for text in texts]
    for text, box in boxes:
        assert page.x0 - 1 <= box.x0 <= box.x1 <= page.x1 + 1, text
        assert page.y0 - 1 <= box.y0 <= box.y1 <= page.y1 + 1, text
    for (a, first), (b, second) in combinations(boxes, 2):
        wide = min(first.x1, second.x1) - max(first.x0, second.x0)
        high = min(first.y1, second.y1) - max(first.y0, second.y0)
        assert wide < 1 or high < 1.5, (a, b)
    assert all(text.get_fontsize() >= 8 for text in texts)


# ------------------------------------------------------------------------------------- search progress


def state(seconds, objective, bound):
    return Progress(seconds, objective, bound, 1, 1)


def result(n_leaves=2, loss=0.2, bound=0.2, status=SolveStatus.OPTIMAL, price=0.0, **stats):
    tree = make_tree(0, n_leaves).tree
    return SolveResult(tree, status, loss + price * n_leaves, bound, loss, "all", stats=stats)


def test_the_recorder_keeps_changes_and_passes_on():
    seen = []
    recorder = ProgressRecorder(then=lambda s: seen.append(s) or len(seen) > 2)
    states = [state(0, np.inf, 0), state(1, np.inf, 0), state(2, 0.4, 0.1)]
    assert [recorder(s) for s in states] == [False, False, True]
    assert recorder.states == [states[0], states[2]]
    assert seen == states


def test_a_search_is_drawn_to_its_end():
    X, y = load_breast_cancer(return_X_y=True)
    recorder = ProgressRecorder()
    model = OptimalTreeClassifier(0.01, max_depth=3, thresholds=10, progress=recorder).fit(X, y)
    ax = plot_search_progress(recorder, model.result_)
    best, bound = (line.get_ydata() for line in ax.get_lines()[:2])
    assert best[-1] == model.result_.objective
    assert bound[-1] == model.result_.lower_bound
    known = np.asarray(best)[np.isfinite(best)]
    assert (np.diff(known) <= 0).all()
    assert_readable(ax)
    assert any("proven" in text.get_text() for text in ax.texts)


@pytest.mark.parametrize("end", [(0.3, 0.1), (0.3, 0.2999)])
def test_an_open_gap_shows_both_values(end):
    recorder = ProgressRecorder()
    for values in ((0.0, np.inf, 0.0), (1.0, 0.5, 0.05), (2.0, *end)):
        recorder(state(*values))
    ax = plot_search_progress(recorder)
    assert [text.get_text() for text in ax.texts] == [f"{value:.4f}" for value in end]
    if end[0] - end[1] > 0.01:
        assert_readable(ax)


def test_nothing_recorded():
    with pytest.raises(InputError, match="progress="):
        plot_search_progress(ProgressRecorder())
    assert_readable(plot_search_progress(ProgressRecorder(), result(seconds=0.0)))


# ------------------------------------------------------------------------------------------- frontier


def test_frontier_shows_loss_bound_and_proof():
    results = [
        result(1, 0.4, 0.41, price=0.01),
        result(4, 0.1, 0.1, SolveStatus.FEASIBLE, price=0.01),
        result(2, 0.2, 0.22, price=0.01),
    ]
    ax = plot_frontier(results, chosen=2, measure="loss")
    proven, open_, chosen = ax.collections[0], ax.collections[1], ax.collections[-1]
    np.testing.assert_allclose(proven.get_offsets(), [[1, 40], [2, 20]])
    np.testing.assert_allclose(open_.get_offsets(), [[4, 10]])
    np.testing.assert_allclose(chosen.get_offsets(), [[2, 20]])
    (bar,) = ax.patches
    assert bar.get_y() + bar.get_height() == pytest.approx(6)  # 0.1 - 4 leaves at 0.01
    assert_readable(ax)
    assert_readable(plot_frontier(results))
    assert_readable(plot_frontier(results[:1]))


@pytest.mark.parametrize(
    ("options", "words"), [({"chosen": 3}, "chosen=3"), ({"measure": "auc"}, "measure='auc'")]
)
def test_bad_frontier(options, words):
    with pytest.raises(InputError, match=words):
        plot_frontier([result()], **options)
    with pytest.raises(InputError, match="empty"):
        plot_frontier([])


# ------------------------------------------------------------------------------------ decision regions


def colour_at(ax, x, y):
    """The colour of the region at a point in data coordinates."""
    mesh = ax.collections[0]
    columns, rows = np.asarray(mesh.get_coordinates()[0, :, 0]), np.asarray(mesh.get_coordinates()[:, 0, 1])
    values = np.asarray(mesh.get_array()).reshape(len(rows) - 1, len(columns) - 1)
    return int(values[np.searchsorted(rows, y) - 1, np.searchsorted(columns, x) - 1])


def test_every_cell_has_the_trees_decision():
    X, y = load_iris(return_X_y=True, as_frame=True)
    tree = OptimalTreeClassifier(0.001, max_depth=4, time_limit=5).fit(X[X.columns[2:]], y).tree_
    ax = plot_decision_regions(tree, X[X.columns[2:]], y)
    assert (ax.get_xlabel(), ax.get_ylabel()) == tuple(
        tree.columns[c].name for c in dict.fromkeys(tree.feature[tree.feature >= 0])
    )
    across = [column.name for column in tree.columns].index(ax.get_xlabel())
    for x, up in np.random.default_rng(0).uniform(
        (ax.get_xlim()[0], ax.get_ylim()[0]), (ax.get_xlim()[1], ax.get_ylim()[1]), (300, 2)
    ):
        row = np.empty((1, 2))
        row[0, across], row[0, 1 - across] = x, up
        assert colour_at(ax, x, up) == tree.prediction[tree.apply(row)[0]]
    for split in tree.splits:
        if split is not None and split.column == across:  # a value on the threshold goes left
            row = np.full((1, 2), float(np.mean(ax.get_ylim())))
            row[0, across] = split.threshold
            assert colour_at(ax, split.threshold, row[0, 1 - across]) == tree.prediction[tree.apply(row)[0]]
    assert_readable(ax)


def test_other_columns_are_held_and_named():
    made = make_tree(3, 20)
    rows = [[None if np.isnan(v) else v for v in row] for row in made.X.tolist()]
    names = [c.name for c in made.tree.columns]
    for row in rows:
        row[2:4] = [None if v is None else bool(v) for v in row[2:4]]
        for j in (4, 5):
            row[j] = None if row[j] is None else made.tree.columns[j].categories[int(row[j])]
    ax = plot_decision_regions(
        made.tree, rows, columns=("age", "mean radius (µm)"), at={"colour": "red", "smoker": None}
    )
    assert "colour = red" in ax.get_title(loc="left")
    row = np.array([[2.0, 0.3, np.nan, 0.0, 2.0, 0.0]])
    row[0, 3], row[0, 5] = (
        np.bincount(made.X[~np.isnan(made.X[:, j]), j].astype(int)).argmax() for j in (3, 5)
    )
    assert colour_at(ax, 2.0, 0.3) == made.tree.prediction[made.tree.apply(row)[0]]
    assert_readable(ax)
    with pytest.raises(InputError, match="holds categories"):
        plot_decision_regions(made.tree, rows, columns=("age", "colour"))
    with pytest.raises(InputError, match="no column 'x'"):
        plot_decision_regions(made.tree, rows, columns=("age", "x"))
    with pytest.raises(InputError, match="two different"):
        plot_decision_regions(made.tree, rows, columns=("age", "age"))
    with pytest.raises(InputError, match="at gives 'pink'"):
        plot_decision_regions(made.tree, rows, at={"colour": "pink"})
    with pytest.raises(InputError, match="at names the column 'x'"):
        plot_decision_regions(made.tree, rows, at={"x": 1})
    with pytest.raises(InputError, match="y has shape"):
        plot_decision_regions(made.tree, rows, [1, 2])
    with pytest.raises(InputError, match="predicts numbers"):
        plot_decision_regions(replace(made.tree, classes=None), rows)
    assert names


def test_linear_splits_get_a_raster():
    X = np.random.default_rng(0).uniform(-1, 1, (50, 2))
    y = (X.sum(axis=1) > 0).astype(np.int32)
    columns = (Column("a", ColumnKind.CONTINUOUS), Column("$b$", ColumnKind.CONTINUOUS))
    tree = grow(
        columns,
        np.array(["no", "yes"]),
        [LinearSplit((0, 1), (1.0, 1.0), 0.0), None, None],
        X,
        y,
        np.ones(50),
        1 - np.eye(2),
    )
    ax = plot_decision_regions(tree, X, np.array(["no", "yes"])[y])
    assert [colour_at(ax, x, x / 2) for x in (-0.8, -0.1, 0.1, 0.8)] == [0, 0, 1, 1]
    assert_readable(ax)


# -------------------------------------------------------------------------------------- leaf accuracies


def test_bars_are_the_shares_and_intervals():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    model = OptimalTreeClassifier(0.01, max_depth=3).fit(X[:400], y[:400])
    ax = plot_leaf_accuracies(model.tree_, X[:400], y[:400], X[400:], y[400:])
    leaf = model.apply(X[:400])
    for bar, node in zip(ax.patches, np.flatnonzero(model.tree_.is_leaf), strict=True):
        here = y[:400][leaf == node] == model.classes_[model.tree_.prediction[node]]
        assert bar.get_width() == pytest.approx(100 * here.mean())
    low, high = wilson_interval(int(here.sum()), len(here))
    lines = [line for line in ax.get_lines() if len(line.get_xdata()) == 2]
    assert any(np.allclose(line.get_xdata(), [100 * low, 100 * high]) for line in lines)
    assert_readable(ax)


@pytest.mark.parametrize("n_leaves", [1, 20])
def test_many_leaves_and_long_names(n_leaves):
    made = make_tree(5, n_leaves)
    columns = tuple(
        replace(
            c,
            name=f"{c.name} $x$ with a name as long as a sentence in a codebook",
            kind=ColumnKind.CONTINUOUS,
            categories=(),
        )
        for c in made.tree.columns
    )
    tree = replace(made.tree, columns=columns)
    assert_readable(plot_leaf_accuracies(tree, made.X, tree.classes[made.y]))


def test_bad_leaf_accuracies():
    made = make_tree(1, 3)
    tree = replace(made.tree, columns=tuple(Column(f"x{j}", ColumnKind.CONTINUOUS) for j in range(6)))
    labels = tree.classes[made.y]
    with pytest.raises(InputError, match="both X_test and y_test"):
        plot_leaf_accuracies(tree, made.X, labels, X_test=made.X)
    with pytest.raises(InputError, match="y has shape"):
        plot_leaf_accuracies(tree, made.X, labels[:3])
    with pytest.raises(InputError, match="predicts numbers"):
        plot_leaf_accuracies(replace(tree, classes=None), made.X, labels)


def test_missing_matplotlib_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(MissingDependencyError, match=r"treewright\[plot\]"):
        plot_frontier([result()])
