"""The reports of all tasks in a browser: they answer like the tree, nothing is cut off, axe finds nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

from reports import as_json
from task_reports import TASKS, made, page_of_task
from treewright.show import report
from treewright.show._report._embed import used_columns

axe_module = pytest.importorskip(
    "axe_playwright_python", reason="needs axe: pip install axe-playwright-python"
)
AXE = (Path(axe_module.__file__).parent / "axe.min.js").read_text(encoding="utf-8")


@pytest.mark.parametrize("task", TASKS)
def test_the_page_says_what_the_tree_says(visit, task):
    one = made(task)
    tree = one.model.tree_
    page = visit().open(page_of_task(task))
    X = np.array(one.model._encode(one.X))
    X[::11] = np.nan
    X[1::13, 1] = [
        1e6 * (-1) ** k for k in range(len(X[1::13]))
    ]  # far outside: lines end at what they have seen
    rows = as_json(X[:, used_columns(tree)])
    if tree.classes is not None:
        found = page.evaluate("rows => rows.map(row => treewright.decide(row))", rows)
        np.testing.assert_array_equal(tree.classes[found], tree.predict(X))
        return
    said = page.evaluate("rows => rows.map(row => treewright.values(row))", rows)
    np.testing.assert_array_equal(said, tree.predict(X).reshape(len(X), -1))


@pytest.mark.parametrize("task", ["squared_error", "linear", "outputs", "policy", "survival"])
def test_trying_a_change_leads_to_what_was_said(visit, task):
    page = visit().open(page_of_task(task))
    page.click("#ask button.main")
    before = page.locator(".decision").inner_text()
    aim = page.locator("#answer ul li strong").first.inner_text()
    page.locator("#answer ul button").first.click()
    after = page.locator(".decision").inner_text()
    assert after != before
    assert after.split(": ", 1)[1] == aim
    assert "Reasons, the most important first" in page.locator("#answer").inner_text()


def test_higher_is_higher_and_lower_is_lower(visit):
    one = made("squared_error")
    page = visit().open(page_of_task("squared_error"))
    rows = as_json(one.model._encode(one.X)[:60][:, used_columns(one.model.tree_)])
    pairs = page.evaluate(
        """rows => rows.map(row => [treewright.values(row)[0], treewright.nearest(row, [], []).map(found => {
             const changed = row.slice(); for (const { column, value } of found.changes) changed[column] = value;
             return treewright.values(changed)[0]; })])""",
        rows,
    )
    leaves = sorted(set(one.model.tree_.value[one.model.tree_.is_leaf, 0].tolist()))
    for own, others in pairs:
        assert len(others) == (own > leaves[0]) + (own < leaves[-1])
        assert sum(other > own for other in others) == (own < leaves[-1])


@pytest.mark.parametrize("task", ["linear", "outputs", "policy", "survival", "probability"])
@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_axe_finds_nothing_and_the_page_fits(visit, task, scheme, width):
    window = visit(bypass_csp=True, color_scheme=scheme, viewport={"width": width, "height": 900})
    page = window.open(page_of_task(task, groups={"ward": made(task).test[0].ward.to_numpy()}))
    page.click("#ask button.main")
    page.evaluate(AXE)
    found = page.evaluate("axe.run()")["violations"]
    assert [(each["id"], each["nodes"][0]["html"][:120]) for each in found] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("task", ["squared_error", "policy", "survival"])
def test_the_page_of_one_person(visit, task):
    page = visit().open(page_of_task(task))
    page.evaluate("() => { window.print = () => {}; }")
    page.click("#print-person")
    page.emulate_media(media="print")
    shown = page.locator("body").inner_text()
    answer = {"squared_error": "Prediction: ", "policy": "Action: ", "survival": "Hazard ratio: "}[task]
    assert answer in shown
    assert "Reasons" in shown
    assert "The certificate" not in shown


@pytest.mark.parametrize("task", ["linear", "outputs", "policy", "survival"])
def test_no_table_is_cut_off_on_paper(visit, task):
    page = visit(viewport={"width": 688, "height": 1000}).open(page_of_task(task))  # A4 between its margins
    page.emulate_media(media="print")
    cut = page.evaluate(
        """() => [...document.querySelectorAll('main table')].filter(t => t.getBoundingClientRect().right > 688)
             .map(t => t.innerText.slice(0, 60))"""
    )
    assert cut == []


def test_small_numbers_are_never_broken_at_their_minus(visit):
    page = visit().open(page_of_task("squared_error"))
    assert page.locator("span.whole", has_text="e-").count() >= 1
    assert page.locator("span.whole", has_text="≤ ").count() >= 1  # nor between a sign and its number
    for width in range(320, 720, 10):
        page.set_viewport_size({"width": width, "height": 800})
        lines = page.evaluate(
            "() => [...document.querySelectorAll('span.whole')].map(s => s.getClientRects().length)"
        )
        assert max(lines) == 1, width


def test_what_belongs_together_stays_together_on_paper(visit):
    """A heading, its note and its caption with the table's head and first row; questions may be parted."""
    page = visit(viewport={"width": 690, "height": 900}).open(page_of_task("policy"))
    page.emulate_media(media="print")
    rule = lambda selector, name: page.evaluate(  # noqa: E731
        "([s, n]) => [...new Set([...document.querySelectorAll(s)].map(e => getComputedStyle(e)[n]))]",
        [selector, name],
    )
    for selector in ("h2", "caption", "table thead", ":is(h2, h3) + :is(p, .note)"):
        assert rule(selector, "breakAfter") == ["avoid"], selector
    assert rule("table tbody > tr:first-child", "breakBefore") == ["avoid"]
    assert rule("caption", "breakInside") == ["avoid"]
    assert rule("dl.questions > dt", "breakAfter") == ["auto"]  # a row of the grid: all would hang together


def test_numbers_keep_apart_from_the_words_behind_them(visit):
    page = visit(viewport={"width": 690, "height": 900}).open(page_of_task("policy"))
    for media in ("screen", "print"):
        page.emulate_media(media=media)
        gaps = page.evaluate("""() => [...document.querySelectorAll("td.number + td:not(.number)")]
          .filter(cell => cell.checkVisibility())
          .map(cell => parseFloat(getComputedStyle(cell).paddingLeft))""")
        assert gaps, media
        assert min(gaps) >= 10, media


def test_the_tables_of_survival_fit_a_small_window(visit):
    """At 1,000 px the last column of the leaves was outside of the page, to be found by scrolling."""
    page = visit(viewport={"width": 1000, "height": 900}).open(
        renamed("survival", "age at admission to the intensive care unit (years)")
    )
    assert page.evaluate(
        "() => [...document.querySelectorAll('.table')].every(t => t.scrollWidth <= t.clientWidth)"
    )


def test_a_tree_stays_on_its_page_of_paper(visit):
    """A break was forbidden behind the last line of a tree, so that the heading and the chart below drew it along."""
    page = visit(viewport={"width": 1000, "height": 900}).open(renamed("survival", "age", max_depth=1))
    page.emulate_media(media="print")
    behind = page.evaluate(
        """() => [...document.querySelectorAll('.tw-line')].map(line =>
             [getComputedStyle(line.closest('.tw-node')).display, getComputedStyle(line).breakAfter])"""
    )
    beside = [
        rule for display, rule in behind if display != "block"
    ]  # an outline has its lines above the boxes
    assert beside
    assert set(beside) <= {"auto"}


def test_long_names_of_fields_break_where_their_words_do(visit):
    page = visit(viewport={"width": 390, "height": 800}).open(
        renamed("policy", "previous_illnesses_in_the_twelve_months_before_admission")
    )
    label = page.locator("#ask label:has(wbr)").first
    assert label.inner_text() == "previous_illnesses_in_the_twelve_months_before_admission"


def renamed(task, name, **params):
    """The report of a task whose column "age" has another name, of a tree made with these parameters."""
    one = made(task)
    X, y = one.train
    X = X.rename(columns={"age": name})
    return report(clone(one.model).set_params(**params).fit(X, y), X, y, fit_models=False)
