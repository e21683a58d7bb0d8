"""Boxes keep apart, nothing is cut off at any width, in the report, on paper and in a notebook; contrast is enough."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from made_trees import Made, make_tree
from reports import hostile_tree, page_of
from task_reports import page_of_task
from treewright import near_optimal_trees
from treewright.show import choose_page, notebook_html
from treewright.show._report._embed import used_columns
from treewright.table import ColumnNote, Settings, Table
from treewright.tree import Column, ColumnKind, ThresholdSplit, grow


def overlaps(page):
    """Pairs of boxes, or of labels and boxes, that meet."""
    return page.evaluate("""() => {
      const rects = [...document.querySelectorAll(".tw-box, .tw-edge")].map(e => e.getBoundingClientRect());
      const meet = [];
      rects.forEach((a, i) => rects.slice(i + 1).forEach((b, j) => {
        const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        if (across > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1)
          meet.push([i, i + 1 + j]);
      }));
      return meet;
    }""")


def test_folding(visit):
    made = make_tree(9, 60, n_rows=200)
    page = visit().open(page_of(made))
    shown = lambda: page.locator(".tw-box:visible").count()  # noqa: E731
    n_nodes = made.tree.node_count
    assert shown() < n_nodes  # a large tree starts folded
    page.click("#unfold")
    assert shown() == n_nodes
    page.click("#fold")
    assert shown() == 1
    page.locator(".tw-fold").first.press("Space")
    assert shown() == 3
    page.emulate_media(media="print")
    assert shown() == n_nodes  # paper shows everything


@pytest.mark.parametrize("n_leaves", [1, 2, 20, 200])
@pytest.mark.parametrize("width", [1280, 360])
def test_no_two_boxes_meet_and_the_page_fits(visit, n_leaves, width):
    made = hostile_tree(3) if n_leaves == 2 else make_tree(n_leaves, n_leaves, n_rows=300)
    page = visit(viewport={"width": width, "height": 800}).open(page_of(made))
    if n_leaves > 1:
        page.click("#unfold")
    assert overlaps(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.emulate_media(media="print")
    assert overlaps(page) == []


def test_words_on_two_lines_leave_the_branch_in_sight(visit):
    columns = [Column("age", ColumnKind.CONTINUOUS, (), True)]
    X = np.array([[20.0], [1085.05], [2090.0], [np.nan]] * 5)
    y = np.array([0, 0, 1, 0] * 5, dtype=np.int32)
    split = ThresholdSplit(0, 1085.05, missing_left=True)
    tree = grow(columns, np.array(["no", "yes"]), [split, None, None], X, y, np.ones(20), 1.0 - np.eye(2))
    page = visit().open(f"<!doctype html><body>{notebook_html(tree)}</body>")
    lines, covered = page.evaluate("""() => {
      const edge = document.querySelector(".tw-edge"), line = edge.closest(".tw-line").getBoundingClientRect();
      return [edge.getClientRects().length, edge.getBoundingClientRect().width / line.width];
    }""")
    assert lines == 2
    assert covered < 0.7


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast_is_enough(visit, scheme):
    """WCAG 2.2 AA: 4.5 for text, of every text on what lies behind it."""
    page = visit(color_scheme=scheme).open(page_of(make_tree(2, 9, n_rows=200), fit_models=True))
    page.click("#ask button.main")
    worst = page.evaluate("""() => {
      const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
      const rgb = (layers) => { // painted one over the other
        canvas.clearRect(0, 0, 1, 1);
        for (const colour of layers) { canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); }
        return [...canvas.getImageData(0, 0, 1, 1).data];
      };
      const linear = (v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
      const light = ([r, g, b]) => [r, g, b].map(v => linear(v / 255))
        .reduce((sum, v, k) => sum + v * [0.2126, 0.7152, 0.0722][k], 0);
      let worst = [99, ""];
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) {
        const element = walker.currentNode.parentElement;
        if (!walker.currentNode.data.trim() || !element.checkVisibility() || element.closest("script")) continue;
        const backs = [];
        for (let e = element; e; e = e.parentElement) backs.unshift(getComputedStyle(e).backgroundColor);
        const style = getComputedStyle(element);
        const front = element.closest("svg") ? style.fill : style.color;
        const [a, b] = [light(rgb(backs)), light(rgb([...backs, front]))].sort((x, y) => y - x);
        const ratio = (a + 0.05) / (b + 0.05);
        if (ratio < worst[0]) worst = [ratio, walker.currentNode.data];
      }
      return worst;
    }""")
    assert worst[0] >= 4.5, worst


def test_long_names_keep_apart(visit):
    """Names of a hundred words: boxes are cut at five lines, and the whole name is in the rules."""
    made = make_tree(8, 12, n_rows=200)
    columns = tuple(replace(c, name=f"{c.name} {'very long name ' * 100}".strip()) for c in made.tree.columns)
    made = replace(made, tree=replace(made.tree, columns=columns))
    page = visit().open(page_of(made))
    assert overlaps(page) == []
    rules = page.locator("td.rule").all_inner_texts()
    assert any(columns[j].name in rule for j in used_columns(made.tree) for rule in rules)


def test_words_of_the_report_are_not_broken_in_the_middle(visit):
    """A long name breaks at its underscores and capitals, not anywhere."""
    name = "AverageMonthsInFileOfAllAccountsThatWereOpened"
    columns = [Column(name, ColumnKind.CONTINUOUS)]
    X, y = np.arange(20.0)[:, None], (np.arange(20) > 9).astype(np.int32)
    rest = (np.ones(20), 1.0 - np.eye(2))
    tree = grow(columns, np.array(["no", "yes"]), [ThresholdSplit(0, 9.5), None, None], X, y, *rest)
    page = visit(viewport={"width": 700, "height": 900}).open(
        page_of(Made(tree, X, y, np.ones(20), 1.0 - np.eye(2)))
    )
    pieces = page.evaluate(
        """() => [...document.querySelectorAll('.tw-box bdi, td.rule bdi')].flatMap((e) =>
             [...e.childNodes].filter((n) => n.nodeType === 3).map((n) => {
               const range = document.createRange(); range.selectNodeContents(n);
               return range.getClientRects().length; }))"""
    )
    assert len(pieces) > 10
    assert set(pieces) == {1}


@pytest.mark.parametrize("width", [320, 390, 1000, 1280])
def test_words_that_nothing_can_break_stay_whole_where_there_is_room(visit, width):
    """Boxes of an outline and labels of the form are as wide as such a word; on a phone it never widens the page."""
    name = "Donaudampfschifffahrtsgesellschaftskapitänswitwe"
    made = make_tree(2, 5, n_rows=200)
    columns = tuple(replace(c, name=f"{name}{k}") for k, c in enumerate(made.tree.columns))
    page = visit(viewport={"width": width, "height": 900}).open(
        page_of(replace(made, tree=replace(made.tree, columns=columns)))
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    if width >= 1000:
        pieces = page.evaluate(
            """() => [...document.querySelectorAll('#fields label:not(.keep) bdi')].map((e) =>
                 e.getClientRects().length)"""
        )
        assert pieces
        assert set(pieces) == {1}


def test_several_trees_in_one_notebook(visit):
    first, second = make_tree(1, 5), make_tree(2, 9, n_classes=2)
    parts = [
        notebook_html(made.tree, sentence="Proven.", parameters="P()") for made in (first, second, first)
    ]
    page = visit().open(f"<!DOCTYPE html><meta charset=utf-8><p id=x>outside</p>{''.join(parts)}")
    outside = page.evaluate("getComputedStyle(document.getElementById('x')).color")
    assert outside == "rgb(0, 0, 0)"  # styles stay inside
    assert overlaps(page) == []
    n_boxes = 2 * first.tree.node_count + second.tree.node_count
    assert page.locator(".tw-box:visible").count() == n_boxes
    page.locator(".tw-fold").first.press("Space")
    assert page.locator(".tw-box:visible").count() == n_boxes - first.tree.node_count + 1


@pytest.mark.parametrize("width", [420, 1000, 1280, 1600])
@pytest.mark.parametrize("leaves", [5, 30])
def test_no_width_cuts_a_picture_off(visit, width, leaves):
    """Two of four leaves were outside the output of a notebook of 1,280 px."""
    html = notebook_html(make_tree(leaves, leaves, n_rows=60).tree)
    page = visit(viewport={"width": width, "height": 900}).open(f"<!doctype html><body>{html}</body>")
    wide, room = page.evaluate(
        "() => { const e = document.querySelector('.tw-scroll'); return [e.scrollWidth, e.clientWidth]; }"
    )
    assert wide <= room
    size = page.evaluate("() => parseFloat(getComputedStyle(document.querySelector('.tw-tree')).fontSize)")
    assert 10 <= size <= 14
    ends = page.evaluate(
        "() => [...document.querySelectorAll('.tw-leaf > .tw-box')].map(e => e.getBoundingClientRect().right)"
    )
    assert len(ends) == leaves
    assert max(ends) <= width


@pytest.mark.parametrize(
    "labels",
    [
        [f"back in the ward within {days} days of the day of leaving it" for days in (30, 60, 90)],
        ["Zahlungsausfallwahrscheinlichkeit", "Zahlungsfähigkeitsbescheinigung", "unbekannt"],
    ],
)
def test_long_labels_are_not_cut_off_in_the_tables_of_a_phone(visit, labels):
    labels = np.array(labels)
    made = make_tree(4, 60, n_rows=200, labels=labels)
    page = visit(viewport={"width": 390, "height": 844}).open(page_of(made))
    cut = page.evaluate(
        "[...document.querySelectorAll('#mistakes .table')].map(each => each.scrollWidth - each.clientWidth)"
    )
    assert cut
    assert max(cut) <= 0


@pytest.mark.parametrize("task", ["squared_error", "policy", "survival"])
@pytest.mark.parametrize("width", [700, 1000, 1200])
def test_no_report_is_wider_than_its_window(visit, task, width):
    """The call that verifies a tree was one long word, and pushed pages of 1,000 px to 1,194."""
    page = visit(viewport={"width": width, "height": 900}).open(page_of_task(task))
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_call_that_verifies_breaks_at_its_points(visit):
    page = visit(viewport={"width": 390, "height": 844}).open(page_of_task("squared_error"))
    pieces = page.evaluate(
        """() => [...document.querySelectorAll('dl.questions code')].flatMap((e) =>
             [...e.querySelectorAll('bdi')].flatMap((b) => [...b.childNodes].filter((n) => n.nodeType === 3))
             .filter((n) => !n.data.includes(' ')).map((n) => {
               const range = document.createRange(); range.selectNodeContents(n);
               return range.getClientRects().length; }))"""
    )
    assert len(pieces) > 5
    assert set(pieces) == {1}


def page_with_test_rows():
    made = make_tree(4, 9, n_rows=200)
    labels = np.array(["back in the ward", "still at home", "moved"], dtype=object)[: made.costs.shape[0]]
    made = replace(made, tree=replace(made.tree, classes=labels))
    return page_of(made, X_test=Table(made.tree.columns, made.X[:90]), y_test=labels[made.y[:90]])


def test_counts_below_a_share_stay_on_one_line(visit):
    """At 1,000 px "28 of 32" was cut behind its second word."""
    page = visit(viewport={"width": 1000, "height": 900}).open(page_with_test_rows())
    lines = page.evaluate(
        """() => [...document.querySelectorAll('#leaves td.number .small')].map((e) => {
             const range = document.createRange(); range.selectNodeContents(e);
             return new Set([...range.getClientRects()].map((r) => Math.round(r.top))).size; })"""
    )
    assert len(lines) >= 8
    assert set(lines) == {1}


@pytest.mark.parametrize("width", [330, 390, 430])
def test_a_number_and_its_unit_stay_on_one_line(visit, width):
    columns = [Column("share of credit lines in use", ColumnKind.CONTINUOUS)]
    X, y = np.arange(40.0)[:, None] + 0.25, (np.arange(40) > 19).astype(np.int32)
    splits = [ThresholdSplit(0, 19.75), None, None]
    tree = grow(columns, np.array(["no", "yes"]), splits, X, y, np.ones(40), 1.0 - np.eye(2))
    settings = Settings(notes={columns[0].name: ColumnNote(unit="mg/kg")})
    page = visit(viewport={"width": width, "height": 844}).open(
        page_of(Made(tree, X, y, np.ones(40), 1.0 - np.eye(2)), settings=settings)
    )
    page.click("#ask button.main")
    lines = page.evaluate(
        """() => [...document.querySelectorAll(':not(.small) > bdi > .whole')].filter((e) => e.checkVisibility())
             .map((e) => [e.textContent, e.getClientRects().length])"""
    )
    lines = [(text, count) for text, count in lines if " " in text]  # not the date of the report
    assert len(lines) >= 5
    assert {text.split(" ", 1)[1] for text, _ in lines} == {"19.75 mg/kg"}
    assert {count for _, count in lines} == {1}


def test_intervals_are_one_line_and_tables_fit_on_paper(visit):
    page = visit(viewport={"width": 688, "height": 900}).open(page_with_test_rows())
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollWidth") <= 688
    heights = page.evaluate(
        """() => [...document.querySelectorAll('.range')].map((e) => {
             const range = document.createRange(); range.selectNodeContents(e);
             return range.getClientRects().length; })"""
    )
    assert len(heights) >= 8
    assert set(heights) == {1}


def test_the_figures_at_the_top_are_one_row_on_paper(visit):
    page = visit(viewport={"width": 690, "height": 900}).open(page_with_test_rows())
    page.emulate_media(media="print")
    tops = page.evaluate(
        "[...document.querySelectorAll('.cards > div')].map(e => e.getBoundingClientRect().top)"
    )
    assert len(tops) == 4
    assert len(set(tops)) == 1


def test_the_columns_of_the_page_for_choosing_are_read_on_a_phone(visit):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(80, 3)), columns=["housing_situation_of_applicant", "b", "c"])
    trees = near_optimal_trees(X, X.iloc[:, 0] + 0.5 * X["b"] > 0, max_depth=2, thresholds=3)
    page = visit(viewport={"width": 390, "height": 844}).open(choose_page(trees))
    page.wait_for_selector("body[data-ready]")
    room, wide = page.evaluate(
        "() => { const e = document.querySelector('#uses').parentElement; return [e.clientWidth, e.scrollWidth]; }"
    )
    assert wide <= room


def test_on_paper_the_titles_of_few_columns_stand_apart(visit):
    made = make_tree(4, 6, n_rows=300, labels=np.array(["high", "low", "middle"], dtype=object))
    page = visit(viewport={"width": 700, "height": 900}).open(page_of(made))
    page.emulate_media(media="print")
    gaps = page.evaluate("""() => [...document.querySelectorAll("#mistakes thead tr")]
      .filter(row => row.cells.length <= 5).map(row => {
        const at = [...row.cells].map(cell => {
          const range = document.createRange(); range.selectNodeContents(cell); return range.getBoundingClientRect();
        });
        return Math.min(...at.slice(1).map((cell, k) => cell.left - at[k].right));
      })""")
    assert len(gaps) > 0
    assert min(gaps) >= 10
