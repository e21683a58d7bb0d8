"""Both pages by keyboard alone: the focus follows the order of reading, is seen, and is neither lost nor trapped."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from made_trees import make_tree
from reports import page_of
from task_reports import page_of_task
from treewright import OptimalTreeClassifier, near_optimal_trees
from treewright.show import choose_page, report

FOCUSED = """() => {
  const element = document.activeElement;
  if (!element || element === document.body) return null;
  const box = element.getBoundingClientRect(), style = getComputedStyle(element);
  const [x, y] = [box.left + Math.min(box.width / 2, 20), box.top + Math.min(box.height / 2, 12)];
  const top = document.elementFromPoint(x, y);
  window.walked ??= [];
  const last = window.walked.at(-1);
  window.walked.push(element);
  return {
    name: (element.getAttribute("aria-label") || element.innerText || element.id).slice(0, 40),
    place: window.walked.indexOf(element),
    follows: last === undefined || !!(last.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING),
    outline: style.outlineStyle === "solid" ? parseFloat(style.outlineWidth) : 0,
    inside: box.left >= -1 && (box.right <= innerWidth + 1 || box.width > innerWidth),
    covered: top !== null && element !== top && !element.contains(top) && !top.contains(element),
    seen: top !== null,
  };
}"""


def walk(page, key, most=300):
    """What gets the focus, key after key, until it leaves the page."""
    steps = []
    while len(steps) < most:
        page.keyboard.press(key)
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        step = page.evaluate(FOCUSED)
        if step is None:
            return steps
        steps.append(step)
    return steps


def some_trees():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 2, (120, 6)).astype(float))
    y = np.where(rng.random(120) < 0.25, X[3], X[0] * X[1]).astype(int)
    return near_optimal_trees(X, y, cost_complexity=0.02, max_depth=3, epsilon=0.5)


ROWS = ([[0], [1], [1]], [0, 1, 1])
PAGES = {
    "report": lambda: page_of(make_tree(4, 9, n_rows=200)),
    "policy": lambda: page_of_task("policy"),
    "choose": lambda: choose_page(some_trees()),
    "leaf": lambda: report(OptimalTreeClassifier(max_depth=0).fit(*ROWS), *ROWS),  # no form
}


@pytest.mark.parametrize("which", PAGES)
@pytest.mark.parametrize("width", [390, 1000])
def test_the_focus_is_seen_and_follows_the_reading(visit, which, width):
    """Going back on the page for choosing, the focus was behind the bar that counts the trees."""
    page = visit(viewport={"width": width, "height": 700}, reduced_motion="reduce").open(PAGES[which]())
    if which == "choose":
        page.wait_for_selector("body[data-ready=yes]")
    there = walk(page, "Tab")
    assert 10 < len(there) < 300  # then it leaves the page
    assert [step["name"] for step in there if not step["follows"]] == []
    assert [step["place"] for step in there] == list(range(len(there)))  # none twice
    page.evaluate("window.walked = []")
    back = walk(page, "Shift+Tab", len(there))
    assert [step["name"] for step in back] == [step["name"] for step in there][::-1]
    for step in there + back:
        assert step["outline"] >= 2, step
        assert step["inside"], step
        assert step["seen"], step
        assert not step["covered"], step


def focused(page):
    page.wait_for_selector("body[data-ready=yes]")
    return page.evaluate("document.activeElement.id || document.activeElement.tagName")


def test_no_choice_loses_the_focus(visit):
    """After "Complete with the best" nothing had the focus, and the next Tab began at the top."""
    page = visit(reduced_motion="reduce").open(choose_page(some_trees()))
    page.wait_for_selector("body[data-ready=yes]")
    page.focus("#best")
    page.keyboard.press("Enter")
    assert focused(page) == "keep-a"
    page.focus("#drop-")
    page.keyboard.press("Enter")
    assert focused(page) == "open-"
    page.keyboard.press("Enter")
    assert focused(page) == "open-"
    page.locator("#options button").first.press("Enter")
    assert focused(page) != "BODY"
    page.focus("#undo")
    for _ in range(4):
        page.keyboard.press("Enter")
        assert focused(page) != "BODY"


def test_buttons_of_the_tree_say_what_they_are_for(visit):
    page = visit().open(choose_page(some_trees()))
    page.wait_for_selector("body[data-ready=yes]")
    page.click("#best")
    page.wait_for_selector("body[data-ready=yes]")
    named = page.locator("#tree button").evaluate_all("all => all.map(e => e.getAttribute('aria-label'))")
    assert named[0].startswith("Remove the choice: question about ")
    assert any(name.startswith("Remove the choice: leaf ") for name in named)


def test_enter_asks_and_escape_loses_nothing(visit):
    page = visit().open(page_of(make_tree(4, 9, n_rows=200)))
    field = page.locator("#fields input[type=text]").first
    field.fill("1")
    field.press("Enter")
    assert page.locator(".decision").is_visible()
    field.press("Escape")
    assert field.input_value() == "1"
    assert page.locator(".decision").is_visible()
