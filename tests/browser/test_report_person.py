"""One person's decision: what is unknown or outside the data, reasons by weight, limits to change, the printed page."""

from __future__ import annotations

import numpy as np

from made_trees import Made
from reports import page_of
from treewright.table import ColumnNote, Settings
from treewright.tree import Column, ColumnKind, ThresholdSplit, grow


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
    assert "age is unknown; unknown goes with ≤ 50.5 years or missing" in said
    assert "inquiries is -9 (no record)" in said
    assert "outside" not in said
    said = ask(page, "120", "3")
    assert "age: 120 years is outside the training data (20 to 79 years)" in said
    assert "Outside the data" in page.locator("#value-0-hint.beyond").inner_text()
    assert "Outside" not in ask(page, "60", "3")


def test_the_record_of_the_leaf_and_the_heaviest_reason_come_first(visit):
    page = person_page(visit)
    said = ask(page, "40", "7")
    assert "training rows in this leaf" in said
    assert "95% interval" in said
    first, second = page.locator("#answer ol li").all_inner_texts()
    assert first.startswith("inquiries is 7: > 5.5 (for the decision: +")
    assert second.startswith("age is 40 years: ≤ 50.5 years or missing (against the decision: −")


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
    assert page.locator("#answer", has_text="This is leaf").is_visible()
    assert page.locator("#answer .on-screen").is_hidden()  # there is no tree on this page
    shown = page.locator("body").inner_text()
    for words in ("Reference: A-17 <b>", "Decision: granted", "inquiries", "Reasons", "loans@example.org"):
        assert words in shown
    for words in ("Certificate", "Error rate", "Try it"):
        assert words not in shown
    page.evaluate("() => window.dispatchEvent(new Event('afterprint'))")
    assert "print-person" not in page.evaluate("document.body.className")
