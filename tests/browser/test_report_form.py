"""The form that asks the tree: by keyboard alone, with what is not a number, with sets of categories."""

from __future__ import annotations

import numpy as np

from made_trees import Made
from reports import boxed_tree, page_of, wide_tree
from treewright.show._report._embed import used_columns
from treewright.tree import CategorySplit, Column, ColumnKind, grow


def test_keyboard_alone_asks_the_tree(visit):
    made = boxed_tree(1)
    page = visit().open(page_of(made))
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    box = page.evaluate("document.activeElement.getBoundingClientRect().top")
    assert box >= 0  # the skip link shows when it has the focus
    seen = set()
    for _ in range(200):
        page.keyboard.press("Tab")
        seen.add(page.evaluate("document.activeElement.id || document.activeElement.className"))
        width = page.evaluate("parseFloat(getComputedStyle(document.activeElement).outlineWidth)")
        assert width >= 2 or page.evaluate("document.activeElement === document.body")
        if page.evaluate("document.activeElement.id") == "value-0":
            break
    assert {"tw-fold", "unfold", "fold", "tw-scroll", "value-0"} <= seen
    page.keyboard.press("Enter")  # submits the form
    answer = page.locator("#answer")
    assert "Decision:" in answer.inner_text()
    used = used_columns(made.tree)
    values = page.evaluate(
        "[...document.querySelectorAll('#fields .field')].map(f => f.querySelector('[id^=value]').value)"
    )
    row = np.full((1, 6), np.nan)
    row[0, used] = [float(value) for value in values]
    assert f"Decision: {made.tree.predict(row)[0]}" in answer.inner_text()
    leaf = int(made.tree.apply(row)[0])
    marked = page.evaluate("[...document.querySelectorAll('.tw-on')].map(li => +li.dataset.node)")
    assert marked[-1] == leaf
    assert len(marked) == made.tree.node_depth[leaf] + 1
    assert page.locator("[aria-current=true]").count() == 1


def test_trying_the_nearest_change_flips_the_decision(visit):
    made = boxed_tree(2)
    page = visit().open(page_of(made))
    page.click("#ask button.main")
    before = page.locator(".decision").inner_text()
    target = page.locator("#answer ul li strong bdi").first.inner_text()
    page.locator("#answer ul button").first.click()
    after = page.locator(".decision").inner_text()
    assert after != before
    assert after == f"Decision: {target}"
    page.click("#ask button[type=reset]")
    assert page.locator(".decision").inner_text() == before


def test_what_is_no_number_is_named_beside_its_field(visit):
    page = visit().open(page_of(wide_tree(501)))
    for wrong in (
        "abc",
        "1e999",
        "1,5,0",
        "1.000,5",
        "12,500",
        "0x10",
        "1_000",
        "Infinity",
        "<b>",
        "--1",
        "1 2",
    ):
        page.fill("#value-0", wrong)
        page.click("#ask button.main")
        assert page.locator("#value-0").get_attribute("aria-invalid") == "true"
        assert page.evaluate("document.activeElement.id") == "value-0"
        assert page.locator("#value-0-hint.wrong").inner_text()
        assert "cannot be read" in page.locator("#answer").inner_text()
        page.fill("#value-0", " -2.5e-1 ")
        page.fill("#value-1", "")
        page.click("#ask button.main")
        assert page.locator("[aria-invalid]").count() == 0
        assert "measurement number 500 is unknown; unknown goes with" in page.locator("#answer").inner_text()


def test_a_comma_is_a_decimal_mark_where_nothing_else_is_meant(visit):
    page = visit().open(page_of(boxed_tree(1)))

    def answer(written):
        page.fill("#value-0", written)
        page.click("#ask button.main")
        assert page.locator("[aria-invalid]").count() == 0
        return page.locator("#answer").inner_text()

    for comma, point in (("0,5", "0.5"), (" -2,25 ", "-2.25"), ("0,125", "0.125"), ("1,5e1", "1.5e1")):
        assert answer(comma) == answer(point)
    assert answer("0,5") != answer("-2,25")
    page.fill("#value-0", "12,500")
    page.click("#ask button.main")
    assert "may be 12500 or 12.5" in page.locator("#value-0-hint.wrong").inner_text()


def test_category_sets_read_well(visit):
    columns = [Column("colour", ColumnKind.CATEGORICAL, ("blue", "green", "red"), True)]
    X = np.array([[0.0], [1.0], [2.0], [np.nan]] * 5)
    y = np.array([0, 1, 1, 0] * 5, dtype=np.int32)
    tree = grow(
        columns,
        np.array(["no", "yes"]),
        [CategorySplit(0, (1, 2)), None, None],
        X,
        y,
        np.ones(20),
        1.0 - np.eye(2),
    )
    page = visit().open(page_of(Made(tree, X, y, np.ones(20), 1.0 - np.eye(2))))
    page.select_option("#value-0", label="(unknown)")
    page.click("#ask button.main")
    said = page.locator("#answer").inner_text()
    assert "Decision: no" in said
    assert "colour from unknown to" in said
