"""The picture: no two boxes or labels overlap, texts stay inside, contrast suffices."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from itertools import combinations

import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch
from matplotlib.text import Text

from made_trees import COLUMNS, make_tree
from treewright import OptimalTreeClassifier
from treewright.errors import InputError, MissingDependencyError
from treewright.show import plot_tree, tree_figure
from treewright.tree import Tree, grow


def boxes_and_labels(figure):
    """Bounding boxes in pixels: of nodes, of edge labels (line by line), and of the texts in nodes."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    renderer = canvas.get_renderer()
    boxes, labels, texts = {}, [], []
    for artist in figure.findobj(lambda a: a.get_gid() is not None):
        kind, node = artist.get_gid().split("-")
        if isinstance(artist, FancyBboxPatch):
            boxes[int(node)] = artist.get_window_extent(renderer)
        elif isinstance(artist, Text) and kind == "label":
            labels.append((int(node), Text.get_window_extent(artist, renderer)))
        elif isinstance(artist, Text):
            texts.append((int(node), Text.get_window_extent(artist, renderer)))
    return boxes, labels, texts


def overlap(a, b, slack=0.5):
    return min(a.x1, b.x1) - max(a.x0, b.x0) > slack and min(a.y1, b.y1) - max(a.y0, b.y0) > slack


def assert_clean(figure, tree: Tree):
    boxes, labels, texts = boxes_and_labels(figure)
    assert sorted(boxes) == list(range(tree.node_count))
    assert {node for node, _ in labels} == set(range(1, tree.node_count))
    for (a, box_a), (b, box_b) in combinations(boxes.items(), 2):
        assert not overlap(box_a, box_b), (a, b)
    for node, label in labels:
        for other, box in boxes.items():
            assert not overlap(label, box), (node, other)
    for (a, label_a), (b, label_b) in combinations(labels, 2):
        assert a == b or not overlap(label_a, label_b), (a, b)
    for node, text in texts:
        box = boxes[node]
        assert box.x0 <= text.x0 <= text.x1 <= box.x1, node
        assert box.y0 - 1 <= text.y0 <= text.y1 <= box.y1 + 1, node
    page = figure.bbox
    for box in boxes.values():
        assert page.x0 <= box.x0 <= box.x1 <= page.x1
        assert page.y0 <= box.y0 <= box.y1 <= page.y1


@pytest.mark.parametrize("orientation", ["auto", "down", "right"])
@pytest.mark.parametrize(("seed", "n_leaves"), [(0, 1), (1, 2), (2, 5), (3, 20), (4, 20)])
def test_nothing_overlaps(seed, n_leaves, orientation):
    tree = make_tree(seed, n_leaves).tree
    assert_clean(tree_figure(tree, orientation=orientation), tree)


def test_nothing_overlaps_at_64_leaves():
    tree = make_tree(5, 64).tree
    assert_clean(tree_figure(tree), tree)


@pytest.mark.parametrize("n_leaves", [1, 20])
def test_long_names_are_wrapped(n_leaves):
    long = "the mean of the logarithm of the standard deviation " + "x" * 30
    columns = tuple(replace(column, name=f"{long} {k}") for k, column in enumerate(COLUMNS))
    made = make_tree(5, n_leaves, labels=[f"a class with a long name {k}" for k in range(3)])
    tree = grow(columns, made.tree.classes, made.tree.splits, made.X, made.y, made.weight, made.costs)
    figure = tree_figure(tree)
    assert_clean(figure, tree)
    texts = [artist.get_text() for artist in figure.findobj(Text) if artist.get_gid()]
    assert max(map(len, texts)) <= 34  # support lines are not wrapped


@pytest.mark.parametrize("orientation", ["down", "right"])
def test_long_words_stay_whole(orientation):
    word = "Kraftfahrzeughaftpflichtversicherungsbeitrag"
    columns = tuple(replace(column, name=f"{word} {k}") for k, column in enumerate(COLUMNS))
    made = make_tree(5, 6, labels=[f"Rechtsschutzversicherungsgesellschaft {k}" for k in range(3)])
    tree = grow(columns, made.tree.classes, made.tree.splits, made.X, made.y, made.weight, made.costs)
    figure = tree_figure(tree, orientation=orientation)
    assert_clean(figure, tree)
    texts = "\n".join(artist.get_text() for artist in figure.findobj(Text) if artist.get_gid())
    assert word in texts
    assert "Rechtsschutzversicherungsgesellschaft" in texts
    assert all(len(part) == len(word) for part in re.findall(r"\w*haftpflicht\w*", texts))


def test_given_axes_are_filled_without_overlap():
    figure = Figure(figsize=(9, 6))
    ax = figure.add_subplot(1, 2, 1)
    tree = make_tree(6, 12).tree
    assert plot_tree(tree, ax, orientation="right") is ax
    boxes, _, _ = boxes_and_labels(figure)
    for a, b in combinations(boxes.values(), 2):
        assert not overlap(a, b)
    window = ax.get_window_extent()
    for box in boxes.values():
        assert window.x0 - 1 <= box.x0 <= box.x1 <= window.x1 + 1


def luminance(colour):
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("n_classes", [2, 8, 12])
def test_text_is_readable_on_every_fill(n_classes):
    figure = tree_figure(make_tree(7, 20, n_rows=400, n_classes=n_classes).tree)
    fills = {}
    for patch in figure.findobj(FancyBboxPatch):
        if patch.get_gid():
            fills[patch.get_gid().split("-")[1]] = patch.get_facecolor()
    for text in figure.findobj(Text):
        if text.get_gid() and text.get_gid().startswith("text-"):
            bright = luminance(fills[text.get_gid().split("-")[1]])
            ratio = (bright + 0.05) / (luminance(text.get_color()) + 0.05)
            assert ratio >= 4.5


def test_dollar_signs_are_text():
    columns = tuple(replace(column, name=f"$income_{k}$ \\frac") for k, column in enumerate(COLUMNS))
    made = make_tree(5, 4)
    tree = grow(columns, made.tree.classes, made.tree.splits, made.X, made.y, made.weight, made.costs)
    assert_clean(tree_figure(tree), tree)


def test_without_axes_a_figure_of_the_right_size_is_made():
    import matplotlib

    matplotlib.use("Agg")
    tree = make_tree(3, 20).tree
    ax = plot_tree(tree)
    assert_clean(ax.figure, tree)


def test_bad_parameters():
    tree = make_tree(0, 2).tree
    with pytest.raises(InputError, match="orientation"):
        tree_figure(tree, orientation="up")
    with pytest.raises(InputError, match="font_size"):
        tree_figure(tree, font_size=0)


def test_missing_matplotlib_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingDependencyError, match=r"treewright\[plot\]"):
        plot_tree(make_tree(0, 2).tree)


def test_import_does_not_load_matplotlib():
    code = "import sys, treewright.show; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_long_names_break_between_their_words():
    name = "NumberOfTradesWithHighUtilisationRatioOverSixtyPercent"
    X = pd.DataFrame({name: [20.0, 30.0, 40.0]})
    figure = tree_figure(OptimalTreeClassifier().fit(X, ["no", "no", "yes"]))
    pieces = [text.get_text() for text in figure.findobj(Text) if text.get_text()[:1].isupper()]
    assert "".join(pieces).replace("\n", "") == name
    assert all(line[:1].isupper() and len(line) <= 22 for piece in pieces for line in piece.split("\n"))
