"""What leaves say of their rows and weights."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

from treewright import OptimalTreeClassifier
from treewright.convert import from_sklearn
from treewright.leaf_accuracy import HybridReport, Treatment
from treewright.show import plot_leaf_accuracies, report, rules, to_text
from treewright.show._words import printable, typeset
from treewright.table import ColumnNote, Settings
from treewright.tree import Column, ColumnKind, ThresholdSplit, grow

X = np.repeat([[0.0], [1.0], [2.0]], 20, axis=0)
Y = np.where(np.arange(60) % 20 < [2] * 20 + [19] * 20 + [1] * 20, 1, 0)


def fitted(weight=None):
    return OptimalTreeClassifier(0.0, max_depth=2).fit(X, Y, sample_weight=weight).tree_


def test_rows_without_weights_are_rows():
    assert not fitted().is_weighted
    assert all("of weight" not in rule.support for rule in rules(fitted()))


@pytest.mark.parametrize("heavy", [0, 1, 2])
def test_weights_in_one_leaf_are_weights_in_all(heavy):
    weight = np.ones(60)
    weight[20 * heavy : 20 * heavy + 3] = 2.0
    tree = fitted(weight)
    assert tree.n_leaves == 3
    assert tree.is_weighted
    assert all("of weight, 20 rows" in rule.support for rule in rules(tree))
    assert to_text(tree).count("of weight") == 3


def test_weights_that_add_up_to_the_rows_are_weights():
    weight = np.tile([0.75, 1.25], 30)  # every leaf has 20 rows of weight 20
    tree = fitted(weight)
    assert tree.value[tree.is_leaf].sum(axis=1).tolist() == [20.0] * tree.n_leaves
    assert tree.is_weighted
    assert to_text(tree).count("of weight") == tree.n_leaves


def test_all_of_the_weight_is_said_only_of_all_of_it():
    columns, labels, codes = [Column("x", ColumnKind.CONTINUOUS)], np.array(["no", "yes"]), Y.astype(np.int32)
    weight = np.where(Y == 1, 1.0, 1e-20)
    assert weight[Y == 1].sum() / weight.sum() == 1.0
    for less, said in ((weight, "99.9%"), (weight * Y, "100%")):
        tree = grow(columns, labels, [None], X, codes, less, 1.0 - np.eye(2))
        assert rules(tree)[0].support == f"{said} of weight, 60 rows"


@pytest.mark.parametrize("seed", range(20))
def test_trees_of_scikit_learn_are_read_without_weights_of_rounding(seed):
    rng = np.random.default_rng(seed)
    rows, labels = rng.normal(size=(997, 3)), rng.integers(0, 3, 997)
    tree = from_sklearn(DecisionTreeClassifier(max_depth=5, random_state=seed).fit(rows, labels))
    assert not tree.is_weighted


@pytest.mark.parametrize(
    ("plain", "said"),
    [
        ("<= -2.5", "\u2264 \u22122.5"),
        ("> -.5 mg or missing", "> \u2212.5 mg or missing"),
        ("!= -9", "\u2260 -9"),  # a word of the data
        ("= -9", "= -9"),
        ("<= 2e-05", "\u2264 2e-05"),
        ("> 3", "> 3"),
    ],
)
def test_only_numbers_have_a_minus_sign(plain, said):
    assert typeset(plain) == said


def test_rules_beside_bars_have_the_signs_of_the_picture():
    pytest.importorskip("matplotlib").use("Agg")
    tree = OptimalTreeClassifier(max_depth=1).fit(X - 1.5, X[:, 0] > 0).tree_
    names = [text.get_text() for text in plot_leaf_accuracies(tree, X - 1.5, X[:, 0] > 0).get_yticklabels()]
    assert names[0].startswith("x0 \u2264 \u22121")


def test_notes_of_the_search_name_columns_as_people_do():
    frame = pd.DataFrame({"inc": np.arange(60.0), "inc2": np.arange(60.0) % 7})
    model = OptimalTreeClassifier(max_depth=1, thresholds=4).fit(frame, frame["inc"] > 30)
    (note,) = [note for note in model.result_.notes if "inc (3 of 59)" in note]
    page = report(
        model,
        frame,
        frame["inc"] > 30,
        fit_models=False,
        settings=Settings(notes={"inc": ColumnNote("income")}),
    )
    assert "inc (3 of" not in page.replace("in 2 columns", "")
    assert "income (3 of 59), inc2 (3 of 6)" in page, note


def test_blanks_of_any_width_are_blanks():
    """A header of a spreadsheet was shown with an escape between its words."""
    assert printable("Amount\u00a0due\u202f(PLN)\u3000net") == "Amount due (PLN) net"
    assert printable("a\x1b[2J\u202e") == "a\\x1b[2J\\u202e"


def tree_with_known_values():
    """Age asked twice on both sides: missing values go left at first, then right."""
    columns = (Column("age", ColumnKind.CONTINUOUS, has_missing=True),)
    ages = np.array([[20.0], [35.0], [50.0], [70.0], [np.nan]])
    splits = [
        ThresholdSplit(0, 40.0, True), ThresholdSplit(0, 30.0, False), None, None,
        ThresholdSplit(0, 60.0, True), None, None,
    ]  # fmt: skip
    y = np.array([0, 1, 0, 1, 1], dtype=np.int32)
    return grow(columns, np.array(["no", "yes"]), splits, ages, y, np.ones(5), 1.0 - np.eye(2))


def test_where_no_missing_value_arrives_none_is_named():
    tree = tree_with_known_values()
    assert tree.known_columns == (
        frozenset(),
        frozenset(),
        frozenset({0}),
        *[frozenset()],
        *[frozenset({0})] * 3,
    )
    text = to_text(tree)
    assert "age <= 40 or missing" in text
    assert "age > 30 or missing" in text
    assert "age <= 60 " in text.replace("\n", " ")
    assert text.count("or missing") == 2  # the rows above 40 are known
    assert tree._repr_html_().count("or missing") == 2
    codes = HybridReport(
        tree, dict.fromkeys((2, 3, 5, 6), Treatment.KEPT), np.array([2]), np.array(["no"]), np.array(["no"])
    )
    assert [leaf.rule for leaf in codes.leaves][2:] == ["age > 40, age <= 60", "age > 40, age > 60"]
