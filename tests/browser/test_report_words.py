"""What readers of the pages stumble over: signs, broken words, words that say a thing twice, numbers alone."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from made_trees import Made, make_tree
from reports import page_of
from task_reports import page_of_task
from treewright import OptimalTreeClassifier, near_optimal_trees
from treewright.show import choose_page, report
from treewright.tree import CategorySplit, Column, ColumnKind, LinearSplit, ThresholdSplit, grow

LONG = "ApplicantMonthlyNetIncomeAfterTaxesAndSocialContributions"
CLASSES = np.array([
    "discharge home", "general ward", "general ward (observation only)", "intensive care unit",
    "intermediate care", "transfer to a specialised hospital",
])  # fmt: skip


def below_zero():
    """One split at -2.5 of a column of values on both sides of 0."""
    X = np.arange(-20.0, 20.0)[:, None]
    y = (X[:, 0] > -2.5).astype(np.int32)
    columns = [Column("change of the balance", ColumnKind.CONTINUOUS)]
    rest = (np.ones(40), 1.0 - np.eye(2))
    return Made(
        grow(columns, np.array([0, 1]), [ThresholdSplit(0, -2.5), None, None], X, y, *rest), X, y, *rest
    )


def test_numbers_below_zero_have_a_minus_sign(visit):
    page = visit().open(page_of(below_zero()))
    page.click("#ask button.main")
    shown = page.locator("body").inner_text()
    assert "≤ \u22122.5" in shown
    assert "\u221220 to 19 in the data" in shown
    assert not [line for line in shown.splitlines() if " -" in line or line.startswith("-")]


def test_a_minus_sign_may_be_typed(visit):
    page = visit().open(page_of(below_zero()))
    for sign, label in (("-", "0"), ("\u2212", "0"), ("", "1")):
        page.fill("#value-0", f"{sign}7")
        page.click("#ask button.main")
        assert page.locator(".decision").inner_text() == f"Decision: {label}"


def test_sums_have_the_signs_of_all_other_numbers(visit):
    """Sums of hardened latent trees kept "*" and "-", and a line broke inside "7.9e-05"."""
    rng = np.random.default_rng(0)
    X = np.asfortranarray(rng.normal(size=(60, 2)).round(3))
    split = LinearSplit((0, 1), (-0.25, -7.5e-05), 0.0)
    columns = [Column("age of the account", ColumnKind.CONTINUOUS), Column("income", ColumnKind.CONTINUOUS)]
    y = (X[:, 0] > 0).astype(np.int32)
    rest = (np.ones(60), 1.0 - np.eye(2))
    made = Made(grow(columns, np.array(["no", "yes"]), [split, None, None], X, y, *rest), X, y, *rest)
    page = visit().open(page_of(made))
    page.click("#ask button.main")
    shown = page.locator("body").inner_text().replace("\u00a0", " ")
    assert shown.count("\u22120.25 \u00d7 age of the account \u2212 7.5e\u221205 \u00d7 income") >= 4
    assert "*" not in shown
    assert not [line for line in shown.splitlines() if " -" in line or "e-" in line]


def test_paper_marks_no_way_of_a_person_whom_it_does_not_show(visit):
    """The printed report had the last person's way in red, and nothing of the person."""
    page = visit().open(page_of(below_zero()))
    page.click("#ask button.main")
    mark = "getComputedStyle(document.querySelector('.tw-on.tw-leaf > .tw-box'), '::before').content"
    assert "this person" in page.evaluate(mark)
    page.emulate_media(media="print")
    assert not page.locator("#ask").is_visible()
    assert "this person" not in page.evaluate(mark)


def test_numbers_as_labels_have_the_name_of_the_target(visit):
    page = visit().open(page_of(below_zero(), target="defaulted"))
    page.click("#ask button.main")
    assert page.locator(".decision").inner_text() == "Decision: defaulted = 1"
    assert page.locator(".legend li").all_inner_texts() == ["defaulted = 0", "defaulted = 1"]


def accounts():
    """A tree of one question about a category whose name begins with a sign."""
    X = pd.DataFrame({"checking account": ["< 0 DM", "0 to 200 DM", ">= 200 DM"] * 20})
    y = np.where(X["checking account"] == "< 0 DM", "bad", "good")
    return OptimalTreeClassifier(max_depth=1).fit(X, y), X, y


def test_a_category_that_begins_with_a_sign_is_in_quotes(visit):
    page = visit().open(report(*accounts(), fit_models=False))
    rules = page.locator("td.rule").all_inner_texts()
    assert sorted(rules) == ['checking account = "< 0 DM"', 'checking account ≠ "< 0 DM"']


def test_a_reason_does_not_say_twice_what_the_value_is(visit):
    X = pd.DataFrame({"town": ["Bern", "Ulm", "Bonn"] * 20})
    y = np.where(X["town"] == "Bern", "bad", "good")
    page = visit().open(report(OptimalTreeClassifier(max_depth=1).fit(X, y), X, y, fit_models=False))
    page.select_option("#value-0", label="Bern")
    page.click("#ask button.main")
    assert page.locator("#answer ol li").inner_text().startswith("town is Bern (for the decision")
    page.select_option("#value-0", label="Ulm")
    page.click("#ask button.main")
    assert page.locator("#answer ol li").inner_text().startswith("town is Ulm: ≠ Bern (for the decision")


def nested():
    """A chain of splits on one column of numbers, then of words: each asks less than the ones above it."""
    columns = [
        Column("age", ColumnKind.CONTINUOUS),
        Column("town", ColumnKind.CATEGORICAL, categories=("Bern", "Bonn", "Rom", "Ulm")),
    ]
    splits = [
        ThresholdSplit(0, 20.0), None, ThresholdSplit(0, 60.0), ThresholdSplit(0, 30.0), None,
        CategorySplit(1, (0, 1, 2)), CategorySplit(1, (0, 1)), None, None, None, None,
    ]  # fmt: skip
    X = np.array([[10.0, 0], [25, 0], [40, 0], [40, 2], [40, 3], [70, 0]] * 4)
    y = np.array([0, 1, 1, 0, 1, 0] * 4, dtype=np.int32)
    tree = grow(columns, np.array(["no", "yes"]), splits, X, y, np.ones(len(y)), 1.0 - np.eye(2))
    return page_of(Made(tree, X, y, np.ones(len(y)), 1.0 - np.eye(2)))


def test_reasons_say_each_column_in_one_interval(visit):
    """They listed every answer: > 20 and ≤ 60 and > 30, and two sets of which one holds the other."""
    page = visit().open(nested())
    page.fill("#value-0", "45")
    page.select_option("#value-1", label="Bern")
    page.click("#ask button.main")
    said = page.locator("#answer ol li").all_inner_texts()
    assert any(item.startswith("age is 45: > 30 and ≤ 60 (") for item in said), said
    assert any(item.startswith("town is Bern: in {Bern, Bonn} (") for item in said), said
    page.fill("#value-0", "")
    page.click("#ask button.main")
    assert "unknown goes with" in " ".join(page.locator("#answer ol li").all_inner_texts())


def page_of_six_classes(visit, width):
    """The report of a tree of six classes with long names, in a window of a width."""
    made = make_tree(2, 12, n_classes=6, n_rows=300)
    made = replace(made, tree=replace(made.tree, classes=CLASSES))
    return visit(viewport={"width": width, "height": 900}).open(page_of(made))


@pytest.mark.parametrize("width", [390, 1000, 1440])
def test_the_table_of_six_classes_is_not_cut_off(visit, width):
    """At 1,440 px two of its six columns were outside the page."""
    page = page_of_six_classes(visit, width)
    cut = page.evaluate(
        "[...document.querySelectorAll('#mistakes .table')].map(each => each.scrollWidth - each.clientWidth)"
    )
    assert cut
    assert max(cut) <= 0


@pytest.mark.parametrize("width", [760, 1000, 1440])
def test_colours_of_answers_stand_beside_their_words(visit, width):
    """The square of "intermediate care" stood on a line of its own."""
    page = page_of_six_classes(visit, width)
    apart = page.evaluate(
        """() => [...document.querySelectorAll('td.then .swatch')].map((e) => {
             const word = document.createRange();
             word.selectNodeContents(e.parentElement.querySelector('strong'));
             return word.getClientRects()[0].left - e.getBoundingClientRect().right; })"""
    )
    assert len(apart) == 12
    assert min(apart) > 0
    assert max(apart) < 20


@pytest.mark.parametrize("task", ["squared_error", "survival"])
@pytest.mark.parametrize("medium", ["screen", "print"])
def test_intervals_of_few_columns_are_one_line(visit, task, medium):
    page = visit(viewport={"width": 1000 if medium == "screen" else 690, "height": 900}).open(
        page_of_task(task)
    )
    page.emulate_media(media=medium)
    lines = page.evaluate(
        "() => [...document.querySelectorAll('#leaves .small .whole')].map((e) => e.getClientRects().length)"
    )
    assert lines
    assert set(lines) == {1}
    assert page.evaluate("document.documentElement.scrollWidth") <= page.evaluate("innerWidth")


@pytest.mark.parametrize("name", ["C-reactive protein", "X-ray of the chest", "a long name with T-cells"])
def test_one_letter_is_no_line(visit, name):
    made = below_zero()
    columns = (replace(made.tree.columns[0], name=name),)
    page = visit(viewport={"width": 330, "height": 900}).open(
        page_of(replace(made, tree=replace(made.tree, columns=columns)))
    )
    whole = set(page.locator(":not(.small) > bdi > .whole").all_inner_texts())
    assert name.split()[-1] in whole or name.split()[0] in whole
    assert name in page.locator("#fields label").first.inner_text()


ON_ONE_LINE = """(part) => {
  const lines = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const at = walk.currentNode.data.indexOf(part), range = document.createRange();
    if (at < 0 || walk.currentNode.parentElement.closest("script, style, title, option")) continue;
    range.setStart(walk.currentNode, at);
    range.setEnd(walk.currentNode, at + part.length);
    const tops = new Set([...range.getClientRects()].filter((box) => box.width > 0).map((box) => Math.round(box.top)));
    if (tops.size) lines.push(tops.size);
  }
  return lines;
}"""


@pytest.mark.parametrize(
    "name", ["balance_of_accounts_2024-01-15", "a long name with 15/01/2024", "mean of 2024-01"]
)
def test_a_date_in_a_name_is_on_one_line(visit, name):
    """Chromium breaks a line behind a hyphen between digits: 2024- 01-15."""
    made = below_zero()
    columns = (replace(made.tree.columns[0], name=name),)
    html, date = page_of(replace(made, tree=replace(made.tree, columns=columns))), re.search(r"\d.*", name)[0]
    page = visit(viewport={"width": 300, "height": 900}).open(html)
    page.fill("#value-0", "1")
    page.click("#ask button.main")
    for width in range(300, 420, 8):
        page.set_viewport_size({"width": width, "height": 900})
        lines = page.evaluate(ON_ONE_LINE, date)
        assert len(lines) > 3
        assert set(lines) == {1}, width


def test_words_on_branches_are_not_cut_by_the_end_of_a_page(visit):
    page = visit(viewport={"width": 690, "height": 900}).open(page_of(make_tree(9, 20, n_rows=200)))
    page.emulate_media(media="print")
    rules = page.evaluate(
        "() => [...document.querySelectorAll('.tw-line')].map((e) => getComputedStyle(e).breakInside)"
    )
    assert set(rules) == {"avoid"}


def near_trees():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(80, 3)), columns=[LONG, "b", "c"])
    return near_optimal_trees(X, X[LONG] + 0.5 * X["b"] > 0, max_depth=2, thresholds=3)


@pytest.mark.parametrize("width", [390, 1000, 1440])
def test_names_of_one_long_word_fit_the_page_for_choosing(visit, width):
    page = visit(viewport={"width": width, "height": 900}).open(choose_page(near_trees()))
    page.wait_for_selector("body[data-ready]")
    page.click("#best")
    page.click("#keep-a")
    page.wait_for_selector("body[data-ready]")
    cut = page.evaluate(
        "[...document.querySelectorAll('.table')].map(each => each.scrollWidth - each.clientWidth)"
    )
    assert max(cut) <= 0
    pieces = page.evaluate(
        """() => [...document.querySelectorAll('#uses bdi, #tree-a bdi')].flatMap((e) =>
             [...e.childNodes].filter((n) => n.nodeType === 3 && n.data && !n.data.includes(' ')).map((n) => {
               const range = document.createRange(); range.selectNodeContents(n);
               return range.getClientRects().length; }))"""
    )
    assert len(pieces) > 10
    assert set(pieces) == {1}
    heights = page.evaluate(
        "[...document.querySelectorAll('#uses .choice')].map((e) => new Set([...e.querySelectorAll('button')]"
        ".map((b) => b.getBoundingClientRect().top)).size)"
    )
    assert set(heights) <= {0, 1}


def test_a_set_without_trees_offers_nothing(visit):
    page = visit().open(choose_page(near_trees()))
    page.wait_for_selector("body[data-ready]")
    page.click("#ban-0")
    page.wait_for_selector("body[data-ready]")
    assert page.locator("#state").inner_text().startswith("No tree")
    assert page.locator("#options").inner_text().startswith("No tree is left")
    assert page.locator("#best").is_disabled()
