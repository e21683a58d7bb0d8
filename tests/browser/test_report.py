"""The report in headless Chromium: it predicts like the tree, works by keyboard, and nothing escapes.

The fixture `visit` asserts after each test: no message on the console, no error, no dialog, no request.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from made_trees import Made, make_rows, make_tree
from reports import HOSTILE, hostile_tree, page_of, wide_tree
from treewright.show import notebook_html
from treewright.show._report._embed import used_columns
from treewright.table import ColumnNote, Settings
from treewright.tree import CategorySplit, Column, ColumnKind, LinearSplit, ThresholdSplit, grow

EXTREME = [
    0.0,
    -0.0,
    5e-324,
    -5e-324,
    1e308,
    -1e308,
    1.7976931348623157e308,
    0.1 + 0.2,
    1 / 3,
    2**53,
    -1e-300,
    math.nan,
]


def as_json(rows):
    return [[None if math.isnan(x) else x for x in row] for row in rows.tolist()]


def near_thresholds(tree, rng, X):
    """Rows with values at every threshold and one step to each side of it."""
    X = X.copy()
    for split in tree.splits:
        if isinstance(split, ThresholdSplit) and math.isfinite(split.threshold):
            t = split.threshold
            rows = rng.integers(0, len(X), len(X) // 4)
            X[rows, split.column] = rng.choice(
                [t, np.nextafter(t, np.inf), np.nextafter(t, -np.inf)], len(rows)
            )
    return X


@pytest.mark.parametrize("seed", range(4))
def test_the_page_predicts_like_the_tree(visit, seed):
    made = make_tree(seed, 14, n_rows=80)
    page = visit().open(page_of(made))
    rng = np.random.default_rng(seed)
    X = near_thresholds(made.tree, rng, make_rows(rng, 4000))
    X[::5, :2] = rng.choice(EXTREME, X[::5, :2].shape)
    X[::7] = np.nan
    used = used_columns(made.tree)
    leaves = page.evaluate("rows => rows.map(row => treewright.leaf(row))", as_json(X[:, used]))
    with np.errstate(over="ignore", invalid="ignore"):  # sums of the extremes
        expected, labels = made.tree.apply(X), made.tree.predict(X)
    np.testing.assert_array_equal(leaves, expected)
    decided = page.evaluate("rows => rows.map(row => treewright.decide(row))", as_json(X[:, used]))
    np.testing.assert_array_equal(made.tree.classes[decided], labels)


# ---------------------------------------------------------------------------------------- the nearest change


def boxed_tree(seed, **options):
    """A made tree without sums, whose numbers are whole or have one decimal."""
    for attempt in itertools.count(seed * 1000):
        made = make_tree(attempt, 7, n_rows=120, **options)
        if not any(isinstance(split, LinearSplit) for split in made.tree.splits):
            X = made.X.copy()
            X[:, 1] = X[:, 1].round(1)
            return Made(made.tree, X, made.y, made.weight, made.costs)
    raise AssertionError


def spread(x):
    known = x[~np.isnan(x)]
    low, high = np.quantile(known, [0.25, 0.75])
    return high - low if high > low else (known.std() or 1.0)


@pytest.mark.parametrize("seed", range(5))
def test_no_change_is_nearer_than_the_one_the_page_names(visit, seed):
    """Against all rows on the grid of the columns' steps: every cell of the tree has a row on it."""
    made = boxed_tree(seed)
    page = visit().open(page_of(made))
    used = used_columns(made.tree)
    steps = [
        list(range(-1, 8)),
        [k / 10 for k in range(-20, 32)],
        [0, 1],
        [0, 1],
        list(range(4)),
        list(range(3)),
    ]
    grid = np.array(list(itertools.product(*[steps[j] if j in used else [0] for j in range(6)])), dtype=float)
    decided = made.tree.prediction[made.tree.apply(grid)]
    rng = np.random.default_rng(seed)
    people = made.X[rng.integers(0, len(made.X), 12)].copy()
    people[np.isnan(people)] = 1
    unit = [spread(made.X[:, 0]), spread(made.X[:, 1]), 1, 1, 1, 1]
    for person in people:
        said = page.evaluate(
            "([row, kept]) => treewright.nearest(row, kept)", [as_json(person[None, used])[0], []]
        )
        own = made.tree.prediction[made.tree.apply(person[None])][0]
        away = np.zeros((len(grid), 2))
        for j in used:
            changed = grid[:, j] != person[j]
            away[:, 0] += changed
            away[:, 1] += changed if j > 1 else np.abs(grid[:, j] - person[j]) / unit[j]
        found = {entry["to"]: (len(entry["changes"]), entry["distance"]) for entry in said}
        for klass in set(decided.tolist()) - {own}:
            here = away[decided == klass]
            best = min(map(tuple, here.tolist()))
            assert found[klass] == (best[0], pytest.approx(best[1]))
        assert set(found) == set(decided.tolist()) - {own}
        for entry in said:  # and it does what it says
            other = person.copy()
            for change in entry["changes"]:
                other[used[change["column"]]] = change["value"]
            assert made.tree.prediction[made.tree.apply(other[None])][0] == entry["to"]
        order = [(len(entry["changes"]), entry["distance"]) for entry in said]
        assert order == sorted(order)


def test_columns_that_cannot_change_stay(visit):
    X = np.array(list(itertools.product(range(4), range(4))), dtype=float)
    y = (X[:, 0] > 1).astype(np.int32)
    columns = [Column("a", ColumnKind.CONTINUOUS), Column("b", ColumnKind.CONTINUOUS)]
    splits = [ThresholdSplit(0, 1.5), ThresholdSplit(1, 2.5), None, None, None]
    tree = grow(columns, np.array(["no", "yes"]), splits, X, y, np.ones(16), 1.0 - np.eye(2))
    made = Made(tree, X, y, np.ones(16), 1.0 - np.eye(2))
    page = visit().open(page_of(made))
    ask = "([row, kept]) => treewright.nearest(row, kept)"
    assert page.evaluate(ask, [[0, 0], []])[0]["changes"] == [{"column": 0, "value": 2}]
    assert page.evaluate(ask, [[0, 0], [0]]) == []
    assert page.evaluate(ask, [[None, 0], []]) == page.evaluate(ask, [[None, 0], [1]])


@pytest.mark.parametrize("seed", range(4))
def test_sums_of_columns_flip_one_column_at_a_time(visit, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, 3))
    columns = [Column(name, ColumnKind.CONTINUOUS) for name in "abc"]
    splits = [
        LinearSplit((0, 1), (1.5, -0.7), 0.2),
        LinearSplit((1, 2), (1.0, 0.4), -0.1),
        None,
        None,
        ThresholdSplit(2, 0.3),
        None,
        None,
    ]
    y = ((1.5 * X[:, 0] - 0.7 * X[:, 1] > 0.2) ^ (X[:, 2] > 0.3)).astype(np.int32)
    tree = grow(columns, np.array([0, 1]), splits, X, y, np.ones(200), 1.0 - np.eye(2))
    page = visit().open(page_of(Made(tree, X, y, np.ones(200), 1.0 - np.eye(2))))
    for person in X[:15]:
        said = page.evaluate("row => treewright.nearest(row, [])", person.tolist())
        own = tree.predict(person[None])[0]
        best = math.inf
        for j in range(3):  # a fine grid in one column cannot find anything nearer
            tried = np.repeat(person[None], 4001, axis=0)
            tried[:, j] = person[j] + np.linspace(-8, 8, 4001)
            flips = tree.predict(tried) != own
            if flips.any():
                best = min(best, float(np.abs(tried[flips, j] - person[j]).min() / spread(X[:, j])))
        assert said or best == math.inf
        for entry in said:
            assert len(entry["changes"]) == 1
            assert entry["distance"] <= best + 1e-9
            other = person.copy()
            other[entry["changes"][0]["column"]] = entry["changes"][0]["value"]
            assert tree.predict(other[None])[0] != own


def test_numbers_without_room_for_steps_end(visit):
    """A border so far away that adding one to it changes nothing."""
    X = np.array(list(itertools.product(range(3), range(3))), dtype=float)
    columns = [Column("a", ColumnKind.CONTINUOUS), Column("b", ColumnKind.CONTINUOUS)]
    y = (X[:, 1] > 1).astype(np.int32)
    splits = [LinearSplit((0, 1), (1e-30, 1.0), 1.5), None, None]
    tree = grow(columns, np.array([0, 1]), splits, X, y, np.ones(9), 1.0 - np.eye(2))
    page = visit().open(page_of(Made(tree, X, y, np.ones(9), 1.0 - np.eye(2))))
    found = page.evaluate("treewright.nearest([0, 0], [])")
    assert found[0]["changes"] == [{"column": 1, "value": 2}]


# ---------------------------------------------------------------------------------------- the form and the tree


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
    for wrong in ("abc", "1e999", "1,5", "0x10", "1_000", "Infinity", "<b>", "--1", "1 2"):
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


def test_hostile_names_do_nothing(visit):
    made = hostile_tree(1)
    page = visit().open(page_of(made, title=HOSTILE[1], target=HOSTILE[2], files={"model": HOSTILE[0]}))
    assert page.title().startswith("</script>")
    assert page.evaluate("document.scripts.length") == 2
    assert page.evaluate("document.images.length") == 0
    page.click("#ask button.main")
    assert "Decision:" in page.locator("#answer").inner_text()
    labels = page.locator("#fields label bdi").all_inner_texts()
    assert HOSTILE[0] in labels
    options = page.locator("#fields option").all_inner_texts()
    assert any("<script>" in text for text in options)
    assert page.evaluate("document.title").startswith("</script>")  # nobody set it


def test_the_page_locks_itself(visit):
    """Were a name to get through unescaped, the policy would still keep it from running or loading anything."""
    text = page_of(make_tree(1, 5))
    injected = text.replace(
        "<main", "<script>document.title = 'hit'</script><img src='https://example.org/x.png'><main", 1
    )
    window = visit()
    page = window.open(injected)
    assert page.title() != "hit"
    assert all("Content Security Policy" in fault for fault in window.faults)
    assert len(window.faults) >= 2
    window.faults.clear()
    window.requests.clear()  # Playwright lists the image, which the policy refused


def test_opens_in_less_than_a_second(visit):
    text = page_of(make_tree(4, 20, n_rows=10_000))
    assert len(text.encode()) < 500_000
    window = visit()
    times = []
    for _ in range(3):  # the best of three, for a busy machine
        page = window.open(text)
        times.append(page.evaluate("performance.timing.loadEventEnd - performance.timing.navigationStart"))
    assert min(times) < 1000


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


def person_page(visit, **change):
    """A tree over two columns with settings: a typical person, unknown values, a code, limits to change."""
    rng = np.random.default_rng(5)
    X = np.asfortranarray(np.column_stack([rng.integers(20, 80, 300), rng.integers(0, 9, 300)]).astype(float))
    X[::10, 1] = -9.0
    X[::7, 0] = np.nan
    y = ((np.nan_to_num(X[:, 0], nan=30) > 50) | (X[:, 1] > 5)).astype(np.int32)
    columns = [Column("AgeYears", ColumnKind.CONTINUOUS, (), True), Column("NumInq", ColumnKind.CONTINUOUS)]
    splits = [ThresholdSplit(0, 50.5, True), ThresholdSplit(1, 5.5), None, None, None]
    tree = grow(columns, np.array(["bad", "good"]), splits, X, y, np.ones(300), 1.0 - np.eye(2))
    settings = Settings(
        notes={
            "AgeYears": ColumnNote("age", "on the day of the decision", "years", change.get("age", "any")),
            "NumInq": ColumnNote(
                "inquiries", codes={"-9": "no record"}, change=change.get("inquiries", "any")
            ),
        },
        label_names={"bad": "refused", "good": "granted"},
        about={"purpose": "grants loans", "owner": "the bank", "contact": "loans@example.org"},
    )
    made = Made(tree, X, y, np.ones(300), 1.0 - np.eye(2))
    return visit().open(page_of(made, settings=settings))


def ask(page, *values):
    for place, value in enumerate(values):
        page.fill(f"#value-{place}", value)
    page.click("#ask button.main")
    return page.locator("#answer").inner_text()


def test_unknown_codes_and_values_outside_the_data_are_said(visit):
    page = person_page(visit)
    said = ask(page, "", "-9")
    assert "Decision: refused" in said
    assert "age is unknown; unknown goes with ≤ 50.5 or missing" in said
    assert "inquiries is -9 (no record)" in said
    assert "outside" not in said
    said = ask(page, "120", "3")
    assert "age: 120 is outside the training data (20 to 79)" in said
    assert "Outside the data" in page.locator("#value-0-hint.beyond").inner_text()
    assert "Outside" not in ask(page, "60", "3")


def test_the_record_of_the_leaf_and_the_heaviest_reason_come_first(visit):
    page = person_page(visit)
    said = ask(page, "40", "7")
    assert "training rows in this leaf" in said
    assert "95% interval" in said
    first, second = page.locator("#answer ol li").all_inner_texts()
    assert first.startswith("inquiries is 7: > 5.5 (for the decision: +")
    assert second.startswith("age is 40 years: ≤ 50.5 or missing (against the decision: −")


def test_a_column_that_may_only_fall_never_rises(visit):
    assert "inquiries from 3 to 6" in ask(person_page(visit, age="never"), "40", "3")
    for age, inquiries in (("never", "only-down"), ("only-down", "never"), ("never", "never")):
        said = ask(person_page(visit, age=age, inquiries=inquiries), "40", "3")
        assert "No change that is allowed flips this decision" in said
    assert "age from 40 years to 51 years (moderate change)" in ask(
        person_page(visit, age="only-up", inquiries="never"), "40", "3"
    )


def test_no_number_becomes_a_code(visit):
    """-9 is the nearest number that goes left, but it means that there is no record."""
    page = person_page(visit, age="never")
    said = ask(page, "40", "7")
    assert "inquiries from 7 to 5" in said
    assert "to -9" not in said


def test_the_page_of_one_person(visit):
    page = person_page(visit)
    page.fill("#reference", "A-17 <b>")
    page.evaluate("() => { window.print = () => { window.printed = document.body.className; }; }")
    ask(page, "40", "7")
    page.click("#print-person")
    assert "print-person" in page.evaluate("window.printed")
    page.emulate_media(media="print")
    shown = page.locator("body").inner_text()
    for words in ("Reference: A-17 <b>", "Decision: granted", "inquiries", "Reasons", "loans@example.org"):
        assert words in shown
    for words in ("Certificate", "Error rate", "Try it"):
        assert words not in shown
    page.evaluate("() => window.dispatchEvent(new Event('afterprint'))")
    assert "print-person" not in page.evaluate("document.body.className")


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
