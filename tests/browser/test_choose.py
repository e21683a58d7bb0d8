"""The page for choosing in headless Chromium: it counts like the library, works by keyboard, and saves what it shows.

The fixture `visit` asserts after each test: no message on the console, no error, no dialog, no request.
"""

from __future__ import annotations

import json

import numpy as np
import pytest

from near_optimal_lists import random_case
from treewright import near_optimal_trees
from treewright.convert import from_json
from treewright.errors import InputError
from treewright.near_optimal import gap_frontier
from treewright.show import choose_page
from treewright.tree import settle_missing
from treewright.verify import verify


def some_set(seed=0):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (120, 6)).astype(float)
    y = np.where(rng.random(120) < 0.25, X[:, 3], X[:, 0] * X[:, 1]).astype(int)
    return near_optimal_trees(X, y, cost_complexity=0.02, max_depth=3, epsilon=0.5)


def opened(visit, trees, **context):
    page = visit(**context).open(choose_page(trees))
    page.wait_for_selector("body[data-ready=yes]")
    return page


def counted(page, places=None, **asked):
    found = page.evaluate("([asked, places]) => treewright.count(asked, places)", [asked, places or {}])
    return int(found["trees"]), found["best"]


def equal(found, trees):
    assert found[0] == trees.n_trees_
    if trees:
        assert found[1] == pytest.approx(trees.table()[0].objective)


@pytest.mark.parametrize("seed", range(12))
def test_the_page_counts_like_the_library(visit, seed):
    X, y, weight, costs, asked = random_case(seed)
    trees = near_optimal_trees(X, y, sample_weight=weight, costs=costs, **asked)
    if not trees:
        with pytest.raises(InputError, match="empty"):
            choose_page(trees)
        return
    page = opened(visit, trees)
    names = trees.graph.problem.table.names
    equal(counted(page), trees)
    for column, name in enumerate(names):
        equal(counted(page, banned=[column]), trees.where(without=name))
        equal(counted(page, forced=[column]), trees.where(uses=name))
    if len(names) > 1:
        equal(counted(page, banned=[0], forced=[1]), trees.where(without=names[0], uses=names[1]))
        equal(counted(page, forced=[0, 1]), trees.where(uses=names[:2]))
    options = page.evaluate("treewright.options({}, {}, '')")
    assert sum(int(option["trees"]) for option in options) == trees.n_trees_
    for place in {0, trees.n_trees_ // 2, trees.n_trees_ - 1}:
        tree = trees[place]
        numbers = {split: k for k, split in enumerate(trees.graph.split_matrix.splits)}
        choices, leaves = {}, {}
        pending = [(0, "")]
        while pending:
            node, where = pending.pop()
            if tree.splits[node] is None:
                leaves[where] = {"leaf": int(tree.prediction[node])}
                continue
            choices[where] = {"split": numbers[tree.splits[node]]}
            pending += [
                (int(tree.children_left[node]), where + "L"),
                (int(tree.children_right[node]), where + "R"),
            ]
        equal(counted(page, choices), trees.where(like=tree))
        assert counted(page, choices | leaves)[0] == 1
        model = from_json(
            json.dumps(page.evaluate("places => treewright.model({}, places)", choices | leaves))
        )
        assert trees.rank(model.tree) == place
        np.testing.assert_allclose(model.tree.value, tree.value)
        np.testing.assert_array_equal(model.tree.n_node_samples, tree.n_node_samples)
        assert model.result.objective == pytest.approx(trees.result(place).objective)
        assert model.result.status is trees.result(place).status
        assert model.result.is_chosen == trees.result(place).is_chosen
        assert (report := verify(trees.graph.problem, model.result)).ok, str(report)


def test_counts_that_no_double_holds_are_exact(visit):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (40, 12)).astype(float)
    y = np.where(rng.random(40) < 0.25, X[:, 3], X[:, 0] * X[:, 1]).astype(int)
    trees = near_optimal_trees(X, y, cost_complexity=0.02, max_depth=5, epsilon=6)
    assert trees.n_trees_ > 2**53
    page = opened(visit, trees)
    equal(counted(page), trees)
    assert (
        sum(int(option["trees"]) for option in page.evaluate("treewright.options({}, {}, '')"))
        == trees.n_trees_
    )
    assert page.locator("#state").inner_text().startswith(f"{trees.n_trees_:,} trees; the best")


def test_losses_that_need_all_digits_of_a_double_are_kept_apart(visit):
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, (100, 6)).astype(float)
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=100) > 0.8).astype(int)
    weight = rng.random(100) + 0.5
    trees = near_optimal_trees(X, y, sample_weight=weight, cost_complexity=0.01, max_depth=3, epsilon=0.3)
    cells = opened(visit, trees).evaluate("treewright.count({}).cells")
    told = {(size.n_leaves, size.loss): size.n_trees for size in trees.table()}
    unit, base = trees.graph.unit, trees.graph.base
    assert {(leaves, float((base + int(errors)) * unit)): int(n) for leaves, errors, n in cells} == told
    assert len(told) > 20


def test_the_page_is_shown_before_its_trees_are_counted(visit):
    own = visit()
    own.page.add_init_script(
        "addEventListener('load', () => { window.first = document.getElementById('state').textContent; })"
    )
    page = own.open(choose_page(some_set()))
    page.wait_for_selector("body[data-ready=yes]")
    assert page.evaluate("window.first") == "Counting the trees \u2026"


def test_a_saved_tree_with_missing_values_is_verified(visit):
    """Missing values go where the reader saw, also at a split where no training row lacks one."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 2)).round(1)
    y = ((X[:, 0] > 0) ^ (X[:, 1] > 0.3)).astype(int)
    X[rng.random(X.shape) < 0.1] = np.nan
    trees = near_optimal_trees(X, y, cost_complexity=0.02, max_depth=2, epsilon=0.5, thresholds=8)
    page = opened(visit, trees)
    unsettled = 0
    for option in page.evaluate("treewright.options({}, {}, '')"):
        places = {"": option["choice"]}
        model = from_json(json.dumps(page.evaluate("places => treewright.model({}, places)", places)))
        assert (report := verify(trees.graph.problem, model.result)).ok, str(report)
        unsettled += settle_missing(model.tree, X, np.ones(60)) is not model.tree
    assert unsettled > 0


def test_a_tree_is_built_and_saved_by_keyboard(visit, tmp_path):
    trees = some_set()
    page = opened(visit, trees, accept_downloads=True)
    assert page.locator("#state").inner_text().startswith(f"{trees.n_trees_:,} trees; the best")
    page.locator("#options button").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("body[data-ready=yes]")
    assert "that begin like the one being built" in page.locator("#state").inner_text()
    assert page.evaluate("document.activeElement.closest('#options') !== null")
    page.locator("#best").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("body[data-ready=yes]")
    assert page.locator("#state").inner_text().startswith("1 tree that begin")
    with page.expect_download() as download:
        page.locator("#save").focus()
        page.keyboard.press("Enter")
    download.value.save_as(tmp_path / "model.json")
    model = from_json((tmp_path / "model.json").read_text())
    assert trees.result(trees.rank(model.tree)).objective == pytest.approx(trees.best.objective)


def test_a_size_a_ban_and_a_force_restrict_and_are_lifted(visit):
    trees = some_set()
    page = opened(visit, trees)
    uses = {use.name: use for use in trees.columns()}
    column = max(range(6), key=lambda k: 0 < uses[f"x{k}"].share < 1)
    page.locator(f"#ban-{column}").press("Space")
    page.wait_for_selector("body[data-ready=yes]")
    without = trees.where(without=f"x{column}")
    assert page.locator("#state").inner_text().startswith(f"{without.n_trees_:,} tree")
    assert page.evaluate("document.activeElement.id") == f"ban-{column}"
    page.locator(f"#force-{column}").press("Space")
    page.wait_for_selector("body[data-ready=yes]")
    asked = trees.where(uses=f"x{column}")
    assert page.locator("#state").inner_text().startswith(f"{asked.n_trees_:,} tree")
    page.locator("#undo").press("Enter")
    page.locator("#undo").press("Enter")
    page.wait_for_selector("body[data-ready=yes]")
    button = page.locator("#map button").first
    of_size = int(button.get_attribute("title").replace(",", ""))
    button.press("Enter")
    page.wait_for_selector("body[data-ready=yes]")
    assert page.locator("#state").inner_text().startswith(f"{of_size:,} tree")
    assert "and a loss of 0." in page.locator("#state").inner_text()
    page.locator("#reset").press("Enter")
    page.wait_for_selector("body[data-ready=yes]")
    assert page.locator("#state").inner_text().startswith(f"{trees.n_trees_:,} tree")


def test_every_line_of_sizes_has_trees(visit):
    trees = some_set(1)  # three of its seven steps of the loss have no tree
    page = opened(visit, trees)
    losses = [size.loss for size in trees.table()]
    lines = page.locator("#map tbody tr")
    assert lines.count() == 4
    for line in lines.all():
        assert line.locator("button").count() > 0
    assert page.locator("#map button").count() <= len(losses)
    counts = [int(each.get_attribute("title").replace(",", "")) for each in page.locator("#map button").all()]
    assert sum(counts) == trees.n_trees_


def test_two_trees_are_compared_by_rows(visit):
    trees = some_set()
    page = opened(visit, trees)
    page.locator("#best").click()
    page.locator("#keep-a").click()
    page.locator("#reset").click()
    page.locator("#options button").last.click()
    page.locator("#best").click()
    page.wait_for_selector("body[data-ready=yes]")
    page.locator("#keep-b").click()
    other = from_json(json.dumps(page.evaluate("treewright.shown()"))).tree
    page.locator("#reset").click()
    page.locator("#best").click()
    first = from_json(json.dumps(page.evaluate("treewright.shown()"))).tree
    X = trees.graph.problem.table.X
    differ = int((first.predict(X) != other.predict(X)).sum())
    said = page.locator("#difference").inner_text()
    assert f"differ on {differ:,} training rows" in said if differ else "alike" in said


def test_a_slider_shows_what_a_smaller_gap_costs(visit):
    trees = some_set(3)
    gaps = gap_frontier(trees, "x1")
    assert len(gaps.points) > 2
    page = visit(viewport={"width": 390, "height": 800}).open(
        choose_page(trees, gaps=gaps, gap_between="the groups of 'x1'")
    )
    page.wait_for_selector("body[data-ready=yes]")
    slider = page.locator("#gap-at")
    assert page.locator("#gap-title").inner_text().startswith("Gap between the groups of 'x1'")
    assert "-0.000" not in page.locator("#uses").inner_text()
    slider.focus()
    page.keyboard.press("End")
    assert f"Step {len(gaps.points)} of {len(gaps.points)}" in page.locator("#gap-says").inner_text()
    assert "which is a proof" in page.locator("#gap-says").inner_text()
    page.keyboard.press("ArrowLeft")
    point = gaps.points[-2]
    words = slider.get_attribute("aria-valuetext")
    assert f"gap of {100 * point.gap:.2f}%" in words
    assert words in page.locator("#gap-says").inner_text()
    for key, button in (("a", "#gap-a"), (None, "#gap-build")):
        page.locator(button).focus()
        page.keyboard.press("Enter")
        if key is not None:
            assert page.locator(f"#tree-{key} li").count() == 2 * point.tree.n_leaves - 1
    page.wait_for_selector("body[data-ready=yes]")
    shown = from_json(json.dumps(page.evaluate("treewright.shown()")))
    assert shown.tree.splits == point.tree.splits
    assert shown.result.objective == pytest.approx(point.objective)
    assert page.locator("#gap-steps tbody tr").count() == len(gaps.points)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_each_column_has_its_reliance(visit):
    trees = some_set()
    page = opened(visit, trees)
    rows = page.locator("#uses tbody tr")
    said = {row.locator("th").inner_text(): row.inner_text() for row in rows.all()}
    for use in trees.columns():
        if use.share:
            assert f"{use.reliance[0]:.3f} to {use.reliance[1]:.3f}" in said[use.name].replace("\u2212", "-")
    assert page.locator("#gap").count() == 0


def test_names_from_the_data_run_nothing(visit):
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    hostile = "</script><img src=x onerror=alert(1)>"
    X = pd.DataFrame({hostile: rng.integers(0, 2, 60), "colour": rng.choice(["<b>red", "&amp;blue"], 60)})
    y = np.where(X[hostile] == 1, hostile, "no")
    y[:6] = "no"
    trees = near_optimal_trees(X, y, cost_complexity=0.02, max_depth=2, epsilon=0.5)
    page = opened(visit, trees)
    page.locator("#best").click()
    assert page.locator("img").count() == 0
    assert hostile in page.locator("#tree").inner_text()


def test_what_makes_no_page(tmp_path):
    trees = some_set()
    with pytest.raises(InputError, match="before where"):
        choose_page(trees.where(uses="x0"))
    choose_page(trees, tmp_path / "page.html", title="Which tree?")
    assert "<title>Which tree?</title>" in (tmp_path / "page.html").read_text(encoding="utf-8")
