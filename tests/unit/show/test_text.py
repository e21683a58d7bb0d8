"""The text of a tree says exactly what the tree does."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from made_trees import make_tree
from treewright.errors import InputError
from treewright.show import to_graphviz, to_text
from treewright.tree import Column, ColumnKind, Split, ThresholdSplit, describe, grow, leaf_path


def small_tree(names=("age", "colour of hair"), labels=("no", "yes"), split: Split | None = None):
    split = split or ThresholdSplit(0, 42.5)
    columns = [Column(name, ColumnKind.CONTINUOUS) for name in names]
    X = np.array([[20.0, 0.0], [40.0, 1.0], [60.0, 1.0], [70.0, 0.0]])
    y = np.array([0, 0, 1, 0], dtype=np.int32)
    return grow(columns, np.array(labels), [split, None, None], X, y, np.ones(4), 1.0 - np.eye(2))


def test_golden_text():
    assert to_text(small_tree()) == (
        "├─ age <= 42.5  → no  100% of 2 rows\n└─ age > 42.5   → no  50.0% of 2 rows"
    )
    assert to_text(small_tree(), ascii_only=True).isascii()
    assert "(no 1, yes 1)" in to_text(small_tree(), counts=True)


def test_a_leaf_without_rows_has_no_share():
    tree = make_tree(0, 2).tree
    rows = np.where(tree.is_leaf & (np.arange(tree.node_count) > 1), 0, tree.n_node_samples)
    assert re.search(r"→ class \d  0 rows$", to_text(replace(tree, n_node_samples=rows)))


def test_a_tree_without_rows_says_nothing_of_them():
    tree = make_tree(0, 1).tree
    tree = replace(tree, n_node_samples=np.zeros_like(tree.n_node_samples))
    assert re.fullmatch(r"→ class \d", to_text(tree))


def test_single_leaf():
    tree = make_tree(0, 1).tree
    assert re.fullmatch(r"→ class \d  \d+\.\d% of weight, 60 rows", to_text(tree))


@pytest.mark.parametrize("seed", range(20))
def test_conditions_down_the_indentation_are_the_paths(seed):
    tree = make_tree(seed, 9).tree
    stack: list[str] = []
    paths = []
    for line in to_text(tree, digits=None).splitlines():
        mark = re.match(r"^((?:│  |   )*)(?:├─ |└─ )(.*)$", line)
        assert mark
        depth = len(mark[1]) // 3
        head, arrow, said = mark[2].partition("→")
        stack[depth:] = [head.strip()]
        if arrow:
            paths.append((list(stack), said))
    leaves = np.flatnonzero(tree.is_leaf)
    assert len(paths) == len(leaves)
    for (conditions, said), leaf in zip(paths, leaves, strict=True):
        expected, known = [], set[int]()
        for split, side in leaf_path(tree, int(leaf)):
            expected.append(describe(split, tree.columns, side, None, known))
            if split.missing_left != side:
                known.update(getattr(split, "columns", (split.column,)))
        assert conditions == expected
        assert said.split("  ")[0].strip() == tree.classes[tree.prediction[leaf]]
        assert f"{tree.n_node_samples[leaf]} row" in said


def test_digits():
    tree = small_tree(split=ThresholdSplit(0, 42.123456789))
    assert "42.1235" in to_text(tree)
    assert "42.12 " in to_text(tree, digits=4)
    assert "42.123456789" in to_text(tree, digits=None)
    with pytest.raises(InputError, match="digits"):
        to_text(tree, digits=0)


def test_names_cannot_steer_a_terminal():
    text = to_text(small_tree(names=("a\x1b[2Jge\n", "b"), labels=("no\r", "yes\x07")))
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", text)
    assert r"a\x1b[2Jge\n <= 42.5" in text
    assert len(text.splitlines()) == 2


def test_shares_are_never_rounded_to_certainty():
    X = np.zeros((10_001, 1))
    y = np.zeros(10_001, dtype=np.int32)
    y[0] = 1
    tree = grow(
        [Column("a", ColumnKind.CONTINUOUS)], np.array([0, 1]), [None], X, y, np.ones(len(y)), 1.0 - np.eye(2)
    )
    assert to_text(tree) == "→ 0  99.9% of 10,001 rows"


def test_graphviz_has_every_node_and_edge_and_escapes_names():
    tree = make_tree(3, 7).tree
    source = to_graphviz(tree)
    assert len(re.findall(r"^  \d+ \[label=", source, re.M)) == tree.node_count
    edges = {(int(a), int(b)) for a, b in re.findall(r"^  (\d+) -> (\d+) \[label=", source, re.M)}
    assert edges == {
        (node, int(child))
        for node in np.flatnonzero(~tree.is_leaf)
        for child in (tree.children_left[node], tree.children_right[node])
    }
    evil = to_graphviz(small_tree(names=('a"]; x -> y; \\n &lt;', "b")))
    label = re.search(r'^  0 \[label="((?:[^"\\]|\\.)*)"\];$', evil, re.M)
    assert label
    assert "&amp;lt;" in label[1]
    assert '\\"];' in label[1]


def test_text_of_a_regression_tree():
    from dataclasses import replace

    made = make_tree(3)
    value = np.full((made.tree.node_count, 1), 1 / 3)
    tree = replace(made.tree, classes=None, value=value, prediction=np.zeros_like(made.tree.prediction))
    assert "→ 0.333333  " in to_text(tree)
    assert 'label="0.3333' in to_graphviz(tree)
