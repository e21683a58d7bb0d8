"""What an auditor asks of the report: whose tree, which rows, how wrong for whom, and one truth about what is best."""

from __future__ import annotations

import html
import re
from dataclasses import replace

import numpy as np
import pytest

import treewright.problem
import treewright.table
import treewright.verify
from treewright import (
    OptimalPolicyTree,
    OptimalProbabilityTree,
    OptimalSurvivalTree,
    OptimalTreeClassifier,
    OptimalTreeRegressor,
    accuracy_frontier,
)
from treewright.convert import Terms
from treewright.errors import InputError
from treewright.result import SolveStatus
from treewright.show import report
from treewright.show._report._audit import _rules, fingerprint, groups_of_rows
from treewright.show._report._certificate import explain
from treewright.show._report._classes import ClassTask, read_labels
from treewright.show._report._frontier import better_than, chart
from treewright.show._report._rows import Rows, read_rows
from treewright.show._report._task import Context
from treewright.table import ColumnNote, Settings, read_settings, settings_text
from treewright.tree import wilson_interval

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 3)).round(3)
Y = np.where(X[:, 0] + X[:, 1] + RNG.normal(0, 0.4, 300) > 0, "good", "bad")
MODEL = OptimalTreeClassifier(0.002, max_depth=3).fit(X, Y)
SETTINGS = Settings(
    ignore=("id",),
    notes={
        "x0": ColumnNote("income", "before tax", "EUR", "only-up", {"-9": "no record"}),
        "x1": ColumnNote(change="never"),
    },
    label_names={"good": "repaid"},
    about={"purpose": "grants loans", "owner": "the bank <b>"},
)


def page(**options):
    return report(MODEL, X, Y, fit_models=False, **options)


def task_on(X, y, result=None):
    """What the report says of the model, with the rows as training rows."""
    rows = read_rows(MODEL.tree_, X, y, "X", read_labels)
    return ClassTask(Context(MODEL.tree_, MODEL.tree_, result, None, rows, None, Settings(), 6, None))


def test_settings_are_read_as_they_were_written(tmp_path):
    path = tmp_path / "columns.yaml"
    path.write_text(settings_text(SETTINGS))
    assert read_settings(path) == SETTINGS
    assert "income" in page(settings=path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("columns: {a: {change: up}}", "choose one of any, never, only-up, only-down"),
        ("columns: {a: {codes: {x: y}}}", "'x' is not a number"),
        ("about: {purpos: x}", "entry 'purpos'; did you mean 'purpose'"),
        ("columns: {a: {name: [1]}}", "one line of text"),
    ],
)
def test_what_cannot_be_settled_is_refused(tmp_path, text, said):
    (tmp_path / "columns.yaml").write_text(text)
    with pytest.raises(InputError, match=said):
        read_settings(tmp_path / "columns.yaml")


def test_people_read_their_own_words_everywhere():
    text = page(settings=SETTINGS, date="2026-01-31")
    for words in ("income", "before tax", "EUR", "may only rise", "no record", "repaid", "grants loans"):
        assert words in text
    assert "the bank &lt;b&gt;" in text
    assert "2026-01-31" in text
    assert "in the file: <bdi>x0" in text
    assert ">good<" not in text


def test_what_nobody_said_is_named():
    assert "Purpose and owner</dt><dd><bdi>not given" in page()


def test_the_fingerprint_changes_with_every_cell_label_and_order():
    rows = read_rows(MODEL.tree_, X, Y, "X", read_labels)
    changed = rows.X.copy()
    changed[7, 2] += 1e-9
    others = [
        Rows(changed, rows.y),
        Rows(rows.X, np.where(np.arange(300) == 5, 1 - rows.y, rows.y)),
        Rows(rows.X[::-1], rows.y[::-1]),
    ]
    assert len({fingerprint(each) for each in (rows, *others)}) == 4
    assert fingerprint(Rows(np.asfortranarray(rows.X), rows.y)) == fingerprint(rows)


def test_error_rates_of_groups_are_counted_on_the_test_rows():
    sex = np.where(np.arange(100) % 3 == 0, "women", "men")
    (title, parts), (_, ages) = groups_of_rows({"sex": sex, "age": np.arange(100.0)}, 100, Settings())
    assert title == "sex"
    assert [name for name, _ in parts] == ["men", "women"]
    wrong = MODEL.predict(X[:100]) != Y[:100]
    (table,) = task_on(X[:100], Y[:100]).group_tables(title, parts)
    for row, (name, here) in zip(table.grid.rows, parts, strict=True):
        np.testing.assert_array_equal(here, sex == name)
        n_wrong, n_rows = int(wrong[here].sum()), int(here.sum())
        low, high = wilson_interval(n_wrong, n_rows)
        assert [cell.text for cell in row.cells[:2]] == [str(n_rows), str(n_wrong)]
        assert (row.cells[3].bar.low, row.cells[3].bar.high) == (100 * low, 100 * high)
        assert sum(int(cell.small.split(" of ")[0]) for cell in row.cells[4:]) == n_wrong
    assert [name for name, _ in ages] == ["up to 24", "above 24 to 49", "above 49 to 74", "above 74"]
    assert [int(here.sum()) for _, here in ages] == [25, 25, 25, 25]
    assert "Error rates by <bdi>sex" in page(X_test=X[:100], y_test=Y[:100], groups={"sex": sex})
    with pytest.raises(InputError, match="one value for each of the 300 rows"):
        page(groups={"sex": sex})


def test_a_group_that_is_unknown_is_one_and_comes_last():
    ((_, parts),) = groups_of_rows({"n": [2.0, np.nan, 10.0, 2.0, np.nan, 9.0]}, 6, Settings())
    assert [name for name, _ in parts] == ["2", "9", "10", "unknown"]


def test_groups_whose_numbers_share_six_digits_stay_apart():
    branch = np.where(np.arange(100) % 2 == 0, 1234567.0, 1234568.0)
    ((_, parts),) = groups_of_rows({"branch": branch}, 100, Settings())
    assert [(name, int(here.sum())) for name, here in parts] == [("1234567", 50), ("1234568", 50)]


def test_groups_have_the_names_that_people_read():
    settings = Settings(notes={"s": ColumnNote("sex", codes={"1": "women", "2": "men"})})
    text = page(groups={"s": np.arange(300) % 2 + 1}, settings=settings)
    assert "Error rates by <bdi>sex" in text
    assert "<bdi>women" in text


def test_the_penalty_of_a_leaf_is_named_in_its_own_unit():
    for terms, said in (
        (Terms(0.01), "0.01 of the rows"),
        (Terms(0.01, weight="w"), "0.01 of the total weight"),
        (Terms(0.01, class_weight="balanced"), "0.01 of the total weight"),
        (Terms(0.01, objective="balanced_accuracy"), "0.01 of the total weight"),
        (Terms(0.01, costs=((0.0, 5.0), (1.0, 0.0))), "0.01 in units of the mean cost"),
    ):
        assert said in dict(_rules(MODEL.result_, terms))["Limits and rules that were set"]


def test_nothing_is_called_best_beside_something_better():
    """The tree is the best over two quantiles a column; the frontier may use all thresholds and finds better ones."""
    poor = OptimalTreeClassifier(0.002, max_depth=3, thresholds=2).fit(X, Y)
    front = accuracy_frontier(X, Y, max_depth=3, max_leaves=8, thresholds=40)
    assert better_than(poor.result_, None, front) is not None
    text = report(poor, X, Y, fit_models=False, frontier=front)
    assert "Yes, with other splits: the frontier below" in text
    assert better_than(MODEL.result_, None, front) is None
    assert "No, not among all trees over all thresholds, of depth at most 3" in page(frontier=front)


@pytest.mark.parametrize("status", [SolveStatus.FEASIBLE, SolveStatus.OPTIMAL_UNDER_GUESSES])
def test_a_bound_over_few_splits_is_not_one_for_all_trees(status):
    """A tree that a limit left unproven: trees over other splits may be below its bound, and here one is."""
    poor = OptimalTreeClassifier(0.002, max_depth=3, thresholds=2).fit(X, Y).result_
    stopped = replace(poor, status=status, lower_bound=poor.objective - 0.001)
    front = accuracy_frontier(X, Y, max_depth=3, max_leaves=8, thresholds=40)
    better = better_than(stopped, None, front)
    assert better is not None
    assert better.loss + 0.002 * better.tree.n_leaves < stopped.lower_bound
    said = dict(explain(stopped, None, len(Y), better).answers)["Could another tree be better?"]
    assert said.startswith(
        "Yes: the frontier below, over the given splits (at most 39 quantiles a column), has one of"
    )
    assert (
        "mong all trees over the given splits (at most 1 quantile a column), of depth at most 3, by at most"
        in said
    )
    assert said.endswith("Trees beyond these were not searched.")
    if status is SolveStatus.OPTIMAL_UNDER_GUESSES:
        assert "no tree of depth at most 3 over these splits is below" in stopped.sentence()


def test_the_frontier_holds_the_tree_and_none_that_it_beats():
    front = accuracy_frontier(X, Y, max_depth=3, max_leaves=8, thresholds=2)
    drawn = chart(task_on(X, Y, MODEL.result_), front)
    own = [point for point in drawn.points if point.chosen]
    assert len(own) == 1
    assert own[0].leaves == MODEL.tree_.n_leaves
    wrong = [point.train for point in drawn.points]
    assert wrong == sorted(set(wrong), reverse=True)  # more leaves are always wrong less often


def test_what_is_not_comparable_is_not_compared():
    front = accuracy_frontier(X, Y, max_depth=3, max_leaves=3, thresholds=2)
    assert better_than(None, None, front) is None
    assert better_than(replace(MODEL.result_, options={}), None, front) is None


SEX = np.arange(300) % 2
OF_PYTHON = {
    "labels": (OptimalTreeClassifier(0.01, max_depth=2), Y),
    "weights of classes": (OptimalTreeClassifier(0.01, max_depth=2, class_weight="balanced"), Y),
    "costs": (OptimalTreeClassifier(0.01, max_depth=2, costs=[[0, 2], [1, 0]]), Y),
    "an array of costs": (OptimalTreeClassifier(0.01, max_depth=2, costs=np.array([[0, 2], [1, 0]])), Y),
    "balanced": (
        OptimalTreeClassifier(0.01, max_depth=2, objective="balanced_accuracy", min_samples_leaf=9),
        Y,
    ),
    "least accuracy of leaves": (OptimalTreeClassifier(0.01, max_depth=2, min_leaf_accuracy=0.6), Y),
    "f1": (OptimalTreeClassifier(0.01, max_depth=2, objective="f1"), Y),
    "numbers": (OptimalTreeRegressor(max_depth=2), X[:, 0]),
    "quantile": (OptimalTreeRegressor(max_depth=2, criterion="quantile", quantile=0.8), X[:, 0]),
    "shares": (OptimalProbabilityTree(max_depth=2, criterion="log_loss"), Y),
    "actions": (OptimalPolicyTree(max_depth=2, action_costs=[0.1, 0.0]), X[:, :2]),
    "an array of costs of actions": (
        OptimalPolicyTree(max_depth=2, action_costs=np.array([0.1, 0.0])),
        X[:, :2],
    ),
    "times": (OptimalSurvivalTree(max_depth=1), (SEX == 1, 1 + X[:, 0] ** 2)),
}


@pytest.mark.parametrize("made", OF_PYTHON)
def test_a_tree_made_in_python_says_how_it_is_verified(made):
    model, y = OF_PYTHON[made]
    model = model.fit(X, y)
    text = report(model, X, y, fit_models=False)
    call = html.unescape(
        re.sub("<[^>]*>", "", re.search("How to verify</dt><dd><code>(.*?)</code>", text)[1])
    )
    assert eval(call, {"treewright": treewright, "X": X, "y": y, "model": model}).ok


def test_a_tree_made_in_python_is_told_as_one_of_a_file_where_all_rows_count_the_same():
    plain = page()
    assert "the share of training rows that it gets wrong (" in plain
    assert "a leaf costs 0.002 of the rows" in plain
    weighted = OptimalTreeClassifier(0.002, max_depth=3).fit(X, Y, sample_weight=1 + SEX)
    said = report(weighted, X, Y, fit_models=False)
    assert "the share of training rows that it gets wrong" not in said
    assert "a leaf costs 0.002 of the total weight" in said
