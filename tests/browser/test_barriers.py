"""What keeps people out: axe finds nothing in the report, on any screen, before and after a decision; nor on paper."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from made_trees import make_tree
from reports import page_of
from treewright import near_optimal_trees
from treewright.near_optimal import gap_frontier
from treewright.show import choose_page, notebook_html

axe_module = pytest.importorskip(
    "axe_playwright_python", reason="needs axe: pip install axe-playwright-python"
)
AXE = (Path(axe_module.__file__).parent / "axe.min.js").read_text(encoding="utf-8")


def violations(page):
    page.evaluate(AXE)
    return [
        (found["id"], found["impact"], found["nodes"][0]["html"][:120])
        for found in page.evaluate("axe.run()")["violations"]
    ]


@pytest.mark.parametrize(("scheme", "width"), [("light", 1600), ("dark", 1000), ("light", 390)])
def test_axe_finds_nothing_in_the_report(visit, scheme, width):
    window = visit(bypass_csp=True, color_scheme=scheme, viewport={"width": width, "height": 900})
    page = window.open(page_of(make_tree(2, 9, n_rows=200), fit_models=True))
    assert violations(page) == []
    page.click("#ask button.main")
    page.fill("#value-0", "no number")
    page.click("#ask button.main")
    assert violations(page) == []


def test_axe_finds_nothing_in_a_notebook(visit):
    html = notebook_html(make_tree(1, 5).tree, sentence="Proven.", parameters="P()")
    page = visit(bypass_csp=True).open(
        f"<!doctype html><html lang=en><title>Notebook</title><main><h1>Cell</h1>{html}</main></html>"
    )
    assert violations(page) == []


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_axe_finds_nothing_in_the_page_for_choosing(visit, scheme, width):
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, (120, 5)).astype(float)
    y = np.where(rng.random(120) < 0.25, X[:, 3], X[:, 0] * X[:, 1]).astype(int)
    trees = near_optimal_trees(X, y, cost_complexity=0.02, max_depth=3, epsilon=0.5)
    window = visit(bypass_csp=True, color_scheme=scheme, viewport={"width": width, "height": 900})
    page = window.open(choose_page(trees, gaps=gap_frontier(trees, "x1")))
    page.wait_for_selector("body[data-ready=yes]")
    assert violations(page) == []
    page.locator("#ban-4").click()
    page.locator("#options button").first.click()
    page.locator("#best").click()
    page.locator("#keep-a").click()
    page.wait_for_selector("body[data-ready=yes]")
    assert violations(page) == []


def without(page, chosen, name, wanted):
    """The texts of the visible elements whose style is another one."""
    return page.evaluate(
        """([chosen, name, wanted]) => [...document.querySelectorAll(chosen)]
             .filter((e) => e.checkVisibility() && getComputedStyle(e)[name] !== wanted).map((e) => e.innerText)""",
        [chosen, name, wanted],
    )


def test_on_paper_no_heading_is_left_alone(visit):
    """Browsers keep together what the styles name; every table repeats its head, and no word is cut."""
    page = visit().open(page_of(make_tree(2, 9, n_rows=200), fit_models=True))
    page.emulate_media(media="print")
    assert without(page, "main h2, main h3, caption", "breakAfter", "avoid") == []
    assert without(page, "main tr, main .tw-box, main dd", "breakInside", "avoid") == []
    assert without(page, "thead", "display", "table-header-group") == []
    assert without(page, "main :is(p, td, th, dt, dd, h2, h3)", "wordBreak", "normal") == []
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
